//! Captures that are values, and graphs of other code.
#![allow(unsafe_code, reason = "captures launches, and says that an open capture may be sent")]

use super::capture::{BEGIN, Captured, Record};
use super::captured_stream::alike;
use super::kept::{Kept, User};
use super::raw::Template;
use super::resources::GraphResources;
use super::{Graph, no_host_memory};
use crate::args::KernelArgs;
use crate::args::sealed::Operands;
use crate::call::{name, same_context};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::kernel::{ArgumentsOf, Launchable, SafeKernel, launches};
use crate::launch::{LaunchSpec, Spec};
use crate::memory::{DeviceMemory, DeviceMemoryMut, Element, Fillable, InCall};
use crate::ops::{Copy, Fill, Launch, Operation};
use crate::stack::PushedGuard;
use crate::stream::Stream;
use crate::stream::blocking::Blocking;
use crate::stream::unscoped::Pointers;
use ffi::{CUgraph, CUstream};
use static_assertions::assert_impl_all;
use std::ffi::c_void;
use std::fmt;
use std::sync::{Arc, Mutex};

/// A capture that is a value: it begins in one function and ends in another, perhaps on another thread. For a server that
/// receives the work of a graph in several messages.
///
/// [`PushedGuard::open_capture`] begins it. [`on`](Self::on) returns its stream under a guard, and what is enqueued there
/// becomes a node of the graph, in order. [`finish`](Self::finish) ends it and returns the graph. If it is dropped before,
/// there is no graph.
///
/// The capture has a stream of its own, so that nothing else can use the stream under capture (invariant
/// [`captured-unused`](crate::soundness#captured-unused)). Buffers that its operations use are not borrowed: the graph owns
/// a share of them and each replay passes them, as for [`PushedGuard::capture`]. Memory that is passed by its address, as a
/// [`DeviceRange`](crate::memory::DeviceRange) or in [`launch_raw`](OpenCaptureStream::launch_raw), is not passed to
/// replays.
///
/// Where the work fits into one closure, use [`PushedGuard::capture`], which also captures work on several streams.
///
/// # Examples
/// ```
/// use cuscope::{Context, Device, Result, graph::OpenCapture};
///
/// # fn main() -> Result {
/// let context = Context::primary(Device::get(0)?)?;
/// let (stream, mut x, mut y) = context.with(|gpu| {
///     Ok((gpu.stream()?.detach(), gpu.alloc::<u32>(4)?.detach(), gpu.alloc::<u32>(4)?.detach()))
/// })?;
/// // The first message
/// let capture: OpenCapture = context.with(|gpu| gpu.open_capture(gpu.bind(&stream)?))?;
/// // More messages
/// context.with(|gpu| capture.on(gpu)?.fill(gpu.bind_mut(&mut x)?, 7))?;
/// context.with(|gpu| capture.on(gpu)?.copy(gpu.bind(&x)?, gpu.bind_mut(&mut y)?))?;
/// // The last one
/// let graph = context.with(|gpu| Ok(capture.finish(gpu)?.detach()))?;
///
/// context.with(|gpu| {
///     let (stream, graph) = (gpu.bind(&stream)?, gpu.bind(&graph)?);
///     gpu.on(stream).replay(graph, (gpu.bind_mut(&mut x)?, gpu.bind_mut(&mut y)?))?;
///     assert_eq!(gpu.on(stream).to_vec(gpu.bind(&y)?)?, [7; 4]);
///     Ok(())
/// })
/// # }
/// ```
#[must_use = "a capture that is dropped makes no graph"]
pub struct OpenCapture {
    /// Before the stream, which outlives the capture.
    captured: Captured,
    stream: Stream<'static>,
    record: Record,
}
assert_impl_all!(Record: Send);
// SAFETY: a relaxed capture is not tied to a thread: any may enqueue in its stream, and end it (F145). The handle in
// `captured` is that of the stream, which may be sent. The record may be sent, too.
unsafe impl Send for OpenCapture {}
assert_impl_all!(OpenCapture: Send);

