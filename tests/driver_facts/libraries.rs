//! Libraries and their kernels: F280, F284 to F288, F532, F651.

use crate::fresh;
use crate::modules::{BAD, GARBAGE, TEXT, alone, place};
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::c_void;
use std::ptr::null_mut;

const CAPTURED: CUresult = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;

pub(crate) fn library() -> CUlibrary {
    ok!(cuInit(0));
    load_library(TEXT.as_ptr().cast()).1
}

fn load_library(image: *const c_void) -> (CUresult, CUlibrary) {
    let mut library = null_mut();
    let (none, nothing) = (null_mut(), null_mut());
    let code = code!(cuLibraryLoadData(
        &raw mut library,
        image,
        none,
        nothing,
        0,
        null_mut(),
        null_mut(),
        0
    ));
    (code, library)
}

/// F280
#[test]
fn a_kernel_of_a_library_is_launched_as_a_function() {
    let _alone = alone();
    let (place, _) = place();
    let library = library();
    let kernel: CUkernel = made!(cuLibraryGetKernel(library, c"second".as_ptr()));
    let other = Place::new();
    for stream in [place.stream, other.stream, null_mut()] {
        let (function, none) = (kernel.cast(), null_mut());
        ok!(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, none, null_mut()));
    }
    // A function is one of its context.
    let function: CUfunction = made!(cuKernelGetFunction(kernel));
    let none = null_mut();
    let elsewhere =
        code!(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, other.stream, none, null_mut()));
    assert_eq!(elsewhere, INVALID_HANDLE);
    let mut value = 0;
    let attribute = CU_FUNC_ATTRIBUTE_NUM_REGS;
    let asked = code!(cuFuncGetAttribute(&raw mut value, attribute, kernel.cast()));
    assert_eq!(asked, INVALID_HANDLE);
    ok!(cuCtxSynchronize());
    ok!(cuLibraryUnload(library));
    other.destroy();
    place.destroy();
}

/// F532
#[test]
fn occupancy_and_nodes_take_a_kernel_of_a_library() {
    let _alone = alone();
    let (place, _) = place();
    let library = library();
    let kernel: CUkernel = made!(cuLibraryGetKernel(library, c"second".as_ptr()));
    let function: CUfunction = made!(cuKernelGetFunction(kernel));
    // The kernel answers as the function that it is in the current context.
    let sizes = |of: CUfunction| {
        let (mut blocks, mut grid, mut block, mut bytes) = (0, 0, 0, 0);
        ok!(cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, of, 32, 0));
        ok!(cuOccupancyMaxPotentialBlockSize(&raw mut grid, &raw mut block, of, None, 0, 0));
        ok!(cuOccupancyAvailableDynamicSMemPerBlock(&raw mut bytes, of, 1, 32));
        let mut config: CUlaunchConfig = all_zeros();
        [config.gridDimX, config.gridDimY, config.gridDimZ] = [1; 3];
        [config.blockDimX, config.blockDimY, config.blockDimZ] = [1; 3];
        let mut cluster = 0;
        ok!(cuOccupancyMaxPotentialClusterSize(&raw mut cluster, of, &raw const config));
        config.hStream = place.stream;
        let mut clusters = 0;
        ok!(cuOccupancyMaxActiveClusters(&raw mut clusters, of, &raw const config));
        (blocks, grid, block, bytes, cluster, clusters)
    };
    assert_eq!(sizes(kernel.cast()), sizes(function));
    // A node runs it in the context that it names, or in the current one.
    for context in [null_mut(), place.context] {
        let graph: CUgraph = made!(cuGraphCreate(0));
        let mut params: CUDA_KERNEL_NODE_PARAMS = all_zeros();
        [params.gridDimX, params.gridDimY, params.gridDimZ] = [1; 3];
        [params.blockDimX, params.blockDimY, params.blockDimZ] = [1; 3];
        (params.kern, params.ctx) = (kernel, context);
        let (mut node, params) = (null_mut(), &raw const params);
        ok!(cuGraphAddKernelNode_v2(&raw mut node, graph, std::ptr::null(), 0, params));
        let exec: CUgraphExec = made!(cuGraphInstantiateWithFlags(graph, 0));
        ok!(cuGraphLaunch(exec, place.stream));
        ok!(cuStreamSynchronize(place.stream));
        ok!(cuGraphExecDestroy(exec));
        ok!(cuGraphDestroy(graph));
    }
    assert_eq!(pop(), place.context);
    let mut blocks = 0;
    let asked =
        code!(cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, kernel.cast(), 32, 0));
    assert_eq!(asked, CUDA_ERROR_INVALID_CONTEXT);
    ok!(cuCtxPushCurrent_v2(place.context));
    ok!(cuLibraryUnload(library));
    place.destroy();
}

