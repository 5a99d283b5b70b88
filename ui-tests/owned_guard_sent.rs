//! An owned guard has its place on the stack of one thread. Send the context, and push it there.

use cuscope::OwnedGuard;

fn misuse(guard: OwnedGuard) {
    std::thread::spawn(move || drop(guard));
}

fn main() {}
