//! A handle of other code is `unsafe` to take, because nothing proves that it is alive and nothing else captures or uses
//! it.

use cuscope::{PushedGuard, Result, ffi};

fn misuse(gpu: &PushedGuard<'_>, stream: ffi::CUstream, event: ffi::CUevent) -> Result {
    gpu.stream_from_raw(stream, ())?;
    gpu.event_from_raw(event, ())?;
    gpu.buffer_from_raw::<u32>(4096, 64, ())?;
    Ok(())
}

fn main() {}
