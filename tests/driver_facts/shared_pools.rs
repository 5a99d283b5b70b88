//! Pools between processes: F440 to F448, F455 to F457, F652.
#![cfg(unix)] // its handle is a descriptor

use crate::common::{assert_success, respawn_with};
use crate::raw::captures::{bad_end, begin};
use crate::raw::*;
use crate::{fresh, skip_under_miri};
use cuscope::ffi::*;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

const FILE: CUmemAllocationHandleType = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
const BYTES: usize = 1 << 20;
/// Where the other process finds the descriptor and the descriptions.
const SENT: &str = "CUSCOPE_TEST_POOL";

type Data = CUmemPoolPtrExportData;

/// Leaves the test where no pools go to other processes.
macro_rules! needs_shared_pools {
    () => {
        let of = CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES;
        let types: c_int = made!(cuDeviceGetAttribute(of, device()));
        if types & 1 == 0 {
            crate::skip!("the device shares no pools by file descriptors");
        }
    };
}

fn properties(handles: CUmemAllocationHandleType) -> CUmemPoolProps {
    let mut properties: CUmemPoolProps = all_zeros();
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.handleTypes = handles;
    properties.location.r#type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.anonymous.id = device();
    properties
}

fn create(handles: CUmemAllocationHandleType) -> CUmemoryPool {
    let properties = properties(handles);
    made!(cuMemPoolCreate(&raw const properties))
}

fn allocate(pool: CUmemoryPool, stream: CUstream) -> CUdeviceptr {
    let at = made!(cuMemAllocFromPoolAsync(BYTES, pool, stream));
    ok!(cuStreamSynchronize(stream));
    at
}

fn export_as(pool: CUmemoryPool, kind: CUmemAllocationHandleType, flags: u64) -> CUresult {
    let mut out = [-1; 16];
    code!(cuMemPoolExportToShareableHandle(out.as_mut_ptr().cast(), pool, kind, flags))
}

fn export(pool: CUmemoryPool) -> c_int {
    let mut descriptor: c_int = -1;
    ok!(cuMemPoolExportToShareableHandle((&raw mut descriptor).cast(), pool, FILE, 0));
    descriptor
}

/// As the driver takes it.
fn sent(descriptor: c_int) -> *mut c_void {
    std::ptr::without_provenance_mut(descriptor as usize)
}

fn import(descriptor: c_int) -> CUmemoryPool {
    made!(cuMemPoolImportFromShareableHandle(sent(descriptor), FILE, 0))
}

fn import_as(descriptor: c_int, kind: CUmemAllocationHandleType, flags: u64) -> CUresult {
    let mut pool = null_mut();
    code!(cuMemPoolImportFromShareableHandle(&raw mut pool, sent(descriptor), kind, flags))
}

fn describe(at: CUdeviceptr) -> Data {
    made!(cuMemPoolExportPointer(at))
}

fn describe_code(at: CUdeviceptr) -> CUresult {
    let mut data: Data = all_zeros();
    code!(cuMemPoolExportPointer(&raw mut data, at))
}

fn open(pool: CUmemoryPool, data: Data) -> CUdeviceptr {
    let mut data = data;
    made!(cuMemPoolImportPointer(pool, &raw mut data))
}

fn open_code(pool: CUmemoryPool, data: Data) -> CUresult {
    let (mut at, mut data) = (0, data);
    code!(cuMemPoolImportPointer(&raw mut at, pool, &raw mut data))
}

fn fill(at: CUdeviceptr, value: u32) {
    ok!(cuMemsetD32_v2(at, value, 256));
    ok!(cuCtxSynchronize());
}

fn word(at: CUdeviceptr) -> u32 {
    let mut word = 0_u32;
    ok!(cuMemcpyDtoH_v2((&raw mut word).cast(), at, 4));
    word
}

/// Whether there is memory at an address.
fn is_there(at: CUdeviceptr) -> bool {
    let mut word = 0_u32;
    code!(cuMemcpyDtoH_v2((&raw mut word).cast(), at, 4)) == SUCCESS
}

