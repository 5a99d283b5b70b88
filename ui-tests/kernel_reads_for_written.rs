//! What a typed kernel writes is passed as `&mut buffer`.
//!
//! **Why:** The kernel would write `y` while other parts of the program, and other streams, may be reading it. It is
//! a part of `signature-compared`.
//!
//! **Mend:** Write `&mut`. See `ui-tests/mended/kernel_reads_for_written.rs`.
//!
//! **Mistake** (E0277):
#![allow(unsafe_code)]

use cuscope::{ContextStack, Context, DeviceBuffer, LaunchConfig, Module, Result};

fn twice(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    let module: Module<'_> = gpu.load_ptx(".version 7.0")?;
    let kernel = module.kernel::<(u32, &[f32], &mut [f32])>("twice")?;
    let (x, y): (DeviceBuffer<'_, f32>, DeviceBuffer<'_, f32>) = (gpu.alloc(4)?, gpu.alloc(4)?);
    // SAFETY: twice(unsigned, const float *, float *) over 4 elements.
    unsafe { gpu.on(&stream).launch_unchecked(&kernel, LaunchConfig::new(1, 4), (4, &x, &y)) }
}

fn main() {}
