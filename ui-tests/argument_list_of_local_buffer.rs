//! A scope borrows the memory in a list until it has waited: make the buffer outside of the closure.

use cuscope::{Function, LaunchConfig, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
) -> Result {
    gpu.scope(|s| {
        let buffer = gpu.alloc::<f32>(64)?;
        let mut arguments = kernel.arguments()?;
        arguments.push(&buffer)?;
        unsafe { s.on(stream).launch_unchecked(kernel, LaunchConfig::new(1, 16), arguments) }
    })
}

fn main() {}
