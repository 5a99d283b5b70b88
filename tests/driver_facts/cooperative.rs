//! Blocks that wait for each other: F240, F325.

use crate::raw::*;
use crate::skip;
use cuscope::ffi::*;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

const TOO_LARGE: CUresult = CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;

/// Every block adds 1 to the number, waits until all of the grid have, and writes what it saw after it.
const MEET: &CStr = c"
.version 7.0
.target sm_70
.address_size 64
.visible .entry meet(.param .u64 number)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [number];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, %nctaid.x;
    mov.u32 %r2, %ctaid.x;
    atom.global.add.u32 %r3, [%rd1], 1;
again:
    ld.volatile.global.u32 %r4, [%rd1];
    setp.lt.u32 %p1, %r4, %r1;
    @%p1 bra again;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3+4], %r4;
    ret;
}
";

/// The answer to a launch without arguments, by the function for it.
fn cooperative(
    function: CUfunction,
    blocks: u32,
    threads: u32,
    bytes: u32,
    s: CUstream,
) -> CUresult {
    code!(cuLaunchCooperativeKernel(function, blocks, 1, 1, threads, 1, 1, bytes, s, null_mut()))
}

/// The same by an attribute of this value.
fn by_attribute(
    function: CUfunction,
    [blocks, threads, bytes]: [u32; 3],
    value: i32,
    stream: CUstream,
) -> CUresult {
    let mut attribute: CUlaunchAttribute = all_zeros();
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = value;
    let mut config: CUlaunchConfig = all_zeros();
    (config.gridDimX, config.gridDimY, config.gridDimZ) = (blocks, 1, 1);
    (config.blockDimX, config.blockDimY, config.blockDimZ) = (threads, 1, 1);
    (config.sharedMemBytes, config.hStream) = (bytes, stream);
    (config.attrs, config.numAttrs) = (&raw mut attribute, 1);
    code!(cuLaunchKernelEx(&raw const config, function, null_mut(), null_mut()))
}

/// F240
#[test]
fn as_many_blocks_are_launched_together_as_the_device_holds() {
    let place = place();
    if !like_h200() {
        place.destroy();
        skip!("the device has not the 132 multiprocessors that the row is about");
    }
    let (nothing, stream) = (place.kernel(c"nothing"), place.stream);
    for [blocks, threads, bytes] in [[264, 1024, 0], [4224, 32, 0], [528, 32, 48 << 10]] {
        for (blocks, code) in [(blocks, SUCCESS), (blocks + 1, TOO_LARGE)] {
            assert_eq!(cooperative(nothing, blocks, threads, bytes, stream), code, "{blocks}");
            assert_eq!(by_attribute(nothing, [blocks, threads, bytes], 1, stream), code);
        }
        assert_eq!(by_attribute(nothing, [blocks + 1, threads, bytes], 0, stream), SUCCESS);
        ok!(cuStreamSynchronize(stream));
    }
    // A shape that no launch may have is refused before the count of blocks that fit.
    assert_eq!(cooperative(nothing, 1, 1025, 0, stream), INVALID_VALUE);
    assert_eq!(by_attribute(nothing, [1, 1025, 0], 1, stream), INVALID_VALUE);
    // A block on each multiprocessor, which wait for each other.
    let module: CUmodule = made!(cuModuleLoadData(MEET.as_ptr().cast()));
    let mut memory = place.memory;
    let mut arguments = [(&raw mut memory).cast::<c_void>()];
    let (meet, arguments) = (kernel(module, c"meet"), arguments.as_mut_ptr());
    ok!(cuLaunchCooperativeKernel(meet, 132, 1, 1, 1, 1, 1, 0, stream, arguments));
    ok!(cuStreamSynchronize(stream));
    let mut seen = [0_u32; 133];
    ok!(cuMemcpyDtoH_v2(seen.as_mut_ptr().cast(), place.memory, size_of_val(&seen)));
    assert_eq!(seen, [132; 133]);
    place.destroy();
}

/// A launch of a list of them.
fn on(
    function: CUfunction,
    blocks: u32,
    threads: u32,
    bytes: u32,
    stream: CUstream,
) -> CUDA_LAUNCH_PARAMS {
    CUDA_LAUNCH_PARAMS {
        function,
        gridDimX: blocks,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: threads,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: bytes,
        hStream: stream,
        kernelParams: null_mut(),
    }
}

/// The answer to a launch of a list.
fn on_devices<const N: usize>(mut list: [CUDA_LAUNCH_PARAMS; N], flags: u32) -> CUresult {
    code!(cuLaunchCooperativeKernelMultiDevice(list.as_mut_ptr(), N as u32, flags))
}

