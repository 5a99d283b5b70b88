//! A trusted kernel takes the arguments of its signature: memory that it writes is `&mut`.
//!
//! **Why:** What it writes is lent to it alone.
//!
//! **Mend:** Write `&mut`. See `ui-tests/mended/trusted_with_other_arguments.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, LaunchConfig, Out, Result, SyncStream, TrustedKernel};

fn launch<'ctx>(
    stream: &SyncStream<'_, 'ctx>,
    kernel: &TrustedKernel<(Out<f32>,)>,
    x: &DeviceBuffer<'ctx, f32>,
) -> Result {
    stream.launch(kernel, LaunchConfig::new(1, 16), (x,))
}

fn main() {}
