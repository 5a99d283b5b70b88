//! The mend of `ui-tests/part_to_write_used_twice.rs`. Split the part, or pass it once.

use cuscope::memory::DeviceSliceMut;
use cuscope::{Function, LaunchConfig, Result, SyncStream};

fn right<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mut part: DeviceSliceMut<'_, 'ctx, f32>,
) -> Result {
    let (mut low, mut high) = part.split_at_mut(8)?;
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 16), (&mut low, &mut high)) }
}

fn main() {}
