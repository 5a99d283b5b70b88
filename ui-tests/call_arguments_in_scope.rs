//! Arguments that are lent to one call are not lent to a scope, which uses them after the call: bound them by
//! `KernelArgs<'ctx, InScope<'s>>`.

use cuscope::{Function, KernelArgs, LaunchConfig, Queue, Result};

fn misuse<'s, 'ctx, A: KernelArgs<'ctx>>(
    q: Queue<'s, 'ctx>,
    kernel: &Function<'ctx>,
    args: A,
) -> Result {
    unsafe { q.launch(kernel, LaunchConfig::new(1, 1), args) }
}

fn main() {}
