//! Memory of an inner guard is not kept beside memory of the guard that it was pushed on.
//!
//! **Why:** The collection would outlive the inner guard, and a loop over it would use memory of two contexts under
//! one (F34). It is a part of `own-context`.
//!
//! **Mend:** Keep the memory detached. See `ui-tests/mended/inner_memory_in_outer_collection.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, first: &Context, second: &Context) -> Result {
    let mut outer = stack.push(first)?;
    let mut shares = vec![outer.alloc::<f32>(16)?];
    {
        let inner = outer.push(second)?;
        shares.push(inner.alloc(16)?);
    }
    outer.synchronize()
}

fn main() {}
