//! The calls about one array.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::array::shape;
use crate::calls::stack;
use crate::entry::{self, Answer};
use crate::model::array::ARRAYS;
use crate::model::array::{Within, find, make};
use crate::model::device;
use core::ffi::c_uint;
use cuscope_sys::*;

/// Makes an array in the current context.
fn create(to: *mut CUarray, descriptor: CUDA_ARRAY3D_DESCRIPTOR) -> Answer {
    let life = stack::current_home()?;
    entry::wanted(to)?;
    shape::check(&descriptor, life.device, false)?;
    entry::write(to, make(&life, descriptor, false, Within::Own)?)
}

driver! {
    /// An array of one or two dimensions (F360).
    fn cuArrayCreate_v2(pHandle: *mut CUarray, pAllocateArray: *const CUDA_ARRAY_DESCRIPTOR) [
        needs_current,
        no_capture_in_context,
    ] {
        let _current = stack::current_home()?;
        let CUDA_ARRAY_DESCRIPTOR { Width, Height, Format, NumChannels } =
            entry::read(pAllocateArray)?;
        let depth = CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Depth: 0, Format, NumChannels, Flags: 0 };
        create(pHandle, depth)
    }
    /// An array of any shape (F360).
    fn cuArray3DCreate_v2(pHandle: *mut CUarray, pAllocateArray: *const CUDA_ARRAY3D_DESCRIPTOR) [
        needs_current,
        no_capture_in_context,
    ] {
        let _current = stack::current_home()?;
        create(pHandle, entry::read(pAllocateArray)?)
    }
    /// Width, height and format.
    fn cuArrayGetDescriptor_v2(pArrayDescriptor: *mut CUDA_ARRAY_DESCRIPTOR, hArray: CUarray) {
        let CUDA_ARRAY3D_DESCRIPTOR { Width, Height, Format, NumChannels, .. } =
            find(hArray)?.descriptor;
        entry::write(
            pArrayDescriptor,
            CUDA_ARRAY_DESCRIPTOR { Width, Height, Format, NumChannels },
        )
    }
    /// Extents, format and flags, as it was made.
    fn cuArray3DGetDescriptor_v2(pArrayDescriptor: *mut CUDA_ARRAY3D_DESCRIPTOR, hArray: CUarray) {
        entry::write(pArrayDescriptor, find(hArray)?.descriptor)
    }
    /// Destroys an array, whatever is current; a level is none that can be destroyed.
    fn cuArrayDestroy(hArray: CUarray) [no_capture] {
        let array = find(hArray)?;
        if array.is_level {
            return Err(CUDA_ERROR_INVALID_HANDLE);
        }
        let removed = ARRAYS.remove(hArray.addr());
        removed.map_or(Err(CUDA_ERROR_INVALID_HANDLE), |array| array.end())
    }
    /// Gives the memory that an array needs whose memory is mapped later: there is none here.
    fn cuArrayGetMemoryRequirements(
        memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS,
        array: CUarray,
        device: CUdevice,
    ) {
        entry::wanted(memoryRequirements)?;
        device::device(device)?;
        find(array)?;
        Err(CUDA_ERROR_INVALID_VALUE)
    }
    /// The tiles of a sparse array: there is none here.
    fn cuArrayGetSparseProperties(
        sparseProperties: *mut CUDA_ARRAY_SPARSE_PROPERTIES,
        array: CUarray,
    ) {
        entry::wanted(sparseProperties)?;
        find(array)?;
        Err(CUDA_ERROR_INVALID_VALUE)
    }
    /// A plane of an array whose format has several: there is none here.
    fn cuArrayGetPlane(pPlaneArray: *mut CUarray, hArray: CUarray, planeIdx: c_uint) {
        let _none = planeIdx;
        entry::wanted(pPlaneArray)?;
        find(hArray)?;
        Err(CUDA_ERROR_INVALID_VALUE)
    }
}
