//! The mend of `ui-tests/tensor_map_element.rs`. Use `i32`, `u16` or another type that it knows.

use cuscope::tensor_map::{TensorLayout, TensorMap};
use cuscope::{DeviceBuffer, PushedGuard, Result};

fn right<'b, 'ctx>(
    gpu: &PushedGuard<'ctx>,
    buffer: &'b DeviceBuffer<'ctx, i32>,
) -> Result<TensorMap<&'b DeviceBuffer<'ctx, i32>>> {
    gpu.tensor_map(&TensorLayout::tiled(&[64], &[32]), buffer)
}

fn main() {}
