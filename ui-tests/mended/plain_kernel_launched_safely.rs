//! The mend of `ui-tests/plain_kernel_launched_safely.rs`. Load the kernel by `load_guarded`, so that the device checks it,
//! vouch for it once, by `trust`, or write `launch_unchecked` in an `unsafe` block that says why it does.

use cuscope::{DeviceBuffer, Function, Kernel, LaunchConfig, Out, Result, SyncStream};

fn typed<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    kernel: &Kernel<(Out<f32>,)>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    // SAFETY: the kernel writes 16 elements of `x`.
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 16), (x,)) }
}

fn with_any_arguments<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    // SAFETY: as above.
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 16), (x,)) }
}

fn main() {}
