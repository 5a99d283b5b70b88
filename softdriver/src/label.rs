//! The name of work, and what it may wait for.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};

/// The kind of event that work may wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Nothing: it ends soon.
    Quick,
    /// A write of the host or of another kernel to memory.
    Kernel,
    /// Whatever the program does: a function of the host.
    Host,
    /// An event that the host records.
    Wait,
}

/// A piece of work, for a report.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) name: Cow<'static, str>,
    pub(crate) class: Class,
    /// The stream, if it is not the queue that the work is in.
    pub(crate) stream: Option<u64>,
}

/// Whether work gets its name: for reports of races and of accesses, or for the trace.
static NAMED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The driver call that the thread is in, while work gets its name.
    static CALL: Cell<&'static str> = const { Cell::new("") };
    /// The name of the work that the thread runs, likewise.
    static WORK: RefCell<Cow<'static, str>> = const { RefCell::new(Cow::Borrowed("")) };
}

/// Has work get its name from now on.
pub(crate) fn begin() {
    NAMED.store(true, Ordering::Relaxed);
}

/// Whether work gets its name.
#[inline]
fn named() -> bool {
    NAMED.load(Ordering::Relaxed)
}

/// Notes the driver call that the thread is in.
#[inline]
pub(crate) fn in_call(name: &'static str) {
    if named() {
        // A thread that is ending has none.
        let _ending = CALL.try_with(|call| call.set(name));
    }
}

/// The driver call that the thread is in.
pub(crate) fn call() -> &'static str {
    CALL.try_with(Cell::get).unwrap_or_default()
}

/// Calls `f` with what the work that the thread runs is called.
pub(crate) fn with_work<R>(f: impl FnOnce(&str) -> R) -> R {
    let mut f = Some(f);
    let called = WORK.try_with(|work| f.take().map(|f| f(&work.borrow())));
    match (called.ok().flatten(), f) {
        (Some(result), _) => result,
        (None, Some(f)) => f(""),
        (None, None) => unreachable!("`f` is either taken and called, or still here"),
    }
}

impl Label {
    /// A label for work of a class; its name is only made if it gets one.
    pub(crate) fn new<N: Into<Cow<'static, str>>>(class: Class, name: impl FnOnce() -> N) -> Self {
        let name = if named() { name().into() } else { Cow::Borrowed("") };
        Self { name, class, stream: None }
    }

    /// Quick work, called as the driver call that the thread is in.
    pub(crate) fn of_call() -> Self {
        Self::new(Class::Quick, call)
    }

    /// Notes that the thread works on it from now on.
    pub(crate) fn begins(&self) {
        if named() {
            // Work that a thread runs while it is ending has no name.
            let _ending = WORK.try_with(|work| work.replace(self.name.clone()));
        }
    }
}
