//! The driver functions about [`texture`](crate::model::array::texture).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::stack;
use crate::entry::{self, Answer};
use crate::model::array::texture::SURFACES;
use crate::model::array::texture::TEXTURES;
use crate::model::array::texture::{INVALID, Resource, Surface, Texture, array_in, levels, seen};
use crate::model::array::{find, mipmap};
use cuscope_ptx::run::Image;
use cuscope_sys::*;
use std::sync::Arc;

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

/// The texture of a handle in the current context; INVALID_VALUE for what is none there (F374).
fn texture(handle: CUtexObject) -> Answer<Arc<Texture>> {
    let home = stack::current_home()?;
    let found = usize::try_from(handle).ok().and_then(|handle| TEXTURES.get(handle));
    found.filter(|found| Arc::ptr_eq(&found.life, &home)).ok_or(INVALID)
}

/// The surface of a handle, likewise.
fn surface(handle: CUsurfObject) -> Answer<Arc<Surface>> {
    let home = stack::current_home()?;
    let found = usize::try_from(handle).ok().and_then(|handle| SURFACES.get(handle));
    found.filter(|found| Arc::ptr_eq(&found.life, &home)).ok_or(INVALID)
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
        let (handle, _) = TEXTURES.insert(|_| texture);
        entry::write(pTexObject, handle as u64)
    }
    /// Destroys a texture of the current context. Another number is no texture, and nothing is done.
    fn cuTexObjectDestroy(texObject: CUtexObject) [no_capture_in_context] {
        match texture(texObject) {
            Ok(_) => drop(TEXTURES.remove(texObject as usize)),
            Err(code) if code != INVALID => return Err(code),
            Err(_) => {}
        }
        Ok(())
    }
    /// Gives the memory that it reads.
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
        let (handle, _) = SURFACES.insert(|_| surface);
        entry::write(pSurfObject, handle as u64)
    }
    /// Destroys a surface of the current context, likewise.
    fn cuSurfObjectDestroy(surfObject: CUsurfObject) [no_capture_in_context] {
        match surface(surfObject) {
            Ok(_) => drop(SURFACES.remove(surfObject as usize)),
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
