//! Functions of the host that a stream calls, and the future of a stream's end.
#![allow(unsafe_code, reason = "hands functions to the driver")]

use crate::error::check;
use crate::{OnStream, Result};
use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A function on its way through the driver, and back.
struct Call<F> {
    function: Mutex<Option<F>>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
        const CALL: &str = "cuLaunchHostFunc";
        let call = Arc::new(Call { function: Mutex::new(Some(function)), panic: Mutex::new(None) });
        let run = trampoline(&call);
        let data = Arc::into_raw(call.clone());
        // SAFETY: the stream is alive. `run` is called at most once, with `data`, which is the count of
        // the `Arc` that it takes over. The function is `Send` and `'static`, and does not unwind.
        let code = unsafe {
            ffi::cuLaunchHostFunc(self.raw(), Some(run), data.cast_mut().cast::<c_void>())
        };
        let waited = match check(CALL, code) {
            Ok(()) => self.finish(),
            Err(error) => {
                // A sticky error may be that of earlier work, and the function taken all the same.
                if !error.is_sticky() {
                    // SAFETY: a call that was refused took nothing over: `data` is still ours.
                    drop(unsafe { Arc::from_raw(data) });
                }
                Err(error.into())
            }
        };
        // What was not called is dropped here. After a fault the driver never calls it (F152).
        let not_called = lock(&call.function).take();
        drop(not_called);
        let panicked = lock(&call.panic).take();
        match panicked {
            Some(panic) => resume_unwind(panic),
            None => waited,
        }
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
