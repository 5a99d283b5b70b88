//! A trusted kernel takes the arguments of its signature: memory that it writes is `&mut`.

use cuscope::{DeviceBuffer, LaunchConfig, Out, Result, SyncStream, TrustedKernel};

fn launch<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    kernel: &TrustedKernel<(Out<f32>,)>,
    x: &DeviceBuffer<'ctx, f32>,
) -> Result {
    stream.launch(kernel, LaunchConfig::new(1, 16), (x,))
}

fn main() {}
