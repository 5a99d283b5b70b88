//! Arguments that are lent to one call are not lent to a scope, which uses them after the call: bound them by
//! `KernelArgs<'ctx, InScope<'s>>`.

use cuscope::{Function, KernelArgs, LaunchConfig, ScopedStream, Result};

fn misuse<'s, 'ctx, A: KernelArgs<'ctx>>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    args: A,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), args) }
}

fn main() {}
