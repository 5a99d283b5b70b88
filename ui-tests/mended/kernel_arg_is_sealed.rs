//! The mend of `ui-tests/kernel_arg_is_sealed.rs`. Derive bytemuck's `NoUninit` for a plain struct and pass it by
//! value.

use cuscope::KernelArg;

#[derive(Clone, Copy, bytemuck::NoUninit)]
#[repr(C)]
struct Mine(u32);

fn right<'ctx>(mine: Mine) -> impl KernelArg<'ctx> {
    mine
}

fn main() {}
