//! Memory of other interfaces: F460 to F463, F465, F470 to F472. It is physical memory that goes round by a descriptor.
#![cfg(target_os = "linux")] // its handles are descriptors

use crate::raw::*;
use crate::{dangling, fresh, skip_under_miri};
use cuscope::ffi::*;
use std::ffi::c_int;
use std::fs::File;
use std::os::fd::{FromRawFd, IntoRawFd};
use std::ptr::{null, null_mut};
use std::time::Duration;

const BYTES: u64 = 4 << 20;
const OPAQUE: CUexternalMemoryHandleType = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
const UNSUPPORTED: CUresult = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
const INVALIDATED: CUresult = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;

/// Physical memory that goes round by a descriptor.
fn physical() -> CUmemGenericAllocationHandle {
    let properties = CUmemAllocationProp {
        r#type: CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        location: CUmemLocation { r#type: CU_MEM_LOCATION_TYPE_DEVICE, ..all_zeros() },
        ..all_zeros()
    };
    made!(cuMemCreate(BYTES as usize, &raw const properties, 0))
}

fn export(memory: CUmemGenericAllocationHandle) -> c_int {
    let (mut descriptor, kind) = (-1, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    ok!(cuMemExportToShareableHandle((&raw mut descriptor).cast(), memory, kind, 0));
    descriptor
}

/// A descriptor that is neither memory nor a semaphore.
pub(super) fn other() -> c_int {
    File::open("/dev/null").unwrap().into_raw_fd()
}

/// Whether a descriptor is open.
pub(super) fn is_open(descriptor: c_int) -> bool {
    std::fs::read_link(format!("/proc/self/fd/{descriptor}")).is_ok()
}

pub(super) fn close(descriptor: c_int) {
    // SAFETY: an open descriptor that is nobody else's.
    drop(unsafe { File::from_raw_fd(descriptor) });
}

fn memory_of(descriptor: c_int) -> CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
    // The rest of the handle is zeros: it counts for other kinds.
    let mut asked: CUDA_EXTERNAL_MEMORY_HANDLE_DESC = all_zeros();
    asked.handle.fd = descriptor;
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC { r#type: OPAQUE, size: BYTES, ..asked }
}

/// The answer to an import, and what is imported.
fn try_import(asked: &CUDA_EXTERNAL_MEMORY_HANDLE_DESC) -> (CUresult, CUexternalMemory) {
    let mut memory = null_mut();
    (code!(cuImportExternalMemory(&raw mut memory, asked)), memory)
}

fn import(memory: CUmemGenericAllocationHandle) -> CUexternalMemory {
    let (code, memory) = try_import(&memory_of(export(memory)));
    assert_eq!(code, SUCCESS);
    memory
}

fn part(offset: u64, size: u64) -> CUDA_EXTERNAL_MEMORY_BUFFER_DESC {
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, ..all_zeros() }
}

fn try_map(
    memory: CUexternalMemory,
    asked: &CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
) -> (CUresult, CUdeviceptr) {
    let mut at = 0;
    (code!(cuExternalMemoryGetMappedBuffer(&raw mut at, memory, asked)), at)
}

fn map(memory: CUexternalMemory, offset: u64, size: u64) -> CUdeviceptr {
    let (code, at) = try_map(memory, &part(offset, size));
    assert_eq!(code, SUCCESS);
    at
}

fn word(at: CUdeviceptr) -> u32 {
    let mut word = 0_u32;
    ok!(cuMemcpyDtoH_v2((&raw mut word).cast(), at, 4));
    word
}

fn fill(at: CUdeviceptr, value: u32) {
    ok!(cuMemsetD32_v2(at, value, 4));
    ok!(cuCtxSynchronize());
}

