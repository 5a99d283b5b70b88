//! A `ScopedStream` stays on its scope's thread.
//!
//! **Why:** The other thread may enqueue while the scope is ending, or after it has waited. The scope's record of
//! uses is not made for two threads. It is a part of `scope-own`.
//!
//! **Mend:** Give each thread a context stack and a scope of its own; streams may be shared. See
//! `ui-tests/mended/scoped_stream_sent.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{PushedGuard, Result, Stream};

fn spawn<T: Send>(_: T) {}

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    gpu.scope(|s| {
        spawn(s.on(stream));
        Ok(())
    })
}

fn main() {}
