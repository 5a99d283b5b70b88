//! Graphs as pictures.
#![allow(unsafe_code, reason = "calls the driver")]

use super::Graph;
use crate::error::check;
use crate::{Error, Result};
use bitflags::bitflags;
use ffi::CUgraphDebugDot_flags as Raw;
use std::ffi::CString;
use std::fs;

bitflags! {
    /// What [`Graph::dot`] tells of each node.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct DotFlags: u32 {
        /// Everything.
        const VERBOSE = Raw::CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE.bits();
        /// The parameters of kernels.
        const KERNELS = Raw::CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS.bits();
        /// The parameters of copies.
        const MEMCPYS = Raw::CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS.bits();
        /// The parameters of fills.
        const MEMSETS = Raw::CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS.bits();
        /// The functions of the host.
        const HOST_FUNCTIONS = Raw::CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS.bits();
        /// The events.
        const EVENTS = Raw::CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS.bits();
        /// The attributes of kernels.
        const KERNEL_ATTRIBUTES = Raw::CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES.bits();
        /// The handles.
        const HANDLES = Raw::CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES.bits();
        /// The parameters of allocations.
        const ALLOCS = Raw::CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS.bits();
        /// The parameters of frees.
        const FREES = Raw::CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS.bits();
    }
}

impl Graph<'_> {
    /// The graph, as it was captured or built, in the language of Graphviz. The driver writes it to a
    /// temporary file, which is gone when this returns.
    ///
    /// # Errors
    /// [`File`](Error::File) if there can be no such file; what the driver answers.
    #[doc(alias = "cuGraphDebugDotPrint")]
    pub fn dot(&self, flags: DotFlags) -> Result<String> {
        const CALL: &str = "cuGraphDebugDotPrint";
        let directory = std::env::temp_dir();
        let failed = |path: &std::path::Path, error: &std::io::Error| Error::File {
            call: CALL,
            path: Box::new(path.to_owned()),
            kind: error.kind(),
        };
        let file = tempfile::NamedTempFile::with_prefix_in("cuscope-graph-", &directory)
            .map_err(|error| failed(&directory, &error))?;
        let name = file.path().as_os_str().as_encoded_bytes();
        let reason = "the path of the directory for temporary files has a zero byte: change TMPDIR";
        let name = CString::new(name).map_err(|_| Error::InvalidArgument { call: CALL, reason })?;
        let graph = self.inner.template.raw();
        // SAFETY: the graph is alive, and `name` ends in NUL; no context need be current (F217).
        check(CALL, unsafe { ffi::cuGraphDebugDotPrint(graph, name.as_ptr(), flags.bits()) })?;
        let text = fs::read(file.path()).map_err(|error| failed(file.path(), &error))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}
