//! Replays.
#![allow(unsafe_code, reason = "calls the driver")]

use super::buffers::sealed::Names;
use super::{Graph, GraphBuffers, ScopeGraphBuffers};
use crate::error::check;
use crate::{Context, Error, OnStream, Queue, Result};
use ffi::CUstream;
use std::panic::resume_unwind;

const CALL: &str = "cuGraphLaunch";

impl Graph<'_> {
    /// Whether it can be replayed in this context on this memory.
    pub(super) fn accepts(
        &self,
        call: &'static str,
        context: &Context,
        buffers: &impl Names,
    ) -> Result {
        if self.context() != context {
            return Err(Error::OtherContext { call });
        }
        let kept = &self.inner.kept;
        // A part does not stand for the memory: other parts of it may be in use.
        let named = kept.is_named(|see| {
            buffers.each(&mut |name| see(name.whole.then_some(name.memory), name.writes));
        });
        let refused = |named| Error::GraphBuffers { call, captured: kept.named(), named };
        named.map_err(refused)
    }

    /// Enqueues it.
    ///
    /// # Safety
    /// 1. The stream is alive and of the graph's context, which need not be current (F41).
    /// 2. Until the stream is past it, the graph is not dropped, and nobody writes the memory that it reads
    ///    or uses the memory that it writes.
    unsafe fn launch(&self, stream: CUstream) -> Result {
        let exec = self.exec(CALL)?;
        // SAFETY: the graph is alive, and so are the memory and the code that it names, which it keeps
        // (F94, F149). `self` is on one thread. The rest is the caller's obligations 1 and 2.
        Ok(check(CALL, unsafe { ffi::cuGraphLaunch(exec, stream) })?)
    }
}

impl<'ctx> OnStream<'_, 'ctx> {
    /// Runs a graph and waits for it. All buffers that it names are named again: `&x` for what it reads,
    /// `&mut y` for what it writes, in any order.
    ///
    /// # Errors
    /// [`GraphBuffers`](Error::GraphBuffers) if these are not the graph's buffers;
    /// [`OtherContext`](Error::OtherContext); a sticky error if a kernel faults (F60).
    ///
    /// # Panics
    /// If a [host function](crate::GraphBuilder::host_function) of the graph does.
    #[doc(alias = "cuGraphLaunch")]
    pub fn replay(&self, graph: &Graph<'ctx>, buffers: impl GraphBuffers<'ctx>) -> Result {
        graph.accepts(CALL, self.context(), &buffers)?;
        // SAFETY: 1. The stream is alive, and `accepts` compared the contexts. 2. The graph and all its
        // buffers, as `accepts` found, are borrowed until the wait below is over, those that it writes
        // exclusively; its scratch memory is used by one run at a time (F149).
        unsafe { graph.launch(self.raw()) }?;
        let waited = self.finish();
        match graph.inner.kept.panic() {
            Some(panic) => resume_unwind(panic),
            None => waited,
        }
    }
}

impl<'s, 'ctx> Queue<'s, 'ctx> {
    /// Runs a graph, behind the earlier uses of its buffers. All that it names are named again: `&held` or
    /// `&buffer` for what it reads, `&mut held` for what it writes, in any order. The graph stays borrowed
    /// until the scope ends.
    ///
    /// # Errors
    /// As [`OnStream::replay`]; [`NotCurrent`](Error::NotCurrent) if queues have to be ordered.
    #[doc(alias = "cuGraphLaunch")]
    pub fn replay(
        &self,
        graph: &'s Graph<'ctx>,
        buffers: impl ScopeGraphBuffers<'s, 'ctx>,
    ) -> Result {
        graph.accepts(CALL, self.context(), &buffers)?;
        let mut uses = Vec::with_capacity(graph.buffers());
        buffers.each(&mut |name| uses.push(name.used));
        let stream = self.behind(CALL, &uses)?;
        // SAFETY: 1. The stream is alive, `behind` compared its context, and `accepts` the graph's. 2. The
        // graph and all its buffers, as `accepts` found, are borrowed until the scope has waited, and
        // what other operations of it do with them is ordered; its scratch memory is used by one run at
        // a time (F149).
        unsafe { graph.launch(stream) }?;
        graph.inner.kept.pending().into_iter().for_each(|calls| self.keep_call(calls));
        Ok(())
    }
}
