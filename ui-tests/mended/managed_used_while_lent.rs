//! The mend of `ui-tests/managed_used_while_lent.rs`. Let the device use it before, or when the host is done.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    mut buffer: DeviceBuffer<'ctx, u32>,
) -> Result {
    gpu.on(stream).fill(&mut buffer, 0)?;
    let on_the_host = gpu.host_slice(&buffer)?;
    assert_eq!(on_the_host[0], 0);
    Ok(())
}

fn main() {}
