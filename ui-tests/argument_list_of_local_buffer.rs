//! A scope borrows the memory in a list until it has waited.
//!
//! **Why:** A launch passes one pointer for each argument. It points to a plain value, or to the address of a buffer
//! or of page-locked memory. This memory is borrowed in the way that the kernel uses it. This is
//! `arguments-lowered`.
//!
//! **Mend:** Make the buffer outside of the closure. See `ui-tests/mended/argument_list_of_local_buffer.rs`.
//!
//! **Mistake** (E0597):

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