fn in_digits(data: &Data) -> String {
    data.reserved.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The descriptor and the descriptions that the parent sent, if this is the other process.
fn received() -> Option<(c_int, Vec<Data>)> {
    let text = std::env::var(SENT).ok()?;
    let mut parts = text.split(' ');
    let descriptor = parts.next()?.parse().unwrap();
    let byte = |part: &str, i: usize| u8::from_str_radix(&part[2 * i..2 * i + 2], 16).unwrap();
    let data = |part| Data { reserved: std::array::from_fn(|i| byte(part, i)) };
    Some((descriptor, parts.map(data).collect()))
}

/// Runs the test in another process, which inherits the descriptor.
fn send(test: &str, descriptor: c_int, all: &[Data]) {
    let texts = all.iter().map(in_digits);
    let text = [descriptor.to_string()].into_iter().chain(texts).collect::<Vec<_>>().join(" ");
    let output = respawn_with(module_path!(), test, &[(SENT, &text)]).unwrap();
    assert_success(test, &output);
}

/// F440, F441
#[test]
fn a_pool_for_other_processes_is_exported_as_a_descriptor() {
    skip_under_miri!("asks the system");
    fresh!(a_pool_for_other_processes_is_exported_as_a_descriptor, {
        let a = place();
        needs_shared_pools!();
        let mut none = null_mut();
        for kind in [2, 3, 4, 16, 64] {
            let properties = properties(CUmemAllocationHandleType(kind));
            let code = code!(cuMemPoolCreate(&raw mut none, &raw const properties));
            assert_eq!(code, INVALID_VALUE, "{kind}");
        }
        let mut host = properties(FILE);
        host.location.r#type = CU_MEM_LOCATION_TYPE_HOST;
        assert_eq!(code!(cuMemPoolCreate(&raw mut none, &raw const host)), INVALID_VALUE);
        let (shared, plain) = (create(FILE), create(CU_MEM_HANDLE_TYPE_NONE));
        let first: CUmemoryPool = made!(cuDeviceGetDefaultMemPool(device()));
        for pool in [null_mut(), plain, first] {
            assert_eq!(export_as(pool, FILE, 0), INVALID_VALUE);
        }
        for kind in [0, 2, 3, 4, 8, 99] {
            let kind = CUmemAllocationHandleType(kind);
            assert_eq!(export_as(shared, kind, 0), INVALID_VALUE);
        }
        assert_eq!(export_as(shared, FILE, 1), INVALID_VALUE);
        let code = code!(cuMemPoolExportToShareableHandle(null_mut(), shared, FILE, 0));
        assert_eq!(code, INVALID_VALUE);
        let descriptors = [export(shared), export(shared)];
        assert_ne!(descriptors[0], descriptors[1]);
        // SAFETY: takes no memory.
        let flags = unsafe { libc::fcntl(descriptors[0], libc::F_GETFD) };
        assert_eq!(flags, 0, "children inherit it");
        // No context is needed, and the descriptor outlives the pool.
        assert_eq!(pop(), a.context);
        let last = export(shared);
        ok!(cuMemPoolDestroy(shared));
        assert_eq!(export_as(shared, FILE, 0), INVALID_VALUE);
        import(last);
        for descriptor in descriptors.into_iter().chain([last]) {
            // SAFETY: the descriptor is this test's.
            assert_eq!(unsafe { libc::close(descriptor) }, 0);
        }
        ok!(cuMemPoolDestroy(plain));
        ok!(cuCtxPushCurrent_v2(a.context));
        a.destroy();
    });
}

/// F441, F442
#[test]
fn an_imported_pool_gives_no_memory() {
    skip_under_miri!("asks the system");
    fresh!(an_imported_pool_gives_no_memory, {
        let a = place();
        needs_shared_pools!();
        let shared = create(FILE);
        let descriptor = export(shared);
        for (kind, flags, answer) in [
            (CU_MEM_HANDLE_TYPE_NONE, 0, INVALID_VALUE),
            (CU_MEM_HANDLE_TYPE_WIN32, 0, NOT_SUPPORTED),
            (CUmemAllocationHandleType(99), 0, INVALID_VALUE),
            (FILE, 1, INVALID_VALUE),
        ] {
            assert_eq!(import_as(descriptor, kind, flags), answer);
        }
        let code = code!(cuMemPoolImportFromShareableHandle(null_mut(), sent(descriptor), FILE, 0));
        assert_eq!(code, INVALID_VALUE);
        // SAFETY: opens a file by a name that is a string.
        let other = unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY) };
        for none in [-1, 9999, other] {
            assert_eq!(import_as(none, FILE, 0), UNKNOWN);
        }
        let mut memory = 0;
        let code = code!(cuMemImportFromShareableHandle(&raw mut memory, sent(descriptor), FILE));
        assert_eq!(code, NOT_SUPPORTED);
        // In the process itself it is another pool, and always the same one.
        let pool = import(descriptor);
        assert_ne!(pool, shared);
        assert_eq!(import(descriptor), pool);
        let (mut at, mut value) = (0, 0_u64);
        for bytes in [0, 64] {
            let code = code!(cuMemAllocFromPoolAsync(&raw mut at, bytes, pool, a.stream));
            assert_eq!(code, INVALID_VALUE);
        }
        let threshold = CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        each_gives!(INVALID_VALUE; {
            cuMemPoolTrimTo(pool, 0);
            cuDeviceSetMemPool(device(), pool);
            cuMemPoolGetAttribute(pool, threshold, (&raw mut value).cast());
            cuMemPoolSetAttribute(pool, threshold, (&raw mut value).cast());
        });
        assert_eq!(export_as(pool, FILE, 0), INVALID_VALUE);
        let (mut flags, mut at) = (CU_MEM_ACCESS_FLAGS_PROT_NONE, properties(FILE).location);
        ok!(cuMemPoolGetAccess(&raw mut flags, pool, &raw mut at));
        assert_eq!(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
        ok!(cuMemPoolDestroy(shared));
        a.destroy();
    });
}

