//! Bad input gets an `Err` that names the driver call and what to do, and leaves nothing behind.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{kernel, new_context, new_context_on, with_gpu};
use crate::common::kernels::{STORE, TRAP};
use crate::{common, fresh, skip, skip_under_miri};
use cuscope::{
    Context, ContextFlags, ContextStack, Device, DeviceBuffer, Error, EventFlags, LaunchConfig,
    Library, MemoryPool, Ptx, Result, StreamFlags,
    context::SmSplitFlags,
    diagnostics::{CoreDumps, DriverLog},
    ffi,
    jit::JitOptions,
    memory::{CopyFlags, PoolAccess},
};

/// The message names the call, and goes on after what went wrong with what to do.
fn assert_says(error: &Error, call: &str, advice: &str) {
    let text = error.to_string();
    assert!(text.contains(&format!("`{call}`")), "`{call}` is not named in: {text}");
    assert!(text.contains(advice), "\"{advice}\" is not in: {text}");
}

#[test]
fn an_ordinal_out_of_range() {
    for ordinal in [99, i32::MAX.unsigned_abs() + 1, u32::MAX] {
        let error = Device::get(ordinal).unwrap_err();
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_DEVICE));
        assert_says(&error, "cuDeviceGet", "Device::count");
    }
}

#[test]
fn no_device() {
    if !common::software() {
        skip!("needs the software driver, which can be told to have no device");
    }
    skip_under_miri!("it starts a process without a device");
    let hidden = [
        ("CUSCOPE_SOFT_DEVICES", "0"),
        ("CUDA_VISIBLE_DEVICES", ""),
        ("CUDA_VISIBLE_DEVICES", "-1"),
    ];
    for variable in hidden {
        let Some(output) = common::respawn_with(module_path!(), "no_device", &[variable]) else {
            let error = Device::get(0).unwrap_err();
            assert_eq!(error.code(), Some(ffi::CUDA_ERROR_NO_DEVICE));
            assert!(error.is_unavailable());
            // The driver does not say which of them it was.
            assert_says(&error, "cuInit", "CUSCOPE_SOFT_DEVICES");
            assert_says(&error, "cuInit", "CUDA_VISIBLE_DEVICES");
            assert_says(&Device::count().unwrap_err(), "cuInit", "CUDA_VISIBLE_DEVICES");
            let stack = ContextStack::current_thread();
            assert_says(&stack.unwrap_err(), "cuInit", "CUDA_VISIBLE_DEVICES");
            let nothing = ContextStack::reentrant(|_| -> cuscope::Result { panic!("not called") });
            assert_says(&nothing.unwrap_err(), "cuInit", "CUDA_VISIBLE_DEVICES");
            return;
        };
        common::assert_success("no_device", &output);
    }
}

#[test]
fn ptx_that_does_not_compile() {
    with_gpu(|gpu| {
        let bad = STORE.replace("st.global.u32 [%rd2], %r1;", "frobnicate.u32 %r1;");
        let error = gpu.load_ptx(bad).unwrap_err();
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_PTX));
        assert_says(&error, "cuModuleLoadDataEx", "fix the line");
        let Error::Load(load) = &error else { panic!("{error:?}") };
        assert!(load.log().contains("frobnicate"), "the log names the instruction: {}", load.log());
        assert!(load.log().contains("line 12"), "the log names the line: {}", load.log());
        assert!(error.to_string().contains(load.log()), "the message holds the log");
    });
}

#[test]
fn images_that_are_no_ptx() {
    with_gpu(|gpu| {
        for image in ["", ".", "this is not PTX", "\x7fELF\x02\x01\x01\x07"] {
            let error = gpu.load_ptx(image).unwrap_err();
            assert!(matches!(error, Error::Image(_)), "{image:?}: {error}");
            assert_says(&error, "cuModuleLoadDataEx", "not PTX text");
        }
        let error = gpu.load_ptx("this is not PTX").unwrap_err();
        assert_says(&error, "cuModuleLoadDataEx", "starts with `.version`");

        let error = gpu.load_ptx(STORE.replace(".version 7.0", ".version 99.0")).unwrap_err();
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_UNSUPPORTED_PTX_VERSION));
        assert_says(&error, "cuModuleLoadDataEx", "older toolkit");

        let error = gpu.load_ptx("inside\0text").unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }));
        assert_says(&error, "cuModuleLoadDataEx", "NUL");

        let error = gpu.load_ptx_file("/nowhere/at/all.ptx").unwrap_err();
        assert!(matches!(&error, Error::File { kind: std::io::ErrorKind::NotFound, .. }));
        assert_says(&error, "cuModuleLoadDataEx", "/nowhere/at/all.ptx");

        let path = common::temporary("bad.cubin");
        std::fs::write(&path, b"\x7fELF\xff\xfe").unwrap();
        let error = gpu.load_ptx_file(&path).unwrap_err();
        assert_says(&error, "cuModuleLoadDataEx", "a cubin: use `Cubin`");
        std::fs::write(&path, b".version \xff\xfe").unwrap();
        let error = gpu.load_ptx_file(&path).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert_says(&error, "cuModuleLoadDataEx", "non-ASCII");
    });
}

