//! The driver functions about [`memory`](crate::model::external::memory).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::array::mipmap::map_levels;
use crate::calls::stack;
use crate::entry::{self, Answer};
use crate::model::external::memory::MEMORIES;
use crate::model::external::memory::{ExternalMemory, INVALID, reserved};
use crate::model::external::system::Memory;
use crate::model::memory::allocation::Kind;
use cuscope_sys::*;
use std::sync::Arc;

/// The imported memory of a handle.
fn find(handle: CUexternalMemory) -> Answer<Arc<ExternalMemory>> {
    let memory = MEMORIES.get(handle.addr()).ok_or(INVALID)?;
    memory.life.check()?;
    Ok(memory)
}

/// Whether there is a handle of Windows or a name, but not both (F460).
fn one_of_windows(asked: &CUDA_EXTERNAL_MEMORY_HANDLE_DESC) -> bool {
    // SAFETY: the program has written the field of the kind that it says.
    let asked = unsafe { asked.handle.win32 };
    asked.handle.is_null() != asked.name.is_null()
}

driver! {
    /// Imports memory: of a descriptor, which belongs to the driver from then on, as it does if it is of no memory (F460).
    fn cuImportExternalMemory(
        extMem_out: *mut CUexternalMemory,
        memHandleDesc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    ) [no_capture] {
        entry::wanted(extMem_out)?;
        let asked = entry::read(memHandleDesc)?;
        let dedicated = asked.flags & CUDA_EXTERNAL_MEMORY_DEDICATED != 0;
        match asked.r#type {
            _ if asked.size == 0 || asked.flags & !CUDA_EXTERNAL_MEMORY_DEDICATED != 0 => {
                return Err(INVALID);
            }
            CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD => {}
            CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE
            | CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE
            | CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT
                if !dedicated =>
            {
                return Err(INVALID);
            }
            CUexternalMemoryHandleType(2..=8) if !one_of_windows(&asked) => return Err(INVALID),
            CUexternalMemoryHandleType(2..=9) => return Err(CUDA_ERROR_NOT_SUPPORTED),
            _ => return Err(INVALID),
        }
        reserved(&asked.reserved)?;
        // SAFETY: the program has written the field of the kind that it says.
        let descriptor = unsafe { asked.handle.fd };
        let memory = Memory::import(descriptor)?;
        let life = stack::current_home()?;
        let imported = ExternalMemory { life, memory, size: asked.size };
        let (handle, _) = MEMORIES.insert(|_| imported);
        entry::write(extMem_out, std::ptr::without_provenance_mut(handle))
    }
    /// Maps a part of imported memory, which `cuMemFree` unmaps.
    fn cuExternalMemoryGetMappedBuffer(
        devPtr: *mut CUdeviceptr,
        extMem: CUexternalMemory,
        bufferDesc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    ) [after_fault] {
        entry::wanted(devPtr)?;
        let asked = entry::read(bufferDesc)?;
        let memory = find(extMem)?;
        reserved(&asked.reserved)?;
        reserved(&[asked.flags])?;
        entry::write(devPtr, memory.map(Kind::External, asked.offset, asked.size)?)
    }
    /// Maps a part of imported memory as an array. Its levels lie there one after another, without gaps.
    fn cuExternalMemoryGetMappedMipmappedArray(
        mipmap: *mut CUmipmappedArray,
        extMem: CUexternalMemory,
        mipmapDesc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    ) {
        entry::wanted(mipmap)?;
        let asked = entry::read(mipmapDesc)?;
        let memory = find(extMem)?;
        reserved(&asked.reserved)?;
        let array = map_levels(&memory, asked.offset, asked.arrayDesc, asked.numLevels)?;
        entry::write(mipmap, array)
    }
    /// Ends imported memory. What is mapped of it stays.
    fn cuDestroyExternalMemory(extMem: CUexternalMemory) [after_fault, no_capture] {
        find(extMem)?;
        MEMORIES.remove(extMem.addr()).map(drop).ok_or(INVALID)
    }
}
