//! Arguments that are lent to one call are not lent to a scope, which uses them after the call.
//!
//! **Why:** A scope borrows the memory that the device may touch until it has waited: for reading if the device only
//! reads it, else exclusively. The host gets staged memory back while no transfer uses it. This is `scope-borrows`.
//!
//! **Mend:** Bound them by `KernelArgs<'ctx, InScope<'s>>`. See `ui-tests/mended/call_arguments_in_scope.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Function, KernelArgs, LaunchConfig, ScopedStream, Result};

fn misuse<'s, 'ctx, A: KernelArgs<'ctx>>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    args: A,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), args) }
}

fn main() {}
