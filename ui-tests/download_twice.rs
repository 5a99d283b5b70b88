//! A slice takes one download in a scope.
//!
//! **Why:** Nothing reads the first one before the second. It is a part of `scope-borrows`.
//!
//! **Mend:** Download to slices of their own, or stage the one, `s.stage(&mut host)`, and read it with `access` in
//! between. See `ui-tests/mended/download_twice.rs`.
//!
//! **Mistake** (E0499):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffers: &[DeviceBuffer<'ctx, f32>],
    host: &mut [f32],
) -> Result {
    gpu.scope(|s| {
        for buffer in buffers {
            s.on(stream).download(buffer, host)?;
        }
        Ok(())
    })
}

fn main() {}