/// F443
#[test]
fn allocations_of_a_pool_for_other_processes_are_described() {
    skip_under_miri!("asks the system");
    fresh!(allocations_of_a_pool_for_other_processes_are_described, {
        let a = place();
        needs_shared_pools!();
        let (shared, plain) = (create(FILE), create(CU_MEM_HANDLE_TYPE_NONE));
        let early: CUdeviceptr = made!(cuMemAllocFromPoolAsync(BYTES, shared, a.stream));
        assert_eq!(describe_code(early), INVALID_VALUE, "before the pool is exported");
        let _descriptor = export(shared);
        describe(early);
        let (at, other) = (allocate(shared, a.stream), allocate(plain, a.stream));
        assert_eq!(in_digits(&describe(at)), in_digits(&describe(at)));
        let first: CUdeviceptr = made!(cuMemAllocAsync(64, a.stream));
        let managed: CUdeviceptr = made!(cuMemAllocManaged(64, 1));
        for none in [0, 0x1234, at + 64, other, first, managed, a.memory] {
            assert_eq!(describe_code(none), INVALID_VALUE);
        }
        assert_eq!(code!(cuMemPoolExportPointer(null_mut(), at)), INVALID_VALUE);
        let asked = CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES;
        for (at, types) in [(at, 1_u64), (other, 0)] {
            let mut value = 7_u64;
            ok!(cuPointerGetAttribute((&raw mut value).cast(), asked, at));
            assert_eq!(value, types);
        }
        let mut handle: CUipcMemHandle = all_zeros();
        assert_eq!(code!(cuIpcGetMemHandle(&raw mut handle, at)), INVALID_VALUE);
        // No context is needed.
        assert_eq!(pop(), a.context);
        describe(at);
        ok!(cuCtxPushCurrent_v2(a.context));
        ok!(cuMemFreeAsync(early, a.stream));
        ok!(cuMemPoolDestroy(shared));
        describe(at);
        [at, other, first].iter().for_each(|&at| ok!(cuMemFree_v2(at)));
        ok!(cuMemPoolDestroy(plain));
        a.destroy();
    });
}

