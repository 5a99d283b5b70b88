//! The mend of `ui-tests/host_memory_as_source.rs`. Download device memory, and copy from host to host by
//! `copy_from_slice`.

use cuscope::{DeviceBuffer, ScopedStream, Result};

fn right<'s, 'ctx>(stream: ScopedStream<'s, 'ctx>, from: &'s DeviceBuffer<'ctx, f32>, to: &'s mut [f32]) -> Result {
    stream.download(from, to)
}

fn main() {}
