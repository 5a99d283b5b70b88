//! Failures, and their answers: F60 to F67, F93, F111, F112, F533, F534.

use crate::fresh;
use crate::raw::*;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

/// Runs a kernel that the device stops, and asserts that the whole process is lost to it.
fn assert_sticky(fault: &CStr, arguments: &[u64], code: CUresult) {
    let (a, b) = (Place::new(), Place::new());
    let device = device();
    assert_eq!(launch(a.kernel(fault), a.stream, arguments), SUCCESS);
    assert_eq!(code!(cuStreamSynchronize(a.stream)), code);

    // With the context of the fault current, with another one of that device, and with none.
    within(a.context, || assert_everything_gives(code, &a));
    within(b.context, || assert_everything_gives(code, &b));
    assert_handles_give(code, &a);
    assert_handles_give(code, &b);

    let mut context = null_mut();
    each_gives!(code; {
        cuCtxCreate_v2(&raw mut context, 0, device);
        cuDevicePrimaryCtxRetain(&raw mut context, device);
    });
    assert!(current().is_null());
    ok!(cuCtxDestroy_v2(a.context));
    ok!(cuCtxDestroy_v2(b.context));
}

/// Calls in the current context.
fn assert_everything_gives(code: CUresult, place: &Place) {
    let mut word = 0_u32;
    let (mut address, mut pointer): (_, *mut c_void) = (0, null_mut());
    let host = (&raw mut word).cast();
    each_gives!(code; {
        cuCtxSynchronize();
        cuMemAlloc_v2(&raw mut address, 4096);
        cuMemAllocHost_v2(&raw mut pointer, 4096);
        cuMemcpyHtoD_v2(place.memory, host, 4);
        cuMemcpyDtoH_v2(host.cast(), place.memory, 4);
        cuMemcpyDtoD_v2(place.memory, place.memory + 4, 4);
        cuMemsetD8_v2(place.memory, 0, 4);
        cuMemsetD32_v2(place.memory, 0, 1);
        cuStreamCreate((&raw mut pointer).cast(), 0);
        cuEventCreate((&raw mut pointer).cast(), 0);
        cuModuleLoadData((&raw mut pointer).cast(), KERNELS.as_ptr().cast());
    });
    assert_handles_give(code, place);
}

/// Calls that need no current context, releases among them.
fn assert_handles_give(code: CUresult, place: &Place) {
    let mut word = 0_u32;
    let mut address = 0;
    let host = (&raw mut word).cast();
    each_gives!(code; {
        cuStreamSynchronize(place.stream);
        cuStreamQuery(place.stream);
        cuStreamWaitEvent(place.stream, place.event, 0);
        cuEventRecord(place.event, place.stream);
        cuEventSynchronize(place.event);
        cuMemcpyHtoDAsync_v2(place.memory, host, 4, place.stream);
        cuMemcpyDtoHAsync_v2(host.cast(), place.memory, 4, place.stream);
        cuMemsetD8Async(place.memory, 0, 4, place.stream);
        cuMemAllocAsync(&raw mut address, 4096, place.stream);
        cuMemFree_v2(place.memory);
        cuMemFreeHost(place.host);
        cuModuleUnload(place.module);
    });
}

/// F534
#[test]
fn a_module_of_a_context_with_a_fault_gives_no_function() {
    fresh!(a_module_of_a_context_with_a_fault_gives_no_function, {
        let (a, mut function) = (Place::new(), null_mut());
        assert_eq!(launch(a.kernel(c"stop_here"), a.stream, &[]), SUCCESS);
        assert_eq!(code!(cuStreamSynchronize(a.stream)), LAUNCH_FAILED);
        let name = c"nothing".as_ptr();
        let asked = code!(cuModuleGetFunction(&raw mut function, a.module, name));
        assert_eq!(asked, LAUNCH_FAILED);
        a.destroy();
    });
}

/// F60
#[test]
fn a_trap_is_launch_failed_from_then_on() {
    fresh!(a_trap_is_launch_failed_from_then_on, {
        assert_sticky(c"stop_here", &[], LAUNCH_FAILED);
    });
}

