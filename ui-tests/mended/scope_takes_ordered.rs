//! The mend of `ui-tests/scope_takes_ordered.rs`. Hold it by `hold_ordered`.

use cuscope::{OrderedBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    mut x: OrderedBuffer<f32>,
) -> Result {
    gpu.scope(|s| {
        let mut x = s.hold_ordered(&mut x)?;
        s.on(stream).fill(&mut x, 1.0)
    })
}

fn main() {}
