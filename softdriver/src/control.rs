//! What tests ask the software driver: which calls a thread made, what is alive, and which races there
//! were.

use crate::model::capture;
use crate::model::driver;
use crate::model::notification;
use crate::model::stack;
use crate::race;
use cuscope_sys::CUstreamCaptureMode;
use std::cell::{Cell, RefCell};

pub use crate::model::driver::Live;
pub use crate::model::stack::Entry;
pub use crate::race::{Access, Operation, Race};

thread_local! {
    /// How many [`record`]s this thread is in.
    static RECORDING: Cell<usize> = const { Cell::new(0) };
    /// The calls since the outermost of them began.
    static CALLS: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// Notes a call, if this thread is recording.
#[inline]
pub(crate) fn note(name: &'static str) {
    // A thread that is ending has no recording any more.
    if RECORDING.try_with(Cell::get).unwrap_or(0) > 0 {
        CALLS.with_borrow_mut(|calls| calls.push(name));
    }
}

/// Runs `f` and gives the names of the driver calls that this thread made meanwhile, refused ones
/// included.
pub fn record<R>(f: impl FnOnce() -> R) -> (R, Vec<&'static str>) {
    let recording = Recording::begin();
    let result = f();
    (result, recording.calls())
}

/// A recording of the calls of this thread. It ends when it is dropped, also by a panic.
struct Recording {
    /// How many calls outer recordings have.
    start: usize,
}

impl Recording {
    fn begin() -> Self {
        RECORDING.set(RECORDING.get() + 1);
        Self { start: CALLS.with_borrow(Vec::len) }
    }

    /// The calls so far.
    fn calls(&self) -> Vec<&'static str> {
        CALLS.with_borrow(|calls| calls[self.start..].to_vec())
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        RECORDING.set(RECORDING.get() - 1);
        if RECORDING.get() == 0 {
            CALLS.take();
        }
    }
}

/// Counts what is alive, in every context and of every thread. All zero before `cuInit`.
pub fn live() -> Live {
    driver::get().map(driver::Driver::live).unwrap_or_default()
}

/// Tells the functions of `cuDeviceRegisterAsyncNotification` that memory of the device with this ordinal is so many bytes over
/// its budget, as nothing else does here. Returns how many functions there were, when they have returned.
pub fn notify_over_budget(device: usize, bytes: u64) -> usize {
    notification::over_budget(device, bytes)
}

/// The depth of the calling thread's context stack.
pub fn stack_depth() -> usize {
    stack::depth()
}

/// The calling thread's context stack, from bottom to top. Makes no driver call.
pub fn stack() -> Vec<Entry> {
    stack::entries_of_thread()
}

/// The calling thread's mode of stream capture. Makes no driver call.
pub fn capture_mode() -> CUstreamCaptureMode {
    capture::mode()
}

/// The races that were found while there was a [seed](crate::schedule::seed), each pair of operations
/// once. With the variable `CUSCOPE_SOFT_SEED` they are also printed to stderr; with
/// `CUSCOPE_SOFT_RACES=abort` the first ends the process.
///
/// A race is two operations on the same memory, at least one of which changes it, that no stream,
/// event or wait orders, whether or not they ran in the order that the program hopes for; or one on
/// memory that was freed before. Threads of the program count as one, and what the program itself does
/// with memory of the host is not seen, nor what it learns by looking at memory.
pub fn races() -> Vec<Race> {
    race::races()
}

/// The same; they are forgotten.
pub fn take_races() -> Vec<Race> {
    race::take_races()
}
