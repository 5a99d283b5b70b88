//! The attributes of kernel nodes: F554 to F556.

use crate::fresh;
use crate::raw::captures::*;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

type Value = CUlaunchAttributeValue;

const FAILURE: CUresult = CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
const CLUSTER: CUlaunchAttributeID = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
const PRIORITY: CUlaunchAttributeID = CU_LAUNCH_ATTRIBUTE_PRIORITY;
const COOPERATIVE: CUlaunchAttributeID = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;

/// A value that begins with some words.
fn words(words: &[u32]) -> Value {
    let mut value: Value = all_zeros();
    value.clusterDim = CUlaunchAttributeValue_clusterDim {
        x: words[0],
        y: words.get(1).copied().unwrap_or(0),
        z: words.get(2).copied().unwrap_or(0),
    };
    value
}

fn store(place: &Place, arguments: &mut [*mut c_void; 2], blocks: u32) -> CUDA_KERNEL_NODE_PARAMS {
    let mut launch: CUDA_KERNEL_NODE_PARAMS = all_zeros();
    launch.func = place.kernel(c"store_value");
    (launch.gridDimX, launch.gridDimY, launch.gridDimZ) = (blocks, 1, 1);
    (launch.blockDimX, launch.blockDimY, launch.blockDimZ) = (1, 1, 1);
    launch.kernelParams = arguments.as_mut_ptr();
    launch
}

/// Works with the parameters of a launch that stores 7.
fn with<R>(place: &Place, blocks: u32, f: impl FnOnce(*const CUDA_KERNEL_NODE_PARAMS) -> R) -> R {
    let (mut address, mut value) = (place.memory, 7_u64);
    let mut arguments = [(&raw mut address).cast(), (&raw mut value).cast()];
    let params = store(place, &mut arguments, blocks);
    f(&raw const params)
}

fn kernel(graph: CUgraph, place: &Place, blocks: u32) -> CUgraphNode {
    with(place, blocks, |params| made!(cuGraphAddKernelNode_v2(graph, null(), 0, params)))
}

/// The code, and the bytes that were written.
fn get(node: CUgraphNode, id: CUlaunchAttributeID) -> (CUresult, Vec<u8>) {
    let mut bytes = [0xaa_u8; 64];
    let code = code!(cuGraphKernelNodeGetAttribute(node, id, bytes.as_mut_ptr().cast()));
    let len = bytes.iter().rposition(|&byte| byte != 0xaa).map_or(0, |last| last + 1);
    (code, bytes[..len].to_vec())
}

fn set(node: CUgraphNode, id: CUlaunchAttributeID, value: Value) -> CUresult {
    code!(cuGraphKernelNodeSetAttribute(node, id, &raw const value))
}

