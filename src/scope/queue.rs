//! Queues: streams inside a scope.
#![allow(unsafe_code, reason = "calls the driver")]

use super::order::{OperationUses, Order};
use crate::brand::Brand;
use crate::enqueue::same_context;
use crate::error::check;
use crate::host_function::Pending;
use crate::memory::Allocation;
use crate::stream::StreamInner;
use crate::{Context, Error, Event, PushedGuard, Result, Stream};
use ffi::CUstream;
use static_assertions::assert_not_impl_any;
use std::fmt;

/// A stream inside a scope: [`Scope::on`](crate::Scope::on). Its operations return at once and run in
/// order; across queues the order is that of the memory they use.
///
/// A function that enqueues takes it as its one argument, `q: Queue<'s, 'ctx>`, and buffers as
/// `&Held<'s, T>` or `&mut Held<'s, T>`.
#[derive(Clone, Copy)]
pub struct Queue<'s, 'ctx> {
    gpu: &'s PushedGuard<'ctx>,
    order: &'s Order,
    stream: &'s Stream<'ctx>,
    inner: &'s StreamInner,
    /// None for a stream of another context, which brands that coincide let through.
    index: Option<usize>,
    _s: Brand<'s>,
}
assert_not_impl_any!(Queue<'static, 'static>: Send, Sync);

impl<'s, 'ctx> Queue<'s, 'ctx> {
    pub(crate) fn new(
        gpu: &'s PushedGuard<'ctx>,
        order: &'s Order,
        stream: &'s Stream<'ctx>,
    ) -> Self {
        let own = stream.context() == gpu.context();
        let index = own.then(|| order.queue(stream.raw()));
        Queue { gpu, order, stream, inner: &stream.inner, index, _s: Brand::new() }
    }

    /// Whether what an operation uses is of the scope's context.
    #[inline]
    pub(crate) fn same(&self, call: &'static str, memory: &Allocation) -> Result {
        same_context(call, memory.is_of(self.gpu.context()))
    }

    /// The stream, ordered behind the earlier uses of an operation's memory: the caller enqueues the
    /// operation at once.
    #[inline]
    pub(crate) fn behind(&self, call: &'static str, uses: impl OperationUses) -> Result<CUstream> {
        let Some(index) = self.index else { return Err(Error::OtherContext { call }) };
        self.order.prepare(self.gpu, index, uses)?;
        Ok(self.inner.raw)
    }

    /// Keeps a host function until the scope is closed.
    pub(crate) fn keep_call(&self, call: Box<dyn Pending>) {
        self.order.keep_call(call);
    }

    /// The context of whatever an operation uses.
    #[inline]
    pub(crate) fn context(&self) -> &'s Context {
        self.gpu.context()
    }

    /// The stream.
    #[must_use]
    #[inline]
    pub fn stream(&self) -> &'s Stream<'ctx> {
        self.stream
    }

    /// Records an event behind what the queue holds.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext); a sticky error (F60).
    #[doc(alias = "cuEventRecord")]
    #[inline]
    pub fn record(&self, event: &Event<'ctx>) -> Result {
        const CALL: &str = "cuEventRecord";
        same_context(CALL, event.context() == self.context())?;
        let stream = self.behind(CALL, [])?;
        // SAFETY: both handles are alive and of one context (F36), which need not be current.
        Ok(check(CALL, unsafe { ffi::cuEventRecord(event.raw(), stream) })?)
    }

    /// Makes what comes next in the queue wait for an event, which may be of another context (F36). For
    /// order between queues of one scope there is no need to.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext) for a queue; a sticky error (F60).
    #[doc(alias = "cuStreamWaitEvent")]
    #[inline]
    pub fn wait(&self, event: &Event<'_>) -> Result {
        const CALL: &str = "cuStreamWaitEvent";
        let stream = self.behind(CALL, [])?;
        // SAFETY: both handles are alive, and no context need be current.
        Ok(check(CALL, unsafe { ffi::cuStreamWaitEvent(stream, event.raw(), 0) })?)
    }

    /// Whether everything in the queue is finished.
    ///
    /// # Errors
    /// A sticky error (F60).
    #[doc(alias = "cuStreamQuery")]
    #[inline]
    pub fn query(&self) -> Result<bool> {
        self.stream.query()
    }

    /// Blocks until everything in the queue is finished. The scope does that at its end.
    ///
    /// # Errors
    /// A sticky error (F60).
    #[doc(alias = "cuStreamSynchronize")]
    pub fn synchronize(&self) -> Result {
        self.stream.synchronize()
    }
}

impl fmt::Debug for Queue<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Queue").field(self.stream).finish()
    }
}
