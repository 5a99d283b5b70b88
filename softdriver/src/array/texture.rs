//! Textures and surfaces (F366 to F368).
#![allow(unsafe_code, reason = "exported functions, and the union of what a texture reads")]

use super::{Array, channel, find, mipmap};
use crate::device_attribute::attribute;
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::life::Life;
use crate::ptx::{self, Edge, Image};
use crate::stack;
use core::ffi::c_uint;
use cuscope_sys::*;
use std::sync::Arc;

const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// What a texture or surface was made with.
#[derive(Clone, Copy)]
struct Resource(CUDA_RESOURCE_DESC);
// SAFETY: numbers, and handles, which are numbers here.
unsafe impl Send for Resource {}
// SAFETY: as for `Send`.
unsafe impl Sync for Resource {}

/// A texture.
pub(crate) struct Texture {
    pub(crate) life: Arc<Life>,
    resource: Resource,
    described: CUDA_TEXTURE_DESC,
    view: Option<CUDA_RESOURCE_VIEW_DESC>,
    /// As kernels see it.
    pub(crate) seen: Arc<ptx::Texture>,
}

/// A surface.
pub(crate) struct Surface {
    pub(crate) life: Arc<Life>,
    resource: Resource,
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
    let limit = |of| attribute(&state().devices[life.device], of).map(|limit| limit as usize);
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
    state().space.find(base, bytes)?;
    let size = [size[0] as u32, size[1].max(1) as u32, 1];
    let channels = channels as usize;
    Ok(Image { base, channel, channels, size, layers: 1, pitch: pitch as u64 })
}

