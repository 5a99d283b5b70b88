//! Page-locked memory of the host, memory that is allocated in the order of a stream, and pools.
#![allow(
    unsafe_code,
    reason = "launches a kernel, allocates without a wait, and plays foreign code"
)]

use crate::common::gpu::{hold, kernel, new_context, with_gpu};
use crate::common::kernels::STORE;
use crate::common::{fewer, panics};
use crate::{common, fresh, skip};
use cuscope::{
    Context, ContextStack, Device, Error, LaunchConfig, MemoryPool, PinnedBuffer, Result, ffi,
    memory::{BufferKind, PointerKind, PoolReuse},
};
use cuscope_softdriver::control::record;
use cuscope_softdriver::faults::{self, Fault, Which, with_fault};
use std::sync::Mutex;

#[test]
fn a_pinned_buffer_is_a_slice_for_copies() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let source = gpu.pinned_from(&[1_u32, 2, 3, 4]).unwrap();
        let mut back = gpu.pinned::<u32>(4).unwrap();
        assert_eq!((&*source, &*back), (&[1, 2, 3, 4][..], &[0; 4][..]));
        assert_eq!((source.as_ptr().addr() % 4096, source.len()), (0, 4));
        let mut buffer = gpu.alloc(4).unwrap();
        on.upload(&source, &mut buffer).unwrap();
        on.download(&buffer, &mut back).unwrap();
        assert_eq!(source.as_ref(), back.as_ref());
        back.as_mut()[0] = 9;
        // A part of one, and one that ends elsewhere.
        let mut part = gpu.alloc(2).unwrap();
        on.upload(&back[..2], &mut part).unwrap();
        assert_eq!(on.to_vec(&part).unwrap(), [9, 2]);
        std::thread::spawn(move || drop((source, back))).join().unwrap();
    });
}

#[test]
fn every_context_uses_a_pinned_buffer() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let pinned: PinnedBuffer<u32> = stack.push(&a).unwrap().pinned_from(&[7; 64]).unwrap();
    assert_eq!(pinned.context(), &a);
    drop(a); // the buffer keeps it
    let gpu = stack.push(&b).unwrap();
    let mut flags = 0;
    // SAFETY: writes one number to `flags`, which is valid for it; a context is current, and the driver looks the address up.
    let code = unsafe { ffi::cuMemHostGetFlags(&raw mut flags, pinned.as_ptr().cast_mut().cast()) };
    assert_eq!((code, flags & ffi::CU_MEMHOSTALLOC_PORTABLE), (ffi::CUDA_SUCCESS, 1));
    let stream = gpu.stream().unwrap();
    let copy = gpu.on(&stream).from_slice(&pinned).unwrap();
    assert_eq!(gpu.on(&stream).to_vec(&copy).unwrap(), [7; 64]);
    let address = pinned.device_address(&gpu).unwrap();
    assert_eq!(address, pinned.as_ptr().addr() as u64, "unified addresses");
    drop(gpu);
    drop(stack);
    drop(pinned);
}

#[test]
fn a_kernel_writes_pinned_memory_by_its_address() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let store = kernel(gpu, STORE, "store");
        let pinned = gpu.pinned::<u32>(16).unwrap();
        let address = pinned.device_address(gpu).unwrap();
        // SAFETY: the kernel is store(u32 *, u32), and writes one element of memory that nothing else
        // uses until the launch is complete.
        unsafe {
            gpu.on(&stream)
                .launch_unchecked(&store, LaunchConfig::new(1, 1), (address, 5_u32))
                .unwrap();
        }
        assert_eq!(pinned[0], 5);
    });
}

#[test]
fn sizes_that_cannot_be_pinned() {
    with_gpu(|gpu| {
        for len in [usize::MAX, usize::MAX / 4, isize::MAX as usize / 4] {
            let error = gpu.pinned::<u32>(len).unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { .. }), "{len}: {error}");
            assert_eq!(error.call(), Some("cuMemHostRegister_v2"));
        }
    });
}