/// F284
#[test]
fn a_library_of_anything_loads_and_asking_for_a_kernel_tells() {
    let _alone = alone();
    has!(cuLibraryGetKernelCount);
    ok!(cuInit(0));
    let images = [(BAD.as_ptr().cast(), INVALID_PTX), (GARBAGE.as_ptr().cast(), INVALID_IMAGE)];
    for (image, told) in images {
        let (code, library) = load_library(image);
        assert_eq!(code, SUCCESS);
        let mut count = 9;
        ok!(newer cuLibraryGetKernelCount(&raw mut count, library));
        assert_eq!(count, 0);
        let mut kernel = null_mut();
        for name in [c"bad", c""] {
            assert_eq!(code!(cuLibraryGetKernel(&raw mut kernel, library, name.as_ptr())), told);
        }
        ok!(cuLibraryUnload(library));
    }
    let library = library();
    let mut kernel = null_mut();
    for name in [c"", c"none", c"counter"] {
        assert_eq!(code!(cuLibraryGetKernel(&raw mut kernel, library, name.as_ptr())), NOT_FOUND);
    }
    ok!(cuLibraryUnload(library));
}

/// F285
#[test]
fn of_a_library_what_is_of_a_context_needs_one() {
    let _alone = alone();
    has!(cuKernelGetParamInfo, cuKernelGetLibrary);
    let library = library();
    let kernel: CUkernel = made!(cuLibraryGetKernel(library, c"first".as_ptr()));
    let (mut function, mut module, mut address, mut bytes) = (null_mut(), null_mut(), 0, 0_usize);
    let counter = c"counter".as_ptr();
    let (mut offset, mut unified) = (0, null_mut());
    each_gives!(INVALID_CONTEXT; {
        cuKernelGetFunction(&raw mut function, kernel);
        cuLibraryGetModule(&raw mut module, library);
        cuLibraryGetGlobal(&raw mut address, &raw mut bytes, library, counter);
    });
    let size = &raw mut bytes;
    assert_eq!(newer!(cuKernelGetParamInfo(kernel, 0, &raw mut offset, size)), INVALID_CONTEXT);
    assert_eq!(code!(cuLibraryGetManaged(&raw mut address, size, library, counter)), NOT_FOUND);
    let name = c"first".as_ptr();
    assert_eq!(code!(cuLibraryGetUnifiedFunction(&raw mut unified, library, name)), INVALID_VALUE);
    assert_eq!(made!(newer cuKernelGetLibrary(kernel)) as CUlibrary, library);
    let dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    assert_eq!(made!(cuKernelGetAttribute(dynamic, kernel, 0)) as i32, 49_152);
    let mut value = 0;
    each_gives!(INVALID_DEVICE; {
        cuKernelGetAttribute(&raw mut value, dynamic, kernel, 99);
        cuKernelSetAttribute(dynamic, 1, kernel, 99);
        cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 99);
    });
    each_gives!(INVALID_VALUE; {
        cuKernelSetAttribute(dynamic, 1 << 30, kernel, 0);
        cuKernelSetCacheConfig(kernel, CUfunc_cache(9), 0);
    });
    let place = Place::new();
    ok!(cuCtxPushCurrent_v2(place.context));
    let function: CUfunction = made!(cuKernelGetFunction(kernel));
    let module: CUmodule = made!(cuLibraryGetModule(library));
    assert_eq!(made!(cuFuncGetModule(function)) as CUmodule, module);
    assert_eq!(made!(cuModuleGetFunction(module, name)) as CUfunction, function);
    assert_eq!(code!(cuModuleUnload(module)), NOT_PERMITTED);
    ok!(cuLibraryGetGlobal(&raw mut address, size, library, counter));
    assert_eq!(bytes, 4);
    ok!(newer cuKernelGetParamInfo(kernel, 1, &raw mut offset, size));
    assert_eq!((offset, bytes), (8, 8));
    assert_eq!(newer!(cuKernelGetParamInfo(kernel, 2, &raw mut offset, size)), INVALID_VALUE);
    // Each context has its own.
    let other = Place::new();
    let there = within(other.context, || made!(cuKernelGetFunction(kernel)) as CUfunction);
    assert_ne!(there, function);
    pop();
    ok!(cuLibraryUnload(library));
    other.destroy();
    place.destroy();
}

