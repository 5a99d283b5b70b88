//! The mend of `ui-tests/managed_lent_while_held.rs`. Lend it to the host after the scope.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    mut buffer: DeviceBuffer<'ctx, u32>,
) -> Result {
    gpu.scope(|s| {
        let mut held = s.hold(&mut buffer);
        s.on(stream).fill(&mut held, 1)
    })?;
    assert_eq!(gpu.host_slice(&buffer)?[0], 1);
    Ok(())
}

fn main() {}
