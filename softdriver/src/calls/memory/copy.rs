//! Copies of bytes.
#![allow(unsafe_code, reason = "exported functions; copies through the caller's host pointers")]

use crate::call::driver;
use crate::conditions;
use crate::control;
use crate::entry::Answer;
use crate::model::graph::node::Work;
use crate::model::memory::allocation::{Allocation, Kind};
use crate::model::memory::space::SPACE;
use crate::model::memory::storage::Storage;
use crate::model::stream::Target;
use crate::model::transfer::{Place, Transfer};
use crate::model::{capture, stack, usable};
use crate::queue::Ticket;
use crate::race;
use crate::race::Access;
use crate::schedule;
use core::ffi::c_void;
use cuscope_sys::*;
use std::ptr;
use std::sync::Arc;

/// Up to here the source of an asynchronous copy from pageable memory is read before the call
/// returns; beyond, the call returns when the copy is done (F53).
const STAGED: usize = 1 << 20;

/// Whether host memory is page-locked, all of it.
fn page_locked(at: *const c_void, len: usize) -> Option<Arc<Allocation>> {
    SPACE.find(at.addr() as u64, len).ok().filter(|one| one.kind.is_host())
}

/// The same; memory that is page-locked at its begin must be so to its end (F164).
fn locked_or_not(at: *const c_void, len: usize) -> Answer<Option<Arc<Allocation>>> {
    let locked = page_locked(at, len);
    if locked.is_none() && page_locked(at, 1).is_some() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    Ok(locked)
}

/// A copy with memory that is registered no longer is a failed launch (F166).
fn still_registered(locked: Option<&Allocation>) -> Answer {
    let over = locked.is_some_and(|one| one.kind == Kind::Registered && one.gone());
    if over { Err(CUDA_ERROR_LAUNCH_FAILED) } else { Ok(()) }
}

/// Notes that work touches memory of the host, page-locked or not.
fn touch_host(locked: Option<&Allocation>, address: usize, len: usize, access: Access) {
    match locked {
        Some(locked) => race::touch(locked, locked.offset(address as u64), len, access),
        None => race::touch_pageable(address, len, access),
    }
}

/// When the caller may use its host memory again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Return {
    /// When the copy is done.
    Done,
    /// As the memory allows (F53–F55).
    Soon,
}

/// Waits for a copy if the call does. One with pageable memory is over when the call returns, whatever it
/// answers; another one may go on after a fault elsewhere (F331).
pub(super) fn wait_as(pageable: bool, wait: bool, ticket: &Ticket) -> Answer {
    match (pageable, wait) {
        (true, _) => ticket.wait_or_call_off(),
        (false, true) => ticket.wait(),
        (false, false) => Ok(()),
    }
}

/// Whether host memory is no such, but device memory, which has addresses of its own.
fn on_a_device(captured: bool, at: *const c_void, len: usize) -> bool {
    SPACE.find_for(captured, at.addr() as u64, len).is_ok_and(|one| !one.kind.is_host())
}

/// Copies from the host (F53, F55, F64), or from where its address leads.
fn from_host(target: &Target, to: u64, from: *const c_void, len: usize, when: Return) -> Answer {
    let captured = capture::takes(target)?;
    if len == 0 {
        return Ok(());
    }
    if from.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if on_a_device(captured, from, len) {
        return on_device(target, to, from.addr() as u64, len);
    }
    let allocation = SPACE.find_for(captured, to, len)?;
    reached(&allocation)?;
    writable(&allocation)?;
    let offset = allocation.offset(to);
    let locked = locked_or_not(from, len)?;
    if captured {
        let from = Place::of_host(from, locked.is_some());
        return capture::add(
            target,
            Work::Copy(Box::new(Transfer::row(Place::Known(to), from, len))),
        );
    }
    // One without a stream waits for what is before it, and with a seed not for its own end, as CUDA's manual lets it.
    let at_once = when == Return::Soon || schedule::on();
    if at_once && locked.is_none() && len <= STAGED {
        if when == Return::Done {
            target.submit_short(|| Ok(()))?.wait()?;
        }
        let staged = Storage::device(len).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        // SAFETY: the caller of the copy promises `len` readable bytes during the call.
        unsafe { staged.copy_in(0, from.cast(), len) };
        target.submit(move || {
            conditions::slow_copy();
            race::touch(&allocation, offset, len, Access::Write);
            allocation.storage.copy_across(offset, &staged, 0, len);
            Ok(())
        })?;
        return Ok(());
    }
    let pageable = locked.is_none();
    let wait = when == Return::Done || pageable;
    let source = from.expose_provenance();
    let work = move || {
        conditions::slow_copy();
        still_registered(locked.as_deref())?;
        race::touch(&allocation, offset, len, Access::Write);
        touch_host(locked.as_deref(), source, len, Access::Read);
        match &locked {
            // The driver's own, which kernels may write at the same time.
            Some(locked) if locked.kind != Kind::Registered => {
                let start = locked.offset(source as u64);
                allocation.storage.copy_across(offset, &locked.storage, start, len);
            }
            _ => {
                let source = ptr::with_exposed_provenance(source);
                // SAFETY: the caller promises `len` readable bytes until the copy is done, and that
                // nobody writes them. Either the call waits for that, or calls it off, or the memory is
                // registered, and held by `locked`.
                unsafe { allocation.storage.copy_in(offset, source, len) };
            }
        }
        Ok(())
    };
    let ticket = if wait { target.submit_short(work)? } else { target.submit(work)? };
    wait_as(pageable, wait, &ticket)
}

