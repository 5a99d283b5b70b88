//! Where values end: on threads that are ending, in the child of a fork, at the end of the process.
#![allow(unsafe_code, reason = "forks, and registers a function for the end of the process")]

use crate::common::gpu::new_context;
#[cfg(unix)]
use crate::common::gpu::{try_with_gpu, with_gpu};
use crate::common::random::{fewer_on_a_gpu, scheduled};
use crate::common::{HANG, fewer};
use crate::{common, fresh, skip_under_miri};
use cuscope::{
    Context, ContextStack, Detached, DeviceBuffer, Module, OrderedBuffer, OrderedStream,
    PushedGuard, Result, Stream, detached::Branded, ffi,
};
#[cfg(unix)]
use cuscope::{
    Device, Library, MemoryPool, Ptx,
    context::SmSplitFlags,
    diagnostics::{on_driver_log, on_over_budget},
    jit::JitOptions,
    texture::{ArrayFlags, ArrayShape, Sampling},
    virtual_memory::{PhysicalMemory, Reservation},
};
#[cfg(unix)]
use cuscope_softdriver::control::{live, record};
use std::cell::RefCell;
#[cfg(unix)]
use std::future::Future;
#[cfg(unix)]
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
#[cfg(unix)]
use std::time::{Duration, Instant};

type Handles<'ctx> = (Stream<'ctx>, cuscope::Event<'ctx>, DeviceBuffer<'ctx, u32>, Module<'ctx>);

fn handles<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<Handles<'ctx>> {
    let ptx = common::kernels::STORE;
    Ok((gpu.stream()?, gpu.event()?, gpu.alloc(8)?, gpu.load_ptx(ptx)?))
}

fn detached(context: &Context) -> Detached<Handles<'static>> {
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(context).unwrap();
    handles(&gpu).unwrap().detach()
}

/// Nothing but `context` holds the context any more, and its end is no error.
fn assert_released(context: Context) {
    context.try_destroy().expect("the handles are gone").unwrap();
}

#[test]
fn handles_end_with_a_thread_that_never_used_the_driver() {
    let context = new_context();
    let handles = detached(&context);
    thread::spawn(move || drop(handles)).join().unwrap();
    assert_released(context);
}

#[test]
fn handles_and_guards_end_in_the_destructors_of_thread_locals() {
    thread_local! {
        static FIRST: RefCell<Option<Detached<Handles<'static>>>> = const { RefCell::new(None) };
        static STATIC_GUARD: RefCell<Option<PushedGuard<'static>>> = const { RefCell::new(None) };
        static LAST: RefCell<Option<Detached<Handles<'static>>>> = const { RefCell::new(None) };
    }
    let context = new_context();
    let there = Box::into_raw(Box::new(context.clone()));
    // SAFETY: given back below.
    let lent: &'static Context = unsafe { &*there };
    thread::spawn(move || {
        // Registered before and after whatever the driver keeps for the thread.
        FIRST.with_borrow(|_| ());
        FIRST.set(Some(detached(lent)));
        LAST.set(Some(detached(lent)));
        // A guard for as long as the thread lives, and a stack that is leaked.
        let stack = Box::leak(Box::new(ContextStack::current_thread().unwrap()));
        let gpu = stack.push(lent).unwrap();
        assert!(gpu.stream().unwrap().query().unwrap());
        STATIC_GUARD.set(Some(gpu));
    })
    .join()
    .unwrap();
    // SAFETY: from `Box::into_raw`, once; the guard that borrowed it is gone with its thread.
    drop(unsafe { Box::from_raw(there) });
    assert_released(context);
}

/// The destructors that need pending work do it, after whatever the driver keeps for the thread.
#[test]
fn work_in_flight_ends_in_the_destructors_of_thread_locals_in_every_order() {
    fresh!(work_in_flight_ends_in_the_destructors_of_thread_locals_in_every_order, {
        type InFlight = Detached<(OrderedBuffer<u32>, OrderedStream)>;
        thread_local! {
            static FIRST: RefCell<Option<InFlight>> = const { RefCell::new(None) };
        }
        for seed in 0..fewer_on_a_gpu(fewer(50, 2) as u32) {
            let context = new_context();
            let own = context.clone();
            thread::spawn(move || {
                FIRST.with_borrow(|_| ());
                scheduled(seed.into());
                let mut stack = ContextStack::current_thread().unwrap();
                let gpu = stack.push(&own).unwrap();
                let stream = gpu.ordered_stream().unwrap();
                let mut buffer = stream.alloc::<u32>(8).unwrap();
                for value in 0..4 {
                    stream.fill(&mut buffer, value).unwrap();
                }
                FIRST.set(Some((buffer, stream).detach()));
            })
            .join()
            .unwrap();
            assert_released(context);
        }
    });
}