fn bytes(words: &[u32]) -> (CUresult, Vec<u8>) {
    (SUCCESS, words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// F554
#[test]
fn a_kernel_node_tells_and_takes_attributes() {
    let place = place();
    let graph = made!(cuGraphCreate(0));
    let node = kernel(graph, &place, 4);
    for (id, first) in [
        (1, vec![0; 32]),
        (2, vec![0; 4]),
        (4, vec![0; 12]),
        (5, vec![0; 4]),
        (8, vec![0; 4]),
        (9, vec![0, 1]),
        (10, vec![0; 4]),
        (14, vec![0; 4]),
    ] {
        assert_eq!(get(node, CUlaunchAttributeID(id)), (SUCCESS, first), "{id}");
    }
    for id in [0, 3, 6, 7, 11, 12, 15, 16, 19, 20, u32::MAX] {
        assert_eq!(get(node, CUlaunchAttributeID(id)), (INVALID_VALUE, vec![]), "{id}");
    }
    for id in [0, 3, 6, 7, 11, 12, 15, 19, 20, u32::MAX] {
        assert_eq!(set(node, CUlaunchAttributeID(id), words(&[0])), INVALID_VALUE, "{id}");
    }
    for (id, value, told) in [
        (2, &[1][..], &[1][..]),
        (4, &[2, 1, 1], &[2, 1, 1]),
        (5, &[2], &[2]),
        (5, &[3], &[3]),
        (8, &[-1_i32 as u32], &[-1_i32 as u32]),
        (8, &[99], &[0]),
        (10, &[1], &[1]),
        (14, &[50], &[50]),
    ] {
        let (id, node) = (CUlaunchAttributeID(id), kernel(graph, &place, 4));
        assert_eq!(set(node, id, words(value)), SUCCESS, "{id:?}");
        assert_eq!(get(node, id), bytes(told), "{id:?}");
    }
    assert_eq!(set(node, CLUSTER, words(&[2, 1, 1])), SUCCESS);
    assert_eq!(set(node, CUlaunchAttributeID(16), words(&[1])), SUCCESS);
    for (id, bad) in [(9, 0x0404), (10, 2), (14, 101), (16, 2)] {
        assert_eq!(set(node, CUlaunchAttributeID(id), words(&[bad])), INVALID_VALUE, "{id}");
    }
    for bad in [[3, 1, 1], [2, 0, 1], [16, 1, 1]] {
        assert_eq!(set(node, CLUSTER, words(&bad)), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    }
    assert_eq!(get(node, CLUSTER), bytes(&[2, 1, 1]));
    let large = kernel(graph, &place, 100_000);
    let too_large = CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    assert_eq!(set(large, COOPERATIVE, words(&[1])), too_large);
    let empty: CUgraphNode = made!(cuGraphAddEmptyNode(graph, null(), 0));
    for none in [empty, null_mut()] {
        assert_eq!(get(none, PRIORITY).0, INVALID_VALUE);
        assert_eq!(set(none, PRIORITY, words(&[0])), INVALID_VALUE);
    }
    assert_eq!(pop(), place.context);
    assert_eq!(set(node, PRIORITY, words(&[0])), SUCCESS);
    ok!(cuCtxPushCurrent_v2(place.context));
    replay(instantiate(graph), place.stream);
    assert_eq!(place.value(), 7);
    place.destroy();
}

struct Asked {
    node: CUgraphNode,
    answers: [CUresult; 3],
}

unsafe extern "C" fn ask(to: *mut c_void) {
    // SAFETY: an `Asked`, which the test leaves alone meanwhile.
    let asked = unsafe { &mut *to.cast::<Asked>() };
    let node = asked.node;
    let copied = code!(cuGraphKernelNodeCopyAttributes(node, node));
    asked.answers = [get(node, PRIORITY).0, set(node, PRIORITY, words(&[0])), copied];
}

/// F554
#[test]
fn attributes_of_nodes_are_no_matter_of_host_functions() {
    let place = place();
    let node = kernel(made!(cuGraphCreate(0)), &place, 1);
    let mut asked = Asked { node, answers: [SUCCESS; 3] };
    ok!(cuLaunchHostFunc(place.stream, Some(ask), (&raw mut asked).cast()));
    ok!(cuStreamSynchronize(place.stream));
    assert_eq!(asked.answers, [NOT_PERMITTED; 3]);
    place.destroy();
}

/// F555
#[test]
fn attributes_stay_with_a_node_and_what_was_instantiated() {
    let place = place();
    let graph = made!(cuGraphCreate(0));
    let node = kernel(graph, &place, 4);
    assert_eq!(set(node, CLUSTER, words(&[2, 1, 1])), SUCCESS);
    let copy: CUgraph = made!(cuGraphClone(graph));
    let of_copy: CUgraphNode = made!(cuGraphNodeFindInClone(node, copy));
    assert_eq!(get(of_copy, CLUSTER), bytes(&[2, 1, 1]));
    let exec = instantiate(graph);
    let no_clusters = CUDA_ERROR_INVALID_CLUSTER_SIZE;
    for (blocks, code) in [(4, SUCCESS), (3, no_clusters)] {
        let node_set = |params| code!(cuGraphKernelNodeSetParams_v2(node, params));
        let exec_set = |params| code!(cuGraphExecKernelNodeSetParams_v2(exec, node, params));
        assert_eq!(with(&place, blocks, node_set), code);
        assert_eq!(with(&place, blocks, exec_set), code);
    }
    assert_eq!(get(node, CLUSTER), bytes(&[2, 1, 1]));

    // A copy of attributes is of all or none.
    assert_eq!(set(node, PRIORITY, words(&[-1_i32 as u32])), SUCCESS);
    let other = made!(cuGraphCreate(0));
    let [fits, odd] = [8, 3].map(|blocks| kernel(other, &place, blocks));
    let copied = |to, from| code!(cuGraphKernelNodeCopyAttributes(to, from));
    assert_eq!(
        (copied(fits, node), copied(node, node), copied(odd, node)),
        (SUCCESS, SUCCESS, INVALID_VALUE)
    );
    assert_eq!(
        (get(fits, CLUSTER), get(fits, PRIORITY)),
        (get(node, CLUSTER), get(node, PRIORITY))
    );
    assert_eq!((get(odd, CLUSTER), get(odd, PRIORITY)), (bytes(&[0; 3]), bytes(&[0])));
    let empty: CUgraphNode = made!(cuGraphAddEmptyNode(graph, null(), 0));
    for (to, from) in [(empty, node), (node, empty), (null_mut(), node), (node, null_mut())] {
        assert_eq!(copied(to, from), INVALID_VALUE);
    }

    let plain = made!(cuGraphCreate(0));
    let _node = kernel(plain, &place, 4);
    let exec = instantiate(plain);
    for (id, value, answer) in [
        (CLUSTER, &[2, 1, 1][..], (SUCCESS, CU_GRAPH_EXEC_UPDATE_SUCCESS)),
        (PRIORITY, &[-1_i32 as u32], (SUCCESS, CU_GRAPH_EXEC_UPDATE_SUCCESS)),
        (COOPERATIVE, &[1], (FAILURE, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED)),
    ] {
        let graph = made!(cuGraphCreate(0));
        assert_eq!(set(kernel(graph, &place, 4), id, words(value)), SUCCESS);
        let mut info: CUgraphExecUpdateResultInfo = all_zeros();
        let code = code!(cuGraphExecUpdate_v2(exec, graph, &raw mut info));
        assert_eq!((code, info.result), answer);
        replay(exec, place.stream);
    }
    place.destroy();
}

/// F556
#[test]
fn a_captured_launch_has_its_attributes_and_those_of_its_stream() {
    fresh!(a_captured_launch_has_its_attributes_and_those_of_its_stream, {
        let place = place();
        let stream = made!(cuStreamCreateWithPriority(1, -3));
        let domain = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
        let remote = words(&[1]);
        ok!(cuStreamSetAttribute(stream, domain, &raw const remote));
        begin(stream, RELAXED);
        let mut all: [CUlaunchAttribute; 1] = all_zeros();
        (all[0].id, all[0].value) = (CLUSTER, words(&[2, 1, 1]));
        let mut config: CUlaunchConfig = all_zeros();
        (config.gridDimX, config.gridDimY, config.gridDimZ) = (4, 1, 1);
        (config.blockDimX, config.blockDimY, config.blockDimZ) = (1, 1, 1);
        (config.hStream, config.attrs, config.numAttrs) = (stream, all.as_mut_ptr(), 1);
        let (mut address, mut value) = (place.memory, 7_u64);
        let mut arguments = [(&raw mut address).cast(), (&raw mut value).cast()];
        let (kernel, arguments) = (place.kernel(c"store_value"), arguments.as_mut_ptr());
        ok!(cuLaunchKernelEx(&raw const config, kernel, arguments, null_mut()));
        let node = nodes(end(stream))[0];
        assert_eq!(get(node, CLUSTER), bytes(&[2, 1, 1]));
        assert_eq!(get(node, PRIORITY), bytes(&[-3_i32 as u32]));
        assert_eq!(get(node, domain), bytes(&[1]));
        assert_eq!(get(node, COOPERATIVE), bytes(&[0]));
    });
}
