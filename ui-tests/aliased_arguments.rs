//! What a kernel writes is no other argument of it.
//!
//! **Why:** Its reads would race with its writes. It is a part of `host-memory-borrowed`.
//!
//! **Mend:** Use two buffers, or pass the one only as `&mut x` to a kernel that works in place. See
//! `ui-tests/mended/aliased_arguments.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{DeviceBuffer, Function, LaunchConfig, SyncStream, Result};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mut x: DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 16);
    unsafe { stream.launch_unchecked(kernel, config, (&x, &mut x)) }
}

fn main() {}
