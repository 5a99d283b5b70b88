//! Page-locked memory that a kernel of a scope writes is not read until the scope ends. Read it afterwards,
//! or map it, `s.map(&mut pinned)`, and ask for it with `access`.

use cuscope::{Function, LaunchConfig, PinnedBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    mut pinned: PinnedBuffer<f32>,
) -> Result<f32> {
    gpu.scope(|s| {
        unsafe { s.on(stream).launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut pinned,)) }?;
        Ok(pinned[0])
    })
}

fn main() {}
