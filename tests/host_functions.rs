//! Functions of the host in a stream, and the future of a stream's end.
#![allow(unsafe_code, reason = "launches kernels")]

mod common;

use common::kernels::{SPIN, TRAP};
use cuscope::{
    Context, ContextFlags, ContextStack, Device, LaunchConfig, PushedGuard, Result, Stream,
};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context as Task, Poll, Wake};
use std::thread::{self, Thread};

fn with_gpu<R>(test: impl FnOnce(&PushedGuard<'_>) -> R) -> R {
    let context = Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    test(&gpu)
}

/// Enqueues a kernel that runs for so many milliseconds.
fn spin<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, milliseconds: u64) {
    let spin = gpu.load_ptx(SPIN).unwrap().function("spin").unwrap();
    let one = LaunchConfig::new(1, 1);
    // SAFETY: the kernel is spin(u64) and uses no memory.
    unsafe { gpu.on(stream).launch_unscoped(&spin, one, (milliseconds * 1_000_000,)) }.unwrap();
    // Unloading would wait for the kernel.
    std::mem::forget(spin);
}

struct Unpark(Thread, AtomicUsize);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.unpark();
    }
}

/// The least of executors. Gives the number of wakes too.
fn block_on<F: Future>(future: F) -> (F::Output, usize) {
    let mut future = pin!(future);
    let unpark = Arc::new(Unpark(thread::current(), AtomicUsize::new(0)));
    let waker = unpark.clone().into();
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Task::from_waker(&waker)) {
            return (output, unpark.1.load(Ordering::Relaxed));
        }
        thread::park();
    }
}

#[test]
fn a_host_function_is_called_behind_the_work_and_waited_for() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (log, here) = (Arc::new(Mutex::new(Vec::new())), thread::current().id());
        for i in 0..3 {
            spin(gpu, &stream, 5);
            let log = log.clone();
            let told = move || log.lock().unwrap().push((i, thread::current().id() != here));
            gpu.on(&stream).host_function(told).unwrap();
            assert!(stream.query().unwrap(), "complete");
        }
        assert_eq!(*log.lock().unwrap(), [(0, true), (1, true), (2, true)]);
        assert_eq!(Arc::strong_count(&log), 1, "the functions are gone");
    });
}

#[test]
fn a_panic_of_a_host_function_goes_on_in_the_caller() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let caught = catch_unwind(AssertUnwindSafe(|| on.host_function(|| panic!("there"))));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"there"));
        on.host_function(|| ()).unwrap();
    });
}

#[test]
fn host_functions_of_a_scope_are_called_in_the_order_of_their_queue() {
    with_gpu(|gpu| {
        let (stream, other) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let log = Arc::new(Mutex::new(Vec::new()));
        let note = |what: u32| {
            let log = log.clone();
            move || log.lock().unwrap().push(what)
        };
        let data = vec![7_u32; 64];
        let mut buffer = gpu.alloc::<u32>(64).unwrap();
        gpu.scope(|s| {
            let (queue, second) = (s.on(&stream), s.on(&other));
            let mut held = s.hold(&mut buffer);
            queue.host_function(note(1))?;
            queue.upload(&data, &mut held)?;
            queue.host_function(note(2))?;
            second.zero(&mut held)?;
            second.host_function(note(3))?;
            Ok(())
        })
        .unwrap();
        let log = std::mem::take(&mut *log.lock().unwrap());
        assert_eq!(log.len(), 3);
        assert!(log.iter().position(|l| *l == 1) < log.iter().position(|l| *l == 2), "{log:?}");
    });
}

#[test]
fn a_panic_in_a_scope_goes_on_when_it_has_waited() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let called = Arc::new(AtomicUsize::new(0));
        let caught = catch_unwind(AssertUnwindSafe(|| {
            gpu.scope(|s| {
                let queue = s.on(&stream);
                queue.host_function(|| panic!("first"))?;
                let called = called.clone();
                queue.host_function(move || {
                    called.fetch_add(1, Ordering::Relaxed);
                })?;
                queue.host_function(|| panic!("second"))
            })
        }));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"first"));
        assert_eq!(called.load(Ordering::Relaxed), 1);
        assert!(stream.query().unwrap());
        // The closure's own panic goes first.
        let caught = catch_unwind(AssertUnwindSafe(|| {
            gpu.scope(|s| -> Result {
                s.on(&stream).host_function(|| panic!("there"))?;
                panic!("here")
            })
        }));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"here"));
    });
}

