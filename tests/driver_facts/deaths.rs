//! Calls that a real driver dies of, and that the software driver refuses: F127, F149, F158, F171, F174, F175, F192, F212,
//! F214, F217, F250, F274, F313, F321.

use crate::common::{assert_success, signal, software};
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

/// A case: its name, the call that kills, made in a place that is current, and what the software driver
/// answers.
type Case = (&'static str, fn(&Place) -> CUresult, CUresult);

/// A graph, and a node in it that does nothing.
fn graph() -> (CUgraph, CUgraphNode) {
    let graph: CUgraph = made!(cuGraphCreate(0));
    let mut node = null_mut();
    ok!(cuGraphAddEmptyNode(&raw mut node, graph, std::ptr::null(), 0));
    (graph, node)
}

/// A graph with a launch of `nothing` in it, of this module.
fn graph_of_kernel(a: &Place, module: CUmodule) -> CUgraph {
    ok!(cuStreamBeginCapture_v2(a.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    assert_eq!(launch(kernel(module, c"nothing"), a.stream, &[]), SUCCESS);
    let mut graph = null_mut();
    ok!(cuStreamEndCapture(a.stream, &raw mut graph));
    graph
}

/// A pool of its own.
fn pool() -> CUmemoryPool {
    let mut properties: CUmemPoolProps = all_zeros();
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.r#type = CU_MEM_LOCATION_TYPE_DEVICE;
    made!(cuMemPoolCreate(&raw const properties))
}

/// An executable graph of a new graph.
fn instantiated(graph: CUgraph) -> CUresult {
    let mut executable = null_mut();
    code!(cuGraphInstantiateWithFlags(&raw mut executable, graph, 0))
}

/// Does nothing.
unsafe extern "C" fn log(_: *mut c_void, _: CUlogLevel, _: *mut c_char, _: usize) {}

const CASES: [Case; 14] = [
    (
        "F127: a description of nothing",
        |_| {
            let (mut description, mut resource) = (null_mut(), all_zeros());
            newer!(cuDevResourceGenerateDesc(&raw mut description, &raw mut resource, 0))
        },
        INVALID_VALUE,
    ),
    (
        "F149: a graph with a kernel of a module that was unloaded",
        |a| {
            let module = load_kernels();
            let graph = graph_of_kernel(a, module);
            ok!(cuModuleUnload(module));
            instantiated(graph)
        },
        INVALID_HANDLE,
    ),
    (
        "F158: a null value of a stream's attribute",
        |a| {
            code!(cuStreamGetAttribute(
                a.stream,
                CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY,
                null_mut()
            ))
        },
        INVALID_VALUE,
    ),
    (
        "F171: a null value of a pool's attribute",
        |_| {
            let which = CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            code!(cuMemPoolSetAttribute(pool(), which, null_mut()))
        },
        INVALID_VALUE,
    ),
    (
        "F174: a destroyed pool that is made the current one",
        |a| {
            let pool = pool();
            ok!(cuMemPoolDestroy(pool));
            let mut address = 0;
            match code!(cuDeviceSetMemPool(0, pool)) {
                SUCCESS => code!(cuMemAllocAsync(&raw mut address, 64, a.stream)),
                code => code,
            }
        },
        INVALID_VALUE,
    ),
    (
        "F175: memory of a pool freed on a stream that was destroyed",
        |_| {
            let stream: CUstream = made!(cuStreamCreate(1));
            let address: CUdeviceptr = made!(cuMemAllocAsync(64, stream));
            ok!(cuStreamSynchronize(stream));
            ok!(cuStreamDestroy_v2(stream));
            code!(cuMemFreeAsync(address, stream))
        },
        CONTEXT_IS_DESTROYED,
    ),
    (
        "F192: a node that was destroyed",
        |_| {
            let (_, node) = graph();
            ok!(cuGraphDestroyNode(node));
            code!(cuGraphDestroyNode(node))
        },
        INVALID_VALUE,
    ),
    (
        "F212: a graph in itself",
        |_| {
            let (graph, _) = graph();
            let mut node = null_mut();
            let none = std::ptr::null();
            code!(cuGraphAddChildGraphNode(&raw mut node, graph, none, 0, graph))
        },
        INVALID_VALUE,
    ),
    (
        "F214: a graph that records an event that was destroyed",
        |_| {
            let event: CUevent = made!(cuEventCreate(0));
            let (graph, _) = graph();
            let mut node = null_mut();
            ok!(cuGraphAddEventRecordNode(&raw mut node, graph, std::ptr::null(), 0, event));
            assert_eq!(instantiated(graph), SUCCESS);
            ok!(cuEventDestroy_v2(event));
            instantiated(graph)
        },
        INVALID_VALUE,
    ),
    (
        "F217: a kernel node with no context current",
        |a| {
            let mut parameters: CUDA_KERNEL_NODE_PARAMS = all_zeros();
            parameters.func = a.kernel(c"nothing");
            (parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ) = (1, 1, 1);
            (parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ) = (1, 1, 1);
            let (graph, _) = graph();
            pop();
            let (mut node, none) = (null_mut(), std::ptr::null());
            let parameters = &raw const parameters;
            code!(cuGraphAddKernelNode_v2(&raw mut node, graph, none, 0, parameters))
        },
        INVALID_CONTEXT,
    ),
    (
        "F250: a null name",
        |_| {
            let (mut found, status) = (null_mut(), null_mut());
            code!(cuGetProcAddress_v2(std::ptr::null(), &raw mut found, 13_000, 0, status))
        },
        INVALID_VALUE,
    ),
    (
        "F274: a null place for the mode",
        |_| code!(cuModuleGetLoadingMode(null_mut())),
        INVALID_VALUE,
    ),
    (
        "F313: a null place for the size",
        |a| {
            let function = a.kernel(c"nothing");
            code!(cuOccupancyAvailableDynamicSMemPerBlock(null_mut(), function, 1 as c_int, 32))
        },
        INVALID_VALUE,
    ),
    (
        "F321: a callback unregistered twice",
        |_| {
            let mut handle = null_mut();
            ok!(newer cuLogsRegisterCallback(Some(log), null_mut(), &raw mut handle));
            ok!(newer cuLogsUnregisterCallback(handle));
            newer!(cuLogsUnregisterCallback(handle))
        },
        INVALID_VALUE,
    ),
];

/// F127, F149, F158, F171, F174, F175, F192, F212, F214, F217, F250, F274, F313, F321
#[test]
fn calls_that_kill_a_real_driver_are_errors_of_the_software_driver() {
    const TEST: &str = "calls_that_kill_a_real_driver_are_errors_of_the_software_driver";
    has!(cuDevResourceGenerateDesc, cuLogsRegisterCallback, cuLogsUnregisterCallback);
    crate::skip_under_miri!("it starts a process for each case");
    let outputs = each_alone(module_path!(), TEST, &CASES, |(name, call, code)| {
        let a = Place::new();
        ok!(cuCtxPushCurrent_v2(a.context));
        assert_eq!(call(&a), *code, "{name}");
    });
    let alive = outputs.iter().flatten().zip(CASES).filter_map(|(output, (name, ..))| {
        if software() {
            assert_success(TEST, output);
            return None;
        }
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let died = signal(output.status) == Some(libc::SIGSEGV);
        (!died).then_some((name, output.status, text))
    });
    let alive: Vec<_> = alive.collect();
    assert!(alive.is_empty(), "{alive:#?}");
}
