//! The tensor memory accelerator knows numbers of some types.

use cuscope::tensor_map::{TensorLayout, TensorMap};
use cuscope::{DeviceBuffer, PushedGuard, Result};

fn misuse<'b, 'ctx>(
    gpu: &PushedGuard<'ctx>,
    buffer: &'b DeviceBuffer<'ctx, i16>,
) -> Result<TensorMap<&'b DeviceBuffer<'ctx, i16>>> {
    gpu.tensor_map(&TensorLayout::tiled(&[64], &[32]), buffer)
}

fn main() {}
