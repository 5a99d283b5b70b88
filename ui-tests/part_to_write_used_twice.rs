//! A part to write is there once: two of them could be written by two kernels at the same time.

use cuscope::memory::DeviceSliceMut;
use cuscope::{Function, LaunchConfig, Result, SyncStream};

fn misuse<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mut part: DeviceSliceMut<'_, 'ctx, f32>,
) -> Result {
    let mut again = part;
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 16), (&mut part, &mut again)) }
}

fn main() {}
