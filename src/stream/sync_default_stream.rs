//! Operations on the default streams of a context.
#![allow(unsafe_code, reason = "names the default streams")]

use crate::args::KernelArgs;
use crate::args::sealed::Operands;
use crate::call::{answer, later, name};
use crate::context::wait::wait;
use crate::error::Result;
use crate::event::Event;
use crate::kernel::{ArgumentsOf, Launchable, SafeKernel, launches};
use crate::launch::{LaunchSpec, Spec};
use crate::memory::watch::Watch;
use crate::memory::{DeviceMemory, DeviceMemoryMut, Element, Fillable, InCall, zeros};
use crate::ops::{self, Copy, CopyPeer, Download, Fill, Launch, Operation as _, Upload};
use crate::registry::LentHost;
use crate::stack::PushedGuard;
use crate::stream::blocking::{Blocking, RECORD};
use crate::stream::host_function;
use crate::stream::legacy_lock::Operation;
use ffi::{CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, CUstream};
use std::fmt;

/// Operations on a default stream that wait until they are complete, from [`PushedGuard::on_legacy_default`]
/// and [`PushedGuard::on_per_thread_default`].
///
/// The driver chooses the stream by the thread's current context at each call. So each operation first compares
/// the current context (invariant [`right-context`](crate::soundness#right-context)) and returns
/// [`NotCurrent`](crate::Error::NotCurrent) if foreign code changed it. A default stream cannot be used in a
/// scope or a capture, and cannot allocate: these use their stream later, under whatever context is current
/// then.
#[derive(Clone, Copy)]
pub struct SyncDefaultStream<'g, 'ctx> {
    gpu: &'g PushedGuard<'ctx>,
    which: Which,
}

/// Not a handle, which means nothing without a thread and its current context.
#[derive(Clone, Copy)]
enum Which {
    Legacy,
    PerThread,
}

/// # Operations on the default streams
impl<'ctx> PushedGuard<'ctx> {
    /// Returns the operations on the legacy default stream of the context, the null stream of C. It
    /// synchronises with all streams of the context that are not
    /// [`NON_BLOCKING`](crate::StreamFlags::NON_BLOCKING).
    ///
    /// While this crate captures one of these streams, every operation is refused with
    /// `CUDA_ERROR_STREAM_CAPTURE_IMPLICIT` ([F143](crate::driver_facts#F143)). Such a capture waits for the
    /// operations that run: a driver that did both simultaneously crashed ([F221](crate::driver_facts#F221)).
    /// In a [`host_function`](SyncDefaultStream::host_function), do not wait for a thread that captures.
    #[must_use]
    #[doc(alias = "CU_STREAM_LEGACY")]
    pub fn on_legacy_default(&self) -> SyncDefaultStream<'_, 'ctx> {
        SyncDefaultStream { gpu: self, which: Which::Legacy }
    }

    /// Returns the operations on this thread's own default stream of the context, which synchronises with the
    /// legacy one. A green context has no such stream: `CUDA_ERROR_INVALID_HANDLE`
    /// ([F133](crate::driver_facts#F133)).
    #[must_use]
    #[doc(alias = "CU_STREAM_PER_THREAD")]
    pub fn on_per_thread_default(&self) -> SyncDefaultStream<'_, 'ctx> {
        SyncDefaultStream { gpu: self, which: Which::PerThread }
    }
}

/// A default stream for one operation.
struct Now<'g> {
    stream: Blocking<'g>,
    /// The legacy stream, kept apart from captures.
    _apart: Option<Operation>,
}

impl<'g, 'ctx> SyncDefaultStream<'g, 'ctx> {
    #[inline]
    fn raw(&self) -> CUstream {
        match self.which {
            Which::Legacy => CU_STREAM_LEGACY,
            Which::PerThread => CU_STREAM_PER_THREAD,
        }
    }

