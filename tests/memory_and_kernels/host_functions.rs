//! Functions of the host in a stream, and the future of a stream's end.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{hold, kernel, with_gpu};
use crate::common::kernels::{SPIN, TRAP};
use crate::common::{HANG, until};
use crate::{common, fresh, needs_unwinding, skip};
use cuscope::{ContextStack, Device, LaunchConfig, PushedGuard, Result, Stream, StreamDone};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::fmt::{self, Write as _};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context as Task, Poll, RawWaker, RawWakerVTable, Wake, Waker};
use std::thread::{self, Thread};

/// Enqueues a kernel that runs for so many milliseconds.
fn spin<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>, milliseconds: u64) {
    let spin = kernel(gpu, SPIN, "spin");
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
    needs_unwinding!("the payload comes up in the caller");
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let on = gpu.on(&stream);
        let caught = catch_unwind(AssertUnwindSafe(|| on.host_function(|| panic!("there"))));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"there"));
        on.host_function(|| ()).unwrap();
    });
}

#[test]
fn host_functions_of_a_scope_are_called_in_the_order_of_their_stream() {
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
            let (stream, second) = (s.on(&stream), s.on(&other));
            let mut held = s.hold(&mut buffer);
            stream.host_function(note(1))?;
            stream.upload(&data, &mut held)?;
            stream.host_function(note(2))?;
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
    needs_unwinding!("the payload comes up behind the scope");
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let called = Arc::new(AtomicUsize::new(0));
        let caught = catch_unwind(AssertUnwindSafe(|| {
            gpu.scope(|s| {
                let stream = s.on(&stream);
                stream.host_function(|| panic!("first"))?;
                let called = called.clone();
                stream.host_function(move || {
                    called.fetch_add(1, Ordering::Relaxed);
                })?;
                stream.host_function(|| panic!("second"))
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
            assert_eq!(REPORTED.load(Ordering::Relaxed), 0, "the memory is freed later");
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
            let trap = kernel(gpu, TRAP, "fault");
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
        let gate = hold(&stream);
        let mut finished = stream.finished().unwrap();
        assert!(!stream.query().unwrap());
        let unpark = Arc::new(Unpark(thread::current(), AtomicUsize::new(0)));
        let waker = unpark.clone().into();
        let mut poll = || Pin::new(&mut finished).poll(&mut Task::from_waker(&waker));
        assert!(poll().is_pending());
        gate.open();
        until("the wake", || unpark.1.load(Ordering::Relaxed) > 0);
        let Poll::Ready(result) = poll() else { panic!("woken too early") };
        result.unwrap();
        assert_eq!(unpark.1.load(Ordering::Relaxed), 1);
        // Nothing to wait for.
        block_on(stream.finished().unwrap()).0.unwrap();
    });
}

#[test]
fn a_future_may_be_dropped_or_sent_or_outlive_its_stream() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let gate = hold(&stream);
        drop(stream.finished().unwrap());
        let polled = stream.finished().unwrap();
        let mut polled = Box::pin(polled);
        let unpark = Arc::new(Unpark(thread::current(), AtomicUsize::new(0)));
        let waker = unpark.clone().into();
        assert!(polled.as_mut().poll(&mut Task::from_waker(&waker)).is_pending());
        gate.open();
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
        let start = std::time::Instant::now();
        spin(gpu, &a, 10);
        spin(gpu, &b, 20);
        block_on(both(&a, &b)).0.unwrap();
        assert!(start.elapsed().as_millis() >= 15, "not awaited");
    });
}

/// A value that panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("in a destructor");
    }
}

/// Whether `f` panicked with a [`Bomb`], which must not go off.
fn ends_with_a_bomb<R>(f: impl FnOnce() -> R) -> bool {
    let payload = catch_unwind(AssertUnwindSafe(f)).err().expect("a panic");
    let is = payload.is::<Bomb>();
    std::mem::forget(payload);
    is
}