/// Copies to the host (F54, F55, F64), or to where its address leads.
fn to_host(target: &Target, to: *mut c_void, from: u64, len: usize, when: Return) -> Answer {
    let captured = capture::takes(target)?;
    if len == 0 {
        return Ok(());
    }
    if to.is_null() {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if on_a_device(captured, to, len) {
        return on_device(target, to.expose_provenance() as u64, from, len);
    }
    let allocation = SPACE.find_for(captured, from, len)?;
    reached(&allocation)?;
    let offset = allocation.offset(from);
    let locked = locked_or_not(to, len)?;
    if locked.as_ref().is_some_and(|one| one.read_only()) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    if captured {
        let to = Place::of_host(to, locked.is_some());
        return capture::add(
            target,
            Work::Copy(Box::new(Transfer::row(to, Place::Known(from), len))),
        );
    }
    let pageable = locked.is_none();
    let wait = when == Return::Done || pageable;
    let destination = to.expose_provenance();
    let work = move || {
        conditions::slow_copy();
        still_registered(locked.as_deref())?;
        race::touch(&allocation, offset, len, Access::Read);
        touch_host(locked.as_deref(), destination, len, Access::Write);
        let destination = ptr::with_exposed_provenance_mut(destination);
        // SAFETY: the caller promises `len` writable bytes until the copy is done. Either the call
        // waits for that, or calls it off, or the memory is page-locked and held by `locked`.
        unsafe { allocation.storage.copy_out(offset, destination, len) };
        drop(locked);
        Ok(())
    };
    let ticket = if wait { target.submit_short(work)? } else { target.submit(work)? };
    wait_as(pageable, wait, &ticket)
}

/// Copies on and between devices (F64, F80), overlapping or not; never waits.
fn on_device(target: &Target, to: u64, from: u64, len: usize) -> Answer {
    let captured = capture::takes(target)?;
    if len == 0 {
        return Ok(());
    }
    let source = SPACE.find_for(captured, from, len)?;
    let destination = SPACE.find_for(captured, to, len)?;
    writable(&destination)?;
    if captured {
        let (to, from) = (Place::Known(to), Place::Known(from));
        return capture::add(target, Work::Copy(Box::new(Transfer::row(to, from, len))));
    }
    let staged = if to.abs_diff(from) < len as u64 {
        Some(Storage::device(len).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?)
    } else {
        None
    };
    let work = move || {
        conditions::slow_copy();
        let (offset, start) = (destination.offset(to), source.offset(from));
        race::touch(&source, start, len, Access::Read);
        race::touch(&destination, offset, len, Access::Write);
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

/// Copies between memory of the host that the driver knows nothing of, or page-locked.
fn on_host(target: &Target, to: u64, from: u64, len: usize, when: Return) -> Answer {
    let captured = capture::takes(target)?;
    let (from, to) = (from as usize, to as usize);
    let from = ptr::with_exposed_provenance::<c_void>(from);
    let to = ptr::with_exposed_provenance_mut::<c_void>(to);
    let (from_locked, to_locked) = (locked_or_not(from, len)?, locked_or_not(to, len)?);
    let both = from_locked.is_some() && to_locked.is_some();
    let place = |at, locked: Option<_>| Place::of_host(at, locked.is_some());
    let copy = Transfer::row(place(to, to_locked), place(from, from_locked), len);
    if captured {
        return capture::add(target, Work::Copy(Box::new(copy)));
    }
    let ticket = target.submit_short(move || copy.run())?;
    wait_as(!both, when == Return::Done || !both, &ticket)
}

/// Checks memory of a pool for a copy in the current context: it is a device's, and the context's device has access
/// (F348, F453).
fn reached(allocation: &Allocation) -> Answer {
    if allocation.kind == Kind::HostPool {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    match (&allocation.pool, stack::current_life()) {
        (Some(pool), Ok(life)) if !pool.is_open_to(life.device) => Err(CUDA_ERROR_INVALID_VALUE),
        _ => Ok(()),
    }
}

/// Checks the destination of a copy: its device may write it.
fn writable(allocation: &Allocation) -> Answer {
    if allocation.read_only() { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(()) }
}

/// Copies on the device, without a word about contexts.
fn on_device_here(target: &Target, to: u64, from: u64, len: usize) -> Answer {
    let ends = [to, from].map(|at| SPACE.find(at, 1));
    ends.iter().flatten().try_for_each(|allocation| reached(allocation))?;
    on_device(target, to, from, len)
}

/// Copies from whatever address to whatever other, as the memory allows.
pub(super) fn copy(target: &Target, to: u64, from: u64, len: usize) -> Answer {
    unified(target, to, from, len, Return::Soon)
}

/// Copies from whatever address to whatever other (F257).
fn unified(target: &Target, to: u64, from: u64, len: usize, when: Return) -> Answer {
    let captured = capture::takes(target)?;
    if len == 0 {
        return Ok(());
    }
    if to == 0 || from == 0 {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let on_device_at = |at| SPACE.find_for(captured, at, 1).is_ok_and(|one| !one.kind.is_host());
    let host = |at: u64| ptr::with_exposed_provenance_mut::<c_void>(at as usize);
    match (on_device_at(to), on_device_at(from)) {
        (true, true) => on_device_here(target, to, from, len),
        (true, false) => from_host(target, to, host(from), len, when),
        (false, true) => to_host(target, host(to), from, len, when),
        (false, false) => on_host(target, to, from, len, when),
    }
}

driver! {
    /// Copies between whatever addresses.
    fn cuMemcpy(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize) [needs_current] {
        unified(&usable::null()?, dst, src, ByteCount, Return::Done)
    }
    /// The same, in the order of a stream.
    fn cuMemcpyAsync(dst: CUdeviceptr, src: CUdeviceptr, ByteCount: usize, hStream: CUstream) [
        zero_is_current(3),
    ] {
        unified(&usable::target(hStream)?, dst, src, ByteCount, Return::Soon)
    }
    /// Copies between contexts; the addresses say all there is to say, and the contexts nothing (F80).
    fn cuMemcpyPeer(
        dstDevice: CUdeviceptr,
        dstContext: CUcontext,
        srcDevice: CUdeviceptr,
        srcContext: CUcontext,
        ByteCount: usize,
    ) [needs_current] {
        control::note_peers(srcContext.addr(), dstContext.addr());
        on_device(&usable::null()?, dstDevice, srcDevice, ByteCount)
    }
    /// The same, in the order of a stream that is not captured (F347).
    fn cuMemcpyPeerAsync(
        dstDevice: CUdeviceptr,
        dstContext: CUcontext,
        srcDevice: CUdeviceptr,
        srcContext: CUcontext,
        ByteCount: usize,
        hStream: CUstream,
    ) [zero_is_current(5)] {
        control::note_peers(srcContext.addr(), dstContext.addr());
        let target = usable::target(hStream)?;
        crate::calls::capture::refuse(&target)?;
        on_device(&target, dstDevice, srcDevice, ByteCount)
    }
    /// Copies from the host on the null stream of the current context (F33, F52).
    fn cuMemcpyHtoD_v2(dstDevice: CUdeviceptr, srcHost: *const c_void, ByteCount: usize) [
        needs_current,
    ] {
        from_host(&usable::null()?, dstDevice, srcHost, ByteCount, Return::Done)
    }
    /// Copies to the host on the null stream of the current context.
    fn cuMemcpyDtoH_v2(dstHost: *mut c_void, srcDevice: CUdeviceptr, ByteCount: usize) [
        needs_current,
    ] {
        to_host(&usable::null()?, dstHost, srcDevice, ByteCount, Return::Done)
    }
    /// Copies on the device on the null stream of the current context, without waiting.
    fn cuMemcpyDtoD_v2(dstDevice: CUdeviceptr, srcDevice: CUdeviceptr, ByteCount: usize) [
        needs_current,
    ] {
        on_device_here(&usable::null()?, dstDevice, srcDevice, ByteCount)
    }
    /// Copies from the host in the order of a stream.
    fn cuMemcpyHtoDAsync_v2(
        dstDevice: CUdeviceptr,
        srcHost: *const c_void,
        ByteCount: usize,
        hStream: CUstream,
    ) [zero_is_current(3)] {
        from_host(&usable::target(hStream)?, dstDevice, srcHost, ByteCount, Return::Soon)
    }
    /// Copies to the host in the order of a stream.
    fn cuMemcpyDtoHAsync_v2(
        dstHost: *mut c_void,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) [zero_is_current(3)] {
        to_host(&usable::target(hStream)?, dstHost, srcDevice, ByteCount, Return::Soon)
    }
    /// Copies on the device in the order of a stream.
    fn cuMemcpyDtoDAsync_v2(
        dstDevice: CUdeviceptr,
        srcDevice: CUdeviceptr,
        ByteCount: usize,
        hStream: CUstream,
    ) [zero_is_current(3)] {
        on_device_here(&usable::target(hStream)?, dstDevice, srcDevice, ByteCount)
    }
}
