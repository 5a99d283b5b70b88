//! The mend of `ui-tests/argument_is_sealed.rs`. Pass the memory itself.

use cuscope::{DeviceBuffer, LaunchConfig, Out, Result, SyncStream, TrustedKernel};

fn launch<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    kernel: &TrustedKernel<(Out<f32>,)>,
    memory: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    stream.launch(kernel, LaunchConfig::new(1, 16), (memory,))
}

fn main() {}
