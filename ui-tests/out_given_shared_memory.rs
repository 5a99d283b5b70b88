//! What a typed kernel of a struct writes, an `Out<T>`, is passed as `&mut buffer`.
//!
//! **Why:** The kernel would write `y` while other parts of the program, and other streams, may be reading it. It is
//! a part of `signature-compared`.
//!
//! **Mend:** Take it as `&mut`. See `ui-tests/mended/out_given_shared_memory.rs`.
//!
//! **Mistake** (E0277):
#![allow(unsafe_code)]

use cuscope::{DeviceBuffer, In, Kernel, LaunchConfig, Out, Result, SyncStream};

struct Kernels {
    twice: Kernel<(u32, In<f32>, Out<f32>)>,
}

fn twice<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernels: &Kernels,
    x: &DeviceBuffer<'ctx, f32>,
    y: &DeviceBuffer<'ctx, f32>,
) -> Result {
    // SAFETY: twice(unsigned, const float *, float *) over 4 elements.
    unsafe { stream.launch_unchecked(&kernels.twice, LaunchConfig::new(1, 4), (4, x, y)) }
}

fn main() {}
