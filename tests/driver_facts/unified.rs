//! Copies between whatever addresses, of rows and planes; what an address is; managed memory; values
//! that streams wait for; the default stream of a thread: F257 to F263.

use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{CStr, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};

fn address<T>(of: &[T]) -> CUdeviceptr {
    of.as_ptr().expose_provenance() as CUdeviceptr
}

/// The bytes at an address of the device.
fn bytes<const N: usize>(from: CUdeviceptr) -> [u8; N] {
    let mut bytes = [0; N];
    ok!(cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), from, N));
    bytes
}

/// F257
#[test]
fn addresses_say_what_is_copied() {
    let a = Place::new();
    within(a.context, || {
        let (host, back) = ([7_u8; 64], [0_u8; 64]);
        ok!(cuMemcpy(a.memory, address(&host), 64));
        ok!(cuMemcpy(a.memory + 64, a.memory, 64));
        ok!(cuMemcpy(address(&back), a.memory + 64, 64));
        // SAFETY: of the array, which the driver has written behind the compiler's back.
        assert_eq!(unsafe { back.as_ptr().read_volatile() }, 7);
        ok!(cuMemcpy(address(&back), address(&[9_u8; 8]), 8));
        // SAFETY: as above.
        assert_eq!(unsafe { back.as_ptr().read_volatile() }, 9);
        let end = Place::BYTES as u64;
        each_gives!(INVALID_VALUE; {
            cuMemcpy(a.memory, 0, 4);
            cuMemcpy(0, a.memory, 4);
            cuMemcpy(a.memory, a.memory + end - 8, 16);
            cuMemcpy(address(&back), a.memory + end - 8, 16);
            cuMemcpyPeer(a.memory, a.context, address(&host), a.context, 64);
            cuMemcpyPeer(a.memory, a.context, a.memory + end, a.context, 1);
        });
        each_gives!(SUCCESS; {
            cuMemcpy(0, 0, 0);
            cuMemcpyAsync(a.memory, address(&host), 64, a.stream);
            cuCtxSynchronize();
            cuMemcpyPeer(a.memory, null_mut(), a.memory + 64, null_mut(), 64);
            cuCtxSynchronize();
            cuMemcpyPeerAsync(a.memory, a.context, a.memory + 64, null_mut(), 64, a.stream);
        });
        ok!(cuCtxSynchronize());
    });
    each_gives!(INVALID_CONTEXT; {
        cuMemcpy(a.memory, a.memory + 64, 4);
        cuMemcpyPeer(a.memory, a.context, a.memory + 64, a.context, 4);
    });
    a.destroy();
}

/// A copy of 4 rows of 16 bytes within a place, 64 bytes apart.
fn rows(a: &Place) -> CUDA_MEMCPY2D {
    CUDA_MEMCPY2D {
        srcMemoryType: CU_MEMORYTYPE_DEVICE,
        srcDevice: a.memory,
        srcPitch: 64,
        dstMemoryType: CU_MEMORYTYPE_DEVICE,
        dstDevice: a.memory + 2048,
        dstPitch: 32,
        WidthInBytes: 16,
        Height: 4,
        ..all_zeros()
    }
}

