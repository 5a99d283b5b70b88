//! The mend of `ui-tests/local_buffer_launched.rs`. Lend it memory that lives longer.

use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    [x, mut y, z]: [DeviceBuffer<'ctx, f32>; 3],
) -> Result {
    let config = LaunchConfig::new(1, 1);
    gpu.scope(|s| {
        let stream = s.on(stream);
        unsafe { stream.launch_unchecked(kernel, config, (&x,)) }?;
        unsafe { stream.launch_unchecked(kernel, config, (&mut y,)) }?;
        unsafe { stream.launch_unchecked(kernel, config, (z.slice(..)?,)) }
    })
}

fn main() {}
