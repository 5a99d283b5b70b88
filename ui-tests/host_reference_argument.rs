//! A kernel is given no address of host memory.
//!
//! **Why:** To read it on the device is a fault, and a fault takes the GPU from the whole process (F60). It is a
//! part of `arguments-lowered`.
//!
//! **Mend:** Pass a number by value, and upload a slice to a buffer. See
//! `ui-tests/mended/host_reference_argument.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, Function, LaunchConfig, SyncStream, Result};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    mut x: DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 16);
    let factor = 2.0_f32;
    let host = [0.0_f32; 16];
    unsafe { stream.launch_unchecked(kernel, config, (&factor, &mut x)) }?;
    unsafe { stream.launch_unchecked(kernel, config, (&host[..], &mut x)) }
}

fn main() {}
