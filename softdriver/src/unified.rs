//! What an address is.
#![allow(unsafe_code, reason = "an exported function")]

use crate::driver::driver as state;
use crate::entry::{self, driver};
use core::ffi::{c_int, c_void};
use cuscope_sys::*;

driver! {
    /// One attribute of an address in an allocation; needs no current context (F38).
    fn cuPointerGetAttribute(data: *mut c_void, attribute: CUpointer_attribute, ptr: CUdeviceptr) {
        entry::wanted(data)?;
        let allocation = state().space.find(ptr, 1)?;
        match attribute {
            CU_POINTER_ATTRIBUTE_CONTEXT => {
                // What is a pool's is no context's (F172).
                let handle = match &allocation.pool {
                    Some(_) => std::ptr::null_mut(),
                    None => allocation.life.context_handle(),
                };
                entry::write(data.cast(), handle)
            }
            CU_POINTER_ATTRIBUTE_MEMORY_TYPE => {
                let host = allocation.kind.is_host();
                let kind = if host { CU_MEMORYTYPE_HOST } else { CU_MEMORYTYPE_DEVICE };
                entry::write(data.cast(), kind)
            }
            CU_POINTER_ATTRIBUTE_DEVICE_POINTER => entry::write(data.cast(), ptr),
            CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => {
                entry::write(data.cast(), allocation.life.device as c_int)
            }
            CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE => {
                let pool = allocation.pool.as_ref().map_or(0, |pool| pool.handle);
                entry::write(data.cast(), std::ptr::without_provenance_mut::<c_void>(pool))
            }
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
}
