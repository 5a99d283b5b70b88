//! A guard is gone once it is popped.
//!
//! **Why:** Another context, or none, is current then: the driver would answer 201 or act on the wrong context (F3).
//! It is a part of `no-use-after-pop`.
//!
//! **Mend:** Push again, or pop later. See `ui-tests/mended/use_after_pop.rs`.
//!
//! **Mistake** (E0382):

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    gpu.pop()?;
    gpu.synchronize()
}

fn main() {}