    /// Returns the stream, for one operation of this thread that runs no code of the program in between.
    #[inline]
    fn now(&self, call: &'static str) -> Result<Now<'g>> {
        self.gpu.enter(call)?;
        let apart = match self.which {
            Which::Legacy => Some(Operation::enter(self.gpu.context(), call)?),
            Which::PerThread => None,
        };
        // SAFETY: 1. A context's default streams live as long as it does, and `enter` found the guard's
        // to be current on this thread.
        let stream = unsafe { Blocking::new(self.raw(), self.gpu.context().key()) };
        Ok(Now { stream, _apart: apart })
    }

    /// Enqueues an operation and waits for it.
    ///
    /// # Safety
    /// 1. All memory of the operation is alive, and borrowed as the operation uses it until this returns.
    #[inline]
    unsafe fn run(&self, operation: impl ops::Operation) -> Result {
        let now = self.now(operation.call())?;
        // SAFETY: the caller's obligation 1.
        unsafe { now.stream.run(operation) }
    }

    /// Copies a slice to the device and waits.
    ///
    /// # Errors
    /// The errors of [`SyncStream::upload`](crate::SyncStream::upload), and
    /// [`NotCurrent`](crate::Error::NotCurrent).
    #[doc(alias = "cuMemcpyHtoD")]
    pub fn upload<T: Element>(&self, from: &[T], to: &mut impl DeviceMemoryMut<'ctx, T>) -> Result {
        // SAFETY: both are borrowed as they are used, until this returns.
        unsafe { self.run(Upload::new(from, to.access(true))) }
    }

    /// Copies device memory to the host and waits.
    ///
    /// # Errors
    /// The errors of [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoH")]
    pub fn download<T: Element>(&self, from: &impl DeviceMemory<'ctx, T>, to: &mut [T]) -> Result {
        // SAFETY: both are borrowed as they are used, until this returns.
        unsafe { self.run(Download::new(from.access(false), to)) }
    }

    /// Copies device memory to other device memory and waits.
    ///
    /// # Errors
    /// The errors of [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyDtoD")]
    pub fn copy<T: Element>(
        &self,
        from: &impl DeviceMemory<'ctx, T>,
        to: &mut impl DeviceMemoryMut<'ctx, T>,
    ) -> Result {
        // SAFETY: both are borrowed as they are used, until this returns.
        unsafe { self.run(Copy::new(from.access(false), to.access(true))) }
    }

    /// Copies memory of another context to memory of this one and waits. See
    /// [`SyncStream::copy_from_peer`](crate::SyncStream::copy_from_peer).
    ///
    /// # Errors
    /// The errors of [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyPeerAsync")]
    #[doc(alias = "cuMemcpy3DPeerAsync")]
    #[doc(alias = "cuMemcpyPeer")]
    pub fn copy_from_peer<'other, T: Element>(
        &self,
        from: &impl DeviceMemory<'other, T>,
        to: &mut impl DeviceMemoryMut<'ctx, T>,
    ) -> Result {
        // SAFETY: both are borrowed as they are used, until this returns.
        unsafe { self.run(CopyPeer::from_peer(from.access(false), to.access(true))) }
    }

