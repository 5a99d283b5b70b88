//! Handles that are detached live as long as the program wants, and so do the plain values beside them. They borrow nothing.

use cuscope::detached::{Branded, Plain};
use cuscope::Stream;

fn misuse(stream: Stream<'_>) {
    let name = String::from("uploads");
    let detached = (stream, Plain(&name)).detach();
    drop(name);
    drop(detached);
}

fn main() {}