/// The answer to a call while the thread captures in global mode, and that to the end of the capture.
fn in_capture(call: impl FnOnce() -> CUresult) -> (CUresult, CUresult) {
    let stream = free_stream();
    ok!(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    let code = call();
    let mut graph = null_mut();
    (code, code!(cuStreamEndCapture(stream, &raw mut graph)))
}

/// A stream that is held until a value is written: the call that lets it go, and the stream.
fn held() -> (impl FnOnce() + Send, CUstream) {
    let stream = free_stream();
    let mut host = null_mut();
    ok!(cuMemHostAlloc(&raw mut host, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
    let at: CUdeviceptr = made!(cuMemHostGetDevicePointer_v2(host, 0));
    ok!(cuStreamWaitValue32_v2(stream, at, 1, CU_STREAM_WAIT_VALUE_EQ.0));
    let host = Sent::new(host);
    let go = move || {
        std::thread::sleep(Duration::from_millis(50));
        // SAFETY: aligned memory that the process keeps, and that a stream only reads.
        let word = unsafe { std::sync::atomic::AtomicU32::from_ptr(host.take().cast()) };
        word.store(1, std::sync::atomic::Ordering::Release);
    };
    (go, stream)
}

/// F460
#[test]
fn imports_of_memory_check_what_they_are_told() {
    skip_under_miri!("takes descriptors");
    let _context = create_context();
    let good = memory_of(other());
    each_gives!(INVALID_VALUE; {
        cuImportExternalMemory(null_mut(), &raw const good);
        cuImportExternalMemory(null_mut(), null());
    });
    let mut memory = null_mut();
    assert_eq!(code!(cuImportExternalMemory(&raw mut memory, null())), INVALID_VALUE);
    let kind = |kind| {
        try_import(&CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            r#type: CUexternalMemoryHandleType(kind),
            ..good
        })
        .0
    };
    for invalid in [0, 5, 6, 7, 10, 99] {
        assert_eq!(kind(invalid), INVALID_VALUE, "{invalid}");
    }
    for unsupported in [2, 3, 4, 8, 9] {
        assert_eq!(kind(unsupported), NOT_SUPPORTED, "{unsupported}");
    }
    let mut reserved = good;
    reserved.reserved[3] = 1;
    for invalid in [
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC { size: 0, ..good },
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC { flags: 2, ..good },
        reserved,
    ] {
        assert_eq!(try_import(&invalid).0, INVALID_VALUE);
    }
}

/// F461, F462
#[test]
fn an_import_takes_the_descriptor_also_if_it_is_no_memory() {
    skip_under_miri!("takes descriptors");
    fresh!(an_import_takes_the_descriptor_also_if_it_is_no_memory, {
        let _context = create_context();
        for none in [-1, 9999] {
            assert_eq!(try_import(&memory_of(none)).0, UNKNOWN);
        }
        let (one, two) = (other(), other());
        assert_eq!(try_import(&memory_of(one)).0, UNKNOWN);
        assert!(!is_open(one));
        let zero = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { size: 0, ..memory_of(two) };
        assert_eq!(try_import(&zero).0, INVALID_VALUE);
        let windows = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            r#type: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32,
            ..memory_of(two)
        };
        assert_eq!(try_import(&windows).0, NOT_SUPPORTED);
        assert_eq!(in_capture(|| try_import(&memory_of(two)).0), (UNSUPPORTED, INVALIDATED));
        assert!(is_open(two));
        let memory = export(physical());
        assert_eq!(try_import(&memory_of(memory)).0, SUCCESS);
        assert!(!is_open(memory));
    });
}

/// F462
#[test]
fn no_import_compares_the_size() {
    skip_under_miri!("takes descriptors");
    let context = create_context();
    let memory = physical();
    for (size, last) in [(BYTES / 2, BYTES / 2), (2 * BYTES, BYTES), (1 << 50, BYTES), (1, 1)] {
        let asked = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { size, ..memory_of(export(memory)) };
        let (code, imported) = try_import(&asked);
        assert_eq!(code, SUCCESS);
        assert_eq!(try_map(imported, &part(0, last)).0, SUCCESS);
        assert_eq!(try_map(imported, &part(0, last + 1)).0, INVALID_VALUE);
    }
    let dedicated = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
        flags: CUDA_EXTERNAL_MEMORY_DEDICATED,
        ..memory_of(export(memory))
    };
    assert_eq!(try_import(&dedicated).0, SUCCESS);
    assert_eq!(pop(), context);
}

