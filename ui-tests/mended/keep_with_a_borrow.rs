//! The mend of `ui-tests/keep_with_a_borrow.rs`. Pass an owner.

use cuscope::{DeviceBuffer, PushedGuard, Result, ffi};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    address: ffi::CUdeviceptr,
    theirs: Vec<u8>,
) -> Result<DeviceBuffer<'ctx, u32>> {
    unsafe { gpu.buffer_from_raw(address, 64, theirs) }
}

fn main() {}
