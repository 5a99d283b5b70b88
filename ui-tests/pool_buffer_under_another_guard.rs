//! A pool is of a device, and what is allocated from it still belongs to the guard of its stream.
//!
//! **Why:** The memory is there only once the allocation has run in its own stream. A stream of another context waits
//! for nothing of it, and may write before that. It is a part of `ordered-is-there`.
//!
//! **Mend:** Detach the buffer, and attach it to another guard of its context. See
//! `ui-tests/mended/pool_buffer_under_another_guard.rs`.
//!
//! **Mistake** (E0597):

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
