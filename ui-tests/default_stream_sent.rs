//! A default stream is what the calling thread has current (F31).
//!
//! **Why:** The other thread has another context current, or none. The call would work on the default stream of that
//! one (F31). It is a part of `right-context`.
//!
//! **Mend:** Push the context on the other thread, and ask that guard. See `ui-tests/mended/default_stream_sent.rs`.
//!
//! **Mistake** (E0277):

use cuscope::PushedGuard;

fn spawn<T: Send>(_: T) {}

fn misuse(gpu: &PushedGuard<'_>) {
    spawn(gpu.on_legacy_default());
}

fn main() {}
