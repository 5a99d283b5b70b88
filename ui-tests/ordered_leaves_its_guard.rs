//! Memory of an ordered stream has the brand of its guard. It leaves the function only detached.

use cuscope::{Context, ContextStack, OrderedBuffer, Result};

fn misuse(context: &Context) -> Result<OrderedBuffer<'_, f32>> {
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(context)?;
    let ordered = gpu.ordered_stream()?;
    ordered.alloc::<f32>(8)
}

fn main() {}