/// F286
#[test]
fn bringing_a_library_to_a_context_and_unloading_it_wait_for_all_work() {
    let _alone = alone();
    fresh!(bringing_a_library_to_a_context_and_unloading_it_wait_for_all_work, {
        let (place, _) = place();
        let library = library();
        let kernel: CUkernel = made!(cuLibraryGetKernel(library, c"second".as_ptr()));
        let spin = place.kernel(c"spin");
        let work = || {
            let mut nanoseconds = 200_000_000_u64;
            let (stream, mut arguments) = (place.stream, [(&raw mut nanoseconds).cast::<c_void>()]);
            let (arguments, none) = (arguments.as_mut_ptr(), null_mut());
            ok!(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, arguments, none));
        };
        work();
        let _: CUfunction = made!(cuKernelGetFunction(kernel));
        assert_eq!(code!(cuStreamQuery(place.stream)), SUCCESS);
        work();
        ok!(cuLibraryUnload(library));
        assert_eq!(code!(cuStreamQuery(place.stream)), SUCCESS);
        place.destroy();
    });
}

/// F287
#[test]
fn unloading_a_library_spoils_captures_that_are_not_relaxed() {
    fresh!(unloading_a_library_spoils_captures_that_are_not_relaxed, {
        let _alone = alone();
        let (place, _) = place();
        for (mode, code) in [
            (CU_STREAM_CAPTURE_MODE_GLOBAL, CAPTURED),
            (CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CAPTURED),
            (CU_STREAM_CAPTURE_MODE_RELAXED, SUCCESS),
        ] {
            let library = library();
            ok!(cuStreamBeginCapture_v2(place.stream, mode));
            let kernel: CUkernel = made!(cuLibraryGetKernel(library, c"second".as_ptr()));
            let _: CUfunction = made!(cuKernelGetFunction(kernel));
            let other = self::library();
            assert_eq!(code!(cuLibraryUnload(library)), code);
            let mut graph = null_mut();
            let ended = code!(cuStreamEndCapture(place.stream, &raw mut graph));
            assert_eq!(ended == SUCCESS, code == SUCCESS);
            ok!(cuLibraryUnload(other));
            if code != SUCCESS {
                ok!(cuLibraryUnload(library));
            }
        }
        place.destroy();
    });
}