#[test]
fn an_unknown_function() {
    with_gpu(|gpu| {
        let module = gpu.load_ptx(STORE).unwrap();
        let error = module.function("stor").unwrap_err();
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_NOT_FOUND));
        assert_says(&error, "cuModuleGetFunction", "extern \"C\"");
        let error = module.function("sto\0re").unwrap_err();
        assert_says(&error, "cuModuleGetFunction", "NUL");
    });
}

#[test]
fn launches_of_no_or_too_large_extent() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let store = kernel(gpu, STORE, "store");
        let mut out = gpu.alloc::<u32>(1).unwrap();
        for (config, says) in [
            (LaunchConfig::new(0, 1), "0 in x"),
            (LaunchConfig::new(1, 0), "0 in x"),
            (LaunchConfig::new((1, 0), 1), "0 in y"),
            (LaunchConfig::new(1, 1025), "1025 threads in x"),
            (LaunchConfig::new(1, (32, 33)), "1056 threads"),
            (LaunchConfig::new((1, 65_536), 1), "65536 blocks in y"),
            (LaunchConfig::new(1, (1, 1, 65)), "65 threads in z"),
            (LaunchConfig::new(1, 1).with_shared_bytes(1 << 20), "1048576 bytes"),
        ] {
            // SAFETY: the kernel is store(u32 *, u32) and writes one element; it does not even run.
            let error =
                unsafe { gpu.on(&stream).launch_unchecked(&store, config, (&mut out, 1_u32)) };
            let error = error.unwrap_err();
            assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE), "{config:?}");
            assert_says(&error, "cuLaunchKernel", says);
        }
        // SAFETY: as above; without arguments the driver refuses.
        let error =
            unsafe { gpu.on(&stream).launch_unchecked(&store, LaunchConfig::new(1, 1), ()) };
        let error = error.unwrap_err();
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE), "no arguments (F93)");
        assert_says(&error, "cuLaunchKernel", "arguments");
        gpu.synchronize().unwrap();
    });
}

#[test]
fn allocations_of_too_many_bytes() {
    with_gpu(|gpu| {
        assert_says(
            &gpu.alloc::<u64>(usize::MAX / 4).unwrap_err(),
            "cuMemAlloc_v2",
            "request less",
        );
        let error = gpu.alloc::<u8>(1 << 50).unwrap_err();
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_OUT_OF_MEMORY));
        assert_says(&error, "cuMemAlloc_v2", "request less");
    });
}

#[test]
fn memory_that_runs_out_can_be_freed_and_used_again() {
    if !common::software() {
        skip!("would take the memory from the other tests of this device");
    }
    fresh!(memory_that_runs_out_can_be_freed_and_used_again, {
        with_gpu(|gpu| {
            let free = gpu.memory_info().unwrap().free;
            let mut taken: Vec<DeviceBuffer<'_, u8>> = Vec::new();
            let error = loop {
                match gpu.alloc(1 << 30) {
                    Ok(buffer) => taken.push(buffer),
                    Err(error) => break error,
                }
            };
            assert_eq!(error.code(), Some(ffi::CUDA_ERROR_OUT_OF_MEMORY));
            assert_eq!(taken.len(), free >> 30);
            taken.clear();
            assert_eq!(gpu.memory_info().unwrap().free, free);
            gpu.alloc::<u8>(1 << 30).unwrap();
        });
    });
}

#[test]
fn lengths_that_differ() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let (mut four, mut five) = (gpu.alloc::<u32>(4).unwrap(), gpu.alloc::<u32>(5).unwrap());
        let error = on.upload(&[0; 5], &mut four).unwrap_err();
        let call = "cuMemcpyHtoDAsync_v2";
        assert_eq!(error, Error::LengthMismatch { call, from: 5, to: 4 });
        assert_says(&error, call, "equal length");
        let call = "cuMemcpyDtoHAsync_v2";
        let error = on.download(&four, &mut [0; 3]).unwrap_err();
        assert_eq!(error, Error::LengthMismatch { call, from: 4, to: 3 });
        let call = "cuMemcpyDtoDAsync_v2";
        let error = on.copy(&four, &mut five).unwrap_err();
        assert_eq!(error, Error::LengthMismatch { call, from: 4, to: 5 });
    });
}

