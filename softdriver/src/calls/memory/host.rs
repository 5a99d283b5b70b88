//! Page-locked memory of the host: allocated with flags, and memory of the program, registered
//! (F160–F168).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::model::memory::allocation::Kind;
use crate::model::memory::pages;
use crate::model::memory::space::SPACE;
use crate::model::stack;
use crate::{entry, sticky};
use core::ffi::{c_uint, c_void};
use cuscope_sys::*;

/// The flags of a registration; of device memory, which is there too, there is none.
const KNOWN: c_uint =
    CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;
/// More than the driver makes a list of pages for.
const TOO_MUCH: usize = 1 << 39;

driver! {
    /// Locks memory of the program (F160); does not wait.
    fn cuMemHostRegister_v2(p: *mut c_void, bytesize: usize, Flags: c_uint) [
        needs_current,
        no_capture_in_context,
    ] {
        let life = crate::calls::stack::current_home()?;
        let start = p.expose_provenance();
        let end = start.checked_add(bytesize);
        if p.is_null() || bytesize == 0 || Flags & !KNOWN != 0 || end.is_none() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        if bytesize > TOO_MUCH {
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        }
        if !pages::mapped(start, bytesize, Flags & CU_MEMHOSTREGISTER_READ_ONLY != 0) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        SPACE.register(&life, p.cast(), bytesize, Flags)
    }
    /// Unlocks memory of the program, once all work of its context is finished, portable or not (F166);
    /// needs no current one (F162).
    fn cuMemHostUnregister(p: *mut c_void) [looks_first, frees, no_capture] {
        entry::wanted(p)?;
        if let Some(current) = stack::top() {
            current.life()?;
        }
        let space = &*SPACE;
        let address = p.addr() as u64;
        let Ok(found) = space.find(address, 1) else {
            return Err(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
        };
        sticky::check_shown()?;
        if found.kind != Kind::Registered || found.base != address {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        space.retire(&found)?;
        found.life.synchronize()?;
        space.take(&found);
        Ok(())
    }
    /// The address at which devices see page-locked memory: the same (F163).
    fn cuMemHostGetDevicePointer_v2(pdptr: *mut CUdeviceptr, p: *mut c_void, Flags: c_uint) [
        needs_current,
    ] {
        let _current = stack::current_life()?;
        entry::wanted(pdptr)?;
        let found = SPACE.find(p.addr() as u64, 1)?;
        if Flags != 0 || !found.kind.is_mapped_host() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        entry::write(pdptr, p.addr() as u64)
    }
    /// The flags of page-locked memory; it is always mapped (F163).
    fn cuMemHostGetFlags(pFlags: *mut c_uint, p: *mut c_void) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        needs_current,
        after_fault_if_zero(&[0]),
    ] {
        entry::wanted(pFlags)?;
        let _current = stack::current_life()?;
        let found = SPACE.find(p.addr() as u64, 1)?;
        if !found.kind.is_mapped_host() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let told = found.flags & !CU_MEMHOSTREGISTER_READ_ONLY;
        entry::write(pFlags, told | CU_MEMHOSTALLOC_DEVICEMAP)
    }
    /// Allocates page-locked memory with flags; of 0 bytes there is none (F163).
    fn cuMemHostAlloc(pp: *mut *mut c_void, bytesize: usize, Flags: c_uint) [
        needs_current,
        no_capture_in_context,
    ] {
        const ALL: c_uint = CU_MEMHOSTALLOC_PORTABLE
            | CU_MEMHOSTALLOC_DEVICEMAP
            | CU_MEMHOSTALLOC_WRITECOMBINED;
        let life = crate::calls::stack::current_home()?;
        entry::wanted(pp)?;
        if Flags & !ALL != 0 {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        if bytesize == 0 {
            return entry::write(pp, std::ptr::null_mut());
        }
        let base = SPACE.allocate_with(&life, bytesize, Kind::Host, Flags, None)?;
        entry::write(pp, std::ptr::with_exposed_provenance_mut(base as usize))
    }
}
