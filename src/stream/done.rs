//! A future that completes with the work in a stream.
#![allow(unsafe_code, reason = "hands a callback to the driver")]

use crate::call::{Answer, answer, fault, name};
use crate::driver::fork;
use crate::driver::release::{contained, in_function};
use crate::error::{Result, means_not_taken};
use crate::owned::StreamInner;
use crate::stream::Stream;
use ffi::{CUresult, CUstream};
use std::ffi::c_void;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

const CALL: &str = name!(cuStreamAddCallback);

/// A future that completes when the work in a stream is complete, from [`Stream::finished`].
///
/// It covers the work that the stream held at that call. It borrows nothing from the stream and works in any
/// executor. Dropping it cancels nothing and frees nothing that the device may touch: the work goes on.
#[must_use = "a future does nothing unless it is awaited"]
pub struct StreamDone(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// The result of the work, once it has ended.
    end: Option<CUresult>,
    waker: Option<Waker>,
}

#[inline]
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stream<'_> {
    /// Returns a future that completes when all work that is in the stream now is complete.
    ///
    /// Later work in the stream waits until the executor has been woken. So a query may report "not complete"
    /// for that moment. The driver calls the executor's waker on one of its threads, where driver calls are
    /// refused ([F23](crate::driver_facts#F23)): the waker must only wake. What it drops, such as a task that was
    /// cancelled, is [released later](crate::SyncStream::host_function).
    ///
    /// # Errors
    /// Here or from the future: a sticky error of earlier work ([F60](crate::driver_facts#F60)).
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device, PushedGuard, Result};
    /// async fn idle(stream: &cuscope::Stream<'_>) -> Result {
    ///     stream.finished()?.await
    /// }
    /// # fn main() -> Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// # let stream = gpu.stream()?;
    /// # let mut task = std::task::Context::from_waker(std::task::Waker::noop());
    /// # let mut idle = std::pin::pin!(idle(&stream));
    /// # while std::future::Future::poll(idle.as_mut(), &mut task).is_pending() {}
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuStreamAddCallback")]
    #[inline]
    pub fn finished(&self) -> Result<StreamDone> {
        finished(&self.inner)
    }
}

/// Returns a future of the work in a stream: [`Stream::finished`].
#[inline]
pub(crate) fn finished(stream: &StreamInner) -> Result<StreamDone> {
    fault::gives_function();
    let state = Arc::new(Mutex::new(State::default()));
    let data = Arc::into_raw(state.clone());
    // SAFETY: the stream is alive. `ended` is called once, with `data`, also after a fault (F152): it
    // takes over the count of the `Arc`. It does not unwind.
    let answer = unsafe {
        answer!(cuStreamAddCallback(stream.raw, Some(ended), data.cast_mut().cast::<c_void>(), 0))
    };
    if let Err(error) = answer.check() {
        // Another error may come from earlier work, and the driver may have accepted the callback all the
        // same.
        if means_not_taken(answer.code) {
            // SAFETY: the call took nothing over: `data` is still ours.
            drop(unsafe { Arc::from_raw(data) });
        }
        return Err(error.into());
    }
    Ok(StreamDone(state))
}

/// The function that the driver calls when the work has ended.
unsafe extern "C" fn ended(_: CUstream, status: CUresult, data: *mut c_void) {
    // SAFETY: the one count that `finished` gave away.
    let state = unsafe { Arc::from_raw(data.cast_const().cast::<Mutex<State>>()) };
    let waker = {
        let mut state = lock(&state);
        state.end = Some(status);
        state.waker.take()
    };
    // The executor's code, and its state if this is the last reference: a panic must not reach the driver.
    in_function(|| {
        contained(|| {
            waker.into_iter().for_each(Waker::wake);
            drop(state);
        });
    });
}

impl Future for StreamDone {
    type Output = Result;

    #[inline]
    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Result> {
        if fork::is_child() {
            // Nothing ends there, and the state may be locked for ever.
            return Poll::Ready(Answer::new(CALL, ffi::CUDA_ERROR_NOT_INITIALIZED).result());
        }
        let end = lock(&self.0).end;
        let end = end.or_else(|| self.leave(task.waker().clone()));
        end.map_or(Poll::Pending, |code| Poll::Ready(Answer::new(CALL, code).result()))
    }
}

impl StreamDone {
    /// Stores a waker for the end of the work, or returns the result if the work has ended. Code of an executor
    /// clones and drops wakers, and may look at this future, so this happens outside the lock.
    #[inline]
    fn leave(&self, waker: Waker) -> Option<CUresult> {
        let mut state = lock(&self.0);
        let (end, before) = match state.end {
            Some(_) => (state.end, Some(waker)),
            None => (None, state.waker.replace(waker)),
        };
        drop(state);
        drop(before);
        end
    }
}

impl fmt::Debug for StreamDone {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = fork::lock(&self.0).and_then(|state| state.end);
        // Outside the lock: the writer is code of the program.
        f.debug_struct("StreamDone").field("end", &end).finish()
    }
}