/// F258
#[test]
fn rows_are_copied_where_there_is_room_for_them() {
    let a = Place::new();
    within(a.context, || {
        let ask = |change: &dyn Fn(&mut CUDA_MEMCPY2D)| {
            let mut copy = rows(&a);
            change(&mut copy);
            let copy = &raw const copy;
            let settled = |code| {
                ok!(cuCtxSynchronize());
                code
            };
            let codes = [
                settled(code!(cuMemcpy2D_v2(copy))),
                settled(code!(cuMemcpy2DUnaligned_v2(copy))),
                settled(code!(cuMemcpy2DAsync_v2(copy, a.stream))),
            ];
            assert!(codes.iter().all(|code| *code == codes[0]), "{codes:?}");
            codes[0]
        };
        let host = [5_u8; 256];
        ok!(cuMemsetD2D8_v2(a.memory, 64, 3, 16, 4));
        assert_eq!(ask(&|_| {}), SUCCESS);
        assert_eq!(bytes::<33>(a.memory + 2048 + 3 * 32 - 1)[..18], {
            let mut row = [3; 18];
            (row[0], row[17]) = (0, 0);
            row
        });
        type Change = fn(&mut CUDA_MEMCPY2D);
        let fine: [Change; 6] = [
            |copy| (copy.WidthInBytes, copy.srcDevice) = (0, 0),
            |copy| copy.Height = 0,
            |copy| copy.srcPitch = 0,
            |copy| copy.srcPitch = 17,
            |copy| (copy.srcPitch, copy.Height) = (1 << 31, 1),
            |copy| copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
        ];
        let bad: [Change; 8] = [
            |copy| copy.srcPitch = 8,
            |copy| (copy.srcPitch, copy.Height) = (8, 1),
            |copy| copy.srcXInBytes = 60,
            |copy| copy.Height = 100,
            |copy| copy.srcY = 62,
            |copy| copy.srcMemoryType = CUmemorytype(0),
            |copy| copy.srcDevice = 0,
            |copy| (copy.srcMemoryType, copy.srcHost) = (CU_MEMORYTYPE_HOST, null()),
        ];
        for (i, change) in fine.iter().enumerate() {
            assert_eq!(ask(change), SUCCESS, "{i}");
        }
        for (i, change) in bad.iter().enumerate() {
            assert_eq!(ask(change), INVALID_VALUE, "{i}");
        }
        let from_host = |copy: &mut CUDA_MEMCPY2D| {
            copy.srcMemoryType = CU_MEMORYTYPE_HOST;
            copy.srcHost = host.as_ptr().cast();
        };
        assert_eq!(ask(&from_host), SUCCESS);
        assert_eq!(bytes::<16>(a.memory + 2048), [5; 16]);
        assert_eq!(code!(cuMemcpy2D_v2(null())), INVALID_VALUE);
        // A pointer to the host is no memory of the device, but the other way round it is found.
        let wrong = |copy: &mut CUDA_MEMCPY2D| copy.srcDevice = address(&host);
        assert_eq!(ask(&wrong), INVALID_VALUE);
        let found = |copy: &mut CUDA_MEMCPY2D| {
            copy.srcMemoryType = CU_MEMORYTYPE_HOST;
            copy.srcHost = std::ptr::without_provenance(copy.srcDevice as usize);
        };
        assert_eq!(ask(&found), SUCCESS);
    });
    assert_eq!(code!(cuMemcpy2D_v2(null())), INVALID_CONTEXT);
    a.destroy();
}

/// F258
#[test]
fn planes_are_copied_where_there_is_room_for_them() {
    let a = Place::new();
    within(a.context, || {
        let ask = |change: fn(&mut CUDA_MEMCPY3D)| {
            let mut copy = CUDA_MEMCPY3D {
                srcMemoryType: CU_MEMORYTYPE_DEVICE,
                srcDevice: a.memory,
                srcPitch: 16,
                srcHeight: 8,
                dstMemoryType: CU_MEMORYTYPE_DEVICE,
                dstDevice: a.memory + 2048,
                dstPitch: 32,
                dstHeight: 4,
                WidthInBytes: 16,
                Height: 4,
                Depth: 3,
                ..all_zeros()
            };
            change(&mut copy);
            code!(cuMemcpy3D_v2(&raw const copy))
        };
        ok!(cuMemsetD8_v2(a.memory, 1, 2048));
        ok!(cuMemsetD8_v2(a.memory + 2 * 128, 2, 64));
        assert_eq!(ask(|_| {}), SUCCESS);
        let last = bytes::<32>(a.memory + 2048 + (2 * 4 + 3) * 32);
        assert_eq!((&last[..16], &last[16..]), (&[2; 16][..], &[0; 16][..]));
        let fine: [fn(&mut CUDA_MEMCPY3D); 6] = [
            |copy| copy.Depth = 0,
            |copy| copy.srcHeight = 0,
            |copy| copy.srcPitch = 0,
            |copy| copy.srcLOD = 1,
            |copy| copy.reserved0 = std::ptr::dangling_mut(),
            |copy| copy.srcZ = 2,
        ];
        let bad: [fn(&mut CUDA_MEMCPY3D); 6] = [
            |copy| copy.srcHeight = 2,
            |copy| (copy.srcHeight, copy.Depth) = (2, 1),
            |copy| copy.srcY = 6,
            |copy| (copy.srcPitch, copy.Height, copy.Depth) = (8, 1, 1),
            |copy| copy.srcZ = 31,
            |copy| copy.dstMemoryType = CUmemorytype(0),
        ];
        for (i, change) in fine.iter().enumerate() {
            assert_eq!(ask(*change), SUCCESS, "{i}");
        }
        for (i, change) in bad.iter().enumerate() {
            assert_eq!(ask(*change), INVALID_VALUE, "{i}");
        }
        ok!(cuCtxSynchronize());
    });
    a.destroy();
}

