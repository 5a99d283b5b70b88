//! The mend of `ui-tests/device_memory_is_sealed.rs`. Use a `DeviceBuffer`, or `cuscope::ffi` for other memory.

use cuscope::{DeviceBuffer, DeviceMemory};

struct Mine<'ctx>(DeviceBuffer<'ctx, f32>);

fn right<'m, 'ctx>(mine: &'m Mine<'ctx>) -> &'m impl DeviceMemory<'ctx, f32> {
    &mine.0
}

fn main() {}
