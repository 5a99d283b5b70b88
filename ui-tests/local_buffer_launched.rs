//! A kernel of a scope may run until the scope ends: lend it memory that lives longer.

use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    [x, mut y, z]: [DeviceBuffer<'ctx, f32>; 3],
) -> Result {
    let config = LaunchConfig::new(1, 1);
    gpu.scope(move |s| {
        let stream = s.on(stream);
        unsafe { stream.launch_unchecked(kernel, config, (&x,)) }?;
        unsafe { stream.launch_unchecked(kernel, config, (&mut y,)) }?;
        unsafe { stream.launch_unchecked(kernel, config, (z.slice(..)?,)) }
    })
}

fn main() {}
