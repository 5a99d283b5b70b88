//! The mend of `ui-tests/pool_buffer_under_another_guard.rs`. Detach the buffer, and attach it to another guard of
//! its context.

use cuscope::{Context, ContextStack, MemoryPool, Result};

fn right(stack: &mut ContextStack, a: &Context, b: &Context, pool: &MemoryPool) -> Result {
    let mut gpu = stack.push(a)?;
    let stream = gpu.stream()?;
    let buffer = gpu.on(&stream).alloc_from::<u32>(pool, 16)?.detach();
    let inner = gpu.push(b)?;
    let mut buffer = inner.attach(buffer)?;
    let other = inner.stream()?;
    inner.on(&other).zero(&mut buffer)
}

fn main() {}
