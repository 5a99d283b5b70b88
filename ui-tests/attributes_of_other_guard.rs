//! Attributes are copied between streams of one guard.
//!
//! **Why:** The other stream may belong to another context, whose end frees it while the copy reads its attributes.
//! It is a part of `detached-unusable`.
//!
//! **Mend:** Give both streams one lifetime. See `ui-tests/mended/attributes_of_other_guard.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{Result, Stream};

fn misuse<'a, 'b>(own: &Stream<'a>, other: &Stream<'b>) -> Result {
    own.copy_attributes(other)
}

fn main() {}
