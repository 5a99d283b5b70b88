//! A guard is gone once it is popped. Another context, or none, is current then: the driver would
//! answer 201 or act on the wrong context (F3). Push again, or pop later.

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    gpu.pop()?;
    gpu.synchronize()
}

fn main() {}
