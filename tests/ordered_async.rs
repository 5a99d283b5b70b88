//! Owned host memory as a future, and faults with work in flight.
#![allow(unsafe_code, reason = "launches kernels")]

mod common;

use common::gpu::{kernel, new_context, with_gpu};
use common::kernels::{SPIN, TRAP};
use common::{fewer, longer};
use cuscope::ordered::OrderedOptions;
use cuscope::{ContextStack, LaunchConfig};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context as Task, Poll, Wake};
use std::thread::{self, Thread};
use std::time::Duration;

struct Unpark(Thread, AtomicUsize);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.unpark();
    }
}

/// Runs a future on this thread. Returns its result and the number of wakes.
fn block_on<F: Future>(future: F) -> (F::Output, usize) {
    let unpark = Arc::new(Unpark(thread::current(), AtomicUsize::new(0)));
    let waker = unpark.clone().into();
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Task::from_waker(&waker)) {
            Poll::Ready(value) => return (value, unpark.1.load(Ordering::Relaxed)),
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn a_pending_value_is_a_future_that_one_wake_completes() {
    with_gpu(|gpu| {
        let spinner = kernel(gpu, SPIN, "spin");
        let ordered = gpu.ordered_stream().unwrap();
        let time = longer(Duration::from_millis(50)).as_nanos() as u64;
        // SAFETY: the kernel is spin(u64), and uses no memory.
        unsafe { ordered.launch(&spinner, LaunchConfig::new(1, 1), (time,)) }.unwrap();
        let x = ordered.from_slice(&[3_u32; 8]).unwrap();
        let behind_spin = ordered.download_owned(&x, gpu.pinned(8).unwrap()).unwrap();
        let later = ordered.download_owned(&x, gpu.pinned(8).unwrap()).unwrap();
        drop(x);
        let (value, wakes) = block_on(behind_spin);
        assert_eq!(value.unwrap()[..], [3; 8]);
        assert!(wakes <= 1, "{wakes}");
        // The device is done with it.
        ordered.synchronize().unwrap();
        let (value, wakes) = block_on(later);
        assert_eq!((value.unwrap()[..].to_vec(), wakes), (vec![3; 8], 0));
    });
}

#[test]
fn a_pending_value_moves_to_another_thread_and_comes_back_once() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let ordered = gpu.ordered_stream().unwrap();
    let x = ordered.from_slice(&[6_u32; 4]).unwrap();
    let download = || ordered.download_owned(&x, gpu.pinned(4).unwrap()).unwrap();
    let pending = download();
    let done = thread::spawn(move || block_on(pending).0.unwrap().to_vec());
    assert_eq!(done.join().unwrap(), [6; 4]);
    let mut pending = pin!(download());
    block_on(pending.as_mut()).0.unwrap();
    let error = block_on(pending).0.unwrap_err();
    assert!(error.to_string().contains("was returned before"), "{error}");
}

/// F60: the device is lost, and one report is enough.
#[test]
fn after_a_fault_all_ends_and_a_thousand_drops_report_once() {
    static REPORTED: AtomicUsize = AtomicUsize::new(0);
    fresh!(after_a_fault_all_ends_and_a_thousand_drops_report_once, {
        cuscope::on_release_error(|_| {
            REPORTED.fetch_add(1, Ordering::Relaxed);
        });
        with_gpu(|gpu| {
            let trap = kernel(gpu, TRAP, "fault");
            let options = OrderedOptions::new().keep(0);
            let ordered = gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap();
            let reader = gpu.ordered_stream().unwrap();
            let shared = ordered.from_slice(&[1_u32; 4]).unwrap().share();
            assert_eq!(reader.to_vec(&shared).unwrap(), [1; 4]);
            let buffers: Vec<_> =
                (0..fewer(1000, 20)).map(|_| ordered.alloc::<u32>(4).unwrap()).collect();
            let pending = |x| ordered.download_owned(x, gpu.pinned(4).unwrap()).unwrap();
            let (waited, polled, dropped) =
                (pending(&buffers[0]), pending(&buffers[1]), pending(&buffers[2]));
            // SAFETY: the kernel takes nothing and touches no memory.
            unsafe { ordered.launch(&trap, LaunchConfig::new(1, 1), ()) }.unwrap();
            assert!(ordered.synchronize().unwrap_err().is_sticky());
            assert!(waited.wait().unwrap_err().is_sticky());
            assert!(block_on(polled).0.unwrap_err().is_sticky());
            assert!(ordered.alloc::<u32>(4).unwrap_err().is_sticky());
            let before = REPORTED.load(Ordering::Relaxed);
            drop(buffers);
            assert_eq!(REPORTED.load(Ordering::Relaxed) - before, 1);
            drop(shared);
            assert_eq!(REPORTED.load(Ordering::Relaxed) - before, 1, "known");
            // Its memory is still page-locked, which is another matter.
            drop(dropped);
            assert!(REPORTED.load(Ordering::Relaxed) - before <= 2);
        });
    });
}
