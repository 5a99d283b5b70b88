//! Functions that `cuda.h` no longer declares in CUDA 13, and the driver still has: F528 to F531, F653.

use crate::dangling;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::mem::transmute;
use std::ptr::null_mut;

/// Writes the extents of block and grid, the dynamic shared memory, and its last two arguments.
const SHAPE: &CStr = c"
.version 7.0
.target sm_52
.address_size 64

.visible .entry shape(.param .u64 address, .param .u32 integer, .param .f32 float)
{
    .reg .b32 %r<9>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [address];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %ntid.x;
    mov.u32 %r2, %ntid.y;
    mov.u32 %r3, %ntid.z;
    mov.u32 %r4, %nctaid.x;
    mov.u32 %r5, %nctaid.y;
    mov.u32 %r6, %dynamic_smem_size;
    ld.param.u32 %r7, [integer];
    ld.param.u32 %r8, [float];
    st.global.u32 [%rd2], %r1;
    st.global.u32 [%rd2+4], %r2;
    st.global.u32 [%rd2+8], %r3;
    st.global.u32 [%rd2+12], %r4;
    st.global.u32 [%rd2+16], %r5;
    st.global.u32 [%rd2+20], %r6;
    st.global.u32 [%rd2+24], %r7;
    st.global.u32 [%rd2+28], %r8;
    ret;
}
";

/// Functions by name, as their headers declared them.
macro_rules! older {
    ($(fn $name:ident($($arg:ident: $ty:ty),*);)*) => { $(
        #[allow(non_snake_case, reason = "the name of C")]
        fn $name($($arg: $ty),*) -> CUresult {
            let name = concat!(stringify!($name), "\0");
            let mut address: *mut c_void = null_mut();
            ok!(cuGetProcAddress_v2(name.as_ptr().cast(), &raw mut address, 13_000, 0, null_mut()));
            assert!(!address.is_null(), "{name}");
            // SAFETY: the function of the name, of this type since CUDA 2.
            let function: unsafe extern "C" fn($($ty),*) -> CUresult = unsafe { transmute(address) };
            // SAFETY: As for `code!`.
            unsafe { function($($arg),*) }
        }
    )* };
}

older! {
    fn cuCtxAttach(pctx: *mut CUcontext, flags: c_uint);
    fn cuCtxDetach(ctx: CUcontext);
    fn cuFuncSetBlockShape(f: CUfunction, x: c_int, y: c_int, z: c_int);
    fn cuFuncSetSharedSize(f: CUfunction, bytes: c_uint);
    fn cuLaunch(f: CUfunction);
    fn cuLaunchGrid(f: CUfunction, width: c_int, height: c_int);
    fn cuLaunchGridAsync(f: CUfunction, width: c_int, height: c_int, stream: CUstream);
    fn cuParamSetSize(f: CUfunction, bytes: c_uint);
    fn cuParamSetf(f: CUfunction, offset: c_int, value: f32);
    fn cuParamSeti(f: CUfunction, offset: c_int, value: c_uint);
    fn cuParamSetv(f: CUfunction, offset: c_int, from: *mut c_void, bytes: c_uint);
}

/// The kernel that tells its shape, with its arguments set; of a module of its own.
fn prepared(place: &Place) -> CUfunction {
    let module: CUmodule = made!(cuModuleLoadData(SHAPE.as_ptr().cast()));
    let function = kernel(module, c"shape");
    let mut address = place.memory;
    assert_eq!(cuParamSetSize(function, 16), SUCCESS);
    assert_eq!(cuParamSetv(function, 0, (&raw mut address).cast(), 8), SUCCESS);
    assert_eq!(cuParamSeti(function, 8, 77), SUCCESS);
    assert_eq!(cuParamSetf(function, 12, 2.5), SUCCESS);
    function
}

/// Returns the words that the kernel wrote, once all work is done; zeros are left.
fn told(place: &Place) -> [u32; 8] {
    ok!(cuCtxSynchronize());
    let mut values = [0_u32; 8];
    let bytes = size_of_val(&values);
    ok!(cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), place.memory, bytes));
    ok!(cuMemsetD8_v2(place.memory, 0, bytes));
    ok!(cuCtxSynchronize()); // F633
    values
}

/// F528
#[test]
fn the_shape_of_blocks_is_set_of_a_function() {
    let place = place();
    let function = prepared(&place);
    for (x, y, z) in [(0, 1, 1), (1, 0, 1), (1, 1, 0), (-1, 1, 1)] {
        assert_eq!(cuFuncSetBlockShape(function, x, y, z), INVALID_VALUE, "{x} {y} {z}");
    }
    assert_eq!(cuFuncSetBlockShape(null_mut(), 1, 1, 1), INVALID_HANDLE);
    assert_eq!(cuFuncSetSharedSize(null_mut(), 0), INVALID_HANDLE);
    // The last shape that was good stays.
    assert_eq!(cuFuncSetBlockShape(function, 2, 3, 4), SUCCESS);
    assert_eq!(cuFuncSetBlockShape(function, 0, 1, 1), INVALID_VALUE);
    assert_eq!(cuFuncSetSharedSize(function, 100), SUCCESS);
    assert_eq!(cuLaunch(function), SUCCESS);
    assert_eq!(told(&place)[..6], [2, 3, 4, 1, 1, 100]);
    // More than a launch may have is refused by the launch at the latest.
    let set = cuFuncSetSharedSize(function, 1 << 20);
    assert!(set == INVALID_VALUE || cuLaunch(function) == INVALID_VALUE, "{set:?}");
    place.destroy();
}

