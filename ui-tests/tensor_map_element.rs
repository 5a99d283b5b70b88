//! The tensor memory accelerator knows numbers of some types.
//!
//! **Why:** A tensor map describes memory that it borrows, and no byte beyond it. This is `map-in-memory`.
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
