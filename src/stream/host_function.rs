//! Host functions that a stream calls.
#![allow(unsafe_code, reason = "hands functions to the driver")]

use super::{SyncMode, SyncStream};
use crate::call::{answer, fault, name};
use crate::driver::fork;
use crate::driver::release::{self, drop_contained};
use crate::error::{Result, means_not_taken};
use crate::registry::LentHost;
use ffi::CUstream;
use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) const CALL: &str = name!(cuLaunchHostFunc);

/// The panic of a function.
pub(crate) type Panic = Box<dyn Any + Send>;

/// The first panic of a function, until somebody takes it. If nobody does, it ends here, and so does a panic of its destructor.
#[derive(Default)]
pub(crate) struct FirstPanic(Mutex<Option<Panic>>);

impl FirstPanic {
    /// Keeps a panic, unless there is one. Then the new one ends here, where nothing is locked.
    #[cold]
    #[inline]
    pub(crate) fn keep(&self, panic: Panic) {
        let other = {
            let mut first = lock(&self.0);
            if first.is_none() { first.replace(panic) } else { Some(panic) }
        };
        drop_contained(other);
    }

    #[cfg(test)]
    pub(crate) fn is_open(&self) -> bool {
        self.0.try_lock().is_ok()
    }

    /// Takes the panic. In the child of a fork it may stay locked: then there is none.
    #[inline]
    pub(crate) fn take(&self) -> Option<Panic> {
        fork::lock(&self.0)?.take()
    }
}

impl Drop for FirstPanic {
    #[inline]
    fn drop(&mut self) {
        if let Some(left) = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            drop_contained(left);
        }
    }
}

/// A function on its way through the driver, and back.
struct Call<F> {
    function: Mutex<Option<F>>,
    panic: FirstPanic,
}

/// A function in a stream.
pub(crate) trait Pending {
    /// Ends the call once the stream has passed the function. Drops the function if it was not called, as after
    /// a fault ([F152](crate::driver_facts#F152)), and returns the panic of the function or of its destructor.
    fn end(&self) -> Option<Panic>;
}

/// Returns the first panic of several functions. All are asked, and the other panics are dropped.
#[cold]
#[inline]
pub(crate) fn first(panics: &mut dyn Iterator<Item = Option<Panic>>) -> Option<Panic> {
    let mut panics = panics.flatten();
    let first = panics.next();
    panics.for_each(drop_contained);
    first
}

impl<F> Pending for Arc<Call<F>> {
    fn end(&self) -> Option<Panic> {
        let not_called = fork::lock(&self.function).and_then(|mut function| function.take());
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(not_called)));
        first(&mut [dropped.err(), self.panic.take()].into_iter())
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds a function to a stream.
///
/// # Safety
/// 1. The stream is alive.
pub(crate) unsafe fn enqueue<F: FnOnce() + Send + 'static>(
    stream: CUstream,
    function: F,
) -> Result<impl Pending + use<F>> {
    fault::gives_function();
    let call =
        Arc::new(Call { function: Mutex::new(Some(function)), panic: FirstPanic::default() });
    let run = trampoline(&call);
    let data = Arc::into_raw(call.clone());
    // SAFETY: the stream is alive (1). `run` is called at most once, with `data`, which is the count of
    // the `Arc` that it takes over. The function is `Send` and `'static`, and does not unwind.
    let answer = unsafe { answer!(cuLaunchHostFunc(stream, Some(run), data.cast_mut().cast())) };
    if let Err(error) = answer.check() {
        // Another error may come from earlier work, and the driver may have accepted the function all the same.
        if means_not_taken(answer.code) {
            // SAFETY: the call took nothing over: `data` is still ours.
            drop(unsafe { Arc::from_raw(data) });
        }
        if let Some(panic) = call.end() {
            resume_unwind(panic);
        }
        return Err(error.into());
    }
    Ok(call)
}

impl<S: SyncMode> SyncStream<'_, '_, S> {
    /// Calls a function on a thread of the driver, after the work in the stream, and waits for it.
    ///
    /// If the function panics, the panic continues in the caller. Do not call CUDA from the function: nearly
    /// every call fails ([F23](crate::driver_facts#F23)).
    ///
    /// # Drops
    /// The function may drop everything. The driver releases nothing on its thread, so this crate releases it later: when
    /// this call returns, or with the next operation on another thread that releases something, waits for a context, or
    /// takes a [`ContextStack`](crate::ContextStack) (invariant
    /// [`released-later`](crate::soundness#released-later)). So do functions of graphs, and the wakers of
    /// the futures of feature `async`.
    ///
    /// # Errors
    /// A sticky error of earlier work ([F60](crate::driver_facts#F60)). The function is then dropped without
    /// being called: the driver calls no function of a stream in which a kernel faulted. If another thread waits for what
    /// the function does, tell it also when this call returns an error, or in the `Drop` of a value that the function owns.
    ///
    /// # Panics
    /// If the function panics.
    #[doc(alias = "cuLaunchHostFunc")]
    #[doc(alias = "cudaLaunchHostFunc")]
    pub fn host_function(&self, function: impl FnOnce() + Send + 'static) -> Result {
        self.on.enter(CALL, |stream| {
            // SAFETY: 1. The stream is there until this returns.
            unsafe { call(stream.raw(), function, || stream.complete(Ok(()), LentHost::NONE)) }
        })
    }
}

/// Adds a function to a stream and waits for it by `finish`. If the function panics, the panic continues in the
/// caller.
///
/// # Safety
/// 1. The stream is alive.
pub(crate) unsafe fn call(
    stream: CUstream,
    function: impl FnOnce() + Send + 'static,
    finish: impl FnOnce() -> Result,
) -> Result {
    // SAFETY: the caller's obligation 1.
    let call = unsafe { enqueue(stream, function) }?;
    let waited = finish();
    let panic = call.end();
    // Values that the function dropped.
    release::catch_up();
    match panic {
        Some(panic) => resume_unwind(panic),
        None => waited,
    }
}

/// Returns the function that the driver calls for a function of this type.
fn trampoline<F: FnOnce() + Send>(_: &Arc<Call<F>>) -> unsafe extern "C" fn(*mut c_void) {
    unsafe extern "C" fn run<F: FnOnce() + Send>(data: *mut c_void) {
        // SAFETY: the one count that `host_function` gave away, of this type.
        let call = unsafe { Arc::from_raw(data.cast_const().cast::<Call<F>>()) };
        // The call ends in there, with a panic that nobody asks for any more.
        release::in_function(move || {
            let function = lock(&call.function).take();
            let result = catch_unwind(AssertUnwindSafe(|| function.map(|function| function())));
            if let Err(panic) = result {
                call.panic.keep(panic);
            }
        });
    }
    run::<F>
}