/// F529
#[test]
fn arguments_are_set_of_a_function() {
    let place = place();
    let function = prepared(&place);
    assert_eq!(cuFuncSetBlockShape(function, 1, 1, 1), SUCCESS);
    assert_eq!(cuLaunch(function), SUCCESS);
    assert_eq!(told(&place)[6..], [77, 2.5_f32.to_bits()]);
    // They stay, and one can be changed.
    assert_eq!(cuParamSeti(function, 8, 78), SUCCESS);
    assert_eq!(cuLaunch(function), SUCCESS);
    assert_eq!(told(&place)[6..], [78, 2.5_f32.to_bits()]);
    let mut value = 0_u64;
    let from = (&raw mut value).cast();
    assert_eq!(cuParamSetSize(function, 1 << 20), INVALID_VALUE);
    assert_eq!(cuParamSetSize(null_mut(), 0), INVALID_HANDLE);
    assert_eq!(cuParamSeti(null_mut(), 0, 0), INVALID_HANDLE);
    assert_eq!(cuParamSetf(null_mut(), 0, 0.0), INVALID_HANDLE);
    assert_eq!(cuParamSetv(null_mut(), 0, from, 8), INVALID_HANDLE);
    place.destroy();
}

/// F529
#[test]
fn arguments_before_the_first_are_dangerous() {
    dangling!(arguments_before_the_first_are_dangerous, {
        let place = place();
        let function = prepared(&place);
        let mut value = 0_u64;
        let from = (&raw mut value).cast();
        assert_eq!(cuParamSeti(function, -1, 0), INVALID_VALUE);
        assert_eq!(cuParamSetf(function, -1, 0.0), INVALID_VALUE);
        assert_eq!(cuParamSetv(function, -1, from, 8), INVALID_VALUE);
        place.destroy();
    });
}