#[test]
fn flags_that_do_not_exist() {
    with_gpu(|gpu| {
        let error = gpu.stream_with(StreamFlags::from_bits_retain(77)).unwrap_err();
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
        assert_says(&error, "cuStreamCreate", "0x4c");
        let error = gpu.event_with(EventFlags::from_bits_retain(0xF000)).unwrap_err();
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
        assert_says(&error, "cuEventCreate", "0xf000");
    });
}

#[test]
fn times_of_events_that_have_none() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (start, end) = (gpu.event().unwrap(), gpu.event().unwrap());
        let untimed = gpu.event_with(EventFlags::DISABLE_TIMING).unwrap();
        gpu.on(&stream).record(&start).unwrap();
        gpu.on(&stream).record(&untimed).unwrap();
        stream.synchronize().unwrap();
        for (later, earlier) in [(&end, &start), (&start, &end), (&untimed, &start)] {
            let error = later.elapsed_since(earlier).unwrap_err();
            assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_HANDLE));
            assert_says(&error, "cuEventElapsedTime", "recorded");
        }
    });
}

#[test]
fn a_kernel_that_faults_is_reported_as_sticky() {
    fresh!(a_kernel_that_faults_is_reported_as_sticky, {
        with_gpu(|gpu| {
            let stream = gpu.stream().unwrap();
            let buffer = gpu.alloc::<u32>(1).unwrap();
            let fault = kernel(gpu, TRAP, "fault");
            // SAFETY: the kernel takes nothing and touches no memory.
            let error =
                unsafe { gpu.on(&stream).launch_unchecked(&fault, LaunchConfig::new(1, 1), ()) };
            let error = error.unwrap_err();
            assert_eq!(error.code(), Some(ffi::CUDA_ERROR_LAUNCH_FAILED));
            assert!(error.is_sticky());
            assert_says(&error, "cuStreamSynchronize", "process");
            let error = gpu.alloc::<u32>(1).unwrap_err();
            assert!(error.is_sticky(), "{error}");
            assert_says(&error, "cuMemAlloc_v2", "end the process");
            drop(buffer); // refused by the driver, in silence
        });
        // The stack itself still works, and everything was let go without a panic.
        drop(ContextStack::current_thread().unwrap());
    });
}

#[test]
fn access_that_there_is_already_or_not_at_all() {
    let devices = Device::all().unwrap();
    let first = devices[0];
    let supported = ffi::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED;
    let error = first.p2p_attribute(first, supported).unwrap_err();
    assert_says(&error, "cuDeviceGetP2PAttribute", "name two devices");
    let pool = MemoryPool::create(first).unwrap();
    let error = pool.set_access(first, PoolAccess::None).unwrap_err();
    assert_says(&error, "cuMemPoolSetAccess", "keeps it");
    with_gpu(|gpu| {
        let enable = "cuCtxEnablePeerAccess";
        assert_says(
            &gpu.enable_peer_access(&new_context()).unwrap_err(),
            enable,
            "can_access_peer",
        );
        let [_, second, ..] = devices[..] else { skip!("needs two devices") };
        let other = new_context_on(second);
        let error = gpu.disable_peer_access(&other).unwrap_err();
        assert_says(&error, "cuCtxDisablePeerAccess", "call `enable_peer_access` first");
        gpu.enable_peer_access(&other).unwrap();
        let error = gpu.enable_peer_access(&other).unwrap_err();
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED));
        assert_says(&error, enable, "enable it once");
    });
}

#[test]
fn ordered_streams() {
    with_gpu(|gpu| {
        let (ordered, other) = (gpu.ordered_stream().unwrap(), gpu.ordered_stream().unwrap());
        let mut x = ordered.zeroed::<u32>(4).unwrap();
        assert_says(
            &ordered.alloc::<u32>(usize::MAX).unwrap_err(),
            "cuMemAllocAsync",
            "request less",
        );
        let error = ordered.alloc_pitched::<u32>((4, usize::MAX)).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
        let differs = |result: cuscope::Result, call| {
            let error = result.unwrap_err();
            assert!(matches!(error, Error::LengthMismatch { .. }), "{error}");
            assert_says(&error, call, "4");
        };
        differs(ordered.upload(&[1; 3], &mut x), "cuMemcpyHtoDAsync_v2");
        differs(ordered.download(&x, &mut [0; 5]), "cuMemcpyDtoHAsync_v2");
        differs(
            ordered.copy(&x.slice(1..).unwrap(), &mut ordered.alloc(4).unwrap()),
            "cuMemcpyDtoDAsync_v2",
        );
        let refused = ordered.download_owned(&x, gpu.pinned(5).unwrap()).unwrap_err();
        assert!(matches!(refused.error, Error::LengthMismatch { from: 4, to: 5, .. }));
        assert!(refused.value.is_some(), "it comes back");
        assert_says(&other.fill(&mut x, 1).unwrap_err(), "cuMemsetD32Async", "hand_over");
        let error = x.slice(3..9).unwrap_err();
        assert!(matches!(error, Error::InvalidRange { .. }), "{error}");
        let module = gpu.load_ptx(include_str!("../code/signatures.ptx")).unwrap();
        let counter = module.variable::<u32>("counter").unwrap();
        let refused = ordered.adopt(counter).unwrap_err();
        assert_says(&refused.error, "OrderedStream::adopt", "copy it to a buffer of the stream");
        let counter = refused.value.expect("it comes back");
        assert_eq!(gpu.on(ordered.stream(gpu).unwrap()).to_vec(&counter).unwrap().len(), 1);
    });
}

