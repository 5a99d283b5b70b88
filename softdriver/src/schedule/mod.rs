//! An order of asynchronous work that a seed decides: late, and against what a program may hope for.
//!
//! Without a seed every queue is served by a thread of its own. With one, work stands in line until the
//! scheduler picks it: only what streams, events, the legacy default stream and waits promise is kept.
//! Which of the ready pieces runs next, and whether one runs before somebody waits, comes from the
//! seed; one piece runs at a time. So the same seed and the same program with one thread give the same
//! order, unless a kernel or a function of the host waits for the program, or the program leaves the
//! driver alone for long while it waits for work in its own way.
//!
//! The seed also turns on the record of accesses: see [`control::races`](crate::control::races).

mod drive;
mod rng;
mod state;

use crate::label;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use drive::{below, drive, drop_stopped, poll, push};

/// Whether there is a seed.
static ON: AtomicBool = AtomicBool::new(false);

/// Whether there is a seed.
#[inline]
pub(crate) fn on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Lets work run. Every driver call does this first.
#[inline]
pub(crate) fn tick() {
    if on() {
        drive::tick();
    }
}

/// Lets a seed decide the order of all work that is submitted from now on, in the whole process. To be
/// called when nothing is pending. The order of a seed is the same each time.
pub fn seed(seed: u64) {
    label::begin();
    drive::begin(seed);
    ON.store(true, Ordering::Relaxed);
}

/// Ends that: work that is submitted from now on is run by a thread for each queue.
pub fn stop() {
    ON.store(false, Ordering::Relaxed);
}

/// The pieces of work in the order in which they began, since the last [`seed`]: each a number, in the
/// order of submission. The first million of them.
pub fn order() -> Vec<u64> {
    drive::begun()
}
