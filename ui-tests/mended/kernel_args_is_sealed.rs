//! The mend of `ui-tests/kernel_args_is_sealed.rs`. Pass the fields of a struct as a tuple, or the struct itself as
//! one plain argument.

use cuscope::KernelArgs;

struct Mine(u32, f32);

fn right<'ctx>(mine: Mine) -> impl KernelArgs<'ctx> {
    (mine.0, mine.1)
}

fn main() {}
