//! Managed memory is lent to the host or to the device, and not to both.
//!
//! **Why:** The host would read while the device writes. On devices without concurrent managed access the read
//! faults, on the others it is a data race. It is a part of `host-when-idle`.
//!
//! **Mend:** Let the device use it before, or when the host is done. See
//! `ui-tests/mended/managed_used_while_lent.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    mut buffer: DeviceBuffer<'ctx, u32>,
) -> Result {
    let on_the_host = gpu.host_slice(&buffer)?;
    gpu.on(stream).fill(&mut buffer, 1)?;
    assert_eq!(on_the_host[0], 0);
    Ok(())
}

fn main() {}
