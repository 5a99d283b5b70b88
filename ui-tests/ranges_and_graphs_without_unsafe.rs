//! Memory by its address, and a graph of other code, are taken by `unsafe` methods: only the program knows that they are
//! there and who else uses them.

use cuscope::{PushedGuard, Result, ffi};

fn misuse(gpu: &PushedGuard<'_>, address: ffi::CUdeviceptr, graph: ffi::CUgraph) -> Result {
    let range = gpu.device_range::<f32>(address, 64)?;
    let rows = gpu.device_rows::<f32>(address, 512, (64, 2))?;
    let graph = gpu.graph_from_raw(graph, ())?;
    drop((range, rows, graph));
    Ok(())
}

fn main() {}