/// F259
#[test]
fn rows_are_allocated_and_filled() {
    let a = Place::new();
    within(a.context, || {
        let allocate = |width, height, element| {
            let (mut memory, mut pitch) = (0, 77);
            let (out, told) = (&raw mut memory, &raw mut pitch);
            let code = code!(cuMemAllocPitch_v2(out, told, width, height, element));
            if code == SUCCESS {
                let (mut base, mut size) = (0, 0);
                ok!(cuMemGetAddressRange_v2(&raw mut base, &raw mut size, memory));
                assert_eq!((base, size), (memory, pitch * height));
                ok!(cuMemFree_v2(memory));
            }
            (code, pitch)
        };
        for (width, pitch) in [(1, 512), (512, 512), (513, 1024)] {
            for element in [4, 8, 16] {
                assert_eq!(allocate(width, 3, element), (SUCCESS, pitch));
            }
        }
        for (width, height, element) in [(0, 1, 4), (1, 0, 4), (1, 1, 0), (1, 1, 3), (1, 1, 32)] {
            assert_eq!(allocate(width, height, element), (INVALID_VALUE, 0));
        }
        assert_eq!(allocate(100, 1 << 40, 4), (OUT_OF_MEMORY, 512));
        let fill = |pitch, width, height| {
            let codes = [
                code!(cuMemsetD2D8_v2(a.memory, pitch, 1, width, height)),
                code!(cuMemsetD2D16_v2(a.memory, pitch, 1, width, height)),
                code!(cuMemsetD2D32_v2(a.memory, pitch, 1, width, height)),
            ];
            codes.map(|code| code.0)
        };
        for (pitch, width, height, codes) in [
            (64, 4, 4, [0, 0, 0]),
            (0, 4, 1, [0, 0, 0]),
            (65, 4, 1, [0, 0, 0]),
            (1 << 40, 4, 1, [0, 0, 0]),
            (0, 4, 2, [1, 1, 1]),
            (65, 4, 2, [0, 1, 1]),
            (66, 4, 2, [0, 0, 1]),
            (64, 20, 4, [0, 0, 1]),
            (64, 0, 4, [0, 0, 0]),
            (64, 4, 0, [0, 0, 0]),
            (64, 4, 64, [0, 0, 0]),
            (64, 4, 65, [1, 1, 1]),
        ] {
            assert_eq!(fill(pitch, width, height), codes, "{pitch} {width} {height}");
        }
        each_gives!(INVALID_VALUE; {
            cuMemsetD2D16_v2(a.memory + 1, 64, 1, 4, 1);
            cuMemsetD2D32_v2(a.memory + 2, 64, 1, 4, 1);
            cuMemsetD2D8_v2(0, 64, 1, 4, 1);
        });
        ok!(cuMemsetD2D8_v2(0, 64, 1, 0, 1));
        ok!(cuCtxSynchronize());
    });
    a.destroy();
}

/// The answer to a question about an address, and what was written to 16 bytes of 0x77.
fn ask(attribute: CUpointer_attribute, of: CUdeviceptr) -> (u32, u64) {
    let mut out = [0x7777_7777_7777_7777_u64; 2];
    let code = code!(cuPointerGetAttribute(out.as_mut_ptr().cast(), attribute, of));
    (code.0, out[0])
}

