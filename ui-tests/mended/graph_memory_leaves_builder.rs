//! The mend of `ui-tests/graph_memory_leaves_builder.rs`. Copy it to a buffer that a replay names.

use cuscope::{DeviceBuffer, PushedGuard, Result};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, y: &mut DeviceBuffer<'ctx, f32>) -> Result {
    let (_graph, _node) = gpu.build_graph(|g| {
        let (memory, allocated) = g.alloc::<f32>(&[], 64)?;
        g.copy(&[allocated.into()], &memory, &mut g.hold(y))
    })?;
    Ok(())
}

fn main() {}
