//! The end of what a stream holds, as a future.
#![allow(unsafe_code, reason = "hands a callback to the driver")]

use crate::call::{Answer, answer, fault, name};
use crate::driver::fork;
use crate::driver::release::contained;
use crate::error::{Result, means_not_taken};
use crate::stream::Stream;
use ffi::{CUresult, CUstream};
use std::ffi::c_void;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

const CALL: &str = name!(cuStreamAddCallback);

/// The end of what a stream held when [`Stream::finished`] was called. It has nothing of the stream, and
/// works in any executor. Dropping it cancels nothing and frees nothing that the device may touch: the
/// work goes on.
#[must_use = "a future does nothing unless it is awaited"]
pub struct Finished(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// How the work ended, once it did.
    end: Option<CUresult>,
    waker: Option<Waker>,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stream<'_> {
    /// A future that is ready when everything is finished that the stream holds now.
    ///
    /// The stream's next work waits until the executor was told, so that a query may still say "not
    /// finished" for that moment. The executor's waker is called on a thread
    /// of the driver, where calls of the driver are refused (F23): it must do no more than wake.
    ///
    /// # Errors
    /// Here or from the future: a sticky error of earlier work (F60).
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
    pub fn finished(&self) -> Result<Finished> {
        fault::gives_function();
        let state = Arc::new(Mutex::new(State::default()));
        let data = Arc::into_raw(state.clone());
        // SAFETY: the stream is alive. `ended` is called once, with `data`, also after a fault (F152): it
        // takes over the count of the `Arc`. It does not unwind.
        let answer = unsafe {
            answer!(cuStreamAddCallback(
                self.raw(),
                Some(ended),
                data.cast_mut().cast::<c_void>(),
                0
            ))
        };
        if let Err(error) = answer.check() {
            // Another error may be that of earlier work, and the callback taken all the same.
            if means_not_taken(answer.code) {
                // SAFETY: the call took nothing over: `data` is still ours.
                drop(unsafe { Arc::from_raw(data) });
            }
            return Err(error.into());
        }
        Ok(Finished(state))
    }
}

/// What the driver calls when the work has ended.
unsafe extern "C" fn ended(_: CUstream, status: CUresult, data: *mut c_void) {
    // SAFETY: the one count that `finished` gave away.
    let state = unsafe { Arc::from_raw(data.cast_const().cast::<Mutex<State>>()) };
    let waker = {
        let mut state = lock(&state);
        state.end = Some(status);
        state.waker.take()
    };
    // The executor's code, and its state if this is the last count: a panic must not reach the driver.
    contained(|| {
        waker.into_iter().for_each(Waker::wake);
        drop(state);
    });
}

impl Future for Finished {
    type Output = Result;

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

impl Finished {
    /// Leaves a waker for the end, unless that has come: gives it then. Wakers are cloned and dropped by code of
    /// an executor, which may look at this future: not under the lock.
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

impl fmt::Debug for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = fork::lock(&self.0).and_then(|state| state.end);
        // Not under the lock: the writer is code of the program.
        f.debug_struct("Finished").field("end", &end).finish()
    }
}