/// A refusal before the call names the call that was not made.
#[test]
fn each_refusal_of_an_argument_names_its_call() {
    let device = Device::get(0).unwrap();
    let both = ContextFlags::SCHED_SPIN | ContextFlags::SCHED_YIELD;
    let params = ffi::CUctxCreateParams {
        execAffinityParams: std::ptr::null_mut(),
        numExecAffinityParams: 0,
        cigParams: std::ptr::null_mut(),
    };
    // SAFETY: the pointers are null.
    let with_params = unsafe { Context::create_with_params(device, both, params) };
    let split = device.sm_resource().unwrap().split_by_count(0, 8, SmSplitFlags::empty());
    let library = Library::load(&Ptx::new(STORE).unwrap()).unwrap();
    let (kernel, unknown) = (library.kernel("store").unwrap(), 9999);
    let mut refused: Vec<(&str, Result)> = vec![
        ("cuCtxCreate_v3", Context::create_with_affinity(device, both, 1).map(drop)),
        ("cuCtxCreate_v4", with_params.map(drop)),
        ("cuDevicePrimaryCtxSetFlags_v2", device.set_primary_context_flags(both)),
        ("cuDevSmResourceSplitByCount", split.map(drop)),
        ("cuDevResourceGenerateDesc", Context::create_green(&[]).map(drop)),
        ("cuDeviceGetAttribute", device.attribute(ffi::CUdevice_attribute(unknown)).map(drop)),
        ("cuCoredumpSetAttributeGlobal", CoreDumps::process().set_file("a\0b")),
        ("cuLogsDumpToFile", DriverLog::all().write_to("a\0b")),
        ("cuLibraryGetKernel", library.kernel("a\0b").map(drop)),
        ("cuLibraryGetManaged", library.managed("a\0b").map(drop)),
        ("cuLibraryGetUnifiedFunction", library.unified_function("a\0b").map(drop)),
        (
            "cuKernelGetAttribute",
            kernel.attribute(device, ffi::CUfunction_attribute(unknown)).map(drop),
        ),
        (
            "cuKernelSetAttribute",
            kernel.set_attribute(device, ffi::CUfunction_attribute(unknown), 1),
        ),
    ];
    with_gpu(|gpu| {
        let (stream, ordered, most) =
            (gpu.stream().unwrap(), gpu.ordered_stream().unwrap(), usize::MAX);
        let (on, pool) = (gpu.on(&stream), MemoryPool::create(device).unwrap());
        let module = gpu.load_ptx(STORE).unwrap();
        let (x, mut rows) =
            (gpu.alloc::<u32>(3).unwrap(), gpu.alloc_pitched::<u32>((2, 2)).unwrap());
        let add = gpu.linker(&JitOptions::new()).unwrap().add(&Ptx::new(STORE).unwrap(), "a\0b");
        refused.extend([
            ("cuCoredumpSetAttribute", gpu.core_dumps().set_file("a\0b")),
            ("cuMemAllocAsync", ordered.alloc_pitched::<u32>((most, 2)).map(drop)),
            ("cuMemAllocAsync", ordered.alloc::<u32>(most).map(drop)),
            ("cuMemAllocFromPoolAsync", on.alloc_from::<u32>(&pool, most).map(drop)),
            ("cuModuleGetFunction", module.function("a\0b").map(drop)),
            ("cuModuleGetFunction", module.kernel::<(&mut [u32], u32)>("a\0b").map(drop)),
            ("cuModuleGetGlobal_v2", module.variable::<u32>("a\0b").map(drop)),
            ("cuLibraryGetGlobal", library.variable::<u32>(gpu, "a\0b").map(drop)),
            ("cuLinkAddData_v2", add.map(drop)),
        ]);
        if ffi::cuMemcpy3DWithAttributesAsync().is_ok() {
            let copied = on.copy_with(&x, &mut rows, CopyFlags::empty());
            refused.push(("cuMemcpy3DWithAttributesAsync", copied));
        }
    });
    for (call, result) in refused {
        let error = result.expect_err(call);
        // A driver may lack the function, which names itself too.
        assert_eq!(error.call(), Some(call), "{error}");
    }
}
