//! What a scope writes more than once is held: `&mut buffer` itself is an argument of one launch, and is
//! then lent until the scope ends.

use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 1);
    gpu.scope(|s| {
        unsafe { s.on(stream).launch_unchecked(kernel, config, (&mut *buffer,)) }?;
        unsafe { s.on(stream).launch_unchecked(kernel, config, (&mut *buffer,)) }
    })
}

fn main() {}
