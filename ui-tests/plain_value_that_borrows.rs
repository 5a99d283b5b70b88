//! Handles that are detached live as long as the program wants, and so do the plain values beside them.
//!
//! **Why:** They borrow nothing. It is a part of `detached-unusable`.
//!
//! **Mend:** Move the value in. See `ui-tests/mended/plain_value_that_borrows.rs`.
//!
//! **Mistake** (E0505, E0597):

use cuscope::detached::{Branded, Plain};
use cuscope::Stream;

fn misuse(stream: Stream<'_>) {
    let name = String::from("uploads");
    let detached = (stream, Plain(&name)).detach();
    drop(name);
    drop(detached);
}

fn main() {}
