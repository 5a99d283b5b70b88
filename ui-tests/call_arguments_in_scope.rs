//! Arguments that are lent to one call are not lent to a scope, which uses them after the call.
//!
//! **Why:** A blocking launch is over when it returns, so its arguments are lent until then. In a scope the kernel
//! runs on after the call, with memory that is no longer lent. It is a part of `scope-borrows`.
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
