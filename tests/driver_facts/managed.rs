//! Managed memory, its ranges and places: F420 to F425.

use crate::common::software;
use crate::raw::*;
use crate::{fresh, skip_under_miri};
use cuscope::ffi::*;
use std::ffi::{CStr, c_int, c_void};
use std::ptr::null_mut;

const MIB: usize = 1 << 20;
const UNSUPPORTED: CUresult = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;

fn words(memory: CUdeviceptr) -> *mut u32 {
    std::ptr::with_exposed_provenance_mut(memory as usize)
}

/// A value of managed memory.
fn value(memory: CUdeviceptr) -> u32 {
    // SAFETY: managed memory, which the tests write at other times, or at other addresses.
    unsafe { words(memory).read_volatile() }
}

fn set_value(memory: CUdeviceptr, value: u32) {
    // SAFETY: as above.
    unsafe { words(memory).write_volatile(value) };
}

fn place_of(kind: CUmemLocationType, id: c_int) -> CUmemLocation {
    let mut place: CUmemLocation = all_zeros();
    (place.r#type, place.anonymous.id) = (kind, id);
    place
}

fn store(a: &Place, stream: CUstream, address: CUdeviceptr, value: u64) {
    assert_eq!(launch(a.kernel(c"store_value"), stream, &[address, value]), SUCCESS);
    ok!(cuStreamSynchronize(stream));
}

/// F420
#[test]
fn the_host_uses_managed_memory_while_kernels_run() {
    let a = place();
    let other = free_stream();
    let mut concurrent = 0;
    let asked = CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS;
    ok!(cuDeviceGetAttribute(&raw mut concurrent, asked, device()));
    assert_eq!(concurrent, 1);
    for flags in [1, 2] {
        let memory: CUdeviceptr = made!(cuMemAllocManaged(MIB, flags));
        set_value(memory, 5);
        store(&a, a.stream, memory + 4, 9);
        assert_eq!([value(memory), value(memory + 4)], [5, 9]);
        // Attached to one stream, or to the host: others use it all the same.
        for (attached, written) in [(4, 10), (2, 11), (1, 12)] {
            ok!(cuStreamAttachMemAsync(a.stream, memory, 0, attached));
            store(&a, other, memory + 4, written);
            assert_eq!(value(memory + 4), written as u32);
        }
        let gate = hold(&a);
        set_value(memory + 8, 3);
        assert_eq!(value(memory + 8), 3);
        assert_eq!(code!(cuStreamQuery(a.stream)), NOT_READY, "the host waited");
        gate.open();
        busy(&a);
        // The free waits for what the context does.
        ok!(cuMemFree_v2(memory));
        assert_eq!(code!(cuStreamQuery(a.stream)), SUCCESS);
        assert_eq!(code!(cuMemFree_v2(memory)), INVALID_VALUE);
        let memory: CUdeviceptr = made!(cuMemAllocManaged(MIB, flags));
        assert_eq!(code!(cuMemFreeAsync(memory, a.stream)), CUDA_ERROR_NOT_SUPPORTED);
        assert_eq!(pop(), a.context);
        ok!(cuMemFree_v2(memory));
        let mut none = 0;
        assert_eq!(code!(cuMemAllocManaged(&raw mut none, 64, flags)), INVALID_CONTEXT);
        ok!(cuCtxPushCurrent_v2(a.context));
    }
    pop();
    a.destroy();
}

/// The host's view of managed memory after a fault, in a process of its own.
fn behind_a_fault(kernel: &CStr, arguments: &[u64], code: CUresult) {
    let a = place();
    let memory: CUdeviceptr = made!(cuMemAllocManaged(MIB, 2));
    set_value(memory, 5);
    store(&a, a.stream, memory + 4, 9);
    ok!(cuMemPrefetchAsync(memory, MIB, device(), a.stream));
    ok!(cuStreamSynchronize(a.stream));
    assert_eq!(launch(a.kernel(kernel), a.stream, arguments), SUCCESS);
    assert_eq!(code!(cuStreamSynchronize(a.stream)), code);
    assert_eq!([value(memory), value(memory + 4)], [5, 9]);
    set_value(memory, 77);
    assert_eq!(value(memory), 77);
    let (mut out, mut size, mut of) = (0, 0, [0_u8; 4]);
    let to: *mut c_void = of.as_mut_ptr().cast();
    each_gives!(code; {
        cuMemGetAddressRange_v2(&raw mut out, &raw mut size, memory);
        cuMemAllocManaged(&raw mut out, 64, 1);
        cuMemAdvise(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0);
        cuMemPrefetchAsync(memory, 4096, 0, a.stream);
        cuMemRangeGetAttribute(to, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, 4096);
        cuMemFree_v2(memory);
    });
    let kind = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    assert_eq!(code!(cuPointerGetAttribute(to, kind, memory)), SUCCESS);
    ok!(cuCtxDestroy_v2(a.context));
}

/// F421
#[test]
fn the_host_uses_managed_memory_behind_a_fault() {
    fresh!(the_host_uses_managed_memory_behind_a_fault, {
        behind_a_fault(c"stop_here", &[], LAUNCH_FAILED);
    });
}

/// F421
#[test]
fn the_host_uses_managed_memory_behind_a_bad_address() {
    fresh!(the_host_uses_managed_memory_behind_a_bad_address, {
        behind_a_fault(c"store_value", &[0x1234_5678_0000, 1], ILLEGAL_ADDRESS);
    });
}

/// F421
#[cfg(unix)] // it forks
#[test]
fn the_child_of_a_fork_has_no_managed_memory() {
    use std::os::unix::process::ExitStatusExt as _;
    skip_under_miri!("forks");
    fresh!(the_child_of_a_fork_has_no_managed_memory, {
        let a = place();
        let memory: CUdeviceptr = made!(cuMemAllocManaged(MIB, 1));
        set_value(memory, 5);
        // SAFETY: the child reads one word, and ends.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let found = value(memory);
            // SAFETY: ends the process.
            unsafe { libc::_exit(if found == 5 { 0 } else { 1 }) };
        }
        let mut status = 0;
        // SAFETY: the child above, and a place for its status.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        let status = std::process::ExitStatus::from_raw(status);
        // The software driver's is memory of the process, which the child has a copy of.
        if software() {
            assert!(status.success());
        } else {
            assert_eq!(crate::common::signal(status), Some(libc::SIGSEGV));
        }
        a.destroy();
    });
}

