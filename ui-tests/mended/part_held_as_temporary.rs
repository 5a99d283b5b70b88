//! The mend of `ui-tests/part_held_as_temporary.rs`. Write `let mut part = x.slice_mut(..8)?;` above the scope, or
//! `s.hold(x).split_at(8)?` inside.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let mut part = x.slice_mut(..8)?;
    gpu.scope(|s| {
        let mut held = s.hold(&mut part);
        s.on(stream).fill(&mut held, 1.0)
    })
}

fn main() {}