/// # Graphs: captures as values
impl<'ctx> PushedGuard<'ctx> {
    /// Begins a capture that is a value, on a stream of its own with the priority and the attributes of `like`.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext); [`NotCurrent`](Error::NotCurrent); a driver error.
    #[doc(alias = "cuStreamBeginCapture")]
    #[inline]
    pub fn open_capture(&self, like: &Stream<'ctx>) -> Result<OpenCapture> {
        same_context(BEGIN, like.context() == self.context())?;
        let stream = Stream { inner: alike(self, like)?.inner, _brand: crate::brand::Brand::new() };
        let captured = Captured::begin(&stream)?;
        Ok(OpenCapture { captured, stream, record: Record::default() })
    }

    /// Takes a graph of other code over, such as that of a capture that it ended, and makes it ready to run. It is replayed
    /// without buffers: `replay(&graph, ())`.
    ///
    /// The graph is destroyed here, and `keep` is dropped when it is gone and nothing runs it. With an error, both happen
    /// at once.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for null; [`NotCurrent`](Error::NotCurrent); a driver error.
    ///
    /// # Safety
    /// 1. `raw` is null, or a graph that is alive and no child of another one. From now on other code neither destroys,
    ///    changes nor runs it, or an executable graph of it.
    /// 2. Until `keep` is dropped, everything that its nodes use is alive: memory, code, events, functions.
    /// 3. At each replay, other uses of the memory that it uses are ordered before or behind it, apart from common reads.
    ///    Its functions of the host make no driver call, and do not unwind.
    /// 4. `keep` may be dropped on any thread, under any context.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device, Result, ffi};
    /// # fn main() -> Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// # let stream = gpu.stream()?;
    /// // As other code makes it:
    /// let mut raw = std::ptr::null_mut();
    /// // SAFETY: writes one handle to `raw`.
    /// unsafe { cuscope::call!(cuGraphCreate(&raw mut raw, 0)) }?;
    /// // SAFETY: 1. to 4. The graph has no nodes, and nothing else has it.
    /// let graph = unsafe { gpu.graph_from_raw(raw, ()) }?;
    /// gpu.on(&stream).replay(&graph, ())?;
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuGraphInstantiate")]
    pub unsafe fn graph_from_raw(
        &self,
        raw: CUgraph,
        keep: impl Send + 'static,
    ) -> Result<Graph<'ctx>> {
        // The mutex makes it `Sync`, whatever it is. It is never locked.
        let kept = Kept::Number(Arc::new(Mutex::new(keep)));
        if raw.is_null() {
            let (call, reason) =
                ("PushedGuard::graph_from_raw", "the handle is null: no graph was created");
            return Err(Error::InvalidArgument { call, reason: reason.into() });
        }
        let mut resources = GraphResources::default();
        resources.keep(User::Captured, [kept]);
        Graph::ready(self, Template::new(raw), resources.seal())
    }
}

impl OpenCapture {
    /// Returns the stream under capture, for operations under a guard of the context.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext).
    #[inline]
    pub fn on<'c, 'ctx>(&'c self, gpu: &PushedGuard<'ctx>) -> Result<OpenCaptureStream<'c, 'ctx>> {
        Ok(OpenCaptureStream { stream: self.stream.under(gpu, BEGIN)?, record: &self.record })
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.stream.context()
    }

    /// Returns the handle of the stream under capture, for other code that enqueues in it. Do not destroy it, and do not
    /// end the capture.
    ///
    /// What other code enqueues there is a part of the graph, which does not know of it: obligations 2. and 3. of
    /// [`graph_from_raw`](PushedGuard::graph_from_raw) are then those of the code that does it.
    #[must_use]
    pub fn raw(&self) -> CUstream {
        self.stream.raw()
    }

