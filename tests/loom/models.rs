//! State that threads share, in every order that they can take:
//! `RUSTFLAGS="--cfg loom" cargo test --lib models`.
//!
//! loom runs all threads of a model on one thread of the system, one at a time, and switches between
//! them where they meet: at the crate's atomics and locks. A call of the software driver is one step. The state is the
//! owners of a context, the memory that graphs use, streams whose buffers are dropped during a capture, the hook of
//! `on_release_error`, values that are released later, and `init`. The look-up of functions has its models in `ffi`.
//!
//! This is a module of the crate, which uses loom in its own tests only: users never depend on loom.
#![allow(unsafe_code, reason = "foreign code destroys a context")]

use crate::{
    Context, ContextFlags, ContextStack, Device, detached::Branded, ffi, init, on_release_error,
};
use cuscope_softdriver::control::{live, record};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use loom::thread::{self, JoinHandle};

/// The stack of a model, in words.
const STACK: usize = 1 << 15;

/// Tries every order, and says how many there are. One model at a time, as they count what is alive.
fn model(name: &str, at_least: usize, f: impl Fn() + Send + Sync + 'static) {
    static ONE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let (counter, f) = (count.clone(), std::sync::Arc::new(f));
    loom::model(move || {
        counter.fetch_add(1, SeqCst);
        let f = f.clone();
        // The first thread of a model has 32 KiB of stack, which is not enough where nothing is optimized.
        let large = thread::Builder::new().stack_size(STACK).spawn(move || f());
        large.expect("a thread of loom").join().expect("loom ends with the first panic");
    });
    let count = count.load(SeqCst);
    eprintln!("{name}: {count} orders");
    assert!(count >= at_least, "{name}: only {count} orders");
}

fn context() -> Context {
    Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap()
}