#[test]
fn a_slice_is_registered_for_a_closure() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let mut data: Vec<u32> = (0..fewer(5000, 50) as u32).collect();
        let buffer = gpu
            .with_registered(&mut data, |data| {
                data[0] = 77;
                let buffer = gpu.on(&stream).from_slice(data)?;
                // Registered memory cannot be registered again.
                let again = gpu.with_registered(&mut data[5..], |_| Ok(()));
                let already = ffi::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
                assert_eq!(again.unwrap_err().code(), Some(already));
                Ok(buffer)
            })
            .unwrap();
        let read = gpu.with_registered_read_only(&data, |data| {
            let copy = gpu.on(&stream).from_slice(data)?;
            assert_eq!(gpu.on(&stream).to_vec(&copy)?, *data);
            Ok(data.len())
        });
        assert_eq!(read, Ok(fewer(5000, 50)));
        // The device cannot write it.
        let other = gpu.on(&stream).zeroed::<u32>(4).unwrap();
        let refused = gpu.with_registered_read_only(&data, |data| {
            let to = std::ptr::slice_from_raw_parts_mut(data.as_ptr().cast_mut(), 4);
            // SAFETY: 1. and 2. The driver refuses the copy (F164).
            unsafe { gpu.on(&stream).download_unscoped(&other, to) }
        });
        assert_eq!(refused.unwrap_err().code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
        assert_eq!(gpu.on(&stream).to_vec(&buffer).unwrap(), data);
        // Two in one page, and each of them again: nothing is left registered.
        let (left, right) = data.split_at_mut(8);
        for _ in 0..2 {
            let both = gpu.with_registered(left, |_| gpu.with_registered(right, |_| Ok(())));
            assert_eq!(both, Ok(()));
        }
    });
}

/// If no other stream can be created, memory of a busy stream is waited for.
#[test]
fn memory_of_a_busy_stream_is_waited_for_without_another_stream() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(memory_of_a_busy_stream_is_waited_for_without_another_stream, {
        with_gpu(|gpu| {
            let stream = gpu.stream().unwrap();
            let busy = "cuStreamQuery=NOT_READY".parse().unwrap();
            faults::install(busy);
            let code = ffi::CUDA_ERROR_OUT_OF_MEMORY;
            let call = Which::Named("cuStreamCreate");
            let none = Fault { which: call, code, performed: false };
            let ((x, failed), calls) =
                record(|| with_fault(none, || gpu.on(&stream).alloc::<u32>(4)));
            faults::clear();
            assert_eq!(failed, ["cuStreamCreate"]);
            assert_eq!((x.unwrap().len(), calls.last()), (4, Some(&"cuStreamSynchronize")));
        });
    });
}

/// F168: copies with other memory at the address would use the old pages.
#[test]
fn page_locked_memory_that_the_driver_keeps_is_not_given_to_others() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(page_locked_memory_that_the_driver_keeps_is_not_given_to_others, {
        with_gpu(|gpu| {
            let pinned = || gpu.pinned::<u8>(4096).unwrap();
            let kept = pinned();
            let address = kept.as_ptr().addr();
            let code = ffi::CUDA_ERROR_UNKNOWN;
            let call = Which::Named("cuMemHostUnregister");
            with_fault(Fault { which: call, code, performed: false }, || drop(kept));
            let others: Vec<_> = (0..8).map(|_| pinned()).collect();
            assert!(others.iter().all(|other| other.as_ptr().addr() != address));
        });
    });
}

#[test]
fn a_registration_ends_with_an_error_and_a_panic() {
    with_gpu(|gpu| {
        let mut data = vec![0_u8; fewer(10_000, 100)];
        let failed: Result = gpu.with_registered(&mut data, |_| Err(Error::StackTaken));
        assert_eq!(failed, Err(Error::StackTaken));
        assert!(panics(
            || gpu.with_registered(&mut data, |_| -> Result { panic!("in the middle") })
        ));
        gpu.with_registered(&mut data, |_| Ok(())).unwrap();
    });
}

#[test]
fn a_slice_is_registered_while_its_guard_lives() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let mut data = [1_u32; 100];
        {
            // SAFETY: dropped at the end of the block.
            let mut registered = unsafe { gpu.register(&mut data) }.unwrap();
            registered[3] = 4;
            let copy = gpu.on(&stream).from_slice(&registered).unwrap();
            gpu.on(&stream).download(&copy, &mut registered).unwrap();
            assert_eq!(registered[..5], [1, 1, 1, 4, 1]);
            assert_eq!(registered.device_address(gpu).unwrap(), registered.as_ptr().addr() as u64);
            assert_eq!(registered.context(), gpu.context());
        }
        // SAFETY: leaked, but unregistered below, before the memory is given back.
        std::mem::forget(unsafe { gpu.register(&mut data) }.unwrap());
        // SAFETY: as above.
        let again = unsafe { gpu.register(&mut data) }.unwrap_err();
        assert_eq!(again.code(), Some(ffi::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED));
        // SAFETY: registered, by the leaked value.
        let ended = unsafe { ffi::cuMemHostUnregister(data.as_mut_ptr().cast()) };
        assert_eq!(ended, ffi::CUDA_SUCCESS);
    });
}

