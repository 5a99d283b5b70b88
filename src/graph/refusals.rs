//! The reasons for which the driver refuses changes of nodes.

use super::node::NodeKind;
use crate::error::Error;
use ffi::CUresult;

/// Returns the error of a call that is not made. A caller that wrote it by itself would load the reason in each call.
#[cold]
#[inline(never)]
pub(super) fn not_made(call: &'static str, reason: &'static str) -> Error {
    Error::InvalidArgument { call, reason: reason.into() }
}

/// Returns why a node was not switched off or on, or does not tell.
#[cold]
#[inline]
pub(super) fn switched(kind: NodeKind) -> Option<String> {
    let has_switch = matches!(kind, NodeKind::Kernel | NodeKind::Memcpy | NodeKind::Memset);
    (!has_switch).then(|| {
        format!(
            "the node is of the kind {kind:?}, and only kernels, copies and fills are switched off: pass one of \
             these, or capture or build a graph without the node"
        )
    })
}

/// Returns why a copy was not changed.
#[cold]
#[inline]
pub(super) fn copy(code: CUresult) -> Option<String> {
    (code == ffi::CUDA_ERROR_INVALID_VALUE).then(|| {
        "a graph that is ready takes another copy of one row alone, or the same rows and planes elsewhere: \
         build the graph again, or change a `GraphDefinition`"
            .to_owned()
    })
}

/// Returns why operations on numbers were not changed to so many others.
#[cold]
#[inline]
pub(super) fn values(count: u32, code: CUresult) -> Option<String> {
    (code == ffi::CUDA_ERROR_INVALID_VALUE).then(|| {
        format!(
            "{count} operations were passed, and a node of a graph that is ready takes as many as it has, of the \
             same kinds: pass these, or change a `GraphDefinition`"
        )
    })
}

/// Returns why the semaphores of a node were not changed to so many others.
#[cold]
#[inline]
pub(super) fn semaphores(count: usize, code: CUresult) -> Option<String> {
    (code == ffi::CUDA_ERROR_INVALID_VALUE).then(|| {
        format!(
            "{count} semaphores were passed, and a node of a graph that is ready takes as many as it has: pass \
             these, or change a `GraphDefinition`"
        )
    })
}

/// Returns why a child graph was not changed.
#[cold]
#[inline]
pub(super) fn child(code: CUresult) -> Option<String> {
    let reason = match code {
        ffi::CUDA_ERROR_NOT_SUPPORTED => {
            "the definition has nodes that allocate or free memory, and no child graph of such a definition is changed: \
             build it again with the other graph"
        }
        ffi::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE => {
            "the other graph has other nodes or edges than the child graph: pass one of the same, or build the \
             graph again"
        }
        _ => return None,
    };
    Some(reason.to_owned())
}

/// Returns why a conditional node with so many graphs was not added.
#[cold]
#[inline]
pub(super) fn conditional(graphs: u32) -> Option<String> {
    (graphs == 0)
        .then(|| "a conditional node has at least 1 graph, and 0 were requested".to_owned())
}
