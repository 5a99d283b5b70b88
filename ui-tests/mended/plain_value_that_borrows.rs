//! The mend of `ui-tests/plain_value_that_borrows.rs`. Move the value in.

use cuscope::detached::{Branded, Plain};
use cuscope::Stream;

fn right(stream: Stream<'_>) {
    let name = String::from("uploads");
    let detached = (stream, Plain(name)).detach();
    drop(detached);
}

fn main() {}
