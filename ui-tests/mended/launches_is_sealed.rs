//! The mend of `ui-tests/launches_is_sealed.rs`. Pass the stream, the kernel and the memory that your type has.

use cuscope::{DeviceBuffer, In, LaunchConfig, Out, Result, SyncStream, TrustedKernel};

struct Mine<'m, 'ctx>(TrustedKernel<(In<f32>, Out<f32>)>, &'m DeviceBuffer<'ctx, f32>);

fn launch<'ctx>(stream: &SyncStream<'_, 'ctx>, mine: &Mine<'_, 'ctx>, y: &mut DeviceBuffer<'ctx, f32>) -> Result {
    stream.launch(&mine.0, LaunchConfig::new(1, 16), (mine.1, y))
}

fn main() {}
