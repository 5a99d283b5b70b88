//! Registered host memory, and pools: F66, F102, F160 to F178.

use crate::raw::*;
use crate::{dangling, fresh};
use cuscope::ffi::{
    CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_DEVICE, CU_MEMORYTYPE_HOST,
    CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
    CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
    CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
    CU_MEMPOOL_ATTR_USED_MEM_HIGH, CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED as REGISTERED,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED as NOT_REGISTERED, CUmemPool_attribute, CUmemPoolProps,
    CUmemoryPool,
};
use std::ffi::{c_int, c_uint, c_void};
use std::os::unix::process::ExitStatusExt;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

/// Memory of the system, which is unmapped at its end.
struct Pages {
    start: *mut u8,
    len: usize,
}

impl Pages {
    const LEN: usize = 1 << 20;

    fn new() -> Self {
        Self::with(Self::LEN, libc::PROT_READ | libc::PROT_WRITE)
    }

    fn with(len: usize, protection: c_int) -> Self {
        Self::at(null_mut(), len, protection, 0)
    }

    fn at(place: *mut u8, len: usize, protection: c_int, flags: c_int) -> Self {
        let flags = flags | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: new pages at a place of the system's choice, or where a test had some before.
        let start = unsafe { libc::mmap(place.cast(), len, protection, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        Self { start: start.cast(), len }
    }

    fn p(&self, offset: usize) -> *mut c_void {
        self.start.wrapping_add(offset).cast()
    }

    fn address(&self) -> CUdeviceptr {
        self.start.addr() as CUdeviceptr
    }

    fn write(&self, offset: usize, value: u8) {
        // SAFETY: inside the pages; volatile, as the device may look at the same time.
        unsafe { self.start.wrapping_add(offset).write_volatile(value) };
    }

    fn read(&self, offset: usize) -> u8 {
        // SAFETY: as in `write`.
        unsafe { self.start.wrapping_add(offset).read_volatile() }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: pages of this value, which nothing uses any more.
        let _ = unsafe { libc::munmap(self.start.cast(), self.len) };
    }
}

fn register(p: *mut c_void, len: usize, flags: c_uint) -> CUresult {
    code!(cuMemHostRegister_v2(p, len, flags))
}

fn unregister(p: *mut c_void) -> CUresult {
    code!(cuMemHostUnregister(p))
}

/// The answer to the question for flags, and they.
fn flags(p: *mut c_void) -> (CUresult, c_uint) {
    let mut flags = 99;
    (code!(cuMemHostGetFlags(&raw mut flags, p)), flags)
}

/// Lets a stream work for `LONG`.
fn busy(place: &Place) {
    assert_eq!(launch(place.kernel(c"spin"), place.stream, &[LONG_NANOSECONDS]), SUCCESS);
}

/// F160
#[test]
fn what_is_registered_is_memory_of_the_program() {
    // Alone: within so many bytes lies what other tests register.
    fresh!(what_is_registered_is_memory_of_the_program, {
        let a = Place::new();
        let pages = Pages::new();
        let (p, read_only) = (pages.p(0), Pages::with(4096, libc::PROT_READ));
        assert_eq!(register(p, 4096, 0), INVALID_CONTEXT);
        assert_eq!(register(null_mut(), 0, 0), INVALID_CONTEXT);
        within(a.context, || {
            for (p, len, flags, answer) in [
                (null_mut(), 4096, 0, INVALID_VALUE),
                (p, 0, 0, INVALID_VALUE),
                (p, 4096, 4, INVALID_VALUE),
                (p, 4096, 0x10, INVALID_VALUE),
                (p, usize::MAX, 0, INVALID_VALUE),
                (p, 1 << 40, 0, OUT_OF_MEMORY),
                (std::ptr::without_provenance_mut(0x1_0000), 4096, 0, INVALID_VALUE),
                (std::ptr::without_provenance_mut(a.memory as usize), 64, 0, INVALID_VALUE),
                (a.host, 64, 0, INVALID_VALUE),
                (read_only.p(0), 4096, 0, INVALID_VALUE),
            ] {
                assert_eq!(register(p, len, flags), answer, "{p:?} {len} {flags}");
            }
            // Any alignment, any kind of memory, and what cannot be written if the device may not either.
            let (mut local, mut boxed) = (0_u8, Box::new([0_u8; 100]));
            let (local, boxed) = ((&raw mut local).cast(), boxed.as_mut_ptr().cast());
            let plain = [(pages.p(5), 100, 0), (local, 1, 0), (boxed, 100, 0)];
            for (p, len, flags) in plain.into_iter().chain([(read_only.p(0), 4096, 8)]) {
                assert_eq!(register(p, len, flags), SUCCESS, "{p:?} {len} {flags}");
                assert_eq!(unregister(p), SUCCESS);
            }
        });
        a.destroy();
    });
}

/// F66, F161
#[test]
fn a_byte_is_registered_once() {
    let (a, b) = (Place::new(), Place::new());
    let pages = Pages::new();
    within(a.context, || {
        assert_eq!(register(pages.p(0), 8192, 0), SUCCESS);
        for (offset, len) in
            [(0, 8192), (0, 4096), (4096, 4096), (100, 8), (4096, 8192), (0, 16384)]
        {
            assert_eq!(register(pages.p(offset), len, 0), REGISTERED, "{offset} {len}");
        }
        assert_eq!(register(pages.p(8192), 4096, 0), SUCCESS);
        assert_eq!(unregister(pages.p(8192)), SUCCESS);
    });
    within(b.context, || {
        assert_eq!(
            (register(pages.p(0), 64, 0), register(pages.p(0), 64, 1)),
            (REGISTERED, REGISTERED)
        );
    });
    assert_eq!((unregister(pages.p(0)), unregister(pages.p(0))), (SUCCESS, NOT_REGISTERED));
    // It is bytes that count, not pages.
    within(a.context, || {
        let ranges = [(64, 64), (128, 64), (1024, 64), (0, 64), (4000, 200)];
        for (offset, len) in ranges {
            assert_eq!(register(pages.p(offset), len, 0), SUCCESS);
        }
        for (offset, _) in ranges {
            assert_eq!(unregister(pages.p(offset)), SUCCESS);
        }
    });
    a.destroy();
    b.destroy();
}

/// F162
#[test]
fn a_registration_is_ended_by_its_start_whatever_is_current() {
    let (a, b) = (Place::new(), Place::new());
    let pages = Pages::new();
    let enter = || assert_eq!(within(a.context, || register(pages.p(0), 8192, 0)), SUCCESS);
    let end = || unregister(pages.p(0));
    enter();
    for inner in [4, 4096] {
        assert_eq!(unregister(pages.p(inner)), INVALID_VALUE);
    }
    assert_eq!(
        (unregister(null_mut()), unregister(pages.p(8192))),
        (INVALID_VALUE, NOT_REGISTERED)
    );
    assert_eq!(
        (unregister(a.host), code!(cuMemFreeHost(pages.p(0)))),
        (INVALID_VALUE, INVALID_VALUE)
    );
    assert_eq!(end(), SUCCESS);
    enter();
    assert_eq!(within(b.context, end), SUCCESS);
    enter();
    let start = Sent::new(pages.p(0));
    let elsewhere = std::thread::spawn(move || unregister(start.take()));
    assert_eq!(elsewhere.join().unwrap(), SUCCESS);
    assert_eq!(end(), NOT_REGISTERED);
    a.destroy();
    b.destroy();
}

/// F163
#[test]
fn registered_memory_is_mapped_at_its_own_address() {
    let (a, b) = (Place::new(), Place::new());
    let pages = Pages::new();
    let p = pages.p(0);
    let device_pointer = |p: *mut c_void| {
        let mut address = 0;
        (code!(cuMemHostGetDevicePointer_v2(&raw mut address, p, 0)), address)
    };
    for asked in [0, 1, 2, 3, 8, 11] {
        assert_eq!(within(a.context, || register(p, 8192, asked)), SUCCESS);
        assert_eq!((flags(p), device_pointer(p).0), ((INVALID_CONTEXT, 99), INVALID_CONTEXT));
        for context in [a.context, b.context] {
            within(context, || {
                let told = (SUCCESS, asked & 1 | 2);
                assert_eq!((flags(p), flags(pages.p(4097))), (told, told));
                assert_eq!(device_pointer(p), (SUCCESS, pages.address()));
                assert_eq!(device_pointer(pages.p(4097)), (SUCCESS, pages.address() + 4097));
                assert_eq!(
                    (device_pointer(pages.p(8192)).0, flags(pages.p(8192)).0),
                    (INVALID_VALUE, INVALID_VALUE)
                );
            });
        }
        if asked & 8 == 0 {
            let value = 40 + asked;
            assert_eq!(
                launch(a.kernel(c"store_value"), a.stream, &[pages.address(), value.into()]),
                SUCCESS
            );
            ok!(cuStreamSynchronize(a.stream));
            assert_eq!(u32::from(pages.read(0)), value);
        }
        assert_eq!(unregister(p), SUCCESS);
    }
    within(a.context, || {
        assert_eq!((flags(p).0, device_pointer(p).0), (INVALID_VALUE, INVALID_VALUE));
        assert_eq!(register(pages.p(100), 100, 0), SUCCESS);
        let mut address = 0;
        each_gives!(INVALID_VALUE; {
            cuMemHostGetDevicePointer_v2(null_mut(), pages.p(100), 0);
            cuMemHostGetDevicePointer_v2(&raw mut address, pages.p(100), 1);
            cuMemHostGetFlags(null_mut(), pages.p(100));
        });
        let (mut base, mut size, mut context, mut kind) = (0, 0, null_mut::<c_void>(), 0_u32);
        let address = pages.address() + 100;
        ok!(cuMemGetAddressRange_v2(&raw mut base, &raw mut size, address + 7));
        assert_eq!((base, size), (address, 100));
        ok!(cuPointerGetAttribute(
            (&raw mut context).cast(),
            CU_POINTER_ATTRIBUTE_CONTEXT,
            address
        ));
        ok!(cuPointerGetAttribute(
            (&raw mut kind).cast(),
            CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
            address
        ));
        assert_eq!((context, kind), (a.context.cast(), CU_MEMORYTYPE_HOST.0));
        assert_eq!(unregister(pages.p(100)), SUCCESS);
        // Of `cuMemHostAlloc`.
        for (asked, answer) in [(0, 2), (1, 3), (2, 2), (4, 6), (7, 7)] {
            let host: *mut c_void = made!(cuMemHostAlloc(4096, asked));
            // Of memory that is handed out again, whether it is portable is not always told.
            let (code, told) = flags(host);
            assert_eq!((code, told | (asked & 1)), (SUCCESS, answer));
            ok!(cuMemFreeHost(host));
        }
        let mut host = pages.p(0);
        assert_eq!(code!(cuMemHostAlloc(&raw mut host, 4096, 8)), INVALID_VALUE);
        ok!(cuMemHostAlloc(&raw mut host, 0, 0));
        assert!(host.is_null());
    });
    a.destroy();
    b.destroy();
}

/// F164
#[test]
fn a_copy_that_begins_in_registered_memory_ends_there() {
    let a = Place::new();
    let pages = Pages::new();
    let answers = |offset: usize, len: usize| {
        let host = pages.p(offset);
        within(a.context, || {
            [
                code!(cuMemcpyHtoDAsync_v2(a.memory, host, len, a.stream)),
                code!(cuMemcpyDtoHAsync_v2(host, a.memory, len, a.stream)),
                code!(cuMemcpyHtoD_v2(a.memory, host, len)),
                code!(cuMemcpyDtoH_v2(host, a.memory, len)),
            ]
        })
    };
    within(a.context, || assert_eq!(register(pages.p(8192), 8192, 0), SUCCESS));
    assert_eq!(answers(8192 + 64, 64), [SUCCESS; 4]);
    assert_eq!(answers(16384 - 64, 128), [INVALID_VALUE; 4]);
    // Nor may it go on in memory that is registered on its own; but it may begin before.
    within(a.context, || assert_eq!(register(pages.p(16384), 4096, 0), SUCCESS));
    assert_eq!(answers(16384 - 64, 128), [INVALID_VALUE; 4]);
    assert_eq!(answers(8192 - 64, 128), [SUCCESS; 4]);
    ok!(cuStreamSynchronize(a.stream));
    assert_eq!((unregister(pages.p(8192)), unregister(pages.p(16384))), (SUCCESS, SUCCESS));

    within(a.context, || assert_eq!(register(pages.p(0), 4096, 8), SUCCESS));
    ok!(cuMemcpyHtoDAsync_v2(a.memory, pages.p(0), 64, a.stream));
    let refused = code!(cuMemcpyDtoHAsync_v2(pages.p(0), a.memory, 64, a.stream));
    assert_eq!(refused, INVALID_VALUE);
    ok!(cuStreamSynchronize(a.stream));
    assert_eq!(unregister(pages.p(0)), SUCCESS);
    a.destroy();
}

/// F164
#[test]
fn a_kernel_cannot_write_what_is_registered_to_be_read() {
    fresh!(a_kernel_cannot_write_what_is_registered_to_be_read, {
        let a = Place::new();
        let pages = Pages::new();
        pages.write(0, 7);
        within(a.context, || assert_eq!(register(pages.p(0), 4096, 8 | 2), SUCCESS));
        let _ = launch(a.kernel(c"store_value"), a.stream, &[pages.address(), 1]);
        assert_eq!(code!(cuStreamSynchronize(a.stream)), ILLEGAL_ADDRESS);
        assert_eq!(pages.read(0), 7);
    });
}

/// F55, F165
#[test]
fn asynchronous_copies_with_page_locked_memory_happen_later() {
    let a = Place::new();
    let pages = Pages::new();
    within(a.context, || assert_eq!(register(pages.p(0), 8192, 0), SUCCESS));
    for (p, write, read) in [
        (
            pages.p(0),
            &(|value| pages.write(0, value)) as &dyn Fn(u8),
            &(|| pages.read(0)) as &dyn Fn() -> u8,
        ),
        // SAFETY: page-locked memory of the context, which the device may use at the same time.
        (a.host, &|value| unsafe { a.host.cast::<u8>().write_volatile(value) }, &|| unsafe {
            a.host.cast::<u8>().read_volatile()
        }),
    ] {
        write(1);
        busy(&a);
        ok!(cuMemcpyHtoDAsync_v2(a.memory, p, 1, a.stream));
        write(2);
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(a.value() & 0xff, 2);

        write(3);
        busy(&a);
        ok!(cuMemcpyDtoHAsync_v2(p, a.memory, 1, a.stream));
        assert_eq!(read(), 3);
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(read(), 2);
    }
    assert_eq!(unregister(pages.p(0)), SUCCESS);
    a.destroy();
}

/// F166
#[test]
fn the_end_of_a_registration_waits_for_work() {
    // Alone: what other threads do holds registrations up.
    fresh!(the_end_of_a_registration_waits_for_work, {
        let (a, b) = (Place::new(), Place::new());
        let pages = Pages::new();
        let idle = |place: &Place| code!(cuStreamQuery(place.stream)) == SUCCESS;
        let enter =
            |flags| assert_eq!(within(a.context, || register(pages.p(0), 8192, flags)), SUCCESS);

        enter(0);
        busy(&a);
        assert_eq!(unregister(pages.p(0)), SUCCESS);
        assert!(idle(&a));
        // To begin one does not wait.
        busy(&a);
        enter(0);
        assert!(!idle(&a));
        ok!(cuStreamSynchronize(a.stream));
        // Another context is not waited for, portable or not.
        for flags in [0, 1] {
            busy(&b);
            assert_eq!(unregister(pages.p(0)), SUCCESS);
            assert!(!idle(&b));
            ok!(cuStreamSynchronize(b.stream));
            enter(flags);
        }
        assert_eq!(unregister(pages.p(0)), SUCCESS);
        a.destroy();
        b.destroy();
    });
}

/// F166
#[test]
fn a_copy_of_another_context_outlives_no_registration() {
    fresh!(a_copy_of_another_context_outlives_no_registration, {
        let (a, b) = (Place::new(), Place::new());
        let pages = Pages::new();
        assert_eq!(within(a.context, || register(pages.p(0), 8192, 1)), SUCCESS);
        busy(&b);
        ok!(cuMemcpyDtoHAsync_v2(pages.p(0), b.memory, 4096, b.stream));
        assert_eq!(unregister(pages.p(0)), SUCCESS);
        assert_eq!(code!(cuStreamSynchronize(b.stream)), LAUNCH_FAILED);
    });
}

/// Copies memory up and down, and looks at what arrived.
fn assert_copies(place: &Place, pages: &Pages, value: u8) {
    pages.write(0, value);
    ok!(cuMemcpyHtoDAsync_v2(place.memory, pages.p(0), 64, place.stream));
    ok!(cuStreamSynchronize(place.stream));
    pages.write(0, 0);
    ok!(cuMemcpyDtoHAsync_v2(pages.p(0), place.memory, 64, place.stream));
    ok!(cuStreamSynchronize(place.stream));
    assert_eq!(pages.read(0), value);
}

/// F102, F167
#[test]
fn a_registration_ends_with_its_context_and_the_memory_stays() {
    dangling!(a_registration_ends_with_its_context_and_the_memory_stays, {
        let b = Place::new();
        let device = device();
        for (asked, primary) in [(0, false), (1, false), (3, false), (0, true), (3, true)] {
            let context: CUcontext = if primary {
                made!(cuDevicePrimaryCtxRetain(device))
            } else {
                create_context_unpushed()
            };
            let pages = Pages::new();
            within(context, || assert_eq!(register(pages.p(0), Pages::LEN, asked), SUCCESS));
            pages.write(5, 5);
            if primary {
                ok!(cuDevicePrimaryCtxReset_v2(device));
            } else {
                ok!(cuCtxDestroy_v2(context));
                ok!(cuCtxPushCurrent_v2(context));
                assert_eq!(unregister(pages.p(0)), CONTEXT_IS_DESTROYED);
                let _ = pop();
            }
            assert_eq!(pages.read(5), 5);
            assert_eq!(unregister(pages.p(0)), NOT_REGISTERED);
            within(b.context, || {
                assert_eq!(flags(pages.p(0)).0, INVALID_VALUE);
                assert_eq!(unregister(pages.p(0)), NOT_REGISTERED);
            });
            assert_copies(&b, &pages, 11);
            // Other memory at the address.
            let place = pages.start;
            drop(pages);
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let pages = Pages::at(place, Pages::LEN, protection, libc::MAP_FIXED);
            assert_copies(&b, &pages, 12);
            within(b.context, || assert_eq!(register(pages.p(0), Pages::LEN, asked), SUCCESS));
            assert_copies(&b, &pages, 13);
            assert_eq!(unregister(pages.p(0)), SUCCESS);
        }
        b.destroy();
    });
}

/// F102
#[test]
fn memory_of_the_driver_is_unmapped_with_its_context() {
    let test = "memory_of_the_driver_is_unmapped_with_its_context";
    crate::skip_under_miri!("it looks at a process that dies");
    let Some(output) = crate::common::respawn(module_path!(), test) else {
        let a = Place::new();
        let host = a.host.cast::<u8>();
        // SAFETY: page-locked memory of the context.
        unsafe { host.write_volatile(1) };
        a.destroy();
        println!("destroyed");
        // SAFETY: none: it is the point of the test that this ends the process.
        let _ = unsafe { host.read_volatile() };
        return;
    };
    assert!(String::from_utf8_lossy(&output.stdout).contains("destroyed"), "{output:?}");
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{output:?}");
}

/// F168
#[test]
fn memory_that_is_unmapped_stays_registered() {
    let a = Place::new();
    let pages = Pages::new();
    let place = pages.start;
    within(a.context, || {
        assert_eq!(register(pages.p(0), Pages::LEN, 0), SUCCESS);
        drop(pages);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let pages = Pages::at(place, Pages::LEN, protection, libc::MAP_FIXED);
        assert_eq!(register(pages.p(0), Pages::LEN, 0), REGISTERED);
        assert_eq!(unregister(pages.p(0)), SUCCESS);
        assert_copies(&a, &pages, 3);
    });
    a.destroy();
}

/// The properties of a pool of the first device.
fn properties() -> CUmemPoolProps {
    let mut properties: CUmemPoolProps = all_zeros();
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.r#type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.anonymous.id = device();
    properties
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
fn held(pool: CUmemoryPool) -> (u64, u64) {
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
        ok!(cuMemcpyHtoD_v2(memory, host, 1000));
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
fn what_is_freed_is_kept_until_the_program_waits() {
    // Alone in a process: any wait in it gives back.
    fresh!(what_is_freed_is_kept_until_the_program_waits, {
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
        // What a stream has not come to free stays.
        busy(&a);
        ok!(cuMemFreeAsync(small, a.stream));
        ok!(cuMemPoolTrimTo(pool, 0));
        assert_eq!(held(pool), (32, 0));
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
        assert_eq!(launch(a.kernel(c"spin"), other, &[LONG_NANOSECONDS]), SUCCESS);
        within(a.context, || ok!(cuMemFree_v2(memory)));
        assert_eq!(code!(cuStreamQuery(other)), NOT_READY);
        ok!(cuStreamSynchronize(other));
        // What was allocated by `cuMemAlloc`, in the order of a stream.
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
fn what_a_pool_allocated_outlives_it() {
    let a = Place::new();
    let pool = create_pool();
    let memory = allocate(pool, 4096, a.stream);
    busy(&a);
    let start = Instant::now();
    ok!(cuMemPoolDestroy(pool));
    assert!(start.elapsed() < LONG / 2, "it waited");
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
    busy(&a);
    let memory = allocate(pool, 4096, a.stream);
    let (mut sent, mut back) = (5_u32, 0_u32);
    let (from, to) = ((&raw mut sent).cast::<c_void>(), (&raw mut back).cast());
    ok!(cuMemcpyHtoDAsync_v2(memory, from, 4, other));
    ok!(cuMemcpyDtoHAsync_v2(to, memory, 4, other));
    ok!(cuStreamSynchronize(other));
    assert_eq!((back, code!(cuStreamQuery(a.stream))), (5, NOT_READY));

    // The free is behind the kernel, and the address gone at once.
    let start = Instant::now();
    ok!(cuMemFreeAsync(memory, a.stream));
    assert!(start.elapsed() < Duration::from_millis(100), "it waited");
    each_gives!(INVALID_VALUE; {
        cuMemcpyHtoDAsync_v2(memory, from, 4, other);
        cuMemcpyDtoHAsync_v2(to, memory, 4, other);
        cuMemsetD8Async(memory, 1, 4, other);
    });
    assert_eq!(code!(cuStreamQuery(a.stream)), NOT_READY);
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