/// F463
#[test]
fn a_mapping_is_memory_of_the_context_of_the_import() {
    skip_under_miri!("maps files");
    let other = create_context_unpushed();
    let own = create_context();
    let memory = import(physical());
    let good = part(0, 4096);
    each_gives!(INVALID_VALUE; {
        cuExternalMemoryGetMappedBuffer(null_mut(), memory, &raw const good);
        cuExternalMemoryGetMappedBuffer(null_mut(), null_mut(), null());
    });
    let mut at = 0;
    assert_eq!(code!(cuExternalMemoryGetMappedBuffer(&raw mut at, memory, null())), INVALID_VALUE);
    assert_eq!(try_map(null_mut(), &good).0, INVALID_VALUE);
    let mut reserved = good;
    reserved.reserved[0] = 1;
    for invalid in [
        part(0, 0),
        part(0, BYTES + 1),
        part(BYTES, 1),
        part(u64::MAX, 2),
        CUDA_EXTERNAL_MEMORY_BUFFER_DESC { flags: 1, ..good },
        reserved,
    ] {
        assert_eq!(try_map(memory, &invalid).0, INVALID_VALUE);
    }
    // Each has addresses of its own, as aligned as the offset, and the same bytes.
    let (all, again, one) = (map(memory, 0, BYTES), map(memory, 0, BYTES), map(memory, 257, 1));
    assert!(all != again && one % 512 == 257);
    fill(all + 65536, 0xabc);
    let inside = map(memory, 65536, 4096);
    assert_eq!((word(again + 65536), word(inside)), (0xabc, 0xabc));
    let (mut base, mut size) = (0, 0);
    ok!(cuMemGetAddressRange_v2(&raw mut base, &raw mut size, inside + 5));
    assert_eq!((base, size), (inside, 4096));
    each_gives!(INVALID_VALUE; {
        cuMemsetD8_v2(inside + 4095, 1, 2);
        cuMemFree_v2(inside + 256);
    });
    let mut handle = all_zeros();
    assert_eq!(code!(cuIpcGetMemHandle(&raw mut handle, all)), INVALID_VALUE);
    assert_eq!(code!(cuMemFreeAsync(all, free_stream())), NOT_SUPPORTED);
    let at = within(other, || {
        assert_eq!(code!(cuMemsetD8_v2(all, 1, 4)), INVALID_VALUE);
        map(memory, 0, 4096)
    });
    let mut context: CUcontext = null_mut();
    let kind = CU_POINTER_ATTRIBUTE_CONTEXT;
    ok!(cuPointerGetAttribute((&raw mut context).cast(), kind, at));
    assert_eq!(context, own);
    // A free in another context, and in none.
    within(other, || ok!(cuMemFree_v2(at)));
    assert_eq!(code!(cuMemFree_v2(at)), INVALID_VALUE);
    assert_eq!(pop(), own);
    ok!(cuMemFree_v2(inside));
}

/// F463
#[test]
fn imported_memory_and_its_mappings_end_apart() {
    fresh!(imported_memory_and_its_mappings_end_apart, {
        skip_under_miri!("maps files");
        let context = create_context();
        assert_eq!(code!(cuDestroyExternalMemory(null_mut())), INVALID_VALUE);
        let physical = physical();
        let (memory, second) = (import(physical), import(physical));
        let (at, next) = (map(memory, 0, 4096), map(second, 4096, 4096));
        let (go, stream) = held();
        ok!(cuMemsetD32Async(at, 7, 4, stream));
        ok!(cuDestroyExternalMemory(memory)); // waits for nothing
        assert_eq!(code!(cuStreamQuery(stream)), NOT_READY);
        std::thread::scope(|threads| {
            let waits = threads.spawn(go);
            ok!(cuMemFree_v2(next)); // waits for the context
            ok!(cuStreamQuery(stream));
            waits.join().unwrap();
        });
        assert_eq!(word(at), 7);
        assert_eq!(in_capture(|| code!(cuMemFree_v2(at))), (UNSUPPORTED, INVALIDATED));
        let third = import(physical);
        assert_eq!(in_capture(|| try_map(second, &part(0, 64)).0), (SUCCESS, SUCCESS));
        assert_eq!(
            in_capture(|| code!(cuDestroyExternalMemory(second))),
            (UNSUPPORTED, INVALIDATED)
        );
        assert_eq!(pop(), context);
        ok!(cuDestroyExternalMemory(second));
        ok!(cuDestroyExternalMemory(third));
    });
}

fn image(offset: u64, levels: u32) -> CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
    let array = CUDA_ARRAY3D_DESCRIPTOR {
        Width: 64,
        Height: 32,
        Depth: 0,
        Format: CU_AD_FORMAT_UNSIGNED_INT8,
        NumChannels: 4,
        Flags: CUDA_ARRAY3D_SURFACE_LDST,
    };
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
        offset,
        arrayDesc: array,
        numLevels: levels,
        ..all_zeros()
    }
}

fn try_map_image(
    memory: CUexternalMemory,
    asked: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
) -> (CUresult, CUmipmappedArray) {
    let mut array = null_mut();
    (code!(cuExternalMemoryGetMappedMipmappedArray(&raw mut array, memory, asked)), array)
}

