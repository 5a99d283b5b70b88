//! An `Arc` of a handle is tied to the guard as the handle is. Detach the `Arc`, and attach or bind it again.

use cuscope::{Context, ContextStack, Detached, Result};
use std::sync::Arc;

fn misuse(context: &Context, other: &Context) -> Result {
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(context)?;
    let kept = Detached::new(Arc::new(gpu.stream()?));
    let stream = gpu.attach(kept)?;
    gpu.pop()?;
    let _gpu = stack.push(other)?;
    stream.synchronize()
}

fn main() {}