/// F442, F443, F444, F445, F446, F455, F456, F457
#[test]
fn another_process_opens_allocations_of_a_pool() {
    skip_under_miri!("starts a process");
    const TEST: &str = "another_process_opens_allocations_of_a_pool";
    if let Some((descriptor, all)) = received() {
        let a = place();
        let [x, y, foreign] = all[..] else { panic!("three") };
        let pool = import(descriptor);
        // SAFETY: the descriptor was inherited, and belongs to nothing else here.
        assert_eq!(unsafe { libc::close(descriptor) }, 0);
        let own = [create(FILE), create(CU_MEM_HANDLE_TYPE_NONE), null_mut()];
        for none in own {
            assert_eq!(open_code(none, x), INVALID_VALUE);
        }
        for none in [all_zeros(), foreign] {
            assert_eq!(open_code(pool, none), INVALID_VALUE);
        }
        let (mut at, mut data) = (0, x);
        each_gives!(INVALID_VALUE; {
            cuMemPoolImportPointer(null_mut(), pool, &raw mut data);
            cuMemPoolImportPointer(&raw mut at, pool, null_mut());
        });
        // No context is needed. A second time it is the same address.
        assert_eq!(pop(), a.context);
        let at = open(pool, x);
        ok!(cuCtxPushCurrent_v2(a.context));
        assert_eq!((open(pool, x), word(at)), (at, 21));
        let (mut base, mut size) = (0, 0);
        ok!(cuMemGetAddressRange_v2(&raw mut base, &raw mut size, at + 64));
        assert_eq!((base, size), (at, BYTES));
        for (asked, value) in [
            (CU_POINTER_ATTRIBUTE_CONTEXT, 0),
            (CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, pool.addr() as u64),
            (CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, 0),
        ] {
            let mut told = 7_u64;
            ok!(cuPointerGetAttribute((&raw mut told).cast(), asked, at));
            assert_eq!(told, value, "{asked:?}");
        }
        let mut handle: CUipcMemHandle = all_zeros();
        each_gives!(INVALID_VALUE; {
            cuMemPoolExportPointer(&raw mut data, at);
            cuIpcGetMemHandle(&raw mut handle, at);
            cuIpcCloseMemHandle(at);
            cuMemFreeHost(std::ptr::without_provenance_mut(at as usize));
            cuMemFree_v2(at + 64);
            cuMemFreeAsync(at + 64, a.stream);
            cuMemPoolDestroy(pool);
        });
        fill(at, 22);
        assert_eq!(launch(a.kernel(c"store_value"), a.stream, &[at, 23]), SUCCESS);
        ok!(cuStreamSynchronize(a.stream));
        // Other contexts use it, and it outlives the one that was current.
        let b = Place::new();
        within(b.context, || fill(at + 4096, 24));
        a.destroy();
        within(b.context, || {
            let second = open(pool, y);
            assert_eq!((word(at), word(second)), (23, 31));
            ok!(cuMemFreeAsync(second, b.stream));
            assert_eq!(code!(cuMemFreeAsync(second, b.stream)), INVALID_VALUE);
            ok!(cuStreamSynchronize(b.stream));
            assert!(!is_there(second));
            let again = open(pool, y);
            assert_eq!(word(again), 31);
            ok!(cuMemFree_v2(again));
            assert_eq!(code!(cuMemFree_v2(again)), INVALID_VALUE);
            ok!(cuMemFree_v2(at));
            assert!(!is_there(at));
        });
        ok!(cuMemPoolDestroy(pool));
        b.destroy();
        return;
    }
    let a = Place::new();
    needs_shared_pools!();
    within(a.context, || {
        let (pool, other) = (create(FILE), create(FILE));
        let all = [pool, pool, other].map(|pool| allocate(pool, a.stream));
        fill(all[0], 21);
        fill(all[1], 31);
        let (descriptor, _) = (export(pool), export(other));
        send(TEST, descriptor, &all.map(describe));
        assert_eq!([word(all[0]), word(all[0] + 4), word(all[0] + 4096)], [23, 22, 24]);
        // SAFETY: the descriptor is this test's.
        assert_eq!(unsafe { libc::close(descriptor) }, 0);
        all.iter().for_each(|&at| ok!(cuMemFree_v2(at)));
        ok!(cuMemPoolDestroy(pool));
        ok!(cuMemPoolDestroy(other));
    });
    a.destroy();
}

