//! What keeps memory of other code alive lives as long as it is needed, so it cannot borrow.
//!
//! **Why:** The buffer may outlive the vector. Then the address is that of freed memory, and a kernel writes into
//! whatever is there. It is a part of `foreign-kept`.
//!
//! **Mend:** Pass an owner. See `ui-tests/mended/keep_with_a_borrow.rs`.
//!
//! **Mistake** (E0521):

use cuscope::{DeviceBuffer, PushedGuard, Result, ffi};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    address: ffi::CUdeviceptr,
    theirs: &Vec<u8>,
) -> Result<DeviceBuffer<'ctx, u32>> {
    unsafe { gpu.buffer_from_raw(address, 64, theirs) }
}

fn main() {}
