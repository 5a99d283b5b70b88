//! The driver functions about [`mipmap`](crate::model::array::mipmap).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::array::shape;
use crate::calls::stack;
use crate::entry::{self, Answer};
use crate::model::array::mipmap::MIPMAPPED_ARRAYS;
use crate::model::array::mipmap::{find, levels, most};
use crate::model::device;
use crate::model::external::memory::ExternalMemory;
use core::ffi::c_uint;
use cuscope_sys::*;

/// Maps levels into imported memory.
pub(crate) fn map_levels(
    memory: &ExternalMemory,
    offset: u64,
    first: CUDA_ARRAY3D_DESCRIPTOR,
    count: c_uint,
) -> Answer<CUmipmappedArray> {
    let life = memory.life();
    let shape = shape::check(&first, life.device, true)?;
    // Here more levels than there are do not stand for all of them (F465).
    if count == 0 || count > most(&first, shape) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    levels(&life, first, shape, count, Some((memory, offset)))
}

driver! {
    /// A mipmapped array: of no more levels than there are until all extents are 1 (F361).
    fn cuMipmappedArrayCreate(
        pHandle: *mut CUmipmappedArray,
        pMipmappedArrayDesc: *const CUDA_ARRAY3D_DESCRIPTOR,
        numMipmapLevels: c_uint,
    ) [needs_current, no_capture_in_context] {
        let life = stack::current_home()?;
        entry::wanted(pHandle)?;
        let first = entry::read(pMipmappedArrayDesc)?;
        let shape = shape::check(&first, life.device, true)?;
        entry::write(pHandle, levels(&life, first, shape, numMipmapLevels, None)?)
    }
    /// A level, by a handle that is the same each time.
    fn cuMipmappedArrayGetLevel(
        pLevelArray: *mut CUarray,
        hMipmappedArray: CUmipmappedArray,
        level: c_uint,
    ) {
        let array = find(hMipmappedArray)?;
        let level = array.levels.get(level as usize).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        entry::write(pLevelArray, std::ptr::without_provenance_mut(*level))
    }
    /// Destroys one with its levels.
    fn cuMipmappedArrayDestroy(hMipmappedArray: CUmipmappedArray) [no_capture] {
        find(hMipmappedArray)?;
        let removed = MIPMAPPED_ARRAYS.remove(hMipmappedArray.addr());
        removed.map_or(Err(CUDA_ERROR_INVALID_HANDLE), |array| array.end())
    }
    /// As for arrays.
    fn cuMipmappedArrayGetMemoryRequirements(
        memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS,
        mipmap: CUmipmappedArray,
        device: CUdevice,
    ) {
        entry::wanted(memoryRequirements)?;
        device::device(device)?;
        find(mipmap)?;
        Err(CUDA_ERROR_INVALID_VALUE)
    }
    /// As for arrays.
    fn cuMipmappedArrayGetSparseProperties(
        sparseProperties: *mut CUDA_ARRAY_SPARSE_PROPERTIES,
        mipmap: CUmipmappedArray,
    ) {
        entry::wanted(sparseProperties)?;
        find(mipmap)?;
        Err(CUDA_ERROR_INVALID_VALUE)
    }
}
