//! The driver functions about [`shape`](crate::model::array::shape).

use crate::entry::Answer;
use crate::model::array::shape::{INVALID, Shape};
use crate::model::device::all as device_list;
use crate::model::device_attribute::attribute;
use cuscope_sys::*;

/// The flags of arrays that are modelled.
const KNOWN: u32 = CUDA_ARRAY3D_LAYERED
    | CUDA_ARRAY3D_SURFACE_LDST
    | CUDA_ARRAY3D_CUBEMAP
    | CUDA_ARRAY3D_TEXTURE_GATHER;
/// Those that are not: what they describe is 0 among the attributes of the device.
const NOT_MODELLED: u32 = CUDA_ARRAY3D_SPARSE
    | CUDA_ARRAY3D_DEFERRED_MAPPING
    | CUDA_ARRAY3D_DEPTH_TEXTURE
    | CUDA_ARRAY3D_COLOR_ATTACHMENT
    | CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;

/// Whether there is an array of this description: INVALID_VALUE if not, NOT_SUPPORTED for what is not modelled.
pub(super) fn check(
    descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
    device: usize,
    levels: bool,
) -> Answer<Shape> {
    let flags = descriptor.Flags;
    if flags & !(KNOWN | NOT_MODELLED) != 0 || !matches!(descriptor.NumChannels, 1 | 2 | 4) {
        return Err(INVALID);
    }
    crate::model::array::channel(descriptor.Format)?;
    if flags & NOT_MODELLED != 0 {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    let shape = Shape::of(descriptor)?;
    let extents = [descriptor.Width, descriptor.Height, descriptor.Depth];
    let fits = |most: [Option<CUdevice_attribute>; 3]| {
        extents.into_iter().zip(most).all(|(extent, most)| {
            most.is_none_or(|most| {
                attribute(&device_list()[device], most).is_ok_and(|most| extent <= most as usize)
            })
        })
    };
    let is_texture = shape == Shape::D3 && flags & CUDA_ARRAY3D_SURFACE_LDST == 0;
    if fits(shape.most(flags, levels)) || is_texture && fits(Shape::DEEP) {
        Ok(shape)
    } else {
        Err(INVALID)
    }
}
