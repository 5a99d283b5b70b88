//! The arguments of a launch are handles of the same guard.
//!
//! **Why:** A kernel would write memory of another context in silence (F35). It is a part of `own-context`.
//!
//! **Mend:** Allocate under the guard that launches. See `ui-tests/mended/handle_of_other_guard_in_launch.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{Context, ContextStack, DeviceBuffer, LaunchConfig, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context, ptx: &str) -> Result {
    let mut outer = stack.push(a)?;
    let mut buffer: DeviceBuffer<'_, u32> = outer.alloc(16)?;
    let inner = outer.push(b)?;
    let kernel = inner.load_ptx(ptx)?.function("fill")?;
    let stream = inner.stream()?;
    unsafe { inner.on(&stream).launch_unchecked(&kernel, LaunchConfig::new(1, 16), (16_u32, &mut buffer)) }
}

fn main() {}
