//! The mend of `ui-tests/texture_under_another_guard.rs`. Detach it, and attach it to the other guard, which
//! compares.

use cuscope::texture::{ArrayFlags, ArrayShape, Sampling};
use cuscope::{Context, ContextStack, LaunchConfig, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context, ptx: &str) -> Result {
    let first = stack.push(a)?;
    let array = first.alloc_array::<f32>(ArrayShape::D1 { width: 8 }, ArrayFlags::empty())?;
    let texture = first.texture(array, Sampling::default())?.detach();
    first.pop()?;
    let second = stack.push(b)?;
    let texture = second.attach(texture)?;
    let (stream, kernel) = (second.stream()?, second.load_ptx(ptx)?.function("kernel")?);
    unsafe { second.on(&stream).launch_unchecked(&kernel, LaunchConfig::for_num_elems(8)?, (&texture,)) }
}

fn main() {}
