//! Nodes that run graphs of their own as a number says, which kernels set: F520 to F527, F603. Changes of nodes: F570.

use crate::common::software;
use crate::fresh;
use crate::raw::captures::*;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

/// `down` counts a word down, and sets a number to it; `add` adds 1 to a word, `twice` doubles it.
const KERNELS: &CStr = c"
.version 7.8
.target sm_80
.address_size 64
.extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value);
.visible .entry down(.param .u64 at, .param .u64 handle) {
    .reg .u64 %d; .reg .u64 %h; .reg .u32 %r;
    ld.param.u64 %d, [at]; ld.param.u64 %h, [handle]; cvta.to.global.u64 %d, %d;
    ld.global.u32 %r, [%d]; sub.u32 %r, %r, 1; st.global.u32 [%d], %r;
    { .param .b64 a; .param .b32 b; st.param.b64 [a], %h; st.param.b32 [b], %r;
      call.uni cudaGraphSetConditional, (a, b); }
    ret;
}
.visible .entry add(.param .u64 at) {
    .reg .u64 %d; .reg .u32 %r;
    ld.param.u64 %d, [at]; cvta.to.global.u64 %d, %d;
    ld.global.u32 %r, [%d]; add.u32 %r, %r, 1; st.global.u32 [%d], %r; ret;
}
.visible .entry twice(.param .u64 at) {
    .reg .u64 %d; .reg .u32 %r;
    ld.param.u64 %d, [at]; cvta.to.global.u64 %d, %d;
    ld.global.u32 %r, [%d]; add.u32 %r, %r, %r; st.global.u32 [%d], %r; ret;
}
";

const IF: CUgraphConditionalNodeType = CU_GRAPH_COND_TYPE_IF;
const WHILE: CUgraphConditionalNodeType = CU_GRAPH_COND_TYPE_WHILE;
const SWITCH: CUgraphConditionalNodeType = CU_GRAPH_COND_TYPE_SWITCH;

/// A context with the kernels, a stream and some words.
struct Here {
    context: CUcontext,
    stream: CUstream,
    words: CUdeviceptr,
    module: CUmodule,
}

fn here() -> Here {
    let context = create_context();
    let stream = free_stream();
    let words = made!(cuMemAlloc_v2(4096));
    // No library of the device's runtime is linked (F526).
    let module = made!(cuModuleLoadData(KERNELS.as_ptr().cast()));
    Here { context, stream, words, module }
}

fn graph() -> CUgraph {
    made!(cuGraphCreate(0))
}

fn try_number(graph: CUgraph, context: CUcontext, value: u32, flags: u32) -> (CUresult, u64) {
    let mut number = 0;
    let to = &raw mut number;
    (newer!(cuGraphConditionalHandleCreate(to, graph, context, value, flags)), number)
}

fn params(
    context: CUcontext,
    number: u64,
    kind: CUgraphConditionalNodeType,
    size: u32,
) -> CUgraphNodeParams {
    let mut params: CUgraphNodeParams = all_zeros();
    params.r#type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.anonymous.conditional = CUDA_CONDITIONAL_NODE_PARAMS {
        handle: number,
        r#type: kind,
        size,
        phGraph_out: null_mut(),
        ctx: context,
    };
    params
}

fn try_any(
    graph: CUgraph,
    before: &[CUgraphNode],
    it: &mut CUgraphNodeParams,
) -> (CUresult, CUgraphNode) {
    let (mut node, count) = (null_mut(), before.len());
    (newer!(cuGraphAddNode_v2(&raw mut node, graph, before.as_ptr(), null(), count, it)), node)
}

fn try_node(
    graph: CUgraph,
    context: CUcontext,
    number: u64,
    kind: CUgraphConditionalNodeType,
    size: u32,
) -> CUresult {
    try_any(graph, &[], &mut params(context, number, kind, size)).0
}