/// The values of the attributes 1 to 8 of a range; the third, of four users, apart.
type Told = ([c_int; 7], [c_int; 4]);

fn attributes(memory: CUdeviceptr, bytes: usize) -> Told {
    let (mut others, mut users) = ([-77; 7], [-77; 4]);
    for (place, id) in [1, 2, 4, 5, 6, 7, 8].into_iter().enumerate() {
        let to: *mut c_void = (&raw mut others[place]).cast();
        ok!(cuMemRangeGetAttribute(to, 4, CUmem_range_attribute(id), memory, bytes));
    }
    let (to, by) = (users.as_mut_ptr().cast(), CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY);
    ok!(cuMemRangeGetAttribute(to, 16, by, memory, bytes));
    (others, users)
}

/// F422
#[test]
fn a_range_tells_the_advice_that_it_has() {
    let a = place();
    let memory: CUdeviceptr = made!(cuMemAllocManaged(MIB, 1));
    let (on, none) = (device(), [-2; 4]);
    let mut expected = ([0, -2, -2, 0, -2, 0, -2], none);
    assert_eq!(attributes(memory, MIB), expected);
    let mut advise = |advice, device, change: &dyn Fn(&mut Told)| {
        ok!(cuMemAdvise(memory, MIB, advice, device));
        change(&mut expected);
        assert_eq!(attributes(memory, MIB), expected, "{advice:?}");
    };
    advise(CU_MEM_ADVISE_SET_READ_MOSTLY, on, &|all| all.0[0] = 1);
    advise(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, on, &|all| {
        (all.0[1], all.0[3], all.0[4]) = (on, 1, on);
    });
    advise(CU_MEM_ADVISE_SET_ACCESSED_BY, CU_DEVICE_CPU, &|all| all.1 = [-1, -2, -2, -2]);
    advise(CU_MEM_ADVISE_SET_ACCESSED_BY, on, &|all| all.1 = [on, -1, -2, -2]);
    advise(CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU, &|all| {
        (all.0[1], all.0[3], all.0[4]) = (-1, 2, -1);
    });
    advise(CU_MEM_ADVISE_UNSET_READ_MOSTLY, on, &|all| all.0[0] = 0);
    advise(CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, on, &|all| {
        (all.0[1], all.0[3], all.0[4]) = (-2, 0, -2);
    });
    advise(CU_MEM_ADVISE_UNSET_ACCESSED_BY, on, &|all| all.1 = [-1, -2, -2, -2]);
    advise(CU_MEM_ADVISE_UNSET_ACCESSED_BY, CU_DEVICE_CPU, &|all| all.1 = none);
    for (to, told) in [(on, [on, 1, on]), (CU_DEVICE_CPU, [-1, 2, -1])] {
        ok!(cuMemPrefetchAsync(memory, MIB, to, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        let (all, _) = attributes(memory, MIB);
        assert_eq!([all[2], all[5], all[6]], told);
    }
    // Advice to a part is not that of the whole.
    ok!(cuMemAdvise(memory, 1 << 16, CU_MEM_ADVISE_SET_READ_MOSTLY, on));
    ok!(cuMemAdvise(memory + 4, 4, CU_MEM_ADVISE_SET_READ_MOSTLY, on));
    assert_eq!([attributes(memory, MIB).0[0], attributes(memory, 1 << 16).0[0]], [0, 1]);
    assert_eq!(attributes(memory + 4, 4).0[0], 1);
    pop();
    a.destroy();
}

/// F422
#[test]
fn attributes_of_a_range_are_asked_for_properly() {
    let a = place();
    let memory: CUdeviceptr = made!(cuMemAllocManaged(MIB, 1));
    let host = a.host.expose_provenance() as CUdeviceptr;
    let mut out = [-77_i32; 4];
    let to: *mut c_void = out.as_mut_ptr().cast();
    let (mostly, users) = (CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY);
    each_gives!(INVALID_VALUE; {
        cuMemRangeGetAttribute(null_mut(), 4, mostly, memory, 4096);
        cuMemRangeGetAttribute(to, 3, mostly, memory, 4096);
        cuMemRangeGetAttribute(to, 8, mostly, memory, 4096);
        cuMemRangeGetAttribute(to, 6, users, memory, 4096);
        cuMemRangeGetAttribute(to, 0, users, memory, 4096);
        cuMemRangeGetAttribute(to, 4, mostly, memory, 0);
        cuMemRangeGetAttribute(to, 4, mostly, memory, 2 * MIB);
        cuMemRangeGetAttribute(to, 4, mostly, a.memory, 64);
        cuMemRangeGetAttribute(to, 4, mostly, host, 64);
        cuMemRangeGetAttribute(to, 4, mostly, 0, 64);
        cuMemRangeGetAttribute(to, 4, CUmem_range_attribute(0), memory, 64);
        cuMemRangeGetAttribute(to, 4, CUmem_range_attribute(9), memory, 64);
    });
    let (mut x, mut y) = (-5_i32, -5_i32);
    let mut data: [*mut c_void; 2] = [(&raw mut x).cast(), (&raw mut y).cast()];
    let (mut sizes, mut ids) = ([4_usize; 2], [mostly, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION]);
    let (data, sizes, ids) = (data.as_mut_ptr(), sizes.as_mut_ptr(), ids.as_mut_ptr());
    ok!(cuMemRangeGetAttributes(data, sizes, ids, 2, memory, MIB));
    assert_eq!((x, y), (0, -2));
    each_gives!(INVALID_VALUE; {
        cuMemRangeGetAttributes(data, sizes, ids, 0, memory, MIB);
        cuMemRangeGetAttributes(null_mut(), sizes, ids, 2, memory, MIB);
        cuMemRangeGetAttributes(data, null_mut(), ids, 2, memory, MIB);
        cuMemRangeGetAttributes(data, sizes, null_mut(), 2, memory, MIB);
        cuMemRangeGetAttributes(data, sizes, ids, 2, a.memory, 64);
    });
    pop();
    a.destroy();
}

/// F423
#[test]
fn managed_memory_moves_to_places() {
    has!(cuMemPrefetchAsync_v2, cuMemAdvise_v2);
    let a = place();
    let memory: CUdeviceptr = made!(cuMemAllocManaged(MIB, 1));
    let on = device();
    let (at, host) = (CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST);
    let (node, here) = (CU_MEM_LOCATION_TYPE_HOST_NUMA, CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
    let (moved, told) = (SUCCESS, INVALID_VALUE);
    for (kind, id, prefetch, prefer, by, last) in [
        (host, 0, moved, SUCCESS, SUCCESS, [-1, 2, -1]),
        // The number is not looked at.
        (host, 7, moved, SUCCESS, SUCCESS, [-1, 2, -1]),
        (node, 0, moved, SUCCESS, told, [-1, 3, 0]),
        (node, 99, told, told, told, [-1, 3, 0]),
        (here, 0, moved, SUCCESS, told, [-1, 4, 0]),
        (at, on, moved, SUCCESS, SUCCESS, [on, 1, on]),
        (at, 99, INVALID_DEVICE, told, told, [on, 1, on]),
        (CU_MEM_LOCATION_TYPE_NONE, 0, told, told, told, [on, 1, on]),
        (CUmemLocationType(5), 0, told, told, told, [on, 1, on]),
    ] {
        let place = place_of(kind, id);
        let code = newer!(cuMemPrefetchAsync_v2(memory, MIB, place, 0, a.stream));
        assert_eq!(code, prefetch, "{kind:?} {id}");
        ok!(cuStreamSynchronize(a.stream));
        let (all, _) = attributes(memory, MIB);
        assert_eq!([all[2], all[5], all[6]], last, "{kind:?} {id}");
        let advise = |advice| newer!(cuMemAdvise_v2(memory, MIB, advice, place));
        assert_eq!(advise(CU_MEM_ADVISE_SET_PREFERRED_LOCATION), prefer, "{kind:?} {id}");
        assert_eq!(advise(CU_MEM_ADVISE_SET_ACCESSED_BY), by, "{kind:?} {id}");
    }
    let there = place_of(at, on);
    assert_eq!(newer!(cuMemPrefetchAsync_v2(memory, MIB, there, 1, a.stream)), INVALID_VALUE);
    // A node is told as the host.
    ok!(newer cuMemAdvise_v2(memory, MIB, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, place_of(host, 0)));
    ok!(newer cuMemAdvise_v2(memory, MIB, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, place_of(node, 0)));
    assert_eq!(attributes(memory, MIB).0[3..5], [2, -1]);
    pop();
    a.destroy();
}

/// F424
#[test]
fn captures_refuse_managed_memory() {
    fresh!(captures_refuse_managed_memory, {
        let a = place();
        let memory: CUdeviceptr = made!(cuMemAllocManaged(MIB, 1));
        let mut out = [0_u8; 4];
        let to: *mut c_void = out.as_mut_ptr().cast();
        for mode in [
            CU_STREAM_CAPTURE_MODE_GLOBAL,
            CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
            CU_STREAM_CAPTURE_MODE_RELAXED,
        ] {
            let relaxed = mode == CU_STREAM_CAPTURE_MODE_RELAXED;
            let code = if relaxed { SUCCESS } else { UNSUPPORTED };
            // Each call invalidates the capture that it is refused in.
            let captured = |call: &dyn Fn() -> CUresult, code: CUresult| {
                ok!(cuStreamBeginCapture_v2(a.stream, mode));
                assert_eq!(call(), code, "{mode:?}");
                let mut graph = null_mut();
                let ended = code!(cuStreamEndCapture(a.stream, &raw mut graph));
                let spoiled = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
                assert_eq!(ended, if code == SUCCESS { SUCCESS } else { spoiled }, "{mode:?}");
                if !graph.is_null() {
                    ok!(cuGraphDestroy(graph));
                }
            };
            let mut more = 0;
            let more = &raw mut more;
            captured(&|| code!(cuMemAllocManaged(more, 64, 1)), code);
            let mostly = CU_MEM_ADVISE_SET_READ_MOSTLY;
            captured(&|| code!(cuMemAdvise(memory, 4096, mostly, 0)), code);
            let asked = CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
            captured(&|| code!(cuMemRangeGetAttribute(to, 4, asked, memory, 4096)), SUCCESS);
            captured(&|| code!(cuMemPrefetchAsync(memory, 4096, 0, a.stream)), UNSUPPORTED);
        }
        pop();
        a.destroy();
    });
}

/// F424
#[test]
fn managed_memory_of_another_context_and_of_none() {
    let (a, b) = (Place::new(), Place::new());
    let memory: CUdeviceptr = within(a.context, || made!(cuMemAllocManaged(MIB, 1)));
    let mut out = [0_u8; 4];
    let to: *mut c_void = out.as_mut_ptr().cast();
    let mostly = CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
    let pages = words(memory).cast();
    each_gives!(INVALID_CONTEXT; {
        cuMemAdvise(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0);
        cuMemRangeGetAttribute(to, 4, mostly, memory, 4096);
        cuMemPrefetchAsync(memory, 4096, 0, null_mut());
    });
    ok!(cuMemPrefetchAsync(memory, 4096, 0, a.stream));
    within(b.context, || {
        ok!(cuMemAdvise(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
        ok!(cuMemPrefetchAsync(memory, 4096, 0, b.stream));
        store(&b, b.stream, memory + 4, 12);
        assert_eq!(value(memory + 4), 12);
        assert_eq!(code!(cuMemHostRegister_v2(pages, 4096, 0)), INVALID_VALUE);
    });
    b.destroy();
    a.destroy();
}

/// F424
#[test]
fn host_functions_ask_nothing_of_managed_memory() {
    unsafe extern "C" fn inside(data: *mut c_void) {
        // SAFETY: the memory that the test passes, and lets nothing else use.
        let (memory, codes) = unsafe { &mut *data.cast::<(CUdeviceptr, Vec<CUresult>)>() };
        let (memory, mut out, mut more) = (*memory, [0_u8; 4], 0);
        let to: *mut c_void = out.as_mut_ptr().cast();
        codes.push(code!(cuMemAllocManaged(&raw mut more, 64, 1)));
        codes.push(code!(cuMemAdvise(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0)));
        let mostly = CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
        codes.push(code!(cuMemRangeGetAttribute(to, 4, mostly, memory, 4096)));
        codes.push(code!(cuMemPrefetchAsync(memory, 4096, 0, null_mut())));
        codes.push(code!(cuMemFree_v2(memory)));
    }
    let a = place();
    let memory: CUdeviceptr = made!(cuMemAllocManaged(MIB, 1));
    let mut shared = (memory, Vec::<CUresult>::new());
    ok!(cuLaunchHostFunc(a.stream, Some(inside), (&raw mut shared).cast()));
    ok!(cuStreamSynchronize(a.stream));
    assert_eq!(shared.1, [NOT_PERMITTED; 5]);
    pop();
    a.destroy();
}

/// F425
#[test]
fn ranges_are_discarded_and_moved_in_batches() {
    has!(cuMemPrefetchBatchAsync, cuMemDiscardBatchAsync, cuMemDiscardAndPrefetchBatchAsync);
    let a = place();
    let memory: CUdeviceptr = made!(cuMemAllocManaged(MIB, 1));
    let (mut at, mut sizes) = ([memory, memory + 65536], [65536_usize; 2]);
    let (mut places, mut firsts) = ([place_of(CU_MEM_LOCATION_TYPE_DEVICE, device())], [0_usize]);
    let (at, bytes) = (at.as_mut_ptr(), sizes.as_mut_ptr());
    let (to, first) = (places.as_mut_ptr(), firsts.as_mut_ptr());
    ok!(newer cuMemPrefetchBatchAsync(at, bytes, 2, to, first, 1, 0, a.stream));
    ok!(cuStreamSynchronize(a.stream));
    assert_eq!(attributes(memory, 1 << 17).0[5], 1);
    ok!(newer cuMemDiscardBatchAsync(at, bytes, 2, 0, a.stream));
    ok!(newer cuMemDiscardAndPrefetchBatchAsync(at, bytes, 2, to, first, 1, 0, a.stream));
    let codes = [
        newer!(cuMemPrefetchBatchAsync(at, bytes, 0, to, first, 1, 0, a.stream)),
        newer!(cuMemDiscardBatchAsync(at, bytes, 0, 0, a.stream)),
        newer!(cuMemDiscardBatchAsync(at, bytes, 2, 1, a.stream)),
        newer!(cuMemDiscardBatchAsync(null_mut(), bytes, 2, 0, a.stream)),
    ];
    assert_eq!(codes, [INVALID_VALUE; 4]);
    sizes[0] = 4;
    ok!(newer cuMemDiscardBatchAsync(at, sizes.as_mut_ptr(), 2, 0, a.stream));
    ok!(cuStreamSynchronize(a.stream));
    pop();
    a.destroy();
}

/// F421
#[test]
fn managed_memory_ends_with_its_context() {
    skip_under_miri!("dies");
    if software() {
        crate::skip!("memory that the software driver has freed may be anything");
    }
    let output = crate::common::respawn(module_path!(), "managed_memory_ends_with_its_context");
    if let Some(output) = output {
        assert_eq!(crate::common::signal(output.status), Some(libc::SIGSEGV));
        return;
    }
    let a = place();
    let memory: CUdeviceptr = made!(cuMemAllocManaged(MIB, 1));
    set_value(memory, 5);
    pop();
    a.destroy();
    std::process::exit(if value(memory) == 5 { 0 } else { 1 });
}