/// A payload that panics when it is dropped ends in a thread of the driver, or among others.
#[test]
fn panics_with_payloads_that_panic_end_quietly() {
    needs_unwinding!("the payload panics when it is dropped");
    fresh!(panics_with_payloads_that_panic_end_quietly, {
        std::panic::set_hook(Box::new(|_| ()));
        with_gpu(|gpu| {
            let stream = gpu.stream().unwrap();
            // Of two replays, or two functions, in one scope the first one's panic goes on.
            let (graph, ()) = gpu
                .build_graph(|g| {
                    g.host_function(&[], || panic_any(Bomb))?;
                    g.host_function(&[], || panic_any(Bomb)).map(drop)
                })
                .unwrap();
            assert!(ends_with_a_bomb(|| gpu.scope(|s| {
                let stream = s.on(&stream);
                stream.replay(&graph, ())?;
                stream.replay(&graph, ())
            })));
            assert!(ends_with_a_bomb(|| gpu.on(&stream).replay(&graph, ())));
            assert!(ends_with_a_bomb(|| gpu.scope(|s| {
                s.on(&stream).host_function(|| panic_any(Bomb))?;
                s.on(&stream).host_function(|| panic_any(Bomb))
            })));
            // The closure's own panic goes first.
            let caught = catch_unwind(AssertUnwindSafe(|| {
                gpu.scope(|s| -> Result {
                    s.on(&stream).host_function(|| panic_any(Bomb))?;
                    s.on(&stream).replay(&graph, ())?;
                    panic!("here")
                })
            }));
            assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"here"));
        });
        drop(std::panic::take_hook());
    });
}

/// A panic belongs to the replay that it happened in.
#[test]
fn the_panic_of_a_graph_is_not_that_of_a_later_replay() {
    needs_unwinding!("the payload comes up in its own replay alone");
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let panics = Arc::new(AtomicUsize::new(0));
        let left = panics.clone();
        let (graph, ()) = gpu
            .build_graph(|g| {
                let function = move || {
                    let panics = left.swap(0, Ordering::Relaxed);
                    assert_eq!(panics, 0, "in the graph");
                };
                g.host_function(&[], function).map(drop)
            })
            .unwrap();
        panics.store(1, Ordering::Relaxed);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            gpu.scope(|s| -> Result {
                s.on(&stream).replay(&graph, ())?;
                panic!("in the scope")
            })
        }));
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"in the scope"));
        assert_eq!(panics.load(Ordering::Relaxed), 0, "it was called");
        gpu.on(&stream).replay(&graph, ()).unwrap();
        gpu.scope(|s| s.on(&stream).replay(&graph, ())).unwrap();
    });
}

/// A function that the driver refused is dropped where it was given; in a scope the others end too.
#[test]
fn a_function_that_is_not_called_may_panic_when_it_is_dropped() {
    needs_unwinding!("the payload comes up in the caller");
    if !common::software() {
        skip!("only the software driver refuses on demand");
    }
    fresh!(a_function_that_is_not_called_may_panic_when_it_is_dropped, {
        with_gpu(|gpu| {
            let stream = gpu.stream().unwrap();
            let bomb = Bomb;
            let function = move || drop(bomb);
            let code = cuscope::ffi::CUDA_ERROR_INVALID_VALUE;
            let fault = Fault { which: Which::Named("cuLaunchHostFunc"), code, performed: false };
            let refused = || with_fault(fault, || gpu.on(&stream).host_function(function));
            let caught = catch_unwind(AssertUnwindSafe(refused)).map(drop);
            assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"in a destructor"));
            gpu.on(&stream).host_function(|| ()).unwrap();

            // Called, with what it owns ending in the thread of the driver.
            let bomb = Bomb;
            let called = catch_unwind(AssertUnwindSafe(|| {
                gpu.on(&stream).host_function(move || drop(bomb))
            }));
            assert_eq!(called.unwrap_err().downcast_ref(), Some(&"in a destructor"));
        });
    });
}

