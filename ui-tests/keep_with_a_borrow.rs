//! What keeps memory of other code alive lives as long as it is needed, so it cannot borrow.
//!
//! **Why:** A handle of other code is alive while anything of this crate uses it, and is never ended here. The value
//! that keeps it alive is dropped once, when nothing uses the handle any more. This is `foreign-kept`.
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
