//! The operations of a capture: copies between buffers, fills, launches.
#![allow(unsafe_code, reason = "captures launches and events")]

use super::capture::Record;
use super::kept::{Kept, User};
use super::no_host_memory;
use crate::args::KernelArgs;
use crate::args::sealed::Operands;
use crate::brand::tied_to_one_thread;
use crate::call::{answer, name, same_context};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::kernel::{ArgumentsOf, Launchable, SafeKernel, launches};
use crate::launch::{LaunchSpec, Spec};
use crate::memory::{Element, Fillable, InScope};
use crate::ops::{Launch, Operation};
use crate::scope::{Destination, Order, ScopedStream, Source};
use crate::stream::Stream;
use crate::stream::value::ValueOperation;
use ffi::{CUevent_record_flags, CUevent_wait_flags};
use static_assertions::assert_not_impl_any;
use std::fmt;

/// A stream under capture, from [`Capture::stream`](crate::Capture::stream) or
/// [`Capture::fork`](crate::Capture::fork).
///
/// Its operations become nodes of the graph, in order. As in a scope, the memory that they use orders
/// operations on different streams. There is no operation with buffers in host memory: the graph would use them at each
/// replay ([F149](crate::driver_facts#F149)). If an operation fails, the capture fails.
#[derive(Clone, Copy)]
pub struct CaptureStream<'s, 'ctx> {
    pub(super) scoped: ScopedStream<'s, 'ctx>,
    pub(super) record: &'s Record,
}
tied_to_one_thread! { ['s, 'ctx] CaptureStream<'s, 'ctx>, 's; }
assert_not_impl_any!(CaptureStream<'static, 'static>: Send, Sync);

impl<'s, 'ctx> CaptureStream<'s, 'ctx> {
    #[inline]
    pub(super) fn new(
        context: &'s Context,
        order: &'s Order,
        stream: &'s Stream<'ctx>,
        record: &'s Record,
    ) -> Self {
        CaptureStream { scoped: ScopedStream::new(context, order, stream), record }
    }

    /// Notes memory that the graph writes.
    fn writes<T: Element>(&self, to: &impl Destination<'s, T>) {
        self.record.resources.borrow_mut().uses_memory(User::Captured, &to.target());
    }

    /// Keeps what the graph uses besides memory.
    #[inline]
    pub(super) fn keep(&self, kept: impl IntoIterator<Item = Kept>) {
        self.record.resources.borrow_mut().keep(User::Captured, kept);
    }

    /// Captures a copy from one buffer to another.
    ///
    /// # Errors
    /// [`LengthMismatch`](crate::Error::LengthMismatch); [`ExtentMismatch`](crate::Error::ExtentMismatch);
    /// [`OtherContext`](crate::Error::OtherContext);
    /// `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if something spoiled the capture.
    #[doc(alias = "cuMemcpyDtoDAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    pub fn copy<T: Element>(
        &self,
        from: impl Source<'s, 'ctx, T>,
        to: &mut impl Destination<'s, T>,
    ) -> Result {
        self.record.resources.borrow_mut().uses_memory(User::Captured, &from.access());
        self.writes(to);
        self.record.note(self.scoped.copy(from, to))
    }

    /// Captures setting every element to `value`. Elements must have 1, 2 or 4 bytes: others do not compile.
    ///
    /// # Errors
    /// The errors of [`copy`](Self::copy).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD16Async")]
    #[doc(alias = "cuMemsetD32Async")]
    #[doc(alias = "cuMemsetD2D8Async")]
    #[doc(alias = "cuMemsetD2D16Async")]
    #[doc(alias = "cuMemsetD2D32Async")]
    pub fn fill<T: Fillable>(&self, to: &mut impl Destination<'s, T>, value: T) -> Result {
        self.writes(to);
        self.record.note(self.scoped.fill(to, value))
    }

    /// Captures setting every byte to zero, for elements of any size.
    ///
    /// # Errors
    /// The errors of [`copy`](Self::copy).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD2D8Async")]
    pub fn zero<T: Element>(&self, to: &mut impl Destination<'s, T>) -> Result {
        self.writes(to);
        self.record.note(self.scoped.zero(to))
    }

    /// Captures waits for numbers in host memory and writes of them, as
    /// [`GraphBuilder::value_operations`](crate::graph::GraphBuilder::value_operations) adds them
    /// ([F553](crate::driver_facts#F553)). The graph keeps the numbers' memory.
    ///
    /// # Errors
    /// The errors of [`ScopedStream::value_operations`];
    /// `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if something spoiled the capture.
    #[doc(alias = "cuStreamBatchMemOp")]
    #[inline]
    pub fn value_operations(&self, operations: &[ValueOperation<'s>]) -> Result {
        self.keep(Kept::numbers(operations));
        self.record.note(self.scoped.value_operations(operations))
    }

    /// Captures the record of an event: each replay records it after the work of the stream so far, as
    /// [`GraphBuilder::record`](crate::graph::GraphBuilder::record) does. The graph keeps the event.
    ///
    /// The capture does not record it, so other streams and the host may use the event meanwhile. It orders nothing in the
    /// graph: the memory that the captured operations use does that.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if something spoiled the
    /// capture.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device, graph::EventRecordNode};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let (mut stream, mut x) = (gpu.stream()?, gpu.alloc::<u32>(1 << 16)?);
    /// let (start, end, other) = (gpu.event()?, gpu.event()?, gpu.event()?);
    /// let mut graph = gpu.capture(&mut stream, |c| {
    ///     let (run, mut x) = (c.stream(), c.hold(&mut x));
    ///     run.record(&start)?;
    ///     run.fill(&mut x, 7)?;
    ///     run.record(&end)
    /// })?;
    /// gpu.on(&stream).replay(&graph, &mut x)?;
    /// println!("the fill took {:?}", end.elapsed_since(&start)?);
    /// // The nodes are those of a graph that was built, and can be changed.
    /// let last: EventRecordNode = graph.list_nodes()?[2].try_into().expect("it records the end");
    /// graph.set_event_record(last, &other)?;
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuEventRecordWithFlags")]
    #[doc(alias = "CU_EVENT_RECORD_EXTERNAL")]
    #[inline]
    pub fn record(&self, event: &Event<'ctx>) -> Result {
        const CALL: &str = name!(cuEventRecordWithFlags);
        let record = || {
            same_context(CALL, event.context() == self.scoped.context())?;
            let stream = self.scoped.ready(CALL)?;
            self.keep([Kept::Event(event.inner.clone())]);
            let external = CUevent_record_flags::CU_EVENT_RECORD_EXTERNAL.bits();
            // SAFETY: both handles are alive and of one context, which need not be current (F621), and the graph keeps the
            // event (`graph-owns`). The stream is under capture, so that this is a node.
            unsafe { answer!(cuEventRecordWithFlags(event.raw(), stream, external)) }.result()
        };
        self.record.note(record())
    }

    /// Captures a wait for an event: in each replay, later work of the stream waits for the event's latest record before
    /// the replay, as that of [`GraphBuilder::wait`](crate::graph::GraphBuilder::wait) does. The event may belong to another
    /// context. The graph keeps it.
    ///
    /// You do not need this to order the streams of the capture.
    ///
    /// # Errors
    /// `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if something spoiled the capture.
    #[doc(alias = "cuStreamWaitEvent")]
    #[doc(alias = "CU_EVENT_WAIT_EXTERNAL")]
    #[inline]
    pub fn wait(&self, event: &Event<'_>) -> Result {
        const CALL: &str = name!(cuStreamWaitEvent);
        let wait = || {
            let stream = self.scoped.ready(CALL)?;
            self.keep([Kept::Event(event.inner.clone())]);
            let external = CUevent_wait_flags::CU_EVENT_WAIT_EXTERNAL.bits();
            // SAFETY: both handles are alive, and the graph keeps the event (`graph-owns`). The stream is under capture, so
            // that this is a node. No context need be current.
            unsafe { answer!(cuStreamWaitEvent(stream, event.raw(), external)) }.result()
        };
        self.record.note(wait())
    }

    /// Captures the launch of a kernel whose launches are safe: a `GuardedKernel` or a [`TrustedKernel`](crate::TrustedKernel).
    ///
    /// Plain values among the arguments keep their current values. The graph keeps the kernel's module loaded.
    ///
    /// # Errors
    /// [`LaunchRefused`](crate::Error::LaunchRefused) by the check of a [`TrustedKernel`](crate::TrustedKernel); the errors of
    /// [`launch_unchecked`](Self::launch_unchecked).
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    pub fn launch<
        K: SafeKernel<'ctx>,
        A: KernelArgs<'ctx, InScope<'s>> + ArgumentsOf<K::Signature>,
    >(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        let watch = self.record.resources.borrow().watch().clone();
        self.record.note(
            kernel
                .checked_launch(config, args, &*watch, Ok)
                .and_then(|launch| self.capture(launch)),
        )
    }

    /// Captures the launch of a kernel that nobody vouches for yet.
    ///
    /// Plain values among the arguments keep their current values. The graph keeps the kernel's module loaded.
    ///
    /// # Errors
    /// The errors of [`copy`](Self::copy); `CUDA_ERROR_INVALID_VALUE` for invalid extents
    /// ([F146](crate::driver_facts#F146)); [`Error::InvalidArgument`] for events among the attributes, and for
    /// page-locked memory.
    ///
    /// # Safety
    /// 1. to 3. of [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked), for each replay of the graph.
    ///    Work that is captured on other streams is in flight simultaneously, unless memory that both use orders it.
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    pub unsafe fn launch_unchecked<
        K: Launchable<'ctx>,
        A: KernelArgs<'ctx, InScope<'s>> + ArgumentsOf<K::Signature>,
    >(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        // SAFETY: the caller's obligations 1 to 3, at each replay.
        let launch = unsafe { Launch::new(kernel.inner(), config, args) };
        self.record.note(self.capture(launch))
    }

    fn capture<S: Spec, A: Operands>(&self, launch: Launch<'_, S, A>) -> Result {
        if launch.has_events() {
            let reason = "a captured launch cannot record events: capture the launch without them";
            return Err(Error::InvalidArgument { call: launch.call(), reason: reason.into() });
        }
        no_host_memory(launch.call(), &launch)?;
        {
            let mut resources = self.record.resources.borrow_mut();
            resources.keep(User::Captured, [Kept::Code(launch.function().owner().clone())]);
            launch.uses().with_accesses(|all| {
                all.iter().for_each(|one| resources.uses_memory(User::Captured, one));
            });
        }
        // SAFETY: the memory is borrowed until the capture is over, and each replay lends it again.
        unsafe { self.scoped.run_launch(launch) }
    }
}

impl fmt::Debug for CaptureStream<'_, '_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CaptureStream").field(self.scoped.stream()).finish()
    }
}

launches! {
    ['s, 'ctx] CaptureStream<'s, 'ctx>, 'ctx, InScope<'s>;
}
