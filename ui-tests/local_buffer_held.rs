//! What a scope holds outlives its closure, as the work does.
//!
//! **Why:** The fill may not have begun when the closure returns and the buffer is freed. It would then write into
//! the next allocation. It is a part of `scope-borrows`.
//!
//! **Mend:** Make the buffer outside, or take `stream.scratch`. See `ui-tests/mended/local_buffer_held.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    gpu.scope(|s| {
        let mut buffer = gpu.alloc::<f32>(64)?;
        s.on(stream).fill(&mut s.hold(&mut buffer), 1.0)
    })
}

fn main() {}
