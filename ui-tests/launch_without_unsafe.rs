//! A launch is `unsafe`.
//!
//! **Why:** No compiler has seen that the kernel stays inside its buffers, and if it does not, the process loses the
//! GPU (F60). Check the kernel against the contract of `launch_unchecked`. It is a part of `idle-outside`.
//!
//! **Mend:** Check the kernel against the contract of `launch_unchecked`, and say so in an `unsafe` block. See
//! `ui-tests/mended/launch_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::{DeviceBuffer, Function, LaunchConfig, SyncStream, Result};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mut x: DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 16);
    stream.launch_unchecked(kernel, config, (16_u32, &mut x))
}

fn main() {}
