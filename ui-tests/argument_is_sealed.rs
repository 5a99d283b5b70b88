//! What is an argument of a typed kernel is this crate's to say.
//!
//! **Why:** A number that stands for an address would be passed for memory, and the kernel would use memory that nobody lent
//! to it. It is a part of `launch-trusted`.
//!
//! **Mend:** Pass the memory itself. See `ui-tests/mended/argument_is_sealed.rs`.
//!
//! **Mistake** (E0277):

use bytemuck::NoUninit;
use cuscope::kernel::Argument;
use cuscope::{LaunchConfig, Out, Result, SyncStream, TrustedKernel};

#[derive(Clone, Copy, NoUninit)]
#[repr(transparent)]
struct Address(u64);

impl Argument<Out<f32>> for Address {}

fn launch(stream: &SyncStream<'_, '_>, kernel: &TrustedKernel<(Out<f32>,)>) -> Result {
    stream.launch(kernel, LaunchConfig::new(1, 16), (Address(0x1000),))
}

fn main() {}