/// F530
#[test]
fn a_grid_of_a_function_is_launched() {
    let place = place();
    let function = prepared(&place);
    assert_eq!(cuFuncSetBlockShape(function, 2, 1, 1), SUCCESS);
    assert_eq!(cuLaunchGrid(function, 3, 2), SUCCESS);
    assert_eq!(told(&place)[..6], [2, 1, 1, 3, 2, 0]);
    for stream in [place.stream, null_mut()] {
        assert_eq!(cuLaunchGridAsync(function, 4, 5, stream), SUCCESS);
        assert_eq!(told(&place)[..6], [2, 1, 1, 4, 5, 0]);
    }
    for (width, height) in [(0, 1), (1, 0), (-1, 1), (1, 65_536)] {
        assert_eq!(cuLaunchGrid(function, width, height), INVALID_VALUE, "{width} {height}");
    }
    assert_eq!(cuLaunch(null_mut()), INVALID_HANDLE);
    assert_eq!(cuLaunchGrid(null_mut(), 1, 1), INVALID_HANDLE);
    assert_eq!(cuLaunchGridAsync(null_mut(), 1, 1, place.stream), INVALID_HANDLE);
    // As every launch, it joins a capture of its stream.
    ok!(cuStreamBeginCapture_v2(place.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    assert_eq!(cuLaunchGridAsync(function, 6, 7, place.stream), SUCCESS);
    let graph: CUgraph = {
        let mut graph = null_mut();
        ok!(cuStreamEndCapture(place.stream, &raw mut graph));
        graph
    };
    let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
    ok!(cuGraphLaunch(exec, place.stream));
    assert_eq!(told(&place)[..6], [2, 1, 1, 6, 7, 0]);
    ok!(cuGraphExecDestroy(exec));
    ok!(cuGraphDestroy(graph));
    assert_eq!(pop(), place.context);
    assert_eq!(cuLaunch(function), CUDA_ERROR_INVALID_CONTEXT);
    place.destroy();
}

/// F531
#[test]
fn the_last_to_detach_destroys_a_context() {
    let context = create_context();
    let mut attached = null_mut();
    assert_eq!(cuCtxAttach(null_mut(), 0), INVALID_VALUE);
    assert_eq!(cuCtxAttach(&raw mut attached, 1), INVALID_VALUE);
    assert_eq!(cuCtxDetach(null_mut()), CUDA_ERROR_INVALID_CONTEXT);
    assert_eq!(cuCtxAttach(&raw mut attached, 0), SUCCESS);
    assert_eq!(attached, context);
    // It is detached from by whom it is current to.
    assert_eq!(pop(), context);
    assert_eq!(cuCtxDetach(context), CUDA_ERROR_INVALID_CONTEXT);
    assert_eq!(cuCtxAttach(&raw mut attached, 0), CUDA_ERROR_INVALID_CONTEXT);
    ok!(cuCtxPushCurrent_v2(context));
    assert_eq!(cuCtxDetach(context), SUCCESS);
    assert_eq!(current(), context);
    ok!(cuCtxSynchronize());
    assert_eq!(cuCtxDetach(context), SUCCESS);
    assert!(current().is_null());
    // Destroying ends it, however many use it.
    let context = create_context();
    assert_eq!(cuCtxAttach(&raw mut attached, 0), SUCCESS);
    ok!(cuCtxDestroy_v2(context));
    assert!(current().is_null());
}

/// Functions in the form that a version before CUDA 12 had, by name.
macro_rules! since {
    ($(fn $name:ident($($arg:ident: $ty:ty),*);)*) => { $(
        #[allow(non_snake_case, reason = "the name of C")]
        fn $name($($arg: $ty),*) -> CUresult {
            let name = concat!(stringify!($name), "\0");
            let mut address: *mut c_void = null_mut();
            ok!(cuGetProcAddress_v2(name.as_ptr().cast(), &raw mut address, 11_080, 0, null_mut()));
            assert!(!address.is_null(), "{name}");
            // SAFETY: the function of the name, of this type before CUDA 12.
            let function: unsafe extern "C" fn($($ty),*) -> CUresult = unsafe { transmute(address) };
            // SAFETY: As for `code!`.
            unsafe { function($($arg),*) }
        }
    )* };
}

since! {
    fn cuGraphAddKernelNode(node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, params: *const CUDA_KERNEL_NODE_PARAMS_v1);
    fn cuGraphKernelNodeGetParams(node: CUgraphNode, params: *mut CUDA_KERNEL_NODE_PARAMS_v1);
    fn cuGraphKernelNodeSetParams(node: CUgraphNode, params: *const CUDA_KERNEL_NODE_PARAMS_v1);
    fn cuGraphExecKernelNodeSetParams(exec: CUgraphExec, node: CUgraphNode, params: *const CUDA_KERNEL_NODE_PARAMS_v1);
    fn cuGraphExecUpdate(exec: CUgraphExec, graph: CUgraph, node: *mut CUgraphNode, result: *mut CUgraphExecUpdateResult);
    fn cuGraphInstantiate(exec: *mut CUgraphExec, graph: CUgraph, node: *mut CUgraphNode, log: *mut std::ffi::c_char, bytes: usize);
}

/// F653
#[test]
fn graphs_of_kernels_in_the_forms_before_cuda_12() {
    let place = place();
    let graph: CUgraph = made!(cuGraphCreate(0));
    let store = |value: u64, f: &mut dyn FnMut(*const CUDA_KERNEL_NODE_PARAMS_v1) -> CUresult| {
        let (mut at, mut value) = (place.memory, value);
        let mut arguments = [(&raw mut at).cast::<c_void>(), (&raw mut value).cast()];
        let mut params: CUDA_KERNEL_NODE_PARAMS_v1 = all_zeros();
        params.func = place.kernel(c"store_value");
        (params.gridDimX, params.gridDimY, params.gridDimZ) = (1, 1, 1);
        (params.blockDimX, params.blockDimY, params.blockDimZ) = (1, 1, 1);
        params.kernelParams = arguments.as_mut_ptr();
        f(&raw const params)
    };
    let mut node = null_mut();
    let none = std::ptr::null();
    let mut add = |params| cuGraphAddKernelNode(&raw mut node, graph, none, 0, params);
    assert_eq!(store(1, &mut add), SUCCESS);
    assert_eq!(add(none.cast()), INVALID_VALUE);
    let mut told: CUDA_KERNEL_NODE_PARAMS_v1 = all_zeros();
    assert_eq!(cuGraphKernelNodeGetParams(node, &raw mut told), SUCCESS);
    assert_eq!((told.func, told.gridDimX), (place.kernel(c"store_value"), 1));
    assert_eq!(store(2, &mut |params| cuGraphKernelNodeSetParams(node, params)), SUCCESS);
    let (mut exec, mut bad) = (null_mut(), null_mut());
    let made = cuGraphInstantiate(&raw mut exec, graph, &raw mut bad, null_mut(), 0);
    assert_eq!(made, SUCCESS);
    let run = || {
        ok!(cuGraphLaunch(exec, place.stream));
        ok!(cuStreamSynchronize(place.stream));
        place.value()
    };
    assert_eq!(run(), 2);
    assert_eq!(store(3, &mut |params| cuGraphExecKernelNodeSetParams(exec, node, params)), SUCCESS);
    assert_eq!(run(), 3);
    let mut result = CU_GRAPH_EXEC_UPDATE_ERROR;
    assert_eq!(cuGraphExecUpdate(exec, graph, &raw mut bad, &raw mut result), SUCCESS);
    assert_eq!((result, run()), (CU_GRAPH_EXEC_UPDATE_SUCCESS, 2));
    ok!(cuGraphExecDestroy(exec));
    ok!(cuGraphDestroy(graph));
    place.destroy();
}