    /// Ends the capture, and makes its graph ready to run. On any thread.
    ///
    /// # Errors
    /// [`OtherContext`](Error::OtherContext); [`NotCurrent`](Error::NotCurrent); the error of the first operation of the
    /// capture that failed; `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if the capture was invalidated. The capture is over in
    /// any case.
    #[doc(alias = "cuStreamEndCapture")]
    #[doc(alias = "cuGraphInstantiate")]
    #[inline]
    pub fn finish<'ctx>(self, gpu: &PushedGuard<'ctx>) -> Result<Graph<'ctx>> {
        let OpenCapture { captured, stream, record } = self;
        let ended = captured.end();
        same_context(name!(cuStreamEndCapture), stream.context() == gpu.context())?;
        record.failed()?;
        Graph::ready(gpu, ended?, record.resources.take().seal())
    }
}

impl fmt::Debug for OpenCapture {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpenCapture").field(&self.stream).finish()
    }
}

/// The stream of an [`OpenCapture`] under a guard. Its operations become nodes of the graph, in order. If one of them fails,
/// the capture fails.
#[derive(Clone, Copy)]
pub struct OpenCaptureStream<'c, 'ctx> {
    stream: &'c Stream<'ctx>,
    record: &'c Record,
}

impl<'ctx> OpenCaptureStream<'_, 'ctx> {
    /// Captures an operation.
    ///
    /// # Safety
    /// 1. What [`Operation::enqueue`] asks for holds whenever the graph runs, apart from memory of this crate, which the
    ///    graph keeps and each replay borrows.
    unsafe fn add(&self, operation: &impl Operation) -> Result {
        let add = || {
            no_host_memory(operation.call(), operation)?;
            let key = self.stream.context().key();
            operation.uses().with_accesses(|all| {
                let mut resources = self.record.resources.borrow_mut();
                all.iter().for_each(|one| resources.uses_memory(User::Captured, one));
            });
            // SAFETY: 1. The stream lives as long as the capture, and is no default stream.
            let stream = unsafe { Blocking::new(self.stream.raw(), key) };
            // SAFETY: 1. Nothing runs now. The rest is the caller's obligation 1: the memory lives with the graph
            // (`graph-owns`), and each replay borrows it as it is used.
            unsafe { stream.run_unscoped(operation) }
        };
        self.record.note(add())
    }

    /// Captures a copy from one buffer to another.
    ///
    /// # Errors
    /// [`LengthMismatch`](Error::LengthMismatch); [`ExtentMismatch`](Error::ExtentMismatch);
    /// [`OtherContext`](Error::OtherContext); `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED` if something spoiled the capture.
    #[doc(alias = "cuMemcpyDtoDAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    pub fn copy<T: Element>(
        &self,
        from: &impl DeviceMemory<'ctx, T>,
        to: &mut impl DeviceMemoryMut<'ctx, T>,
    ) -> Result {
        // SAFETY: 1. The copy needs nothing else, and the two are distinct.
        unsafe { self.add(&Copy::new(from.access(false), to.access(true))) }
    }

    /// Captures setting every element to `value`. Elements must have 1, 2 or 4 bytes: others do not compile.
    ///
    /// # Errors
    /// The errors of [`copy`](Self::copy).
    #[doc(alias = "cuMemsetD8Async")]
    #[doc(alias = "cuMemsetD16Async")]
    #[doc(alias = "cuMemsetD32Async")]
    pub fn fill<T: Fillable>(&self, to: &mut impl DeviceMemoryMut<'ctx, T>, value: T) -> Result {
        // SAFETY: 1. The fill needs nothing else.
        unsafe { self.add(&Fill::value(to.access(true), value)) }
    }

    /// Captures setting every byte to zero, for elements of any size.
    ///
    /// # Errors
    /// The errors of [`copy`](Self::copy).
    #[doc(alias = "cuMemsetD8Async")]
    pub fn zero<T: Element>(&self, to: &mut impl DeviceMemoryMut<'ctx, T>) -> Result {
        // SAFETY: 1. The fill needs nothing else.
        unsafe { self.add(&Fill::zero(to.access(true))) }
    }

    /// Captures the launch of a kernel whose launches are safe: a `GuardedKernel` or a [`TrustedKernel`](crate::TrustedKernel).
    ///
    /// Plain values among the arguments keep their current values. The graph keeps the kernel's module loaded. A `GuardedKernel`
    /// (feature `guard`) tells the wait for a replay of an access that it did not make.
    ///
    /// # Errors
    /// [`LaunchRefused`](Error::LaunchRefused) by the check of a [`TrustedKernel`](crate::TrustedKernel); the errors of
    /// [`launch_unchecked`](Self::launch_unchecked).
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    pub fn launch<K: SafeKernel<'ctx>, A: KernelArgs<'ctx> + ArgumentsOf<K::Signature>>(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        // The check of the kernel may use the capture, too.
        let watch = self.record.resources.borrow().watch().clone();
        self.record.note(kernel.checked_launch(config, args, &*watch, |launch| {
            // SAFETY: 1. The kernel stays inside of the arguments at each replay (`launch-trusted`, `launch-guarded`).
            unsafe { self.add_launch(&launch) }
        }))
    }

    /// Captures the launch of a kernel that nobody vouches for yet. Plain values among the arguments keep their current values.
    /// The graph keeps the kernel's module loaded.
    ///
    /// # Errors
    /// The errors of [`copy`](Self::copy); `CUDA_ERROR_INVALID_VALUE` for invalid extents
    /// ([F146](crate::driver_facts#F146)); [`InvalidArgument`](Error::InvalidArgument) for events among the attributes, and
    /// for page-locked memory.
    ///
    /// # Safety
    /// 1. to 3. of [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked), for each replay of the graph.
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    pub unsafe fn launch_unchecked<
        K: Launchable<'ctx>,
        A: KernelArgs<'ctx> + ArgumentsOf<K::Signature>,
    >(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        // SAFETY: the caller's obligations 1 to 3, at each replay.
        let launch = unsafe { Launch::new(kernel.inner(), config, args) };
        // SAFETY: 1. As above.
        unsafe { self.add_launch(&launch) }
    }

    /// Captures the launch of a kernel with a list of pointers to the values of its parameters:
    /// [`SyncStream::launch_raw`](crate::SyncStream::launch_raw). The values are read now.
    ///
    /// # Errors
    /// The errors of [`launch_unchecked`](Self::launch_unchecked).
    ///
    /// # Safety
    /// 1. and 2. of [`SyncStream::launch_raw`](crate::SyncStream::launch_raw), at each replay.
    /// 3. As long as the graph can be replayed, the memory that the values stand for is alive. At each replay, other uses of
    ///    it are ordered before or behind, apart from common reads.
    #[doc(alias = "cuLaunchKernel")]
    pub unsafe fn launch_raw(
        &self,
        function: &Function<'ctx>,
        config: impl LaunchSpec<'ctx>,
        parameters: &mut [*mut c_void],
    ) -> Result {
        // SAFETY: the caller's obligations 1 and 2, at each replay.
        let launch = unsafe { Launch::new(&function.inner, config, Pointers::new(parameters)) };
        // SAFETY: 1. As above, and the caller's obligation 3.
        unsafe { self.add_launch(&launch) }
    }

    /// # Safety
    /// 1. of [`add`](Self::add).
    unsafe fn add_launch<S: Spec, A: Operands>(&self, launch: &Launch<'_, S, A>) -> Result {
        if launch.has_events() {
            let reason = "a captured launch cannot record events: capture the launch without them";
            return self
                .record
                .note(Err(Error::InvalidArgument { call: launch.call(), reason: reason.into() }));
        }
        let code = Kept::Code(launch.function().owner().clone());
        self.record.resources.borrow_mut().keep(User::Captured, [code]);
        // SAFETY: the caller's obligation 1.
        unsafe { self.add(launch) }
    }
}

impl fmt::Debug for OpenCaptureStream<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpenCaptureStream").field(self.stream).finish()
    }
}

launches! {
    ['ctx] OpenCaptureStream<'_, 'ctx>, 'ctx, InCall;
}
