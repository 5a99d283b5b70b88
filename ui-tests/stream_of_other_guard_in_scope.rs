//! A scope takes streams and buffers of its own guard only.
//!
//! **Why:** Streams of a scope, and memory that is lent to it, are used in that scope, on its thread and in their
//! context. This is `scope-own`.
//!
//! **Mend:** Make them under it. See `ui-tests/mended/stream_of_other_guard_in_scope.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'a, 'b>(gpu: &PushedGuard<'a>, stream: &Stream<'b>) -> Result {
    gpu.scope(|s| s.on(stream).synchronize())
}

fn main() {}
