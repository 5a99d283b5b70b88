//! The mend of `ui-tests/trusted_with_other_arguments.rs`. Write `&mut`.

use cuscope::{DeviceBuffer, LaunchConfig, Out, Result, SyncStream, TrustedKernel};

fn launch<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    kernel: &TrustedKernel<(Out<f32>,)>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    stream.launch(kernel, LaunchConfig::new(1, 16), (x,))
}

fn main() {}