/// Runs `f` on a thread of its own, which must come to an end, in a process of its own.
fn ends(f: impl FnOnce() + Send + 'static) {
    let (done, ended) = mpsc::channel();
    let thread = thread::spawn(move || {
        f();
        let _ = done.send(());
    });
    if ended.recv_timeout(HANG) == Err(mpsc::RecvTimeoutError::Timeout) {
        eprintln!("a deadlock");
        std::process::abort(); // a panic might wait for the thread
    }
    thread.join().unwrap();
}

/// A writer may look at the future that is written.
#[test]
fn a_future_may_be_shown_while_it_is_shown() {
    struct Again<'a>(&'a StreamDone, String);
    impl fmt::Write for Again<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.1.push_str(text);
            let again = format!("{:?}", self.0);
            if again.starts_with("StreamDone") { Ok(()) } else { Err(fmt::Error) }
        }
    }
    fresh!(a_future_may_be_shown_while_it_is_shown, {
        ends(|| {
            with_gpu(|gpu| {
                let finished = gpu.stream().unwrap().finished().unwrap();
                let mut again = Again(&finished, String::new());
                write!(again, "{finished:?}").unwrap();
                assert!(again.1.starts_with("StreamDone { end: "), "{}", again.1);
            });
        });
    });
}

/// A waker is cloned by an executor, which may wait there until the work has ended: the driver then calls.
#[test]
fn a_waker_may_wait_for_the_end_when_it_is_cloned() {
    unsafe fn clone(stream: *const ()) -> RawWaker {
        // SAFETY: the stream of the test, which outlives all clones; its lifetime is not used.
        let waited = unsafe { &*stream.cast::<Stream<'static>>() };
        waited.synchronize().unwrap();
        RawWaker::new(stream, &TABLE)
    }
    unsafe fn nothing(_: *const ()) {}
    static TABLE: RawWakerVTable = RawWakerVTable::new(clone, nothing, nothing, nothing);
    fresh!(a_waker_may_wait_for_the_end_when_it_is_cloned, {
        ends(|| {
            with_gpu(|gpu| {
                let stream = gpu.stream().unwrap();
                spin(gpu, &stream, 50);
                let mut finished = pin!(stream.finished().unwrap());
                let raw = RawWaker::new((&raw const stream).cast(), &TABLE);
                // SAFETY: the functions keep the contract of a waker: there is nothing to count.
                let waker = unsafe { Waker::from_raw(raw) };
                let polled = finished.as_mut().poll(&mut Task::from_waker(&waker));
                assert_eq!(polled, Poll::Ready(Ok(())), "it had ended when the waker was there");
            });
        });
    });
}

/// A function that the driver did not take is dropped, wherever it is passed.
#[test]
fn refused_functions_are_dropped() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    with_gpu(|gpu| {
        let (stream, ordered, kept) =
            (gpu.stream().unwrap(), gpu.ordered_stream().unwrap(), Arc::new(()));
        let holds = || {
            let kept = kept.clone();
            move || drop(kept)
        };
        let code = cuscope::ffi::CUDA_ERROR_OUT_OF_MEMORY;
        for call in ["cuLaunchHostFunc", "cuLogsRegisterCallback"] {
            let fault = Fault { which: Which::Named(call), code, performed: false };
            let (results, failed) = with_fault(fault, || {
                let log = kept.clone();
                [
                    gpu.on(&stream).host_function(holds()),
                    gpu.scope(|s| s.on(&stream).host_function(holds())),
                    ordered.host_function(holds()),
                    cuscope::diagnostics::on_driver_log(move |_, _| drop(log.clone())).map(drop),
                ]
            });
            let refused = results.iter().filter(|result| result.is_err()).count();
            assert_eq!((refused, failed.contains(&call)), (failed.len(), true), "{results:?}");
            ordered.synchronize().unwrap();
            stream.synchronize().unwrap();
            assert_eq!(Arc::strong_count(&kept), 1, "{call}");
        }
    });
}
