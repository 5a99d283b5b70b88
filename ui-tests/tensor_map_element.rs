//! The tensor memory accelerator knows numbers of some types.
//!
//! **Why:** The map states the type of its elements to the hardware, which converts and fills by it. For a type that
//! it does not know there is no code to state. It is a part of `map-in-memory`.
//!
//! **Mend:** Use `i32`, `u16` or another type that it knows. See `ui-tests/mended/tensor_map_element.rs`.
//!
//! **Mistake** (E0277):

use cuscope::tensor_map::{TensorLayout, TensorMap};
use cuscope::{DeviceBuffer, PushedGuard, Result};

fn misuse<'b, 'ctx>(
    gpu: &PushedGuard<'ctx>,
    buffer: &'b DeviceBuffer<'ctx, i16>,
) -> Result<TensorMap<&'b DeviceBuffer<'ctx, i16>>> {
    gpu.tensor_map(&TensorLayout::tiled(&[64], &[32]), buffer)
}

fn main() {}
