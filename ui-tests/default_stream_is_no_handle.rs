//! There is no handle of the default stream.
//!
//! **Why:** It is a property of the thread's current context, and work on it may overtake other streams (F31, F52).
//! It is a part of `right-context`.
//!
//! **Mend:** Create a stream: `gpu.stream()?`. See `ui-tests/mended/default_stream_is_no_handle.rs`.
//!
//! **Mistake** (E0599):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, buffer: &mut DeviceBuffer<'ctx, u32>) -> Result {
    gpu.on(&Stream::default()).zero(buffer)
}

fn main() {}
