//! The arguments are a tuple, also if there is one only.
//!
//! **Why:** The driver takes a list, and reads past the end of one that is too short (F93). It is a part of
//! `arguments-lowered`.
//!
//! **Mend:** Write `(&mut x,)`. See `ui-tests/mended/single_argument.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, Function, LaunchConfig, SyncStream, Result};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mut x: DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 16);
    unsafe { stream.launch_unchecked(kernel, config, &mut x) }
}

fn main() {}
