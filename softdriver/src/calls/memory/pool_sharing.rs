//! Pools between processes: a pool goes as a file descriptor, an allocation of it as bytes (F440–F448).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::memory::pools::find;
use crate::entry::{self, Answer};
use crate::model::memory::allocation::Kind;
use crate::model::memory::pool::POOLS;
use crate::model::memory::pool::{Pool, PoolFile};
use crate::model::memory::shared::Shared;
use crate::model::memory::shared::Told;
use crate::model::memory::space::SPACE;
use crate::model::memory::virtual_memory::VIRTUAL_MEMORY;
use core::ffi::{c_int, c_ulonglong, c_void};
use cuscope_sys::*;

/// The first bytes of the description of an allocation.
const POOLED: u64 = u64::from_le_bytes(*b"cuscope\x03");

const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// Moves a new allocation of a pool to where other processes can open it, if they know the pool.
pub(super) fn share(pool: &Pool, base: u64) -> Answer {
    if pool.number().is_none() {
        return Ok(());
    }
    let space = &*SPACE;
    let allocation = space.exactly(base, Kind::Device)?;
    if let Err(code) = allocation.storage.share() {
        space.retire(&allocation)?;
        space.take(&allocation);
        return Err(code);
    }
    Ok(())
}

driver! {
    /// A file descriptor by which another process gets a pool.
    fn cuMemPoolExportToShareableHandle(
        handle_out: *mut c_void,
        pool: CUmemoryPool,
        handleType: CUmemAllocationHandleType,
        flags: c_ulonglong,
    ) [after_fault, no_capture] {
        entry::wanted(handle_out)?;
        let pool = find(pool)?;
        if flags != 0 || handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR {
            return Err(INVALID);
        }
        entry::write(handle_out.cast::<c_int>(), pool.export()?)
    }
    /// The pool of a file descriptor, which stays the caller's.
    fn cuMemPoolImportFromShareableHandle(
        pool_out: *mut CUmemoryPool,
        handle: *mut c_void,
        handleType: CUmemAllocationHandleType,
        flags: c_ulonglong,
    ) [after_fault, no_capture] {
        entry::wanted(pool_out)?;
        match handleType {
            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR if flags == 0 => {}
            CU_MEM_HANDLE_TYPE_WIN32 => return Err(CUDA_ERROR_NOT_SUPPORTED),
            _ => return Err(INVALID),
        }
        let file = PoolFile::import(handle.addr() as c_int)?;
        let mut known = POOLS.all.all().into_iter();
        // Once imported, it is the same pool.
        let known = known.find(|pool| pool.imported && pool.number() == Some(file.number));
        let handle = match known {
            Some(pool) => pool.handle,
            None => POOLS.all.insert(|handle| Pool::shared(handle, file, 0, true)).0,
        };
        entry::write(pool_out, std::ptr::without_provenance_mut(handle))
    }
    /// Describes an allocation of a pool for the processes that have the pool.
    fn cuMemPoolExportPointer(shareData_out: *mut CUmemPoolPtrExportData, ptr: CUdeviceptr) [
        after_fault,
        no_capture,
    ] {
        entry::wanted(shareData_out)?;
        let allocation = SPACE.exactly(ptr, Kind::Device)?;
        let pool = allocation.pool.as_ref().ok_or(INVALID)?;
        pool.own()?;
        let number = pool.number().filter(|_| pool.is_exported()).ok_or(INVALID)?;
        let place = allocation.storage.share()?;
        let told = Told { place, size: allocation.size as u64, pool: number };
        entry::write(shareData_out, CUmemPoolPtrExportData {
            reserved: told.bytes(POOLED).map(|byte| byte as u8),
        })
    }
    /// An allocation of another process, from its description.
    fn cuMemPoolImportPointer(
        ptr_out: *mut CUdeviceptr,
        pool: CUmemoryPool,
        shareData: *mut CUmemPoolPtrExportData,
    ) [after_fault, no_capture] {
        entry::wanted(ptr_out)?;
        let pool = find(pool)?;
        let data = entry::read(shareData.cast_const())?.reserved.map(|byte| byte as _);
        let told = Told::from(POOLED, data, INVALID)?;
        if !pool.imported || pool.number() != Some(told.pool) {
            return Err(INVALID);
        }
        let size = usize::try_from(told.size).map_err(|_| INVALID)?;
        let life = VIRTUAL_MEMORY.life(pool.place.device().ok_or(INVALID)?);
        let open = || {
            let memory = Shared::open(told.place, size)?;
            SPACE.open(life, Kind::Device, memory, 0, size, Some(pool.clone()))
        };
        entry::write(ptr_out, pool.opened(told, open)?)
    }
}
