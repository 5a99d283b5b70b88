//! The mend of `ui-tests/argument_list_of_local_buffer.rs`. Make the buffer outside of the closure.

use cuscope::{Function, LaunchConfig, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
) -> Result {
    let buffer = gpu.alloc::<f32>(64)?;
    gpu.scope(|s| {
        let mut arguments = kernel.arguments()?;
        arguments.push(&buffer)?;
        unsafe { s.on(stream).launch_unchecked(kernel, LaunchConfig::new(1, 16), arguments) }
    })
}

fn main() {}
