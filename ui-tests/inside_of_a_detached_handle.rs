//! What a `Detached` contains cannot be taken out without a guard, which compares the contexts.
//!
//! **Why:** `Stream<'static>` fits every guard. Outside of its `Detached` it would be used in any context, and when
//! its own context has ended. It is a part of `detached-unusable`.
//!
//! **Mend:** Bind or attach it. See `ui-tests/mended/inside_of_a_detached_handle.rs`.
//!
//! **Mistake** (E0616):

use cuscope::{Detached, Stream};

fn misuse(stream: Detached<Stream<'static>>) -> Stream<'static> {
    stream.0
}

fn main() {}
