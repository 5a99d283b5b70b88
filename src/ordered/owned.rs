//! Values that move into an operation, and come back.
#![allow(unsafe_code, reason = "enqueues work on memory that moves into it")]

use super::{Ordered, OrderedSource, OrderedStream, Pending};
use crate::call::same_context;
use crate::error::{Error, Result};
use crate::memory::{DeviceBuffer, DeviceMemoryMut, Element, PinnedBuffer, PitchedBuffer};
use crate::ops::{Download, Operation, Upload};
use crate::stack::PushedGuard;
use std::fmt;
use std::mem;
use std::ptr;

/// An operation that would own a value was refused. Contains the error, and the value unless the device may still use
/// it. `?` converts it to the [`Error`].
pub struct NotTaken<V> {
    /// The reason.
    pub error: Error,
    /// The value. `None` if nothing proves that the device does not use it: it is leaked then.
    pub value: Option<V>,
}

impl<V> fmt::Debug for NotTaken<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NotTaken: {}", self.error)
    }
}

impl<V> fmt::Display for NotTaken<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<V> std::error::Error for NotTaken<V> {}

#[diagnostic::do_not_recommend]
impl<V> From<NotTaken<V>> for Error {
    fn from(refused: NotTaken<V>) -> Error {
        refused.error
    }
}

/// # Operations that own host memory
impl OrderedStream {
    /// Copies page-locked memory to the device. The memory moves into the operation, and comes back from what this
    /// returns.
    ///
    /// # Errors
    /// [`NotTaken`], which contains the memory: the errors of [`upload`](Self::upload).
    #[doc(alias = "cuMemcpyHtoDAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    pub fn upload_owned<T: Element, M: DeviceMemoryMut<'static, T>>(
        &self,
        from: PinnedBuffer<T>,
        to: &mut Ordered<M>,
    ) -> Result<Pending<PinnedBuffer<T>>, NotTaken<PinnedBuffer<T>>> {
        let upload = Upload::new(ptr::from_ref(&*from), to.used(true));
        // SAFETY: the page-locked memory stays where it is, and is neither used nor freed until the stream is past the
        // operation.
        unsafe { self.run_owned(&upload, from) }
    }

    /// Copies device memory to page-locked memory. That moves into the operation, and comes back from what this
    /// returns.
    ///
    /// # Errors
    /// [`NotTaken`], which contains the memory: the errors of [`download`](Self::download).
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextStack, Device};
    /// # fn main() -> cuscope::Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let ordered = gpu.ordered_stream()?;
    /// let answer = {
    ///     let x = ordered.from_slice(&[1_u32, 2, 3])?;
    ///     ordered.download_owned(&x, gpu.pinned(3)?)? // frees x behind the copy
    /// };
    /// assert_eq!(answer.wait()?[..], [1, 2, 3]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    pub fn download_owned<T: Element>(
        &self,
        from: &impl OrderedSource<T>,
        mut to: PinnedBuffer<T>,
    ) -> Result<Pending<PinnedBuffer<T>>, NotTaken<PinnedBuffer<T>>> {
        let download = Download::new(from.read(), ptr::from_mut(&mut *to));
        // SAFETY: as in `upload_owned`.
        unsafe { self.run_owned(&download, to) }
    }

    /// Enqueues an operation that owns host memory.
    ///
    /// # Safety
    /// 1. of [`run`](Self::run), where the host memory is that of `value`, which stays where it is as long as `value`
    ///    is neither used nor dropped.
    pub(super) unsafe fn run_owned<V: Send + 'static>(
        &self,
        operation: &impl Operation,
        value: V,
    ) -> Result<Pending<V>, NotTaken<V>> {
        // SAFETY: the caller's obligation 1: `value` is held until the stream is past the operation, or leaked.
        match unsafe { self.run_copy(operation) } {
            Ok(()) => Ok(Pending::new(value, self.home.clone())),
            Err(error) if error.code().is_none_or(crate::error::means_not_taken) => {
                Err(NotTaken { error, value: Some(value) })
            }
            // It may have been enqueued all the same.
            Err(error) => match self.home.wait_to_end() {
                (_, true) => Err(NotTaken { error, value: Some(value) }),
                (_, false) => {
                    mem::forget(value);
                    Err(NotTaken { error, value: None })
                }
            },
        }
    }
}

macro_rules! into_idle {
    ($($buffer:ident)*) => { $(
        impl<T: Element> Ordered<$buffer<'static, T>> {
            /// Waits for all work of the stream, and returns the buffer, which belongs to the stream no more.
            ///
            /// Blocking operations and scopes under the guard use it, in any stream.
            ///
            /// # Errors
            /// [`NotTaken`], which contains the buffer: [`OtherContext`](Error::OtherContext) for a guard of another context;
            /// a sticky error ([F60](crate::driver_facts#F60)).
            #[doc(alias = "cuStreamSynchronize")]
            #[allow(clippy::result_large_err, reason = "the buffer comes back")]
            pub fn into_idle<'ctx>(
                mut self,
                gpu: &PushedGuard<'ctx>,
            ) -> Result<$buffer<'ctx, T>, NotTaken<Self>> {
                let waited = same_context("Ordered::into_idle", gpu.context() == self.context()).and_then(|()| {
                    let Some(home) = self.0.inner.home() else { return Ok(()) };
                    home.synchronize()?;
                    home.watch().look()
                });
                match waited {
                    Ok(()) => {
                        self.0.inner.leave_home();
                        Ok(self.0.with_brand())
                    }
                    Err(error) => Err(NotTaken { error, value: Some(self) }),
                }
            }
        }
    )* };
}
into_idle!(DeviceBuffer PitchedBuffer);