/// F60
#[test]
fn a_store_to_a_bad_address_is_illegal_address_from_then_on() {
    fresh!(a_store_to_a_bad_address_is_illegal_address_from_then_on, {
        assert_sticky(c"store_value", &[0x10, 1], ILLEGAL_ADDRESS);
    });
}

/// F61
#[test]
fn a_launch_of_an_impossible_shape_is_invalid_value() {
    let a = Place::new();
    let nothing = a.kernel(c"nothing");
    for (grid, block, shared) in [
        ([0, 1, 1], [1, 1, 1], 0),
        ([1, 0, 1], [1, 1, 1], 0),
        ([1, 1, 0], [1, 1, 1], 0),
        ([1, 1, 1], [0, 1, 1], 0),
        ([1, 1, 1], [1, 0, 1], 0),
        ([1, 1, 1], [1, 1, 0], 0),
        ([1, 1, 1], [1025, 1, 1], 0),
        ([1, 65_536, 1], [1, 1, 1], 0),
        ([1, 1, 1], [1, 1, 1], 1 << 20),
    ] {
        let code = launch_shaped(nothing, grid, block, shared, a.stream, &[]);
        assert_eq!(code, INVALID_VALUE, "grid {grid:?} block {block:?} shared {shared}");
    }
    // A refused call leaves nothing behind, and the limits themselves are allowed.
    for (grid, block) in [([1, 65_535, 1], [1, 1, 1]), ([1, 1, 1], [1024, 1, 1])] {
        assert_eq!(launch_shaped(nothing, grid, block, 0, a.stream, &[]), SUCCESS);
    }
    ok!(cuStreamSynchronize(a.stream));
    a.destroy();
}

/// F62
#[test]
fn allocations_of_nothing_and_of_too_much_are_refused() {
    let context = create_context();
    let mut address = 0;
    assert_eq!(code!(cuMemAlloc_v2(&raw mut address, 0)), INVALID_VALUE);
    assert_eq!(code!(cuMemAlloc_v2(&raw mut address, 1 << 50)), OUT_OF_MEMORY);
    assert_eq!(address, 0);
    ok!(cuCtxSynchronize());
    ok!(cuCtxDestroy_v2(context));
}

/// F62
#[test]
fn free_takes_null_and_refuses_what_is_not_allocated() {
    // Alone in a process: elsewhere the freed address may be in use again.
    fresh!(free_takes_null_and_refuses_what_is_not_allocated, {
        let context = create_context();
        ok!(cuMemFree_v2(0));
        let memory: CUdeviceptr = made!(cuMemAlloc_v2(4096));
        ok!(cuMemFree_v2(memory));
        assert_eq!(code!(cuMemFree_v2(memory)), INVALID_VALUE);
        let on_the_host = 0_u64;
        let foreign = (&raw const on_the_host).addr() as CUdeviceptr;
        assert_eq!(code!(cuMemFree_v2(foreign)), INVALID_VALUE);
        ok!(cuCtxDestroy_v2(context));
    });
}

/// F63
#[test]
fn an_unknown_function_is_not_found() {
    let a = Place::new();
    let mut function = null_mut();
    assert_eq!(
        code!(cuModuleGetFunction(&raw mut function, a.module, c"no_such_kernel".as_ptr())),
        NOT_FOUND
    );
    a.destroy();
}

/// F93
#[test]
fn packed_arguments_may_be_too_few_and_not_too_many() {
    use cuscope::ffi::{
        CU_LAUNCH_PARAM_BUFFER_POINTER as POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE as SIZE,
        CU_LAUNCH_PARAM_END as END, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES as OUT_OF_RESOURCES,
    };
    let a = Place::new();
    let function = a.kernel(c"store_value");
    let packed = |arguments: &mut [u64]| {
        let mut bytes = size_of_val(arguments);
        let (buffer, size) = (arguments.as_mut_ptr().cast(), (&raw mut bytes).cast());
        let mut extra = [POINTER, buffer, SIZE, size, END];
        let (stream, none) = (a.stream, null_mut());
        let code =
            code!(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, none, extra.as_mut_ptr()));
        assert_eq!(code!(cuStreamSynchronize(stream)), SUCCESS);
        code
    };
    assert_eq!((packed(&mut [a.memory, 7]), a.value()), (SUCCESS, 7));
    // The value that is missing is any, and stored all the same.
    assert_eq!(packed(&mut [a.memory]), SUCCESS);
    assert_eq!(packed(&mut [a.memory + 4, 7, 8]), OUT_OF_RESOURCES);
    let (stream, none) = (a.stream, null_mut());
    let nothing = code!(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, none, null_mut()));
    assert_eq!(nothing, INVALID_VALUE);
    a.destroy();
}

