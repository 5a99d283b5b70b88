//! Changes of graphs that can run.
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry;
use crate::model::graph::difference::Difference;
use crate::model::graph::exec::EXECS;
use crate::model::graph::find;
use cuscope_sys::*;

driver! {
    /// Makes an instantiated graph that of another, which has the same nodes but for their parameters; needs
    /// no context (F210).
    fn cuGraphExecUpdate_v2(
        hGraphExec: CUgraphExec,
        hGraph: CUgraph,
        resultInfo: *mut CUgraphExecUpdateResultInfo,
    ) {
        let exec = EXECS.get(hGraphExec.addr()).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let Difference { result, node, from } = exec.update(&*find(hGraph)?);
        let errorNode = std::ptr::without_provenance_mut(node);
        let errorFromNode = std::ptr::without_provenance_mut(from);
        let info = CUgraphExecUpdateResultInfo { result, errorNode, errorFromNode };
        entry::write_optional(resultInfo, info);
        match result {
            CU_GRAPH_EXEC_UPDATE_SUCCESS => Ok(()),
            _ => Err(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE),
        }
    }
}
