//! A scope borrows the memory in a list until it has waited.
//!
//! **Why:** The closure returns while the kernel may still run. The buffer would be freed under it, and the next
//! allocation could get the same memory. It is a part of `arguments-lowered`.
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
