//! The mend of `ui-tests/inner_memory_in_outer_collection.rs`. Keep the memory detached.

use cuscope::{Context, ContextStack, Result};

fn right(stack: &mut ContextStack, first: &Context, second: &Context) -> Result {
    let mut outer = stack.push(first)?;
    let mut shares = vec![outer.alloc::<f32>(16)?.detach()];
    {
        let inner = outer.push(second)?;
        shares.push(inner.alloc(16)?.detach());
    }
    outer.synchronize()
}

fn main() {}
