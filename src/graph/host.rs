//! Functions of the host that are nodes of graphs.
#![allow(unsafe_code, reason = "is called back by the driver")]

use crate::host_function::Panic;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A function, and what it panicked with. A graph and its copies run it one at a time.
struct Call<F> {
    function: Mutex<F>,
    panic: Mutex<Option<Panic>>,
}

/// A function that a graph keeps.
pub(super) trait Called: Send + Sync {
    /// What it panicked with first, since this was last asked.
    fn panicked(&self) -> Option<Panic>;
}

impl<F: Send> Called for Call<F> {
    fn panicked(&self) -> Option<Panic> {
        lock(&self.panic).take()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A function for a node: what keeps it, and what the driver calls, as long as it is kept.
pub(super) fn node<F: FnMut() + Send + 'static>(
    function: F,
) -> (Arc<dyn Called>, ffi::CUDA_HOST_NODE_PARAMS) {
    let call = Arc::new(Call { function: Mutex::new(function), panic: Mutex::new(None) });
    let user_data = Arc::as_ptr(&call).cast_mut().cast();
    (call, ffi::CUDA_HOST_NODE_PARAMS { r#fn: Some(run::<F>), userData: user_data })
}

unsafe extern "C" fn run<F: FnMut()>(data: *mut c_void) {
    // SAFETY: the address in an `Arc` of this type, which the graph keeps until nothing runs it. Only
    // references are made of it: any number of threads may be here.
    let call = unsafe { &*data.cast_const().cast::<Call<F>>() };
    let mut function = lock(&call.function);
    if let Err(panic) = catch_unwind(AssertUnwindSafe(&mut *function)) {
        lock(&call.panic).get_or_insert(panic);
    }
}
