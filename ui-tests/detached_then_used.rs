//! Detaching gives the handle away: what is left would be a second owner, which frees it twice
//! (F62). Use it before, or `bind` the detached one.

use cuscope::{Context, ContextStack, Result};

fn misuse(stack: &mut ContextStack, context: &Context) -> Result {
    let gpu = stack.push(context)?;
    let stream = gpu.stream()?;
    let detached = stream.detach();
    stream.synchronize()?;
    drop(detached);
    Ok(())
}

fn main() {}
