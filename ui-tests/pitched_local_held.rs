//! A scope holds rows until it has waited.
//!
//! **Why:** The rows are freed when the closure returns. A fill that has not begun by then writes into the next
//! allocation. It is a part of `scope-borrows`.
//!
//! **Mend:** Make the buffer outside of the closure. See `ui-tests/mended/pitched_local_held.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    gpu.scope(|s| {
        let mut buffer = gpu.alloc_pitched::<f32>((8, 8))?;
        s.on(stream).fill(&mut s.hold(&mut buffer), 1.0)
    })
}

fn main() {}
