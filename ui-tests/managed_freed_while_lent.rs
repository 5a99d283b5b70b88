//! Managed memory is not freed while the host has it.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    _: &Stream<'ctx>,
    mut buffer: DeviceBuffer<'ctx, u32>,
) -> Result {
    let on_the_host = gpu.host_slice_mut(&mut buffer)?;
    drop(buffer);
    on_the_host.fill(1);
    Ok(())
}

fn main() {}
