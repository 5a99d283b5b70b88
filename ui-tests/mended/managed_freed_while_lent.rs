//! The mend of `ui-tests/managed_freed_while_lent.rs`. Drop it when the host is done.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    _: &Stream<'ctx>,
    mut buffer: DeviceBuffer<'ctx, u32>,
) -> Result {
    let on_the_host = gpu.host_slice_mut(&mut buffer)?;
    on_the_host.fill(1);
    drop(buffer);
    Ok(())
}

fn main() {}
