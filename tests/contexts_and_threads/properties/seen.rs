//! Counts what the programs met, so that a test that tries nothing cannot pass.

use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// A step that was compared with the model.
    Step,
    Suspended,
    NotCurrent,
    StackTaken,
    OtherContext,
    /// An entry of a guard that was leaked, or could not pop, was popped later.
    LeakedPopped,
    /// Such an entry turned out to be gone.
    FoundGone,
    /// An error went to the hook.
    Reported,
    /// A panic ended.
    Caught,
    /// A context was destroyed by `try_destroy`.
    Destroyed,
    /// A context was given back by `try_destroy`.
    GivenBack,
    /// An owned guard was used or popped behind the call that it was made in.
    Ended,
    /// An owned guard ended while a younger one lived.
    EndedEarly,
    /// An owned guard lent a guard.
    Lent,
    /// A handle came from another thread.
    Received,
}

impl Seen {
    pub(crate) const ALL: [Seen; 15] = {
        use Seen::*;
        [
            Step,
            Suspended,
            NotCurrent,
            StackTaken,
            OtherContext,
            LeakedPopped,
            FoundGone,
            Reported,
            Caught,
            Destroyed,
            GivenBack,
            Ended,
            EndedEarly,
            Lent,
            Received,
        ]
    };
}

static TIMES: [AtomicUsize; Seen::ALL.len()] = [const { AtomicUsize::new(0) }; Seen::ALL.len()];

pub(crate) fn seen(what: Seen) {
    seen_times(what, 1);
}

pub(crate) fn seen_times(what: Seen, times: usize) {
    TIMES[what as usize].fetch_add(times, Ordering::Relaxed);
}

pub(crate) fn times(what: Seen) -> usize {
    TIMES[what as usize].load(Ordering::Relaxed)
}
