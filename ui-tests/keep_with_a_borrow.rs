//! What keeps memory of other code alive lives as long as it is needed, so it cannot borrow. Pass an owner.

use cuscope::{DeviceBuffer, PushedGuard, Result, ffi};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    address: ffi::CUdeviceptr,
    theirs: &Vec<u8>,
) -> Result<DeviceBuffer<'ctx, u32>> {
    unsafe { gpu.buffer_from_raw(address, 64, theirs) }
}

fn main() {}
