//! What a `Detached` contains cannot be taken out without a guard, which compares the contexts. Bind or attach it.

use cuscope::{Detached, Stream};

fn misuse(stream: Detached<Stream<'static>>) -> Stream<'static> {
    stream.0
}

fn main() {}
