//! A default stream is what the calling thread has current (F31).
//!
//! **Why:** A call that acts on the current context acts on the guard's context, or cuscope does not make the call.
//! This is `right-context`.
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
