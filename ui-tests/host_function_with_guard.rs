//! A host function runs on a thread of the driver, whose stack is its own, and the driver is refused there (F11,
//! F23).
//!
//! **Why:** A function that the driver calls owns its captures, does not unwind into the driver, and exists while
//! the driver may call it. The context in which it runs is not ended under it. This is `host-functions-own`.
//!
//! **Mend:** Do what needs the guard before or behind the call. See `ui-tests/mended/host_function_with_guard.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    gpu.on(stream).host_function(move || drop(gpu.synchronize()))
}

fn main() {}