    /// Copies memory of this context to memory of another one and waits. See
    /// [`SyncStream::copy_from_peer`](crate::SyncStream::copy_from_peer).
    ///
    /// # Errors
    /// The errors of [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyPeerAsync")]
    #[doc(alias = "cuMemcpy3DPeerAsync")]
    #[doc(alias = "cuMemcpyPeer")]
    pub fn copy_to_peer<'other, T: Element>(
        &self,
        from: &impl DeviceMemory<'ctx, T>,
        to: &mut impl DeviceMemoryMut<'other, T>,
    ) -> Result {
        // SAFETY: both are borrowed as they are used, until this returns.
        unsafe { self.run(CopyPeer::to_peer(from.access(false), to.access(true))) }
    }

    /// Sets every element to `value` and waits. Elements must have 1, 2 or 4 bytes: others do not compile.
    ///
    /// # Errors
    /// The errors of [`upload`](Self::upload).
    #[doc(alias = "cuMemsetD8")]
    #[doc(alias = "cuMemsetD16")]
    #[doc(alias = "cuMemsetD32")]
    pub fn fill<T: Fillable>(&self, to: &mut impl DeviceMemoryMut<'ctx, T>, value: T) -> Result {
        // SAFETY: the memory is borrowed exclusively until this returns.
        unsafe { self.run(Fill::value(to.access(true), value)) }
    }

    /// Sets every byte to zero and waits, for elements of any size.
    ///
    /// # Errors
    /// The errors of [`upload`](Self::upload).
    #[doc(alias = "cuMemsetD8")]
    pub fn zero<T: Element>(&self, to: &mut impl DeviceMemoryMut<'ctx, T>) -> Result {
        // SAFETY: the memory is borrowed exclusively until this returns.
        unsafe { self.run(Fill::zero(to.access(true))) }
    }

    /// Returns the elements of device memory in a new `Vec`: [`download`](Self::download).
    ///
    /// # Errors
    /// The errors of [`upload`](Self::upload); `CUDA_ERROR_OUT_OF_MEMORY` if the host does not have as much memory.
    pub fn to_vec<T: Element>(&self, from: &impl DeviceMemory<'ctx, T>) -> Result<Vec<T>> {
        let mut to = zeros::<T>(name!(cuMemcpyDtoHAsync_v2), from.access(false).len)?;
        self.download(from, &mut to)?;
        Ok(to)
    }

    /// Launches a kernel whose launches are safe, and waits for it.
    ///
    /// # Errors
    /// [`LaunchRefused`](crate::Error::LaunchRefused) by the check of a [`TrustedKernel`](crate::TrustedKernel); the errors of
    /// [`launch_unchecked`](Self::launch_unchecked).
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    pub fn launch<K: SafeKernel<'ctx>, A: KernelArgs<'ctx> + ArgumentsOf<K::Signature>>(
        &self,
        kernel: &K,
        config: impl LaunchSpec<'ctx>,
        args: A,
    ) -> Result {
        let watch = Watch::default();
        self.run_launch(kernel.launch(config, args, &watch)?)?;
        watch.look()
    }

    /// Launches a kernel that nobody vouches for yet, and waits for it.
    ///
    /// # Errors
    /// The errors of [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked), and
    /// [`NotCurrent`](crate::Error::NotCurrent).
    ///
    /// # Safety
    /// 1. to 3. of [`SyncStream::launch_unchecked`](crate::SyncStream::launch_unchecked).
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
        // SAFETY: the caller's obligations 1 to 3.
        self.run_launch(unsafe { Launch::new(kernel.inner(), config, args) })
    }

    fn run_launch<S: Spec, A: Operands>(&self, launch: Launch<'_, S, A>) -> Result {
        let now = self.now(launch.call())?;
        // SAFETY: the memory among the arguments is borrowed as it is used, until this returns.
        unsafe { now.stream.run(launch) }
    }

    /// Calls a function on a thread of the driver, after the work in the stream, and waits for it. See
    /// [`SyncStream::host_function`](crate::SyncStream::host_function).
    ///
    /// # Errors
    /// The errors of [`SyncStream::host_function`](crate::SyncStream::host_function), and
    /// [`NotCurrent`](crate::Error::NotCurrent).
    ///
    /// # Panics
    /// If the function panics.
    #[doc(alias = "cuLaunchHostFunc")]
    pub fn host_function(&self, function: impl FnOnce() + Send + 'static) -> Result {
        let now = self.now(host_function::CALL)?;
        // SAFETY: 1. `now` found the stream to be there.
        unsafe {
            host_function::call(self.raw(), function, || {
                now.stream.complete(Ok(()), LentHost::NONE)
            })
        }
    }

    /// Records an event after the work in the stream.
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); [`NotCurrent`](crate::Error::NotCurrent); a sticky
    /// error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuEventRecord")]
    #[inline]
    pub fn record(&self, event: &Event<'ctx>) -> Result {
        let now = self.now(RECORD)?;
        now.stream.record(event)
    }

    /// Makes later work in the stream wait for an event, which may belong to another context
    /// ([F36](crate::driver_facts#F36)).
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamWaitEvent")]
    #[inline]
    pub fn wait(&self, event: &Event<'_>) -> Result {
        self.now(name!(cuStreamWaitEvent))?.stream.wait(event)
    }

    /// Returns whether all work in the stream is complete.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a sticky error of earlier work
    /// ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamQuery")]
    #[inline]
    pub fn query(&self) -> Result<bool> {
        let _now = self.now(name!(cuStreamQuery))?;
        // SAFETY: the stream is that of the current context.
        unsafe { answer!(cuStreamQuery(self.raw())) }.ready()
    }

    /// Waits until all work in the stream is complete.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a sticky error of earlier work
    /// ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuStreamSynchronize")]
    #[inline]
    pub fn synchronize(&self) -> Result {
        let _now = self.now(name!(cuStreamSynchronize))?;
        // SAFETY: the stream is that of the current context.
        wait(unsafe { later!(cuStreamSynchronize(self.raw())) })
    }
}

impl fmt::Debug for SyncDefaultStream<'_, '_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.which {
            Which::Legacy => "legacy",
            Which::PerThread => "per-thread",
        };
        write!(f, "SyncDefaultStream({name}, {:?})", self.gpu.context())
    }
}

launches! {
    ['ctx] SyncDefaultStream<'_, 'ctx>, 'ctx, InCall;
}
