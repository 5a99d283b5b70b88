//! The default streams: operations of a guard, whose context is compared at each call.
#![allow(unsafe_code, reason = "launches kernels, and acts as foreign code")]

use crate::common::foreign;
use crate::common::gpu::{kernel, new_context};
use crate::common::kernels::{SPIN, STORE};
use crate::common::{HANG, fewer};
use crate::{common, fresh, skip};
use cuscope::{
    Context, ContextStack, Device, Error, LaunchConfig, PushedGuard, Result, StreamFlags,
    SyncDefaultStream, context::SmSplitFlags, ffi,
};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

const ONE: LaunchConfig = LaunchConfig {
    grid: cuscope::Dim3 { x: 1, y: 1, z: 1 },
    block: cuscope::Dim3 { x: 1, y: 1, z: 1 },
    shared_bytes: 0,
};

/// Under a guard of a context of its own, with each of the two.
fn with_both(f: impl for<'g, 'ctx> Fn(&'g PushedGuard<'ctx>, SyncDefaultStream<'g, 'ctx>)) {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    f(&gpu, gpu.on_legacy_default());
    f(&gpu, gpu.on_per_thread_default());
}

#[test]
fn default_streams_do_what_streams_do() {
    with_both(|gpu, on| {
        let mut x = gpu.alloc::<u32>(4).unwrap();
        on.upload(&[1, 2, 3, 4], &mut x).unwrap();
        on.fill(&mut x.slice_mut(2..).unwrap(), 7).unwrap();
        let store = kernel(gpu, STORE, "store");
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        unsafe { on.launch_unchecked(&store, ONE, (&mut x, 9_u32)) }.unwrap();
        assert_eq!(on.to_vec(&x).unwrap(), [9, 2, 7, 7]);
        let (mut first, second) = x.split_at_mut(2).unwrap();
        on.copy(&second, &mut first).unwrap();
        on.zero(&mut first.slice_mut(..1).unwrap()).unwrap();
        let mut host = [0; 2];
        on.download(&first, &mut host).unwrap();
        assert_eq!(host, [0, 7]);

        let (start, end) = (gpu.event().unwrap(), gpu.event().unwrap());
        on.record(&start).unwrap();
        on.wait(&start).unwrap();
        on.record(&end).unwrap();
        on.synchronize().unwrap();
        assert!(on.query().unwrap() && end.query().unwrap());
        assert!(end.elapsed_since(&start).unwrap() < HANG);
        let (sender, called) = mpsc::channel();
        on.host_function(move || sender.send(5).unwrap()).unwrap();
        assert_eq!(called.try_recv(), Ok(5));
        assert!(format!("{on:?}").starts_with("SyncDefaultStream("), "{on:?}");
    });
}

#[test]
fn a_default_stream_is_in_order_with_blocking_streams() {
    with_both(|gpu, on| {
        let spin = kernel(gpu, SPIN, "spin");
        let stream = gpu.stream_with(StreamFlags::empty()).unwrap();
        let start = Instant::now();
        // SAFETY: the kernel is spin(u64), and has no memory.
        unsafe { gpu.on(&stream).launch_unscoped(&spin, ONE, (50_000_000_u64,)) }.unwrap();
        let legacy = format!("{on:?}").contains("legacy");
        if legacy {
            on.zero(&mut gpu.alloc::<u8>(1).unwrap()).unwrap();
            assert!(stream.query().unwrap() && start.elapsed() >= Duration::from_millis(50));
        }
        stream.synchronize().unwrap();
    });
}