/// F288
#[test]
fn settings_of_a_kernel_hold_for_later_functions() {
    let _alone = alone();
    let library = library();
    let kernel: CUkernel = made!(cuLibraryGetKernel(library, c"first".as_ptr()));
    let dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    let set = |bytes| ok!(cuKernelSetAttribute(dynamic, bytes, kernel, 0));
    set(1000);
    let place = Place::new();
    ok!(cuCtxPushCurrent_v2(place.context));
    let function: CUfunction = made!(cuKernelGetFunction(kernel));
    let of_function = || made!(cuFuncGetAttribute(dynamic, function)) as i32;
    assert_eq!(of_function(), 1000);
    ok!(cuFuncSetAttribute(function, dynamic, 3000));
    assert_eq!(made!(cuKernelGetAttribute(dynamic, kernel, 0)) as i32, 1000);
    set(4000);
    assert_eq!(of_function(), 3000);
    pop();
    ok!(cuLibraryUnload(library));
    place.destroy();
}

/// A managed variable with a first value, one that is not managed, and a kernel that adds to the first.
const MANAGED: &std::ffi::CStr = c"
.version 7.0
.target sm_60
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 shared[2] = {5, 6};
.visible .global .align 4 .b8 plain[16];
.visible .entry add() {
    .reg .b32 %r<2>;
    ld.global.u32 %r1, [shared+4];
    add.u32 %r1, %r1, 10;
    st.global.u32 [shared+4], %r1;
    ret;
}
";

/// The second number of the managed variable, which the host reads.
fn second(at: CUdeviceptr) -> u32 {
    // SAFETY: managed memory of two numbers, which no work uses meanwhile.
    unsafe { std::ptr::with_exposed_provenance::<u32>(at as usize + 4).read_volatile() }
}

/// F651
#[test]
fn a_managed_variable_is_one_for_all_contexts_and_the_host() {
    crate::skip_under_miri!("the host uses memory by its address");
    fresh!(a_managed_variable_is_one_for_all_contexts_and_the_host, {
        let (place, _) = place();
        pop();
        let other = Place::new();
        let (code, library) = load_library(MANAGED.as_ptr().cast());
        assert_eq!(code, SUCCESS);
        let (mut address, mut bytes) = (0, 0);
        let size = &raw mut bytes;
        let managed = c"shared".as_ptr();
        // No context is current.
        ok!(cuLibraryGetManaged(&raw mut address, size, library, managed));
        assert_eq!((bytes, second(address)), (8, 6));
        for name in [c"plain", c"none", c"add"] {
            let mut none = 0;
            let code = code!(cuLibraryGetManaged(&raw mut none, size, library, name.as_ptr()));
            assert_eq!(code, NOT_FOUND, "{name:?}");
        }
        let mut plain = Vec::new();
        for (index, context) in [place.context, other.context].into_iter().enumerate() {
            ok!(cuCtxPushCurrent_v2(context));
            let (mut one, mut two) = (0, 0);
            ok!(cuLibraryGetGlobal(&raw mut one, size, library, managed));
            let module: CUmodule = made!(cuLibraryGetModule(library));
            ok!(cuModuleGetGlobal_v2(&raw mut two, size, module, managed));
            assert_eq!((one, two), (address, address));
            ok!(cuLibraryGetGlobal(&raw mut one, size, library, c"plain".as_ptr()));
            plain.push(one);
            let mut is_managed: u32 = 9;
            let of = CU_POINTER_ATTRIBUTE_IS_MANAGED;
            ok!(cuPointerGetAttribute((&raw mut is_managed).cast(), of, address));
            assert_eq!(is_managed, 1);
            let kernel: CUkernel = made!(cuLibraryGetKernel(library, c"add".as_ptr()));
            let function: CUfunction = made!(cuKernelGetFunction(kernel));
            assert_eq!(launch(function, null_mut(), &[]), SUCCESS);
            ok!(cuCtxSynchronize());
            assert_eq!(second(address), 16 + 10 * index as u32);
            pop();
        }
        assert_ne!(plain[0], plain[1]);
        ok!(cuLibraryUnload(library));
        other.destroy();
        place.destroy();
    });
}
