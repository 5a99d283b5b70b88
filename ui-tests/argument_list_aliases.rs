//! A list borrows its memory as a tuple does: memory that is written is in it once.

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
