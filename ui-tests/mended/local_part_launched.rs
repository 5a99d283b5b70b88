//! The mend of `ui-tests/local_part_launched.rs`. Take the part above the scope.

use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
    y: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 1);
    let (read, mut written) = (x.slice_mut(..)?, y.slice_mut(..)?);
    gpu.scope(|s| {
        let stream = s.on(stream);
        unsafe { stream.launch_unchecked(kernel, config, (&read,)) }?;
        unsafe { stream.launch_unchecked(kernel, config, (&mut written,)) }
    })
}

fn main() {}
