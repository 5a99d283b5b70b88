//! Allocation: of device memory, and of page-locked host memory.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::graph;
use crate::conditions;
use crate::entry::Answer;
use crate::model::device::TOTAL_MEMORY;
use crate::model::life::Life;
use crate::model::memory::allocation::Kind;
use crate::model::memory::pool::POOLS;
use crate::model::memory::reach;
use crate::model::memory::space::SPACE;
use crate::model::{capture, stack};
use crate::{entry, sticky};
use core::ffi::c_void;
use cuscope_sys::*;
use std::sync::Arc;

/// Frees an allocation once all work of its context is finished (F50).
fn free(base: u64, kind: Kind) -> Answer {
    let space = &*SPACE;
    if let Some(end) = graph::leave(base) {
        end();
        return Ok(());
    }
    let allocation = space.exactly(base, kind)?;
    space.retire(&allocation)?;
    if let Some(pool) = &allocation.pool {
        // At once, and the pool goes on to count it as used (F173).
        space.take(&allocation);
        pool.let_go(allocation.size);
        pool.trim_to_threshold();
        return Ok(());
    }
    allocation.life.synchronize()?;
    space.take(&allocation);
    sticky::find_out();
    Ok(())
}

/// Allocates memory of a device. If there is too little, the pool that the device has from the start first gives back what
/// it keeps (F650).
pub(super) fn allocate(life: &Arc<Life>, size: usize) -> Answer<u64> {
    SPACE.allocate(life, size, Kind::Device).or_else(|_| {
        if let Some(pool) = POOLS.all.get(POOLS.first[life.device]) {
            pool.trim(0);
        }
        SPACE.allocate(life, size, Kind::Device)
    })
}

driver! {
    /// Allocates in the current context (F62); does not wait (F51).
    fn cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize) [
        needs_current,
        no_capture_in_context,
    ] {
        let life = crate::calls::stack::current_home()?;
        entry::wanted(dptr)?;
        if bytesize == 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        entry::write(dptr, allocate(&life, bytesize)?)
    }
    /// Frees memory of whatever context (F40), unless the current one was destroyed; 0 is nothing
    /// to free (F62).
    fn cuMemFree_v2(dptr: CUdeviceptr) [looks_first, frees] {
        capture::check_unsafe()?;
        if let Some(current) = stack::top() {
            current.life()?;
        }
        if dptr == 0 {
            return Ok(());
        }
        sticky::check_shown().map_err(|code| SPACE.find(dptr, 1).err().unwrap_or(code))?;
        let kinds = [Kind::Managed, Kind::External, Kind::HostPool];
        let kind = kinds.into_iter().find(|&kind| SPACE.exactly(dptr, kind).is_ok());
        free(dptr, kind.unwrap_or(Kind::Device))
    }
    /// Free and total memory of the current device; either may be unwanted.
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) [needs_current] {
        let life = stack::current_life()?;
        let used = SPACE.used(life.device);
        entry::write_optional(free, conditions::memory(TOTAL_MEMORY).saturating_sub(used));
        entry::write_optional(total, TOTAL_MEMORY);
        sticky::find_out();
        Ok(())
    }
    /// Start and size of an allocation; either pointer may be null (F39). NOT_FOUND without one.
    fn cuMemGetAddressRange_v2(pbase: *mut CUdeviceptr, psize: *mut usize, dptr: CUdeviceptr) [
        needs_current,
    ] {
        if pbase.is_null() && psize.is_null() {
            return Ok(());
        }
        let current = stack::current_life()?;
        let allocation = SPACE.find(dptr, 1).ok().filter(|one| reach::may(&current, one));
        let allocation = allocation.ok_or(CUDA_ERROR_NOT_FOUND)?;
        entry::write_optional(pbase, allocation.base);
        entry::write_optional(psize, allocation.size);
        Ok(())
    }
    /// Allocates page-locked host memory, which the end of the context unmaps (F102); of 0 bytes
    /// there is none, and that is no error.
    fn cuMemAllocHost_v2(pp: *mut *mut c_void, bytesize: usize) [
        needs_current,
        no_capture_in_context,
    ] {
        let life = crate::calls::stack::current_home()?;
        entry::wanted(pp)?;
        if bytesize == 0 {
            return entry::write(pp, std::ptr::null_mut());
        }
        let base = SPACE.allocate(&life, bytesize, Kind::Host)?;
        sticky::find_out();
        entry::write(pp, std::ptr::with_exposed_provenance_mut(base as usize))
    }
    /// Frees page-locked host memory, once all work of its context is finished (F50); null is
    /// nothing to free.
    fn cuMemFreeHost(p: *mut c_void) [frees, no_capture] {
        if p.is_null() { Ok(()) } else { free(p.addr() as u64, Kind::Host) }
    }
}