fn words<const N: usize>(at: CUdeviceptr) -> [u32; N] {
    let mut words = [0_u32; N];
    ok!(cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), at, 4 * N));
    words
}

fn put(at: CUdeviceptr, words: &[u32]) {
    ok!(cuMemcpyHtoD_v2(at, words.as_ptr().cast(), size_of_val(words)));
    // It returns when the words are read, and other streams do not wait for it.
    ok!(cuStreamSynchronize(null_mut()));
}

fn code_of_instantiation(graph: CUgraph, flags: u64) -> CUresult {
    let mut exec = null_mut();
    code!(cuGraphInstantiateWithFlags(&raw mut exec, graph, flags))
}

impl Here {
    fn number(&self, graph: CUgraph, value: u32, flags: u32) -> u64 {
        let (code, number) = try_number(graph, self.context, value, flags);
        assert_eq!(code, SUCCESS);
        number
    }

    /// A node, and its graphs.
    fn node(
        &self,
        graph: CUgraph,
        before: &[CUgraphNode],
        number: u64,
        kind: CUgraphConditionalNodeType,
        size: u32,
    ) -> (CUgraphNode, Vec<CUgraph>) {
        let mut params = params(self.context, number, kind, size);
        let (code, node) = try_any(graph, before, &mut params);
        assert_eq!(code, SUCCESS);
        // SAFETY: it is a conditional node, so this member was written.
        let graphs = unsafe { params.anonymous.conditional }.phGraph_out;
        // SAFETY: there are as many graphs as were asked for.
        let graphs = unsafe { std::slice::from_raw_parts(graphs, size as usize) };
        (node, graphs.to_vec())
    }

    /// A graph with a conditional node whose number is 1 at the beginning, the node and its graph.
    fn with_body(&self) -> (CUgraph, CUgraphNode, CUgraph) {
        let graph = graph();
        let number = self.number(graph, 1, 1);
        let (node, bodies) = self.node(graph, &[], number, IF, 1);
        (graph, node, bodies[0])
    }

    /// Adds a kernel of one thread.
    fn kernel(
        &self,
        graph: CUgraph,
        before: &[CUgraphNode],
        name: &CStr,
        mut at: CUdeviceptr,
        mut number: u64,
    ) -> CUgraphNode {
        let mut launch: CUDA_KERNEL_NODE_PARAMS = all_zeros();
        launch.func = made!(cuModuleGetFunction(self.module, name.as_ptr()));
        (launch.gridDimX, launch.gridDimY, launch.gridDimZ) = (1, 1, 1);
        (launch.blockDimX, launch.blockDimY, launch.blockDimZ) = (1, 1, 1);
        let mut args = [(&raw mut at).cast::<c_void>(), (&raw mut number).cast()];
        launch.kernelParams = args.as_mut_ptr();
        made!(cuGraphAddKernelNode_v2(graph, before.as_ptr(), before.len(), &raw const launch))
    }

    fn run(&self, graph: CUgraph) {
        replay(instantiate(graph), self.stream);
    }
}

macro_rules! needs_conditionals {
    () => {
        has!(cuGraphConditionalHandleCreate, cuGraphAddNode_v2);
    };
}

/// F520
#[test]
fn a_number_is_declared_for_a_graph() {
    needs_conditionals!();
    let here = here();
    let (one, none) = (graph(), null_mut());
    assert_eq!(try_number(one, here.context, 0, 0), (SUCCESS, 1));
    assert_eq!(try_number(one, here.context, 9, 1), (SUCCESS, 2));
    assert_eq!(try_number(one, here.context, 9, 0), (SUCCESS, 3));
    assert_eq!(try_number(graph(), here.context, 0, 0), (SUCCESS, 1));
    let code = newer!(cuGraphConditionalHandleCreate(null_mut(), one, here.context, 0, 0));
    assert_eq!(code, INVALID_VALUE);
    for (graph, context, flags, code) in [
        (null_mut(), here.context, 0, INVALID_VALUE),
        (one, here.context, 2, INVALID_VALUE),
        (one, here.context, 3, INVALID_VALUE),
        (one, none, 0, CUDA_ERROR_INVALID_CONTEXT),
    ] {
        assert_eq!(try_number(graph, context, 0, flags).0, code);
    }
    assert_eq!(pop(), here.context);
    assert_eq!(try_number(graph(), here.context, 0, 0), (SUCCESS, 1));
    // The graphs of nodes have the numbers of the whole.
    ok!(cuCtxPushCurrent_v2(here.context));
    let (whole, _, body) = here.with_body();
    assert_eq!(here.number(body, 0, 0), 2);
    assert_eq!(here.number(whole, 0, 0), 3);
}