#[test]
fn pinned_memory_survives_the_reset_of_its_context() {
    fresh!(pinned_memory_survives_the_reset_of_its_context, {
        cuscope::on_release_error(|error| {
            assert_eq!(error.code(), Some(ffi::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED));
        });
        let device = Device::get(0).unwrap();
        let primary = Context::primary(device).unwrap();
        let mut stack = ContextStack::current_thread().unwrap();
        let mut pinned = stack.push(&primary).unwrap().pinned_from(&[3_u8; 5000]).unwrap();
        // SAFETY: plays foreign code; nothing of this crate is in the context but `pinned`.
        assert_eq!(unsafe { ffi::cuDevicePrimaryCtxReset_v2(device.raw()) }, ffi::CUDA_SUCCESS);
        assert_eq!(pinned[4999], 3);
        pinned[4999] = 4;
        let other = new_context();
        let gpu = stack.push(&other).unwrap();
        let stream = gpu.stream().unwrap();
        let copy = gpu.on(&stream).from_slice(&pinned).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&copy).unwrap(), *pinned);
        drop(pinned);
    });
}

#[test]
fn buffers_of_both_kinds_are_used_alike() {
    with_gpu(|gpu| {
        let (stream, other) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let mut plain = gpu.alloc::<u32>(8).unwrap();
        let mut ordered = gpu.on(&stream).alloc::<u32>(8).unwrap();
        assert_eq!((plain.kind(), ordered.kind()), (BufferKind::Plain, BufferKind::StreamOrdered));
        assert_eq!(ordered.context(), gpu.context());
        let (address, context) = (plain.address(), gpu.context());
        assert_eq!(
            format!("{plain:?}"),
            format!("DeviceBuffer<u32>(8 at {address:#x}, {context:?})")
        );
        // On a stream that it was not allocated on.
        gpu.on(&other).fill(&mut ordered, 6).unwrap();
        gpu.on(&other).copy(&ordered, &mut plain).unwrap();
        assert_eq!(gpu.on(&other).to_vec(&plain).unwrap(), [6; 8]);
        let zeros = gpu.on(&stream).zeroed::<u64>(3).unwrap();
        assert_eq!(gpu.on(&other).to_vec(&zeros).unwrap(), [0; 3]);
        // SAFETY: used on the stream of its allocation alone until that was synchronized.
        let mut early = unsafe { gpu.on(&stream).alloc_unscoped::<u32>(8) }.unwrap();
        gpu.on(&stream).fill(&mut early, 7).unwrap();
        assert_eq!(gpu.on(&other).to_vec(&early).unwrap(), [7; 8]);
    });
}

/// On a stream that nothing else uses, an allocation waits for no work, and neither does the free.
#[test]
fn an_allocation_does_not_wait_for_its_stream() {
    with_gpu(|gpu| {
        let (other, busy) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let pool = MemoryPool::create(gpu.device()).unwrap();
        // The first use of a pool may take longer.
        drop(gpu.on(&other).alloc::<u32>(8).unwrap());
        drop(gpu.on(&other).alloc_from::<u32>(&pool, 8).unwrap());
        // Its free is after the work, and its memory would be the next.
        let before = gpu.on(&busy).alloc::<u32>(8).unwrap();
        let gate = hold(&busy);
        let used = before.address();
        drop(before);
        let mut buffers =
            [gpu.on(&busy).alloc::<u32>(8), gpu.on(&busy).alloc_from(&pool, 8)].map(Result::unwrap);
        for buffer in &mut buffers {
            assert_ne!(buffer.address(), used, "work before it may still use it");
            gpu.on(&other).fill(buffer, 7).unwrap();
            assert_eq!(gpu.on(&other).to_vec(buffer).unwrap(), [7; 8]);
        }
        assert!(!busy.query().unwrap(), "it waited");
        drop(buffers);
        assert!(!busy.query().unwrap(), "the free waited");
        gate.open();
        busy.synchronize().unwrap();
    });
}

