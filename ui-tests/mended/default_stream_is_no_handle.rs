//! The mend of `ui-tests/default_stream_is_no_handle.rs`. Create a stream: `gpu.stream()?`.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, buffer: &mut DeviceBuffer<'ctx, u32>) -> Result {
    let stream: Stream<'_> = gpu.stream()?;
    gpu.on(&stream).zero(buffer)
}

fn main() {}
