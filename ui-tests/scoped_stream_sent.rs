//! A `ScopedStream` stays on its scope's thread. Give each thread a context stack and a scope of its own;
//! streams may be shared.

use cuscope::{PushedGuard, Result, Stream};

fn spawn<T: Send>(_: T) {}

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    gpu.scope(|s| {
        spawn(s.on(stream));
        Ok(())
    })
}

fn main() {}
