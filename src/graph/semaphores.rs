//! Nodes that signal semaphores of other interfaces and wait for them.
#![allow(unsafe_code, reason = "calls the driver")]

use super::GraphBuilder;
use super::kept::Kept;
use super::node::{NodeId, SemaphoreSignalNode, SemaphoreWaitNode};
use super::stream::CaptureStream;
use crate::call::{answer, name};
use crate::error::Result;
use crate::external::{ExternalSemaphore, Signals, Waits};
use crate::ops::Slot;

/// # Semaphores of other interfaces
impl<'ctx> GraphBuilder<'_, '_, 'ctx> {
    /// Adds a node that signals [semaphores](ExternalSemaphore), each with a value, at each replay.
    ///
    /// The graph keeps the semaphores. A timeline semaphore takes increasing values only:
    /// [`Graph::set_signals`](super::Graph::set_signals) changes them between replays.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); [`InvalidArgument`](crate::Error::InvalidArgument) for a node of
    /// another graph.
    #[doc(alias = "cuGraphAddExternalSemaphoresSignalNode")]
    #[inline]
    pub fn signal_semaphores(
        &self,
        after: &[NodeId],
        signals: &[(&ExternalSemaphore<'ctx>, u64)],
    ) -> Result<SemaphoreSignalNode> {
        const CALL: &str = name!(cuGraphAddExternalSemaphoresSignalNode);
        let add = || {
            let raw = Signals::new(CALL, self.gpu.context().key(), signals)?;
            let before = self.behind(CALL, after, &[])?;
            if raw.is_empty() {
                return self.add_empty(&before);
            }
            self.keep(Kept::semaphores(signals));
            self.add(&before, |Slot { node, graph, before, count }| {
                let params = raw.of_node();
                let params = &raw const params;
                // SAFETY: the graph is alive as long as its builder, the nodes before are of it, and the new one is written
                // to a place that is valid for it. The parameters are copied, and the graph keeps the semaphores
                // (`graph-owns`).
                unsafe {
                    answer!(cuGraphAddExternalSemaphoresSignalNode(
                        node, graph, before, count, params
                    ))
                }
            })
        };
        self.record.note(add())
    }

    /// Adds a node that waits for [semaphores](ExternalSemaphore), each for a value, at each replay.
    ///
    /// The graph keeps the semaphores. [`Graph::set_waits`](super::Graph::set_waits) changes the values between replays. A replay that waits for
    /// what nobody signals never ends, nor does what waits for it.
    ///
    /// # Errors
    /// The errors of [`signal_semaphores`](Self::signal_semaphores).
    #[doc(alias = "cuGraphAddExternalSemaphoresWaitNode")]
    #[inline]
    pub fn wait_semaphores(
        &self,
        after: &[NodeId],
        waits: &[(&ExternalSemaphore<'ctx>, u64)],
    ) -> Result<SemaphoreWaitNode> {
        const CALL: &str = name!(cuGraphAddExternalSemaphoresWaitNode);
        let add = || {
            let raw = Waits::new(CALL, self.gpu.context().key(), waits)?;
            let before = self.behind(CALL, after, &[])?;
            if raw.is_empty() {
                return self.add_empty(&before);
            }
            self.keep(Kept::semaphores(waits));
            self.add(&before, |Slot { node, graph, before, count }| {
                let params = raw.of_node();
                let params = &raw const params;
                // SAFETY: as in `signal_semaphores`.
                unsafe {
                    answer!(cuGraphAddExternalSemaphoresWaitNode(
                        node, graph, before, count, params
                    ))
                }
            })
        };
        self.record.note(add())
    }
}

/// # Semaphores of other interfaces
impl<'ctx> CaptureStream<'_, 'ctx> {
    /// Captures signals of [semaphores](ExternalSemaphore), each with a value. The graph keeps the semaphores.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if something spoiled the
    /// capture.
    #[doc(alias = "cuSignalExternalSemaphoresAsync")]
    #[inline]
    pub fn signal_semaphores(&self, signals: &[(&ExternalSemaphore<'ctx>, u64)]) -> Result {
        self.keep(Kept::semaphores(signals));
        // SAFETY: 1. The graph keeps the semaphores (`graph-owns`).
        self.record.note(unsafe { self.scoped.signal_kept(signals) })
    }

    /// Captures waits for [semaphores](ExternalSemaphore), each for a value. The graph keeps the semaphores.
    ///
    /// # Errors
    /// The errors of [`signal_semaphores`](Self::signal_semaphores).
    #[doc(alias = "cuWaitExternalSemaphoresAsync")]
    #[inline]
    pub fn wait_semaphores(&self, waits: &[(&ExternalSemaphore<'ctx>, u64)]) -> Result {
        self.keep(Kept::semaphores(waits));
        // SAFETY: 1. The graph keeps the semaphores (`graph-owns`).
        self.record.note(unsafe { self.scoped.wait_kept(waits) })
    }
}
