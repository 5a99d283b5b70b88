//! A scope takes streams and buffers of its own guard only.
//!
//! **Why:** The scope makes events in the context of its own guard. On a stream of another context the driver refuses
//! to record them (F36), so that nothing would order the work. It is a part of `scope-own`.
//!
//! **Mend:** Make them under it. See `ui-tests/mended/stream_of_other_guard_in_scope.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'a, 'b>(gpu: &PushedGuard<'a>, stream: &Stream<'b>) -> Result {
    gpu.scope(|s| s.on(stream).synchronize())
}

fn main() {}