/// F23: a release in a host function is refused, which is told; nothing else happens.
#[test]
fn the_driver_is_refused_to_a_host_function() {
    static REPORTED: AtomicUsize = AtomicUsize::new(0);
    fresh!(the_driver_is_refused_to_a_host_function, {
        cuscope::on_release_error(|_| {
            REPORTED.fetch_add(1, Ordering::Relaxed);
        });
        with_gpu(|gpu| {
            use cuscope::Branded;
            let stream = gpu.stream().unwrap();
            let buffer = gpu.alloc::<u8>(100).unwrap().detach();
            let answers = Arc::new(Mutex::new(None));
            let told = answers.clone();
            let work = move || {
                drop(buffer);
                let device = Device::get(0).map(drop);
                *told.lock().unwrap() = Some((device, ContextStack::current_thread().map(drop)));
            };
            gpu.on(&stream).host_function(work).unwrap();
            assert_eq!(REPORTED.load(Ordering::Relaxed), 1, "the free");
            let (device, stack) = answers.lock().unwrap().take().unwrap();
            for error in [device.unwrap_err(), stack.unwrap_err()] {
                assert_eq!(error.code(), Some(cuscope::ffi::CUDA_ERROR_NOT_PERMITTED), "{error}");
            }
        });
    });
}

/// F152.
#[test]
fn after_a_fault_a_host_function_is_dropped_and_a_future_tells() {
    fresh!(after_a_fault_a_host_function_is_dropped_and_a_future_tells, {
        with_gpu(|gpu| {
            let (stream, other) = (gpu.stream().unwrap(), gpu.stream().unwrap());
            let trap = gpu.load_ptx(TRAP).unwrap().function("fault").unwrap();
            assert_eq!(block_on(other.finished().unwrap()).0, Ok(()));
            // SAFETY: the kernel takes nothing and touches no memory.
            unsafe { gpu.on(&stream).launch_unscoped(&trap, LaunchConfig::new(1, 1), ()) }.unwrap();
            let behind = stream.finished().unwrap();
            assert!(block_on(behind).0.unwrap_err().is_sticky());
            let (called, owned) = (Arc::new(AtomicUsize::new(0)), Arc::new(()));
            let (call, own) = (called.clone(), owned.clone());
            let function = move || {
                let _own = &own;
                call.fetch_add(1, Ordering::Relaxed);
            };
            assert!(gpu.on(&stream).host_function(function).unwrap_err().is_sticky());
            assert_eq!((called.load(Ordering::Relaxed), Arc::strong_count(&owned)), (0, 1));
            assert!(stream.finished().unwrap_err().is_sticky());
        });
    });
}

#[test]
fn a_future_is_ready_when_the_stream_is() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        spin(gpu, &stream, 30);
        let finished = stream.finished().unwrap();
        assert!(!stream.query().unwrap());
        let (result, wakes) = block_on(finished);
        result.unwrap();
        assert_eq!(wakes, 1);
        // Nothing to wait for.
        block_on(stream.finished().unwrap()).0.unwrap();
    });
}

#[test]
fn a_future_may_be_dropped_or_sent_or_outlive_its_stream() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        spin(gpu, &stream, 20);
        drop(stream.finished().unwrap());
        let polled = stream.finished().unwrap();
        let mut polled = Box::pin(polled);
        let unpark = Arc::new(Unpark(thread::current(), AtomicUsize::new(0)));
        let waker = unpark.clone().into();
        assert!(polled.as_mut().poll(&mut Task::from_waker(&waker)).is_pending());
        drop((polled, waker));
        let sent = stream.finished().unwrap();
        let outlives = stream.finished().unwrap();
        drop(stream);
        let done = thread::spawn(move || block_on(sent).0);
        block_on(outlives).0.unwrap();
        done.join().unwrap().unwrap();
        gpu.synchronize().unwrap();
        assert_eq!(Arc::strong_count(&unpark), 1, "the waker is gone");
    });
}

#[test]
fn many_streams_are_awaited_at_once() {
    async fn both(a: &Stream<'_>, b: &Stream<'_>) -> Result {
        let (a, b) = (a.finished()?, b.finished()?);
        b.await?;
        a.await
    }
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        spin(gpu, &a, 10);
        spin(gpu, &b, 20);
        let start = std::time::Instant::now();
        block_on(both(&a, &b)).0.unwrap();
        assert!(start.elapsed().as_millis() >= 15, "not awaited");
    });
}