fn join<R>(threads: impl IntoIterator<Item = JoinHandle<R>>) -> Vec<R> {
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

/// Uses the context and gives it up; whether this destroyed it for certain.
fn use_and_try(context: Context) -> bool {
    context.id().expect("destroyed while in use");
    match context.try_destroy() {
        Ok(done) => {
            done.expect("destroyed twice");
            true
        }
        Err(back) => {
            back.id().expect("destroyed while in use");
            false
        }
    }
}

/// The destructions among recorded calls.
fn destroyed(calls: &[&str]) -> usize {
    calls.iter().filter(|call| **call == "cuCtxDestroy_v2").count()
}

#[test]
fn a_context_is_destroyed_once_and_after_its_last_use() {
    model("clone and drop", 10, || {
        let before = live();
        let ((), calls) = record(|| {
            let context = context();
            let threads = [context.clone(), context.clone()].map(|context| {
                thread::spawn(move || {
                    let clone = context.clone();
                    drop(context);
                    clone.id().expect("destroyed while in use");
                })
            });
            context.id().expect("destroyed while in use");
            drop(context);
            join(threads);
        });
        assert_eq!(destroyed(&calls), 1);
        assert_eq!(live(), before);
    });
}

#[test]
fn try_destroy_destroys_or_gives_back() {
    model("try_destroy", 10, || {
        let before = live();
        let (tried, calls) = record(|| {
            let context = context();
            let threads = [context.clone(), context.clone()]
                .map(|context| thread::spawn(move || use_and_try(context)));
            let here = use_and_try(context);
            join(threads).into_iter().chain([here]).filter(|destroyed| *destroyed).count()
        });
        // None if all were given back, each before the last drop.
        assert!(tried <= 1);
        assert_eq!(destroyed(&calls), 1);
        assert_eq!(live(), before);
    });
}

/// A release that the driver refuses: foreign code destroyed the context.
fn refused_release() -> Context {
    let context = context();
    // SAFETY: the context is alive, and on no stack. What is left of it is only dropped.
    assert_eq!(unsafe { ffi::cuCtxDestroy_v2(context.raw()) }, ffi::CUDA_SUCCESS);
    context
}

/// The calls that hooks saw: they must not panic, as that ends in the crate.
#[derive(Default)]
struct Seen {
    by: [AtomicUsize; 3],
    after_the_end: AtomicUsize,
    ended: [AtomicUsize; 3],
}

impl Seen {
    fn new() -> Arc<Seen> {
        Arc::new(Seen::default())
    }

    fn counts(&self) -> [usize; 3] {
        [0, 1, 2].map(|i| self.by[i].load(SeqCst))
    }
}

/// A value that a hook owns.
struct Owned {
    number: usize,
    seen: Arc<Seen>,
}

impl Owned {
    fn report(&self) {
        self.seen.after_the_end.fetch_add(self.seen.ended[self.number].load(SeqCst), SeqCst);
        self.seen.by[self.number].fetch_add(1, SeqCst);
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.seen.ended[self.number].fetch_add(1, SeqCst);
    }
}

fn hook(seen: &Arc<Seen>, number: usize) {
    let owned = Owned { number, seen: seen.clone() };
    on_release_error(move |_| owned.report());
}

#[test]
fn a_report_reaches_the_hook_before_or_after() {
    model("hook replaced", 10, || {
        let seen = Seen::new();
        hook(&seen, 0);
        let (refused, other) = (refused_release(), seen.clone());
        let threads =
            [thread::spawn(move || drop(refused)), thread::spawn(move || hook(&other, 1))];
        join(threads);
        let [first, second, _] = seen.counts();
        assert_eq!(first + second, 1, "a report is lost, or made twice");
        assert_eq!(seen.ended[0].load(SeqCst), 1, "the first hook did not end");
        drop(refused_release());
        assert_eq!(seen.counts(), [first, second + 1, 0], "the second hook is not the last");
        assert_eq!(seen.ended[1].load(SeqCst), 0);
        assert_eq!(seen.after_the_end.load(SeqCst), 0, "called after its drop");
    });
}

#[test]
fn two_hooks_set_at_once_leave_one() {
    model("two hooks", 10, || {
        let seen = Seen::new();
        let threads = [0, 1].map(|number| {
            let seen = seen.clone();
            thread::spawn(move || hook(&seen, number))
        });
        join(threads);
        drop(refused_release());
        let [first, second, _] = seen.counts();
        assert_eq!(first + second, 1);
        let ended = [0, 1].map(|i| seen.ended[i].load(SeqCst));
        assert_eq!(ended, [1 - first, 1 - second], "the other one ended, and only that");
    });
}

/// Sets a hook when it is called, and another one when it ends: both run while a lock held would block.
#[test]
fn hooks_that_set_hooks_block_nobody() {
    struct Sets(Owned);
    impl Drop for Sets {
        fn drop(&mut self) {
            hook(&self.0.seen, 1);
        }
    }
    model("hooks that set hooks", 10, || {
        let seen = Seen::new();
        let owned = Sets(Owned { number: 0, seen: seen.clone() });
        on_release_error(move |_| {
            owned.0.report();
            hook(&owned.0.seen, 1);
        });
        let (refused, other) = (refused_release(), seen.clone());
        let threads =
            [thread::spawn(move || drop(refused)), thread::spawn(move || hook(&other, 2))];
        join(threads);
        assert_eq!(seen.counts().iter().sum::<usize>(), 1);
        assert_eq!(seen.ended[0].load(SeqCst), 1, "the first hook did not end");
        assert_eq!(seen.after_the_end.load(SeqCst), 0, "called after its drop");
        drop(refused_release());
        assert_eq!(seen.counts().iter().sum::<usize>(), 2, "there is no hook");
    });
}

#[test]
fn whoever_comes_back_from_init_finds_the_driver_initialised() {
    model("init", 10, || {
        let ((), calls) = record(|| {
            let run = || {
                init().unwrap();
                crate::driver_version().unwrap(); // to be seen among the calls
                init().unwrap();
            };
            join([thread::spawn(run), thread::spawn(run)]);
            run();
        });
        let first = calls.iter().position(|call| *call == "cuDriverGetVersion");
        let inits = |calls: &[&str]| calls.iter().filter(|call| **call == "cuInit").count();
        assert!(inits(&calls[..first.unwrap()]) >= 1, "{calls:?}");
        assert!(inits(&calls) <= 2, "once a thread, and never after a success: {calls:?}");
        assert_eq!(calls.iter().filter(|call| **call == "cuDriverGetVersion").count(), 3);
    });
}

/// A buffer is dropped while another thread captures the stream that it was allocated on: the free goes into
/// the stream, and never into the graph.
#[test]
fn a_buffer_is_freed_beside_a_capture_of_its_stream() {
    static ITSELF: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    static INSTEAD: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    model("free beside a capture", 3, || {
        let before = live();
        let seen = Seen::new();
        hook(&seen, 0);
        let (nodes, calls) = record(|| {
            let context = context();
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&context).unwrap();
            let mut stream = gpu.stream().unwrap();
            let mut named = gpu.alloc::<u32>(4).unwrap();
            let freed = gpu.on(&stream).alloc::<u32>(4).unwrap().detach();
            let thread = thread::spawn(move || drop(freed));
            let graph = gpu
                .capture(&mut stream, |c| c.stream().fill(&mut c.hold(&mut named), 1))
                .expect("the capture is spoiled");
            join([thread]);
            graph.nodes().unwrap()
        });
        assert_eq!(nodes, 1, "the free is captured");
        let count = |name: &str| calls.iter().filter(|call| **call == name).count();
        assert_eq!(count("cuMemFreeAsync"), 1, "freed once: {calls:?}");
        // The stream, or one more that is captured in its place.
        let streams = count("cuStreamCreate");
        assert_eq!(count("cuStreamDestroy_v2"), streams);
        [&ITSELF, &INSTEAD][streams - 1].fetch_add(1, SeqCst);
        assert_eq!(seen.counts(), [0; 3], "a release failed");
        assert_eq!(live(), before);
    });
    assert!(ITSELF.load(SeqCst) > 0 && INSTEAD.load(SeqCst) > 0, "both ways");
}