/// The levels of what a texture reads.
fn levels(life: &Arc<Life>, resource: &CUDA_RESOURCE_DESC) -> Answer<Vec<Image>> {
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

/// The levels and layers that a view leaves; its format is that of the texels, and its extents theirs.
fn viewed(mut levels: Vec<Image>, view: &CUDA_RESOURCE_VIEW_DESC) -> Answer<Vec<Image>> {
    let (first, last) = (view.firstMipmapLevel as usize, view.lastMipmapLevel as usize);
    if view.format.0 > CU_RES_VIEW_FORMAT_UNSIGNED_BC7.0 || first > last || last >= levels.len() {
        return Err(INVALID);
    }
    if view.format != CU_RES_VIEW_FORMAT_NONE {
        return Err(CUDA_ERROR_NOT_SUPPORTED);
    }
    let (from, to) = (view.firstLayer, view.lastLayer);
    if from > to || to >= levels[0].layers {
        return Err(INVALID);
    }
    levels = levels[first..=last].to_vec();
    for level in &mut levels {
        level.base = level.address(0, 0, 0, from.into());
        level.layers = to - from + 1;
    }
    Ok(levels)
}

/// Whether a texture reads the faces of a cube.
fn is_cube(resource: &CUDA_RESOURCE_DESC) -> Answer<bool> {
    let array = match resource.resType {
        CU_RESOURCE_TYPE_ARRAY => {
            // SAFETY: the type of the resource says which member is there; of any bits it is a value.
            find(unsafe { resource.res.array }.hArray)?
        }
        CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => {
            // SAFETY: as above.
            mipmap::find(unsafe { resource.res.mipmap }.hMipmappedArray)?.levels()?[0].clone()
        }
        _ => return Ok(false),
    };
    Ok(array.descriptor.Flags & CUDA_ARRAY3D_CUBEMAP != 0)
}

/// What a kernel sees of a texture; INVALID_VALUE if it cannot be read so.
fn seen(
    levels: Vec<Image>,
    described: &CUDA_TEXTURE_DESC,
    linear_memory: bool,
    cube: bool,
) -> Answer<ptx::Texture> {
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
    Ok(ptx::Texture {
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

/// The texture of a handle in the current context; INVALID_VALUE for what is none there (F374).
fn texture(handle: CUtexObject) -> Answer<Arc<Texture>> {
    let home = stack::current_home()?;
    let found = usize::try_from(handle).ok().and_then(|handle| state().textures.get(handle));
    found.filter(|found| Arc::ptr_eq(&found.life, &home)).ok_or(INVALID)
}

/// The surface of a handle, likewise.
fn surface(handle: CUsurfObject) -> Answer<Arc<Surface>> {
    let home = stack::current_home()?;
    let found = usize::try_from(handle).ok().and_then(|handle| state().surfaces.get(handle));
    found.filter(|found| Arc::ptr_eq(&found.life, &home)).ok_or(INVALID)
}

/// The array of a handle, for an object in a context, which must be its own (F374).
fn array_in(life: &Arc<Life>, handle: CUarray) -> Answer<Arc<Array>> {
    let array = find(handle)?;
    let own = Arc::ptr_eq(&array.life, life);
    if own { Ok(array) } else { Err(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED) }
}

driver! {
    /// A texture in the current context.
    fn cuTexObjectCreate(
        pTexObject: *mut CUtexObject,
        pResDesc: *const CUDA_RESOURCE_DESC,
        pTexDesc: *const CUDA_TEXTURE_DESC,
        pResViewDesc: *const CUDA_RESOURCE_VIEW_DESC,
    ) [needs_current, no_capture_in_context] {
        let life = stack::current_home()?;
        entry::wanted(pTexObject)?;
        let (resource, described) = (entry::read(pResDesc)?, entry::read(pTexDesc)?);
        let mut levels = levels(&life, &resource)?;
        let linear_memory = resource.resType == CU_RESOURCE_TYPE_LINEAR;
        let view = match pResViewDesc.is_null() {
            true => None,
            false => Some(entry::read(pResViewDesc)?),
        };
        if let Some(view) = &view {
            let arrays = [CU_RESOURCE_TYPE_ARRAY, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY];
            if !arrays.contains(&resource.resType) {
                return Err(INVALID);
            }
            levels = viewed(levels, view)?;
        }
        let seen = Arc::new(seen(levels, &described, linear_memory, is_cube(&resource)?)?);
        let resource = Resource(resource);
        let texture = Texture { life, resource, described, view, seen };
        let (handle, _) = state().textures.insert(|_| texture);
        entry::write(pTexObject, handle as u64)
    }
    /// Destroys a texture of the current context. Another number is no texture, and nothing is done.
    fn cuTexObjectDestroy(texObject: CUtexObject) [no_capture_in_context] {
        match texture(texObject) {
            Ok(_) => drop(state().textures.remove(texObject as usize)),
            Err(code) if code != INVALID => return Err(code),
            Err(_) => {}
        }
        Ok(())
    }
    /// What it reads.
    fn cuTexObjectGetResourceDesc(pResDesc: *mut CUDA_RESOURCE_DESC, texObject: CUtexObject) {
        entry::write(pResDesc, texture(texObject)?.resource.0)
    }
    /// How it reads.
    fn cuTexObjectGetTextureDesc(pTexDesc: *mut CUDA_TEXTURE_DESC, texObject: CUtexObject) {
        let described = texture(texObject)?.described;
        entry::write(pTexDesc, CUDA_TEXTURE_DESC { borderColor: [0.0; 4], ..described })
    }
    /// The view that it was made with, or zeros.
    fn cuTexObjectGetResourceViewDesc(
        pResViewDesc: *mut CUDA_RESOURCE_VIEW_DESC,
        texObject: CUtexObject,
    ) {
        let none = CUDA_RESOURCE_VIEW_DESC {
            format: CU_RES_VIEW_FORMAT_NONE,
            width: 0,
            height: 0,
            depth: 0,
            firstMipmapLevel: 0,
            lastMipmapLevel: 0,
            firstLayer: 0,
            lastLayer: 0,
            reserved: [0; 16],
        };
        entry::write(pResViewDesc, texture(texObject)?.view.unwrap_or(none))
    }
    /// A surface in the current context, of any array.
    fn cuSurfObjectCreate(pSurfObject: *mut CUsurfObject, pResDesc: *const CUDA_RESOURCE_DESC) [
        needs_current,
        no_capture_in_context,
    ] {
        let life = stack::current_home()?;
        entry::wanted(pSurfObject)?;
        let resource = entry::read(pResDesc)?;
        if resource.resType != CU_RESOURCE_TYPE_ARRAY || resource.flags != 0 {
            return Err(INVALID);
        }
        // SAFETY: as for a texture.
        let array = array_in(&life, unsafe { resource.res.array }.hArray)?;
        let seen = Arc::new(array.image.clone());
        let surface = Surface { life, resource: Resource(resource), seen };
        let (handle, _) = state().surfaces.insert(|_| surface);
        entry::write(pSurfObject, handle as u64)
    }
    /// Destroys a surface of the current context, likewise.
    fn cuSurfObjectDestroy(surfObject: CUsurfObject) [no_capture_in_context] {
        match surface(surfObject) {
            Ok(_) => drop(state().surfaces.remove(surfObject as usize)),
            Err(code) if code != INVALID => return Err(code),
            Err(_) => {}
        }
        Ok(())
    }
    /// The array of a surface.
    fn cuSurfObjectGetResourceDesc(pResDesc: *mut CUDA_RESOURCE_DESC, surfObject: CUsurfObject) {
        entry::write(pResDesc, surface(surfObject)?.resource.0)
    }
}
