//! A default stream is what the calling thread has current (F31): each thread asks a guard of its own.

use cuscope::PushedGuard;

fn spawn<T: Send>(_: T) {}

fn misuse(gpu: &PushedGuard<'_>) {
    spawn(gpu.on_legacy_default());
}

fn main() {}