/// A buffer and a graph that names it end on two threads, in either order: the last one frees the memory.
#[test]
fn a_buffer_and_its_graph_end_on_two_threads() {
    model("buffer and graph", 3, || {
        let before = live();
        let seen = Seen::new();
        hook(&seen, 0);
        let ((), calls) = record(|| {
            let context = context();
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&context).unwrap();
            let mut named = gpu.alloc::<u32>(4).unwrap();
            let (graph, ()) =
                gpu.build_graph(|g| g.fill(&[], &mut g.hold(&mut named), 1).map(drop)).unwrap();
            let (graph, named) = (graph.detach(), named.detach());
            let thread = thread::spawn(move || drop(graph));
            drop(named);
            join([thread]);
        });
        assert_eq!(calls.iter().filter(|call| **call == "cuMemFree_v2").count(), 1, "{calls:?}");
        assert_eq!(seen.counts(), [0; 3], "a release failed");
        assert_eq!(live(), before);
    });
}

#[test]
fn values_that_are_put_off_are_dropped_once() {
    use crate::driver::release::{catch_up, put_off};
    model("put off", 10, || {
        let seen = Seen::new();
        let owned = |number| Owned { number, seen: seen.clone() };
        let (first, second) = (owned(0), owned(1));
        let threads = [
            thread::spawn(move || put_off(first)),
            thread::spawn(move || {
                put_off(second);
                catch_up();
            }),
        ];
        catch_up();
        join(threads);
        // Values that the others left, and put off too late for their looks.
        catch_up();
        assert_eq!(seen.ended.each_ref().map(|ended| ended.load(SeqCst)), [1, 1, 0]);
    });
}