/// Each operation looks which context is current, as the driver would.
#[test]
fn under_a_foreign_context_every_operation_is_refused() {
    let other = new_context();
    with_both(|gpu, on| {
        let (mut x, event) = (gpu.alloc::<u32>(4).unwrap(), gpu.event().unwrap());
        let store = kernel(gpu, STORE, "store");
        foreign::push(other.raw());
        fn call<T>(result: Result<T>) -> &'static str {
            match result.err() {
                Some(Error::NotCurrent { call }) => call,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(call(on.upload(&[0; 4], &mut x)), "cuMemcpyHtoDAsync_v2");
        assert_eq!(call(on.download(&x, &mut [0; 4])), "cuMemcpyDtoHAsync_v2");
        assert_eq!(call(on.to_vec(&x)), "cuMemcpyDtoHAsync_v2");
        assert_eq!(call(on.fill(&mut x, 1)), "cuMemsetD32Async");
        assert_eq!(call(on.zero(&mut x)), "cuMemsetD8Async");
        let (from, mut to) = x.split_at_mut(2).unwrap();
        assert_eq!(call(on.copy(&from, &mut to)), "cuMemcpyDtoDAsync_v2");
        // SAFETY: not launched.
        let launched = call(unsafe { on.launch_unchecked(&store, ONE, (&mut x, 9_u32)) });
        assert_eq!(launched, "cuLaunchKernel");
        assert_eq!(call(on.host_function(|| ())), "cuLaunchHostFunc");
        assert_eq!(call(on.record(&event)), "cuEventRecord");
        assert_eq!(call(on.wait(&event)), "cuStreamWaitEvent");
        assert_eq!(call(on.query()), "cuStreamQuery");
        assert_eq!(call(on.synchronize()), "cuStreamSynchronize");
        assert_eq!(foreign::pop(), other.raw());
        on.zero(&mut x).unwrap();
    });
}

#[test]
fn a_green_context_has_a_legacy_stream_and_none_of_the_thread() {
    let device = Device::get(0).unwrap();
    let green = match device.sm_resource() {
        Ok(resource) => resource.split_by_count(1, 8, SmSplitFlags::empty()).unwrap(),
        Err(Error::NeedsDriver { .. }) => skip!("needs green contexts"),
        Err(other) => panic!("{other}"),
    };
    let context = Context::create_green(&green.groups).unwrap();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let mut x = gpu.alloc::<u32>(4).unwrap();
    gpu.on_legacy_default().fill(&mut x, 3).unwrap();
    assert_eq!(gpu.on_legacy_default().to_vec(&x).unwrap(), [3; 4]);
    let refused = gpu.on_per_thread_default().fill(&mut x, 4).unwrap_err();
    assert_eq!(refused.code(), Some(ffi::CUDA_ERROR_INVALID_HANDLE), "F133");
}

/// Captures of one thread beside a default stream of another one: neither disturbs the other.
fn captures_beside(
    flags: StreamFlags,
    on: impl for<'g, 'ctx> Fn(&'g PushedGuard<'ctx>) -> SyncDefaultStream<'g, 'ctx>,
) {
    let (context, done) = (new_context(), AtomicBool::new(false));
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&context).unwrap();
            let mut stream = gpu.stream_with(flags).unwrap();
            let mut x = gpu.alloc::<u32>(4).unwrap();
            // After an operation of its own, a thread waits for those of others all the same.
            gpu.on_legacy_default().zero(&mut x).unwrap();
            while !done.load(Ordering::Relaxed) {
                drop(
                    gpu.capture(&mut stream, |c| c.stream().fill(&mut c.hold(&mut x), 1)).unwrap(),
                );
                std::thread::yield_now();
            }
        });
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let len = fewer(1 << 12, 1 << 6);
        let (mut y, mut host) = (gpu.alloc::<u32>(len).unwrap(), vec![0; len]);
        for round in 0..fewer(200, 2) as u32 {
            for result in [on(&gpu).fill(&mut y, round), on(&gpu).download(&y, &mut host)] {
                match result.map_err(|error| error.code()) {
                    Ok(()) | Err(Some(ffi::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)) => {}
                    Err(other) => panic!("{other:?}"),
                }
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}

/// F143, F221: while a blocking stream is under capture the legacy stream is refused, and a capture waits
/// for what runs there.
#[test]
fn the_legacy_stream_and_captures_of_blocking_streams_are_kept_apart() {
    fresh!(the_legacy_stream_and_captures_of_blocking_streams_are_kept_apart, {
        captures_beside(StreamFlags::empty(), |gpu| gpu.on_legacy_default());
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let mut stream = gpu.stream_with(StreamFlags::empty()).unwrap();
        let (mut x, mut y) = (gpu.alloc::<u32>(4).unwrap(), gpu.alloc::<u32>(4).unwrap());
        let mut refused = Ok(());
        let captured = gpu.capture(&mut stream, |c| {
            refused = gpu.on_legacy_default().fill(&mut y, 1);
            c.stream().fill(&mut c.hold(&mut x), 1)
        });
        drop(captured.unwrap());
        assert_eq!(refused.unwrap_err().code(), Some(ffi::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT));
        gpu.on_legacy_default().fill(&mut y, 1).unwrap();
    });
}

#[test]
fn captures_of_other_streams_leave_the_default_streams_alone() {
    fresh!(captures_of_other_streams_leave_the_default_streams_alone, {
        captures_beside(StreamFlags::NON_BLOCKING, |gpu| gpu.on_legacy_default());
        captures_beside(StreamFlags::NON_BLOCKING, |gpu| gpu.on_per_thread_default());
        captures_beside(StreamFlags::empty(), |gpu| gpu.on_per_thread_default());
    });
}

/// The same with the refusal in its place: the operation waits again.
#[test]
fn a_wait_that_a_capture_refused_is_made_again() {
    if !common::software() {
        skip!("only the software driver refuses on demand");
    }
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let mut x = gpu.alloc::<u32>(4).unwrap();
    // Look, fill, synchronize.
    let code = ffi::CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    let fault = Fault { which: Which::Nth(2), code, performed: false };
    let ((), failed) = with_fault(fault, || gpu.on_legacy_default().fill(&mut x, 5).unwrap());
    assert_eq!(failed, ["cuStreamSynchronize"]);
    assert_eq!(gpu.on_legacy_default().to_vec(&x).unwrap(), [5; 4]);
}

/// A capture of a blocking stream of the context, from whatever runs on this thread.
fn capture_inside(context: &Context) -> Result {
    ContextStack::reentrant(|stack| {
        let gpu = stack.push(context)?;
        let mut stream = gpu.stream_with(StreamFlags::empty())?;
        let mut x = gpu.alloc::<u32>(4)?;
        gpu.capture(&mut stream, |c| c.stream().fill(&mut c.hold(&mut x), 1)).map(drop)
    })
}

fn is_refused(result: &Result) -> bool {
    matches!(result, Err(Error::InvalidArgument { call: "cuStreamBeginCapture_v2", .. }))
}

/// Runs `f` on a thread of its own, which must come to an end, in a process of its own.
fn ends(f: impl FnOnce() + Send + 'static) {
    let (done, ended) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        f();
        let _ = done.send(());
    });
    if ended.recv_timeout(HANG) == Err(mpsc::RecvTimeoutError::Timeout) {
        eprintln!("a deadlock");
        std::process::abort(); // a panic might wait for the thread
    }
    thread.join().unwrap();
}

