//! The mend of `ui-tests/foreign_work_without_unsafe.rs`. Write the block, and say which memory the work uses.

use cuscope::{DeviceBuffer, OrderedBuffer, OrderedStream, Result, ScopedBuffer, ScopedStream, SyncStream};

fn and_waits<'ctx>(stream: &SyncStream<'_, 'ctx>, x: &mut DeviceBuffer<'ctx, f32>) -> Result {
    // SAFETY: nothing is enqueued.
    unsafe { stream.foreign((x,), |_, _| ()) }
}

fn in_a_scope<'s>(stream: &ScopedStream<'s, '_>, x: &mut ScopedBuffer<'s, f32>) -> Result {
    // SAFETY: nothing is enqueued.
    unsafe { stream.foreign((x,), |_, _| ()) }
}

fn in_order<'ctx>(stream: &OrderedStream, x: &mut OrderedBuffer<f32>) -> Result {
    // SAFETY: nothing is enqueued.
    unsafe { stream.foreign((x,), |_, _| ()) }
}

fn main() {}
