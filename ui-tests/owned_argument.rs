//! A buffer is lent to a launch, not given.
//!
//! **Why:** It would be freed when the call returns, and the kernel might still use it (F94). It is a part of
//! `arguments-lowered`.
//!
//! **Mend:** Pass `&x` for what the kernel reads, `&mut x` for what it writes. See
//! `ui-tests/mended/owned_argument.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, Function, LaunchConfig, SyncStream, Result};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mut x: DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 16);
    unsafe { stream.launch_unchecked(kernel, config, (16_u32, x)) }
}

fn main() {}
