//! Memory by its address, and a graph of other code, are `unsafe` to take, because only the program knows that they are
//! there and who else uses them.
//!
//! **Why:** An integer may be the address of anything. A copy to a wrong one overwrites memory of another part of the
//! program, or faults, after which the process has lost the GPU (F60). It is a part of `foreign-kept`.
//!
//! **Mend:** Take it in an `unsafe` block that says why these promises hold. See
//! `ui-tests/mended/ranges_and_graphs_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::{PushedGuard, Result, ffi};

fn misuse(gpu: &PushedGuard<'_>, address: ffi::CUdeviceptr, graph: ffi::CUgraph) -> Result {
    gpu.device_range::<f32>(address, 64)?;
    gpu.device_rows::<f32>(address, 512, (64, 2))?;
    drop(gpu.graph_from_raw(graph, ())?);
    Ok(())
}

fn main() {}
