//! Only a kernel that somebody vouches for, or that is checked on the device, is launched without `unsafe`.
//!
//! **Why:** Nobody has said that another one stays inside its arguments.
//!
//! **Mend:** Load the kernel by `load_guarded`, so that the device checks it, vouch for it once, by `trust`, or write
//! `launch_unchecked` in an `unsafe` block that says why it does. See
//! `ui-tests/mended/plain_kernel_launched_safely.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, Function, Kernel, LaunchConfig, Out, Result, SyncStream};

fn typed<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    kernel: &Kernel<(Out<f32>,)>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    stream.launch(kernel, LaunchConfig::new(1, 16), (x,))
}

fn with_any_arguments<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    stream.launch(kernel, LaunchConfig::new(1, 16), (x,))
}

fn main() {}
