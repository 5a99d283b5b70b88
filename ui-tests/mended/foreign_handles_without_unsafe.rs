//! The mend of `ui-tests/foreign_handles_without_unsafe.rs`. Take it in an `unsafe` block that says why these
//! promises hold.

use cuscope::{PushedGuard, Result, ffi};

fn right(gpu: &PushedGuard<'_>, stream: ffi::CUstream, event: ffi::CUevent) -> Result {
    // SAFETY: they are of this guard's context, outlive it, and nothing else uses them.
    unsafe { gpu.stream_from_raw(stream, ()) }?;
    // SAFETY: as above.
    unsafe { gpu.event_from_raw(event, ()) }?;
    // SAFETY: as above; the memory has 64 numbers.
    unsafe { gpu.buffer_from_raw::<u32>(4096, 64, ()) }?;
    Ok(())
}

fn main() {}
