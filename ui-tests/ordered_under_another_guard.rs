//! Memory of an ordered stream of one guard is not used by a stream of another one, which may be of another context.

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context) -> Result {
    let mut outer = stack.push(a)?;
    let mut x = outer.ordered_stream()?.alloc::<f32>(8)?;
    let inner = outer.push(b)?;
    inner.ordered_stream()?.fill(&mut x, 1.0)
}

fn main() {}
