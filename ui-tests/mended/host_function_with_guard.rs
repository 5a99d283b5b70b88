//! The mend of `ui-tests/host_function_with_guard.rs`. Do what needs the guard before or behind the call.

use cuscope::{PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result {
    gpu.on(stream).host_function(move || println!("done"))?;
    gpu.synchronize()
}

fn main() {}
