//! Attributes are copied between streams of one guard.
//!
//! **Why:** A program uses a detached handle only through a guard that has checked that the handle belongs to its
//! context. This is `detached-unusable`.
//!
//! **Mend:** Give both streams one lifetime. See `ui-tests/mended/attributes_of_other_guard.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{Result, Stream};

fn misuse<'a, 'b>(own: &Stream<'a>, other: &Stream<'b>) -> Result {
    own.copy_attributes(other)
}

fn main() {}
