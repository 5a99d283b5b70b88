//! Attributes of addresses (F38, F260), and copies between any addresses (F257).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::{self, Answer};
use crate::model::life::Life;
use crate::model::memory::allocation::{Allocation, Kind, Rights};
use crate::model::memory::physical::Physical;
use crate::model::memory::reach;
use crate::model::memory::space::SPACE;
use crate::model::memory::virtual_memory::VIRTUAL_MEMORY;
use crate::model::stack;
use core::ffi::{c_int, c_uint, c_ulonglong, c_void};
use cuscope_sys::*;

/// The last attribute that there is in version 13.0.
const LAST: CUpointer_attribute = CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE;
/// The address space that an H200 has in the tokens of device memory.
const SPACE_TOKEN: c_uint = 0xfe00;
/// The ordinal of memory that no device knows.
const NO_DEVICE: c_int = -2;

/// Writes an attribute of an address in an allocation. What has no value is written as zero, with
/// INVALID_VALUE.
fn tell(data: *mut c_void, attribute: CUpointer_attribute, ptr: u64, one: &Allocation) -> Answer {
    let (host, managed) = (one.kind.is_host(), one.kind.is_managed());
    let number = |value: u64| entry::write(data.cast(), value);
    let flag = |value: bool| entry::write(data.cast(), c_uint::from(value));
    let pointer = |there: bool| {
        number(if there { ptr } else { 0 })?;
        if there { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) }
    };
    match attribute {
        // Memory of a pool belongs to no context (F172).
        CU_POINTER_ATTRIBUTE_CONTEXT => {
            let context = one.life.context_handle();
            let none = one.pool.is_some() || one.kind == Kind::Mapped;
            let handle = if none { std::ptr::null_mut() } else { context };
            entry::write(data.cast(), handle)
        }
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE => {
            let kind = if host { CU_MEMORYTYPE_HOST } else { CU_MEMORYTYPE_DEVICE };
            entry::write(data.cast(), kind)
        }
        CU_POINTER_ATTRIBUTE_DEVICE_POINTER => {
            let may = |life: std::sync::Arc<Life>| reach::may(&life, one);
            pointer(one.reachable() && stack::current_life().map_or(true, may))
        }
        CU_POINTER_ATTRIBUTE_HOST_POINTER => pointer(host || managed),
        CU_POINTER_ATTRIBUTE_P2P_TOKENS => {
            let space = if host { 0 } else { SPACE_TOKEN };
            entry::write(data.cast::<c_ulonglong>(), 0)?;
            let tokens: *mut CUDA_POINTER_ATTRIBUTE_P2P_TOKENS = data.cast();
            entry::write(tokens.wrapping_byte_add(size_of::<c_ulonglong>()).cast(), space)?;
            if host { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(()) }
        }
        CU_POINTER_ATTRIBUTE_SYNC_MEMOPS => flag(one.synchronous()),
        CU_POINTER_ATTRIBUTE_BUFFER_ID | CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID => number(one.id),
        CU_POINTER_ATTRIBUTE_IS_MANAGED => flag(managed),
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => entry::write(data.cast(), one.life.device as c_int),
        // The range of addresses, whatever is mapped in it.
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR if one.kind == Kind::Mapped => {
            number(VIRTUAL_MEMORY.told(ptr)?.0)
        }
        CU_POINTER_ATTRIBUTE_RANGE_SIZE if one.kind == Kind::Mapped => {
            number(VIRTUAL_MEMORY.told(ptr)?.1 as u64)
        }
        CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES if one.kind == Kind::Mapped => {
            number(VIRTUAL_MEMORY.told(ptr)?.2.0 as u64)
        }
        CU_POINTER_ATTRIBUTE_ACCESS_FLAGS if one.kind == Kind::Mapped => entry::write(
            data.cast(),
            match one.rights(one.life.device) {
                Rights::None => CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE,
                Rights::Read => CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ,
                Rights::ReadWrite => CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE,
            },
        ),
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR | CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR => {
            number(one.base)
        }
        CU_POINTER_ATTRIBUTE_RANGE_SIZE | CU_POINTER_ATTRIBUTE_MAPPING_SIZE => {
            number(one.size as u64)
        }
        CU_POINTER_ATTRIBUTE_MAPPED => flag(true),
        CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES => {
            let shared = one.pool.as_ref().is_some_and(|pool| pool.is_shareable());
            let types = if shared {
                CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
            } else {
                CU_MEM_HANDLE_TYPE_NONE
            };
            number(types.0 as u64)
        }
        CU_POINTER_ATTRIBUTE_ACCESS_FLAGS => {
            entry::write(data.cast(), CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE)
        }
        CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE => {
            number(one.pool.as_ref().map_or(0, |pool| pool.handle) as u64)
        }
        // Memory that other processes can open. No other hardware sees it.
        CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE => {
            let plain = one.kind == Kind::Device && one.pool.is_none();
            flag(plain && Physical::IS_SHARED)
        }
        CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE
        | CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE => flag(false),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// Writes an attribute of an address that is in no allocation.
fn tell_unknown(data: *mut c_void, attribute: CUpointer_attribute, ptr: u64) -> Answer {
    match attribute {
        CU_POINTER_ATTRIBUTE_HOST_POINTER => entry::write(data.cast(), ptr),
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL => entry::write(data.cast(), NO_DEVICE),
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR | CU_POINTER_ATTRIBUTE_RANGE_SIZE => Ok(()),
        CU_POINTER_ATTRIBUTE_CONTEXT
        | CU_POINTER_ATTRIBUTE_DEVICE_POINTER
        | CU_POINTER_ATTRIBUTE_P2P_TOKENS
        | CU_POINTER_ATTRIBUTE_BUFFER_ID
        | CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES
        | CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE
        | CU_POINTER_ATTRIBUTE_MAPPING_SIZE
        | CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR
        | CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID => entry::write(data.cast(), 0_u64),
        _ => entry::write(data.cast(), 0_u32),
    }
}

driver! {
    /// One attribute of an address in an allocation; needs no current context (F38).
    fn cuPointerGetAttribute(data: *mut c_void, attribute: CUpointer_attribute, ptr: CUdeviceptr) [
        after_fault,
    ] {
        entry::wanted(data)?;
        tell(data, attribute, ptr, &*SPACE.find_told(ptr)?)
    }
    /// Several attributes; what an address has not is zero, and no error.
    fn cuPointerGetAttributes(
        numAttributes: c_uint,
        attributes: *mut CUpointer_attribute,
        data: *mut *mut c_void,
        ptr: CUdeviceptr,
    ) [after_fault] {
        entry::wanted(attributes)?;
        entry::wanted(data)?;
        if numAttributes == 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let all = (0..numAttributes as usize).map(|index| {
            let attribute = entry::element(attributes.cast_const(), index)?;
            let known = CU_POINTER_ATTRIBUTE_CONTEXT.0..=LAST.0;
            let to = entry::element(data.cast_const(), index)?;
            entry::wanted(to)?;
            let known = known.contains(&attribute.0);
            if known { Ok((attribute, to)) } else { Err(CUDA_ERROR_INVALID_VALUE) }
        });
        let all = all.collect::<Answer<Vec<_>>>()?;
        let found = SPACE.find_told(ptr).ok();
        for (attribute, to) in all {
            let _has_none = match &found {
                Some(one) => tell(to, attribute, ptr, one),
                None => tell_unknown(to, attribute, ptr),
            };
        }
        Ok(())
    }
    /// Sets the one attribute that can be set: whether synchronous operations always wait, which here
    /// they do as far as they have to.
    fn cuPointerSetAttribute(
        value: *const c_void,
        attribute: CUpointer_attribute,
        ptr: CUdeviceptr,
    ) {
        let value: c_uint = entry::read(value.cast())?;
        if attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        SPACE.find(ptr, 1)?.set_synchronous(value != 0);
        Ok(())
    }
}
