//! Managed memory is not freed while the host has it.
//!
//! **Why:** Device memory that the host can use too is lent to it only while the device does not use it. This is
//! `host-when-idle`.
//!
//! **Mend:** Drop it when the host is done. See `ui-tests/mended/managed_freed_while_lent.rs`.
//!
//! **Mistake** (E0505):

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