/// F521
#[test]
fn a_node_has_as_many_graphs_as_its_kind_takes() {
    needs_conditionals!();
    let here = here();
    for (kind, good) in [(IF, [false, true, true, false]), (WHILE, [false, true, false, false])] {
        for (size, good) in (0..).zip(good) {
            let graph = graph();
            let number = here.number(graph, 0, 1);
            let code = try_node(graph, here.context, number, kind, size);
            assert_eq!(code, if good { SUCCESS } else { INVALID_VALUE }, "{kind:?} {size}");
            assert_eq!(nodes(graph).len(), usize::from(good));
        }
    }
    let one = graph();
    let number = here.number(one, 0, 1);
    let other = create_context();
    assert_eq!(pop(), other);
    for (context, number, kind, size, code) in [
        (here.context, number, SWITCH, 0, INVALID_VALUE),
        (here.context, number, CUgraphConditionalNodeType(3), 1, INVALID_VALUE),
        (null_mut(), number, IF, 1, CUDA_ERROR_INVALID_CONTEXT),
        (other, number, IF, 1, INVALID_VALUE),
        (here.context, 0, IF, 1, INVALID_VALUE),
        (here.context, number + 1, IF, 1, INVALID_VALUE),
    ] {
        assert_eq!(try_node(one, context, number, kind, size), code);
    }
    // A node for each number.
    assert_eq!(try_node(one, here.context, number, SWITCH, 3), SUCCESS);
    assert_eq!(try_node(one, here.context, number, IF, 1), INVALID_VALUE);
    assert_eq!(kinds(one), [CU_GRAPH_NODE_TYPE_CONDITIONAL]);
    here.run(one);
    // Also in the graph of another node, and the other way round.
    let (whole, _, body) = here.with_body();
    let (inner, outer) = (here.number(whole, 1, 1), here.number(body, 1, 1));
    here.node(body, &[], inner, IF, 1);
    here.node(whole, &[], outer, IF, 1);
    here.run(whole);
}

