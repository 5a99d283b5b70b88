//! Reserved addresses, physical memory and mappings: F390 to F399.

#[cfg(unix)]
use crate::common::respawn_with;
use crate::common::{assert_success, software};
use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

type Handle = CUmemGenericAllocationHandle;

const NONE: CUmemAccess_flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
const READ: CUmemAccess_flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
const READ_WRITE: CUmemAccess_flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
const DESCRIPTOR: CUmemAllocationHandleType = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

fn location() -> CUmemLocation {
    CUmemLocation { r#type: CU_MEM_LOCATION_TYPE_DEVICE, ..all_zeros() }
}

/// The properties of memory of the first device.
fn properties(handles: CUmemAllocationHandleType) -> CUmemAllocationProp {
    CUmemAllocationProp {
        r#type: CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: handles,
        location: location(),
        ..all_zeros()
    }
}

fn granularity() -> usize {
    let properties = properties(CU_MEM_HANDLE_TYPE_NONE);
    made!(cuMemGetAllocationGranularity(&raw const properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM))
}

fn reserve(size: usize) -> CUdeviceptr {
    made!(cuMemAddressReserve(size, 0, 0, 0))
}

fn create(size: usize) -> Handle {
    let properties = properties(CU_MEM_HANDLE_TYPE_NONE);
    made!(cuMemCreate(size, &raw const properties, 0))
}

/// The answer to a change of the first device's access.
fn set_access(at: CUdeviceptr, size: usize, flags: CUmemAccess_flags) -> CUresult {
    let access = CUmemAccessDesc { location: location(), flags };
    code!(cuMemSetAccess(at, size, &raw const access, 1))
}

/// The first device's access.
fn access(at: CUdeviceptr) -> u64 {
    let location = location();
    made!(cuMemGetAccess(&raw const location, at))
}

/// Maps physical memory at a place, with all access.
fn map(at: CUdeviceptr, size: usize, memory: Handle) {
    ok!(cuMemMap(at, size, 0, memory, 0));
    assert_eq!(set_access(at, size, READ_WRITE), SUCCESS);
}

/// A range that has memory all over, and the handle of that.
fn mapped(size: usize) -> (CUdeviceptr, Handle) {
    let (at, memory) = (reserve(size), create(size));
    map(at, size, memory);
    (at, memory)
}

fn fill(at: CUdeviceptr, value: u32) {
    ok!(cuMemsetD32_v2(at, value, 4));
    ok!(cuCtxSynchronize());
}

fn word(at: CUdeviceptr) -> u32 {
    let mut word = 0_u32;
    ok!(cuMemcpyDtoH_v2((&raw mut word).cast(), at, 4));
    word
}

/// Leaves the test on a device without virtual memory, or where its handles go to no other process.
macro_rules! needs {
    ($($attribute:ident)*) => { $(
        if made!(cuDeviceGetAttribute($attribute, device())) == 0 {
            $crate::skip!(stringify!($attribute));
        }
    )* };
}

/// F390, F391
#[test]
fn addresses_are_reserved_and_given_back_whole() {
    let device = device();
    needs!(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
    let size = granularity();
    assert!(current().is_null() && device == 0);
    let mut at = 0;
    let refused = [
        (0, 0, 0, 0),
        (1, 0, 0, 0),
        (0x1000, 0, 0, 0),
        (size + 0x1000, 0, 0, 0),
        (size, 3, 0, 0),
        (size, 0, 0x10, 0),
        (size, 0, 0x10_0000_1000, 0),
        (size, 0, 0, 1),
    ];
    for (size, alignment, wish, flags) in refused {
        let code = code!(cuMemAddressReserve(&raw mut at, size, alignment, wish, flags));
        assert_eq!(code, INVALID_VALUE, "{size} {alignment} {wish} {flags}");
    }
    for (size, wish) in [(1 << 47, 0), (size, 1 << 62)] {
        let code = code!(cuMemAddressReserve(&raw mut at, size, 0, wish, 0));
        assert_eq!(code, OUT_OF_MEMORY, "{size} {wish}");
    }
    let at: CUdeviceptr = made!(cuMemAddressReserve(4 * size, 4 * size, 0, 0));
    assert!(at.is_multiple_of(4 * size as u64));
    each_gives!(INVALID_VALUE; {
        cuMemAddressFree(at, size);
        cuMemAddressFree(at + size as u64, size);
        cuMemAddressFree(at, 8 * size);
        cuMemAddressFree(at, 0);
        cuMemAddressFree(0, 0);
    });
    ok!(cuMemAddressFree(at, 4 * size));
    assert_eq!(code!(cuMemAddressFree(at, 4 * size)), INVALID_VALUE);
}

/// The type, the kind and the ordinal of the place, and the handles of memory that is not created.
const REFUSED: [(u32, u32, c_int, u32, CUresult); 8] = [
    (0, 1, 0, 0, INVALID_VALUE),
    (2, 1, 0, 0, INVALID_VALUE),
    (1, 0, 0, 0, INVALID_VALUE),
    (1, 4, 0, 0, INVALID_VALUE),
    (1, 1, 99, 0, INVALID_DEVICE),
    (1, 1, -1, 0, INVALID_DEVICE),
    (1, 1, 0, 2, INVALID_VALUE),
    (1, 1, 0, 8, NOT_PERMITTED),
];

/// F392
#[test]
fn physical_memory_is_created_in_multiples_of_the_granularity() {
    device();
    needs!(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
    let (size, properties) = (granularity(), properties(CU_MEM_HANDLE_TYPE_NONE));
    let asked = &raw const properties;
    let recommended: usize =
        made!(cuMemGetAllocationGranularity(asked, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    assert!(size.is_power_of_two() && recommended.is_multiple_of(size));
    let (mut memory, mut granularity) = (0, 0);
    each_gives!(INVALID_VALUE; {
        cuMemGetAllocationGranularity(&raw mut granularity, asked, CUmemAllocationGranularity_flags(2));
        cuMemCreate(&raw mut memory, 0, asked, 0);
        cuMemCreate(&raw mut memory, size + 1, asked, 0);
        cuMemCreate(&raw mut memory, size, asked, 1);
    });
    let least = CU_MEM_ALLOC_GRANULARITY_MINIMUM;
    for (kind, place, id, handles, answer) in REFUSED {
        let mut other = properties;
        other.r#type = CUmemAllocationType(kind);
        other.location.r#type = CUmemLocationType(place);
        other.location.anonymous.id = id;
        other.requestedHandleTypes = CUmemAllocationHandleType(handles);
        // The granularity is that of whatever memory.
        let told: usize = made!(cuMemGetAllocationGranularity(&raw const other, least));
        assert_eq!(told, size);
        let code = code!(cuMemCreate(&raw mut memory, size, &raw const other, 0));
        assert_eq!(code, answer, "{kind} {place} {id} {handles}");
    }
    let memory = create(2 * size);
    let told: CUmemAllocationProp = made!(cuMemGetAllocationPropertiesFromHandle(memory));
    assert_eq!((told.r#type, told.requestedHandleTypes.0), (CU_MEM_ALLOCATION_TYPE_PINNED, 0));
    assert_eq!(told.location.r#type, CU_MEM_LOCATION_TYPE_DEVICE);
    ok!(cuMemRelease(memory));
}

/// F393
#[test]
fn memory_is_mapped_whole_where_nothing_is_mapped() {
    let a = Place::new();
    needs!(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
    let size = granularity();
    within(a.context, || {
        let (at, memory, large) = (reserve(4 * size), create(size), create(2 * size));
        each_gives!(NOT_SUPPORTED; {
            cuMemMap(at, size, 0, large, 0);
            cuMemMap(at, size, size, large, 0);
            cuMemMap(at, 4 * size, 0, large, 0);
        });
        ok!(cuMemRelease(large));
        each_gives!(INVALID_VALUE; {
            cuMemMap(at, 0, 0, memory, 0);
            cuMemMap(at, size, 0, 0, 0);
            cuMemMap(at, size, 0, memory, 1);
            cuMemMap(at + 1, size, 0, memory, 0);
            cuMemMap(a.memory, size, 0, memory, 0);
        });
        map(at, size, memory);
        assert_eq!(code!(cuMemMap(at, size, 0, memory, 0)), INVALID_VALUE);
        // Elsewhere it is the same memory.
        let other = at + 2 * size as u64;
        if software() && cfg!(any(miri, not(target_os = "linux"))) {
            return;
        }
        map(other, size, memory);
        fill(at, 7);
        assert_eq!(word(other), 7);
        for at in [at, other] {
            ok!(cuMemUnmap(at, size));
        }
        ok!(cuMemRelease(memory));
        ok!(cuMemAddressFree(at, 4 * size));
    });
    a.destroy();
}

/// F394
#[test]
fn a_mapping_begins_without_access() {
    let a = Place::new();
    needs!(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
    let size = granularity();
    within(a.context, || {
        let (at, memory) = (reserve(3 * size), create(size));
        ok!(cuMemMap(at, size, 0, memory, 0));
        assert_eq!(access(at), u64::from(NONE.0));
        assert_eq!(set_access(at, size, READ_WRITE), SUCCESS);
        assert_eq!(access(at), u64::from(READ_WRITE.0));
        fill(at, 5);
        assert_eq!(set_access(at, size, READ), SUCCESS);
        assert_eq!((access(at), word(at)), (u64::from(READ.0), 5));
        // Only what is mapped, and all of it.
        assert_eq!(set_access(at, 2 * size, READ_WRITE), INVALID_VALUE);
        assert_eq!(set_access(at + size as u64, size, READ_WRITE), INVALID_VALUE);
        assert_eq!(set_access(a.memory, size, READ_WRITE), INVALID_VALUE);
        for (place, id) in [(0, 0), (1, 99)] {
            let mut desc = CUmemAccessDesc { location: location(), flags: READ_WRITE };
            desc.location.r#type = CUmemLocationType(place);
            desc.location.anonymous.id = id;
            each_gives!(INVALID_VALUE; { cuMemSetAccess(at, size, &raw const desc, 1); });
            let (mut flags, location) = (0, desc.location);
            let code = code!(cuMemGetAccess(&raw mut flags, &raw const location, at));
            assert_eq!(code, INVALID_DEVICE);
        }
        assert_eq!(set_access(at, size, CUmemAccess_flags(2)), INVALID_VALUE);
        // The last one counts.
        let twice = [READ_WRITE, READ].map(|flags| CUmemAccessDesc { location: location(), flags });
        ok!(cuMemSetAccess(at, size, twice.as_ptr(), 2));
        assert_eq!(access(at), u64::from(READ.0));
        let (mut flags, location) = (0, location());
        let location = &raw const location;
        assert_eq!(
            code!(cuMemGetAccess(&raw mut flags, location, at + size as u64)),
            INVALID_VALUE
        );
        assert_eq!(access(a.memory), u64::from(NONE.0));
        ok!(cuMemUnmap(at, size));
        ok!(cuMemMap(at, size, 0, memory, 0));
        assert_eq!(access(at), u64::from(NONE.0));
        ok!(cuMemUnmap(at, size));
        ok!(cuMemRelease(memory));
        ok!(cuMemAddressFree(at, 3 * size));
    });
    a.destroy();
}

/// F394
#[test]
fn calls_need_the_access() {
    let a = Place::new();
    needs!(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
    let size = granularity();
    within(a.context, || {
        let (at, memory) = mapped(size);
        let mut word = 0_u32;
        let host = (&raw mut word).cast();
        for (flags, reads) in [(NONE, INVALID_VALUE), (READ, SUCCESS)] {
            assert_eq!(set_access(at, size, flags), SUCCESS);
            each_gives!(INVALID_VALUE; {
                cuMemsetD8_v2(at, 1, size);
                cuMemsetD8Async(at, 1, size, a.stream);
                cuMemcpyHtoD_v2(at, host, 4);
                cuMemcpyHtoDAsync_v2(at, host, 4, a.stream);
            });
            each_gives!(reads; {
                cuMemcpyDtoH_v2(host, at, 4);
                cuMemcpyDtoHAsync_v2(host, at, 4, a.stream);
            });
            ok!(cuStreamSynchronize(a.stream));
        }
        ok!(cuMemUnmap(at, size));
        ok!(cuMemRelease(memory));
        ok!(cuMemAddressFree(at, size));
    });
    a.destroy();
}

/// A number that an attribute of an address is.
fn attribute(at: CUdeviceptr, attribute: CUpointer_attribute) -> (CUresult, u64) {
    let mut value = 0_u64;
    let code = code!(cuPointerGetAttribute((&raw mut value).cast(), attribute, at));
    (code, value)
}

/// F405
#[test]
fn an_address_says_where_it_is_mapped() {
    let a = Place::new();
    needs!(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
    let size = granularity();
    within(a.context, || {
        let (start, memory) = (reserve(4 * size), create(size));
        let at = start + size as u64;
        assert_eq!(attribute(at, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR).0, INVALID_VALUE);
        assert_eq!(attribute(at, CU_POINTER_ATTRIBUTE_MEMORY_TYPE).0, INVALID_VALUE);
        ok!(cuMemMap(at, size, 0, memory, 0));
        for (flags, pointer) in
            [(NONE, (INVALID_VALUE, 0)), (READ, (SUCCESS, at)), (READ_WRITE, (SUCCESS, at))]
        {
            assert_eq!(set_access(at, size, flags), SUCCESS);
            let expected = [
                (CU_POINTER_ATTRIBUTE_CONTEXT, (SUCCESS, 0)),
                (CU_POINTER_ATTRIBUTE_DEVICE_POINTER, pointer),
                (CU_POINTER_ATTRIBUTE_HOST_POINTER, (INVALID_VALUE, 0)),
                (CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, (SUCCESS, 0)),
                (CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, (SUCCESS, start)),
                (CU_POINTER_ATTRIBUTE_RANGE_SIZE, (SUCCESS, 4 * size as u64)),
                (CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, (SUCCESS, flags.0.into())),
                (CU_POINTER_ATTRIBUTE_MAPPING_SIZE, (SUCCESS, size as u64)),
                (CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, (SUCCESS, at)),
            ];
            for (asked, value) in expected {
                assert_eq!(attribute(at, asked), value, "{asked:?} with {flags:?}");
            }
        }
        let (mut base, mut bytes) = (0, 0);
        ok!(cuMemGetAddressRange_v2(&raw mut base, &raw mut bytes, at + 8));
        assert_eq!((base, bytes), (at, size));
        ok!(cuMemUnmap(at, size));
        let code = code!(cuMemGetAddressRange_v2(&raw mut base, &raw mut bytes, at));
        assert_eq!(code, NOT_FOUND);
        ok!(cuMemRelease(memory));
        ok!(cuMemAddressFree(start, 4 * size));
    });
    a.destroy();
}

/// F391, F395, F406
#[test]
fn holes_are_unmapped_as_well() {
    device();
    needs!(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
    let size = granularity();
    let (at, memory) = (reserve(4 * size), create(2 * size));
    let step = size as u64;
    ok!(cuMemUnmap(at, size));
    ok!(cuMemMap(at + step, 2 * size, 0, memory, 0));
    each_gives!(INVALID_VALUE; {
        cuMemUnmap(at + step, size);
        cuMemUnmap(at + 2 * step, size);
        cuMemUnmap(at + step, 2 * size - 4096);
        cuMemUnmap(at + step, 0);
        cuMemUnmap(0, size);
        cuMemAddressFree(at, 4 * size);
    });
    ok!(cuMemUnmap(at, 3 * size));
    ok!(cuMemUnmap(at, 4 * size));
    ok!(cuMemRelease(memory));
    assert_eq!(code!(cuMemRelease(0)), INVALID_VALUE);
    ok!(cuMemAddressFree(at, 4 * size));
}

/// F394
#[test]
fn a_kernel_that_writes_without_the_access_faults() {
    let cases = [Some(READ), Some(NONE), None];
    let outputs = each_alone(
        module_path!(),
        "a_kernel_that_writes_without_the_access_faults",
        &cases,
        |case| {
            let a = place();
            needs!(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
            let size = granularity();
            let (at, _) = mapped(size);
            match *case {
                Some(flags) => assert_eq!(set_access(at, size, flags), SUCCESS),
                None => ok!(cuMemUnmap(at, size)),
            }
            assert_eq!(launch(a.kernel(c"store_value"), a.stream, &[at, 5]), SUCCESS);
            assert_eq!(code!(cuStreamSynchronize(a.stream)), ILLEGAL_ADDRESS);
        },
    );
    for output in outputs.into_iter().flatten() {
        assert_success("a_kernel_that_writes_without_the_access_faults", &output);
    }
}

/// F407
#[test]
fn an_unmap_waits_for_no_work() {
    let outputs =
        each_alone(module_path!(), "an_unmap_waits_for_no_work", &[false, true], |&elsewhere| {
            let a = place();
            needs!(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
            let size = granularity();
            let (at, _) = mapped(size);
            let other = elsewhere.then(Place::new);
            let gate = hold(&a);
            assert_eq!(launch(a.kernel(c"store_value"), a.stream, &[at, 5]), SUCCESS);
            if let Some(other) = &other {
                ok!(cuCtxPushCurrent_v2(other.context));
            }
            ok!(cuMemUnmap(at, size));
            if other.is_some() {
                pop();
            }
            gate.open();
            assert_eq!(code!(cuStreamSynchronize(a.stream)), ILLEGAL_ADDRESS);
        });
    for output in outputs.into_iter().flatten() {
        assert_success("an_unmap_waits_for_no_work", &output);
    }
}

/// The answers to a life of virtual memory, from the reservation on.
fn whole_life() -> [CUresult; 8] {
    let size = 2 << 20;
    let (properties, location) = (properties(CU_MEM_HANDLE_TYPE_NONE), location());
    let access = CUmemAccessDesc { location, flags: READ_WRITE };
    let (mut at, mut memory, mut flags) = (0, 0, 0);
    [
        code!(cuMemAddressReserve(&raw mut at, size, 0, 0, 0)),
        code!(cuMemCreate(&raw mut memory, size, &raw const properties, 0)),
        code!(cuMemMap(at, size, 0, memory, 0)),
        code!(cuMemSetAccess(at, size, &raw const access, 1)),
        code!(cuMemGetAccess(&raw mut flags, &raw const location, at)),
        code!(cuMemUnmap(at, size)),
        code!(cuMemRelease(memory)),
        code!(cuMemAddressFree(at, size)),
    ]
}

unsafe extern "C" fn in_a_host_function(answers: *mut c_void) {
    // SAFETY: the test passes such answers, and waits.
    unsafe { *answers.cast() = whole_life() };
}

/// F379
#[test]
fn virtual_memory_needs_no_context_and_survives_a_fault() {
    fresh!(virtual_memory_needs_no_context_and_survives_a_fault, {
        let a = place();
        needs!(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
        for mode in [
            CU_STREAM_CAPTURE_MODE_GLOBAL,
            CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
            CU_STREAM_CAPTURE_MODE_RELAXED,
        ] {
            ok!(cuStreamBeginCapture_v2(a.stream, mode));
            assert_eq!(whole_life(), [SUCCESS; 8]);
            let _graph: CUgraph = {
                let mut graph = null_mut();
                ok!(cuStreamEndCapture(a.stream, &raw mut graph));
                graph
            };
        }
        let mut answers = [SUCCESS; 8];
        ok!(cuLaunchHostFunc(a.stream, Some(in_a_host_function), (&raw mut answers).cast()));
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(answers, [CUDA_ERROR_NOT_PERMITTED; 8]);
        let context = pop();
        assert_eq!(whole_life(), [SUCCESS; 8]);
        ok!(cuCtxPushCurrent_v2(context));
        assert_eq!(launch(a.kernel(c"store_value"), a.stream, &[8, 5]), SUCCESS);
        assert_eq!(code!(cuStreamSynchronize(a.stream)), ILLEGAL_ADDRESS);
        assert_eq!(whole_life(), [SUCCESS; 8]);
    });
}

/// F395, F396
#[test]
fn memory_lives_while_a_handle_or_a_mapping_has_it() {
    let a = Place::new();
    needs!(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
    let size = granularity();
    within(a.context, || {
        let (at, memory) = mapped(2 * size);
        fill(at, 9);
        ok!(cuMemRelease(memory));
        assert_eq!(word(at), 9);
        let again: Handle =
            made!(cuMemRetainAllocationHandle(std::ptr::without_provenance_mut(at as usize + 5)));
        assert_eq!(again, memory);
        // Only whole mappings are unmapped.
        assert_eq!(code!(cuMemUnmap(at, size)), INVALID_VALUE);
        ok!(cuMemUnmap(at, 2 * size));
        let mut none = 0;
        let nowhere = std::ptr::without_provenance_mut(at as usize);
        assert_eq!(code!(cuMemRetainAllocationHandle(&raw mut none, nowhere)), INVALID_VALUE);
        map(at, 2 * size, memory);
        assert_eq!(word(at), 9);
        ok!(cuMemUnmap(at, 2 * size));
        ok!(cuMemRelease(memory));
        ok!(cuMemAddressFree(at, 2 * size));
    });
    a.destroy();
}

/// F397
#[test]
fn mappings_side_by_side_are_one_range() {
    let a = Place::new();
    needs!(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
    let size = granularity();
    within(a.context, || {
        let (at, pieces) = (reserve(3 * size), [create(size), create(size)]);
        let middle = at + size as u64;
        for (at, piece) in [at, middle].into_iter().zip(pieces) {
            ok!(cuMemMap(at, size, 0, piece, 0));
        }
        assert_eq!(set_access(at, 2 * size, READ_WRITE), SUCCESS);
        let (mut host, plain): (_, CUdeviceptr) = (vec![3_u8; 128], made!(cuMemAlloc_v2(2 * size)));
        let host = host.as_mut_ptr().cast::<c_void>();
        each_gives!(SUCCESS; {
            cuMemsetD8_v2(at, 1, 2 * size);
            cuMemcpyHtoD_v2(middle - 64, host, 128);
            cuMemcpyDtoD_v2(plain, at, 2 * size);
            cuCtxSynchronize();
            cuMemcpyDtoDAsync_v2(at, plain, 2 * size, a.stream);
            cuStreamSynchronize(a.stream);
            cuMemcpyDtoH_v2(host, middle - 64, 128);
        });
        assert_eq!([middle - 68, middle - 4, middle, middle + 64].map(word), {
            [0x0101_0101, 0x0303_0303, 0x0303_0303, 0x0101_0101]
        });
        for (at, piece) in [at, middle].into_iter().zip(pieces) {
            ok!(cuMemUnmap(at, size));
            ok!(cuMemRelease(piece));
        }
        ok!(cuMemAddressFree(at, 3 * size));
    });
    a.destroy();
}

/// F398
#[test]
fn physical_memory_belongs_to_no_context() {
    let (a, b) = (Place::new(), Place::new());
    needs!(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
    let size = granularity();
    let (at, memory) = within(a.context, || {
        let (at, memory) = mapped(size);
        fill(at, 3);
        (at, memory)
    });
    within(b.context, || {
        assert_eq!(word(at), 3);
        assert_eq!(launch(b.kernel(c"store_value"), b.stream, &[at, 4]), SUCCESS);
        ok!(cuStreamSynchronize(b.stream));
    });
    a.destroy();
    within(b.context, || assert_eq!(word(at), 4));
    b.destroy();
    ok!(cuMemUnmap(at, size));
    ok!(cuMemRelease(memory));
    ok!(cuMemAddressFree(at, size));
}

/// Where the other process finds the descriptor.
#[cfg(unix)]
const SENT: &str = "CUSCOPE_TEST_DESCRIPTOR";

/// F399
#[cfg(unix)] // it sends a descriptor
#[test]
fn another_process_maps_the_same_memory() {
    if let Ok(descriptor) = std::env::var(SENT) {
        let a = place();
        let size = granularity();
        let descriptor: c_int = descriptor.parse().unwrap();
        let sent = std::ptr::without_provenance_mut(descriptor as usize);
        let memory: Handle = made!(cuMemImportFromShareableHandle(sent, DESCRIPTOR));
        let mut again: c_int = -1;
        let out = (&raw mut again).cast();
        assert_eq!(code!(cuMemExportToShareableHandle(out, memory, DESCRIPTOR, 0)), INVALID_VALUE);
        // SAFETY: the descriptor was inherited, and belongs to nothing else here.
        assert_eq!(unsafe { libc::close(descriptor) }, 0);
        let at = reserve(size);
        map(at, size, memory);
        assert_eq!(word(at), 11);
        fill(at, 12);
        ok!(cuMemUnmap(at, size));
        ok!(cuMemRelease(memory));
        a.destroy();
        return;
    }
    let a = Place::new();
    needs!(
        CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
        CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
    );
    within(a.context, || {
        let (size, properties) = (granularity(), properties(DESCRIPTOR));
        let memory: Handle = made!(cuMemCreate(size, &raw const properties, 0));
        let at = reserve(size);
        map(at, size, memory);
        fill(at, 11);
        let mut descriptor: c_int = -1;
        let out = (&raw mut descriptor).cast();
        ok!(cuMemExportToShareableHandle(out, memory, DESCRIPTOR, 0));
        // SAFETY: takes no memory. The child is to inherit it.
        assert_eq!(unsafe { libc::fcntl(descriptor, libc::F_SETFD, 0) }, 0);
        let test = "another_process_maps_the_same_memory";
        let sent = descriptor.to_string();
        let output = respawn_with(module_path!(), test, &[(SENT, &sent)]).unwrap();
        assert_success(test, &output);
        assert_eq!(word(at), 12);
        // SAFETY: the descriptor is this test's.
        assert_eq!(unsafe { libc::close(descriptor) }, 0);
        ok!(cuMemUnmap(at, size));
        ok!(cuMemRelease(memory));
        ok!(cuMemAddressFree(at, size));
    });
    a.destroy();
}

/// F399
#[test]
fn memory_that_other_processes_cannot_have_is_refused() {
    fresh!(memory_that_other_processes_cannot_have_is_refused, {
        let a = place();
        needs!(
            CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
            CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
        );
        let memory = create(granularity());
        let mut descriptor: c_int = -1;
        let out = (&raw mut descriptor).cast();
        assert_eq!(code!(cuMemExportToShareableHandle(out, memory, DESCRIPTOR, 1)), INVALID_VALUE);
        assert_eq!(code!(cuMemExportToShareableHandle(out, memory, DESCRIPTOR, 0)), INVALID_VALUE);
        let mut imported = 0;
        let none = null_mut::<c_void>().wrapping_byte_sub(1);
        let code = code!(cuMemImportFromShareableHandle(&raw mut imported, none, DESCRIPTOR));
        assert_eq!(code, UNKNOWN);
        let none = std::ptr::without_provenance_mut(9999);
        let code = code!(cuMemImportFromShareableHandle(&raw mut imported, none, DESCRIPTOR));
        assert_eq!(code, UNKNOWN);
        ok!(cuMemRelease(memory));
        a.destroy();
    });
}
