//! Graphs that kernels launch: F571 and F572. The software driver has no such kernels.

use crate::raw::captures::*;
use crate::raw::*;
use crate::{common, fresh};
use cuscope::ffi::*;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

/// `add` adds 1 to a word. `again` counts a word down, and launches its own graph after itself until it is 0. `start`
/// launches a graph `n` times in one of the streams for that, and writes the last answer, and how often it was 0.
const KERNELS: &CStr = c"
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 answer) cudaGraphLaunch (.param .b64 graph, .param .b64 stream);
.visible .entry add(.param .u64 at) {
    .reg .u64 %d; .reg .u32 %r;
    ld.param.u64 %d, [at]; cvta.to.global.u64 %d, %d;
    ld.global.u32 %r, [%d]; add.u32 %r, %r, 1; st.global.u32 [%d], %r; ret;
}
.visible .entry again(.param .u64 at, .param .u64 answer) {
    .reg .u64 %d; .reg .u64 %e; .reg .u64 %g; .reg .u32 %r; .reg .u32 %q; .reg .pred %p;
    ld.param.u64 %d, [at]; ld.param.u64 %e, [answer];
    cvta.to.global.u64 %d, %d; cvta.to.global.u64 %e, %e;
    ld.global.u32 %r, [%d]; sub.u32 %r, %r, 1; st.global.u32 [%d], %r;
    setp.eq.u32 %p, %r, 0;
    @%p bra done;
    mov.u64 %g, %current_graph_exec;
    { .param .b64 a; .param .b64 b; .param .b32 c;
      st.param.b64 [a], %g; st.param.b64 [b], 0x0100000000000000;
      call.uni (c), cudaGraphLaunch, (a, b); ld.param.b32 %q, [c]; }
    st.global.u32 [%e], %q;
done:
    ret;
}
.visible .entry start(.param .u64 graph, .param .u64 stream, .param .u64 n, .param .u64 answer) {
    .reg .u64 %g; .reg .u64 %s; .reg .u64 %n; .reg .u64 %e; .reg .u32 %q; .reg .u32 %ok; .reg .pred %p;
    ld.param.u64 %g, [graph]; ld.param.u64 %s, [stream]; ld.param.u64 %n, [n]; ld.param.u64 %e, [answer];
    cvta.to.global.u64 %e, %e; mov.u32 %ok, 0;
more:
    { .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %g; st.param.b64 [b], %s;
      call.uni (c), cudaGraphLaunch, (a, b); ld.param.b32 %q, [c]; }
    setp.eq.u32 %p, %q, 0;
    @%p add.u32 %ok, %ok, 1;
    st.global.u32 [%e], %q; st.global.u32 [%e+4], %ok;
    sub.u64 %n, %n, 1; setp.gt.u64 %p, %n, 0;
    @%p bra more;
    ret;
}
";
const BEHIND: u64 = 1 << 56;
const BESIDE: u64 = 2 << 56;
const AS_SIBLING: u64 = 3 << 56;
const DEVICE_LAUNCH: u64 = 4;

/// A context with the kernels, a stream and some words.
struct Here {
    stream: CUstream,
    words: CUdeviceptr,
    module: CUmodule,
}

/// `None` on the software driver, which refuses the kernels by the name of the function.
fn here() -> Option<Here> {
    let _context = create_context();
    let (stream, words) = (free_stream(), made!(cuMemAlloc_v2(4096)));
    let mut module = null_mut();
    let code = code!(cuModuleLoadData(&raw mut module, KERNELS.as_ptr().cast()));
    if common::software() {
        assert_eq!(code, CUDA_ERROR_INVALID_PTX);
        return None;
    }
    // No library of the device's runtime is linked.
    assert_eq!(code, SUCCESS);
    Some(Here { stream, words, module })
}

/// A graph of one kernel.
fn graph_of(here: &Here, name: &CStr, args: &[u64]) -> CUgraph {
    let graph: CUgraph = made!(cuGraphCreate(0));
    let mut launch: CUDA_KERNEL_NODE_PARAMS = all_zeros();
    launch.func = kernel(here.module, name);
    (launch.gridDimX, launch.gridDimY, launch.gridDimZ) = (1, 1, 1);
    (launch.blockDimX, launch.blockDimY, launch.blockDimZ) = (1, 1, 1);
    let mut args: Vec<*mut c_void> =
        args.iter().map(|arg| (&raw const *arg).cast_mut().cast()).collect();
    launch.kernelParams = args.as_mut_ptr();
    let _node: CUgraphNode = made!(cuGraphAddKernelNode_v2(graph, null(), 0, &raw const launch));
    graph
}

