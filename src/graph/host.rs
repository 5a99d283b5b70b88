//! Host functions that are nodes of graphs.
#![allow(unsafe_code, reason = "is called back by the driver")]

use crate::call::fault;
use crate::driver::fork;
use crate::driver::release::{catch_up, drop_contained, in_function};
use crate::stream::host_function::{FirstPanic, Panic, lock};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// A function, and its panic.
struct Call<F> {
    /// Locked while the function runs: a graph and its copies never run it simultaneously.
    running: Mutex<()>,
    function: Mutex<Slot<F>>,
    panic: FirstPanic,
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
        self.0.panic.take()
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
        panic: FirstPanic::default(),
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
            self.panic.keep(panic);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::Weak;
    use std::sync::mpsc::{Sender, channel};

    /// The driver's count ends with the graph's reference, unless a graph may still run behind a fault.
    #[test]
    fn the_drivers_count_of_a_function_is_taken_back() {
        let (graph, params) = node::<fn()>(|| ());
        let data = params.userData.cast_const().cast::<Call<fn()>>();
        // SAFETY: the address in an `Arc` of this type, of which the driver and the graph have a count each.
        unsafe { Arc::increment_strong_count(data) };
        // SAFETY: the count that was added.
        let call = unsafe { Arc::from_raw(data) };
        assert_eq!(Arc::strong_count(&call), 3);
        // Another test may note a fault.
        let before = fault::is_seen();
        drop(graph);
        let after = fault::is_seen();
        let counts = if before == after { [1 + usize::from(before); 2] } else { [1, 2] };
        let count = Arc::strong_count(&call);
        assert!(counts.contains(&count));
        if count == 2 {
            // SAFETY: the count that a driver would keep. Here is none.
            unsafe { Arc::decrement_strong_count(data) };
        }
    }

    /// A value that tells whether a call has nothing locked when it is dropped, and panics then.
    struct Asks(Weak<dyn Locks>, Sender<bool>);

    trait Locks: Send + Sync {
        fn are_open(&self) -> bool;
    }

    impl<F: Send> Locks for Call<F> {
        fn are_open(&self) -> bool {
            let Call { running, function, panic } = self;
            running.try_lock().is_ok() && function.try_lock().is_ok() && panic.is_open()
        }
    }

    impl Drop for Asks {
        fn drop(&mut self) {
            let call = self.0.upgrade();
            let _ = self.1.send(call.is_some_and(|call| call.are_open()));
            if cfg!(panic = "unwind") {
                std::panic::panic_any(());
            }
        }
    }

    fn call_of<F: FnMut() + Send + 'static>(
        make: impl FnOnce(Weak<dyn Locks>) -> F,
    ) -> Arc<Call<F>> {
        Arc::new_cyclic(|call: &Weak<Call<F>>| {
            let slot = Slot { function: Some(make(call.clone())), over: false };
            Call {
                running: Mutex::new(()),
                function: Mutex::new(slot),
                panic: FirstPanic::default(),
            }
        })
    }

    #[test]
    #[cfg(panic = "unwind")]
    fn a_panic_that_nobody_asks_for_is_dropped_where_nothing_is_locked() {
        let (tell, told) = channel();
        let call = call_of(|call| move || std::panic::panic_any(Asks(call.clone(), tell.clone())));
        call.run();
        assert!(told.try_recv().is_err(), "the first one stays");
        call.run();
        assert_eq!(told.try_recv(), Ok(true));
        // The first one ends with the call. Its destructor panics, too.
        drop(call);
        assert_eq!(told.try_recv(), Ok(false), "the call is gone");
    }

    #[test]
    fn a_function_whose_graph_ended_during_its_run_is_dropped_behind_it() {
        let (tell, told) = channel();
        let call = call_of(|call| {
            let asks = Asks(call.clone(), tell);
            let mut ends = Some(move || {
                // As the end of the graph does.
                let _ = &asks;
            });
            move || ends.iter_mut().for_each(|ends| ends())
        });
        lock(&call.function).over = true;
        call.run();
        assert!(told.try_recv().is_ok());
        assert!(lock(&call.function).function.is_none());
    }
}
