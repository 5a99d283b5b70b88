//! The mend of `ui-tests/dropped_while_built.rs`. Drop the buffer once the graph is built.

use cuscope::{DeviceBuffer, PushedGuard, Result};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, x: DeviceBuffer<'ctx, u32>) -> Result {
    let mut y = gpu.alloc::<u32>(64)?;
    let _graph = gpu.build_graph(|g| {
        g.copy(&[], &x, &mut g.hold(&mut y))?;
        Ok(())
    })?;
    drop(x);
    Ok(())
}

fn main() {}
