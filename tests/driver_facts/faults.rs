//! Between a fault and its report, and after that: F104, F108 to F110.

use crate::common::{assert_success, software};
use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;
use std::thread;

/// Lets a kernel trap on the stream of a place, and gives it the time to.
fn fault(place: &Place) {
    assert_eq!(launch(place.kernel(c"stop_here"), place.stream, &[]), SUCCESS);
    ok!(cuEventRecord(place.event, place.stream));
    thread::sleep(LONG);
}

/// F108
#[test]
fn calls_that_do_not_wait_for_a_fault_do_not_report_it() {
    fresh!(calls_that_do_not_wait_for_a_fault_do_not_report_it, {
        let (a, b) = (Place::new(), Place::new());
        ok!(cuCtxPushCurrent_v2(a.context));
        let other: CUstream = made!(cuStreamCreate(1));
        let event: CUevent = made!(cuEventCreate(0));
        let nothing = a.kernel(c"nothing");
        fault(&a);
        for stream in [a.stream, other] {
            assert_eq!(launch(nothing, stream, &[]), SUCCESS);
            each_gives!(SUCCESS; {
                cuMemsetD8Async(a.memory, 0, 64, stream);
                cuMemcpyHtoDAsync_v2(a.memory, a.host, 64, stream);
                cuEventRecord(event, stream);
                cuStreamWaitEvent(stream, event, 0);
            });
        }
        let (mut handle, mut address) = (null_mut::<c_void>(), 0);
        each_gives!(SUCCESS; {
            cuMemsetD8_v2(a.memory, 0, 64);
            cuMemcpyDtoD_v2(a.memory, a.memory + 64, 64);
            cuEventCreate((&raw mut handle).cast(), 0);
            cuMemAlloc_v2(&raw mut address, 4096);
            cuStreamQuery(b.stream);
            cuStreamSynchronize(b.stream);
            cuEventQuery(b.event);
            cuEventDestroy_v2(event);
            cuStreamCreate((&raw mut handle).cast(), 1);
        });
        assert_eq!(code!(cuStreamSynchronize(a.stream)), LAUNCH_FAILED);
    });
}

