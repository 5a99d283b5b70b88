//! Memory of a guard that a function pushes is not put in a collection of its caller.
//!
//! **Why:** The guard ends with the function, and the collection does not; its elements belong to the guard of the
//! caller (F34). It is a part of `own-context`.
//!
//! **Mend:** Take a collection of detached memory. See `ui-tests/mended/inner_memory_kept_by_the_caller.rs`.
//!
//! **Mistake** (E0621):

use cuscope::{Context, DeviceBuffer, PushedGuard, Result};

fn misuse<'ctx>(
    gpu: &mut PushedGuard<'ctx>,
    other: &Context,
    shares: &mut Vec<DeviceBuffer<'ctx, f32>>,
) -> Result {
    let inner = gpu.push(other)?;
    shares.push(inner.alloc(16)?);
    Ok(())
}

fn main() {}
