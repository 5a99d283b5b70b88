//! The name of work, and how long it may take.

use std::borrow::Cow;
use std::cell::Cell;
use std::time::Duration;

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

impl Class {
    /// How long others let it run alone.
    pub(super) fn grace(self) -> Duration {
        match self {
            Self::Quick => Duration::from_secs(3600),
            Self::Kernel => Duration::from_millis(500),
            Self::Host | Self::Wait => Duration::from_millis(100),
        }
    }
}

/// A piece of work, for a report.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) name: Cow<'static, str>,
    pub(crate) class: Class,
    /// The stream, if it is not the queue that the work is in.
    pub(crate) stream: Option<u64>,
}

thread_local! {
    /// The driver call that the thread is in, while there is a seed or a trace.
    static CALL: Cell<&'static str> = const { Cell::new("") };
}

/// Notes the driver call that the thread is in.
pub(super) fn note(name: &'static str) {
    // A thread that is ending has none.
    let _ending = CALL.try_with(|call| call.set(name));
}

/// The driver call that the thread is in.
pub(crate) fn call() -> &'static str {
    CALL.try_with(Cell::get).unwrap_or_default()
}

impl Label {
    /// A label for work of a class; its name is only made while there is a seed or a trace.
    pub(crate) fn new<N: Into<Cow<'static, str>>>(class: Class, name: impl FnOnce() -> N) -> Self {
        let name = if super::named() { name().into() } else { Cow::Borrowed("") };
        Self { name, class, stream: None }
    }

    /// Quick work, called as the driver call that the thread is in.
    pub(crate) fn of_call() -> Self {
        Self::new(Class::Quick, call)
    }
}