/// A call, made in the first of two places once a kernel has trapped there, and whether it gives the code of
/// that. The stream is another one of that place, in which nothing ever was.
type First = (&'static str, fn(&Place, &Place, CUstream) -> CUresult, bool);

/// Calls that discover a fault.
const FIRST: [First; 20] = [
    ("cuStreamSynchronize", |a, _, _| code!(cuStreamSynchronize(a.stream)), true),
    ("cuStreamQuery", |a, _, _| code!(cuStreamQuery(a.stream)), true),
    ("cuStreamSynchronize of another", |_, _, other| code!(cuStreamSynchronize(other)), true),
    ("cuStreamQuery of another", |_, _, other| code!(cuStreamQuery(other)), true),
    ("cuEventSynchronize", |a, _, _| code!(cuEventSynchronize(a.event)), true),
    ("cuEventQuery", |a, _, _| code!(cuEventQuery(a.event)), true),
    (
        "cuEventQuery of one that was never recorded",
        |_, _, _| {
            let event: CUevent = made!(cuEventCreate(0));
            code!(cuEventQuery(event))
        },
        true,
    ),
    (
        "cuMemcpyDtoH",
        |a, _, _| {
            let mut word = 0_u32;
            code!(cuMemcpyDtoH_v2((&raw mut word).cast(), a.memory, 4))
        },
        true,
    ),
    (
        "cuMemcpyHtoD",
        |a, _, _| {
            let word = 0_u32;
            code!(cuMemcpyHtoD_v2(a.memory, (&raw const word).cast(), 4))
        },
        true,
    ),
    ("cuCtxSynchronize", |_, _, _| code!(cuCtxSynchronize()), true),
    (
        "cuCtxCreate",
        |_, _, _| {
            let mut context = null_mut();
            code!(cuCtxCreate_v2(&raw mut context, 0, 0))
        },
        true,
    ),
    (
        "cuDevicePrimaryCtxRetain",
        |_, _, _| {
            let mut context = null_mut();
            code!(cuDevicePrimaryCtxRetain(&raw mut context, 0))
        },
        true,
    ),
    (
        "cuModuleLoadData",
        |_, _, _| {
            let mut module = null_mut();
            code!(cuModuleLoadData(&raw mut module, KERNELS.as_ptr().cast()))
        },
        true,
    ),
    ("cuMemFree", |a, _, _| code!(cuMemFree_v2(a.memory)), true),
    ("cuMemFree in another context", |_, b, _| code!(cuMemFree_v2(b.memory)), false),
    (
        "cuMemAllocHost",
        |_, _, _| {
            let mut host = null_mut();
            code!(cuMemAllocHost_v2(&raw mut host, 64))
        },
        false,
    ),
    (
        "cuMemGetInfo",
        |_, _, _| {
            let (mut free, mut total) = (0, 0);
            code!(cuMemGetInfo_v2(&raw mut free, &raw mut total))
        },
        false,
    ),
    ("cuModuleUnload", |a, _, _| code!(cuModuleUnload(a.module)), false),
    ("cuStreamDestroy", |a, _, _| code!(cuStreamDestroy_v2(a.stream)), false),
    ("cuStreamDestroy of another", |_, _, other| code!(cuStreamDestroy_v2(other)), false),
];

/// F108
#[test]
fn a_call_that_discovers_a_fault_gives_its_code_or_leaves_that_to_the_next() {
    const TEST: &str = "a_call_that_discovers_a_fault_gives_its_code_or_leaves_that_to_the_next";
    crate::skip_under_miri!("it starts a process for each case");
    let outputs = each_alone(module_path!(), TEST, &FIRST, |&(name, call, tells)| {
        let (a, b) = (Place::new(), Place::new());
        ok!(cuCtxPushCurrent_v2(a.context));
        let other: CUstream = made!(cuStreamCreate(1));
        fault(&a);
        let mut address = 0;
        assert_eq!(code!(cuMemAlloc_v2(&raw mut address, 4096)), SUCCESS, "before {name}");
        let answer = if tells { LAUNCH_FAILED } else { SUCCESS };
        // A GPU that other processes use too may still run the kernel.
        let mut answered = call(&a, &b, other);
        while !software() && answered == CUDA_ERROR_NOT_READY {
            answered = call(&a, &b, other);
        }
        assert_eq!(answered, answer, "{name}");
        // A call that gives 0 mostly discovers it on a real driver, and leaves it to a later call otherwise.
        let next = code!(cuMemAlloc_v2(&raw mut address, 4096));
        let found = next == LAUNCH_FAILED || (!tells && !software() && next == SUCCESS);
        assert!(found, "behind {name}: {next:?}");
        assert_eq!(code!(cuCtxSynchronize()), LAUNCH_FAILED, "behind {name}");
    });
    outputs.iter().flatten().for_each(|output| assert_success(TEST, output));
}

/// F109
#[test]
fn once_a_fault_is_reported_the_stack_and_the_devices_still_answer() {
    fresh!(once_a_fault_is_reported_the_stack_and_the_devices_still_answer, {
        let (a, b) = (Place::new(), Place::new());
        let device = device();
        let (graph, executable) = within(a.context, || {
            let graph: CUgraph = made!(cuGraphCreate(0));
            let executable: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
            (graph, executable)
        });
        fault(&a);
        assert_eq!(code!(cuStreamSynchronize(a.stream)), LAUNCH_FAILED);

        // With the context of the fault current, and with none.
        let (mut context, mut another) = (null_mut(), null_mut::<c_void>());
        let (mut number, mut flags, mut active, mut bytes) = (0_i32, 0_u32, 0_i32, 0_usize);
        let (mut name, mut id, mut version) = ([0 as c_char; 64], 0_u64, 0_u32);
        let mut uuid: CUuuid = all_zeros();
        let mut mode = CU_STREAM_CAPTURE_MODE_RELAXED;
        for top in [a.context, null_mut()] {
            each_gives!(SUCCESS; {
                cuInit(0);
                cuCtxSetCurrent(top);
                cuCtxGetCurrent(&raw mut context);
                cuCtxPushCurrent_v2(b.context);
                cuCtxPopCurrent_v2(&raw mut context);
                cuDeviceGet(&raw mut number, 0);
                cuDeviceGetCount(&raw mut number);
                cuDeviceGetName(name.as_mut_ptr(), 64, device);
                cuDeviceGetUuid_v2(&raw mut uuid, device);
                cuDeviceTotalMem_v2(&raw mut bytes, device);
                cuDeviceGetAttribute(
                    &raw mut number, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device
                );
                cuCtxGetApiVersion(a.context, &raw mut version);
                cuCtxGetId(a.context, &raw mut id);
                cuPointerGetAttribute(
                    (&raw mut another).cast(), CU_POINTER_ATTRIBUTE_CONTEXT, a.memory
                );
                cuDevicePrimaryCtxGetState(device, &raw mut flags, &raw mut active);
                cuDevicePrimaryCtxSetFlags_v2(device, 0);
                cuDevicePrimaryCtxReset_v2(device);
                cuThreadExchangeStreamCaptureMode(&raw mut mode);
            });
            assert_eq!(another, a.context.cast());
        }
        let mut new: CUgraph = null_mut();
        each_gives!(SUCCESS; {
            cuGraphCreate(&raw mut new, 0);
            cuGraphDestroy(new);
            cuGraphExecDestroy(executable);
            cuGraphDestroy(graph);
        });
        assert!(current().is_null());
        let (mut handle, mut address) = (null_mut::<c_void>(), 0);
        each_gives!(INVALID_CONTEXT; {
            cuCtxSynchronize();
            cuMemAlloc_v2(&raw mut address, 4096);
            cuStreamCreate((&raw mut handle).cast(), 0);
            cuEventCreate((&raw mut handle).cast(), 0);
            cuMemcpyHtoD_v2(a.memory, a.host, 4);
            cuStreamSynchronize(null_mut());
            cuModuleLoadData((&raw mut handle).cast(), KERNELS.as_ptr().cast());
        });
        each_gives!(SUCCESS; {
            cuCtxDestroy_v2(a.context);
            cuCtxDestroy_v2(b.context);
        });
    });
}

/// F110: the software driver knows each byte.
#[test]
fn a_store_to_the_rest_of_a_page_goes_unnoticed() {
    fresh!(a_store_to_the_rest_of_a_page_goes_unnoticed, {
        const PAGE: u64 = 2 << 20;
        let a = Place::new();
        let last_word = (a.memory | (PAGE - 1)) - 3;
        assert_eq!(launch(a.kernel(c"store_value"), a.stream, &[last_word, 7]), SUCCESS);
        let noticed = if software() { ILLEGAL_ADDRESS } else { SUCCESS };
        assert_eq!(code!(cuStreamSynchronize(a.stream)), noticed);
    });
}

/// Runs for some time, and traps if it is told to.
const STOP_LATER: &std::ffi::CStr = c"
.version 7.0
.target sm_52
.address_size 64
.visible .entry stop_later(.param .u64 nanoseconds, .param .u64 stop)
{
    .reg .pred %p<3>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [nanoseconds];
    ld.param.u64 %rd5, [stop];
    mov.u64 %rd2, %globaltimer;
again:
    mov.u64 %rd3, %globaltimer;
    sub.s64 %rd4, %rd3, %rd2;
    setp.lt.u64 %p1, %rd4, %rd1;
    @%p1 bra again;
    setp.eq.u64 %p2, %rd5, 0;
    @%p2 ret;
    trap;
}
";

/// F104
#[test]
fn once_a_fault_is_reported_host_memory_stays_as_it_is() {
    fresh!(once_a_fault_is_reported_host_memory_stays_as_it_is, {
        // The copies of a real device take a quarter of a second.
        let bytes = if software() { 32 << 20 } else { 256 << 20 };
        const COPIES: u8 = 59;
        let a = Place::new();
        ok!(cuCtxPushCurrent_v2(a.context));
        let copies: CUstream = made!(cuStreamCreate(1));
        let memory: CUdeviceptr = made!(cuMemAlloc_v2(bytes));
        let host: *mut c_void = made!(cuMemAllocHost_v2(bytes));
        ok!(cuMemsetD8_v2(memory, 0, bytes));
        ok!(cuMemcpyDtoH_v2(host, memory, bytes));
        // Once before all that: the first launch of a kernel waits for what the context holds.
        let module: CUmodule = made!(cuModuleLoadData(STOP_LATER.as_ptr().cast()));
        let stop_later = kernel(module, c"stop_later");
        assert_eq!(launch(stop_later, a.stream, &[0, 0]), SUCCESS);
        ok!(cuCtxSynchronize());
        for value in 1..=COPIES {
            ok!(cuMemsetD8Async(memory, value, bytes, copies));
            ok!(cuMemcpyDtoHAsync_v2(host, memory, bytes, copies));
        }
        assert_eq!(launch(stop_later, a.stream, &[3_000_000, 1]), SUCCESS);
        let mut code = NOT_READY;
        while code == NOT_READY {
            code = code!(cuStreamQuery(a.stream));
        }
        assert_eq!(code, LAUNCH_FAILED);
        // Reads that the compiler makes one by one, since the device might still write.
        let seen = || -> Vec<u8> {
            let at = |i| host.cast::<u8>().wrapping_add(i);
            // SAFETY: the place lies in the page-locked memory, which lives; any byte is a value.
            (0..bytes).step_by(512).map(|i| unsafe { at(i).read_volatile() }).collect()
        };
        let first = seen();
        assert_ne!(first.last(), Some(&COPIES), "the copies were all done before the fault");
        thread::sleep(LONG);
        assert!(first == seen(), "the device went on writing");
    });
}
