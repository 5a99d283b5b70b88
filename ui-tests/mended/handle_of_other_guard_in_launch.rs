//! The mend of `ui-tests/handle_of_other_guard_in_launch.rs`. Allocate under the guard that launches.

use cuscope::{Context, ContextStack, DeviceBuffer, LaunchConfig, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context, ptx: &str) -> Result {
    let mut outer = stack.push(a)?;
    let inner = outer.push(b)?;
    let mut buffer: DeviceBuffer<'_, u32> = inner.alloc(16)?;
    let kernel = inner.load_ptx(ptx)?.function("fill")?;
    let stream = inner.stream()?;
    unsafe { inner.on(&stream).launch_unchecked(&kernel, LaunchConfig::new(1, 16), (16_u32, &mut buffer)) }
}

fn main() {}
