//! A scope uses memory of an ordered stream only once it holds that by `hold_ordered`, behind the work of the
//! stream.
//!
//! **Why:** The ordered stream may still be writing. `hold_ordered` lets the scope's streams wait for that, and a
//! plain `hold` does not. It is a part of `ordered-apart`.
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
