//! Pools of the host and of its NUMA node, and the pools of a place: F450 to F454, F458.

use crate::pools::{create, held, properties};
use crate::raw::*;
use crate::{fresh, skip_under_miri};
use cuscope::ffi::*;
use std::ffi::c_void;
use std::ptr::{null_mut, with_exposed_provenance, with_exposed_provenance_mut};

const HOST: CUmemLocationType = CU_MEM_LOCATION_TYPE_HOST;
const NODE: CUmemLocationType = CU_MEM_LOCATION_TYPE_HOST_NUMA;
const DEVICE: CUmemLocationType = CU_MEM_LOCATION_TYPE_DEVICE;
const PINNED: CUmemAllocationType = CU_MEM_ALLOCATION_TYPE_PINNED;
const NONE: CUmemAccess_flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
const ALL: CUmemAccess_flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
const BYTES: usize = 1 << 16;

/// Leaves the test if the driver has no pools of the host.
macro_rules! needs_host_pools {
    () => {
        for one in [
            CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED,
            CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED,
        ] {
            let mut has = 0;
            let answer = code!(cuDeviceGetAttribute(&raw mut has, one, device()));
            if answer != SUCCESS || has == 0 {
                crate::skip!("no pools of the host");
            }
        }
    };
}

fn location(r#type: CUmemLocationType, id: i32) -> CUmemLocation {
    CUmemLocation { r#type, anonymous: CUmemLocation_v1_anonymous { id } }
}

fn of(r#type: CUmemLocationType, id: i32) -> CUmemPoolProps {
    CUmemPoolProps { location: location(r#type, id), ..properties() }
}

/// The pool of one or the other place that is the host's.
fn host_pool(place: CUmemLocationType) -> CUmemoryPool {
    let properties = of(place, 0);
    made!(cuMemPoolCreate(&raw const properties))
}

fn access(pool: CUmemoryPool, place: CUmemLocationType, id: i32) -> (CUresult, CUmemAccess_flags) {
    let (mut location, mut flags) = (location(place, id), all_zeros());
    let answer = code!(cuMemPoolGetAccess(&raw mut flags, pool, &raw mut location));
    (answer, flags)
}

fn set_access(
    pool: CUmemoryPool,
    place: CUmemLocationType,
    id: i32,
    flags: CUmemAccess_flags,
) -> CUresult {
    let one = CUmemAccessDesc { location: location(place, id), flags };
    code!(cuMemPoolSetAccess(pool, &raw const one, 1))
}

fn allocate(pool: CUmemoryPool, bytes: usize, stream: CUstream) -> CUdeviceptr {
    let memory = made!(cuMemAllocFromPoolAsync(bytes, pool, stream));
    ok!(cuStreamSynchronize(stream));
    memory
}

/// A word of such memory, as the host reads it.
fn word(at: CUdeviceptr) -> u32 {
    // SAFETY: memory of a pool of the host is there for the host too (F453), and nothing is in flight on it.
    unsafe { with_exposed_provenance::<u32>(at as usize).read() }
}

fn set_word(at: CUdeviceptr, value: u32) {
    // SAFETY: as in `word`.
    unsafe { with_exposed_provenance_mut::<u32>(at as usize).write(value) }
}

fn attribute(attribute: CUpointer_attribute, at: CUdeviceptr) -> (CUresult, u64) {
    let mut value = 0_u64;
    let to = (&raw mut value).cast();
    (code!(cuPointerGetAttribute(to, attribute, at)), value)
}

/// F450
#[test]
fn a_pool_may_be_of_the_host() {
    needs_host_pools!();
    for id in [0, 1, -1, 99] {
        assert_eq!(create(&of(HOST, id)), SUCCESS, "{id}");
        let other = if id == 0 { SUCCESS } else { INVALID_VALUE };
        assert_eq!(create(&of(NODE, id)), other, "{id}");
        for kind in [0, 4, 5, 6, 7, 8] {
            assert_eq!(create(&of(CUmemLocationType(kind), id)), INVALID_VALUE, "{kind}, {id}");
        }
    }
    let shared =
        CUmemPoolProps { handleTypes: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, ..of(HOST, 0) };
    assert_eq!(create(&shared), INVALID_VALUE);
    for place in [HOST, NODE] {
        for kind in [0, 3, 0x4000_0000] {
            let kind = CUmemPoolProps { allocType: CUmemAllocationType(kind), ..of(place, 0) };
            assert_eq!(create(&kind), INVALID_VALUE);
        }
        let large = CUmemPoolProps { maxSize: 1 << 50, ..of(place, 0) };
        assert_eq!(create(&large), OUT_OF_MEMORY);
    }
}

/// F451
#[test]
fn each_place_has_a_pool() {
    has!(cuMemGetDefaultMemPool, cuMemGetMemPool, cuMemSetMemPool);
    fresh!(each_place_has_a_pool, {
        needs_host_pools!();
        let device = device();
        assert!(current().is_null());
        let first = |place, id, kind| {
            let (mut pool, mut location) = (null_mut(), location(place, id));
            (newer!(cuMemGetDefaultMemPool(&raw mut pool, &raw mut location, kind)), pool)
        };
        let now = |place, id, kind| {
            let (mut pool, mut location) = (null_mut(), location(place, id));
            (newer!(cuMemGetMemPool(&raw mut pool, &raw mut location, kind)), pool)
        };
        let set = |place, id, kind, pool| {
            let mut location = location(place, id);
            newer!(cuMemSetMemPool(&raw mut location, kind, pool))
        };
        let of_device: CUmemoryPool = made!(cuDeviceGetDefaultMemPool(device));
        assert_eq!(first(DEVICE, 0, PINNED), (SUCCESS, of_device));
        let refused = (INVALID_VALUE, null_mut());
        for id in [0, 1, -1, 99] {
            assert_eq!(first(HOST, id, PINNED), first(HOST, 0, PINNED));
            assert_eq!(now(HOST, id, PINNED), first(HOST, 0, PINNED));
            if id != 0 {
                assert_eq!((first(NODE, id, PINNED), now(NODE, id, PINNED)), (refused, refused));
            }
            for kind in [0, 3].map(CUmemAllocationType) {
                for place in [all_zeros(), DEVICE, HOST, NODE] {
                    assert_eq!((first(place, id, kind), now(place, id, kind)), (refused, refused));
                }
            }
            for place in [4, 5, 6].map(CUmemLocationType) {
                for kind in [0, 1, 2, 3].map(CUmemAllocationType) {
                    let refused = (NOT_SUPPORTED, null_mut());
                    assert_eq!((first(place, id, kind), now(place, id, kind)), (refused, refused));
                }
            }
        }
        for id in [-1, 99] {
            assert_eq!((first(DEVICE, id, PINNED), now(DEVICE, id, PINNED)), (refused, refused));
        }
        let defaults = [DEVICE, HOST, NODE].map(|place| first(place, 0, PINNED).1);
        let [a, b, c] = defaults;
        assert!(a != b && b != c && c != a);
        let (mut pool, mut at) = (null_mut(), location(DEVICE, 0));
        for answer in [
            newer!(cuMemGetDefaultMemPool(null_mut(), &raw mut at, PINNED)),
            newer!(cuMemGetDefaultMemPool(&raw mut pool, null_mut(), PINNED)),
            newer!(cuMemGetMemPool(null_mut(), &raw mut at, PINNED)),
            newer!(cuMemGetMemPool(&raw mut pool, null_mut(), PINNED)),
            newer!(cuMemSetMemPool(null_mut(), PINNED, of_device)),
            set(DEVICE, 0, PINNED, null_mut()),
        ] {
            assert_eq!(answer, INVALID_VALUE);
        }

        let properties = properties();
        let own: CUmemoryPool = made!(cuMemPoolCreate(&raw const properties));
        let (host, node) = (host_pool(HOST), host_pool(NODE));
        assert_eq!(set(DEVICE, 0, PINNED, own), SUCCESS);
        assert_eq!(now(DEVICE, 0, PINNED).1, own);
        assert_eq!(made!(cuDeviceGetMemPool(device)), own);
        for (place, pool) in [(HOST, host), (NODE, node)] {
            assert_eq!(set(place, 0, PINNED, pool), SUCCESS);
            assert_eq!(now(place, 0, PINNED).1, pool);
        }
        for (place, pool) in
            [(DEVICE, host), (DEVICE, node), (HOST, node), (HOST, own), (NODE, host)]
        {
            assert_eq!(set(place, 0, PINNED, pool), INVALID_VALUE);
        }
        assert_eq!(set(NODE, 1, PINNED, node), INVALID_VALUE);
        assert_eq!(set(DEVICE, 99, PINNED, own), INVALID_VALUE);
        assert_eq!(set(DEVICE, 0, all_zeros(), own), INVALID_VALUE);
        assert_eq!(set(CUmemLocationType(4), 0, PINNED, node), NOT_SUPPORTED);
        assert_eq!(set(CUmemLocationType(5), 0, PINNED, own), NOT_SUPPORTED);
        each_gives!(INVALID_VALUE; {
            cuDeviceSetMemPool(device, host);
            cuDeviceSetMemPool(device, node);
            cuMemPoolDestroy(b);
            cuMemPoolDestroy(c);
        });
        ok!(cuMemPoolDestroy(host));
        assert_ne!(now(HOST, 0, PINNED).1, b);
        assert_eq!(set(HOST, 0, PINNED, b), SUCCESS);
        assert_eq!(now(HOST, 0, PINNED), (SUCCESS, b));
    });
}

/// F452
#[test]
fn a_device_gets_access_to_a_pool_of_the_host() {
    needs_host_pools!();
    for place in [HOST, NODE] {
        let pool = host_pool(place);
        let device = access(pool, DEVICE, 0);
        assert_eq!(device, (SUCCESS, NONE));
        for (place, id) in [(HOST, 0), (HOST, 5), (NODE, 0), (NODE, 1), (NODE, 99)] {
            assert_eq!(access(pool, place, id), (SUCCESS, ALL));
        }
        for (place, id) in [(0, 0), (1, 99), (4, 0), (5, 0), (6, 0)] {
            assert_eq!(access(pool, CUmemLocationType(place), id).0, INVALID_VALUE);
        }
        assert_eq!(set_access(pool, DEVICE, 0, CU_MEM_ACCESS_FLAGS_PROT_READ), NOT_SUPPORTED);
        assert_eq!(set_access(pool, DEVICE, 0, CUmemAccess_flags(4)), INVALID_VALUE);
        assert_eq!(set_access(pool, DEVICE, 99, ALL), INVALID_DEVICE);
        for place in [HOST, NODE] {
            assert_eq!(set_access(pool, place, 0, ALL), SUCCESS);
            assert_eq!(set_access(pool, place, 0, NONE), NOT_SUPPORTED);
        }
        for flags in [NONE, ALL, NONE] {
            assert_eq!(set_access(pool, DEVICE, 0, flags), SUCCESS);
            assert_eq!(access(pool, DEVICE, 0), (SUCCESS, flags));
        }
        ok!(cuMemPoolDestroy(pool));
    }
    let properties = properties();
    let pool: CUmemoryPool = made!(cuMemPoolCreate(&raw const properties));
    for (place, id) in [(HOST, 0), (HOST, 5), (NODE, 0), (NODE, 1), (NODE, 99)] {
        assert_eq!(access(pool, place, id), (SUCCESS, NONE));
    }
    ok!(cuMemPoolDestroy(pool));
}

/// F453
#[test]
fn the_host_and_devices_use_memory_of_a_pool_of_the_host() {
    skip_under_miri!("reaches memory of the driver by its address");
    needs_host_pools!();
    let a = place();
    for place in [HOST, NODE] {
        let pool = host_pool(place);
        let at = allocate(pool, BYTES, a.stream);
        assert_eq!((at % 512, held(pool)), (0, (32, BYTES as u64)));
        set_word(at, 5);
        assert_eq!(word(at), 5);
        let told = [
            (CU_POINTER_ATTRIBUTE_CONTEXT, 0),
            (CU_POINTER_ATTRIBUTE_MEMORY_TYPE, u64::from(CU_MEMORYTYPE_HOST.0)),
            (CU_POINTER_ATTRIBUTE_HOST_POINTER, at),
            (CU_POINTER_ATTRIBUTE_IS_MANAGED, 0),
            (CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 0),
            (CU_POINTER_ATTRIBUTE_RANGE_SIZE, BYTES as u64),
        ];
        for (one, value) in told {
            assert_eq!(attribute(one, at), (SUCCESS, value), "{one:?}");
        }
        let for_device = CU_POINTER_ATTRIBUTE_DEVICE_POINTER;
        assert_eq!(attribute(for_device, at), (INVALID_VALUE, 0));
        let (mut base, mut size, mut value) = (0, 0, 0_u32);
        let range = code!(cuMemGetAddressRange_v2(&raw mut base, &raw mut size, at));
        assert_eq!(range, NOT_FOUND);
        // By no device; and by copies as memory of the host alone.
        let to: *mut c_void = (&raw mut value).cast();
        each_gives!(INVALID_VALUE; {
            cuMemsetD32_v2(at, 6, 4);
            cuMemsetD8Async(at, 1, 64, a.stream);
            cuMemcpyDtoH_v2(to, at, 4);
            cuMemcpyHtoD_v2(at, to, 4);
            cuMemcpyDtoD_v2(a.memory, at, 64);
            cuMemcpyDtoD_v2(at, a.memory, 64);
        });
        ok!(cuMemcpyHtoDAsync_v2(a.memory, with_exposed_provenance(at as usize), 64, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(a.value(), 5);
        ok!(cuMemsetD32_v2(a.memory, 7, 16));
        ok!(cuCtxSynchronize()); // F633
        ok!(cuMemcpyAsync(at, a.memory, 64, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(word(at), 7);
        // With access by kernels and fills.
        assert_eq!(set_access(pool, DEVICE, 0, ALL), SUCCESS);
        assert_eq!(attribute(for_device, at), (SUCCESS, at));
        assert_eq!(launch(a.kernel(c"store_value"), a.stream, &[at, 9]), SUCCESS);
        ok!(cuMemsetD32_v2(at + 64, 6, 16));
        ok!(cuCtxSynchronize());
        assert_eq!((word(at), word(at + 64)), (9, 6));
        assert_eq!(code!(cuMemcpyDtoH_v2(to, at, 4)), INVALID_VALUE);
        assert_eq!(set_access(pool, DEVICE, 0, NONE), SUCCESS);
        assert_eq!(code!(cuMemsetD32_v2(at, 6, 4)), INVALID_VALUE);
        let host = with_exposed_provenance_mut(at as usize);
        each_gives!(INVALID_VALUE; {
            cuMemFreeHost(host);
            cuMemHostUnregister(host);
            cuMemHostGetDevicePointer_v2(&raw mut base, host, 0);
            cuMemHostGetFlags(&raw mut value, host);
        });
        ok!(cuMemFreeAsync(at, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        ok!(cuMemPoolDestroy(pool));
    }
    a.destroy();
}

/// F453
#[test]
fn a_kernel_without_access_to_a_pool_of_the_host_is_lost_with_the_process() {
    fresh!(a_kernel_without_access_to_a_pool_of_the_host_is_lost_with_the_process, {
        needs_host_pools!();
        let a = Place::new();
        let at = allocate(host_pool(HOST), 64, a.stream);
        assert_eq!(launch(a.kernel(c"store_value"), a.stream, &[at, 3]), SUCCESS);
        assert_eq!(code!(cuStreamSynchronize(a.stream)), ILLEGAL_ADDRESS);
    });
}

/// F454
#[test]
fn memory_of_a_pool_of_the_host_is_freed_as_that_of_other_pools() {
    skip_under_miri!("reaches memory of the driver by its address");
    needs_host_pools!();
    let (a, b) = (Place::new(), Place::new());
    for place in [HOST, NODE] {
        let pool = host_pool(place);
        let (one, two) = (allocate(pool, BYTES, a.stream), allocate(pool, 64, a.stream));
        ok!(cuMemFreeAsync(one, b.stream));
        ok!(cuStreamSynchronize(b.stream));
        ok!(cuMemFree_v2(two));
        let mut at = 1;
        ok!(cuMemAllocFromPoolAsync(&raw mut at, 0, pool, a.stream));
        assert_eq!(at, 0);
        ok!(cuStreamBeginCapture_v2(a.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
        let captured = code!(cuMemAllocFromPoolAsync(&raw mut at, 64, pool, a.stream));
        let mut graph = null_mut();
        ok!(cuStreamEndCapture(a.stream, &raw mut graph));
        assert_eq!(captured, NOT_SUPPORTED);
        let large = code!(cuMemAllocFromPoolAsync(&raw mut at, 1 << 50, pool, a.stream));
        assert_eq!(large, OUT_OF_MEMORY);
        let at = allocate(pool, 4096, a.stream);
        ok!(cuMemPoolDestroy(pool));
        set_word(at, 5);
        assert_eq!(word(at), 5);
        ok!(cuMemFreeAsync(at, a.stream));
        ok!(cuStreamSynchronize(a.stream));
    }
    // The end of the stream's context leaves it.
    let pool = host_pool(HOST);
    let at = allocate(pool, 4096, a.stream);
    a.destroy();
    set_word(at, 5);
    assert_eq!(word(at), 5);
    within(b.context, || ok!(cuMemFree_v2(at)));
    ok!(cuMemPoolDestroy(pool));
    b.destroy();
}

/// F458
#[test]
fn memory_of_a_pool_of_the_host_outlives_a_reset_and_a_fault() {
    skip_under_miri!("reaches memory of the driver by its address");
    fresh!(memory_of_a_pool_of_the_host_outlives_a_reset_and_a_fault, {
        needs_host_pools!();
        let device = device();
        let primary: CUcontext = made!(cuDevicePrimaryCtxRetain(device));
        let pool = host_pool(HOST);
        let at = within(primary, || allocate(pool, BYTES, free_stream()));
        set_word(at, 5);
        #[cfg(unix)] // it forks
        {
            // SAFETY: the child reads one word, and ends.
            let child = unsafe { libc::fork() };
            if child == 0 {
                // SAFETY: ends the process.
                unsafe { libc::_exit(if word(at) == 5 { 0 } else { 1 }) };
            }
            let mut status = 0;
            // SAFETY: the child above, and a place for its status.
            assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
            assert_eq!(status, 0, "the child has it too");
        }
        ok!(cuDevicePrimaryCtxReset_v2(device));
        assert_eq!(word(at), 5);
        set_word(at, 6);
        let a = place();
        let from = with_exposed_provenance(at as usize);
        ok!(cuMemcpyHtoD_v2(a.memory, from, 4));
        assert_eq!(a.value(), 6);
        assert_eq!(launch(a.kernel(c"stop_here"), a.stream, &[]), SUCCESS);
        assert_eq!(code!(cuStreamSynchronize(a.stream)), LAUNCH_FAILED);
        assert_eq!(code!(cuMemFreeAsync(at, a.stream)), LAUNCH_FAILED);
        assert_eq!(word(at), 6);
        ok!(cuMemPoolDestroy(pool));
        ok!(cuCtxDestroy_v2(a.context));
        assert_eq!(word(at), 6);
    });
}
