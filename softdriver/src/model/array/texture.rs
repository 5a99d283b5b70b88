//! Textures and surfaces (F366 to F368).
#![allow(unsafe_code, reason = "the union of what a texture reads")]

use crate::entry::Answer;
use crate::model::array::{Array, channel, find, mipmap};
use crate::model::device::all as device_list;
use crate::model::device_attribute::attribute;
use crate::model::life::Life;
use crate::model::memory::space::SPACE;
use crate::registry::Registry;
use core::ffi::c_uint;
use cuscope_ptx as ptx;
use cuscope_ptx::run::{Edge, Image};
use cuscope_sys::*;
use std::sync::Arc;
use std::sync::LazyLock;

pub(crate) const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// The description that a texture or surface was made with.
#[derive(Clone, Copy)]
pub(crate) struct Resource(pub(crate) CUDA_RESOURCE_DESC);
// SAFETY: numbers, and handles, which are numbers here.
unsafe impl Send for Resource {}
// SAFETY: as for `Send`.
unsafe impl Sync for Resource {}

/// Textures.
pub(crate) static TEXTURES: LazyLock<Registry<Texture>> = LazyLock::new(|| Registry::new(0x4f));

/// A texture.
pub(crate) struct Texture {
    pub(crate) life: Arc<Life>,
    pub(crate) resource: Resource,
    pub(crate) described: CUDA_TEXTURE_DESC,
    pub(crate) view: Option<CUDA_RESOURCE_VIEW_DESC>,
    /// As kernels see it.
    pub(crate) seen: Arc<ptx::run::Texture>,
}

/// Surfaces.
pub(crate) static SURFACES: LazyLock<Registry<Surface>> = LazyLock::new(|| Registry::new(0x60));

/// A surface.
pub(crate) struct Surface {
    pub(crate) life: Arc<Life>,
    pub(crate) resource: Resource,
    /// As kernels see it.
    pub(crate) seen: Arc<Image>,
}

/// The flags of a texture.
const FLAGS: c_uint = CU_TRSF_READ_AS_INTEGER
    | CU_TRSF_NORMALIZED_COORDINATES
    | CU_TRSF_SRGB
    | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION
    | CU_TRSF_SEAMLESS_CUBEMAP;

/// Texels in memory that is no array: at most so many by dimension, aligned and of a pitch as the device wants.
fn in_memory(
    life: &Life,
    base: u64,
    (format, channels): (CUarray_format, c_uint),
    size: [usize; 2],
    pitch: usize,
) -> Answer<Image> {
    let channel = channel(format)?;
    let limit = |of| attribute(&device_list()[life.device], of).map(|limit| limit as usize);
    let aligned = base.is_multiple_of(limit(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)? as u64);
    let rows = size[1] > 0;
    if base == 0 || !aligned || !matches!(channels, 1 | 2 | 4) || size[0] == 0 {
        return Err(INVALID);
    }
    let texel = channel.bytes() * channels as usize;
    let row = size[0].checked_mul(texel).ok_or(INVALID)?;
    let pitch = if rows { pitch } else { row };
    if rows {
        let fits = size[0] <= limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH)?
            && size[1] <= limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT)?
            && pitch <= limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH)?
            && pitch.is_multiple_of(limit(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT)?);
        if !fits || pitch < row {
            return Err(INVALID);
        }
    } else if size[0] > limit(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH)? {
        return Err(INVALID);
    }
    let bytes = pitch * (size[1].max(1) - 1) + row;
    SPACE.find(base, bytes)?;
    let size = [size[0] as u32, size[1].max(1) as u32, 1];
    let channels = channels as usize;
    Ok(Image { base, channel, channels, size, layers: 1, pitch: pitch as u64 })
}

/// The levels of what a texture reads.
pub(crate) fn levels(life: &Arc<Life>, resource: &CUDA_RESOURCE_DESC) -> Answer<Vec<Image>> {
    if resource.flags != 0 {
        return Err(INVALID);
    }
    match resource.resType {
        CU_RESOURCE_TYPE_ARRAY => {
            // SAFETY: the type of the resource says which member is there; of any bits it is a value.
            let array = unsafe { resource.res.array };
            Ok(vec![array_in(life, array.hArray)?.image.clone()])
        }
        CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => {
            // SAFETY: as above.
            let array = unsafe { resource.res.mipmap };
            let levels = mipmap::find(array.hMipmappedArray)?.levels()?;
            Ok(levels.iter().map(|level| level.image.clone()).collect())
        }
        CU_RESOURCE_TYPE_LINEAR => {
            // SAFETY: as above.
            let one = unsafe { resource.res.linear };
            let texel = channel(one.format)?.bytes() * one.numChannels.max(1) as usize;
            let size = [one.sizeInBytes / texel, 0];
            Ok(vec![in_memory(life, one.devPtr, (one.format, one.numChannels), size, 0)?])
        }
        CU_RESOURCE_TYPE_PITCH2D => {
            // SAFETY: as above.
            let one = unsafe { resource.res.pitch2D };
            if one.height == 0 {
                return Err(INVALID);
            }
            let (format, size) = ((one.format, one.numChannels), [one.width, one.height]);
            Ok(vec![in_memory(life, one.devPtr, format, size, one.pitchInBytes)?])
        }
        _ => Err(INVALID),
    }
}

/// Returns the view that a kernel has of a texture; INVALID_VALUE if it cannot be read so.
pub(crate) fn seen(
    levels: Vec<Image>,
    described: &CUDA_TEXTURE_DESC,
    linear_memory: bool,
    cube: bool,
) -> Answer<ptx::run::Texture> {
    let edge = |mode: CUaddress_mode| {
        Ok(match mode {
            CU_TR_ADDRESS_MODE_WRAP => Edge::Wrap,
            CU_TR_ADDRESS_MODE_CLAMP => Edge::Clamp,
            CU_TR_ADDRESS_MODE_MIRROR => Edge::Mirror,
            CU_TR_ADDRESS_MODE_BORDER => Edge::Border,
            _ => return Err(INVALID),
        })
    };
    let linear = |mode: CUfilter_mode| match mode {
        CU_TR_FILTER_MODE_POINT => Ok(false),
        CU_TR_FILTER_MODE_LINEAR => Ok(true),
        _ => Err(INVALID),
    };
    let [u, v, w] = described.addressMode;
    let flags = described.flags;
    if flags & !FLAGS != 0 {
        return Err(INVALID);
    }
    if flags & CU_TRSF_SEAMLESS_CUBEMAP != 0 {
        return Err(if cube { CUDA_ERROR_NOT_SUPPORTED } else { INVALID });
    }
    Ok(ptx::run::Texture {
        linear_memory,
        edges: [edge(u)?, edge(v)?, edge(w)?],
        linear: linear(described.filterMode)?,
        linear_levels: linear(described.mipmapFilterMode)?,
        integers: flags & CU_TRSF_READ_AS_INTEGER != 0,
        normalized: flags & CU_TRSF_NORMALIZED_COORDINATES != 0,
        srgb: flags & CU_TRSF_SRGB != 0,
        bias: described.mipmapLevelBias,
        clamp: [described.minMipmapLevelClamp, described.maxMipmapLevelClamp],
        border: described.borderColor,
        levels,
    })
}

/// The array of a handle, for an object in a context, which must be its own (F374).
pub(crate) fn array_in(life: &Arc<Life>, handle: CUarray) -> Answer<Arc<Array>> {
    let array = find(handle)?;
    let own = Arc::ptr_eq(&array.life, life);
    if own { Ok(array) } else { Err(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED) }
}
