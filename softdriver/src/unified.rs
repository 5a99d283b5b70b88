//! What an address is.
#![allow(unsafe_code, reason = "an exported function")]

use crate::driver::driver as state;
use crate::entry::{self, driver};
use crate::memory::space::Kind;
use core::ffi::{c_int, c_void};
use cuscope_sys::*;

driver! {
    /// One attribute of an address in an allocation; needs no current context (F38).
    fn cuPointerGetAttribute(data: *mut c_void, attribute: CUpointer_attribute, ptr: CUdeviceptr) {
        entry::wanted(data)?;
        let allocation = state().space.find(ptr, 1)?;
        match attribute {
            CU_POINTER_ATTRIBUTE_CONTEXT => {
                entry::write(data.cast(), allocation.life.context_handle())
            }
            CU_POINTER_ATTRIBUTE_MEMORY_TYPE => {
                let host = allocation.kind == Kind::Host;
                let kind = if host { CU_MEMORYTYPE_HOST } else { CU_MEMORYTYPE_DEVICE };
                entry::write(data.cast(), kind)
            }
            CU_POINTER_ATTRIBUTE_DEVICE_POINTER => entry::write(data.cast(), ptr),
            CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => {
                entry::write(data.cast(), allocation.life.device as c_int)
            }
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
}
