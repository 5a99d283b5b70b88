//! Captures: operations that become a graph instead of running.
#![allow(unsafe_code, reason = "calls the driver")]

use super::arena::Arena;
use super::captured_stream::CapturedStream;
use super::raw::Template;
use super::resources::GraphResources;
use super::{CaptureStream, Graph};
use crate::brand::{Brand, tied_to_one_thread};
use crate::call::{Answer, answer, name};
use crate::driver::fork;
use crate::error::{Error, Result};
use crate::memory::{Allocation, Element};
use crate::scope::hold::Key;
use crate::scope::{Holdable, Order, ScopedBuffer};
use crate::stack::PushedGuard;
use crate::stream::Stream;
use ffi::{CU_STREAM_CAPTURE_MODE_RELAXED, CUstream};
use static_assertions::assert_not_impl_any;
use std::cell::RefCell;
use std::{fmt, ptr};

pub(super) const BEGIN: &str = name!(cuStreamBeginCapture_v2);

/// A capture of device work, passed to the closure of [`PushedGuard::capture`]. It lends streams and memory.
pub struct Capture<'s, 'env: 's, 'ctx> {
    gpu: &'env PushedGuard<'ctx>,
    first: CapturedStream<'env, 'ctx>,
    forks: Arena<CapturedStream<'s, 'ctx>>,
    order: Order,
    record: Record,
    scratch: Arena<Allocation>,
    _s: Brand<'s>,
}
tied_to_one_thread! { ['s, 'env, 'ctx] Capture<'s, 'env, 'ctx>, 's; }
assert_not_impl_any!(Capture<'static, 'static, 'static>: Send, Sync);

/// The outcome of a capture.
#[derive(Default)]
pub(super) struct Record {
    pub(super) resources: RefCell<GraphResources>,
    /// The first operation that failed: the graph may lack it.
    failed: RefCell<Option<Error>>,
}

impl Record {
    /// Of a graph with these resources.
    #[inline]
    pub(super) fn of(resources: GraphResources) -> Record {
        Record { resources: RefCell::new(resources), ..Record::default() }
    }

    /// Records the result of an operation of the capture.
    pub(super) fn note<R>(&self, result: Result<R>) -> Result<R> {
        result.inspect_err(|error| {
            self.failed.borrow_mut().get_or_insert_with(|| error.clone());
        })
    }

    /// # Errors
    /// The error of the first operation that failed.
    #[inline]
    pub(super) fn failed(&self) -> Result {
        self.failed.borrow().clone().map_or(Ok(()), Err)
    }
}

/// A stream under capture. Its drop ends the capture, unless it has ended already.
pub(super) struct Captured(CUstream);

impl Captured {
    /// # Errors
    /// A driver error: the capture did not begin.
    #[inline]
    pub(super) fn begin(stream: &Stream<'_>) -> Result<Captured> {
        let mode = CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the stream is alive; no context need be current, as it is no default stream (F148).
        unsafe { answer!(cuStreamBeginCapture_v2(stream.raw(), mode)) }.check()?;
        Ok(Captured(stream.raw()))
    }

    /// # Errors
    /// A driver error: the capture is over and there is no graph.
    #[inline]
    pub(super) fn end(self) -> Result<Template> {
        let stream = self.0;
        std::mem::forget(self);
        end(stream)
    }
}

impl Drop for Captured {
    #[inline]
    fn drop(&mut self) {
        // The graph is destroyed with the returned value. That the capture was invalidated is already known.
        let _abandoned = end(self.0);
    }
}

#[inline]
fn end(stream: CUstream) -> Result<Template> {
    if fork::is_child() {
        Answer::new(name!(cuStreamEndCapture), ffi::CUDA_ERROR_NOT_INITIALIZED).check()?;
    }
    let mut graph = ptr::null_mut();
    // SAFETY: the stream is alive, as `Captured` is made from one that outlives it; writes one handle, or
    // null, to `graph`, which is valid for it.
    let answer = unsafe { answer!(cuStreamEndCapture(stream, &raw mut graph)) };
    let ended = answer.check().map(|()| Template::new(graph));
    if ended.is_err() {
        let mut rest = ptr::null_mut();
        // A refusal ends the capture all the same (F145). If this one did not, the stream would stay unusable:
        // once more.
        // SAFETY: as above.
        let answer = unsafe { answer!(cuStreamEndCapture(stream, &raw mut rest)) };
        if answer.code == ffi::CUDA_SUCCESS {
            drop(Template::new(rest));
        }
    }
    Ok(ended?)
}

/// # Graphs: capture
impl<'ctx> PushedGuard<'ctx> {
    /// Captures device work on a stream: the operations of the closure do not run, but become a [`Graph`],
    /// which is cheap to replay.
    ///
    /// The stream is under capture until this returns, also if the closure fails or panics, and nothing else
    /// uses it meanwhile (invariant [`captured-unused`](crate::soundness#captured-unused)). While buffers live
    /// that were [allocated on it](crate::SyncStream::alloc), the capture uses a new stream with the same
    /// priority and attributes in its place, so that they may be dropped. It does so for a [stream of other
    /// code](Self::stream_from_raw), too.
    ///
    /// The capture is relaxed: everything else that the closure does (allocating, copying on other streams,
    /// loading modules) happens at once and is not captured. Three calls on a context are refused and
    /// invalidate every capture in it, on any thread: [`synchronize`](Self::synchronize)
    /// ([F151](crate::driver_facts#F151)), [`record_event`](Self::record_event) and
    /// [`wait_event`](Self::wait_event) ([F123](crate::driver_facts#F123), [F124](crate::driver_facts#F124)).
    ///
    /// Host memory is never part of a graph. Upload before a replay, and download after it.
    ///
    /// # Errors
    /// The error of the closure, or of the first operation of the capture that failed;
    /// [`OtherContext`](Error::OtherContext); [`NotCurrent`](Error::NotCurrent);
    /// [`InvalidArgument`](Error::InvalidArgument) for a blocking stream in a function of
    /// [`on_driver_log`](crate::diagnostics::on_driver_log) while an operation on the legacy default stream runs;
    /// `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if the capture was invalidated.
    ///
    /// # Examples
    /// ```standalone_crate
    /// # use cuscope::{Context, ContextFlags, ContextStack, Device, LaunchConfig, Result};
    /// # fn main() -> Result {
    /// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// # let saxpy = gpu.load_ptx(include_str!("../../examples/kernels/saxpy.ptx"))?.function("saxpy")?;
    /// let mut stream = gpu.stream()?;
    /// let (mut x, mut y) = (gpu.alloc(64)?, gpu.alloc(64)?);
    /// gpu.on(&stream).fill(&mut x, 1.0_f32)?;
    /// gpu.on(&stream).fill(&mut y, 0.0_f32)?;
    /// let graph = gpu.capture(&mut stream, |c| {
    ///     let (stream, mut y) = (c.stream(), c.hold(&mut y));
    ///     let config = LaunchConfig::for_num_elems(64)?;
    ///     for a in [1.0_f32, 2.0] {
    ///         // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y).
    ///         unsafe { stream.launch_unchecked(&saxpy, config, (64_u32, a, &x, &mut y)) }?;
    ///     }
    ///     Ok(())
    /// })?;
    /// for _ in 0..10 {
    ///     gpu.on(&stream).replay(&graph, (&x, &mut y))?;
    /// }
    /// let mut host = [0.0; 64];
    /// gpu.on(&stream).download(&y, &mut host)?;
    /// assert_eq!(host, [30.0; 64]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuStreamBeginCapture")]
    #[doc(alias = "cuStreamEndCapture")]
    #[doc(alias = "cuGraphInstantiate")]
    #[doc(alias = "cudaStreamBeginCapture")]
    #[doc(alias = "cudaStreamEndCapture")]
    #[doc(alias = "begin_capture")]
    pub fn capture<'env>(
        &'env self,
        stream: &'env mut Stream<'ctx>,
        f: impl for<'s> FnOnce(&'s Capture<'s, 'env, 'ctx>) -> Result,
    ) -> Result<Graph<'ctx>> {
        self.try_capture(stream, f)
    }

    /// [`capture`](Self::capture) for a closure with another error type, as [`try_scope`](Self::try_scope) is for
    /// [`scope`](Self::scope).
    ///
    /// # Errors
    /// The errors of [`capture`](Self::capture).
    pub fn try_capture<'env, E: From<Error>>(
        &'env self,
        stream: &'env mut Stream<'ctx>,
        f: impl for<'s> FnOnce(&'s Capture<'s, 'env, 'ctx>) -> Result<(), E>,
    ) -> Result<Graph<'ctx>, E> {
        let (template, resources) = self.template(stream, f)?;
        Ok(Graph::ready(self, template, resources)?)
    }

    /// Captures a graph that is not yet ready to run, and its resources.
    pub(super) fn template<'env, E: From<Error>>(
        &'env self,
        stream: &'env mut Stream<'ctx>,
        f: impl for<'s> FnOnce(&'s Capture<'s, 'env, 'ctx>) -> Result<(), E>,
    ) -> Result<(Template, GraphResources), E> {
        if stream.context() != self.context() {
            return Err(Error::OtherContext { call: BEGIN }.into());
        }
        let first = CapturedStream::new(BEGIN, self, stream)?;
        let (forks, scratch) = (Arena::new(), Arena::new());
        let (order, record) = (Order::new(self.context()), Record::default());
        let capture = Capture { gpu: self, first, forks, order, record, scratch, _s: Brand::new() };
        let _first = capture.order.index(capture.first.stream().raw(), self.context());
        let captured = Captured::begin(capture.first.stream())?;
        let result = f(&capture);
        // Streams that were drawn in come back, or the capture has no end (F145).
        let others = 1..capture.order.streams();
        let joined = others.into_iter().try_for_each(|from| capture.order.join(0, from));
        let ended = captured.end();
        result?;
        capture.record.failed()?;
        joined?;
        Ok((ended?, capture.record.resources.take().seal()))
    }
}