#[test]
fn a_buffer_outlives_the_stream_that_it_was_allocated_on() {
    let context = new_context();
    let detached = {
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let stream = gpu.stream().unwrap();
        let buffer = gpu.on(&stream).from_slice(&[1_u32, 2, 3]).unwrap();
        drop(stream);
        let other = gpu.stream().unwrap();
        assert_eq!(gpu.on(&other).to_vec(&buffer).unwrap(), [1, 2, 3]);
        buffer.detach()
    };
    drop(context);
    std::thread::spawn(move || drop(detached)).join().unwrap();
}

#[test]
fn sizes_that_cannot_be_allocated_in_order() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let pool = MemoryPool::create(gpu.device()).unwrap();
        let error = gpu.on(&stream).alloc::<u32>(usize::MAX).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { call: "cuMemAllocAsync", .. }));
        assert!(gpu.on(&stream).alloc_from::<u32>(&pool, usize::MAX).is_err());
        for error in [
            gpu.on(&stream).alloc::<u8>(1 << 50).unwrap_err(),
            gpu.on(&stream).alloc_from::<u8>(&pool, 1 << 50).unwrap_err(),
        ] {
            assert_eq!(error.code(), Some(ffi::CUDA_ERROR_OUT_OF_MEMORY));
        }
        gpu.on(&stream).alloc::<u8>(8).unwrap();
        if Device::count().unwrap() > 1 {
            let elsewhere = MemoryPool::create(Device::get(1).unwrap()).unwrap();
            let error = gpu.on(&stream).alloc_from::<u8>(&elsewhere, 8).unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
        }
    });
}

#[test]
fn a_pool_keeps_what_its_threshold_says() {
    with_gpu(|gpu| {
        const MIB: u64 = 1 << 20;
        let stream = gpu.stream().unwrap();
        let pool = MemoryPool::create(gpu.device()).unwrap();
        assert_eq!(
            (pool.location(), pool.usage().unwrap()),
            (gpu.device().into(), Default::default())
        );
        assert_eq!((pool.release_threshold(), pool.reuse()), (Ok(0), Ok(PoolReuse::all())));
        pool.set_reuse(PoolReuse::OPPORTUNISTIC).unwrap();
        assert_eq!(pool.reuse(), Ok(PoolReuse::OPPORTUNISTIC));

        let buffer = gpu.on(&stream).alloc_from::<u8>(&pool, 1000).unwrap();
        let usage = pool.usage().unwrap();
        assert_eq!((usage.reserved, usage.used, usage.used_high), (32 * MIB, 1000, 1000));
        drop(buffer);
        stream.synchronize().unwrap();
        assert_eq!(pool.usage().unwrap().reserved, 0);

        pool.set_release_threshold(u64::MAX).unwrap();
        assert_eq!(pool.release_threshold(), Ok(u64::MAX));
        drop(gpu.on(&stream).alloc_from::<u8>(&pool, 1000).unwrap());
        stream.synchronize().unwrap();
        let usage = pool.usage().unwrap();
        assert_eq!((usage.reserved, usage.used), (32 * MIB, 0));
        pool.trim_to(0).unwrap();
        let usage = pool.usage().unwrap();
        assert_eq!((usage.reserved, usage.used), (0, 0));
        assert_eq!((usage.reserved_high, usage.used_high), (32 * MIB, 1000));
        pool.reset_high_marks().unwrap();
        assert_eq!(pool.usage().unwrap(), Default::default());
    });
}

#[test]
fn a_buffer_keeps_its_pool() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let pool = MemoryPool::create_with_limit(gpu.device(), 64 << 20).unwrap();
        let mut buffer = gpu.on(&stream).alloc_from::<u32>(&pool, 4).unwrap();
        drop(pool);
        gpu.on(&stream).fill(&mut buffer, 1).unwrap();
        assert_eq!(gpu.on(&stream).to_vec(&buffer).unwrap(), [1; 4]);
    });
}

