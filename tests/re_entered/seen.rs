//! Counts what the programs met, so that a test that tries nothing cannot pass.

use std::sync::atomic::{AtomicUsize, Ordering};

macro_rules! seen {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Seen { $($(#[$meta])* $name),* }
        impl Seen {
            pub(crate) const ALL: &'static [Seen] = &[$(Seen::$name),*];
        }
    };
}
seen! {
    /// A step after which everything was looked at.
    Step,
    /// A call through a guard that acted on its context.
    Entered,
    /// One that had to succeed.
    HadToEnter,
    NotCurrent,
    Suspended,
    StackTaken,
    /// A stack that was taken by code that the crate called.
    TakenInside,
    /// A guard that was kept beyond the call in which it was pushed.
    KeptInside,
    /// A call that failed on demand.
    Failed,
    Panicked,
    /// A context was destroyed by `try_destroy`.
    Destroyed,
    // Scripts that were run by
    InLogHook,
    InReleaseHook,
    InSubscriber,
    InFunction,
    InGraphFunction,
    InScope,
    InCapture,
    InWaker,
    InWriter,
    InBlockSize,
    /// the payload of a panic, when it was dropped,
    InPayload,
    /// what a hook or function owned.
    InOwned,
}

static TIMES: [AtomicUsize; Seen::ALL.len()] = [const { AtomicUsize::new(0) }; Seen::ALL.len()];

pub(crate) fn seen(what: Seen) {
    TIMES[what as usize].fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn times(what: Seen) -> usize {
    TIMES[what as usize].load(Ordering::Relaxed)
}