impl<'s, 'ctx> Capture<'s, '_, 'ctx> {
    /// Returns the stream under capture.
    #[must_use]
    #[inline]
    pub fn stream(&'s self) -> CaptureStream<'s, 'ctx> {
        CaptureStream::new(self.gpu.context(), &self.order, self.first.stream(), &self.record)
    }

    /// Draws another stream into the capture, after the work of the first stream so far, until the end of the
    /// capture.
    ///
    /// Work that is captured on the two streams runs in parallel if it shares no memory that is written.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext); [`NotCurrent`](Error::NotCurrent); a driver error. The capture
    /// then fails.
    #[doc(alias = "cuStreamWaitEvent")]
    #[inline]
    pub fn fork(&'s self, stream: &'s mut Stream<'ctx>) -> Result<CaptureStream<'s, 'ctx>> {
        const CALL: &str = name!(cuStreamWaitEvent);
        if stream.context() != self.gpu.context() {
            return Err(Error::OtherContext { call: CALL });
        }
        let fork = self.record.note(CapturedStream::new(CALL, self.gpu, stream))?;
        let stream = self.forks.add(fork).stream();
        let side = self.order.index(stream.raw(), self.gpu.context());
        self.record.note(self.order.join(side, 0))?;
        Ok(CaptureStream::new(self.gpu.context(), &self.order, stream, &self.record))
    }

    /// Lends a buffer, or a part of one that can be written, to all streams. The graph may read and write it.
    /// Replays pass the whole buffer.
    #[must_use]
    pub fn hold<T: Element, M: Holdable<'ctx, T>>(&'s self, memory: &'s mut M) -> M::Held<'s> {
        memory.hold(Key(()))
    }

    /// Allocates a buffer that belongs to the graph. You do not pass it to replays.
    ///
    /// Its contents are unspecified bytes at first, and later those that the previous replay left.
    ///
    /// # Errors
    /// The errors of [`alloc`](PushedGuard::alloc).
    #[doc(alias = "cuMemAlloc")]
    pub fn scratch<T: Element>(&'s self, len: usize) -> Result<ScopedBuffer<'s, T>> {
        let buffer = self.gpu.alloc::<T>(len)?;
        self.record.resources.borrow_mut().scratch(&buffer.inner);
        Ok(ScopedBuffer::new(self.scratch.add(buffer.inner), buffer.len))
    }
}

impl fmt::Debug for Capture<'_, '_, '_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Capture").field(self.first.of()).finish()
    }
}
