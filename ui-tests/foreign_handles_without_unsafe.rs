//! A handle of other code is `unsafe` to take, because nothing proves that it is alive and nothing else captures or
//! uses it.
//!
//! **Why:** The handle of a destroyed stream may be that of a new one (F105), and a destroyed event may kill the
//! process (F42). No check tells. It is a part of `foreign-kept`.
//!
//! **Mend:** Take it in an `unsafe` block that says why these promises hold. See
//! `ui-tests/mended/foreign_handles_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::{PushedGuard, Result, ffi};

fn misuse(gpu: &PushedGuard<'_>, stream: ffi::CUstream, event: ffi::CUevent) -> Result {
    gpu.stream_from_raw(stream, ())?;
    gpu.event_from_raw(event, ())?;
    gpu.buffer_from_raw::<u32>(4096, 64, ())?;
    Ok(())
}

fn main() {}