#[test]
fn a_stack_may_be_used_in_the_destructor_of_a_thread_local() {
    struct AtExit(Context, Detached<Handles<'static>>);
    impl Drop for AtExit {
        fn drop(&mut self) {
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&self.0).unwrap();
            let (stream, ..) = gpu.bind(&self.1).unwrap();
            stream.synchronize().unwrap();
            gpu.pop().unwrap();
        }
    }
    thread_local! {
        static AT_EXIT: RefCell<Option<AtExit>> = const { RefCell::new(None) };
    }
    let context = new_context();
    let there = context.clone();
    thread::spawn(move || AT_EXIT.set(Some(AtExit(there.clone(), detached(&there)))))
        .join()
        .unwrap();
    assert_released(context);
}

/// Runs `child` in a fork, and gives its exit status; a child that hangs is a failure.
#[cfg(unix)]
fn fork(child: impl FnOnce() -> bool) -> i32 {
    // SAFETY: the child runs `child` and leaves at once. The process is one of the test's own
    // (`fresh!`), in which no other thread holds a lock that it needs.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).unwrap_or(false);
        // SAFETY: leaves without destructors, as the child of a fork does.
        unsafe { libc::_exit(if done { 0 } else { 1 }) };
    }
    let start = Instant::now();
    loop {
        let mut status = 0;
        // SAFETY: waits for the child made above; `status` is valid for one `c_int`.
        if unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) } == pid {
            return status;
        }
        if start.elapsed() > HANG {
            // SAFETY: the child made above, which was not waited for yet.
            unsafe { libc::kill(pid, libc::SIGKILL) };
            panic!("the child of the fork hangs");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// F20: what is dropped in the child of a fork is left to the parent, without a driver call.
#[cfg(unix)] // it forks
#[test]
fn everything_can_be_dropped_in_the_child_of_a_fork() {
    skip_under_miri!("it forks");
    fresh!(everything_can_be_dropped_in_the_child_of_a_fork, {
        let (context, other) = (new_context(), new_context());
        let kept = detached(&context);
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(&context).unwrap();
        let all = handles(&outer).unwrap();
        let mut inner = outer.push(&other).unwrap();
        let leaked = inner.push(&context).unwrap();
        std::mem::forget(leaked);
        let status = fork(|| {
            let not_here = cuscope::ffi::CUDA_ERROR_NOT_INITIALIZED;
            let init = cuscope::init().unwrap_err();
            let wait = all.0.synchronize().unwrap_err();
            let push = inner.push(&context).unwrap_err();
            let stack = ContextStack::current_thread().unwrap_err();
            drop((kept, all, inner));
            if !init.to_string().contains("only the parent can use it") {
                return false;
            }
            let codes = [init, wait, push, stack].map(|error| error.code());
            codes == [Some(not_here); 4] && context.clone().try_destroy().is_err()
        });
        assert_eq!(status, 0, "the child failed or died");
        // `fork` moved all of it into the child's closure; in this process the closure was dropped
        // when it returned, with everything in it: what is left works.
        outer.synchronize().unwrap();
        outer.pop().unwrap();
        assert_released(other);
    });
}

/// So is what ordered streams own, with work in flight: kept blocks, staging memory, what is shared, pending or replayed, and
/// memory of other code, which is not told that it is used no more.
#[cfg(unix)] // it forks
#[test]
fn values_of_ordered_streams_are_dropped_in_the_child_of_a_fork() {
    skip_under_miri!("it forks");
    fresh!(values_of_ordered_streams_are_dropped_in_the_child_of_a_fork, {
        let (context, other) = (new_context(), new_context());
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(&context).unwrap();
        let kept = Arc::new(());
        let make = || {
            let (ordered, reader, mut stream) =
                (outer.ordered_stream()?, outer.ordered_stream()?, outer.stream()?);
            let mut address = 0;
            // SAFETY: the address is written to a place of its own.
            let code = unsafe { ffi::cuMemAlloc_v2(&raw mut address, 32) };
            assert_eq!(code, ffi::CUDA_SUCCESS);
            // SAFETY: 1. to 3. The memory is never freed, and nobody else uses it.
            let foreign = unsafe { outer.buffer_from_raw::<u32>(address, 8, kept.clone()) }?;
            let mut foreign = ordered.adopt(foreign)?;
            let mut named = ordered.from_slice(&[1_u32; 8])?;
            let graph = outer
                .capture(&mut stream, |c| c.stream().fill(&mut c.hold_ordered(&mut named), 3))?;
            drop(ordered.zeroed::<u8>(4096)?);
            let shared = ordered.from_slice(&[2_u32; 8])?.share();
            reader.copy(&shared, &mut reader.alloc(8)?)?;
            ordered.fill(&mut foreign, 4)?;
            ordered.replay(&graph, &mut named)?;
            let pending = ordered.download_owned(&named, outer.pinned(8)?)?;
            Ok::<_, cuscope::Error>((pending, graph, shared, foreign, named, ordered, reader))
        };
        let all = make().unwrap();
        let inner = outer.push(&other).unwrap();
        let ordered = inner.ordered_stream().unwrap();
        let mut copy = ordered.alloc(8).unwrap();
        ordered.copy_from_peer(&all.2, &mut copy).unwrap();
        let status = fork(|| {
            let ((), calls) = record(|| drop((all, copy, ordered)));
            assert_eq!(calls, Vec::<&str>::new(), "calls in the child");
            Arc::strong_count(&kept) == 2
        });
        assert_eq!(status, 0, "the child failed or died");
        // As above, all of it was dropped in this process too.
        assert_eq!(Arc::strong_count(&kept), 1, "the parent is told");
        inner.pop().unwrap();
        assert_released(other);
    });
}

/// So is what a host function dropped, and still waits to be released.
#[cfg(unix)] // it forks
#[test]
fn values_that_wait_to_be_released_are_left_alone_in_the_child_of_a_fork() {
    skip_under_miri!("it forks");
    fresh!(values_that_wait_to_be_released_are_left_alone_in_the_child_of_a_fork, {
        static FAILED: AtomicUsize = AtomicUsize::new(0);
        cuscope::on_release_error(|_| {
            FAILED.fetch_add(1, Ordering::Relaxed);
        });
        let (context, other) = (new_context(), new_context());
        let kept = detached(&other);
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let (ordered, event) = (gpu.ordered_stream().unwrap(), gpu.event().unwrap());
        ordered.host_function(move || drop(kept)).unwrap();
        ordered.synchronize().unwrap();
        let status = fork(|| {
            drop(event);
            // Nothing is called, which would fail, and nothing is taken from the parent.
            other.try_destroy().is_err() && FAILED.load(Ordering::Relaxed) == 0
        });
        assert_eq!(status, 0, "the child failed or died");
        drop(ordered);
        assert_eq!(FAILED.load(Ordering::Relaxed), 0);
    });
}

/// So is the memory of a scope, whose free would have to be ordered: the parent frees it.
#[cfg(unix)] // it forks
#[test]
fn scratch_memory_is_dropped_in_the_child_of_a_fork() {
    skip_under_miri!("it forks");
    fresh!(scratch_memory_is_dropped_in_the_child_of_a_fork, {
        with_gpu(|gpu| {
            let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
            let before = live();
            gpu.scope(|s| {
                let (mut low, mut high) = s.on(&a).scratch::<u32>(8)?.split_at(4)?;
                s.on(&b).fill(&mut low, 1)?;
                s.on(&b).fill(&mut high, 2)?;
                let status = fork(move || {
                    let ((), calls) = record(|| drop((low, high)));
                    calls.is_empty()
                });
                assert_eq!(status, 0, "the child called the driver, or died");
                Ok(())
            })
            .unwrap();
            assert_eq!(live(), before);
        });
    });
}

/// In the child of a fork nothing is called for a value of any kind, and nothing is reported.
#[cfg(unix)] // it forks
#[test]
fn each_kind_of_value_is_left_alone_in_the_child_of_a_fork() {
    skip_under_miri!("it forks");
    static REPORTED: AtomicUsize = AtomicUsize::new(0);
    fn left_alone(kind: &str, value: impl Sized) {
        let status = fork(|| {
            let ((), calls) = record(|| drop(value));
            calls.is_empty() && REPORTED.load(Ordering::Relaxed) == 0
        });
        assert_eq!(status, 0, "{kind}: the child called the driver, or died");
    }
    fresh!(each_kind_of_value_is_left_alone_in_the_child_of_a_fork, {
        cuscope::on_release_error(|_| {
            REPORTED.fetch_add(1, Ordering::Relaxed);
        });
        let (device, ptx) = (Device::get(0).unwrap(), Ptx::new(common::kernels::STORE).unwrap());
        let bytes = PhysicalMemory::granularity(device).unwrap();
        let (shape, surface) = (ArrayShape::D2 { width: 4, height: 4 }, ArrayFlags::SURFACE);
        let groups =
            device.sm_resource().and_then(|all| all.split_by_count(1, 8, SmSplitFlags::empty()));
        left_alone("a green context", Context::create_green(&groups.unwrap().groups).unwrap());
        left_alone("a primary context", Context::primary(device).unwrap());
        left_alone("a hook of the driver's log", on_driver_log(|_, _| ()).unwrap());
        left_alone("a hook of a budget", on_over_budget(device, |_| ()).unwrap());
        left_alone("a library", Library::load(&ptx).unwrap());
        left_alone("memory without an address", PhysicalMemory::create(device, bytes).unwrap());
        let mut addresses = Reservation::new(2 * bytes).unwrap();
        addresses.map(0, PhysicalMemory::create(device, bytes).unwrap()).unwrap();
        left_alone("mapped addresses", addresses);
        try_with_gpu(|gpu| {
            let (mut stream, sampling) = (gpu.stream()?, Sampling::default());
            let on = gpu.on(&stream);
            left_alone("rows", gpu.alloc_pitched::<u32>((4, 4))?);
            left_alone("memory of a stream", on.alloc::<u32>(4)?);
            let pool = MemoryPool::create(device)?;
            left_alone("memory of a pool", on.alloc_from::<u32>(&pool, 4)?);
            left_alone("a pool", pool);
            left_alone("page-locked memory", gpu.pinned::<u32>(4)?);
            let mut data = vec![0_u8; 8192];
            // SAFETY: dropped before the data.
            left_alone("registered memory", unsafe { gpu.register(&mut data) }?);
            left_alone("memory that grows", {
                let mut grown = gpu.alloc_growable::<u32>(4)?;
                grown.grow(4)?;
                grown
            });
            left_alone("an array", gpu.alloc_array::<u32>(shape, surface)?);
            left_alone("levels", gpu.alloc_mipmapped_array::<u32>(shape, 2, surface)?);
            left_alone("a surface", gpu.surface(gpu.alloc_array::<u32>(shape, surface)?)?);
            left_alone(
                "a texture",
                gpu.texture(gpu.alloc_array::<u32>(shape, surface)?, sampling)?,
            );
            left_alone("a module", gpu.load_ptx(common::kernels::STORE)?);
            left_alone("a link", gpu.linker(&JitOptions::new())?.add(&ptx, "store")?);
            left_alone("a profile", gpu.profiling()?);
            left_alone("the end of a stream", gpu.stream()?.finished()?);
            let mut x = gpu.alloc::<u32>(4)?;
            let graph = gpu.capture(&mut stream, |c| c.stream().zero(&mut c.hold(&mut x)))?;
            left_alone("a graph", graph);
            let (definition, _) = gpu.define_graph(|g| g.host_function(&[], || ()))?;
            left_alone("a definition of a graph", definition);
            let keep = gpu.alloc::<u32>(4)?;
            let (address, ordered) = (keep.address(), gpu.ordered_stream()?);
            // SAFETY: 1. to 3. The memory is kept, and nobody else uses it.
            let foreign = unsafe { gpu.buffer_from_raw::<u32>(address, 4, keep.detach()) }?;
            left_alone("memory of other code", ordered.adopt(foreign).unwrap());
            Ok(())
        });
    });
}

/// Runs `f`, which forks where it calls what it is lent; in the child, what it returns there has to be refused.
#[cfg(unix)]
fn refused_in_the_child(what: &str, f: impl FnOnce(&dyn Fn()) -> Result) {
    let child = std::cell::Cell::new(false);
    let parent = std::cell::Cell::new(0);
    let result = f(&|| {
        // SAFETY: the child leaves below. The process is one of the test's own (`fresh!`), in which no other thread holds
        // a lock that the child needs.
        let pid = unsafe { libc::fork() };
        child.set(pid == 0);
        parent.set(pid);
    });
    if child.get() {
        let code = result.err().and_then(|error| error.code());
        let refused = code == Some(ffi::CUDA_ERROR_NOT_INITIALIZED);
        // SAFETY: leaves without destructors, as the child of a fork does.
        unsafe { libc::_exit(if refused { 0 } else { 1 }) };
    }
    result.unwrap();
    let mut status = 0;
    // SAFETY: waits for the child made above; `status` is valid for one `c_int`.
    assert_eq!(unsafe { libc::waitpid(parent.get(), &raw mut status, 0) }, parent.get());
    assert_eq!(status, 0, "{what} returned something else in the child");
}

/// An operation that closes after a closure that forks says in the child that it did nothing there.
#[cfg(unix)] // it forks
#[test]
fn a_closure_that_forks_returns_to_a_refusal_in_the_child() {
    skip_under_miri!("it forks");
    fresh!(a_closure_that_forks_returns_to_a_refusal_in_the_child, {
        try_with_gpu(|gpu| {
            let (mut stream, second) = (gpu.stream()?, gpu.stream()?);
            let (mut x, mut y) = (gpu.alloc::<u32>(4)?, gpu.alloc::<u32>(4)?);
            refused_in_the_child("a scope", |fork| {
                gpu.scope(|s| {
                    s.on(&stream).zero(&mut s.hold(&mut x))?;
                    fork();
                    Ok(())
                })
            });
            refused_in_the_child("a scope of two streams", |fork| {
                gpu.scope(|s| {
                    s.on(&stream).zero(&mut s.hold(&mut x))?;
                    s.on(&second).zero(&mut s.hold(&mut y))?;
                    fork();
                    Ok(())
                })
            });
            refused_in_the_child("a capture", |fork| {
                let capture = || {
                    gpu.capture(&mut stream, |c| {
                        c.stream().zero(&mut c.hold(&mut x))?;
                        fork();
                        Ok(())
                    })
                };
                let (captured, calls) = record(capture);
                let end = "cuStreamEndCapture";
                captured.map(drop).map_err(|error| match error.call() {
                    Some(call) if call == end && !calls.contains(&end) => error,
                    _ => cuscope::Error::StackTaken, // another error than the one that is looked for
                })
            });
            let mut data = vec![0_u8; 8192];
            refused_in_the_child("registered memory", |fork| {
                gpu.with_registered(&mut data, |_| {
                    fork();
                    Ok(())
                })
            });
            let mut finished = stream.finished()?;
            stream.synchronize()?;
            refused_in_the_child("the end of a stream", |fork| {
                fork();
                let mut task = std::task::Context::from_waker(std::task::Waker::noop());
                let mut polled = std::task::Poll::Pending;
                common::until("the end of the stream", || {
                    polled = std::pin::Pin::new(&mut finished).poll(&mut task);
                    polled.is_ready()
                });
                let std::task::Poll::Ready(result) = polled else { unreachable!() };
                result
            });
            Ok(())
        });
    });
}

/// At the end of the process the driver may be gone already: nothing crashes, whatever ends then.
#[test]
fn handles_may_end_with_the_process() {
    static KEPT: Mutex<Option<Detached<Handles<'static>>>> = Mutex::new(None);
    thread_local! {
        static OF_MAIN: RefCell<Option<Detached<Handles<'static>>>> = const { RefCell::new(None) };
    }
    const DONE: &str = "dropped at the end of the process";
    extern "C" fn at_exit() {
        drop(KEPT.lock().unwrap().take());
        println!("{DONE}");
    }
    skip_under_miri!("Miri calls nothing at the end of a process");
    let respawned = common::respawn(module_path!(), "handles_may_end_with_the_process");
    if let Some(output) = respawned {
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains(DONE), "{}: {text}", output.status);
        return;
    }
    // Registered before the driver registers anything: runs after whatever it does at exit.
    // SAFETY: a function without obligations.
    assert_eq!(unsafe { libc::atexit(at_exit) }, 0);
    let context = new_context();
    *KEPT.lock().unwrap() = Some(detached(&context));
    OF_MAIN.set(Some(detached(&context)));
    let mut stack = ContextStack::current_thread().unwrap();
    std::mem::forget(stack.push(&context).unwrap());
    std::mem::forget(stack);
    // SAFETY: runs what is registered for the end of the process, on this thread.
    unsafe { libc::exit(0) };
}