#[test]
fn the_current_pool_is_the_default_one_until_another_is_set() {
    fresh!(the_current_pool_is_the_default_one_until_another_is_set, {
        with_gpu(|gpu| {
            let stream = gpu.stream().unwrap();
            let first = MemoryPool::default_of(gpu.device()).unwrap();
            let own = MemoryPool::create(gpu.device()).unwrap();
            assert_eq!((first.is_current(), own.is_current()), (Ok(true), Ok(false)));
            own.make_current().unwrap();
            assert_eq!((first.is_current(), own.is_current()), (Ok(false), Ok(true)));
            let buffer = gpu.on(&stream).from_slice(&[5_u32; 100]).unwrap();
            assert_eq!(own.usage().unwrap().used, 400);
            // The pool is destroyed; what it allocated stays.
            drop(own);
            assert_eq!(first.is_current(), Ok(true));
            assert_eq!(gpu.on(&stream).to_vec(&buffer).unwrap(), [5; 100]);
            drop(buffer);
            stream.synchronize().unwrap();
            assert_ne!(first, MemoryPool::create(gpu.device()).unwrap());
            assert_eq!(first, MemoryPool::default_of(gpu.device()).unwrap());
        });
    });
}

#[test]
fn everything_is_released_under_a_foreign_capture() {
    // Alone: the capture refuses what other tests do.
    fresh!(everything_is_released_under_a_foreign_capture, {
        with_gpu(|gpu| {
            let (stream, captured) = (gpu.stream().unwrap(), gpu.stream().unwrap());
            let (pinned, buffer) =
                (gpu.pinned::<u8>(100).unwrap(), gpu.on(&stream).zeroed::<u8>(100).unwrap());
            let begin = ffi::CU_STREAM_CAPTURE_MODE_GLOBAL;
            // SAFETY: plays foreign code: a stream of the test alone, whose capture ends below.
            let begun = unsafe { ffi::cuStreamBeginCapture_v2(captured.raw(), begin) };
            assert_eq!(begun, ffi::CUDA_SUCCESS);
            drop((pinned, buffer));
            let mut graph = std::ptr::null_mut();
            // SAFETY: as above; writes one handle to `graph`.
            let end = unsafe { ffi::cuStreamEndCapture(captured.raw(), &raw mut graph) };
            assert_eq!(end, ffi::CUDA_SUCCESS, "the capture was spoiled");
            // SAFETY: made above.
            assert_eq!(unsafe { ffi::cuGraphDestroy(graph) }, ffi::CUDA_SUCCESS);
        });
    });
}

#[test]
fn a_pinned_buffer_that_stays_registered_is_leaked() {
    fresh!(a_pinned_buffer_that_stays_registered_is_leaked, {
        unsafe extern "C" fn drop_it(buffer: *mut std::ffi::c_void) {
            // SAFETY: from `Box::into_raw` below, once.
            drop(unsafe { Box::from_raw(buffer.cast::<PinnedBuffer<u8>>()) });
        }
        static CODES: Mutex<Vec<Option<ffi::CUresult>>> = Mutex::new(Vec::new());
        cuscope::on_release_error(|error| CODES.lock().unwrap().push(error.code()));
        with_gpu(|gpu| {
            let stream = gpu.stream().unwrap();
            let pinned = gpu.pinned_from(&[1_u8; 100]).unwrap();
            let start = pinned.as_ptr();
            let boxed = Box::into_raw(Box::new(pinned)).cast();
            // SAFETY: plays foreign code: a host function of the stream, which is waited for below.
            let code = unsafe { ffi::cuLaunchHostFunc(stream.raw(), Some(drop_it), boxed) };
            assert_eq!(code, ffi::CUDA_SUCCESS);
            stream.synchronize().unwrap();
            assert_eq!(*CODES.lock().unwrap(), [], "it is released later");
            // SAFETY: nothing has looked for it yet: still there and registered.
            assert_eq!(unsafe { *start }, 1);
            cuscope::ContextStack::reentrant(|_| Ok(())).unwrap();
            // SAFETY: only the address is passed.
            let code = unsafe { ffi::cuMemHostUnregister(start.cast_mut().cast()) };
            assert_eq!(code, ffi::CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);

            if !common::software() {
                return;
            }
            let pinned = gpu.pinned_from(&[1_u8; 100]).unwrap();
            let (start, code) = (pinned.as_ptr(), ffi::CUDA_ERROR_UNKNOWN);
            let fault =
                Fault { which: Which::Named("cuMemHostUnregister"), code, performed: false };
            with_fault(fault, || drop(pinned));
            assert_eq!(*CODES.lock().unwrap(), [Some(code)]);
            // SAFETY: leaked, as this test finds out: still there and registered.
            assert_eq!(unsafe { *start }, 1);
            // SAFETY: as above.
            let code = unsafe { ffi::cuMemHostUnregister(start.cast_mut().cast()) };
            assert_eq!(code, ffi::CUDA_SUCCESS);
        });
    });
}

