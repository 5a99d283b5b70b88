//! An owned guard has its place on the stack of one thread. Send the context, and push it there.

use cuscope::OwnedGuard;

fn misuse(guard: OwnedGuard) {
    send(guard);
}

fn send(_: impl Send) {}

fn main() {}
