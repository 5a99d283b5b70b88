//! Managed memory is not freed while the host has it.
//!
//! **Why:** The slice would point to memory that is gone. The host would write to an address that has no page, or
//! that of another allocation. It is a part of `host-when-idle`.
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