/// An operation on the legacy stream that fails, which a hook of the log is told of inside it.
fn fail_on_legacy(gpu: &PushedGuard<'_>) {
    let store = kernel(gpu, STORE, "store");
    let (mut x, none) = (gpu.alloc::<u32>(4).unwrap(), LaunchConfig::new(0, 1));
    // SAFETY: not launched, as there are no blocks.
    let refused =
        unsafe { gpu.on_legacy_default().launch_unchecked(&store, none, (&mut x, 9_u32)) };
    assert_eq!(refused.unwrap_err().code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
}

/// Leaves the test where the driver is too old for hooks.
macro_rules! hook_or_skip {
    ($function:expr) => {
        match cuscope::diagnostics::on_driver_log($function) {
            Err(error @ Error::NeedsDriver { .. }) => skip!("{error}"),
            hook => hook.unwrap(),
        }
    };
}

/// The operation would be waited for by its own thread.
#[test]
fn a_log_hook_inside_an_operation_on_the_legacy_stream_cannot_capture() {
    fresh!(a_log_hook_inside_an_operation_on_the_legacy_stream_cannot_capture, {
        let (context, results) = (new_context(), Arc::new(Mutex::new(Vec::new())));
        let (in_hook, told) = (context.clone(), results.clone());
        let _hook = hook_or_skip!(move |_, _| {
            let result = capture_inside(&in_hook);
            told.lock().unwrap().push(result);
        });
        ends(move || {
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&context).unwrap();
            fail_on_legacy(&gpu);
            let refused = std::mem::take(&mut *results.lock().unwrap());
            assert!(!refused.is_empty() && refused.iter().all(is_refused), "{refused:?}");
            // Outside of operations there is nothing to wait for.
            assert!(gpu.load_ptx(".version 99.9 .target sm_52 .address_size 64").is_err());
            let free = std::mem::take(&mut *results.lock().unwrap());
            assert!(!free.is_empty() && free.iter().all(Result::is_ok), "{free:?}");
            gpu.on_legacy_default().zero(&mut gpu.alloc::<u32>(4).unwrap()).unwrap();
        });
    });
}