/// F260
#[test]
fn an_address_tells_what_it_is() {
    const FLAG: u64 = 0x7777_7777_0000_0000;
    let a = Place::new();
    let host = a.host.expose_provenance() as CUdeviceptr;
    within(a.context, || {
        let managed: CUdeviceptr = made!(cuMemAllocManaged(Place::BYTES, 1));
        for (base, kind, is_managed, on_host) in
            [(a.memory, 2, 0, false), (host, 1, 0, true), (managed, 2, 1, true)]
        {
            let at = base + 8;
            let is_host = kind == 1;
            for (attribute, answer) in [
                (0, (1, 0x7777_7777_7777_7777)),
                (2, (0, FLAG | kind)),
                (3, (0, at)),
                (4, if on_host { (0, at) } else { (1, 0) }),
                (5, (u32::from(is_host), 0)),
                (6, (0, FLAG | u64::from(!is_host))),
                (8, (0, FLAG | is_managed)),
                (9, (0, FLAG)),
                (11, (0, base)),
                (12, (0, Place::BYTES as u64)),
                (13, (0, FLAG | 1)),
                (14, (0, 0)),
                (16, (0, FLAG | 3)),
                (17, (0, 0)),
                (99, (1, 0x7777_7777_7777_7777)),
            ] {
                assert_eq!(ask(CUpointer_attribute(attribute), at), answer, "{kind} {attribute}");
            }
        }
        let id = |of| ask(CU_POINTER_ATTRIBUTE_BUFFER_ID, of);
        assert_eq!(id(a.memory), id(a.memory + 64));
        assert_ne!(id(a.memory), id(managed));
        ok!(cuMemFree_v2(managed));
    });
    assert_eq!(ask(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0x1234), (1, 0x7777_7777_7777_7777));
    assert_eq!(
        code!(cuPointerGetAttribute(null_mut(), CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a.memory)),
        INVALID_VALUE
    );
    // Several at once: what has no value is zero and no error, for an address that is none too.
    let several = |of| {
        let mut out = [0x7777_7777_7777_7777_u64; 4];
        let mut asked = [
            CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
            CU_POINTER_ATTRIBUTE_HOST_POINTER,
            CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
            CU_POINTER_ATTRIBUTE_RANGE_SIZE,
        ];
        let mut to: [*mut c_void; 4] = [0, 1, 2, 3].map(|i| (&raw mut out[i]).cast());
        ok!(cuPointerGetAttributes(4, asked.as_mut_ptr(), to.as_mut_ptr(), of));
        out
    };
    assert_eq!(several(a.memory), [FLAG | 2, 0, FLAG, Place::BYTES as u64]);
    assert_eq!(several(0x1234), [FLAG, 0x1234, FLAG | 0xffff_fffe, 0x7777_7777_7777_7777]);
    assert_eq!(code!(cuPointerGetAttributes(0, null_mut(), null_mut(), a.memory)), INVALID_VALUE);
    let on = 1_u32;
    let set = |attribute, of| code!(cuPointerSetAttribute((&raw const on).cast(), attribute, of));
    assert_eq!(set(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, a.memory), SUCCESS);
    assert_eq!(set(CU_POINTER_ATTRIBUTE_CONTEXT, a.memory), INVALID_VALUE);
    assert_eq!(set(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 0x1234), INVALID_VALUE);
    a.destroy();
}

