//! Events.
#![allow(unsafe_code, reason = "calls the driver, and says that an event may be shared")]

use crate::brand::Brand;
use crate::call::{answer, later, name};
use crate::context::Context;
use crate::context::wait::{ready_within, wait};
use crate::driver::release::release;
use crate::error::{Error, Result};
use crate::owned::Keep;
use crate::stack::{PushedGuard, with_current};
use ffi::{CUevent, CUevent_flags, CUresult, CUstream};
use static_assertions::assert_impl_all;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, ptr};

ffi::flags! {
    /// Flags that control how an event behaves.
    #[derive(Default)]
    pub struct EventFlags: u32 {
        /// A thread that waits for the event sleeps instead of spinning.
        const BLOCKING_SYNC = CUevent_flags::CU_EVENT_BLOCKING_SYNC.bits();
        /// The event takes no time stamps, which is cheaper.
        const DISABLE_TIMING = CUevent_flags::CU_EVENT_DISABLE_TIMING.bits();
        /// Another process can [import](PushedGuard::import_event) the event. Needs
        /// [`DISABLE_TIMING`](Self::DISABLE_TIMING).
        const INTERPROCESS = CUevent_flags::CU_EVENT_INTERPROCESS.bits();
    }
}

/// A CUDA event: a marker in a stream that other streams, or the host, can wait for.
///
/// [`PushedGuard::event`] creates one, and [`SyncStream::record`](crate::SyncStream::record) records it. Two
/// recorded events measure the time between them. Dropping an event returns at once and needs no current
/// context ([F40](crate::driver_facts#F40), [F51](crate::driver_facts#F51)).
///
/// # Examples
/// ```
/// use cuscope::{Context, ContextFlags, ContextStack, Device};
///
/// # fn main() -> cuscope::Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let (stream, start, end) = (gpu.stream()?, gpu.event()?, gpu.event()?);
/// let mut x = gpu.alloc::<f32>(1 << 20)?;
/// gpu.on(&stream).record(&start)?;
/// gpu.on(&stream).zero(&mut x)?;
/// gpu.on(&stream).record(&end)?;
/// end.synchronize()?;
/// println!("the fill took {:?}", end.elapsed_since(&start)?);
/// # Ok(()) }
/// ```
#[doc(alias = "cudaEvent_t")]
#[doc(alias = "CudaEvent")]
#[doc(alias = "cudaEventCreate")]
#[doc(alias = "cudaEventDestroy")]
pub struct Event<'ctx> {
    /// Shared with the graphs that record it or wait for it (invariant
    /// [`graph-owns`](crate::soundness#graph-owns)).
    pub(crate) inner: Arc<EventInner>,
    pub(crate) _brand: Brand<'ctx>,
}
assert_impl_all!(Event<'static>: Send, Sync);

pub(crate) struct EventInner {
    raw: CUevent,
    context: Context,
    /// Set for an event of other code, which destroys it.
    keep: Option<Box<Keep>>,
}
// SAFETY: an event is not tied to a thread: any may record, query, wait and destroy, and none of
// these needs a current context (F37, F40). The handle is never changed.
unsafe impl Send for EventInner {}
// SAFETY: as for `Send`; the driver orders concurrent calls on one event.
unsafe impl Sync for EventInner {}

impl EventInner {
    /// Creates an event in the context of a guard.
    #[inline]
    pub(crate) fn create(gpu: &PushedGuard<'_>, flags: EventFlags) -> Result<EventInner> {
        gpu.enter(name!(cuEventCreate))?;
        EventInner::create_in_current(gpu.context(), flags)
    }

    /// Creates an event in a context, which this pushes if it is not current.
    #[inline]
    pub(crate) fn create_in(context: &Context, flags: EventFlags) -> Result<EventInner> {
        with_current(context, || EventInner::create_in_current(context, flags))
    }

    /// Creates an event in a context that was found to be current.
    #[inline]
    fn create_in_current(context: &Context, flags: EventFlags) -> Result<EventInner> {
        let mut raw = ptr::null_mut();
        // SAFETY: writes one handle to `raw`, which is valid for it, in the current context, which is this one; the
        // driver checks the flags.
        unsafe { answer!(cuEventCreate(&raw mut raw, flags.bits())) }
            .explain(|_| wrong_flags(flags))?;
        Ok(EventInner::own(raw, context.clone()))
    }

    /// Takes ownership of an event that was created or opened in a context and not destroyed.
    pub(crate) fn own(raw: CUevent, context: Context) -> EventInner {
        EventInner { raw, context, keep: None }
    }

    /// Takes an event of other code.
    pub(crate) fn foreign(raw: CUevent, context: Context, keep: Box<Keep>) -> EventInner {
        EventInner { raw, context, keep: Some(keep) }
    }

    #[inline]
    pub(crate) fn raw(&self) -> CUevent {
        self.raw
    }

    /// Returns the context.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }
}

impl Drop for EventInner {
    #[inline]
    fn drop(&mut self) {
        if self.keep.is_some() {
            return; // dropped with the fields
        }
        // SAFETY: this is the only owner of the handle, which was created and not destroyed; its
        // context is alive. Waits that were enqueued for it still hold.
        release(
            || unsafe { answer!(cuEventDestroy_v2(self.raw)) },
            || EventInner::own(self.raw, self.context.clone()),
        );
    }
}

/// # Events
impl Context {
    /// Creates an event that takes time stamps, for [ordered streams](crate::OrderedStream). The context is current only
    /// while this runs.
    ///
    /// # Errors
    /// The errors of [`with`](Self::with); a driver error.
    #[doc(alias = "cuEventCreate")]
    #[inline]
    pub fn event(&self) -> Result<Event<'static>> {
        self.event_with(EventFlags::empty())
    }

    /// Creates an event with the given flags: [`event`](Self::event).
    ///
    /// # Errors
    /// The errors of [`event`](Self::event); `CUDA_ERROR_INVALID_VALUE` for unknown flag bits.
    #[doc(alias = "cuEventCreate")]
    #[inline]
    pub fn event_with(&self, flags: EventFlags) -> Result<Event<'static>> {
        let inner = Arc::new(EventInner::create_in(self, flags)?);
        Ok(Event { inner, _brand: Brand::new() })
    }
}

