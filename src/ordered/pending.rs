//! Host memory that is in flight.

use crate::driver::release::{is_for_later, put_off};
use crate::error::{Error, Result};
use crate::memory::home::{Home, Mark};
use static_assertions::assert_impl_all;
use std::fmt;
use std::sync::Arc;

/// A value that an operation of an [`OrderedStream`](crate::OrderedStream) uses, usually page-locked host memory. It
/// comes back when the device is done.
///
/// [`wait`](Self::wait) blocks, [`try_get`](Self::try_get) asks, and with the feature `async` this is a future. Dropping
/// it waits, leaking it leaks the value. If nothing proves that the device has stopped, because a kernel faulted in
/// another context, the value leaks too (invariant [`pending-owns`](crate::soundness#pending-owns)).
///
/// A stream has 16 events for this. If more operations are pending in one stream, the oldest may come back later than
/// they could, together with newer ones.
#[must_use = "dropping it waits for the device"]
pub struct Pending<V> {
    /// Used by the device until the mark is past. `None` once it was returned.
    value: Option<V>,
    home: Arc<Home>,
    /// Behind the operation. Without one, the whole stream is waited for.
    mark: Option<Mark>,
    /// Ends it on another thread.
    put_off: fn(Pending<V>),
    #[cfg(feature = "async")]
    done: Option<crate::stream::StreamDone>,
}
assert_impl_all!(Pending<crate::PinnedBuffer<f32>>: Send, Sync);

impl<V: Send + 'static> Pending<V> {
    /// Takes a value that the work in the stream may use.
    pub(super) fn new(value: V, home: Arc<Home>) -> Self {
        // If that fails, a later call fails likewise and tells.
        let mark = home.mark().ok();
        let mut pending = Pending::until_idle(value, home);
        pending.mark = mark;
        pending
    }

    /// Holds a value until the stream has nothing left to do.
    pub(super) fn until_idle(value: V, home: Arc<Home>) -> Self {
        Pending {
            value: Some(value),
            home,
            mark: None,
            put_off: |pending| put_off(pending),
            #[cfg(feature = "async")]
            done: None,
        }
    }
}

impl<V> Pending<V> {
    /// Waits until the device is done, and returns the value.
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)); [`OutOfBounds`](crate::Error::OutOfBounds) of a guarded kernel in the
    /// stream. The value is gone then.
    #[doc(alias = "cuEventSynchronize")]
    pub fn wait(mut self) -> Result<V> {
        self.take()
    }

    /// Returns the value if the device is done with it, otherwise `None`. Once it has returned the value, it returns
    /// `None`.
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)); [`OutOfBounds`](crate::Error::OutOfBounds) of a guarded kernel in the
    /// stream. The value is gone then.
    #[doc(alias = "cuEventQuery")]
    pub fn try_get(&mut self) -> Result<Option<V>> {
        if self.value.is_none() {
            return Ok(None);
        }
        match self.mark.map(|mark| self.home.is_past(mark)) {
            Some(Ok(false)) => Ok(None),
            Some(Ok(true)) => {
                let value = self.value.take();
                self.home.watch().look()?;
                Ok(value)
            }
            // The wait tells whether the work is over.
            Some(Err(_)) | None => self.take().map(Some),
        }
    }

    /// Waits, and takes the value.
    fn take(&mut self) -> Result<V> {
        let (waited, over) = match self.mark {
            Some(mark) => self.home.wait_past(mark),
            None => self.home.wait_to_end(),
        };
        let value = self.value.take();
        if !over {
            // The device may still use it.
            self.keep(value, is_for_later(&waited));
            waited?;
            return Err(taken());
        }
        waited?;
        self.home.watch().look()?;
        value.ok_or_else(taken)
    }
}

impl<V> Pending<V> {
    /// Keeps a value that may be in use: for ever, or until another thread can wait.
    #[cold]
    fn keep(&mut self, value: Option<V>, is_for_later: bool) {
        if !is_for_later {
            return std::mem::forget(value);
        }
        let (home, mark, put_off) = (self.home.clone(), self.mark, self.put_off);
        put_off(Pending {
            value,
            home,
            mark,
            put_off,
            #[cfg(feature = "async")]
            done: None,
        });
    }
}

#[cold]
fn taken() -> Error {
    let reason = "the value was returned before: do not poll a future that is complete";
    Error::InvalidArgument { call: "Pending::poll", reason: reason.into() }
}

impl<V> Drop for Pending<V> {
    fn drop(&mut self) {
        if self.value.is_none() {
            return;
        }
        match self.take() {
            Ok(_) => {}
            later if is_for_later(&later) => {}
            Err(error) => self.home.report(error),
        }
    }
}

impl<V> fmt::Debug for Pending<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pending")
    }
}

#[cfg(feature = "async")]
mod future {
    use super::*;
    use crate::stream::done;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    /// The future polls the event first. If the device is not done, the stream calls the waker behind the work that it
    /// holds by then.
    impl<V: Unpin> Future for Pending<V> {
        type Output = Result<V>;

        fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Result<V>> {
            match self.try_get() {
                Ok(Some(value)) => return Poll::Ready(Ok(value)),
                Ok(None) if self.value.is_none() => return Poll::Ready(Err(taken())),
                Ok(None) => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
            let this = &mut *self;
            let done = match &mut this.done {
                Some(done) => done,
                none => match done::finished(this.home.stream()) {
                    Ok(done) => none.insert(done),
                    Err(_) => return Poll::Ready(this.take()),
                },
            };
            match Pin::new(done).poll(task) {
                Poll::Pending => Poll::Pending,
                // Behind the operation in its stream, so there is nothing left to wait for.
                Poll::Ready(Ok(())) => {
                    let value = this.value.take().ok_or_else(taken);
                    Poll::Ready(this.home.watch().look().and(value))
                }
                Poll::Ready(Err(_)) => Poll::Ready(this.take()),
            }
        }
    }
}
