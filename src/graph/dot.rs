//! Pictures of graphs.
#![allow(unsafe_code, reason = "calls the driver")]

use super::Graph;
use super::raw::Template;
use crate::call::{answer, name};
use crate::error::{Error, Result};
use ffi::CUgraphDebugDot_flags as Raw;
use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

ffi::flags! {
    /// Flags that control the details that [`Graph::dot`] prints for each node.
    #[derive(Default)]
    pub struct DotFlags: u32 {
        /// Everything.
        const VERBOSE = Raw::CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE.bits();
        /// The parameters of kernels.
        const KERNELS = Raw::CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS.bits();
        /// The parameters of copies.
        const MEMCPYS = Raw::CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS.bits();
        /// The parameters of fills.
        const MEMSETS = Raw::CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS.bits();
        /// The host functions.
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

const CALL: &str = name!(cuGraphDebugDotPrint);

#[inline]
fn failed(path: &Path, error: &io::Error) -> Error {
    Error::File { call: CALL, path: Box::new(path.to_owned()), kind: error.kind() }
}

/// A file that is removed when dropped.
struct Temporary(PathBuf);

impl Temporary {
    /// Creates a file with a name that nobody else has. Existing files are not opened, and links are not
    /// followed.
    #[inline]
    fn create() -> io::Result<Temporary> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let (id, next) = (std::process::id(), NEXT.fetch_add(1, Relaxed));
            let path = std::env::temp_dir().join(format!("cuscope-graph-{id}-{next}.dot"));
            match File::create_new(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return created.map(|_| Temporary(path)),
            }
        }
    }
}

impl Drop for Temporary {
    #[inline]
    fn drop(&mut self) {
        // A file that cannot be removed is left to the next cleaning of that directory.
        let _ = fs::remove_file(&self.0);
    }
}

impl Template {
    /// Returns the graph in the language of Graphviz.
    ///
    /// # Errors
    /// The errors of [`Graph::dot`].
    #[inline]
    pub(super) fn dot(&self, flags: DotFlags) -> Result<String> {
        let file = Temporary::create().map_err(|error| failed(&std::env::temp_dir(), &error))?;
        let name = file.0.as_os_str().as_encoded_bytes();
        let reason = "the path of the directory for temporary files contains a NUL byte: change \
                      TMPDIR";
        let name = CString::new(name)
            .map_err(|_| Error::InvalidArgument { call: CALL, reason: reason.into() })?;
        let graph = self.raw();
        // SAFETY: the graph is alive, and `name` ends in NUL; no context need be current (F217).
        unsafe { answer!(cuGraphDebugDotPrint(graph, name.as_ptr(), flags.bits())) }.check()?;
        let text = fs::read(&file.0).map_err(|error| failed(&file.0, &error))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

impl Graph<'_> {
    /// Returns the graph, as it was captured or built, in the language of Graphviz.
    ///
    /// The driver writes it to a temporary file, which is gone when this returns.
    ///
    /// # Errors
    /// [`File`](Error::File) if the file cannot be created; a driver error.
    #[doc(alias = "cuGraphDebugDotPrint")]
    #[inline]
    pub fn dot(&self, flags: DotFlags) -> Result<String> {
        self.inner.template.dot(flags)
    }
}