/// F111
#[test]
fn a_kernel_that_requires_a_block_takes_no_other() {
    const REQUIRES_32: &CStr = c"
.version 7.0
.target sm_52
.address_size 64
.visible .entry exactly() .reqntid 32 { ret; }
.visible .entry at_most() .maxntid 32 { ret; }
";
    let a = Place::new();
    within(a.context, || {
        let module: CUmodule = made!(cuModuleLoadData(REQUIRES_32.as_ptr().cast()));
        let (exactly, at_most) = (kernel(module, c"exactly"), kernel(module, c"at_most"));
        for (block, of_exactly, of_at_most) in [
            ([32, 1, 1], SUCCESS, SUCCESS),
            ([31, 1, 1], INVALID_VALUE, SUCCESS),
            ([16, 2, 1], INVALID_VALUE, SUCCESS),
            ([33, 1, 1], INVALID_VALUE, INVALID_VALUE),
        ] {
            let answer = |function| launch_shaped(function, [1; 3], block, 0, a.stream, &[]);
            assert_eq!((answer(exactly), answer(at_most)), (of_exactly, of_at_most), "{block:?}");
        }
        ok!(cuStreamSynchronize(a.stream));
    });
    a.destroy();
}

/// F112
#[test]
fn a_target_needs_its_ptx_version() {
    const TOO_OLD: &CStr = c"
.version 7.0
.target sm_90
.address_size 64
.visible .entry empty() { ret; }
";
    const OLD: &CStr = c"
.version 7.0
.target sm_20
.address_size 64
.visible .entry empty() { ret; }
";
    let context = create_context();
    let mut module = null_mut();
    assert_eq!(code!(cuModuleLoadData(&raw mut module, TOO_OLD.as_ptr().cast())), INVALID_PTX);
    ok!(cuModuleLoadData(&raw mut module, OLD.as_ptr().cast()));
    ok!(cuCtxDestroy_v2(context));
}

/// F63
#[test]
fn each_bad_image_has_its_code() {
    const BAD_INSTRUCTION: &CStr = c"
.version 7.0
.target sm_52
.address_size 64
.visible .entry bad() { no_such_instruction; ret; }
";
    const UNKNOWN_TARGET: &CStr = c"
.version 7.0
.target sm_999
.address_size 64
.visible .entry empty() { ret; }
";
    const UNKNOWN_VERSION: &CStr = c"
.version 99.0
.target sm_52
.address_size 64
.visible .entry empty() { ret; }
";
    let context = create_context();
    for (image, code) in [
        (c"this is no image", INVALID_IMAGE),
        (BAD_INSTRUCTION, INVALID_PTX),
        (UNKNOWN_TARGET, INVALID_PTX),
        (UNKNOWN_VERSION, UNSUPPORTED_PTX_VERSION),
    ] {
        let mut module = null_mut();
        assert_eq!(
            code!(cuModuleLoadData(&raw mut module, image.as_ptr().cast())),
            code,
            "{image:?}"
        );
        assert!(module.is_null());
    }
    let mut module = null_mut();
    assert_eq!(code!(cuModuleLoad(&raw mut module, c"/no/such/file.ptx".as_ptr())), FILE_NOT_FOUND);
    ok!(cuCtxDestroy_v2(context));
}

/// F64
#[test]
fn copies_past_the_end_are_invalid_value_and_may_overlap_within() {
    let a = Place::new();
    let mut host = vec![0_u8; 2 * Place::BYTES];
    let (host, past) = (host.as_mut_ptr().cast::<c_void>(), Place::BYTES + 1);
    within(a.context, || {
        each_gives!(INVALID_VALUE; {
            cuMemcpyHtoD_v2(a.memory, host, past);
            cuMemcpyDtoH_v2(host, a.memory, past);
            cuMemcpyHtoD_v2(a.memory + 1, host, Place::BYTES);
            cuMemcpyDtoD_v2(a.memory + 64, a.memory, Place::BYTES);
        });
        ok!(cuMemcpyDtoD_v2(a.memory, a.memory + 64, 64));
        ok!(cuMemcpyDtoD_v2(a.memory, a.memory + 64, 128));
        ok!(cuMemcpyDtoD_v2(a.memory + 1, a.memory, 128));
        ok!(cuMemcpyDtoH_v2(host, a.memory, Place::BYTES));
    });
    a.destroy();
}