/// F446, F447
#[test]
fn captures_and_host_functions_share_no_pools() {
    skip_under_miri!("asks the system");
    fresh!(captures_and_host_functions_share_no_pools, {
        let a = place();
        needs_shared_pools!();
        let shared = create(FILE);
        let (at, descriptor) = (allocate(shared, a.stream), export(shared));
        let (data, pool) = (describe(at), import(descriptor));
        let all = move || {
            let codes = [
                export_as(shared, FILE, 0),
                import_as(descriptor, FILE, 0),
                describe_code(at),
                open_code(pool, data),
            ];
            codes.map(|code| code.0)
        };
        begin(a.stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
        assert_eq!(all(), [900; 4]);
        bad_end(a.stream);
        extern "C" fn run(data: *mut c_void) {
            let data: *mut (Box<dyn Fn() -> [u32; 4]>, [u32; 4]) = data.cast();
            // SAFETY: the test waits for the function, and leaves its variable alone until then.
            let data = unsafe { &mut *data };
            data.1 = data.0();
        }
        let mut asked: (Box<dyn Fn() -> [u32; 4]>, _) = (Box::new(all), [0; 4]);
        ok!(cuLaunchHostFunc(a.stream, Some(run), (&raw mut asked).cast()));
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(asked.1, [800; 4]);
        ok!(cuMemFree_v2(at));
        // SAFETY: the descriptor is this test's.
        assert_eq!(unsafe { libc::close(descriptor) }, 0);
        ok!(cuMemPoolDestroy(pool));
        ok!(cuMemPoolDestroy(shared));
        a.destroy();
    });
}

/// F448
#[test]
fn pools_are_shared_after_a_fault() {
    skip_under_miri!("asks the system");
    fresh!(pools_are_shared_after_a_fault, {
        let a = place();
        needs_shared_pools!();
        let shared = create(FILE);
        let (at, descriptor) = (allocate(shared, a.stream), export(shared));
        let data = describe(at);
        let pool = import(descriptor);
        open(pool, data);
        let _ = launch(a.kernel(c"stop_here"), a.stream, &[]);
        assert_eq!(code!(cuStreamSynchronize(a.stream)), LAUNCH_FAILED);
        let new = create(FILE);
        export(new);
        import(descriptor);
        open(pool, data);
    });
}

/// Uses a descriptor as if it were that of a file.
fn as_file(descriptor: c_int) {
    let mut bytes = [9_u8; 8];
    let (from, to) = (bytes.as_ptr().cast(), bytes.as_mut_ptr().cast());
    // SAFETY: the system takes whatever descriptor there is.
    let cut = unsafe { libc::ftruncate(descriptor, 0) } as isize;
    // SAFETY: 8 bytes to read.
    let put = unsafe { libc::pwrite(descriptor, from, 8, 0) };
    // SAFETY: 8 bytes to write.
    let got = unsafe { libc::pread(descriptor, to, 8, 0) };
    // SAFETY: 8 bytes to read.
    let written = unsafe { libc::write(descriptor, from, 8) };
    assert_eq!([cut, put, got, written], [-1; 4]);
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at an address of the system's choice disturbs nothing.
    let at = unsafe { libc::mmap(null_mut(), 4096, rights, libc::MAP_SHARED, descriptor, 0) };
    assert_eq!(at, libc::MAP_FAILED);
}

/// F652
#[test]
fn exported_descriptors_are_no_files() {
    skip_under_miri!("asks the system");
    let place = place();
    needs_shared_pools!();
    let pool = create(FILE);
    let (at, descriptor) = (allocate(pool, place.stream), export(pool));
    ok!(cuMemsetD32_v2(at, 7, BYTES / 4));
    as_file(descriptor);
    let mut value = 0_u32;
    ok!(cuMemcpyDtoH_v2((&raw mut value).cast(), at, 4));
    assert_eq!(value, 7);
    open(import(descriptor), describe(at));

    let mut properties: CUmemAllocationProp = all_zeros();
    properties.r#type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.requestedHandleTypes = FILE;
    properties.location.r#type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.anonymous.id = device();
    let properties = &raw const properties;
    let bytes: usize =
        made!(cuMemGetAllocationGranularity(properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    let memory: CUmemGenericAllocationHandle = made!(cuMemCreate(bytes, properties, 0));
    let mut descriptor: c_int = -1;
    ok!(cuMemExportToShareableHandle((&raw mut descriptor).cast(), memory, FILE, 0));
    let map = |memory| {
        let at: CUdeviceptr = made!(cuMemAddressReserve(bytes, 0, 0, 0));
        ok!(cuMemMap(at, bytes, 0, memory, 0));
        let mut access: CUmemAccessDesc = all_zeros();
        access.location.r#type = CU_MEM_LOCATION_TYPE_DEVICE;
        access.location.anonymous.id = device();
        access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        ok!(cuMemSetAccess(at, bytes, &raw const access, 1));
        at
    };
    let first = map(memory);
    ok!(cuMemsetD32_v2(first, 8, bytes / 4));
    as_file(descriptor);
    let again: CUmemGenericAllocationHandle =
        made!(cuMemImportFromShareableHandle(sent(descriptor), FILE));
    let second = map(again);
    ok!(cuMemcpyDtoH_v2((&raw mut value).cast(), second, 4));
    assert_eq!(value, 8);
    place.destroy();
}