/// # Events
impl<'ctx> PushedGuard<'ctx> {
    /// Creates an event that takes time stamps.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); a driver error.
    #[doc(alias = "cuEventCreate")]
    #[inline]
    pub fn event(&self) -> Result<Event<'ctx>> {
        self.event_with(EventFlags::empty())
    }

    /// Creates an event with the given flags.
    ///
    /// # Errors
    /// [`NotCurrent`](crate::Error::NotCurrent); `CUDA_ERROR_INVALID_VALUE` for unknown flag bits, and for `INTERPROCESS`
    /// without `DISABLE_TIMING`.
    #[doc(alias = "cuEventCreate")]
    #[inline]
    pub fn event_with(&self, flags: EventFlags) -> Result<Event<'ctx>> {
        let inner = Arc::new(EventInner::create(self, flags)?);
        Ok(Event { inner, _brand: Brand::new() })
    }
}

/// Returns why an event with these flags was not created.
#[cold]
fn wrong_flags(flags: EventFlags) -> Option<String> {
    let unknown = flags.bits() & !EventFlags::all().bits();
    if unknown != 0 {
        return Some(format!(
            "no flag of events has the bits {unknown:#x}: pass those of `EventFlags`"
        ));
    }
    let other_processes = flags.contains(EventFlags::INTERPROCESS);
    (other_processes && !flags.contains(EventFlags::DISABLE_TIMING)).then(|| {
        "an event for other processes takes no time stamps: add `EventFlags::DISABLE_TIMING`"
            .to_owned()
    })
}

/// Returns whether it is that a stream of the context is captured, of which nothing in it may become a part so.
#[cold]
fn is_captured(code: CUresult) -> Option<String> {
    (code == ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED).then(|| {
        "a stream of the context is being captured, and an event of all its streams cannot become a part of \
         a graph: end the capture first, or record the event in one stream"
            .to_owned()
    })
}

impl Event<'_> {
    /// Returns the context.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        self.inner.context()
    }

    /// Returns the handle, for calls of [`ffi`]. It is valid while this value lives. Do not destroy it.
    #[must_use]
    #[inline]
    pub fn raw(&self) -> CUevent {
        self.inner.raw
    }

    /// Returns whether the recorded work is complete. Also true if the event was never recorded
    /// ([F65](crate::driver_facts#F65)).
    ///
    /// # Errors
    /// A sticky error of earlier work ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuEventQuery")]
    #[doc(alias = "cudaEventQuery")]
    #[inline]
    pub fn query(&self) -> Result<bool> {
        // SAFETY: the event is alive; needs no current context (F37).
        unsafe { answer!(cuEventQuery(self.raw())) }.ready()
    }

    /// Waits until the recorded work is complete. [`synchronize_timeout`](Self::synchronize_timeout) waits no longer than
    /// a limit.
    ///
    /// # Errors
    /// A sticky error of earlier work ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuEventSynchronize")]
    #[doc(alias = "cudaEventSynchronize")]
    #[inline]
    pub fn synchronize(&self) -> Result {
        // SAFETY: the event is alive; needs no current context (F37).
        wait(unsafe { later!(cuEventSynchronize(self.raw())) })
    }

    /// Waits until the recorded work is complete, but no longer than `limit`. Returns whether it is complete.
    ///
    /// The driver has no such wait, so this [queries](Self::query) the event again and again. It pauses in between, for an
    /// eighth of the time that it has waited and at most for a millisecond, so it returns so much later than the work is
    /// complete. With a limit of 0 it queries once.
    ///
    /// # Errors
    /// A sticky error of earlier work ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuEventQuery")]
    #[inline]
    pub fn synchronize_timeout(&self, limit: Duration) -> Result<bool> {
        ready_within(limit, &|| self.query())
    }

    /// Returns the time from `earlier` to this event, by the device's clock.
    ///
    /// The resolution is about 0.5 us. The result is zero if this event came first. Both events must be
    /// recorded and complete, and take time stamps.
    ///
    /// # Errors
    /// `CUDA_ERROR_NOT_READY` if one is not complete; `CUDA_ERROR_INVALID_HANDLE` if one was not recorded or
    /// takes no time stamps ([F65](crate::driver_facts#F65)), or if they belong to different contexts.
    #[doc(alias = "cuEventElapsedTime")]
    #[doc(alias = "cudaEventElapsedTime")]
    #[doc(alias = "elapsed_ms")]
    #[inline]
    pub fn elapsed_since(&self, earlier: &Event<'_>) -> Result<Duration> {
        let mut milliseconds = 0.0_f32;
        // SAFETY: both events are alive; writes one `f32` to `milliseconds`, which is valid for it.
        unsafe { answer!(cuEventElapsedTime(&raw mut milliseconds, earlier.raw(), self.raw())) }
            .explain(|code| self.no_time_since(earlier, code))?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default())
    }

    /// Returns why there is no time between two events.
    #[cold]
    fn no_time_since(&self, earlier: &Event<'_>, code: CUresult) -> Option<String> {
        if self.context() != earlier.context() {
            return Some(
                "the events belong to different contexts: record both in streams of one context"
                    .to_owned(),
            );
        }
        match code {
            ffi::CUDA_ERROR_NOT_READY => {
                let which =
                    if earlier.query() == Ok(false) { "the earlier event" } else { "the later event" };
                Some(format!("{which} is not complete: wait for it with `Event::synchronize`"))
            }
            ffi::CUDA_ERROR_INVALID_HANDLE => Some(
                "one of the events was not recorded yet, or takes no time stamps: record both, and create them \
                 without `EventFlags::DISABLE_TIMING`"
                    .to_owned(),
            ),
            _ => None,
        }
    }
}

