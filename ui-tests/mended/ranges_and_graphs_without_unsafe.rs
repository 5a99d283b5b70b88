//! The mend of `ui-tests/ranges_and_graphs_without_unsafe.rs`. Take it in an `unsafe` block that says why these promises
//! hold.

use cuscope::{PushedGuard, Result, ffi};

fn right(gpu: &PushedGuard<'_>, address: ffi::CUdeviceptr, graph: ffi::CUgraph) -> Result {
    // SAFETY: the memory outlives its uses, which are in the order of one stream.
    unsafe { gpu.device_range::<f32>(address, 64) }?;
    // SAFETY: as above.
    unsafe { gpu.device_rows::<f32>(address, 512, (64, 2)) }?;
    // SAFETY: nothing else has the graph, and what it uses outlives it.
    drop(unsafe { gpu.graph_from_raw(graph, ()) }?);
    Ok(())
}

fn main() {}
