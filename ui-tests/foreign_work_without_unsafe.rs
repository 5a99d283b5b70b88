//! Work that other code enqueues is `unsafe` on every surface.
//!
//! **Why:** Nothing checks that it uses the memory that is passed, as it is passed, and no other. It is a part of
//! `foreign-ordered`.
//!
//! **Mend:** Write the block, and say which memory the work uses. See
//! `ui-tests/mended/foreign_work_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::{DeviceBuffer, OrderedBuffer, OrderedStream, Result, ScopedBuffer, ScopedStream, SyncStream};

fn and_waits<'ctx>(stream: &SyncStream<'_, 'ctx>, x: &mut DeviceBuffer<'ctx, f32>) -> Result {
    stream.foreign((x,), |_, _| ())
}

fn in_a_scope<'s>(stream: &ScopedStream<'s, '_>, x: &mut ScopedBuffer<'s, f32>) -> Result {
    stream.foreign((x,), |_, _| ())
}

fn in_order<'ctx>(stream: &OrderedStream, x: &mut OrderedBuffer<f32>) -> Result {
    stream.foreign((x,), |_, _| ())
}

fn main() {}