/// F64
#[test]
fn a_copy_of_no_bytes_takes_any_pointer() {
    let context = create_context();
    each_gives!(SUCCESS; {
        cuMemcpyHtoD_v2(0, null_mut(), 0);
        cuMemcpyDtoH_v2(null_mut(), 0x10, 0);
        cuMemcpyDtoD_v2(0x10, 0x10, 0);
    });
    ok!(cuCtxDestroy_v2(context));
}

/// F65
#[test]
fn elapsed_time_needs_two_recorded_events_with_timing() {
    let a = Place::new();
    within(a.context, || {
        let never: CUevent = made!(cuEventCreate(0));
        let untimed: CUevent =
            made!(cuEventCreate(cuscope::ffi::CUevent_flags::CU_EVENT_DISABLE_TIMING.bits()));
        ok!(cuEventRecord(a.event, a.stream));
        ok!(cuEventRecord(untimed, a.stream));
        ok!(cuStreamSynchronize(a.stream));
        let mut milliseconds = 0.0;
        each_gives!(INVALID_HANDLE; {
            cuEventElapsedTime(&raw mut milliseconds, never, a.event);
            cuEventElapsedTime(&raw mut milliseconds, a.event, never);
            cuEventElapsedTime(&raw mut milliseconds, untimed, a.event);
            cuEventElapsedTime(&raw mut milliseconds, a.event, untimed);
        });
        ok!(cuEventElapsedTime(&raw mut milliseconds, a.event, a.event));
        ok!(cuEventQuery(never));
        ok!(cuEventSynchronize(never));
    });
    a.destroy();
}

/// F67
#[test]
fn an_unknown_code_has_no_name() {
    let mut name = std::ptr::dangling();
    assert_eq!(code!(cuGetErrorName(CUresult(12_345), &raw mut name)), INVALID_VALUE);
    assert!(name.is_null());
    assert_eq!(code!(cuGetErrorString(CUresult(12_345), &raw mut name)), INVALID_VALUE);
    ok!(cuGetErrorName(INVALID_VALUE, &raw mut name));
    // SAFETY: the driver's own string, which lasts.
    assert_eq!(unsafe { std::ffi::CStr::from_ptr(name) }, c"CUDA_ERROR_INVALID_VALUE");
}

/// The codes that are declared, with their names; a test of `cuscope-sys` compares them with `cuda.h`.
fn declared() -> impl Iterator<Item = (u32, &'static str)> {
    let lines = include_str!("../../ffi/src/types/result.rs").lines();
    let rows = lines.filter_map(|line| line.trim().strip_suffix(',')?.split_once(" = "));
    rows.map(|(name, code)| (code.parse().expect("a number"), name))
}

/// F533
#[test]
fn every_code_has_a_name_and_a_text() {
    // Codes of CUDA 13.1 and later, which an older driver does not know.
    const NEWER: [u32; 5] = [47, 227, 917, 918, 919];
    assert!(declared().count() > 100);
    for (code, declared) in declared() {
        let (mut name, mut text) = (std::ptr::null(), std::ptr::null());
        let answers = (
            code!(cuGetErrorName(CUresult(code), &raw mut name)),
            code!(cuGetErrorString(CUresult(code), &raw mut text)),
        );
        if NEWER.contains(&code) && answers == (INVALID_VALUE, INVALID_VALUE) {
            continue;
        }
        assert_eq!(answers, (SUCCESS, SUCCESS), "{declared}");
        // SAFETY: the driver's own strings, which last.
        let [name, text] = [name, text].map(|text| unsafe { CStr::from_ptr(text) });
        assert_eq!(name.to_str(), Ok(declared));
        assert!(!text.is_empty(), "{declared}");
    }
}
