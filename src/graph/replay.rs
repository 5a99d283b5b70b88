//! Replays.
#![allow(unsafe_code, reason = "calls the driver")]

use super::buffers::sealed::Names;
use super::{Graph, GraphBuffers, ScopeGraphBuffers};
use crate::enqueue::same_context;
use crate::error::check;
use crate::scope::order::{OperationUses, Use};
use crate::{Context, Error, OnStream, Queue, Result};
use ffi::CUstream;
use std::panic::resume_unwind;

const CALL: &str = "cuGraphLaunch";

impl Graph<'_> {
    /// Whether it can be replayed in this context on this memory.
    #[inline]
    pub(super) fn accepts(
        &self,
        call: &'static str,
        context: &Context,
        buffers: &impl Names,
    ) -> Result {
        same_context(call, self.context() == context)?;
        let mut look = self.inner.kept.look();
        // A part does not stand for the memory: other parts of it may be in use.
        buffers.each(&mut |name| look.show(name.whole.then_some(name.memory), name.writes));
        look.end().map_err(|named| Error::GraphBuffers { call, captured: self.buffers(), named })
    }

    /// Enqueues it.
    ///
    /// # Safety
    /// 1. The stream is alive and of the graph's context, which need not be current (F41).
    /// 2. Until the stream is past it, the graph is not dropped, and nobody writes the memory that it reads
    ///    or uses the memory that it writes.
    #[inline]
    unsafe fn launch(&self, stream: CUstream) -> Result {
        let exec = self.exec(CALL)?;
        // SAFETY: the graph is alive, and so are the memory and the code that it names, which it keeps
        // (F94, F149). `self` is on one thread. The rest is the caller's obligations 1 and 2.
        Ok(check(CALL, unsafe { ffi::cuGraphLaunch(exec, stream) })?)
    }
}

/// The uses of buffers that are named.
struct UsesOf<'b, B>(&'b B);

impl<B: Names> OperationUses for UsesOf<'_, B> {
    #[inline]
    fn each(&self, mut see: impl FnMut(Use<'_>)) {
        self.0.each(&mut |name| name.used.into_iter().for_each(&mut see));
    }
    #[inline(never)]
    fn with_all<R>(self, f: impl FnOnce(&[Option<Use<'_>>]) -> R) -> R {
        let mut all = Vec::new();
        self.0.each(&mut |name| all.push(name.used));
        f(&all)
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
    #[inline]
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
    #[inline]
    pub fn replay(
        &self,
        graph: &'s Graph<'ctx>,
        buffers: impl ScopeGraphBuffers<'s, 'ctx>,
    ) -> Result {
        graph.accepts(CALL, self.context(), &buffers)?;
        let stream = self.behind(CALL, UsesOf(&buffers))?;
        // SAFETY: 1. The stream is alive, `behind` compared its context, and `accepts` the graph's. 2. The
        // graph and all its buffers, as `accepts` found, are borrowed until the scope has waited, and
        // what other operations of it do with them is ordered; its scratch memory is used by one run at
        // a time (F149).
        unsafe { graph.launch(stream) }?;
        if let Some(calls) = graph.inner.kept.pending() {
            self.keep_call(calls);
        }
        Ok(())
    }
}