fn for_the_device(graph: CUgraph) -> CUgraphExec {
    made!(cuGraphInstantiateWithFlags(graph, DEVICE_LAUNCH))
}

impl Here {
    fn put(&self, value: u32) {
        ok!(cuMemcpyHtoD_v2(self.words, (&raw const value).cast(), 4));
    }

    /// The word, the last answer, and how often it was 0.
    fn words(&self) -> [u32; 3] {
        let mut words = [0_u32; 3];
        ok!(cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), self.words, 12));
        words
    }

    /// Returns the results of `add` and of an ordinary graph that launches a graph.
    fn start(&self, graph: CUgraphExec, stream: u64, times: u64) -> [u32; 3] {
        self.put(0);
        let args = [graph.addr() as u64, stream, times, self.words + 4];
        replay(instantiate(graph_of(self, c"start", &args)), self.stream);
        self.words()
    }
}

/// F571
#[test]
fn a_graph_is_instantiated_for_launches_by_the_device() {
    let Some(here) = here() else { return };
    let with = |graph, flags| {
        let mut params: CUDA_GRAPH_INSTANTIATE_PARAMS = all_zeros();
        (params.flags, params.hUploadStream) = (flags, here.stream);
        let mut exec = null_mut();
        let code = code!(cuGraphInstantiateWithParams(&raw mut exec, graph, &raw mut params));
        (code, params.result_out)
    };
    let add = || graph_of(&here, c"add", &[here.words]);
    for flags in [4, 6, 12] {
        assert_eq!(with(add(), flags), (SUCCESS, CUDA_GRAPH_INSTANTIATE_SUCCESS));
    }
    let with_child = add();
    let _child: CUgraphNode = made!(cuGraphAddChildGraphNode(with_child, null(), 0, add()));
    assert_eq!(with(with_child, 4), (SUCCESS, CUDA_GRAPH_INSTANTIATE_SUCCESS));
    let empty = made!(cuGraphCreate(0));
    assert_eq!(with(empty, 4), (INVALID_VALUE, CUDA_GRAPH_INSTANTIATE_ERROR));
    let with_event = add();
    let event: CUevent = made!(cuEventCreate(0));
    let _node: CUgraphNode = made!(cuGraphAddEventRecordNode(with_event, null(), 0, event));
    let unsupported = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
    assert_eq!(with(with_event, 4), (INVALID_VALUE, unsupported));
    // Outside of a graph, a kernel that launches graphs is refused.
    let args = [0, BESIDE, 1, here.words];
    assert_eq!(launch(kernel(here.module, c"start"), here.stream, &args), CUDA_ERROR_NOT_SUPPORTED);
}

/// F571
#[test]
fn kernels_launch_graphs() {
    let Some(here) = here() else { return };
    // A graph that launches itself after itself; the launch by the host uploads it.
    let again = graph_of(&here, c"again", &[here.words, here.words + 4]);
    let exec = for_the_device(again);
    here.put(1000);
    replay(exec, here.stream);
    assert_eq!(here.words()[..2], [0, 0]);
    // Not in an ordinary graph, which has no handle there.
    here.put(10);
    replay(instantiate(again), here.stream);
    assert_eq!(here.words()[..2], [9, 1]);

    let add = for_the_device(graph_of(&here, c"add", &[here.words]));
    assert_eq!(here.start(add, BESIDE, 1), [0, 1, 0], "not uploaded");
    ok!(cuGraphUpload(add, here.stream));
    for stream in [BEHIND, BESIDE, AS_SIBLING] {
        // Work that the host enqueues after the launch comes after the launched graph.
        assert_eq!(here.start(add, stream, 1), [1, 0, 1]);
    }
    // Once at a time, if it is launched behind.
    assert_eq!(here.start(add, BEHIND, 2), [1, 1, 1]);
    assert_eq!(here.start(add, 0, 1), [0, 1, 0], "no stream for that");
    assert_eq!(here.start(null_mut(), BESIDE, 1), [0, 1, 0]);
}

/// F572
#[test]
fn an_ordinary_graph_is_not_launched_by_the_device() {
    fresh!(an_ordinary_graph_is_not_launched_by_the_device, {
        let Some(here) = here() else { return };
        let add = instantiate(graph_of(&here, c"add", &[here.words]));
        ok!(cuGraphUpload(add, here.stream));
        let args = [add.addr() as u64, BESIDE, 1, here.words + 4];
        let start = instantiate(graph_of(&here, c"start", &args));
        ok!(cuGraphLaunch(start, here.stream));
        assert_eq!(code!(cuStreamSynchronize(here.stream)), CUDA_ERROR_ILLEGAL_ADDRESS);
    });
}