/// Each waits in its operation until the other one's hook returns, or is in that.
#[test]
fn two_log_hooks_that_capture_in_each_others_context_do_not_wait_for_each_other() {
    fresh!(two_log_hooks_that_capture_in_each_others_context_do_not_wait_for_each_other, {
        static RESULTS: Mutex<Vec<Result>> = Mutex::new(Vec::new());
        thread_local!(static OTHER: RefCell<Option<Context>> = const { RefCell::new(None) });
        let _hook = hook_or_skip!(|_, _| {
            let Some(other) = OTHER.with_borrow(Clone::clone) else { return };
            std::thread::sleep(Duration::from_millis(5)); // the other one begins its operation
            let result = capture_inside(&other);
            RESULTS.lock().unwrap().push(result);
        });
        let (a, b) = (new_context(), new_context());
        ends(move || {
            std::thread::scope(|threads| {
                for (own, other) in [(&a, &b), (&b, &a)] {
                    threads.spawn(|| {
                        OTHER.set(Some(other.clone()));
                        let mut stack = ContextStack::current_thread().unwrap();
                        let gpu = stack.push(own).unwrap();
                        for _ in 0..fewer(20, 4) {
                            let store = kernel(&gpu, STORE, "store");
                            let mut x = gpu.alloc::<u32>(4).unwrap();
                            let (on, none) = (gpu.on_legacy_default(), LaunchConfig::new(0, 1));
                            // SAFETY: not launched, as there are no blocks.
                            let refused =
                                unsafe { on.launch_unchecked(&store, none, (&mut x, 9_u32)) };
                            // While the other thread captures, the operation is refused without a call.
                            refused.unwrap_err();
                        }
                        OTHER.set(None);
                    });
                }
            });
            let results = std::mem::take(&mut *RESULTS.lock().unwrap());
            assert!(results.iter().any(is_refused), "{results:?}");
            assert!(
                results.iter().all(|result| result.is_ok() || is_refused(result)),
                "{results:?}"
            );
        });
    });
}

/// A value that a refused function owns ends inside the operation.
#[test]
fn a_destructor_inside_an_operation_on_the_legacy_stream_cannot_capture() {
    if !common::software() {
        skip!("only the software driver refuses on demand");
    }
    struct Captures(Context, mpsc::Sender<Result>);
    impl Drop for Captures {
        fn drop(&mut self) {
            let _ = self.1.send(capture_inside(&self.0));
        }
    }
    fresh!(a_destructor_inside_an_operation_on_the_legacy_stream_cannot_capture, {
        let context = new_context();
        ends(move || {
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&context).unwrap();
            let (told, results) = mpsc::channel();
            let owned = Captures(context.clone(), told);
            let code = ffi::CUDA_ERROR_INVALID_VALUE;
            let fault = Fault { which: Which::Named("cuLaunchHostFunc"), code, performed: false };
            let on = gpu.on_legacy_default();
            let function = move || drop(owned);
            assert!(with_fault(fault, || on.host_function(function)).0.is_err());
            assert!(is_refused(&results.try_recv().unwrap()));
        });
    });
}
