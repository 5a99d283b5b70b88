//! An owned guard stays on its thread.
//!
//! **Why:** It has a place on the stack of that thread. It is a part of `owned-in-order`.
//!
//! **Mend:** Send the context, and push it there. See `ui-tests/mended/owned_guard_sent.rs`.
//!
//! **Mistake** (E0277):

use cuscope::stack::OwnedGuard;

fn misuse(guard: OwnedGuard) {
    send(guard);
}

fn send(_: impl Send) {}

fn main() {}
