//! There is no handle of the default stream: it is a property of the thread's current context, and
//! work on it may overtake other streams (F31, F52). Create a stream: `gpu.stream()?`.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, buffer: &mut DeviceBuffer<'ctx, u32>) -> Result {
    gpu.on(&Stream::default()).zero(buffer)
}

fn main() {}