/// F522
#[test]
fn the_number_says_what_runs() {
    needs_conditionals!();
    let here = here();
    // The bodies that each number at the beginning runs, in two launches.
    for (kind, size, ran) in [
        (IF, 1, [[0, 0, 0], [2, 0, 0], [2, 0, 0], [2, 0, 0]]),
        (IF, 2, [[0, 2, 0], [2, 0, 0], [2, 0, 0], [2, 0, 0]]),
        (SWITCH, 3, [[2, 0, 0], [0, 2, 0], [0, 0, 2], [0, 0, 0]]),
    ] {
        for (first, ran) in (0..).zip(ran) {
            let graph = graph();
            let number = here.number(graph, first, 1);
            let (_, bodies) = here.node(graph, &[], number, kind, size);
            put(here.words, &[0; 3]);
            for (i, &body) in bodies.iter().enumerate() {
                here.kernel(body, &[], c"add", here.words + 4 * i as u64, 0);
            }
            let exec = instantiate(graph);
            replay(exec, here.stream);
            replay(exec, here.stream);
            assert_eq!(words(here.words), ran, "{kind:?} of {size}, {first}");
        }
    }
    // A kernel in front sets it.
    for (start, ran) in [(5, 1), (1, 0)] {
        let graph = graph();
        let number = here.number(graph, 0, 1);
        put(here.words, &[start, 0]);
        let before = here.kernel(graph, &[], c"down", here.words, number);
        let (_, bodies) = here.node(graph, &[before], number, IF, 1);
        here.kernel(bodies[0], &[], c"add", here.words + 4, 0);
        here.run(graph);
        assert_eq!(words(here.words + 4), [ran]);
    }
    // As long as a kernel of the graph does not set it to 0.
    for start in [5, 1] {
        let graph = graph();
        let number = here.number(graph, 1, 1);
        let (_, bodies) = here.node(graph, &[], number, WHILE, 1);
        let counted = here.kernel(bodies[0], &[], c"down", here.words, number);
        here.kernel(bodies[0], &[counted], c"add", here.words + 4, 0);
        put(here.words, &[start, 0]);
        here.run(graph);
        assert_eq!(words(here.words), [0, start]);
    }
    // Without the flag the number is not set at the beginning, and is 0 at first.
    let graph = graph();
    let number = here.number(graph, 1, 0);
    let (_, bodies) = here.node(graph, &[], number, IF, 1);
    here.kernel(bodies[0], &[], c"add", here.words, 0);
    put(here.words, &[0]);
    here.run(graph);
    assert_eq!(words(here.words), [0]);
}

