//! Graphs that are captured again, or uploaded to the device before their first replay.
#![allow(unsafe_code, reason = "calls the driver")]

use super::difference::Refused;
use super::raw::{Exec, Template};
use super::resources::GraphResources;
use super::{Capture, Graph};
use crate::call::{Answer, answer, name};
use crate::error::{Error, Result};
use crate::stack::PushedGuard;
use crate::stream::{Stream, SyncStream};
use ffi::{
    CU_GRAPH_EXEC_UPDATE_ERROR, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, CUgraphExecUpdateResultInfo,
};
use std::ptr;

/// # Graphs: capture again, upload
impl<'ctx> PushedGuard<'ctx> {
    /// Captures a graph again, with other buffers, values or kernels.
    ///
    /// If the operations are the same, and launches are cooperative or not as before, the driver updates the graph in
    /// place, which is cheaper than creating a new one, and the result is true. Otherwise a new graph replaces it, and
    /// [`Graph::why_replaced`] gives the reason. The graph then uses the new buffers, and no longer keeps the old ones.
    ///
    /// # Errors
    /// The errors of [`capture`](Self::capture); the graph then stays as it was. If the driver fails an update
    /// for another reason than that the graphs differ, the graph is lost: replays return
    /// [`InvalidArgument`](Error::InvalidArgument) until it has been captured again.
    #[doc(alias = "cuGraphExecUpdate")]
    pub fn recapture<'env>(
        &'env self,
        graph: &mut Graph<'ctx>,
        stream: &'env mut Stream<'ctx>,
        f: impl for<'s> FnOnce(&'s Capture<'s, 'env, 'ctx>) -> Result,
    ) -> Result<bool> {
        self.try_recapture(graph, stream, f)
    }

    /// [`recapture`](Self::recapture) for a closure with another error type, as [`try_scope`](Self::try_scope) is for
    /// [`scope`](Self::scope).
    ///
    /// # Errors
    /// The errors of [`recapture`](Self::recapture).
    pub fn try_recapture<'env, E: From<Error>>(
        &'env self,
        graph: &mut Graph<'ctx>,
        stream: &'env mut Stream<'ctx>,
        f: impl for<'s> FnOnce(&'s Capture<'s, 'env, 'ctx>) -> Result<(), E>,
    ) -> Result<bool, E> {
        graph.same_context(self)?;
        let (template, resources) = self.template(stream, f)?;
        Ok(graph.become_new(self, template, resources)?)
    }
}

const CALL: &str = name!(cuGraphExecUpdate_v2);

impl<'ctx> Graph<'ctx> {
    /// # Errors
    /// `OtherContext`
    #[inline]
    pub(super) fn same_context(&self, gpu: &PushedGuard<'ctx>) -> Result {
        let same = self.context() == gpu.context();
        if same { Ok(()) } else { Err(Error::OtherContext { call: CALL }) }
    }

    /// Replaces this graph by another, in place if possible. Returns whether it was in place.
    ///
    /// # Errors
    /// The errors of [`PushedGuard::recapture`].
    #[inline]
    pub(super) fn become_new(
        &mut self,
        gpu: &PushedGuard<'ctx>,
        template: Template,
        resources: GraphResources,
    ) -> Result<bool> {
        self.inner.in_flight.settle_exclusive()?;
        let mut info = CUgraphExecUpdateResultInfo {
            result: CU_GRAPH_EXEC_UPDATE_ERROR,
            errorNode: ptr::null_mut(),
            errorFromNode: ptr::null_mut(),
        };
        // A lost graph has nothing to update, and memory of nodes is not moved in place (F215).
        let fixed = !self.inner.resources.allocates() && !resources.allocates();
        let updated = self.inner.exec.raw().filter(|_| fixed).map(|exec| {
            // SAFETY: both graphs are alive, nothing runs the first one, as it is borrowed exclusively, and
            // the memory and the code that the second one names are kept; `info` is valid for an answer. No
            // context need be current, and captures do not refuse it (F210).
            unsafe { answer!(cuGraphExecUpdate_v2(exec, template.raw(), &raw mut info)) }
        });
        // A graph that cannot be updated is left as it was (F210).
        let refused = match updated {
            None if fixed => Some(Refused::LOST),
            None => Some(Refused::ALLOCATES),
            Some(Answer { code: CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, .. }) => {
                Some(Refused::new(&info))
            }
            Some(answer) => {
                answer.check().inspect_err(|_| self.inner.exec.lose())?;
                None
            }
        };
        if refused.is_some() {
            self.inner.exec = Exec::new(gpu, &template)?;
        }
        let in_place = refused.is_none();
        // Only now: nothing uses the old memory any more.
        (self.inner.template, self.inner.resources) = (template, resources);
        self.inner.refused = refused;
        Ok(in_place)
    }
}

impl<'ctx> SyncStream<'_, 'ctx> {
    /// Uploads a graph to the device and waits, so that its first replay is as fast as the others.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext); [`InvalidArgument`](Error::InvalidArgument) if the graph was
    /// lost; a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuGraphUpload")]
    #[inline]
    pub fn upload_graph(&self, graph: &Graph<'ctx>) -> Result {
        const CALL: &str = name!(cuGraphUpload);
        if graph.context() != self.context() {
            return Err(Error::OtherContext { call: CALL });
        }
        let exec = graph.exec(CALL)?;
        // SAFETY: both handles are alive and of one context, which need not be current (F211); the graph is
        // borrowed until the wait below is over.
        self.complete(unsafe { answer!(cuGraphUpload(exec, self.raw())) }.result())
    }
}
