//! What is an argument of a typed kernel is this crate's to say: a number that stands for an address is none for memory.

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
