//! Functions of the host that a stream calls, and the future of a stream's end.
#![allow(unsafe_code, reason = "hands functions to the driver")]

use crate::error::check;
use crate::{OnStream, Queue, Result};
use ffi::CUstream;
use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) const CALL: &str = "cuLaunchHostFunc";

/// What a function panicked with.
pub(crate) type Panic = Box<dyn Any + Send>;

/// A function on its way through the driver, and back.
struct Call<F> {
    function: Mutex<Option<F>>,
    panic: Mutex<Option<Panic>>,
}

/// A function in a stream.
pub(crate) trait Pending {
    /// Once the stream is past it: drops the function if it was not called, which is so after a fault
    /// (F152), and gives what it panicked with.
    fn end(&self) -> Option<Panic>;
}

impl<F> Pending for Arc<Call<F>> {
    fn end(&self) -> Option<Panic> {
        let not_called = lock(&self.function).take();
        drop(not_called);
        lock(&self.panic).take()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
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
    let call = Arc::new(Call { function: Mutex::new(Some(function)), panic: Mutex::new(None) });
    let run = trampoline(&call);
    let data = Arc::into_raw(call.clone());
    // SAFETY: the stream is alive (1). `run` is called at most once, with `data`, which is the count of
    // the `Arc` that it takes over. The function is `Send` and `'static`, and does not unwind.
    let code = unsafe { ffi::cuLaunchHostFunc(stream, Some(run), data.cast_mut().cast()) };
    if let Err(error) = check(CALL, code) {
        // A sticky error may be that of earlier work, and the function taken all the same.
        if !error.is_sticky() {
            // SAFETY: a call that was refused took nothing over: `data` is still ours.
            drop(unsafe { Arc::from_raw(data) });
        }
        call.end();
        return Err(error.into());
    }
    Ok(call)
}

impl OnStream<'_, '_> {
    /// Calls a function on a thread of the driver, behind what the stream holds, and waits for it. A
    /// panic of it goes on in the caller.
    ///
    /// The function must make no calls of the driver: it is refused there nearly everything (F23), so that
    /// what it drops of a device stays until its context ends.
    ///
    /// # Errors
    /// A sticky error of earlier work (F60): the function is then dropped and was not called.
    ///
    /// # Panics
    /// If the function does.
    #[doc(alias = "cuLaunchHostFunc")]
    pub fn host_function(&self, function: impl FnOnce() + Send + 'static) -> Result {
        // SAFETY: 1. The stream is borrowed.
        unsafe { call(self.raw(), function, || self.finish()) }
    }
}

/// Adds a function to a stream and waits for it by `finish`. A panic of it goes on in the caller.
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
    match call.end() {
        Some(panic) => resume_unwind(panic),
        None => waited,
    }
}

impl Queue<'_, '_> {
    /// Calls a function on a thread of the driver, behind what the queue holds. A panic of it goes on
    /// when the scope has waited.
    ///
    /// The function must make no calls of the driver: as in [`OnStream::host_function`].
    ///
    /// # Errors
    /// [`OtherContext`](crate::Error::OtherContext) for the queue; a sticky error of earlier work (F60):
    /// the function is then dropped and was not called.
    #[doc(alias = "cuLaunchHostFunc")]
    pub fn host_function(&self, function: impl FnOnce() + Send + 'static) -> Result {
        let stream = self.ready(CALL)?;
        // SAFETY: 1. The stream is borrowed for the scope.
        let call = unsafe { enqueue(stream, function) }?;
        self.keep_call(Box::new(call));
        Ok(())
    }
}

/// What the driver calls for a function of this type.
fn trampoline<F: FnOnce() + Send>(_: &Arc<Call<F>>) -> unsafe extern "C" fn(*mut c_void) {
    unsafe extern "C" fn run<F: FnOnce() + Send>(data: *mut c_void) {
        // SAFETY: the one count that `host_function` gave away, of this type.
        let call = unsafe { Arc::from_raw(data.cast_const().cast::<Call<F>>()) };
        let function = lock(&call.function).take();
        let result = catch_unwind(AssertUnwindSafe(|| function.map(|function| function())));
        if let Err(panic) = result {
            *lock(&call.panic) = Some(panic);
        }
    }
    run::<F>
}
