//! Replays of graphs.
#![allow(unsafe_code, reason = "calls the driver")]

use super::buffers::sealed::Names;
use super::{Graph, GraphBuffers};
use crate::call::{answer, name, same_context};
use crate::error::{Error, Result};
use crate::memory::InScope;
use crate::memory::access::Access;
use crate::memory::home::Home;
use crate::scope::ScopedStream;
use crate::stream::SyncStream;
use ffi::CUstream;
use std::panic::resume_unwind;
use std::sync::Arc;

const CALL: &str = name!(cuGraphLaunch);

impl Graph<'_> {
    /// Checks that it can be replayed in the context with this [key](crate::Context::key) on this memory.
    #[inline]
    pub(super) fn accepts(&self, call: &'static str, key: usize, buffers: &impl Names) -> Result {
        same_context(call, self.context().key() == key)?;
        if self.names_only(buffers) { Ok(()) } else { self.names_all(call, buffers) }
    }

    /// Checks that another graph of the context with this key can have a copy of it, on this memory. Returns the accesses.
    pub(super) fn uses_as_child<'b>(
        &self,
        call: &'static str,
        key: usize,
        buffers: &'b impl Names,
    ) -> Result<Vec<Access<'b>>> {
        self.accepts(call, key, buffers)?;
        self.inner.resources.copyable(call)?;
        let mut uses = Vec::with_capacity(self.buffers());
        buffers.each(&mut |access| uses.push(access));
        Ok(uses)
    }

    /// Returns whether the graph uses one piece of memory, and that is the one that is passed.
    #[inline]
    fn names_only(&self, buffers: &impl Names) -> bool {
        let resources = &self.inner.resources;
        let only = |access: Access<'_>| {
            access.whole().is_some_and(|address| resources.is_only(address, access.writes))
        };
        buffers.only().is_some_and(only)
    }

    fn names_all(&self, call: &'static str, buffers: &impl Names) -> Result {
        let mut check = self.inner.resources.check();
        // A part does not stand for the memory: other parts of it may be in use.
        buffers.each(&mut |access| check.show(access.whole(), access.writes));
        check.end().map_err(|named| Error::GraphBuffers { call, captured: self.buffers(), named })
    }

    /// Enqueues the graph.
    ///
    /// # Safety
    /// 1. The stream is alive and belongs to the graph's context, which need not be current
    ///    ([F41](crate::driver_facts#F41)).
    /// 2. Until the stream has passed it, the graph is not dropped, and nobody writes the memory that it reads
    ///    or uses the memory that it writes.
    #[inline]
    unsafe fn launch(&self, stream: CUstream) -> Result {
        let exec = self.exec(CALL)?;
        // SAFETY: the graph is alive, and so are the memory and the code that it names, which it keeps
        // (F94, F149). `self` is on one thread. The rest is the caller's obligations 1 and 2.
        unsafe { answer!(cuGraphLaunch(exec, stream)) }.result()
    }

    /// Enqueues the graph in a stream that its memory belongs to.
    pub(crate) fn replay_in(&self, home: &Arc<Home>, buffers: &impl Names) -> Result {
        self.accepts(CALL, home.context().key(), buffers)?;
        let mut admitted = Ok(());
        buffers.each(&mut |access| {
            if admitted.is_ok() {
                admitted = access.admit(CALL, home);
            }
        });
        admitted?;
        // First, since an error does not prove that nothing was enqueued.
        self.inner.in_flight.note(home);
        home.watch().also(self.inner.resources.watch());
        // SAFETY: 1. The stream is alive, and `accepts` compared the contexts. 2. The graph waits for the stream before
        // it changes or ends. All its buffers, as `accepts` found, belong to the stream, so that all other uses come
        // before or behind (`ordered-apart`); its scratch memory is used by one run at a time (F149).
        unsafe { self.launch(home.raw()) }
    }

    /// Returns whether no [ordered stream](crate::OrderedStream) that replayed the graph has work left. Changes
    /// then wait for nothing, and neither does a replay elsewhere. This does not tell of replays in a scope, which
    /// ends after them.
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamQuery")]
    #[inline]
    pub fn is_idle(&self) -> Result<bool> {
        let over = self.inner.in_flight.is_over()?;
        if over {
            self.inner.resources.watch().look()?;
        }
        Ok(over)
    }

    /// Waits for all work in the ordered streams that replayed the graph.
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamSynchronize")]
    #[inline]
    pub fn wait_idle(&self) -> Result {
        self.inner.in_flight.settle()?;
        self.inner.resources.watch().look()
    }

    /// Continues the panic of a host function after the wait for a replay.
    #[inline]
    fn replayed(&self, waited: Result) -> Result {
        match self.inner.resources.panic() {
            Some(panic) => resume_unwind(panic),
            None => waited,
        }
    }
}

