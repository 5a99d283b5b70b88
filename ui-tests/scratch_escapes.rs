//! Scratch memory is freed inside its scope, and does not leave it.
//!
//! **Why:** The memory is freed in its stream at the end of the scope. Whoever kept it would use memory that the next
//! allocation has. It is a part of `scope-own`.
//!
//! **Mend:** Allocate outside what is to stay. See `ui-tests/mended/scratch_escapes.rs`.
//!
//! **Mistake** (E0521):

use cuscope::{PushedGuard, Result, ScopedBuffer, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    let mut kept: Option<ScopedBuffer<'_, f32>> = None;
    gpu.scope(|s| {
        kept = Some(s.on(stream).scratch(64)?);
        Ok(())
    })
}

fn main() {}
