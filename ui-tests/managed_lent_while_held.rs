//! A scope has managed memory until it ends.
//!
//! **Why:** Its kernels may be writing. It is a part of `host-when-idle`.
//!
//! **Mend:** Lend it to the host after the scope. See `ui-tests/mended/managed_lent_while_held.rs`.
//!
//! **Mistake** (E0502):

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    mut buffer: DeviceBuffer<'ctx, u32>,
) -> Result {
    gpu.scope(|s| {
        let mut held = s.hold(&mut buffer);
        s.on(stream).fill(&mut held, 1)?;
        assert_eq!(gpu.host_slice(&buffer)?[0], 1);
        Ok(())
    })
}

fn main() {}