#[test]
fn nothing_is_left_of_pools_and_registrations() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(nothing_is_left_of_pools_and_registrations, {
        use cuscope_softdriver::control::{Live, live};
        with_gpu(|gpu| {
            let stream = gpu.stream().unwrap();
            let pool = MemoryPool::create(gpu.device()).unwrap();
            let buffer = gpu.on(&stream).alloc_from::<u8>(&pool, 10).unwrap();
            let pinned = gpu.pinned::<u8>(10).unwrap();
            drop(pool);
            let now = live();
            assert_eq!((now.pools, now.registrations, now.allocations), (1, 1, 1));
            drop((buffer, pinned));
        });
        assert_eq!(live(), Live::default());
    });
}

#[test]
fn arrays_of_any_length_are_elements() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let rows: Vec<[f32; 100]> = (0..3).map(|row| [row as f32; 100]).collect();
        let on_device = gpu.on(&stream).from_slice(&rows).unwrap();
        assert_eq!((on_device.len(), on_device.size_bytes()), (3, 1200));
        assert_eq!(gpu.on(&stream).to_vec(&on_device.slice(1..).unwrap()).unwrap(), rows[1..]);
    });
}

#[test]
fn an_address_tells_which_memory_it_is_in() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let info = |address| gpu.pointer_info(address).unwrap();
        let x = gpu.alloc::<u32>(64).unwrap();
        let own = info(x.address() + 100).unwrap();
        assert_eq!((own.kind, own.device), (PointerKind::Device, gpu.device()));
        assert_eq!(own.range, x.address()..x.address() + 256);
        assert_eq!((own.host_address, own.device_address), (None, Some(x.address() + 100)));
        assert_eq!((own.is_of(gpu.context()), own.is_pooled), (Some(true), false));
        assert!(own.contains(x.address(), 256) && !own.contains(x.address() + 1, 256));
        assert!(!own.contains(x.address(), usize::MAX) && !own.contains(x.address() - 1, 1));
        assert_eq!(info(x.address()).unwrap().buffer_id, own.buffer_id);

        let of_a_pool = gpu.on(&stream).alloc::<u32>(64).unwrap();
        let pooled = info(of_a_pool.address()).unwrap();
        assert_eq!((pooled.kind, pooled.is_pooled), (PointerKind::Device, true));
        assert_eq!(pooled.is_of(gpu.context()), None);
        assert_ne!(pooled.buffer_id, own.buffer_id);

        let pinned = gpu.pinned::<u32>(64).unwrap();
        let locked = info(pinned.device_address(gpu).unwrap()).unwrap();
        assert_eq!(locked.kind, PointerKind::Host);
        assert_eq!(locked.host_address, Some(pinned.as_ptr().addr()));
        assert_eq!(locked.is_of(gpu.context()), Some(true));

        let mut managed = 0;
        // SAFETY: `managed` is valid for one address, and a context is current. It is freed below.
        let code = unsafe { ffi::cuMemAllocManaged(&raw mut managed, 256, 1) };
        assert_eq!(code, ffi::CUDA_SUCCESS);
        let shared = info(managed).unwrap();
        assert_eq!(shared.kind, PointerKind::Managed);
        assert_eq!(shared.host_address, Some(managed as usize));
        // SAFETY: nothing uses it.
        assert_eq!(unsafe { ffi::cuMemFree_v2(managed) }, ffi::CUDA_SUCCESS);

        let on_the_host = [0_u8; 4];
        assert_eq!(info(on_the_host.as_ptr().addr() as ffi::CUdeviceptr), None);
        assert_eq!(info(0), None);

        let (context, address) = (new_context(), x.address());
        let inner = gpu.push(&context).unwrap();
        let theirs = inner.pointer_info(address).unwrap().unwrap();
        assert_eq!(theirs.is_of(&context), Some(false));
        assert_eq!(theirs.buffer_id, own.buffer_id);
    });
}
