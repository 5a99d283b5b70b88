//! Host functions that are nodes of graphs.
#![allow(unsafe_code, reason = "is called back by the driver")]

use crate::call::fault;
use crate::driver::fork;
use crate::driver::release::{catch_up, drop_contained, in_function};
use crate::stream::host_function::{Panic, lock};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// A function, and its panic.
struct Call<F> {
    /// Locked while the function runs: a graph and its copies never run it simultaneously.
    running: Mutex<()>,
    function: Mutex<Slot<F>>,
    panic: Mutex<Option<Panic>>,
}

struct Slot<F> {
    /// `None` while the function runs, and once the graph is gone.
    function: Option<F>,
    /// Whether the graph is gone.
    over: bool,
}

/// A function that a graph keeps.
pub(super) trait Called: Send + Sync {
    /// Returns the first panic since the last call.
    fn panicked(&self) -> Option<Panic>;
}

/// A graph's reference to a function. When it is dropped, the function is dropped too, or later when its run is
/// over.
///
/// The driver has its own count of the `Arc`. It is taken back only if no fault was seen: after a fault, a
/// graph may still run, and call later nodes, although the wait for it is over
/// ([F326](crate::driver_facts#F326)).
struct Hold<F>(Arc<Call<F>>);

impl<F: Send> Called for Hold<F> {
    fn panicked(&self) -> Option<Panic> {
        // Values that the function dropped.
        catch_up();
        fork::lock(&self.0.panic)?.take()
    }
}

impl<F> Drop for Hold<F> {
    fn drop(&mut self) {
        let function = {
            // In the child of a fork it may stay locked, and nothing is called any more.
            let Some(mut slot) = fork::lock(&self.0.function) else { return };
            slot.over = true;
            slot.function.take()
        };
        drop_contained(function);
        if !fault::is_seen() {
            // SAFETY: the address in this `Arc`, of this type, and the count that `node` gave away: the graph is
            // gone, and each of its runs was waited for, which no fault cut short. So the driver calls it no more.
            drop_contained(unsafe { Arc::from_raw(Arc::as_ptr(&self.0)) });
        }
    }
}

/// Returns the owner of a function for a node, and the function that the driver calls while the owner lives.
pub(super) fn node<F: FnMut() + Send + 'static>(
    function: F,
) -> (Arc<dyn Called>, ffi::CUDA_HOST_NODE_PARAMS) {
    fault::gives_function();
    let call = Arc::new(Call {
        running: Mutex::new(()),
        function: Mutex::new(Slot { function: Some(function), over: false }),
        panic: Mutex::new(None),
    });
    let user_data = Arc::into_raw(call.clone()).cast_mut().cast();
    (Arc::new(Hold(call)), ffi::CUDA_HOST_NODE_PARAMS { r#fn: Some(run::<F>), userData: user_data })
}

unsafe extern "C" fn run<F: FnMut()>(data: *mut c_void) {
    // SAFETY: the address in an `Arc` of this type, of which the driver has a count for as long as it may call
    // this. Only references are made of it: any number of threads may be here.
    let call = unsafe { &*data.cast_const().cast::<Call<F>>() };
    in_function(|| call.run());
}

impl<F: FnMut()> Call<F> {
    /// Runs the function, unless the graph is gone.
    fn run(&self) {
        let one_at_a_time = lock(&self.running);
        // While the function runs, no lock is held that the end of the graph takes: the function may cause that
        // end.
        let taken = lock(&self.function).function.take();
        let Some(mut function) = taken else { return };
        let result = catch_unwind(AssertUnwindSafe(&mut function));
        let over = {
            let mut slot = lock(&self.function);
            if slot.over { Some(function) } else { slot.function.replace(function) }
        };
        drop_contained(over);
        drop(one_at_a_time);
        if let Err(panic) = result {
            // The first one stays; the other is dropped after the lock.
            let mut first = lock(&self.panic);
            let other = if first.is_none() { first.replace(panic) } else { Some(panic) };
            drop(first);
            drop_contained(other);
        }
    }
}
