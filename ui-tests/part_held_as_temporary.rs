//! A scope holds a part until it has waited, so that the part is taken outside of it: `let mut part =
//! x.slice_mut(..8)?;` above the scope, or `s.hold(x).split_at(8)?` inside.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        let mut held = s.hold(&mut x.slice_mut(..8)?);
        s.on(stream).fill(&mut held, 1.0)
    })
}

fn main() {}
