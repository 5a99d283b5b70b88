//! With the feature `tracing`: a span for every pushed context, from push to pop, and an event for every
//! release that a `Drop` could not return.

#[path = "../common/mod.rs"]
mod common;

use common::gpu::new_context;
use cuscope::{Context, ContextStack};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::fmt::{Debug, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Keeps the tests from each other. `tracing` remembers for each span whether anyone wants it. While it knows one
/// subscriber only, it asks the thread that comes first: one without a subscriber turns the span off for all.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes down what is traced.
#[derive(Clone, Default)]
struct Log {
    lines: Arc<Mutex<Vec<String>>>,
    next: Arc<AtomicU64>,
    panics: bool,
}

impl Log {
    fn add(&self, line: String) {
        self.lines.lock().unwrap().push(line);
        assert!(!self.panics, "a subscriber that panics");
    }

    /// Runs `f` traced, and gives what was.
    fn of(self, f: impl FnOnce()) -> Vec<String> {
        let lines = self.lines.clone();
        tracing::subscriber::with_default(self, f);
        std::mem::take(&mut *lines.lock().unwrap())
    }
}

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "cuscope"
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let id = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let mut fields = Fields(String::new());
        span.record(&mut fields);
        self.add(format!("{id}: {}{}", span.metadata().name(), fields.0));
        Id::from_u64(id)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(String::new());
        event.record(&mut fields);
        self.add(format!("event{}", fields.0));
    }
    fn enter(&self, id: &Id) {
        self.add(format!("{} entered", id.into_u64()));
    }
    fn exit(&self, id: &Id) {
        self.add(format!("{} left", id.into_u64()));
    }
}

#[test]
fn pushed_contexts_are_spans() {
    let _alone = alone();
    let (a, b) = (new_context(), new_context());
    let (of_a, of_b) = (a.id().unwrap(), b.id().unwrap());
    let lines = Log::default().of(|| {
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(&a).unwrap();
        outer.push(&b).unwrap().pop().unwrap();
        std::mem::forget(outer.push(&b).unwrap());
        outer.synchronize().unwrap(); // the leaked entry goes, and its span ends
        outer.pop().unwrap();
    });
    let expected = [
        format!("1: context context=created context {of_a} of device 0 device=0"),
        "1 entered".into(),
        format!("2: context context=created context {of_b} of device 0 device=0"),
        "2 entered".into(),
        "2 left".into(),
        format!("3: context context=created context {of_b} of device 0 device=0"),
        "3 entered".into(),
        "3 left".into(),
        "1 left".into(),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_release_that_failed_is_an_event() {
    let _alone = alone();
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let stream = gpu.stream().unwrap();
    let code = cuscope::ffi::CUDA_ERROR_UNKNOWN;
    let fault = Fault { which: Which::Named("cuStreamDestroy_v2"), code, performed: true };
    let lines = Log::default().of(|| drop(with_fault(fault, || drop(stream))));
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].starts_with("event message=not released error=`cuStreamDestroy_v2` failed"),
        "{lines:?}"
    );
}

#[test]
fn a_subscriber_that_panics_does_no_harm() {
    let _alone = alone();
    let context = new_context();
    let log = Log { panics: true, ..Log::default() };
    let lines = log.of(|| {
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        gpu.synchronize().unwrap();
        gpu.pop().unwrap();
    });
    assert_eq!(lines.len(), 1, "{lines:?}");
    context.try_destroy().expect("nothing holds it").unwrap();
}

/// A subscriber for the whole process is not kept from itself by `tracing`.
#[test]
fn a_subscriber_whose_releases_fail_is_told_once() {
    static EVENTS: AtomicU64 = AtomicU64::new(0);
    static REPORTS: AtomicU64 = AtomicU64::new(0);
    struct Releases(Mutex<Vec<cuscope::Detached<cuscope::Stream<'static>>>>);
    impl Subscriber for Releases {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.is_event() && metadata.target() == "cuscope"
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {
            EVENTS.fetch_add(1, Ordering::Relaxed);
            let stream = self.0.lock().unwrap().pop();
            drop(stream);
        }
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(a_subscriber_whose_releases_fail_is_told_once, {
        let context = new_context();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let streams = (0..5).map(|_| gpu.stream().unwrap().detach()).collect();
        tracing::subscriber::set_global_default(Releases(Mutex::new(streams))).unwrap();
        cuscope::on_release_error(|_| {
            REPORTS.fetch_add(1, Ordering::Relaxed);
        });
        let stream = gpu.stream().unwrap();
        let code = cuscope::ffi::CUDA_ERROR_UNKNOWN;
        let fault = Fault { which: Which::Named("cuStreamDestroy_v2"), code, performed: true };
        let ((), failed) = with_fault(fault, || drop(stream));
        assert_eq!(failed.len(), 2, "that of the test, and that of the subscriber");
        assert_eq!(EVENTS.load(Ordering::Relaxed), 1);
        assert_eq!(REPORTS.load(Ordering::Relaxed), 2, "the hook is told of both");
    });
}

/// A subscriber that takes the thread's stack while a dropped one is popped: the entry of its guard was popped then.
#[test]
fn a_subscriber_takes_no_stack_while_leaked_entries_are_popped() {
    let _alone = alone();
    use cuscope::Error;
    use std::cell::RefCell;
    thread_local! {
        /// The context that the subscriber pushes when the next span ends, and the result.
        static NEXT: RefCell<Option<Context>> = const { RefCell::new(None) };
        static TAKEN: RefCell<Option<cuscope::Result>> = const { RefCell::new(None) };
    }
    struct Takes;
    impl Subscriber for Takes {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target() == "cuscope"
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {
            if let Some(context) = NEXT.take() {
                let stack = ContextStack::current_thread();
                TAKEN.set(Some(stack.map(|stack| {
                    // Kept, with a guard on it.
                    let stack = Box::leak(Box::new(stack));
                    let context = Box::leak(Box::new(context));
                    std::mem::forget(stack.push(context).unwrap());
                })));
            }
        }
    }
    let (a, b, other) = (new_context(), new_context(), new_context());
    tracing::subscriber::with_default(Takes, || {
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(&a).unwrap();
        std::mem::forget(outer.push(&b).unwrap());
        std::mem::forget(outer);
        NEXT.set(Some(other.clone()));
        drop(stack);
        assert_eq!(TAKEN.take(), Some(Err(Error::StackTaken)));
        assert!(cuscope::current_context().unwrap().is_none(), "all is popped");
    });
    // An entry that is pushed from now on is seen by whoever ends contexts.
    let mut stack = ContextStack::current_thread().unwrap();
    let own = new_context();
    std::mem::forget(stack.push(&own).unwrap());
    let own = own.try_destroy().expect_err("it is on the stack");
    own.synchronize().unwrap();
    stack.push(&other).unwrap().synchronize().unwrap();
}
