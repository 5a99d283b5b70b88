//! The mend of `ui-tests/call_arguments_in_scope.rs`. Bound them by `KernelArgs<'ctx, InScope<'s>>`.

use cuscope::{Function, KernelArgs, LaunchConfig, ScopedStream, Result, memory::InScope};

fn right<'s, 'ctx, A: KernelArgs<'ctx, InScope<'s>>>(
    stream: ScopedStream<'s, 'ctx>,
    kernel: &Function<'ctx>,
    args: A,
) -> Result {
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 1), args) }
}

fn main() {}
