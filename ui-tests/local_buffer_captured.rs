//! What a capture holds outlives its closure.
//!
//! **Why:** The graph would have an address that is freed before its first replay, and fill whatever is allocated
//! there by then. It is a part of `graph-owns`.
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