/// F261
#[test]
fn managed_memory_is_that_of_the_host_and_of_the_device() {
    let a = Place::new();
    assert_eq!(code!(cuMemAllocManaged(null_mut(), 0, 0)), INVALID_VALUE);
    within(a.context, || {
        let mut memory = 0;
        for (bytes, flags) in [(16, 0), (16, 3), (16, 4), (0, 1)] {
            assert_eq!(code!(cuMemAllocManaged(&raw mut memory, bytes, flags)), INVALID_VALUE);
        }
        assert_eq!(code!(cuMemAllocManaged(&raw mut memory, 1 << 50, 1)), OUT_OF_MEMORY);
        ok!(cuMemAllocManaged(&raw mut memory, 4096, 1));
        let words: *mut u32 = std::ptr::with_exposed_provenance_mut(memory as usize);
        // SAFETY: managed memory, which no kernel uses now.
        unsafe { words.write_volatile(5) };
        assert_eq!(launch(a.kernel(c"store_value"), a.stream, &[memory + 4, 9]), SUCCESS);
        ok!(cuCtxSynchronize());
        // SAFETY: as above.
        let read = |index| unsafe { words.wrapping_add(index).read_volatile() };
        assert_eq!([read(0), read(1)], [5, 9]);
        each_gives!(SUCCESS; {
            cuMemPrefetchAsync(memory, 4096, device(), a.stream);
            cuMemPrefetchAsync(memory, 4096, CU_DEVICE_CPU, a.stream);
            cuMemAdvise(memory, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, device());
        });
        each_gives!(INVALID_VALUE; {
            cuMemPrefetchAsync(memory, 0, device(), a.stream);
            cuMemPrefetchAsync(a.memory, 64, device(), a.stream);
            cuMemAdvise(a.memory, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, device());
            cuMemAdvise(memory, 4096, CUmem_advise(99), device());
            cuMemFreeHost(std::ptr::with_exposed_provenance_mut(memory as usize));
        });
        assert_eq!(code!(cuMemPrefetchAsync(memory, 4096, 99, a.stream)), INVALID_DEVICE);
        ok!(cuMemFree_v2(memory));
    });
    a.destroy();
}

/// F262
#[test]
fn a_stream_waits_for_a_value_in_memory() {
    fresh!(a_stream_waits_for_a_value_in_memory, {
        let a = Place::new();
        let other = within(a.context, || {
            made!(cuStreamCreate(CUstream_flags::CU_STREAM_NON_BLOCKING.bits()))
        });
        let m = a.memory;
        let (host, pageable) = (a.host.expose_provenance() as CUdeviceptr, [0_u32; 2]);
        // ScopedBuffer until another stream, or the host, writes.
        ok!(cuStreamWaitValue32_v2(other, m, 3, 1));
        assert_eq!(code!(cuStreamQuery(other)), NOT_READY);
        ok!(cuStreamWriteValue32_v2(a.stream, m, 3, 0));
        ok!(cuStreamSynchronize(other));
        // SAFETY: page-locked memory, which the device may look at meanwhile.
        unsafe { a.host.cast::<u32>().write_volatile(0) };
        ok!(cuStreamWaitValue32_v2(other, host, 9, 0));
        assert_eq!(code!(cuStreamQuery(other)), NOT_READY);
        // SAFETY: as above.
        unsafe { a.host.cast::<u32>().write_volatile(10) };
        ok!(cuStreamSynchronize(other));
        ok!(cuStreamWriteValue64_v2(a.stream, m + 8, 7, 0));
        ok!(cuStreamWaitValue64_v2(a.stream, m + 8, 7, 0));
        let end = m + Place::BYTES as u64;
        // SAFETY: of numbers only, of which zeros are some.
        let mut writes: Vec<CUstreamBatchMemOpParams> = vec![unsafe { std::mem::zeroed() }; 256];
        for write in &mut writes {
            // SAFETY: the member that the operation is about.
            let write = unsafe { &mut write.writeValue };
            write.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
            (write.address, write.anonymous.value) = (m + 16, 21);
        }
        ok!(cuStreamBatchMemOp_v2(a.stream, 255, writes.as_mut_ptr(), 0));
        ok!(cuStreamWaitValue32_v2(a.stream, m + 16, 21, 1));
        each_gives!(INVALID_VALUE; {
            cuStreamWriteValue32_v2(a.stream, m, 5, 1);
            cuStreamWriteValue32_v2(a.stream, m, 5, 2);
            cuStreamWriteValue32_v2(a.stream, m + 2, 5, 0);
            cuStreamWriteValue64_v2(a.stream, m + 4, 5, 0);
            cuStreamWriteValue32_v2(a.stream, 0, 5, 0);
            cuStreamWriteValue32_v2(a.stream, end, 5, 0);
            cuStreamWriteValue32_v2(a.stream, address(&pageable), 5, 0);
            cuStreamWaitValue32_v2(a.stream, m, 5, 4);
            cuStreamWaitValue32_v2(a.stream, m + 1, 5, 0);
            cuStreamWaitValue64_v2(a.stream, m + 12, 5, 0);
            cuStreamBatchMemOp_v2(a.stream, 0, null_mut(), 1);
            cuStreamBatchMemOp_v2(a.stream, 256, writes.as_mut_ptr(), 0);
        });
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(code!(cuStreamWriteValue32_v2(null_mut(), m, 5, 0)), INVALID_CONTEXT);
        a.destroy();
    });
}

