//! The mend of `ui-tests/inner_memory_kept_by_the_caller.rs`. Take a collection of detached memory.

use cuscope::{Context, Detached, DeviceBuffer, PushedGuard, Result};

fn right<'ctx>(
    gpu: &mut PushedGuard<'ctx>,
    other: &Context,
    shares: &mut Vec<Detached<DeviceBuffer<'static, f32>>>,
) -> Result {
    let inner = gpu.push(other)?;
    shares.push(inner.alloc(16)?.detach());
    Ok(())
}

fn main() {}
