//! The mend of `ui-tests/kernel_with_too_few.rs`. Pass all of them.

use cuscope::{Context, ContextStack, DeviceBuffer, LaunchConfig, Result};

fn fill(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    let mut x: DeviceBuffer<'_, f32> = gpu.alloc(4)?;
    let kernel = gpu.load_ptx(".version 7.0")?.kernel::<(u32, &mut [f32])>("fill")?;
    // SAFETY: fill(unsigned, float *).
    unsafe { gpu.on(&stream).launch_unchecked(&kernel, LaunchConfig::new(1, 4), (4, &mut x)) }
}

fn main() {}
