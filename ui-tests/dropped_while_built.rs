//! A buffer that is lent to a builder is not dropped before the graph is built.
//!
//! **Why:** The node has the address of the buffer. Each replay would copy from memory that is freed, or that another
//! buffer has by now. It is a part of `graph-owns`.
//!
//! **Mend:** Drop the buffer once the graph is built. See `ui-tests/mended/dropped_while_built.rs`.
//!
//! **Mistake** (E0505, E0597):

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
