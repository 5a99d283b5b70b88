//! The mend of `ui-tests/owned_guard_sent.rs`. Send the context, and push it there.

use cuscope::{Result, stack::OwnedGuard};

fn right(guard: &OwnedGuard) {
    let context = guard.context().clone();
    send(move || -> Result { context.push_owned()?.pop() });
}

fn send(_: impl Send) {}

fn main() {}
