//! Copies.
#![allow(unsafe_code, reason = "exported functions; copies through the caller's host pointers")]

use super::space::{Allocation, Kind};
use super::storage::Storage;
use crate::driver::driver as state;
use crate::entry::{Answer, driver};
use crate::stream::{self, Target};
use core::ffi::c_void;
use cuscope_sys::*;
use std::ptr;
use std::sync::Arc;

/// Up to here the source of an asynchronous copy from pageable memory is read before the call
/// returns; beyond, the call returns when the copy is done (F53).
const STAGED: usize = 1 << 20;

/// Whether host memory is page-locked, all of it.
fn page_locked(at: *const c_void, len: usize) -> Option<Arc<Allocation>> {
    state().space.find(at.addr() as u64, len).ok().filter(|one| one.kind == Kind::Host)
}

/// When the caller may use its host memory again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Return {
    /// When the copy is done.
    Done,
    /// As the memory allows (F53–F55).
    Soon,
}

/// Whether host memory is no such, but device memory, which has addresses of its own.
fn on_a_device(at: *const c_void, len: usize) -> bool {
    state().space.find(at.addr() as u64, len).is_ok_and(|one| one.kind != Kind::Host)
}

/// Copies from the host (F53, F55, F64), or from where its address leads.
fn from_host(target: &Target, to: u64, from: *const c_void, len: usize, when: Return) -> Answer {
    if len == 0 {
        return Ok(());
    }
    if from.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if on_a_device(from, len) {
        return on_device(target, to, from.addr() as u64, len);
    }
    let allocation = state().space.find(to, len)?;
    let offset = allocation.offset(to);
    let locked = page_locked(from, len);
    if when == Return::Soon && locked.is_none() && len <= STAGED {
        let staged = Storage::device(len).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        // SAFETY: the caller of the copy promises `len` readable bytes during the call.
        unsafe { staged.copy_in(0, from.cast(), len) };
        target.submit(move || {
            allocation.storage.copy_across(offset, &staged, 0, len);
            Ok(())
        })?;
        return Ok(());
    }
    let wait = when == Return::Done || locked.is_none();
    let source = from.expose_provenance();
    let work = move || {
        let source = ptr::with_exposed_provenance(source);
        // SAFETY: the caller promises `len` readable bytes until the copy is done. Either the call
        // waits for that, or for a fault, or the memory is page-locked and held by `locked`.
        unsafe { allocation.storage.copy_in(offset, source, len) };
        drop(locked);
        Ok(())
    };
    if wait { target.submit_short(work)?.wait() } else { target.submit(work).map(drop) }
}

/// Copies to the host (F54, F55, F64), or to where its address leads.
fn to_host(target: &Target, to: *mut c_void, from: u64, len: usize, when: Return) -> Answer {
    if len == 0 {
        return Ok(());
    }
    if to.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if on_a_device(to, len) {
        return on_device(target, to.addr() as u64, from, len);
    }
    let allocation = state().space.find(from, len)?;
    let offset = allocation.offset(from);
    let locked = page_locked(to, len);
    let wait = when == Return::Done || locked.is_none();
    let destination = to.expose_provenance();
    let work = move || {
        let destination = ptr::with_exposed_provenance_mut(destination);
        // SAFETY: the caller promises `len` writable bytes until the copy is done. Either the call
        // waits for that, or for a fault, or the memory is page-locked and held by `locked`.
        unsafe { allocation.storage.copy_out(offset, destination, len) };
        drop(locked);
        Ok(())
    };
    if wait { target.submit_short(work)?.wait() } else { target.submit(work).map(drop) }
}

/// Copies on and between devices (F64, F80), overlapping or not; never waits.
fn on_device(target: &Target, to: u64, from: u64, len: usize) -> Answer {
    if len == 0 {
        return Ok(());
    }
    let source = state().space.find(from, len)?;
    let destination = state().space.find(to, len)?;
    let staged = if to.abs_diff(from) < len as u64 {
        Some(Storage::device(len).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?)
    } else {
        None
    };
    let work = move || {
        let (offset, start) = (destination.offset(to), source.offset(from));
        match staged {
            Some(staged) => {
                staged.copy_across(0, &source.storage, start, len);
                destination.storage.copy_across(offset, &staged, 0, len);
            }
            None => destination.storage.copy_across(offset, &source.storage, start, len),
        }
        Ok(())
    };
    target.submit_sized(len, work).map(drop)
}

driver! {
    /// Copies from the host on the null stream of the current context (F33, F52).
    fn cuMemcpyHtoD_v2(dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize) {
        from_host(&stream::null()?, dstDevice, srcHost, ByteCount, Return::Done)
    }
    /// Copies to the host on the null stream of the current context.
    fn cuMemcpyDtoH_v2(dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize) {
        to_host(&stream::null()?, dstHost, srcDevice, ByteCount, Return::Done)
    }
    /// Copies on the device on the null stream of the current context, without waiting.
    fn cuMemcpyDtoD_v2(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize) {
        on_device(&stream::null()?, dstDevice, srcDevice, ByteCount)
    }
    /// Copies from the host in the order of a stream.
    fn cuMemcpyHtoDAsync_v2(
        dstDevice: CUdeviceptr,
        srcHost: *const c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) {
        from_host(&stream::target(hStream)?, dstDevice, srcHost, ByteCount, Return::Soon)
    }
    /// Copies to the host in the order of a stream.
    fn cuMemcpyDtoHAsync_v2(
        dstHost: *mut c_void,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) {
        to_host(&stream::target(hStream)?, dstHost, srcDevice, ByteCount, Return::Soon)
    }
    /// Copies on the device in the order of a stream.
    fn cuMemcpyDtoDAsync_v2(
        dstDevice: CUdeviceptr,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) {
        on_device(&stream::target(hStream)?, dstDevice, srcDevice, ByteCount)
    }
}
