//! A part to write is there once.
//!
//! **Why:** Two of them could be written by two kernels at the same time. It is a part of `host-memory-borrowed`.
//!
//! **Mend:** Split the part, or pass it once. See `ui-tests/mended/part_to_write_used_twice.rs`.
//!
//! **Mistake** (E0382):

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
