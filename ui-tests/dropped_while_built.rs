//! A buffer that is lent to a builder is not dropped before the graph is built.

use cuscope::{DeviceBuffer, PushedGuard, Result};

fn misuse<'ctx>(gpu: &PushedGuard<'ctx>, x: DeviceBuffer<'ctx, u32>) -> Result {
    let mut y = gpu.alloc::<u32>(64)?;
    gpu.build_graph(|g| {
        g.copy(&[], &x, &mut g.hold(&mut y))?;
        drop(x);
        Ok(())
    })
    .map(drop)
}

fn main() {}