/// F523
#[test]
fn a_graph_with_conditional_nodes_is_alone() {
    needs_conditionals!();
    let here = here();
    let (one, _, body) = here.with_body();
    let (mut copy, mut node) = (null_mut(), null_mut());
    assert_eq!(code!(cuGraphClone(&raw mut copy, one)), CUDA_ERROR_NOT_SUPPORTED);
    let code = code!(cuGraphAddChildGraphNode(&raw mut node, graph(), null(), 0, one));
    assert_eq!(code, CUDA_ERROR_NOT_SUPPORTED);
    assert_eq!(code!(cuGraphDestroy(body)), INVALID_VALUE);
    for (flags, code) in [(2, INVALID_VALUE), (4, INVALID_VALUE)] {
        assert_eq!(code_of_instantiation(one, flags), code, "flags {flags}");
    }
    for flags in [0, 1, 8] {
        let (one, ..) = here.with_body();
        assert_eq!(code_of_instantiation(one, flags), SUCCESS, "flags {flags}");
    }
    // No node reads the number.
    let unread = graph();
    here.number(unread, 0, 1);
    assert_eq!(code_of_instantiation(unread, 0), INVALID_VALUE);
    // One graph that can run at a time.
    let exec = instantiate(one);
    assert_eq!(code_of_instantiation(one, 0), CUDA_ERROR_NOT_SUPPORTED);
    ok!(cuGraphExecDestroy(exec));
    here.run(one);

    let with = |first, kind, size, count| {
        let graph = graph();
        let number = here.number(graph, first, 1);
        let (_, bodies) = here.node(graph, &[], number, kind, size);
        for _ in 0..count {
            here.kernel(bodies[0], &[], c"add", here.words, 0);
        }
        graph
    };
    let exec = instantiate(with(0, IF, 1, 1));
    let update = |graph| {
        let mut info: CUgraphExecUpdateResultInfo = all_zeros();
        (code!(cuGraphExecUpdate_v2(exec, graph, &raw mut info)), info.result)
    };
    let failed = CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    let (other, topology) =
        (CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    assert_eq!(update(with(0, IF, 2, 1)), (failed, other));
    assert_eq!(update(with(0, WHILE, 1, 1)), (failed, other));
    assert_eq!(update(with(0, IF, 1, 2)), (failed, topology));
    assert_eq!(update(with(1, IF, 1, 1)), (SUCCESS, CU_GRAPH_EXEC_UPDATE_SUCCESS));
    put(here.words, &[0]);
    replay(exec, here.stream);
    assert_eq!(words(here.words), [1], "the new number at the beginning");
}

unsafe extern "C" fn nothing(_: *mut c_void) {}

/// F524
#[test]
fn graphs_of_nodes_hold_kernels_copies_and_fills() {
    needs_conditionals!();
    let here = here();
    let mut node = null_mut();
    let to = &raw mut node;
    let mut host: *mut c_void = null_mut();
    ok!(cuMemHostAlloc(&raw mut host, 64, 0));
    let mut pageable = [0_u32; 4];
    let fill = CUDA_MEMSET_NODE_PARAMS {
        dst: here.words,
        pitch: 0,
        value: 7,
        elementSize: 4,
        width: 4,
        height: 1,
    };
    let copy = |to: *mut c_void| {
        let mut copy: CUDA_MEMCPY3D = all_zeros();
        (copy.WidthInBytes, copy.Height, copy.Depth) = (16, 1, 1);
        (copy.srcMemoryType, copy.srcDevice) = (CU_MEMORYTYPE_DEVICE, here.words);
        (copy.dstMemoryType, copy.dstHost) = (CU_MEMORYTYPE_HOST, to);
        copy
    };
    let child = graph();
    here.kernel(child, &[], c"add", here.words, 0);
    // All of these, one after the other.
    let (whole, _, body) = here.with_body();
    ok!(cuGraphAddMemsetNode(to, body, null(), 0, &raw const fill, here.context));
    let filled = node;
    ok!(cuGraphAddChildGraphNode(to, body, &raw const filled, 1, child));
    let added = node;
    let pinned = copy(host);
    ok!(cuGraphAddMemcpyNode(to, body, &raw const added, 1, &raw const pinned, here.context));
    ok!(cuGraphAddEmptyNode(to, body, null(), 0));
    here.run(whole);
    // SAFETY: the copy wrote 16 bytes of the allocation, and is over.
    assert_eq!(unsafe { host.cast::<[u32; 4]>().read() }, [8, 7, 7, 7]);
    // None of these, though they can be added.
    let call = CUDA_HOST_NODE_PARAMS { r#fn: Some(nothing), userData: null_mut() };
    let event = made!(cuEventCreate(0));
    let refused: [&dyn Fn(CUgraph); 5] = [
        &|body| ok!(cuGraphAddHostNode(to, body, null(), 0, &raw const call)),
        &|body| ok!(cuGraphAddEventRecordNode(to, body, null(), 0, event)),
        &|body| ok!(cuGraphAddEventWaitNode(to, body, null(), 0, event)),
        &|body| {
            let all = CUDA_BATCH_MEM_OP_NODE_PARAMS {
                ctx: here.context,
                count: 0,
                paramArray: null_mut(),
                flags: 0,
            };
            ok!(cuGraphAddBatchMemOpNode(to, body, null(), 0, &raw const all));
        },
        &|body| {
            let child = graph();
            ok!(cuGraphAddHostNode(to, child, null(), 0, &raw const call));
            ok!(cuGraphAddChildGraphNode(to, body, null(), 0, child));
        },
    ];
    for add in refused {
        let (whole, _, body) = here.with_body();
        add(body);
        assert_eq!(code_of_instantiation(whole, 0), INVALID_VALUE);
    }
    let (whole, _, body) = here.with_body();
    let copy = copy(pageable.as_mut_ptr().cast());
    ok!(cuGraphAddMemcpyNode(to, body, null(), 0, &raw const copy, here.context));
    assert_eq!(code_of_instantiation(whole, 0), INVALID_VALUE);
}

/// F525
#[test]
fn edges_lead_to_the_node_and_calls_to_those_in_its_graphs() {
    needs_conditionals!();
    has!(cuGraphAddDependencies_v2);
    let here = here();
    let (whole, node, body) = here.with_body();
    let first = here.kernel(whole, &[], c"twice", here.words, 0);
    let inner = here.kernel(body, &[], c"add", here.words, 0);
    let edge = |graph, from: CUgraphNode, to: CUgraphNode| {
        newer!(cuGraphAddDependencies_v2(graph, &raw const from, &raw const to, null(), 1))
    };
    for (graph, from, to) in [(whole, first, inner), (body, first, inner), (whole, inner, first)] {
        assert_eq!(edge(graph, from, to), INVALID_VALUE);
    }
    assert_eq!(edge(whole, first, node), SUCCESS);
    let exec = instantiate(whole);
    put(here.words, &[1, 1]);
    replay(exec, here.stream);
    assert_eq!(words(here.words), [3, 1]);
    // The node itself is not switched; those of its graph are.
    let mut on = 7;
    assert_eq!(code!(cuGraphNodeGetEnabled(exec, node, &raw mut on)), INVALID_VALUE);
    assert_eq!(code!(cuGraphNodeSetEnabled(exec, node, 0)), INVALID_VALUE);
    ok!(cuGraphNodeGetEnabled(exec, inner, &raw mut on));
    assert_eq!(on, 1);
    ok!(cuGraphNodeSetEnabled(exec, inner, 0));
    replay(exec, here.stream);
    assert_eq!(words(here.words), [6, 1]);
    ok!(cuGraphNodeSetEnabled(exec, inner, 1));
    let mut launch: CUDA_KERNEL_NODE_PARAMS = all_zeros();
    ok!(cuGraphKernelNodeGetParams_v2(inner, &raw mut launch));
    let mut at = here.words + 4;
    let mut args = [(&raw mut at).cast::<c_void>()];
    launch.kernelParams = args.as_mut_ptr();
    ok!(cuGraphExecKernelNodeSetParams_v2(exec, inner, &raw const launch));
    replay(exec, here.stream);
    assert_eq!(words(here.words), [12, 2]);
    // A capture into the graph.
    has!(cuStreamBeginCaptureToGraph);
    let (_, _, body) = here.with_body();
    let (none, data) = (null(), null());
    ok!(newer cuStreamBeginCaptureToGraph(here.stream, body, none, data, 0, RELAXED));
    ok!(cuMemsetD32Async(here.words, 1, 4, here.stream));
    assert_eq!(end(here.stream), body);
    assert_eq!(nodes(body).len(), 1);
}

/// F526
#[test]
fn a_number_is_set_in_its_graph_alone() {
    needs_conditionals!();
    fresh!(a_number_is_set_in_its_graph_alone, {
        let here = here();
        let (graph, ..) = here.with_body();
        here.run(graph);
        let function = made!(cuModuleGetFunction(here.module, c"down".as_ptr()));
        let (mut at, mut number) = (here.words, 1_u64);
        let mut args = [(&raw mut at).cast::<c_void>(), (&raw mut number).cast()];
        let (args, none) = (args.as_mut_ptr(), null_mut());
        ok!(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, here.stream, args, none));
        assert_eq!(code!(cuStreamSynchronize(here.stream)), CUDA_ERROR_ILLEGAL_ADDRESS);
    });
}

/// F527
#[test]
fn one_function_adds_nodes_of_most_kinds() {
    needs_conditionals!();
    has!(cuGraphAddNode);
    let here = here();
    let graph = graph();
    let mut at = here.words;
    let mut args = [(&raw mut at).cast::<c_void>()];
    let of = |kind| {
        let mut params: CUgraphNodeParams = all_zeros();
        params.r#type = kind;
        params
    };
    let mut kernel = of(CU_GRAPH_NODE_TYPE_KERNEL);
    kernel.anonymous.kernel = CUDA_KERNEL_NODE_PARAMS_v3 {
        func: made!(cuModuleGetFunction(here.module, c"add".as_ptr())),
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 1,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        kernelParams: args.as_mut_ptr(),
        extra: null_mut(),
        kern: null_mut(),
        ctx: null_mut(),
    };
    let (code, first) = try_any(graph, &[], &mut kernel);
    assert_eq!(code, SUCCESS);
    let mut fill = of(CU_GRAPH_NODE_TYPE_MEMSET);
    for ctx in [here.context, null_mut()] {
        fill.anonymous.memset = CUDA_MEMSET_NODE_PARAMS_v2 {
            dst: here.words + 4,
            pitch: 0,
            value: 7,
            elementSize: 4,
            width: 1,
            height: 1,
            ctx,
        };
        assert_eq!(try_any(graph, &[first], &mut fill).0, SUCCESS);
    }
    let mut child = of(CU_GRAPH_NODE_TYPE_GRAPH);
    child.anonymous.graph.graph = self::graph();
    assert_eq!(try_any(graph, &[], &mut child).0, SUCCESS);
    let mut empty = of(CU_GRAPH_NODE_TYPE_EMPTY);
    assert_eq!(try_any(graph, &[], &mut empty).0, SUCCESS);
    let mut node = null_mut();
    ok!(newer cuGraphAddNode(&raw mut node, graph, &raw const first, 1, &raw mut empty));
    assert_eq!(edges(graph), [(0, 1), (0, 2), (0, 5)]);
    empty.reserved0[0] = 1;
    assert_eq!(try_any(graph, &[], &mut empty).0, INVALID_VALUE);
    (empty.reserved0[0], empty.reserved2) = (0, 1);
    assert_eq!(try_any(graph, &[], &mut empty).0, INVALID_VALUE);
    let (host, unknown) = (CU_GRAPH_NODE_TYPE_HOST, CUgraphNodeType(99));
    assert_eq!(try_any(graph, &[], &mut of(host)).0, INVALID_VALUE, "no function");
    assert_eq!(try_any(graph, &[], &mut of(unknown)).0, INVALID_VALUE);
    // An edge that lets a kernel start early leads to kernels alone (F565).
    let number = here.number(graph, 0, 1);
    let early = CUgraphEdgeData { from_port: 1, to_port: 0, r#type: 1, reserved: [0; 5] };
    let mut choice = params(here.context, number, IF, 1);
    let (from, data, to) = (&raw const first, &raw const early, &raw mut choice);
    let code = newer!(cuGraphAddNode_v2(&raw mut node, graph, from, data, 1, to));
    assert_eq!(code, INVALID_VALUE);
    assert_eq!(nodes(graph).len(), 6);
    put(here.words, &[1, 0]);
    let (graph, first) = (self::graph(), &mut kernel);
    assert_eq!(try_any(graph, &[], first).0, SUCCESS);
    here.run(graph);
    assert_eq!(words(here.words), [2, 0]);
}

/// F570
#[test]
fn nodes_are_changed_in_their_graph_whatever_is_current() {
    needs_conditionals!();
    let here = here();
    let (graph, _, body) = here.with_body();
    let at = |word: u64| here.words + 4 * word;
    put(at(0), &[0, 0, 0, 0, 5, 0]);
    let fill_of = |value, width| CUDA_MEMSET_NODE_PARAMS {
        dst: at(1),
        pitch: 0,
        value,
        elementSize: 4,
        width,
        height: 1,
    };
    let copy_to = |to| {
        let mut row: CUDA_MEMCPY3D = all_zeros();
        (row.srcMemoryType, row.dstMemoryType) = (CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE);
        (row.srcDevice, row.dstDevice) = (at(4), to);
        (row.WidthInBytes, row.Height, row.Depth) = (4, 1, 1);
        row
    };
    let (first, copied, none) = (fill_of(7, 1), copy_to(at(3)), null());
    let added = here.kernel(body, &[], c"add", at(3), 0);
    let context = here.context;
    let filled = made!(cuGraphAddMemsetNode(body, none, 0, &raw const first, context));
    let copy = made!(cuGraphAddMemcpyNode(body, none, 0, &raw const copied, context));
    let other: CUgraph = made!(cuGraphCreate(0));
    let events: [CUevent; 2] = [made!(cuEventCreate(0)), made!(cuEventCreate(0))];
    let record = made!(cuGraphAddEventRecordNode(other, none, 0, events[0]));
    let wait = made!(cuGraphAddEventWaitNode(other, none, 0, events[0]));
    let library: CUlibrary = {
        let (image, null) = (KERNELS.as_ptr().cast(), null_mut());
        made!(cuLibraryLoadData(image, null, null_mut(), 0, null_mut(), null_mut(), 0))
    };
    let mut launch: CUDA_KERNEL_NODE_PARAMS = all_zeros();
    launch.kern = made!(cuLibraryGetKernel(library, c"add".as_ptr()));
    launch.ctx = context;
    (launch.gridDimX, launch.gridDimY, launch.gridDimZ) = (1, 1, 1);
    (launch.blockDimX, launch.blockDimY, launch.blockDimZ) = (1, 1, 1);
    let mut word = at(0);
    let mut args = [(&raw mut word).cast::<c_void>()];
    launch.kernelParams = args.as_mut_ptr();
    let (second, copied, launch) = (fill_of(9, 2), copy_to(at(5)), &raw const launch);

    assert_eq!(pop(), context);
    let mut node = null_mut();
    each_gives!(SUCCESS; {
        cuGraphMemsetNodeSetParams(filled, &raw const second);
        cuGraphMemcpyNodeSetParams(copy, &raw const copied);
        cuGraphEventRecordNodeSetEvent(record, events[1]);
        cuGraphEventWaitNodeSetEvent(wait, events[1]);
        // By the kernel of a library, and its context.
        cuGraphKernelNodeSetParams_v2(added, launch);
        cuGraphAddKernelNode_v2(&raw mut node, other, none, 0, launch);
    });
    ok!(cuCtxPushCurrent_v2(context));
    let exec = instantiate(graph);
    assert_eq!(pop(), context);
    ok!(cuGraphExecKernelNodeSetParams_v2(exec, added, launch));
    ok!(cuCtxPushCurrent_v2(context));
    replay(exec, here.stream);
    assert_eq!(words(at(0)), [1, 9, 9, 0, 5, 5]);
}

/// F603
#[test]
fn a_switch_has_any_number_of_graphs() {
    needs_conditionals!();
    let here = here();
    for (size, code) in [(0, INVALID_VALUE), (1, SUCCESS), (1 << 10, SUCCESS), (1 << 16, SUCCESS)] {
        let graph = graph();
        let number = here.number(graph, 0, 1);
        let mut switch = params(here.context, number, SWITCH, size);
        assert_eq!(try_any(graph, &[], &mut switch).0, code, "{size}");
        // SAFETY: the member that `params` wrote.
        let graphs = unsafe { switch.anonymous.conditional }.phGraph_out;
        assert_eq!(graphs.is_null(), code != SUCCESS, "{size}");
        if code == SUCCESS {
            // SAFETY: as many graphs as were asked for.
            let graphs = unsafe { std::slice::from_raw_parts(graphs, size as usize) };
            assert!(graphs.iter().all(|graph| !graph.is_null()));
            assert_eq!(graphs.iter().collect::<std::collections::HashSet<_>>().len(), graphs.len());
        }
        ok!(cuGraphDestroy(graph));
    }
    // A GPU's driver takes these as long as it has memory, and does not come back for minutes.
    if software() {
        for size in [(1 << 20) + 1, 1 << 28, u32::MAX] {
            let graph = graph();
            let number = here.number(graph, 0, 1);
            let code = try_node(graph, here.context, number, SWITCH, size);
            assert_eq!(code, CUDA_ERROR_OUT_OF_MEMORY, "{size}");
            // The number is still free for a node.
            assert_eq!(try_node(graph, here.context, number, SWITCH, 1), SUCCESS);
            ok!(cuGraphDestroy(graph));
        }
    }
}
