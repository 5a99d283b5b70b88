//! Streams inside a scope.
#![allow(unsafe_code, reason = "calls the driver")]

use super::order::Order;
use crate::brand::{Brand, tied_to_one_thread};
use crate::call::{Answer, answer, name, same_context};
use crate::context::Context;
use crate::error::Result;
use crate::event::Event;
use crate::memory::access::Access;
use crate::memory::uses::FastPath;
use crate::memory::watch::Watch;
use crate::stream::Stream;
use crate::stream::blocking::{RECORD, record_refused};
use crate::stream::host_function::Pending;
use crate::stream::value::{self, ValueOperation};
use ffi::CUstream;
use static_assertions::assert_not_impl_any;
use std::fmt;

/// A stream inside a scope, from [`Scope::on`](crate::Scope::on).
///
/// Its operations return at once and run in order. The memory that they use orders operations on different
/// streams. A function that enqueues work takes the stream as one argument, `stream: ScopedStream<'s, 'ctx>`,
/// and buffers as `&ScopedBuffer<'s, T>` or `&mut ScopedBuffer<'s, T>`.
#[derive(Clone, Copy)]
pub struct ScopedStream<'s, 'ctx> {
    /// The context of everything that an operation uses.
    context: &'s Context,
    pub(super) order: &'s Order,
    /// The key that operations compare. Shut for a stream of another context.
    pub(crate) fast_path: &'s FastPath,
    stream: &'s Stream<'ctx>,
    /// The stream's handle.
    pub(crate) raw: CUstream,
    /// The stream's index in the order.
    pub(super) index: usize,
    _s: Brand<'s>,
}
tied_to_one_thread! { ['s, 'ctx] ScopedStream<'s, 'ctx>, 's; }
assert_not_impl_any!(ScopedStream<'static, 'static>: Send, Sync);

impl<'s, 'ctx> ScopedStream<'s, 'ctx> {
    #[inline]
    pub(crate) fn new(context: &'s Context, order: &'s Order, stream: &'s Stream<'ctx>) -> Self {
        let (raw, _s) = (stream.raw(), Brand::new());
        let (fast_path, index) = if stream.context() == context {
            // In this order: a second stream closes the fast path.
            let index = order.index(raw, context);
            (order.fast_path(), index)
        } else {
            // Coinciding brands let it through. Its operations are refused.
            (order.shut(), 0)
        };
        ScopedStream { context, order, fast_path, stream, raw, index, _s }
    }

    /// Creates a stream of another context than the scope's, which is `own`.
    #[inline]
    pub(super) fn of_peer(own: &Context, order: &'s Order, stream: &'s Stream<'ctx>) -> Self {
        order.shut_fast_path(own);
        let (context, raw, fast_path) = (stream.context(), stream.raw(), order.shut());
        let index = order.index(raw, context);
        ScopedStream { context, order, fast_path, stream, raw, index, _s: Brand::new() }
    }

    /// Compares the contexts of an operation's memory, orders the operation after the earlier uses, and notes
    /// it, unless they differ. The caller enqueues it at once. Not needed if the fast path is open for the operation.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); the errors of [`Order::prepare`].
    #[cold]
    #[inline]
    pub(crate) fn prepare(self, call: &'static str, accesses: &[Access<'_>]) -> Result {
        let own = self.context();
        let same = |access: &Access<'_>| access.is_of(own.key());
        same_context(call, self.stream.context() == own && accesses.iter().all(same))?;
        self.order.prepare(self.index, accesses)
    }

    /// Returns the stream, for an operation that uses no memory.
    ///
    /// # Errors
    /// The errors of [`prepare`](Self::prepare).
    #[inline]
    pub(crate) fn ready(&self, call: &'static str) -> Result<CUstream> {
        if !self.fast_path.is_open() {
            self.prepare(call, &[])?;
        }
        Ok(self.raw)
    }

    /// Notes that host memory is lent to the scope.
    #[inline]
    pub(super) fn lend_host(&self) {
        self.order.lend_host();
    }

    /// Returns where guarded kernels of the scope note failures.
    #[inline]
    pub(crate) fn watch(&self) -> &Watch {
        self.order.watch()
    }

    /// Keeps a host function until the scope is closed.
    #[inline]
    pub(crate) fn keep_call(&self, call: Box<dyn Pending>) {
        self.order.keep_call(call);
    }

    /// Returns the context of everything that an operation uses.
    #[inline]
    pub(crate) fn context(&self) -> &'s Context {
        self.context
    }

    /// Returns the stream.
    #[must_use]
    #[inline]
    pub fn stream(&self) -> &'s Stream<'ctx> {
        self.stream
    }

    /// Records an event after the work in the stream.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuEventRecord")]
    #[doc(alias = "cudaEventRecord")]
    #[inline]
    pub fn record(&self, event: &Event<'ctx>) -> Result {
        let stream = self.ready(RECORD)?;
        // SAFETY: both handles are alive, and no context need be current. The driver refuses an event of
        // another context (F36).
        match unsafe { answer!(cuEventRecord(event.raw(), stream)) } {
            Answer { code: ffi::CUDA_SUCCESS, .. } => Ok(()),
            Answer { call, code } => record_refused(call, code, event, self.context().key()),
        }
    }

    /// Makes later work in the stream wait for an event, which may belong to another context
    /// ([F36](crate::driver_facts#F36)). You do not need this to order the streams of one scope.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext) for the stream; a sticky error
    /// ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamWaitEvent")]
    #[doc(alias = "cudaStreamWaitEvent")]
    #[inline]
    pub fn wait(&self, event: &Event<'_>) -> Result {
        let stream = self.ready(name!(cuStreamWaitEvent))?;
        // SAFETY: both handles are alive, and no context need be current.
        unsafe { answer!(cuStreamWaitEvent(stream, event.raw(), 0)) }.result()
    }

    /// Enqueues operations on numbers in host memory: waits for them, and writes. They are made in this order, at most 255
    /// of them ([F622](crate::driver_facts#F622)).
    ///
    /// They order no buffers: what a scope holds is ordered by its uses. A wait that nobody ends holds the scope for ever.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for more operations; `CUDA_ERROR_NOT_SUPPORTED` for an operation that the device does not
    /// have (some have no numbers of 64 bits, or no [`Until::Nor`](crate::stream::Until::Nor)); [`OtherContext`](crate::Error::OtherContext); a sticky error
    /// ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamBatchMemOp")]
    #[doc(alias = "cuStreamWaitValue32")]
    #[doc(alias = "cuStreamWaitValue64")]
    #[doc(alias = "cuStreamWriteValue32")]
    #[doc(alias = "cuStreamWriteValue64")]
    #[inline]
    pub fn value_operations(&self, operations: &[ValueOperation<'s>]) -> Result {
        const CALL: &str = name!(cuStreamBatchMemOp_v2);
        let count = value::count(CALL, self.context().key(), operations)?;
        let stream = self.ready(CALL)?;
        let mut all: Vec<_> = operations.iter().map(ValueOperation::raw).collect();
        if all.is_empty() {
            return Ok(());
        }
        self.lend_host();
        let all = all.as_mut_ptr();
        // SAFETY: as many operations, which are copied. The numbers are borrowed until the scope has waited, and used
        // atomically alone. The stream is alive.
        unsafe { answer!(cuStreamBatchMemOp_v2(stream, count, all, 0)) }
            .explain(|code| value::unsupported(self.context().device(), operations, code))
    }

    /// Returns whether all work in the stream is complete.
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamQuery")]
    #[inline]
    pub fn query(&self) -> Result<bool> {
        let idle = self.stream.query()?;
        if idle {
            self.watch().look()?;
        }
        Ok(idle)
    }

    /// Blocks until all work in the stream is complete. The scope does this at its end.
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamSynchronize")]
    #[inline]
    pub fn synchronize(&self) -> Result {
        self.stream.synchronize()?;
        self.watch().look()
    }
}

impl fmt::Debug for ScopedStream<'_, '_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ScopedStream").field(self.stream).finish()
    }
}
