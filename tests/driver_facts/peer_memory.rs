//! Copies between two devices, and the access of a device to the memory of another one's pools: F341 to F348. Without
//! a second device they say so.

use crate::common::fewer;
use crate::common::kernels::COUNT;
use crate::fresh;
use crate::green_contexts::{create_green, derived, has_green_contexts};
use crate::peers::{Other, two_devices};
use crate::raw::*;
use cuscope::ffi::{
    CU_MEM_ACCESS_FLAGS_PROT_NONE as NONE, CU_MEM_ACCESS_FLAGS_PROT_READ as READ,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE as READ_WRITE, CU_MEM_LOCATION_TYPE_DEVICE,
    CU_MEM_LOCATION_TYPE_HOST, CU_MEMORYTYPE_DEVICE, CU_STREAM_CAPTURE_MODE_RELAXED,
    CUDA_ERROR_INVALID_DEVICE as INVALID_DEVICE, CUDA_ERROR_NOT_SUPPORTED as NOT_SUPPORTED,
    CUDA_ERROR_STREAM_CAPTURE_INVALIDATED as INVALIDATED,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED as UNSUPPORTED, CUDA_MEMCPY3D_PEER, CUgraph,
    CUmemAccess_flags, CUmemAccessDesc, CUmemLocation, CUmemoryPool,
};
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::time::Instant;

/// Returns the bytes at an address of the device, read on a stream.
fn bytes_at(memory: CUdeviceptr, len: usize, stream: CUstream) -> Vec<u8> {
    let mut bytes = vec![0_u8; len];
    ok!(cuMemcpyDtoHAsync_v2(bytes.as_mut_ptr().cast(), memory, len, stream));
    ok!(cuStreamSynchronize(stream));
    bytes
}

/// Writes a number to the first and to the last four bytes of some memory, on a stream.
fn mark(memory: CUdeviceptr, len: usize, number: u32, stream: CUstream) {
    for at in [memory, memory + len as u64 - 4] {
        ok!(cuMemsetD32Async(at, number, 1, stream));
    }
    ok!(cuStreamSynchronize(stream));
}

/// Returns the result of `body` with a context on top, or none.
fn with_on_top<R>(context: Option<CUcontext>, body: impl FnOnce() -> R) -> R {
    match context {
        Some(context) => within(context, body),
        None => body(),
    }
}

/// F341
#[test]
fn a_copy_between_devices_is_over_when_its_stream_is_past_it() {
    fresh!(a_copy_between_devices_is_over_when_its_stream_is_past_it, {
        let (a, b) = two_devices!();
        let len = fewer(64 << 20, 1 << 12);
        let ends = [a.context, b.context]
            .map(|context| within(context, || (context, made!(cuMemAlloc_v2(len)), free_stream())));
        assert!(current().is_null());
        let mut number = 0;
        let mut check = || {
            for (from, to) in [(0, 1), (1, 0), (0, 0)] {
                let ((from_context, from, own), (to_context, to, other)) = (ends[from], ends[to]);
                for stream in [own, other] {
                    for on_top in [None, Some(a.context), Some(b.context)] {
                        number += 1;
                        mark(from, len, number, own);
                        with_on_top(on_top, || {
                            ok!(cuMemcpyPeerAsync(to, to_context, from, from_context, len, stream));
                        });
                        ok!(cuStreamSynchronize(stream));
                        let last = bytes_at(to + len as u64 - 4, 4, other);
                        assert_eq!(last, number.to_ne_bytes(), "{on_top:?}");
                        assert_eq!(bytes_at(to, 4, other), number.to_ne_bytes());
                    }
                }
            }
        };
        check();
        // And with access, in one direction and in both.
        within(a.context, || ok!(cuCtxEnablePeerAccess(b.context, 0)));
        check();
        within(b.context, || ok!(cuCtxEnablePeerAccess(a.context, 0)));
        check();
    });
}

