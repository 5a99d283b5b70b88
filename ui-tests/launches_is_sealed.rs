//! What launches kernels, which launches are safe, and what a kernel reads and writes, is this crate's to say.
//!
//! **Why:** A safe launch rests on each of these. It is a part of `launch-trusted`.
//!
//! **Mend:** Pass the stream, the kernel and the memory that your type has. See
//! `ui-tests/mended/launches_is_sealed.rs`.
//!
//! **Mistake** (E0277):

use cuscope::kernel::{KernelReads, KernelWrites, Launches, SafeKernel};

struct Mine;

impl<'ctx> Launches<'ctx> for Mine {}

impl<'ctx> SafeKernel<'ctx> for Mine {
    type Signature = (u32,);
}

impl<'ctx> KernelReads<'ctx, f32> for Mine {}

impl<'ctx> KernelWrites<'ctx, f32> for Mine {}

fn main() {}
