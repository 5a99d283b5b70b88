//! A host function runs on a thread of the driver, whose stack is its own, and the driver is refused there
//! (F11, F23). Do what needs the guard before or behind the call.

use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    gpu.on(stream).host_function(move || drop(gpu.synchronize()))
}

fn main() {}