impl<'ctx> SyncStream<'_, 'ctx> {
    /// Runs a graph and waits for it.
    ///
    /// Pass every buffer that the graph uses, in any order: `&x` if the graph reads it, `&mut y` if the graph
    /// writes it. `&mut x` will do for both.
    ///
    /// # Errors
    /// [`GraphBuffers`](Error::GraphBuffers) if these are not the graph's buffers;
    /// [`OtherContext`](Error::OtherContext); a sticky error if a kernel faults
    /// ([F60](crate::driver_facts#F60)).
    ///
    /// # Panics
    /// If a [host function](crate::GraphBuilder::host_function) of the graph panics.
    #[doc(alias = "cuGraphLaunch")]
    #[doc(alias = "cudaGraphLaunch")]
    #[inline]
    pub fn replay(&self, graph: &Graph<'ctx>, buffers: impl GraphBuffers<'ctx>) -> Result {
        graph.accepts(CALL, self.context().key(), &buffers)?;
        // SAFETY: 1. The stream is alive, and `accepts` compared the contexts. 2. The graph and all its
        // buffers, as `accepts` found, are borrowed until the wait below is over, those that it writes
        // exclusively; its scratch memory is used by one run at a time (F149).
        if let Err(error) = unsafe { graph.launch(self.raw()) } {
            return self.not_replayed(graph, error);
        }
        graph.replayed(self.complete(Ok(()))).and_then(|()| graph.inner.resources.watch().look())
    }

    /// Runs a graph without waiting: one driver call. See [`replay`](Self::replay).
    ///
    /// # Errors
    /// The errors of [`replay`](Self::replay). A later call reports a fault of a kernel, and the panic of a function of the
    /// host continues in a later replay that waits.
    ///
    /// # Safety
    /// 1. Until the stream has been synchronized, also if this call fails, the graph is neither changed nor dropped, and
    ///    nothing else writes the memory that it reads, or uses what it writes. None of this is dropped (a leak is fine).
    #[doc(alias = "cuGraphLaunch")]
    #[inline]
    pub unsafe fn replay_unscoped(
        &self,
        graph: &Graph<'ctx>,
        buffers: impl GraphBuffers<'ctx>,
    ) -> Result {
        graph.accepts(CALL, self.context().key(), &buffers)?;
        // SAFETY: 1. The stream is alive, and `accepts` compared the contexts. 2. The caller's obligation 1; the graph's
        // scratch memory is used by one run at a time (F149).
        unsafe { graph.launch(self.raw()) }
    }

    /// Ends a [`replay`](Self::replay) whose launch failed: the graph may run all the same.
    #[cold]
    #[inline]
    fn not_replayed(&self, graph: &Graph<'ctx>, error: Error) -> Result {
        graph.replayed(self.complete(Err(error)))
    }
}

impl<'s, 'ctx> ScopedStream<'s, 'ctx> {
    /// Runs a graph, after the earlier uses of its buffers.
    ///
    /// Pass every buffer that the graph uses, in any order: `&held` or `&buffer` if the graph reads it,
    /// `&mut held` if the graph writes it, which will do for both. The graph stays borrowed until the scope ends. You may replay it again, in
    /// any stream of the scope: it waits for the replay before. If it must not wait, use
    /// [`replay_alone`](Self::replay_alone).
    ///
    /// # Errors
    /// The errors of [`SyncStream::replay`].
    #[doc(alias = "cuGraphLaunch")]
    #[inline]
    pub fn replay(
        &self,
        graph: &'s Graph<'ctx>,
        buffers: impl GraphBuffers<'ctx, InScope<'s>>,
    ) -> Result {
        // The memory is then the graph's, and so belongs to its context.
        let ready = graph.context().key() == self.fast_path.key()
            && graph.names_only(&buffers)
            && buffers.only().is_some_and(|access| access.is_ready(self.fast_path));
        if !ready {
            self.prepare_replay(graph, buffers)?;
        }
        // Whatever the launch returns, the functions may be called.
        self.watch().also(graph.inner.resources.watch());
        if let Some(calls) = graph.inner.resources.pending() {
            self.keep_call(calls);
        }
        // SAFETY: 1. The stream is alive. The contexts of it, the graph and the memory were compared. 2. The
        // graph and all its buffers, as was found, are borrowed until the scope has waited, and what other
        // operations of it do with them is ordered; its scratch memory is used by one run at a time (F149).
        unsafe { graph.launch(self.raw) }
    }

    /// [Replays](Self::replay) a graph that the scope does not replay again.
    ///
    /// The replays of one graph run one after the other, in whichever streams. This one borrows the graph exclusively,
    /// so that a second replay, which would wait for this one, does not compile.
    ///
    /// # Errors
    /// The errors of [`SyncStream::replay`].
    #[doc(alias = "cuGraphLaunch")]
    #[inline]
    pub fn replay_alone(
        &self,
        graph: &'s mut Graph<'ctx>,
        buffers: impl GraphBuffers<'ctx, InScope<'s>>,
    ) -> Result {
        self.replay(graph, buffers)
    }

    /// Checks the memory that is passed for the graph, and orders the replay after its earlier uses.
    #[inline(never)]
    fn prepare_replay(self, graph: &Graph<'ctx>, buffers: impl Names) -> Result {
        graph.accepts(CALL, self.context().key(), &buffers)?;
        if !self.fast_path.is_open() {
            let mut uses = Vec::with_capacity(graph.buffers());
            buffers.each(&mut |access| uses.push(access));
            return self.prepare(CALL, &uses);
        }
        let mut noted = Ok(());
        buffers.each(&mut |access| {
            if noted.is_ok() && !access.is_ready(self.fast_path) {
                noted = self.prepare(CALL, &[access]);
            }
        });
        noted
    }
}
