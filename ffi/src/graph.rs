//! Graphs.

use crate::{CUcontext, CUdeviceptr, CUgraph, CUgraphExec, CUgraphNode, CUresult, CUstream};
use core::ffi::{c_uint, c_ulonglong};
use core::mem::offset_of;
use static_assertions::{assert_eq_align, assert_eq_size, const_assert_eq};

/// A fill of memory as a node of a graph.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CUDA_MEMSET_NODE_PARAMS {
    /// Where to write.
    pub dst: CUdeviceptr,
    /// Bytes from one row to the next; without meaning for a single row.
    pub pitch: usize,
    /// What to write.
    pub value: c_uint,
    /// Bytes of an element: 1, 2 or 4.
    pub elementSize: c_uint,
    /// Elements of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}
assert_eq_size!(CUDA_MEMSET_NODE_PARAMS, [u64; 5]);
assert_eq_align!(CUDA_MEMSET_NODE_PARAMS, u64);
const_assert_eq!(offset_of!(CUDA_MEMSET_NODE_PARAMS, elementSize), 20);
const_assert_eq!(offset_of!(CUDA_MEMSET_NODE_PARAMS, height), 32);

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! graph_functions { ($with:path) => { $with! {
    /// Creates an empty graph; `flags` must be 0.
    fn cuGraphCreate(phGraph: *mut CUgraph, flags: c_uint) -> CUresult;
    /// Destroys a graph.
    fn cuGraphDestroy(hGraph: CUgraph) -> CUresult;
    /// Adds a fill of memory.
    fn cuGraphAddMemsetNode(phGraphNode: *mut CUgraphNode, hGraph: CUgraph, dependencies: *const CUgraphNode, numDependencies: usize, memsetParams: *const CUDA_MEMSET_NODE_PARAMS, ctx: CUcontext) -> CUresult;
    /// Makes a graph ready to run. Since 11.4.
    fn cuGraphInstantiateWithFlags(phGraphExec: *mut CUgraphExec, hGraph: CUgraph, flags: c_ulonglong) -> CUresult;
    /// Enqueues an instantiated graph.
    fn cuGraphLaunch(hGraphExec: CUgraphExec, hStream: CUstream) -> CUresult;
    /// Destroys an instantiated graph.
    fn cuGraphExecDestroy(hGraphExec: CUgraphExec) -> CUresult;
} } }
graph_functions!(declare);
