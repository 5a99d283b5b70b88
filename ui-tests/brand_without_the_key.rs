//! A handle moves to another guard where its context is compared, and nowhere else.
//!
//! **Why:** The key for it cannot be made outside. It is a part of `detached-unusable`.
//!
//! **Mend:** Detach the handle, and attach it to the other guard, which compares. See
//! `ui-tests/mended/brand_without_the_key.rs`.
//!
//! **Mistake** (E0423):

use cuscope::{__private::BrandKey, Stream, detached::Branded};

fn misuse<'b>(stream: Stream<'_>) -> Stream<'b> {
    stream.rebrand(BrandKey(()))
}

fn main() {}
