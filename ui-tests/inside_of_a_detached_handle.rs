//! What a `Detached` contains cannot be taken out without a guard, which compares the contexts.
//!
//! **Why:** A program uses a detached handle only through a guard that has checked that the handle belongs to its
//! context. This is `detached-unusable`.
//!
//! **Mend:** Bind or attach it. See `ui-tests/mended/inside_of_a_detached_handle.rs`.
//!
//! **Mistake** (E0616):

use cuscope::{Detached, Stream};

fn misuse(stream: Detached<Stream<'static>>) -> Stream<'static> {
    stream.0
}

fn main() {}
