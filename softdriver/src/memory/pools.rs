//! Pools and the allocations in the order of a stream (F170–F177, F343, F344).
#![allow(unsafe_code, reason = "exported functions, and the union of a place")]

use super::physical::Physical;
use super::pool::{Pool, PoolFile, Value};
use super::pool_sharing;
use super::space::Kind;
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::race::{self, Access};
use crate::stream::Target;
use crate::{capture, device, graph, schedule, stream};
use core::ffi::{c_int, c_void};
use cuscope_sys::*;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The handles that pools go to other processes by.
const FILE: CUmemAllocationHandleType = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

/// The pool of a handle; INVALID_VALUE for what is none any more.
pub(super) fn find(pool: CUmemoryPool) -> Answer<Arc<Pool>> {
    state().pools.get(pool.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// The handle that a device's pool has from the start.
fn first(device: usize) -> usize {
    state().first_pools[device]
}

/// The pool that a device allocates from.
fn current(device: usize) -> Answer<Arc<Pool>> {
    find(std::ptr::without_provenance_mut(current_handle(device)))
}

/// Its handle: of one that was set when it was destroyed already, too (F174).
fn current_handle(device: usize) -> usize {
    match state().devices[device].pool.load(Ordering::Acquire) {
        0 => first(device),
        handle => handle,
    }
}

/// Allocates at once; usable behind this point of the stream (F172). In a capture, NOT_SUPPORTED:
/// graphs own no memory here.
fn allocate(
    dptr: *mut CUdeviceptr,
    size: usize,
    target: &Target,
    pool: impl FnOnce(usize) -> Answer<Arc<Pool>>,
) -> Answer {
    if capture::takes(target)? {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    capture::check_unsafe()?;
    entry::write(dptr, 0)?;
    let life = target.life.home();
    let pool = pool(life.device)?;
    pool.own()?;
    if size == 0 {
        return Ok(());
    }
    pool.take(size)?;
    let space = &state().space;
    let base = space.allocate_with(&life, size, Kind::Device, 0, Some(pool.clone()));
    // Where another process can open it, before anybody uses it.
    match base.and_then(|base| pool_sharing::share(&pool, base).map(|()| base)) {
        Ok(base) => {
            if schedule::on() {
                let allocation = space.exactly(base, Kind::Device)?;
                target.submit(move || {
                    race::touch(&allocation, 0, size, Access::Allocate);
                    Ok(())
                })?;
            }
            entry::write(dptr, base)
        }
        Err(code) => {
            pool.unused(size);
            pool.let_go(size);
            Err(code)
        }
    }
}

/// The device of a place that can have access to a pool.
fn place(location: CUmemLocation) -> Answer<usize> {
    if location.r#type != CU_MEM_LOCATION_TYPE_DEVICE {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    // SAFETY: every member of the union is numbers, of which any bits are a value.
    let id = unsafe { location.anonymous.id };
    Ok(device::device(id).map_err(|_| CUDA_ERROR_INVALID_VALUE)?.ordinal)
}

/// The device that a description is for, and whether it gets access. The pool's own device keeps its access.
fn described(pool: &Pool, access: CUmemAccessDesc) -> Answer<(usize, bool)> {
    if access.location.r#type != CU_MEM_LOCATION_TYPE_DEVICE {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    let device = place(access.location).map_err(|_| CUDA_ERROR_INVALID_DEVICE)?;
    match access.flags {
        CU_MEM_ACCESS_FLAGS_PROT_READWRITE => Ok((device, true)),
        CU_MEM_ACCESS_FLAGS_PROT_NONE if device != pool.device => Ok((device, false)),
        CU_MEM_ACCESS_FLAGS_PROT_NONE => Err(CUDA_ERROR_INVALID_DEVICE),
        CU_MEM_ACCESS_FLAGS_PROT_READ => Err(CUDA_ERROR_NOT_SUPPORTED),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// How the value of an attribute is passed.
fn is_flag(attribute: CUmemPool_attribute) -> bool {
    matches!(
        attribute,
        CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES
            | CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC
            | CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES
    )
}

/// The device whose pools a location and a type of memory have (F449). Pools of the host are not modelled.
fn located(location: *mut CUmemLocation, kind: CUmemAllocationType) -> Answer<c_int> {
    let location = entry::read(location.cast_const())?;
    match location.r#type {
        CU_MEM_LOCATION_TYPE_DEVICE => {}
        CU_MEM_LOCATION_TYPE_INVALID => return Err(CUDA_ERROR_INVALID_VALUE),
        _ => return Err(CUDA_ERROR_NOT_SUPPORTED),
    }
    match kind {
        CU_MEM_ALLOCATION_TYPE_PINNED => Ok(place(location)? as c_int),
        CU_MEM_ALLOCATION_TYPE_MANAGED => Err(CUDA_ERROR_NOT_SUPPORTED),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// Sets the pool that a device allocates from.
fn set_current(dev: CUdevice, pool: CUmemoryPool) -> Answer {
    let device = device::device(dev).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
    let gone = state().pools.knew(pool.addr());
    match find(pool) {
        Ok(pool) if pool.device != device.ordinal || pool.imported => {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        Err(code) if !gone => return Err(code),
        _ => device.pool.store(pool.addr(), Ordering::Release),
    }
    Ok(())
}

driver! {
    /// Allocates from the pool that the stream's device has.
    fn cuMemAllocAsync(dptr: *mut CUdeviceptr, bytesize: usize, hStream: CUstream) {
        allocate(dptr, bytesize, &stream::target(hStream)?, current)
    }
    /// Allocates from a pool.
    fn cuMemAllocFromPoolAsync(
        dptr: *mut CUdeviceptr,
        bytesize: usize,
        pool: CUmemoryPool,
        hStream: CUstream,
    ) {
        allocate(dptr, bytesize, &stream::target(hStream)?, |_| find(pool))
    }
    /// Frees behind what the stream holds so far; 0 is nothing to free. A capture frees only what it
    /// allocated (F146).
    fn cuMemFreeAsync(dptr: CUdeviceptr, hStream: CUstream) {
        let target = stream::target(hStream)?;
        if capture::takes(&target)? {
            return if dptr == 0 { Ok(()) } else { Err(CUDA_ERROR_INVALID_VALUE) };
        }
        capture::check_unsafe()?;
        if dptr == 0 {
            return Ok(());
        }
        if let Some(end) = graph::leave(dptr) {
            target.submit_short(move || {
                end();
                Ok(())
            })?;
            return Ok(());
        }
        let space = &state().space;
        if space.exactly(dptr, Kind::Managed).is_ok() {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        let allocation = space.exactly(dptr, Kind::Device)?;
        space.retire(&allocation)?;
        if let Some(pool) = &allocation.pool {
            pool.unused(allocation.size);
        }
        target.submit_short(move || {
            space.take(&allocation);
            if let Some(pool) = &allocation.pool {
                pool.let_go(allocation.size);
            }
            Ok(())
        })?;
        Ok(())
    }
    /// Creates a pool of a device's memory (F170). Others are NOT_SUPPORTED.
    fn cuMemPoolCreate(pool: *mut CUmemoryPool, poolProps: *const CUmemPoolProps) {
        entry::wanted(pool)?;
        let props = entry::read(poolProps)?;
        if props.allocType == CU_MEM_ALLOCATION_TYPE_INVALID
            || props.location.r#type == CU_MEM_LOCATION_TYPE_INVALID
            || props.reserved != [0; 53]
        {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let fabric = CU_MEM_HANDLE_TYPE_FABRIC.0;
        let location = CU_MEM_LOCATION_TYPE_DEVICE.0..=CU_MEM_LOCATION_TYPE_HOST_NUMA.0;
        let on_host = props.location.r#type == CU_MEM_LOCATION_TYPE_HOST;
        if (on_host && props.handleTypes != CU_MEM_HANDLE_TYPE_NONE)
            || ![0, FILE.0, fabric, FILE.0 | fabric].contains(&props.handleTypes.0)
            || !location.contains(&props.location.r#type.0)
        {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let plain = props.allocType == CU_MEM_ALLOCATION_TYPE_PINNED
            && props.location.r#type == CU_MEM_LOCATION_TYPE_DEVICE
            && [CU_MEM_HANDLE_TYPE_NONE, FILE].contains(&props.handleTypes);
        if !plain || (props.handleTypes == FILE && !Physical::IS_SHARED) {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        // SAFETY: every member of the union is numbers, of which any bits are a value.
        let id = unsafe { props.location.anonymous.id };
        let device = device::device(id).map_err(|_| CUDA_ERROR_INVALID_VALUE)?.ordinal;
        if props.maxSize > device::TOTAL_MEMORY {
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        }
        let max = props.maxSize;
        let (handle, _) = if props.handleTypes == FILE {
            let file = PoolFile::new(device)?;
            state().pools.insert(|handle| Pool::shared(handle, file, max, false))
        } else {
            state().pools.insert(|handle| Pool::new(handle, device, max))
        };
        entry::write(pool, std::ptr::without_provenance_mut(handle))
    }
    /// Destroys a pool at once; what it allocated stays until it is freed (F174).
    fn cuMemPoolDestroy(pool: CUmemoryPool) {
        let found = find(pool)?;
        if found.handle == first(found.device) || found.has_opened() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        // What it still holds is given back with its last allocation.
        let _gone = state().pools.remove(found.handle);
        let current = &state().devices[found.device].pool;
        let _ = current.compare_exchange(found.handle, 0, Ordering::AcqRel, Ordering::Acquire);
        found.trim(0);
        Ok(())
    }
    /// Gives unused memory of a pool back (F173).
    fn cuMemPoolTrimTo(pool: CUmemoryPool, minBytesToKeep: usize) {
        let pool = find(pool)?;
        pool.own()?;
        pool.trim(minBytesToKeep as u64);
        Ok(())
    }
    /// Sets an attribute of a pool (F171).
    fn cuMemPoolSetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: *mut c_void) {
        let pool = find(pool)?;
        let value = if is_flag(attr) {
            Value::Flag(entry::read(value.cast::<c_int>())? != 0)
        } else {
            pool.attribute(attr)?;
            Value::Bytes(entry::read(value.cast::<cuuint64_t>())?)
        };
        pool.set(attr, value)
    }
    /// An attribute of a pool.
    fn cuMemPoolGetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: *mut c_void) {
        match find(pool)?.attribute(attr)? {
            Value::Flag(on) => entry::write(value.cast(), c_int::from(on)),
            Value::Bytes(bytes) => entry::write(value.cast::<cuuint64_t>(), bytes),
        }
    }
    /// Gives devices access to all memory of a pool, or takes it (F343, F344); nothing if one is refused.
    fn cuMemPoolSetAccess(pool: CUmemoryPool, map: *const CUmemAccessDesc, count: usize) {
        let pool = find(pool)?;
        entry::wanted(map)?;
        let all = (0..count).map(|index| described(&pool, entry::element(map, index)?));
        let all = all.collect::<Answer<Vec<_>>>()?;
        all.into_iter().for_each(|(device, open)| pool.set_open(device, open));
        state().space.changed();
        Ok(())
    }
    /// The access that a device has to the memory of a pool.
    fn cuMemPoolGetAccess(
        flags: *mut CUmemAccess_flags,
        memPool: CUmemoryPool,
        location: *mut CUmemLocation,
    ) {
        entry::wanted(flags)?;
        let pool = find(memPool)?;
        let location = entry::read(location.cast_const())?;
        if location.r#type == CU_MEM_LOCATION_TYPE_HOST {
            return entry::write(flags, CU_MEM_ACCESS_FLAGS_PROT_NONE);
        }
        let device = place(location)?;
        let open = pool.is_open_to(device);
        let (all, none) = (CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CU_MEM_ACCESS_FLAGS_PROT_NONE);
        entry::write(flags, if open { all } else { none })
    }
    /// Sets the pool that a device allocates from.
    fn cuDeviceSetMemPool(dev: CUdevice, pool: CUmemoryPool) {
        set_current(dev, pool)
    }
    /// The pool that a device allocates from.
    fn cuDeviceGetMemPool(pool: *mut CUmemoryPool, dev: CUdevice) {
        entry::wanted(pool)?;
        let device = device::device(dev).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
        let handle = current_handle(device.ordinal);
        entry::write(pool, std::ptr::without_provenance_mut(handle))
    }
    /// The pool that a device has from the start.
    fn cuDeviceGetDefaultMemPool(pool_out: *mut CUmemoryPool, dev: CUdevice) {
        entry::wanted(pool_out)?;
        let device = device::device(dev)?;
        entry::write(pool_out, std::ptr::without_provenance_mut(first(device.ordinal)))
    }
    /// The pool that a location has from the start for a type of memory.
    fn cuMemGetDefaultMemPool(
        pool_out: *mut CUmemoryPool,
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
    ) {
        entry::wanted(pool_out)?;
        let device = located(location, type_)? as usize;
        entry::write(pool_out, std::ptr::without_provenance_mut(first(device)))
    }
    /// The pool that is set for a location and a type of memory.
    fn cuMemGetMemPool(
        pool: *mut CUmemoryPool,
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
    ) {
        entry::wanted(pool)?;
        let device = located(location, type_)? as usize;
        entry::write(pool, std::ptr::without_provenance_mut(current_handle(device)))
    }
    /// Sets the pool of a location for a type of memory.
    fn cuMemSetMemPool(
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
        pool: CUmemoryPool,
    ) {
        set_current(located(location, type_)?, pool)
    }
}
