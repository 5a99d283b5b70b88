//! A host function runs on a thread of the driver, whose stack is its own, and the driver is refused there (F11,
//! F23).
//!
//! **Why:** There is no context on the thread of the driver, and each call there is refused. The function would fail,
//! or wait for the stream that waits for it. It is a part of `host-functions-own`.
//!
//! **Mend:** Do what needs the guard before or behind the call. See `ui-tests/mended/host_function_with_guard.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    gpu.on(stream).host_function(move || drop(gpu.synchronize()))
}

fn main() {}
