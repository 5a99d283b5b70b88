//! A typed kernel is launched with as many arguments as its signature has.
//!
//! **Why:** The driver copies as many values as the kernel has parameters. For the missing one it follows whatever
//! lies behind the list. It is a part of `signature-compared`.
//!
//! **Mend:** Pass all of them. See `ui-tests/mended/kernel_with_too_few.rs`.
//!
//! **Mistake** (E0277):
#![allow(unsafe_code)]

use cuscope::{Context, ContextStack, LaunchConfig, Result};

fn fill(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    let kernel = gpu.load_ptx(".version 7.0")?.kernel::<(u32, &mut [f32])>("fill")?;
    // SAFETY: fill(unsigned, float *).
    unsafe { gpu.on(&stream).launch_unchecked(&kernel, LaunchConfig::new(1, 4), (4,)) }
}

fn main() {}
