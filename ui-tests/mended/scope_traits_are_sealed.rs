//! The mend of `ui-tests/scope_traits_are_sealed.rs`. Pass the memory that your type has.

use cuscope::{KernelArg, KernelArgs, ScopedBuffer, memory::InScope};

struct Mine<'s>(ScopedBuffer<'s, f32>);

fn argument<'m, 's, 'ctx>(mine: &'m Mine<'s>) -> impl KernelArg<'ctx, InScope<'s>> + use<'m, 's, 'ctx> {
    &mine.0
}

fn arguments<'m, 's, 'ctx>(mine: &'m Mine<'s>) -> impl KernelArgs<'ctx, InScope<'s>> + use<'m, 's, 'ctx> {
    (&mine.0,)
}

fn main() {}
