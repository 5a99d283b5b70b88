//! Pools of memory: F170 to F178, F449.

use crate::raw::*;
use crate::registered_memory::{Pages, flags, register, unregister};
use crate::{dangling, fresh};
use cuscope::ffi::{
    CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
    CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES,
    CU_MEMPOOL_ATTR_USED_MEM_CURRENT, CU_MEMPOOL_ATTR_USED_MEM_HIGH, CU_POINTER_ATTRIBUTE_CONTEXT,
    CUmemAllocationType, CUmemLocation, CUmemLocationType, CUmemPool_attribute, CUmemPoolProps,
    CUmemoryPool,
};
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

/// The properties of a pool of the first device.
pub(crate) fn properties() -> CUmemPoolProps {
    let mut properties: CUmemPoolProps = all_zeros();
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.r#type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.anonymous.id = device();
    properties
}

/// The answer to the creation of a pool, which is destroyed.
pub(crate) fn create(properties: &CUmemPoolProps) -> CUresult {
    let mut pool = null_mut();
    let answer = code!(cuMemPoolCreate(&raw mut pool, std::ptr::from_ref(properties)));
    if answer == SUCCESS {
        ok!(cuMemPoolDestroy(pool));
    }
    answer
}

fn create_pool() -> CUmemoryPool {
    let properties = properties();
    made!(cuMemPoolCreate(&raw const properties))
}

fn attribute(pool: CUmemoryPool, attribute: CUmemPool_attribute) -> u64 {
    let mut value = 0_u64;
    ok!(cuMemPoolGetAttribute(pool, attribute, (&raw mut value).cast()));
    value
}

fn set<T>(pool: CUmemoryPool, attribute: CUmemPool_attribute, mut value: T) -> CUresult {
    code!(cuMemPoolSetAttribute(pool, attribute, (&raw mut value).cast()))
}

/// MiB reserved, and bytes used.
pub(crate) fn held(pool: CUmemoryPool) -> (u64, u64) {
    let reserved = attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
    (reserved >> 20, attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT))
}

fn allocate(pool: CUmemoryPool, bytes: usize, stream: CUstream) -> CUdeviceptr {
    made!(cuMemAllocFromPoolAsync(bytes, pool, stream))
}

/// F170
#[test]
fn a_pool_is_of_a_device_and_needs_no_context() {
    fresh!(a_pool_is_of_a_device_and_needs_no_context, {
        let device = device();
        assert!(current().is_null());
        let first: CUmemoryPool = made!(cuDeviceGetDefaultMemPool(device));
        let (mut pool, plain) = (null_mut(), properties());
        each_gives!(INVALID_VALUE; {
            cuDeviceGetDefaultMemPool(null_mut(), device);
            cuDeviceGetMemPool(null_mut(), device);
            cuDeviceGetMemPool(&raw mut pool, 99);
            cuMemPoolCreate(null_mut(), &raw const plain);
            cuMemPoolCreate(&raw mut pool, std::ptr::null());
            cuMemPoolDestroy(first);
            cuMemPoolDestroy(null_mut());
            cuMemPoolTrimTo(null_mut(), 0);
            cuDeviceSetMemPool(device, null_mut());
            cuDeviceSetMemPool(99, first);
        });
        assert_eq!(code!(cuDeviceGetDefaultMemPool(&raw mut pool, 99)), INVALID_DEVICE);
        let refused: [fn(&mut CUmemPoolProps); 5] = [
            |p| *p = all_zeros(),
            |p| p.location.anonymous.id = 99,
            |p| p.location.r#type = all_zeros(),
            |p| p.allocType = all_zeros(),
            |p| p.reserved[3] = 1,
        ];
        for (i, change) in refused.into_iter().enumerate() {
            let mut properties = properties();
            change(&mut properties);
            assert_eq!(
                code!(cuMemPoolCreate(&raw mut pool, &raw const properties)),
                INVALID_VALUE,
                "{i}"
            );
        }
        let own = create_pool();
        let now = || made!(cuDeviceGetMemPool(device));
        assert_eq!(now(), first);
        ok!(cuDeviceSetMemPool(device, own));
        assert_eq!(now(), own);
        ok!(cuMemPoolDestroy(own));
        assert_eq!(now(), first);
        ok!(cuDeviceSetMemPool(device, first));
    });
}