/// # Events of the whole context
impl<'ctx> PushedGuard<'ctx> {
    /// Records an event after all work in the context, in all its streams.
    ///
    /// While a stream of the context is under [capture](Self::capture), on any thread, the driver refuses this
    /// call and invalidates the capture ([F123](crate::driver_facts#F123)).
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext); `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` during a capture;
    /// [`NeedsDriver`](crate::Error::NeedsDriver) before CUDA 12.5; a sticky error
    /// ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuCtxRecordEvent")]
    #[inline]
    pub fn record_event(&self, event: &Event<'ctx>) -> Result {
        if event.context() != self.context() {
            return Err(Error::OtherContext { call: name!(cuCtxRecordEvent) });
        }
        let record = ffi::cuCtxRecordEvent()?;
        // SAFETY: both are alive, and the event is the context's (F123), which need not be current.
        unsafe { answer!(cuCtxRecordEvent = record(self.context().raw(), event.raw())) }
            .explain(is_captured)
    }

    /// Makes all later work in the context wait for an event, in all its streams, also those created later
    /// ([F124](crate::driver_facts#F124)). The event may belong to another context.
    ///
    /// While a stream of the context is under [capture](Self::capture), on any thread, the driver refuses this
    /// call and invalidates the capture ([F124](crate::driver_facts#F124)).
    ///
    /// # Errors
    /// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` during a capture; [`NeedsDriver`](crate::Error::NeedsDriver)
    /// before CUDA 12.5; a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuCtxWaitEvent")]
    #[inline]
    pub fn wait_event(&self, event: &Event<'_>) -> Result {
        let wait = ffi::cuCtxWaitEvent()?;
        // SAFETY: both are alive, and neither need be current.
        unsafe { answer!(cuCtxWaitEvent = wait(self.context().raw(), event.raw())) }
            .explain(is_captured)
    }
}

/// # Events in streams of other code
impl Event<'_> {
    /// Records the event behind the work in a stream of other code, with one driver call.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_HANDLE` for a stream of another context ([F36](crate::driver_facts#F36)); a sticky error
    /// ([F60](crate::driver_facts#F60)).
    ///
    /// # Safety
    /// 1. `stream` is a stream of this process that is alive, and no stream under capture. For a default stream, the context
    ///    of the event is current.
    #[doc(alias = "cuEventRecord")]
    #[inline]
    pub unsafe fn record_in(&self, stream: CUstream) -> Result {
        // SAFETY: the event is alive, and the stream is (1); no context need be current (F34).
        unsafe { answer!(cuEventRecord(self.raw(), stream)) }.explain(|code| {
            (code == ffi::CUDA_ERROR_INVALID_HANDLE).then(|| {
                "the stream belongs to another context than the event: create both in one context".to_owned()
            })
        })
    }

    /// Makes later work in a stream of other code wait for the event, with one driver call.
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    ///
    /// # Safety
    /// 1. of [`record_in`](Self::record_in).
    #[doc(alias = "cuStreamWaitEvent")]
    #[inline]
    pub unsafe fn wait_in(&self, stream: CUstream) -> Result {
        // SAFETY: as for `record_in`.
        unsafe { answer!(cuStreamWaitEvent(stream, self.raw(), 0)) }.result()
    }
}

impl fmt::Debug for Event<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({:p}, {:?})", self.raw(), self.context())
    }
}
