//! A scope has managed memory until it ends: its kernels may be writing.

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