/// F171
#[test]
fn the_attributes_of_a_pool() {
    let _initialised = device();
    let pool = create_pool();
    for number in 1..=3 {
        let flag = CUmemPool_attribute(number);
        assert_eq!(attribute(pool, flag), 1);
        for (value, told) in [(0, 0), (1, 1), (2, 1), (-1, 1), (0, 0)] {
            assert_eq!(set::<c_int>(pool, flag, value), SUCCESS);
            assert_eq!(attribute(pool, flag), told);
        }
    }
    let threshold = CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    assert_eq!(attribute(pool, threshold), 0);
    assert_eq!(set(pool, threshold, u64::MAX), SUCCESS);
    assert_eq!(attribute(pool, threshold), u64::MAX);
    for high in [CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, CU_MEMPOOL_ATTR_USED_MEM_HIGH] {
        assert_eq!((set(pool, high, 0_u64), set(pool, high, 1_u64)), (SUCCESS, INVALID_VALUE));
    }
    for now in [CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, CU_MEMPOOL_ATTR_USED_MEM_CURRENT] {
        assert_eq!((attribute(pool, now), set(pool, now, 0_u64)), (0, INVALID_VALUE));
    }
    let mut value = 0_u64;
    for unknown in [0, 99] {
        let (unknown, to) = (CUmemPool_attribute(unknown), (&raw mut value).cast());
        assert_eq!(set(pool, unknown, 1_u64), INVALID_VALUE);
        assert_eq!(code!(cuMemPoolGetAttribute(pool, unknown, to)), INVALID_VALUE);
    }
    let threshold = code!(cuMemPoolGetAttribute(pool, threshold, null_mut()));
    assert_eq!(threshold, INVALID_VALUE);
    ok!(cuMemPoolDestroy(pool));
}

/// F172
#[test]
fn an_allocation_of_a_pool_is_no_contexts() {
    let a = Place::new();
    let pool = create_pool();
    let mut address = 1;
    assert_eq!(code!(cuMemAllocFromPoolAsync(null_mut(), 64, pool, a.stream)), INVALID_VALUE);
    assert_eq!(
        code!(cuMemAllocFromPoolAsync(&raw mut address, 64, null_mut(), a.stream)),
        INVALID_VALUE
    );
    address = 1;
    ok!(cuMemAllocFromPoolAsync(&raw mut address, 0, pool, a.stream));
    assert_eq!(address, 0);
    address = 1;
    ok!(cuMemAllocAsync(&raw mut address, 0, a.stream));
    assert_eq!(address, 0);
    each_gives!(OUT_OF_MEMORY; {
        cuMemAllocFromPoolAsync(&raw mut address, 1 << 50, pool, a.stream);
        cuMemAllocFromPoolAsync(&raw mut address, usize::MAX, pool, a.stream);
        cuMemAllocAsync(&raw mut address, 1 << 50, a.stream);
    });
    each_gives!(INVALID_CONTEXT; {
        cuMemAllocFromPoolAsync(&raw mut address, 64, pool, null_mut());
        cuMemAllocAsync(&raw mut address, 64, null_mut());
    });

    // Reserved in steps of 32 MiB, used as asked for.
    let memory = allocate(pool, 1000, a.stream);
    assert_eq!((memory % 512, held(pool)), (0, (32, 1000)));
    let more = allocate(pool, 40 << 20, a.stream);
    assert_eq!(held(pool), (64, 1000 + (40 << 20)));
    let (mut base, mut size, mut context) = (0, 0, a.context.cast::<c_void>());
    ok!(cuPointerGetAttribute((&raw mut context).cast(), CU_POINTER_ATTRIBUTE_CONTEXT, memory));
    assert!(context.is_null());
    let mut host = [0_u8; 2048];
    within(a.context, || {
        ok!(cuMemGetAddressRange_v2(&raw mut base, &raw mut size, memory + 10));
        let host = host.as_mut_ptr().cast();
        assert_eq!(code!(cuMemcpyHtoD_v2(memory, host, 1001)), INVALID_VALUE);
        ok!(cuStreamSynchronize(a.stream));
        ok!(cuMemcpyHtoD_v2(memory, host, 1000));
        ok!(cuCtxSynchronize()); // F633
    });
    assert_eq!((base, size), (memory, 1000));
    ok!(cuMemFreeAsync(memory, a.stream));
    ok!(cuMemFreeAsync(more, a.stream));
    ok!(cuStreamSynchronize(a.stream));
    ok!(cuMemPoolDestroy(pool));
    a.destroy();
}

