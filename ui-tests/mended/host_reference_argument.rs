//! The mend of `ui-tests/host_reference_argument.rs`. Pass a number by value, and upload a slice to a buffer.

use cuscope::{DeviceBuffer, Function, LaunchConfig, SyncStream, Result};

fn right<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mut x: DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 16);
    let factor = 2.0_f32;
    let host = [0.0_f32; 16];
    unsafe { stream.launch_unchecked(kernel, config, (factor, &mut x)) }?;
    let host = stream.from_slice(&host)?;
    unsafe { stream.launch_unchecked(kernel, config, (&host, &mut x)) }
}

fn main() {}