/// Copies rows and planes between the places, with streams of either and no context current: exactly these bytes.
fn copies_rows(a: &Place, b: &Other) {
    // Two planes of three rows of 12 bytes, in rows of 32 bytes and planes of 4 rows; packed on the other device.
    let (width, height, depth, pitch, rows) = (12, 3, 2, 32, 4);
    let all = pitch * rows * depth;
    let source: Vec<u8> = (1..=all).map(|i| i as u8).collect();
    let own = within(b.context, free_stream);
    for stream in [a.stream, b.stream] {
        ok!(cuMemcpyHtoDAsync_v2(a.memory, source.as_ptr().cast(), all, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        ok!(cuMemsetD8Async(b.memory, 0, all, own));
        ok!(cuStreamSynchronize(own));
        let copy = CUDA_MEMCPY3D_PEER {
            srcMemoryType: CU_MEMORYTYPE_DEVICE,
            srcDevice: a.memory,
            srcContext: a.context,
            srcPitch: pitch,
            srcHeight: rows,
            dstMemoryType: CU_MEMORYTYPE_DEVICE,
            dstDevice: b.memory,
            dstContext: b.context,
            dstPitch: width,
            dstHeight: height,
            WidthInBytes: width,
            Height: height,
            Depth: depth,
            ..all_zeros()
        };
        ok!(cuMemcpy3DPeerAsync(&raw const copy, stream));
        ok!(cuStreamSynchronize(stream));
        let row = |z: usize, y: usize| &source[(z * rows + y) * pitch..][..width];
        let mut packed: Vec<u8> =
            (0..depth).flat_map(|z| (0..height).flat_map(move |y| row(z, y))).copied().collect();
        packed.resize(all, 0);
        assert_eq!(bytes_at(b.memory, all, own), packed);

        // Back, to other rows, in which the bytes between rows stay; and one row of one plane.
        ok!(cuMemsetD8Async(a.memory, 9, all, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        let back = CUDA_MEMCPY3D_PEER {
            srcMemoryType: CU_MEMORYTYPE_DEVICE,
            srcDevice: b.memory,
            srcContext: b.context,
            srcPitch: width,
            srcHeight: height,
            dstMemoryType: CU_MEMORYTYPE_DEVICE,
            dstDevice: a.memory,
            dstContext: a.context,
            dstPitch: pitch,
            dstHeight: rows,
            WidthInBytes: width,
            Height: height,
            Depth: depth,
            ..all_zeros()
        };
        ok!(cuMemcpy3DPeerAsync(&raw const back, stream));
        let one = CUDA_MEMCPY3D_PEER {
            dstDevice: a.memory + 512,
            dstPitch: width,
            dstHeight: 1,
            Height: 1,
            Depth: 1,
            ..back
        };
        ok!(cuMemcpy3DPeerAsync(&raw const one, stream));
        ok!(cuStreamSynchronize(stream));
        let mut spread = vec![9_u8; all];
        for (z, y) in (0..depth).flat_map(|z| (0..height).map(move |y| (z, y))) {
            spread[(z * rows + y) * pitch..][..width].copy_from_slice(row(z, y));
        }
        assert_eq!(bytes_at(a.memory, all, a.stream), spread);
        assert_eq!(bytes_at(a.memory + 512, width, a.stream), row(0, 0));
    }
}

/// F701
#[test]
fn a_copy_looks_at_no_context_that_it_names() {
    let (a, b) = (Place::new(), Place::new());
    let contexts = [a.context, b.context, null_mut()];
    for (number, (source, destination)) in (1_u8..)
        .zip(contexts.iter().flat_map(|&source| contexts.iter().map(move |&to| (source, to))))
    {
        let copy = CUDA_MEMCPY3D_PEER {
            srcMemoryType: CU_MEMORYTYPE_DEVICE,
            srcDevice: a.memory,
            srcContext: source,
            dstMemoryType: CU_MEMORYTYPE_DEVICE,
            dstDevice: b.memory,
            dstContext: destination,
            WidthInBytes: 16,
            Height: 1,
            Depth: 1,
            ..all_zeros()
        };
        let written = |value: u8| {
            ok!(cuMemsetD8_v2(a.memory, value, 16));
            ok!(cuCtxSynchronize());
        };
        let arrived = |value: u8| {
            ok!(cuCtxSynchronize());
            let mut found = [0_u8; 16];
            ok!(cuMemcpyDtoH_v2(found.as_mut_ptr().cast(), b.memory, 16));
            assert_eq!(found, [value; 16]);
        };
        for current in [a.context, b.context] {
            within(current, || {
                written(number);
                ok!(cuMemcpy3DPeer(&raw const copy));
                arrived(number);
                written(number + 100);
                ok!(cuMemcpyPeer(b.memory, destination, a.memory, source, 16));
                arrived(number + 100);
            });
        }
        let none = with_on_top(None, || code!(cuMemcpy3DPeer(&raw const copy)));
        assert_eq!(none, INVALID_CONTEXT);
    }
    a.destroy();
    b.destroy();
}

/// F342
#[test]
fn rows_are_copied_between_devices() {
    fresh!(rows_are_copied_between_devices, {
        let (a, b) = two_devices!();
        assert!(current().is_null());
        copies_rows(&a, &b);
        within(a.context, || ok!(cuCtxEnablePeerAccess(b.context, 0)));
        copies_rows(&a, &b);
    });
}

/// A device, as a location.
fn location(device: CUdevice) -> CUmemLocation {
    let mut location: CUmemLocation = all_zeros();
    location.r#type = CU_MEM_LOCATION_TYPE_DEVICE;
    location.anonymous.id = device;
    location
}

fn access(pool: CUmemoryPool, device: CUdevice) -> CUmemAccess_flags {
    let mut location = location(device);
    made!(cuMemPoolGetAccess(pool, &raw mut location))
}

fn set_access(pool: CUmemoryPool, device: CUdevice, flags: CUmemAccess_flags) -> CUresult {
    let one = CUmemAccessDesc { location: location(device), flags };
    code!(cuMemPoolSetAccess(pool, &raw const one, 1))
}

/// A pool of the second device.
fn pool_of_the_other() -> CUmemoryPool {
    let mut properties: cuscope::ffi::CUmemPoolProps = all_zeros();
    properties.allocType = cuscope::ffi::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = location(1);
    made!(cuMemPoolCreate(&raw const properties))
}

/// Memory of a pool of the second device.
fn from_pool(pool: CUmemoryPool, b: &Other) -> CUdeviceptr {
    let memory = made!(cuMemAllocFromPoolAsync(Place::BYTES, pool, b.stream));
    ok!(cuMemsetD8Async(memory, 0, Place::BYTES, b.stream));
    ok!(cuStreamSynchronize(b.stream));
    memory
}

/// F341, F343
#[test]
fn memory_of_a_pool_is_copied_to_devices_without_access_to_it() {
    fresh!(memory_of_a_pool_is_copied_to_devices_without_access_to_it, {
        let (a, b) = two_devices!();
        let pool = pool_of_the_other();
        assert_eq!((access(pool, 0), access(pool, 1)), (NONE, READ_WRITE));
        let pooled = Other { memory: from_pool(pool, &b), ..b };
        for (number, stream) in [(1_u32, a.stream), (2, pooled.stream)] {
            mark(a.memory, Place::BYTES, number, a.stream);
            let (to, from) = (pooled.memory, a.memory);
            let (at, of) = (pooled.context, a.context);
            ok!(cuMemcpyPeerAsync(to, at, from, of, Place::BYTES, stream));
            ok!(cuStreamSynchronize(stream));
            assert_eq!(bytes_at(to, 4, pooled.stream), number.to_ne_bytes());
            mark(to, Place::BYTES, number + 10, pooled.stream);
            ok!(cuMemcpyPeerAsync(from, of, to, at, Place::BYTES, stream));
            ok!(cuStreamSynchronize(stream));
            assert_eq!(bytes_at(from, 4, a.stream), (number + 10).to_ne_bytes());
        }
        copies_rows(&a, &pooled);
    });
}

/// F343
#[test]
fn a_device_has_access_to_all_memory_of_a_pool_or_to_none() {
    fresh!(a_device_has_access_to_all_memory_of_a_pool_or_to_none, {
        let (a, b) = two_devices!();
        let pool = pool_of_the_other();
        let (other, earlier) = (Place::new(), from_pool(pool, &b));
        let fill = |memory, stream| code!(cuMemsetD32Async(memory, 5, 1, stream));
        assert_eq!(fill(earlier, a.stream), INVALID_VALUE);
        assert_eq!(set_access(pool, 0, READ_WRITE), SUCCESS);
        assert_eq!(set_access(pool, 0, READ_WRITE), SUCCESS);
        assert_eq!(set_access(pool, 1, READ_WRITE), SUCCESS);
        assert_eq!((access(pool, 0), access(pool, 1)), (READ_WRITE, READ_WRITE));
        let later = from_pool(pool, &b);
        // All contexts of the device have access, in calls and kernels.
        for (place, number) in [(&a, 20_u32), (&other, 30)] {
            for memory in [earlier, later] {
                assert_eq!(fill(memory, place.stream), SUCCESS);
                ok!(cuStreamSynchronize(place.stream));
                assert_eq!(bytes_at(memory, 4, b.stream), 5_u32.to_ne_bytes());
                let store = place.kernel(c"store_value");
                assert_eq!(launch(store, place.stream, &[memory, number.into()]), SUCCESS);
                ok!(cuStreamSynchronize(place.stream));
                assert_eq!(bytes_at(memory, 4, b.stream), number.to_ne_bytes());
            }
        }
        assert_eq!(set_access(pool, 0, NONE), SUCCESS);
        assert_eq!(set_access(pool, 0, NONE), SUCCESS);
        assert_eq!((access(pool, 0), access(pool, 1)), (NONE, READ_WRITE));
        assert_eq!([earlier, later].map(|memory| fill(memory, a.stream)), [INVALID_VALUE; 2]);
        // Access of contexts says nothing about pools (F256), nor the other way round.
        within(a.context, || ok!(cuCtxEnablePeerAccess(b.context, 0)));
        assert_eq!(fill(earlier, a.stream), INVALID_VALUE);
        let store = a.kernel(c"store_value");
        assert_eq!(launch(store, a.stream, &[later, 1]), SUCCESS);
        assert_eq!(code!(cuStreamSynchronize(a.stream)), ILLEGAL_ADDRESS);
    });
}

/// F344
#[test]
fn the_access_of_a_device_that_is_none_is_refused() {
    fresh!(the_access_of_a_device_that_is_none_is_refused, {
        let own = device();
        assert!(current().is_null());
        let pool: CUmemoryPool = made!(cuDeviceGetDefaultMemPool(own));
        assert_eq!(access(pool, own), READ_WRITE);
        let (mut flags, mut here) = (NONE, location(own));
        let one = CUmemAccessDesc { location: here, flags: READ_WRITE };
        each_gives!(INVALID_VALUE; {
            cuMemPoolSetAccess(null_mut(), &raw const one, 1);
            cuMemPoolSetAccess(pool, null(), 1);
            cuMemPoolGetAccess(null_mut(), pool, &raw mut here);
            cuMemPoolGetAccess(&raw mut flags, null_mut(), &raw mut here);
            cuMemPoolGetAccess(&raw mut flags, pool, null_mut());
        });
        let mut nowhere: CUmemLocation = all_zeros();
        let mut host = location(0);
        host.r#type = CU_MEM_LOCATION_TYPE_HOST;
        let mut unknown = location(99);
        let answers = [&mut unknown, &mut nowhere, &mut host].map(|location| {
            let one = CUmemAccessDesc { location: *location, flags: READ_WRITE };
            let set = code!(cuMemPoolSetAccess(pool, &raw const one, 1));
            (set, code!(cuMemPoolGetAccess(&raw mut flags, pool, location)))
        });
        // Its own device has access.
        let kept = [NONE, READ, CUmemAccess_flags(2), CUmemAccess_flags(4)];
        let kept = kept.map(|flags| set_access(pool, own, flags));
        let set = [INVALID_DEVICE, NOT_SUPPORTED, NOT_SUPPORTED];
        let get = [INVALID_VALUE, INVALID_VALUE, SUCCESS];
        assert_eq!(answers, std::array::from_fn(|at| (set[at], get[at])));
        assert_eq!(kept, [INVALID_DEVICE, NOT_SUPPORTED, INVALID_VALUE, INVALID_VALUE]);
        assert_eq!(set_access(pool, own, READ_WRITE), SUCCESS);
        assert_eq!(access(pool, own), READ_WRITE);
    });
}

/// F344
#[test]
fn pools_tell_and_change_their_access_after_a_fault() {
    fresh!(pools_tell_and_change_their_access_after_a_fault, {
        let (a, own) = (Place::new(), device());
        let pool: CUmemoryPool = made!(cuDeviceGetDefaultMemPool(own));
        let _ = launch(a.kernel(c"stop_here"), a.stream, &[]);
        assert_eq!(code!(cuStreamSynchronize(a.stream)), LAUNCH_FAILED);
        assert_eq!(access(pool, own), READ_WRITE);
        assert_eq!(set_access(pool, own, READ_WRITE), SUCCESS);
    });
}

/// A kernel that stores for a long while, on a stream of the first device.
fn count_there(a: &Place, memory: CUdeviceptr) {
    let text = CString::new(COUNT).unwrap();
    let module: CUmodule = within(a.context, || made!(cuModuleLoadData(text.as_ptr().cast())));
    let count = kernel(module, c"count");
    assert_eq!(launch(count, a.stream, &[memory, LONG_NANOSECONDS]), SUCCESS);
}

/// Takes access away from a kernel that uses it, and shows what happened. Nothing else is written.
fn take_away(name: &str, a: &Place, b: &Other, taken: impl FnOnce()) {
    let beside: CUdeviceptr = within(b.context, || made!(cuMemAlloc_v2(Place::BYTES)));
    ok!(cuMemsetD8Async(beside, 3, Place::BYTES, b.stream));
    ok!(cuStreamSynchronize(b.stream));
    let start = Instant::now();
    taken();
    let took = start.elapsed();
    let end = code!(cuStreamSynchronize(a.stream));
    println!(
        "{name}: took {took:?}, then the kernel ended with {} after {:?}",
        end.0,
        start.elapsed()
    );
    assert!([SUCCESS, ILLEGAL_ADDRESS].contains(&end), "{end:?}");
    if end == SUCCESS {
        assert_eq!(bytes_at(beside, Place::BYTES, b.stream), [3; Place::BYTES]);
    }
}

/// F345
#[test]
fn peer_access_is_disabled_under_a_kernel_that_uses_it() {
    fresh!(peer_access_is_disabled_under_a_kernel_that_uses_it, {
        let (a, b) = two_devices!();
        within(a.context, || ok!(cuCtxEnablePeerAccess(b.context, 0)));
        count_there(&a, b.memory);
        take_away("cuCtxDisablePeerAccess", &a, &b, || {
            within(a.context, || ok!(cuCtxDisablePeerAccess(b.context)));
        });
    });
}

/// F345
#[test]
fn access_to_a_pool_is_taken_from_a_kernel_that_uses_it() {
    fresh!(access_to_a_pool_is_taken_from_a_kernel_that_uses_it, {
        let (a, b) = two_devices!();
        let pool = pool_of_the_other();
        let memory = from_pool(pool, &b);
        assert_eq!(set_access(pool, 0, READ_WRITE), SUCCESS);
        count_there(&a, memory);
        take_away("cuMemPoolSetAccess", &a, &b, || assert_eq!(set_access(pool, 0, NONE), SUCCESS));
    });
}

/// F345
#[test]
fn peer_access_is_disabled_under_a_copy() {
    fresh!(peer_access_is_disabled_under_a_copy, {
        let (a, b) = two_devices!();
        let len = fewer(256 << 20, 1 << 12);
        let from: CUdeviceptr = within(a.context, || made!(cuMemAlloc_v2(len)));
        let to: CUdeviceptr = within(b.context, || made!(cuMemAlloc_v2(len)));
        mark(from, len, 77, a.stream);
        within(a.context, || ok!(cuCtxEnablePeerAccess(b.context, 0)));
        ok!(cuMemcpyPeerAsync(to, b.context, from, a.context, len, a.stream));
        let start = Instant::now();
        within(a.context, || ok!(cuCtxDisablePeerAccess(b.context)));
        let took = start.elapsed();
        ok!(cuStreamSynchronize(a.stream));
        println!("disabling took {took:?}, the copy ended after {:?}", start.elapsed());
        assert_eq!(bytes_at(to + len as u64 - 4, 4, b.stream), 77_u32.to_ne_bytes());
    });
}

/// F345
#[test]
fn access_to_a_pool_is_taken_under_a_copy() {
    fresh!(access_to_a_pool_is_taken_under_a_copy, {
        let (a, b) = two_devices!();
        let (len, pool) = (fewer(256 << 20, 1 << 12), pool_of_the_other());
        let from: CUdeviceptr = within(a.context, || made!(cuMemAlloc_v2(len)));
        let to: CUdeviceptr = made!(cuMemAllocFromPoolAsync(len, pool, b.stream));
        ok!(cuStreamSynchronize(b.stream));
        mark(from, len, 78, a.stream);
        assert_eq!(set_access(pool, 0, READ_WRITE), SUCCESS);
        ok!(cuMemcpyPeerAsync(to, b.context, from, a.context, len, a.stream));
        assert_eq!(set_access(pool, 0, NONE), SUCCESS);
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(bytes_at(to + len as u64 - 4, 4, b.stream), 78_u32.to_ne_bytes());
    });
}

/// F346
#[test]
fn a_green_context_has_peers() {
    fresh!(a_green_context_has_peers, {
        let (a, b) = two_devices!();
        has_green_contexts!();
        let green = derived(create_green());
        let memory = within(green, || made!(cuMemAlloc_v2(Place::BYTES)));
        mark(a.memory, Place::BYTES, 5, a.stream);
        ok!(cuMemcpyPeerAsync(memory, green, a.memory, a.context, Place::BYTES, a.stream));
        ok!(cuMemcpyPeerAsync(b.memory, b.context, memory, green, Place::BYTES, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(b.value(), 5);
        within(green, || ok!(cuCtxEnablePeerAccess(b.context, 0)));
        within(b.context, || ok!(cuCtxEnablePeerAccess(green, 0)));
        within(b.context, || assert_eq!(code!(cuMemsetD32Async(memory, 6, 1, b.stream)), SUCCESS));
        ok!(cuStreamSynchronize(b.stream));
        assert_eq!(bytes_at(memory, 4, a.stream), 6_u32.to_ne_bytes());
        within(green, || ok!(cuCtxDisablePeerAccess(b.context)));
        within(b.context, || ok!(cuCtxDisablePeerAccess(green)));
    });
}

/// F347
#[test]
fn a_copy_between_contexts_spoils_a_capture() {
    fresh!(a_copy_between_contexts_spoils_a_capture, {
        let (a, b) = two_devices!();
        ok!(cuCtxPushCurrent_v2(a.context));
        ok!(cuStreamBeginCapture_v2(a.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
        let (to, from) = (b.memory, a.memory);
        let copied = code!(cuMemcpyPeerAsync(to, b.context, from, a.context, 64, a.stream));
        let mut graph: CUgraph = null_mut();
        let ended = code!(cuStreamEndCapture(a.stream, &raw mut graph));
        ok!(cuStreamBeginCapture_v2(a.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
        let mut rows: CUDA_MEMCPY3D_PEER = all_zeros();
        (rows.srcMemoryType, rows.dstMemoryType) = (CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE);
        (rows.srcDevice, rows.dstDevice) = (from, to);
        (rows.srcContext, rows.dstContext) = (a.context, b.context);
        (rows.WidthInBytes, rows.Height, rows.Depth) = (64, 1, 1);
        let of_rows = code!(cuMemcpy3DPeerAsync(&raw const rows, a.stream));
        let also_ended = code!(cuStreamEndCapture(a.stream, &raw mut graph));
        assert_eq!(
            (copied, ended, of_rows, also_ended),
            (UNSUPPORTED, INVALIDATED, UNSUPPORTED, INVALIDATED)
        );
    });
}

/// F348
#[test]
fn memory_of_a_pool_needs_a_context_of_its_device_for_copies_with_the_host() {
    fresh!(memory_of_a_pool_needs_a_context_of_its_device_for_copies_with_the_host, {
        let (a, b) = two_devices!();
        let pooled: [CUdeviceptr; 2] = [(); 2].map(|()| made!(cuMemAllocAsync(64, a.stream)));
        let plain = within(a.context, || [(); 2].map(|()| made!(cuMemAlloc_v2(64))));
        let mut pageable = [0_u8; 64];
        let locked: *mut c_void = within(a.context, || made!(cuMemHostAlloc(64, 1)));
        ok!(cuStreamSynchronize(a.stream));
        let mut all = Vec::new();
        for on_top in [None, Some(a.context), Some(b.context)] {
            for [one, other] in [pooled, plain] {
                for host in [pageable.as_mut_ptr().cast(), locked] {
                    let answers = with_on_top(on_top, || {
                        [
                            code!(cuMemcpyHtoDAsync_v2(one, host, 64, a.stream)),
                            code!(cuMemcpyDtoHAsync_v2(host, one, 64, a.stream)),
                            code!(cuMemcpyDtoDAsync_v2(one, other, 64, a.stream)),
                            code!(cuMemsetD32Async(one, 1, 16, a.stream)),
                            code!(cuMemcpyAsync(one, host.addr() as u64, 64, a.stream)),
                        ]
                    });
                    all.push(answers.map(|answer| answer.0));
                    ok!(cuStreamSynchronize(a.stream));
                }
            }
        }
        let (fine, refused) = ([0; 5], [1, 1, 1, 0, 1]);
        let expected = [[fine; 4], [fine; 4], [refused, refused, fine, fine]];
        assert_eq!(all, expected.as_flattened());
    });
}
