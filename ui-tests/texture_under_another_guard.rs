//! A texture of one guard is no argument under another one, which may be of another context.
//!
//! **Why:** The handle means something in its own context. In another one it may name nothing, or another texture. It
//! is a part of `own-context`.
//!
//! **Mend:** Detach it, and attach it to the other guard, which compares. See
//! `ui-tests/mended/texture_under_another_guard.rs`.
//!
//! **Mistake** (E0499):

use cuscope::texture::{ArrayFlags, ArrayShape, Sampling};
use cuscope::{Context, ContextStack, LaunchConfig, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context, ptx: &str) -> Result {
    let first = stack.push(a)?;
    let array = first.alloc_array::<f32>(ArrayShape::D1 { width: 8 }, ArrayFlags::empty())?;
    let texture = first.texture(array, Sampling::default())?;
    first.pop()?;
    let second = stack.push(b)?;
    let (stream, kernel) = (second.stream()?, second.load_ptx(ptx)?.function("kernel")?);
    unsafe { second.on(&stream).launch_unchecked(&kernel, LaunchConfig::for_num_elems(8)?, (&texture,)) }
}

fn main() {}
