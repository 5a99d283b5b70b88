//! Pools and the allocations in the order of a stream (F170–F177, F343, F344).
#![allow(unsafe_code, reason = "exported functions, and the union of a place")]

use crate::call::driver;
use crate::calls::graph;
use crate::calls::memory::pool_sharing;
use crate::entry::Answer;
use crate::model::device::{Device, all as device_list};
use crate::model::memory::allocation::Kind;
use crate::model::memory::physical::Physical;
use crate::model::memory::pool::POOLS;
use crate::model::memory::pool::{Place, Pool, PoolFile, Value};
use crate::model::memory::space::SPACE;
use crate::model::stream::Target;
use crate::model::{capture, device, usable};
use crate::race::Access;
use crate::{entry, race, schedule};
use core::ffi::{c_int, c_void};
use cuscope_sys::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The handles that pools go to other processes by.
const FILE: CUmemAllocationHandleType = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
const FABRIC: CUmemAllocationHandleType = CU_MEM_HANDLE_TYPE_FABRIC;
const FILE_OR_FABRIC: CUmemAllocationHandleType = CUmemAllocationHandleType(FILE.0 | FABRIC.0);

/// The pool of a handle; INVALID_VALUE for what is none any more.
pub(super) fn find(pool: CUmemoryPool) -> Answer<Arc<Pool>> {
    POOLS.all.get(pool.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// The handle of the pool that a place has from the start.
fn first(place: Place) -> CUmemoryPool {
    let index = match place {
        Place::Device(device) => device,
        Place::Host => device_list().len(),
        Place::Node => device_list().len() + 1,
    };
    std::ptr::without_provenance_mut(POOLS.first[index])
}

/// Where the handle of a place's current pool is.
fn slot(place: Place) -> &'static AtomicUsize {
    match place {
        Place::Device(device) => &device_list()[device].pool,
        Place::Host => &POOLS.host[0],
        Place::Node => &POOLS.host[1],
    }
}

/// The handle of the pool that a place has now: also of one that is destroyed, if it was set afterwards (F174), or was
/// the host's (F451).
fn current(place: Place) -> CUmemoryPool {
    match slot(place).load(Ordering::Acquire) {
        0 => first(place),
        handle => std::ptr::without_provenance_mut(handle),
    }
}

/// Sets it.
fn set_current(place: Place, pool: CUmemoryPool) -> Answer {
    let gone = POOLS.all.knew(pool.addr());
    match find(pool) {
        Ok(pool) if pool.place != place || pool.imported => return Err(CUDA_ERROR_INVALID_VALUE),
        Err(code) if !gone => return Err(code),
        _ => slot(place).store(pool.addr(), Ordering::Release),
    }
    Ok(())
}

/// Allocates at once; usable after this point of the stream (F172). In a capture, a node allocates on the pool's device.
fn allocate(
    dptr: *mut CUdeviceptr,
    size: usize,
    target: &Target,
    pool: impl FnOnce(usize) -> Answer<Arc<Pool>>,
) -> Answer {
    let captured = capture::takes(target)?;
    if !captured {
        capture::check_unsafe()?;
    }
    entry::write(dptr, 0)?;
    let life = target.life.home();
    has_pools(&device_list()[life.device])?;
    let pool = pool(life.device)?;
    pool.own()?;
    if size == 0 {
        return Ok(());
    }
    if captured {
        // Memory of a graph goes to no other process, and is no memory of the host (F605).
        let device = pool.place.device().filter(|_| pool.number().is_none());
        let device = device.ok_or(CUDA_ERROR_NOT_SUPPORTED)?;
        return entry::write(dptr, graph::capture_allocation(target, device, size)?);
    }
    pool.take(size)?;
    let space = &*SPACE;
    let kind = kind_of(&pool);
    let base = space.allocate_with(&life, size, kind, 0, Some(pool.clone()));
    // Where another process can open it, before anybody uses it.
    match base.and_then(|base| pool_sharing::share(&pool, base).map(|()| base)) {
        Ok(base) => {
            if schedule::on() {
                let allocation = space.exactly(base, kind)?;
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

/// NOT_SUPPORTED for a device that has no pools.
pub(crate) fn has_pools(device: &Device) -> Answer {
    let lacks = device.lacks(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
    if lacks { Err(CUDA_ERROR_NOT_SUPPORTED) } else { Ok(()) }
}

/// Returns the kind of a pool's memory.
fn kind_of(pool: &Pool) -> Kind {
    if pool.place.device().is_some() { Kind::Device } else { Kind::HostPool }
}

/// The number in a location.
fn id(location: CUmemLocation) -> c_int {
    // SAFETY: every member of the union is numbers, of which any bits are a value.
    unsafe { location.anonymous.id }
}

/// Where a pool of a location is: a device, the host, whatever its number, or the one NUMA node (F450).
fn place(location: CUmemLocation) -> Answer<Place> {
    match (location.r#type, id(location)) {
        (CU_MEM_LOCATION_TYPE_DEVICE, id) => {
            let device = device::device(id).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
            Ok(Place::Device(device.ordinal))
        }
        (CU_MEM_LOCATION_TYPE_HOST, _) => Ok(Place::Host),
        (CU_MEM_LOCATION_TYPE_HOST_NUMA, 0) => Ok(Place::Node),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// The place whose pools of a kind of memory a call is for (F451). There is no managed memory in pools here.
fn place_of(location: *mut CUmemLocation, kind: CUmemAllocationType) -> Answer<Place> {
    let location = entry::read(location.cast_const())?;
    match location.r#type {
        CU_MEM_LOCATION_TYPE_INVALID
        | CU_MEM_LOCATION_TYPE_DEVICE
        | CU_MEM_LOCATION_TYPE_HOST
        | CU_MEM_LOCATION_TYPE_HOST_NUMA => {}
        _ => return Err(CUDA_ERROR_NOT_SUPPORTED),
    }
    match kind {
        CU_MEM_ALLOCATION_TYPE_PINNED => place(location),
        CU_MEM_ALLOCATION_TYPE_MANAGED => Err(CUDA_ERROR_NOT_SUPPORTED),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// The device that a description is for, and whether it gets access. The pool's own device keeps its access, and so does
/// the host, which has access to no pool of a device.
fn described(pool: &Pool, access: CUmemAccessDesc) -> Answer<Option<(usize, bool)>> {
    let all = access.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if access.location.r#type != CU_MEM_LOCATION_TYPE_DEVICE {
        let kept = all && is_host(access.location) && pool.place.device().is_none();
        return if kept { Ok(None) } else { Err(CUDA_ERROR_NOT_SUPPORTED) };
    }
    let to = device::device(id(access.location))?;
    let device = to.ordinal;
    // A device that does not reach the memory gets no access.
    let reaches = |own: usize| own == device || device_list()[own].reaches(to);
    if pool.place.device().is_some_and(|own| !reaches(own)) {
        return Err(CUDA_ERROR_INVALID_DEVICE);
    }
    match access.flags {
        CU_MEM_ACCESS_FLAGS_PROT_READWRITE => Ok(Some((device, true))),
        CU_MEM_ACCESS_FLAGS_PROT_NONE if pool.place != Place::Device(device) => {
            Ok(Some((device, false)))
        }
        CU_MEM_ACCESS_FLAGS_PROT_NONE => Err(CUDA_ERROR_INVALID_DEVICE),
        CU_MEM_ACCESS_FLAGS_PROT_READ => Err(CUDA_ERROR_NOT_SUPPORTED),
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

/// Whether a location is the host, or a NUMA node of it.
fn is_host(location: CUmemLocation) -> bool {
    matches!(location.r#type, CU_MEM_LOCATION_TYPE_HOST | CU_MEM_LOCATION_TYPE_HOST_NUMA)
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

driver! {
    /// Allocates from the pool that the stream's device has.
    fn cuMemAllocAsync(dptr: *mut CUdeviceptr, bytesize: usize, hStream: CUstream) [
        zero_is_current(2),
    ] {
        allocate(dptr, bytesize, &usable::target(hStream)?, |device| find(current(Place::Device(device))))
    }
    /// Allocates from a pool.
    fn cuMemAllocFromPoolAsync(
        dptr: *mut CUdeviceptr,
        bytesize: usize,
        pool: CUmemoryPool,
        hStream: CUstream,
    ) [zero_is_current(3)] {
        allocate(dptr, bytesize, &usable::target(hStream)?, |_| find(pool))
    }
    /// Frees after what the stream holds so far; 0 is nothing to free. A capture frees only what it
    /// allocated (F146).
    fn cuMemFreeAsync(dptr: CUdeviceptr, hStream: CUstream) [zero_is_current(1)] {
        let target = usable::target(hStream)?;
        if capture::takes(&target)? {
            return if dptr == 0 { Ok(()) } else { graph::capture_free(&target, dptr) };
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
        let space = &*SPACE;
        if [Kind::Managed, Kind::External].iter().any(|&kind| space.exactly(dptr, kind).is_ok()) {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        let allocation = space.exactly(dptr, Kind::Device);
        let allocation = allocation.or_else(|_| space.exactly(dptr, Kind::HostPool))?;
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
    /// Creates a pool of a device's memory (F170) or of the host's (F450). Others are NOT_SUPPORTED.
    fn cuMemPoolCreate(pool: *mut CUmemoryPool, poolProps: *const CUmemPoolProps) [after_fault] {
        entry::wanted(pool)?;
        let props = entry::read(poolProps)?;
        let place = place(props.location)?;
        if let Some(device) = place.device() {
            has_pools(&device_list()[device])?;
        }
        if props.reserved != [0; 53] {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        match props.allocType {
            CU_MEM_ALLOCATION_TYPE_PINNED => {}
            CU_MEM_ALLOCATION_TYPE_MANAGED => return Err(CUDA_ERROR_NOT_SUPPORTED),
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
        let max = props.maxSize;
        if max > device::TOTAL_MEMORY {
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        }
        let file = match (props.handleTypes, place) {
            (CU_MEM_HANDLE_TYPE_NONE, _) => None,
            (FILE, Place::Device(device))
                if Physical::IS_SHARED && !device_list()[device].lacks(CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES) =>
            {
                Some(PoolFile::new(device)?)
            }
            (_, Place::Host) => return Err(CUDA_ERROR_INVALID_VALUE),
            (FILE | FABRIC | FILE_OR_FABRIC, _) => return Err(CUDA_ERROR_NOT_SUPPORTED),
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        };
        let (handle, _) = POOLS.all.insert(|handle| match file {
            Some(file) => Pool::shared(handle, file, max, false),
            None => Pool::new(handle, place, max),
        });
        entry::write(pool, std::ptr::without_provenance_mut(handle))
    }
    /// Destroys a pool at once; what it allocated stays until it is freed (F174).
    fn cuMemPoolDestroy(pool: CUmemoryPool) [after_fault] {
        let found = find(pool)?;
        if found.handle == first(found.place).addr() || found.has_opened() {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        // Memory that is still in use is given back with its last allocation.
        let _gone = POOLS.all.remove(found.handle);
        // The host goes on with what it had (F451).
        if found.place.device().is_some() {
            let slot = slot(found.place);
            let _ = slot.compare_exchange(found.handle, 0, Ordering::AcqRel, Ordering::Acquire);
        }
        found.trim(0);
        Ok(())
    }
    /// Gives unused memory of a pool back (F173).
    fn cuMemPoolTrimTo(pool: CUmemoryPool, minBytesToKeep: usize) [after_fault] {
        let pool = find(pool)?;
        pool.own()?;
        pool.trim(minBytesToKeep as u64);
        Ok(())
    }
    /// Sets an attribute of a pool (F171).
    fn cuMemPoolSetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: *mut c_void) [
        after_fault,
    ] {
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
    fn cuMemPoolGetAttribute(pool: CUmemoryPool, attr: CUmemPool_attribute, value: *mut c_void) [
        after_fault,
    ] {
        match find(pool)?.attribute(attr)? {
            Value::Flag(on) => entry::write(value.cast(), c_int::from(on)),
            Value::Bytes(bytes) => entry::write(value.cast::<cuuint64_t>(), bytes),
        }
    }
    /// Gives devices access to all memory of a pool, or takes it (F343, F344); nothing if one is refused.
    fn cuMemPoolSetAccess(pool: CUmemoryPool, map: *const CUmemAccessDesc, count: usize) [
        after_fault,
    ] {
        let pool = find(pool)?;
        entry::wanted(map)?;
        let all = (0..count).map(|index| described(&pool, entry::element(map, index)?));
        let all = all.collect::<Answer<Vec<_>>>()?;
        all.into_iter().flatten().for_each(|(device, open)| pool.set_open(device, open));
        SPACE.changed();
        Ok(())
    }
    /// The access that a device has to the memory of a pool.
    fn cuMemPoolGetAccess(
        flags: *mut CUmemAccess_flags,
        memPool: CUmemoryPool,
        location: *mut CUmemLocation,
    ) [after_fault] {
        entry::wanted(flags)?;
        let pool = find(memPool)?;
        let location = entry::read(location.cast_const())?;
        let open = match place(location) {
            _ if is_host(location) => pool.place.device().is_none(),
            Ok(Place::Device(device)) => pool.is_open_to(device),
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        };
        let (all, none) = (CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CU_MEM_ACCESS_FLAGS_PROT_NONE);
        entry::write(flags, if open { all } else { none })
    }
    /// Sets the pool that a device allocates from.
    fn cuDeviceSetMemPool(dev: CUdevice, pool: CUmemoryPool) [after_fault] {
        let device = device::device(dev).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
        has_pools(device)?;
        set_current(Place::Device(device.ordinal), pool)
    }
    /// The pool that a device allocates from.
    fn cuDeviceGetMemPool(pool: *mut CUmemoryPool, dev: CUdevice) [after_fault] {
        entry::wanted(pool)?;
        let device = device::device(dev).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
        has_pools(device)?;
        entry::write(pool, current(Place::Device(device.ordinal)))
    }
    /// The pool that a device has from the start.
    fn cuDeviceGetDefaultMemPool(pool_out: *mut CUmemoryPool, dev: CUdevice) [after_fault] {
        entry::wanted(pool_out)?;
        let device = device::device(dev)?;
        has_pools(device)?;
        entry::write(pool_out, first(Place::Device(device.ordinal)))
    }
    /// The pool that a place has from the start (F449, F451).
    fn cuMemGetDefaultMemPool(
        pool_out: *mut CUmemoryPool,
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
    ) [after_fault] {
        entry::wanted(pool_out)?;
        entry::write(pool_out, first(place_of(location, type_)?))
    }
    /// The pool that a place has now.
    fn cuMemGetMemPool(
        pool: *mut CUmemoryPool,
        location: *mut CUmemLocation,
        type_: CUmemAllocationType,
    ) [after_fault] {
        entry::wanted(pool)?;
        entry::write(pool, current(place_of(location, type_)?))
    }
    /// Sets the pool that a place has.
    fn cuMemSetMemPool(location: *mut CUmemLocation, type_: CUmemAllocationType, pool: CUmemoryPool) [
        after_fault,
    ] {
        set_current(place_of(location, type_)?, pool)
    }
}
