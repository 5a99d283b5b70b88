//! A pool is of a device, and what is allocated from it still belongs to the guard of its stream. Detach
//! the buffer, and attach it to another guard of its context.

use cuscope::{Context, ContextStack, MemoryPool, Result};

fn misuse(stack: &mut ContextStack, a: &Context, b: &Context, pool: &MemoryPool) -> Result {
    let mut gpu = stack.push(a)?;
    let stream = gpu.stream()?;
    let mut buffer = gpu.on(&stream).alloc_from::<u32>(pool, 16)?;
    let inner = gpu.push(b)?;
    let other = inner.stream()?;
    inner.on(&other).zero(&mut buffer)
}

fn main() {}