/// F173
#[test]
fn freed_memory_is_kept_until_the_program_waits() {
    // Alone in a process: any wait in it gives back.
    fresh!(freed_memory_is_kept_until_the_program_waits, {
        let a = Place::new();
        let pool = create_pool();
        let (small, large) =
            (allocate(pool, 1 << 20, a.stream), allocate(pool, 40 << 20, a.stream));
        ok!(cuMemFreeAsync(large, a.stream));
        assert_eq!(held(pool), (64, 1 << 20));
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(held(pool), (32, 1 << 20));

        // Unless the threshold says otherwise; then it is trimmed.
        assert_eq!(set(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, u64::MAX), SUCCESS);
        let large = allocate(pool, 40 << 20, a.stream);
        ok!(cuMemFreeAsync(large, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        for (keep, left) in [(80, 64), (33, 64), (1, 32)] {
            ok!(cuMemPoolTrimTo(pool, keep << 20));
            assert_eq!(held(pool), (left, 1 << 20));
        }
        // Memory that a stream has not come to free stays.
        let gate = hold(&a);
        ok!(cuMemFreeAsync(small, a.stream));
        ok!(cuMemPoolTrimTo(pool, 0));
        assert_eq!(held(pool), (32, 0));
        gate.open();
        ok!(cuStreamSynchronize(a.stream));
        ok!(cuMemPoolTrimTo(pool, 0));
        assert_eq!(held(pool), (0, 0));

        assert_eq!(set(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 0_u64), SUCCESS);
        assert_eq!(attribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH), 41 << 20);
        assert_eq!(attribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH), 64 << 20);
        ok!(cuMemPoolDestroy(pool));
        a.destroy();
    });
}

