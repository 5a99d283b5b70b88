//! The mend of `ui-tests/arc_of_a_handle_outlives_its_guard.rs`. Detach the `Arc`, and attach or bind it again.

use cuscope::{Context, ContextStack, Detached, Result};
use std::sync::Arc;

fn right(context: &Context, other: &Context) -> Result {
    let mut stack = ContextStack::current_thread()?;
    let gpu = stack.push(context)?;
    let kept = Detached::new(Arc::new(gpu.stream()?));
    gpu.pop()?;
    let gpu = stack.push(other)?;
    let stream = gpu.attach(kept)?;
    stream.synchronize()
}

fn main() {}
