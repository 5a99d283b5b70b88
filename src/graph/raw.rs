//! The driver's graphs, as values that own them.
#![allow(unsafe_code, reason = "calls the driver, and says that a graph may be sent")]

use crate::capture_mode::relaxed;
use crate::error::{check, release};
use crate::{PushedGuard, Result};
use ffi::{CUgraph, CUgraphExec};
use std::ptr;

/// A graph: nodes and edges.
pub(super) struct Template(pub(super) CUgraph);
// SAFETY: a graph is not tied to a thread, and none of its calls needs a current context but
// instantiation, which looks (F41). It is not `Sync`: the driver does not order calls on one graph.
unsafe impl Send for Template {}

impl Drop for Template {
    fn drop(&mut self) {
        // SAFETY: this is the only owner of the graph, which was made and not destroyed, and whose
        // capture is over.
        release("cuGraphDestroy", || unsafe { ffi::cuGraphDestroy(self.0) });
    }
}

/// A graph that can run; null once it is lost. (An `Option` would have the compiler's messages lead through the
/// sources of `core`.)
pub(super) struct Exec(CUgraphExec);
// SAFETY: as for `Template`: launched and destroyed whatever is current (F41), by one thread at a time.
unsafe impl Send for Exec {}

impl Exec {
    /// The handle, unless the graph is lost.
    pub(super) fn raw(&self) -> Option<CUgraphExec> {
        (!self.0.is_null()).then_some(self.0)
    }

    /// Destroys it: an update failed, which may have changed a part of it.
    pub(super) fn lose(&mut self) {
        *self = Exec(ptr::null_mut());
    }

    /// Makes a graph ready to run.
    ///
    /// # Errors
    /// `NotCurrent`; what the driver answers.
    pub(super) fn new(gpu: &PushedGuard<'_>, template: &Template) -> Result<Exec> {
        const CALL: &str = "cuGraphInstantiateWithFlags";
        gpu.enter(CALL)?;
        let mut raw = ptr::null_mut();
        // SAFETY: writes one handle to `raw`, which is valid for it; the graph is alive, and so are the
        // memory and the code that it names. The current context is the guard's, as `enter` found.
        // Captures do not refuse it (F141).
        let make = || unsafe { ffi::cuGraphInstantiateWithFlags(&raw mut raw, template.0, 0) };
        check(CALL, relaxed(make))?;
        Ok(Exec(raw))
    }
}

impl Drop for Exec {
    fn drop(&mut self) {
        let Some(raw) = self.raw() else { return };
        // SAFETY: this is the only owner of the handle, which was made and not destroyed. Nothing runs it:
        // replays borrow it until they are waited for. Captures do not refuse it (F141).
        release("cuGraphExecDestroy", || relaxed(|| unsafe { ffi::cuGraphExecDestroy(raw) }));
    }
}
