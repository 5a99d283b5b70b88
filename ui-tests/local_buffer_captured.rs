//! What a capture holds outlives its closure.
//!
//! **Why:** A graph replays on memory and code that exist: it owns them. It contains no host memory but the numbers
//! that its nodes wait for and write. This is `graph-owns`.
//!
//! **Mend:** Make the buffer outside, or take `c.scratch`. See `ui-tests/mended/local_buffer_captured.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &mut Stream<'ctx>) -> Result {
    gpu.capture(stream, |c| {
        let mut buffer = gpu.alloc::<f32>(64)?;
        c.stream().fill(&mut c.hold(&mut buffer), 1.0)
    })
    .map(drop)
}

fn main() {}
