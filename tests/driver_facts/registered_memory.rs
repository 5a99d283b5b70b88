//! Registered host memory: F55, F66, F102, F160 to F168.

use crate::common::system::{self, May};
use crate::raw::*;
use crate::{dangling, fresh};
use cuscope::ffi::{
    CU_MEMORYTYPE_HOST, CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED as REGISTERED,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED as NOT_REGISTERED,
};
use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;

/// Memory of the system, which is unmapped at its end.
pub(crate) struct Pages {
    pub(crate) start: *mut u8,
    pub(crate) len: usize,
}

impl Pages {
    pub(crate) const LEN: usize = 1 << 20;

    pub(crate) fn new() -> Self {
        Self::at(null_mut(), Self::LEN, May::Write)
    }

    pub(crate) fn at(place: *mut u8, len: usize, may: May) -> Self {
        Self { start: system::map(place.cast(), len, may).cast(), len }
    }

    pub(crate) fn p(&self, offset: usize) -> *mut c_void {
        self.start.wrapping_add(offset).cast()
    }

    pub(crate) fn address(&self) -> CUdeviceptr {
        self.start.addr() as CUdeviceptr
    }

    pub(crate) fn write(&self, offset: usize, value: u8) {
        // SAFETY: inside the pages; volatile, as the device may look at the same time.
        unsafe { self.start.wrapping_add(offset).write_volatile(value) };
    }

    pub(crate) fn read(&self, offset: usize) -> u8 {
        // SAFETY: as in `write`.
        unsafe { self.start.wrapping_add(offset).read_volatile() }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: pages of this value, which nothing uses any more.
        unsafe { system::unmap(self.start.cast(), self.len) };
    }
}

pub(crate) fn register(p: *mut c_void, len: usize, flags: c_uint) -> CUresult {
    code!(cuMemHostRegister_v2(p, len, flags))
}

pub(crate) fn unregister(p: *mut c_void) -> CUresult {
    code!(cuMemHostUnregister(p))
}

/// The answer to the question for flags, and they.
pub(crate) fn flags(p: *mut c_void) -> (CUresult, c_uint) {
    let mut flags = 99;
    (code!(cuMemHostGetFlags(&raw mut flags, p)), flags)
}

/// F160
#[test]
fn registered_memory_is_memory_of_the_program() {
    // Alone: within so many bytes lies what other tests register.
    fresh!(registered_memory_is_memory_of_the_program, {
        let a = Place::new();
        let pages = Pages::new();
        let (p, read_only) = (pages.p(0), Pages::at(null_mut(), 4096, May::Read));
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
            let settled = |code| {
                ok!(cuCtxSynchronize());
                code
            };
            [
                settled(code!(cuMemcpyHtoDAsync_v2(a.memory, host, len, a.stream))),
                settled(code!(cuMemcpyDtoHAsync_v2(host, a.memory, len, a.stream))),
                settled(code!(cuMemcpyHtoD_v2(a.memory, host, len))),
                settled(code!(cuMemcpyDtoH_v2(host, a.memory, len))),
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
        let gate = hold(&a);
        ok!(cuMemcpyHtoDAsync_v2(a.memory, p, 1, a.stream));
        write(2);
        gate.open();
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(a.value() & 0xff, 2);

        write(3);
        let gate = hold(&a);
        ok!(cuMemcpyDtoHAsync_v2(p, a.memory, 1, a.stream));
        assert_eq!(read(), 3);
        gate.open();
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
        let gate = hold(&a);
        enter(0);
        assert!(!idle(&a));
        gate.open();
        ok!(cuStreamSynchronize(a.stream));
        // Another context is not waited for, portable or not.
        for flags in [0, 1] {
            let gate = hold(&b);
            assert_eq!(unregister(pages.p(0)), SUCCESS);
            assert!(!idle(&b));
            gate.open();
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
        let gate = hold(&b);
        ok!(cuMemcpyDtoHAsync_v2(pages.p(0), b.memory, 4096, b.stream));
        assert_eq!(unregister(pages.p(0)), SUCCESS);
        gate.open();
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
            let pages = Pages::at(place, Pages::LEN, May::Write);
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
    assert_eq!(crate::common::signal(output.status), Some(libc::SIGSEGV), "{output:?}");
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
        let pages = Pages::at(place, Pages::LEN, May::Write);
        assert_eq!(register(pages.p(0), Pages::LEN, 0), REGISTERED);
        assert_eq!(unregister(pages.p(0)), SUCCESS);
        assert_copies(&a, &pages, 3);
    });
    a.destroy();
}
