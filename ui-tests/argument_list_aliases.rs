//! A list borrows its memory as a tuple does.
//!
//! **Why:** Memory that is written is in it once. It is a part of `arguments-lowered`.
//!
//! **Mend:** Push the memory once, as `&mut x`, to a kernel that works in place. See
//! `ui-tests/mended/argument_list_aliases.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{DeviceBuffer, Function, LaunchConfig, Result, SyncStream};

fn misuse<'ctx>(
    stream: SyncStream<'_, 'ctx>,
    kernel: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let mut arguments = kernel.arguments()?;
    arguments.push(&*x)?.push(&mut *x)?;
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 16), arguments) }
}

fn main() {}