/// F173
#[test]
fn memory_of_a_pool_is_freed_once_on_any_stream() {
    fresh!(memory_of_a_pool_is_freed_once_on_any_stream, {
        let (a, b) = (Place::new(), Place::new());
        let pool = create_pool();
        let memory = allocate(pool, 64, a.stream);
        each_gives!(INVALID_VALUE; {
            cuMemFreeAsync(memory + 8, a.stream);
            cuMemFreeAsync(0x10, a.stream);
        });
        ok!(cuMemFreeAsync(0, a.stream));
        ok!(cuMemFreeAsync(memory, b.stream));
        each_gives!(INVALID_VALUE; {
            cuMemFreeAsync(memory, a.stream);
            cuMemFree_v2(memory);
        });
        // By `cuMemFree`, which waits for no work then.
        let memory = allocate(pool, 64, a.stream);
        ok!(cuStreamSynchronize(a.stream));
        let other: CUstream = within(a.context, || made!(cuStreamCreate(1)));
        let gate = within(a.context, || Gate::new(a.module, other));
        within(a.context, || ok!(cuMemFree_v2(memory)));
        assert_eq!(code!(cuStreamQuery(other)), NOT_READY);
        gate.open();
        ok!(cuStreamSynchronize(other));
        // Memory that was allocated by `cuMemAlloc`, in the order of a stream.
        let memory: CUdeviceptr = within(a.context, || made!(cuMemAlloc_v2(4096)));
        ok!(cuMemFreeAsync(memory, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(code!(cuMemFree_v2(memory)), INVALID_VALUE);
        ok!(cuMemPoolDestroy(pool));
        a.destroy();
        b.destroy();
    });
}

/// F174
#[test]
fn memory_of_a_pool_outlives_the_pool() {
    let a = Place::new();
    let pool = create_pool();
    let memory = allocate(pool, 4096, a.stream);
    let gate = hold(&a);
    ok!(cuMemPoolDestroy(pool));
    assert_eq!(code!(cuStreamQuery(a.stream)), NOT_READY, "it waited");
    gate.open();
    let mut value = 0_u64;
    let mut address = 0;
    each_gives!(INVALID_VALUE; {
        cuMemPoolDestroy(pool);
        cuMemPoolTrimTo(pool, 0);
        cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, (&raw mut value).cast());
        cuMemAllocFromPoolAsync(&raw mut address, 64, pool, a.stream);
    });
    assert_eq!(launch(a.kernel(c"store_value"), a.stream, &[memory, 5]), SUCCESS);
    ok!(cuMemcpyDtoDAsync_v2(a.memory, memory, 4, a.stream));
    ok!(cuStreamSynchronize(a.stream));
    assert_eq!(a.value(), 5);
    ok!(cuMemFreeAsync(memory, a.stream));
    ok!(cuStreamSynchronize(a.stream));
    a.destroy();
}

/// F175
#[test]
fn memory_of_a_pool_outlives_the_context_of_its_stream() {
    dangling!(memory_of_a_pool_outlives_the_context_of_its_stream, {
        let (a, b) = (Place::new(), Place::new());
        let pool = create_pool();
        let (memory, other) = (allocate(pool, 4096, a.stream), allocate(pool, 64, a.stream));
        assert_eq!(launch(a.kernel(c"store_value"), a.stream, &[memory, 5]), SUCCESS);
        ok!(cuStreamSynchronize(a.stream));
        let stream = a.stream;
        a.destroy();
        assert_eq!(code!(cuMemFreeAsync(other, stream)), CONTEXT_IS_DESTROYED);
        ok!(cuMemcpyDtoDAsync_v2(b.memory, memory, 4, b.stream));
        ok!(cuStreamSynchronize(b.stream));
        assert_eq!((b.value(), held(pool)), (5, (32, 4096 + 64)));
        ok!(cuMemFreeAsync(memory, b.stream));
        ok!(cuMemFreeAsync(other, b.stream));
        ok!(cuStreamSynchronize(b.stream));
        assert_eq!(held(pool), (0, 0));
        ok!(cuMemPoolDestroy(pool));
        b.destroy();
    });
}

/// F176
#[test]
fn memory_of_a_pool_is_there_from_its_call_and_gone_with_the_free() {
    let a = Place::new();
    let other: CUstream = within(a.context, || made!(cuStreamCreate(1)));
    let pool = create_pool();
    let gate = hold(&a);
    let memory = allocate(pool, 4096, a.stream);
    let (mut sent, mut back) = (5_u32, 0_u32);
    let (from, to) = ((&raw mut sent).cast::<c_void>(), (&raw mut back).cast());
    ok!(cuMemcpyHtoDAsync_v2(memory, from, 4, other));
    ok!(cuMemcpyDtoHAsync_v2(to, memory, 4, other));
    ok!(cuStreamSynchronize(other));
    assert_eq!((back, code!(cuStreamQuery(a.stream))), (5, NOT_READY));

    // The free is after the kernel, and the address gone at once.
    ok!(cuMemFreeAsync(memory, a.stream));
    each_gives!(INVALID_VALUE; {
        cuMemcpyHtoDAsync_v2(memory, from, 4, other);
        cuMemcpyDtoHAsync_v2(to, memory, 4, other);
        cuMemsetD8Async(memory, 1, 4, other);
    });
    assert_eq!(code!(cuStreamQuery(a.stream)), NOT_READY, "it waited");
    gate.open();
    ok!(cuStreamSynchronize(a.stream));
    ok!(cuMemPoolDestroy(pool));
    a.destroy();
}

/// F176
#[test]
fn a_kernel_that_stores_to_memory_given_back_is_lost_with_the_process() {
    fresh!(a_kernel_that_stores_to_memory_given_back_is_lost_with_the_process, {
        let a = Place::new();
        let pool = create_pool();
        let memory = allocate(pool, 4096, a.stream);
        ok!(cuMemFreeAsync(memory, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        let _ = launch(a.kernel(c"store_value"), a.stream, &[memory, 5]);
        assert_eq!(code!(cuStreamSynchronize(a.stream)), ILLEGAL_ADDRESS);
    });
}

/// F177
#[test]
fn a_pool_may_have_a_greatest_size() {
    let a = Place::new();
    let mut properties = properties();
    properties.maxSize = 64 << 20;
    let pool: CUmemoryPool = made!(cuMemPoolCreate(&raw const properties));
    let first = allocate(pool, 32 << 20, a.stream);
    let second = allocate(pool, 32 << 20, a.stream);
    let mut address = 0;
    let answer = code!(cuMemAllocFromPoolAsync(&raw mut address, 1 << 20, pool, a.stream));
    assert_eq!((answer, held(pool)), (OUT_OF_MEMORY, (64, 64 << 20)));
    ok!(cuMemFreeAsync(first, a.stream));
    ok!(cuMemFreeAsync(second, a.stream));
    properties.maxSize = 1 << 50;
    let mut more = null_mut();
    assert_eq!(code!(cuMemPoolCreate(&raw mut more, &raw const properties)), OUT_OF_MEMORY);
    ok!(cuMemPoolDestroy(pool));
    a.destroy();
}

/// F178
#[test]
fn pools_answer_after_a_fault_and_registrations_do_not() {
    fresh!(pools_answer_after_a_fault_and_registrations_do_not, {
        let a = Place::new();
        let device = device();
        let pages = Pages::new();
        let pool = create_pool();
        within(a.context, || assert_eq!(register(pages.p(0), 4096, 0), SUCCESS));
        let _ = launch(a.kernel(c"stop_here"), a.stream, &[]);
        assert_eq!(code!(cuStreamSynchronize(a.stream)), LAUNCH_FAILED);
        let (mut address, mut other) = (0, null_mut());
        each_gives!(LAUNCH_FAILED; {
            cuMemHostUnregister(pages.p(0));
            cuMemAllocFromPoolAsync(&raw mut address, 64, pool, a.stream);
            cuMemFreeAsync(0x200, a.stream);
        });
        assert_eq!(
            (register(pages.p(8192), 64, 0), flags(pages.p(0)).0),
            (INVALID_CONTEXT, INVALID_CONTEXT)
        );
        within(a.context, || {
            assert_eq!(unregister(null_mut()), LAUNCH_FAILED);
            assert_eq!(
                (register(pages.p(8192), 64, 0), flags(pages.p(0)).0),
                (LAUNCH_FAILED, LAUNCH_FAILED)
            );
        });
        let opportunistic = CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC;
        assert_eq!(attribute(pool, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES), 1);
        assert_eq!(set::<c_int>(pool, opportunistic, 0), SUCCESS);
        ok!(cuMemPoolTrimTo(pool, 0));
        ok!(cuDeviceGetMemPool(&raw mut other, device));
        ok!(cuDeviceGetDefaultMemPool(&raw mut other, device));
        ok!(cuDeviceSetMemPool(device, other));
        ok!(cuMemPoolDestroy(pool));
        let _new = create_pool();
    });
}

/// F449
#[test]
fn a_device_is_a_location_of_pools() {
    has!(cuMemGetDefaultMemPool, cuMemGetMemPool, cuMemSetMemPool);
    fresh!(a_device_is_a_location_of_pools, {
        let device = device();
        assert!(current().is_null());
        let pinned = CU_MEM_ALLOCATION_TYPE_PINNED;
        let first: CUmemoryPool = made!(cuDeviceGetDefaultMemPool(device));
        let (own, mut here) = (create_pool(), properties().location);
        let here = &raw mut here;
        assert_eq!(made!(newer cuMemGetDefaultMemPool(here, pinned)), first);
        assert_eq!(made!(newer cuMemGetMemPool(here, pinned)), first);
        ok!(newer cuMemSetMemPool(here, pinned, own));
        assert_eq!(made!(newer cuMemGetMemPool(here, pinned)), own);
        assert_eq!(made!(cuDeviceGetMemPool(device)), own);
        assert_eq!(made!(newer cuMemGetDefaultMemPool(here, pinned)), first);
        let mut pool = null_mut();
        let mut all = |location: *mut CUmemLocation, kind| {
            let codes = [
                newer!(cuMemGetDefaultMemPool(&raw mut pool, location, kind)),
                newer!(cuMemGetMemPool(&raw mut pool, location, kind)),
                newer!(cuMemSetMemPool(location, kind, own)),
            ];
            codes.map(|code| code.0)
        };
        let at = |kind, id| {
            let mut location = properties().location;
            location.r#type = CUmemLocationType(kind);
            location.anonymous.id = id;
            location
        };
        assert_eq!(all(&mut at(1, 99), pinned), [1; 3]);
        assert_eq!(all(&mut at(0, 0), pinned), [1; 3]);
        assert_eq!(all(null_mut(), pinned), [1; 3]);
        assert_eq!(all(here, CUmemAllocationType(0)), [1; 3]);
        assert_eq!(all(here, CUmemAllocationType(3))[..2], [1; 2]);
        for kind in [4, 5, 6] {
            assert_eq!(all(&mut at(kind, 0), pinned)[..2], [801; 2], "{kind}");
        }
        assert_eq!(newer!(cuMemGetDefaultMemPool(null_mut(), here, pinned)), INVALID_VALUE);
        assert_eq!(newer!(cuMemGetMemPool(null_mut(), here, pinned)), INVALID_VALUE);
        assert_eq!(newer!(cuMemSetMemPool(here, pinned, null_mut())), INVALID_VALUE);
        ok!(newer cuMemSetMemPool(here, pinned, first));
        ok!(cuMemPoolDestroy(own));
    });
}

/// F649
#[test]
fn large_memory_begins_at_multiples_of_two_mebibytes() {
    let place = place();
    for (bytes, aligned) in
        [(8, 512), (4096, 512), (1 << 20, 512), (2 << 20, 2 << 20), (5 << 20, 2 << 20)]
    {
        let at: CUdeviceptr = made!(cuMemAlloc_v2(bytes));
        assert_eq!(at % aligned, 0, "{bytes} bytes at {at:#x}");
        ok!(cuMemFree_v2(at));
    }
    place.destroy();
}

/// F650
#[test]
fn memory_that_a_pool_keeps_goes_to_other_allocations() {
    crate::skip_under_miri!("takes most of the memory");
    fresh!(memory_that_a_pool_keeps_goes_to_other_allocations, {
        let place = place();
        let (mut free, mut total) = (0_usize, 0);
        ok!(cuMemGetInfo_v2(&raw mut free, &raw mut total));
        let most = free / 4 * 3;
        let pool: CUmemoryPool = made!(cuDeviceGetDefaultMemPool(device()));
        let mut keep = u64::MAX;
        let threshold = CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        ok!(cuMemPoolSetAttribute(pool, threshold, (&raw mut keep).cast()));
        let at: CUdeviceptr = made!(cuMemAllocAsync(most, place.stream));
        ok!(cuMemFreeAsync(at, place.stream));
        ok!(cuCtxSynchronize());
        ok!(cuMemGetInfo_v2(&raw mut free, null_mut()));
        assert!(free < most, "the pool keeps it");
        let at: CUdeviceptr = made!(cuMemAlloc_v2(most));
        ok!(cuMemFree_v2(at));
        place.destroy();
    });
}