/// F465
#[test]
fn an_image_is_a_mipmapped_array_in_imported_memory() {
    skip_under_miri!("maps files");
    let _context = create_context();
    let memory = import(physical());
    let good = image(0, 2);
    each_gives!(INVALID_VALUE; {
        cuExternalMemoryGetMappedMipmappedArray(null_mut(), memory, &raw const good);
        cuExternalMemoryGetMappedMipmappedArray(null_mut(), null_mut(), null());
    });
    let mut reserved = good;
    reserved.reserved[0] = 1;
    let mut large = good;
    (large.arrayDesc.Width, large.arrayDesc.Height, large.numLevels) = (4096, 4096, 1);
    let mut three = good;
    three.arrayDesc.NumChannels = 3;
    for invalid in
        [image(0, 8), image(0, 99), image(BYTES, 1), image(1 << 30, 1), large, three, reserved]
    {
        assert_eq!(try_map_image(memory, &invalid).0, INVALID_VALUE);
    }
    assert_eq!(try_map_image(memory, &image(256, 7)).0, SUCCESS);
    let ((one, a), (two, b)) = (try_map_image(memory, &good), try_map_image(memory, &good));
    assert_eq!((one, two, a == b), (SUCCESS, SUCCESS, false));
    let level: CUarray = made!(cuMipmappedArrayGetLevel(a, 1));
    let told: CUDA_ARRAY3D_DESCRIPTOR = made!(cuArray3DGetDescriptor_v2(level));
    assert_eq!((told.Width, told.Height, told.Depth, told.NumChannels), (32, 16, 0, 4));
    let mut none = null_mut();
    assert_eq!(code!(cuMipmappedArrayGetLevel(&raw mut none, a, 2)), INVALID_VALUE);
    // The texels are the same, and stay without the import.
    let texels: [u32; 16] = std::array::from_fn(|i| i as u32 + 7);
    ok!(cuMemcpyHtoA_v2(level, 0, texels.as_ptr().cast(), 64));
    ok!(cuMipmappedArrayDestroy(a));
    ok!(cuDestroyExternalMemory(memory));
    let (mut found, level) = ([0_u32; 16], made!(cuMipmappedArrayGetLevel(b, 1)));
    ok!(cuMemcpyAtoH_v2(found.as_mut_ptr().cast(), level, 0, 64));
    assert_eq!(found, texels);
    ok!(cuMipmappedArrayDestroy(b));
}

/// F472
#[test]
fn mappings_are_made_behind_a_fault() {
    skip_under_miri!("maps files");
    fresh!(mappings_are_made_behind_a_fault, {
        let _context = create_context();
        let physical = physical();
        let (memory, descriptor) = (import(physical), export(physical));
        let at = map(memory, 0, 4096);
        assert_eq!(launch(kernel(load_kernels(), c"stop_here"), null_mut(), &[]), SUCCESS);
        assert_eq!(code!(cuCtxSynchronize()), LAUNCH_FAILED);
        assert_eq!(try_import(&memory_of(descriptor)).0, LAUNCH_FAILED);
        assert!(is_open(descriptor));
        close(descriptor);
        assert_eq!(code!(cuImportExternalMemory(null_mut(), null())), LAUNCH_FAILED);
        assert_eq!(try_map(memory, &part(0, 4096)).0, SUCCESS);
        assert_eq!(code!(cuMemFree_v2(at)), LAUNCH_FAILED);
        ok!(cuDestroyExternalMemory(memory));
        let signal = code!(cuSignalExternalSemaphoresAsync(null(), null(), 0, null_mut()));
        assert_eq!(signal, LAUNCH_FAILED);
    });
}

/// F470
#[test]
fn destroyed_imports_and_null_semaphores_are_dangerous() {
    skip_under_miri!("takes descriptors");
    dangling!(destroyed_imports_and_null_semaphores_are_dangerous, {
        let _context = create_context();
        let memory = import(physical());
        ok!(cuDestroyExternalMemory(memory));
        assert_eq!(try_map_image(memory, &image(0, 0)).0, INVALID_VALUE);
        assert_eq!(try_map(memory, &part(0, 64)).0, INVALID_VALUE);
        assert_eq!(code!(cuDestroyExternalMemory(memory)), INVALID_VALUE);
        let none = null_mut();
        let params: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS = all_zeros();
        let stream = free_stream();
        let code =
            code!(cuSignalExternalSemaphoresAsync(&raw const none, &raw const params, 1, stream));
        assert_eq!(code, INVALID_VALUE);
    });
}

/// F471
#[test]
fn nothing_of_graphics_is_registered() {
    let _context = create_context();
    let stream = free_stream();
    let (mut one, mut at, mut size, mut array, mut levels) =
        (null_mut(), 0, 0, null_mut(), null_mut());
    each_gives!(INVALID_VALUE; {
        cuGraphicsMapResources(0, null_mut(), stream);
        cuGraphicsUnmapResources(0, null_mut(), stream);
        cuGraphicsMapResources(1, null_mut(), stream);
    });
    each_gives!(INVALID_HANDLE; {
        cuGraphicsMapResources(1, &raw mut one, stream);
        cuGraphicsUnmapResources(1, &raw mut one, stream);
        cuGraphicsUnregisterResource(null_mut());
        cuGraphicsResourceSetMapFlags_v2(null_mut(), 0);
        cuGraphicsResourceGetMappedPointer_v2(&raw mut at, &raw mut size, null_mut());
        cuGraphicsSubResourceGetMappedArray(&raw mut array, null_mut(), 0, 0);
        cuGraphicsResourceGetMappedMipmappedArray(&raw mut levels, null_mut());
    });
}