/// The function of a name for the default stream of the calling thread.
fn per_thread(name: &CStr) -> *const c_void {
    let mut address = null_mut();
    ok!(cuGetProcAddress_v2(name.as_ptr(), &raw mut address, 13_000, 2, null_mut()));
    assert!(!address.is_null(), "{name:?}");
    address
}

/// F263
#[test]
fn the_default_stream_of_a_thread_is_a_blocking_stream_of_its_own() {
    fresh!(the_default_stream_of_a_thread_is_a_blocking_stream_of_its_own, {
        type Fill = unsafe extern "C" fn(CUdeviceptr, u8, usize) -> CUresult;
        type OfStream = unsafe extern "C" fn(CUstream) -> CUresult;
        let a = Place::new();
        // SAFETY: the function of the name has this type.
        let fill: Fill = unsafe { transmute(per_thread(c"cuMemsetD8")) };
        // SAFETY: as above.
        let query: OfStream = unsafe { transmute(per_thread(c"cuStreamQuery")) };
        // SAFETY: as above.
        let wait: OfStream = unsafe { transmute(per_thread(c"cuStreamSynchronize")) };
        // SAFETY: memory of the place, and null for the default stream.
        let fill = || assert_eq!(unsafe { fill(a.memory, 1, 64) }, SUCCESS);
        // SAFETY: as above.
        let query = || unsafe { query(null_mut()) };
        let hold = |stream: usize| {
            Gate::new(a.module, std::ptr::without_provenance_mut::<c_void>(stream).cast())
        };
        const LEGACY: usize = 1;
        const PER_THREAD: usize = 2;
        let legacy = std::ptr::without_provenance_mut(LEGACY);
        ok!(cuCtxPushCurrent_v2(a.context));
        hold(LEGACY).open();
        ok!(cuCtxSynchronize());
        // After the legacy stream, and before it.
        let gate = hold(LEGACY);
        fill();
        assert_eq!(query(), NOT_READY);
        gate.open();
        ok!(cuCtxSynchronize());
        let gate = hold(PER_THREAD);
        assert_eq!(query(), NOT_READY);
        ok!(cuMemsetD8Async(a.memory, 2, 64, legacy));
        assert_eq!(code!(cuStreamQuery(legacy)), NOT_READY);
        ok!(cuStreamQuery(a.stream));
        gate.open();
        // That of another thread is another.
        let context = Sent::new(a.context);
        let number = wait as usize;
        ok!(cuCtxSynchronize());
        let gate = hold(PER_THREAD);
        std::thread::spawn(move || {
            // SAFETY: the function that it was.
            let wait: OfStream = unsafe { transmute(number) };
            ok!(cuCtxSetCurrent(context.take()));
            // SAFETY: null for the default stream.
            assert_eq!(unsafe { wait(null_mut()) }, SUCCESS);
        })
        .join()
        .unwrap();
        assert_eq!(query(), NOT_READY, "one thread waited for the other's stream");
        gate.open();
        ok!(cuCtxSynchronize());
        // Beside a blocking stream, in no order.
        let blocking: CUstream = made!(cuStreamCreate(0));
        let gate = Gate::new(a.module, blocking);
        fill();
        // SAFETY: as above.
        assert_eq!(unsafe { wait(null_mut()) }, SUCCESS);
        assert_eq!(code!(cuStreamQuery(blocking)), NOT_READY);
        gate.open();
        ok!(cuCtxSynchronize());
        assert_eq!(pop(), a.context);
        a.destroy();
    });
}
