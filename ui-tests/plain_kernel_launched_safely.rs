//! Only a kernel that somebody vouches for, or that is checked on the device, is launched without `unsafe`.

use cuscope::{DeviceBuffer, Function, Kernel, LaunchConfig, Out, Result, SyncStream};

fn typed<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    kernel: &Kernel<(Out<f32>,)>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    stream.launch(kernel, LaunchConfig::new(1, 16), (x,))
}

fn with_any_arguments<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    stream.launch(kernel, LaunchConfig::new(1, 16), (x,))
}

fn main() {}