/// F325
#[test]
fn a_launch_on_one_device_of_a_list_is_a_cooperative_one() {
    let place = place();
    let (nothing, stream) = (place.kernel(c"nothing"), place.stream);
    for flags in 0..8 {
        let code = if flags < 4 { SUCCESS } else { INVALID_VALUE };
        assert_eq!(on_devices([on(nothing, 1, 32, 0, stream)], flags), code, "{flags}");
    }
    let none: CUstream = null_mut();
    let most = made!(cuOccupancyMaxActiveBlocksPerMultiprocessor(nothing, 1024, 0)) as u32
        * made!(cuDeviceGetAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device())) as u32;
    for (one, code) in [
        (on(nothing, most, 1024, 0, stream), SUCCESS),
        (on(nothing, most + 1, 1024, 0, stream), TOO_LARGE),
        (on(nothing, 1, 32, 49_153, stream), TOO_LARGE),
        (on(nothing, 0, 32, 0, stream), INVALID_VALUE),
        (on(nothing, 1, 1025, 0, stream), INVALID_VALUE),
        (on(place.kernel(c"store_value"), 1, 32, 0, stream), INVALID_VALUE),
        (on(null_mut(), 1, 32, 0, stream), INVALID_HANDLE),
        (on(nothing, 1, 32, 0, none), INVALID_HANDLE),
        (on(nothing, 1, 32, 0, CU_STREAM_LEGACY), INVALID_HANDLE),
        (on(nothing, 1, 32, 0, CU_STREAM_PER_THREAD), INVALID_HANDLE),
    ] {
        assert_eq!(on_devices([one], 0), code, "{} {}", one.gridDimX, one.blockDimX);
    }
    let one = on(nothing, 1, 32, 0, stream);
    let devices: i32 = made!(cuDeviceGetCount());
    let twice = if devices > 1 { INVALID_DEVICE } else { INVALID_VALUE };
    assert_eq!(on_devices([one, one], 0), twice, "a device twice");
    assert_eq!(on_devices([one; 65], 0), INVALID_VALUE, "more than there are");
    assert_eq!(on_devices([], 0), INVALID_VALUE);
    assert_eq!(code!(cuLaunchCooperativeKernelMultiDevice(null_mut(), 1, 0)), INVALID_VALUE);
    // Whatever is current.
    pop();
    assert_eq!(on_devices([one], 0), SUCCESS);
    assert_eq!(on_devices([on(nothing, 1, 32, 0, none)], 0), INVALID_HANDLE);
    let other = Place::new();
    assert_eq!(on_devices([on(other.kernel(c"nothing"), 1, 32, 0, stream)], 0), INVALID_HANDLE);
    other.destroy();
    // It is not captured, and spoils what is.
    for blocks in [1, most + 1] {
        ok!(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
        let refused = on_devices([on(nothing, blocks, 1024, 0, stream)], 0);
        assert_eq!(refused, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        let mut graph = null_mut();
        let end = code!(cuStreamEndCapture(stream, &raw mut graph));
        assert_eq!(end, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    }
    ok!(cuCtxPushCurrent_v2(place.context));
    ok!(cuStreamSynchronize(stream));
    place.destroy();
}

/// F325
#[test]
fn kernels_of_one_shape_are_launched_on_several_devices() {
    let first = place();
    if made!(cuDeviceGetCount()) < 2 {
        first.destroy();
        skip!("needs two devices");
    }
    // A context on the other device, with kernels and a stream.
    let context: CUcontext = made!(cuCtxCreate_v2(0, 1));
    let nothing = kernel(load_kernels(), c"nothing");
    let stream: CUstream = made!(cuStreamCreate(1));
    let a = first.kernel(c"nothing");
    let both = |shape: [u32; 3], other: [u32; 3], flags| {
        let (one, two) = (first.stream, stream);
        let list = [
            on(a, shape[0], shape[1], shape[2], one),
            on(nothing, other[0], other[1], other[2], two),
        ];
        on_devices(list, flags)
    };
    for flags in 0..4 {
        assert_eq!(both([1, 32, 0], [1, 32, 0], flags), SUCCESS);
    }
    for other in [[2, 32, 0], [1, 64, 0], [1, 32, 64]] {
        assert_eq!(both([1, 32, 0], other, 0), INVALID_VALUE, "{other:?}");
    }
    assert_eq!(both([100_000, 1024, 0], [100_000, 1024, 0], 0), TOO_LARGE);
    // The kernels need not be the same, but of the streams' contexts.
    let (one, two) = (on(a, 1, 32, 0, first.stream), on(a, 1, 32, 0, stream));
    assert_eq!(on_devices([one, two], 0), INVALID_HANDLE);
    ok!(cuStreamSynchronize(stream));
    ok!(cuStreamSynchronize(first.stream));
    ok!(cuCtxDestroy_v2(context));
    ok!(cuCtxPushCurrent_v2(first.context));
    first.destroy();
}
