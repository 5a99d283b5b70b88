//! A scope uses memory of an ordered stream only once it holds that by `hold_ordered`, behind the work of the
//! stream.
//!
//! **Why:** Only operations of its stream use memory that belongs to a stream, so the device runs all uses in the
//! order of the calls. The free is behind them. This is `ordered-apart`.
//!
//! **Mend:** Hold it by `hold_ordered`. See `ui-tests/mended/scope_takes_ordered.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{OrderedBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    mut x: OrderedBuffer<f32>,
) -> Result {
    gpu.scope(|s| {
        let mut x = s.hold(&mut x);
        s.on(stream).fill(&mut x, 1.0)
    })
}

fn main() {}
