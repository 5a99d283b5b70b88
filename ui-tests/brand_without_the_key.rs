//! A handle moves to another guard where its context is compared, and nowhere else: the key for it cannot be made outside.

use cuscope::{__private::BrandKey, Stream, detached::Branded};

fn misuse<'b>(stream: Stream<'_>) -> Stream<'b> {
    stream.rebrand(BrandKey(()))
}

fn main() {}
