//! Managed memory: host memory that every device uses at the same address (F261). Nothing migrates, so
//! that moves and advice are checked and do nothing.
#![allow(unsafe_code, reason = "exported functions, and a union")]

use super::space::Kind;
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::{capture, device, stack, stream};
use core::ffi::c_uint;
use cuscope_sys::*;

/// Managed memory of so many bytes, which are not 0; INVALID_VALUE for other memory.
fn managed(address: CUdeviceptr, bytes: usize) -> Answer {
    let found = state().space.find(address, bytes)?;
    if bytes > 0 && found.kind == Kind::Managed { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) }
}

/// A device, or the host by its number.
fn check_device(device: CUdevice) -> Answer {
    if device == CU_DEVICE_CPU { Ok(()) } else { device::device(device).map(drop) }
}

/// A place of memory.
fn check_place(place: CUmemLocation) -> Answer {
    match place.r#type {
        CU_MEM_LOCATION_TYPE_DEVICE => {
            // SAFETY: every member is made of numbers that are there whatever was written.
            device::device(unsafe { place.anonymous.id }).map(drop)
        }
        CU_MEM_LOCATION_TYPE_HOST
        | CU_MEM_LOCATION_TYPE_HOST_NUMA
        | CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT => Ok(()),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// Moves memory that is everywhere, behind what the stream holds.
fn prefetch(address: CUdeviceptr, bytes: usize, stream: CUstream, place: Answer) -> Answer {
    let target = stream::target(stream)?;
    place?;
    managed(address, bytes)?;
    if capture::takes(&target)? {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    target.submit_short(|| Ok(())).map(drop)
}

/// Takes advice on memory.
fn advise(address: CUdeviceptr, bytes: usize, advice: CUmem_advise, place: Answer) -> Answer {
    let known = CU_MEM_ADVISE_SET_READ_MOSTLY.0..=CU_MEM_ADVISE_UNSET_ACCESSED_BY.0;
    if !known.contains(&advice.0) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    managed(address, bytes)?;
    let anywhere = matches!(
        advice,
        CU_MEM_ADVISE_SET_READ_MOSTLY
            | CU_MEM_ADVISE_UNSET_READ_MOSTLY
            | CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION
    );
    if anywhere { Ok(()) } else { place }
}

driver! {
    /// Allocates memory for the host and all devices, for whatever streams (1) or those it is attached
    /// to (2).
    fn cuMemAllocManaged(dptr: *mut CUdeviceptr, bytesize: usize, flags: c_uint) {
        entry::wanted(dptr)?;
        if bytesize == 0 || !matches!(flags, 1 | 2) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let life = stack::current_home()?;
        entry::write(dptr, state().space.allocate_with(&life, bytesize, Kind::Managed, flags, None)?)
    }
    /// Moves managed memory to a device or to the host.
    fn cuMemPrefetchAsync(devPtr: CUdeviceptr, count: usize, dstDevice: CUdevice, hStream: CUstream) {
        prefetch(devPtr, count, hStream, check_device(dstDevice))
    }
    /// Moves managed memory to a place.
    fn cuMemPrefetchAsync_v2(
        devPtr: CUdeviceptr,
        count: usize,
        location: CUmemLocation,
        flags: c_uint,
        hStream: CUstream,
    ) {
        let flags = if flags == 0 { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) };
        prefetch(devPtr, count, hStream, flags.and(check_place(location)))
    }
    /// Attaches managed memory to all streams (1), the host (2) or one stream (4), which changes nothing here
    /// (F159).
    fn cuStreamAttachMemAsync(
        hStream: CUstream,
        dptr: CUdeviceptr,
        length: usize,
        flags: c_uint,
    ) {
        let target = stream::target(hStream)?;
        capture::refuse(&target)?;
        capture::check_unsafe()?;
        let whole = state().space.exactly(dptr, Kind::Managed)?;
        let all = length == 0 || length == whole.size;
        // The real driver dies of 0.
        let known = matches!(flags, 1 | 2) || (flags == 4 && !hStream.is_null());
        if !all || !known {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        target.submit_short(|| Ok(())).map(drop)
    }
    /// Takes advice on managed memory.
    fn cuMemAdvise(devPtr: CUdeviceptr, count: usize, advice: CUmem_advise, device: CUdevice) {
        advise(devPtr, count, advice, check_device(device))
    }
    /// The same, with a place.
    fn cuMemAdvise_v2(
        devPtr: CUdeviceptr,
        count: usize,
        advice: CUmem_advise,
        location: CUmemLocation,
    ) {
        advise(devPtr, count, advice, check_place(location))
    }
}
