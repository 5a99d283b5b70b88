//! A buffer is not dropped while a scope holds it.
//!
//! **Why:** That would free it under the work. It is a part of `scope-borrows`.
//!
//! **Mend:** Drop it after the scope. See `ui-tests/mended/dropped_while_held.rs`.
//!
//! **Mistake** (E0505, E0597):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    mut buffer: DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        s.on(stream).fill(&mut s.hold(&mut buffer), 1.0)?;
        drop(buffer);
        Ok(())
    })
}

fn main() {}
