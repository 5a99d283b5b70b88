//! The driver functions about [`graphics`](crate::model::graphics).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::capture;
use crate::entry::Answer;
use crate::gl::Inner;
use crate::model::graphics::RESOURCES;
use crate::model::graphics::{INVALID, Mapping, Resource, SEVERAL};
use crate::model::memory::space::SPACE;
use crate::model::stream::Target;
use crate::model::{stack, usable};
use crate::{entry, gl, sticky, sync};
use core::ffi::{c_uint, c_void};
use cuscope_sys::*;
use std::ptr;
use std::sync::{Arc, Mutex};

const READ_ONLY: c_uint = CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY.0;
const WRITE_DISCARD: c_uint = CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD.0;
const SURFACE: c_uint = CUgraphicsRegisterFlags::CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST.bits();
const GATHER: c_uint = CUgraphicsRegisterFlags::CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER.bits();

/// The resource of a handle.
fn find(handle: CUgraphicsResource) -> Answer<Arc<Resource>> {
    let resource = RESOURCES.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
    sticky::check_found(resource.life.check())?;
    Ok(resource)
}

/// Whether OpenGL can be asked at all.
fn needs_gl() -> Answer {
    if gl::is_current() { Ok(()) } else { Err(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT) }
}

/// The same for an object to register. In a process that has used OpenGL, what is not current has no such object.
fn needs_gl_to_register() -> Answer {
    needs_gl().map_err(|code| if gl::is_used() { INVALID } else { code })
}

/// Whether flags say one use at most.
fn check_use(flags: c_uint) -> Answer {
    if flags > WRITE_DISCARD { Err(INVALID) } else { Ok(()) }
}

/// The flags of arrays that are registered with flags.
fn array_flags(flags: c_uint) -> c_uint {
    let surface = if flags & SURFACE != 0 { CUDA_ARRAY3D_SURFACE_LDST } else { 0 };
    surface | if flags & GATHER != 0 { CUDA_ARRAY3D_TEXTURE_GATHER } else { 0 }
}

/// Registers an object in the current context.
fn register(to: *mut CUgraphicsResource, object: Arc<Inner>, flags: c_uint, egl: bool) -> Answer {
    let life = crate::calls::stack::current_home()?;
    let resource = Resource { life, object, flags, egl, mapping: Mutex::default() };
    if egl {
        *sync::lock(&resource.mapping) = Some(resource.map()?);
    }
    let (handle, _) = RESOURCES.insert(|_| resource);
    entry::write(to, ptr::without_provenance_mut(handle))
}

/// Some resources, and a stream of their context.
fn some(
    count: c_uint,
    resources: *const CUgraphicsResource,
    stream: CUstream,
) -> Answer<(Vec<Arc<Resource>>, Target)> {
    entry::wanted(resources)?;
    if count == 0 {
        return Err(INVALID);
    }
    let find = |index| find(entry::element(resources, index as usize)?);
    let found = (0..count).map(find).collect::<Answer<Vec<_>>>()?;
    let target = usable::target(stream)?;
    capture::refuse(&target)?;
    let home = target.life.home();
    if !found.iter().all(|one| home.is(&one.life)) {
        return Err(CUDA_ERROR_INVALID_HANDLE);
    }
    if found.iter().any(|one| one.egl) {
        return Err(CUDA_ERROR_UNKNOWN);
    }
    Ok((found, target))
}

/// Whether a list has a resource twice.
fn twice(found: &[Arc<Resource>]) -> bool {
    let mut all = found.iter().enumerate();
    all.any(|(index, one)| found[..index].iter().any(|other| Arc::ptr_eq(one, other)))
}

driver! {
    /// Registers a buffer of OpenGL (F473, F474).
    fn cuGraphicsGLRegisterBuffer(
        pCudaResource: *mut CUgraphicsResource,
        buffer: c_uint,
        Flags: c_uint,
    ) [no_capture_in_context] {
        let _current = stack::current()?;
        entry::wanted(pCudaResource)?;
        check_use(Flags)?;
        if buffer == 0 {
            return Err(INVALID);
        }
        needs_gl_to_register()?;
        let object = Inner::find(buffer).filter(|one| one.as_image().is_none());
        let object = object.ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        if object.parts()[0].len() == 0 {
            return Err(CUDA_ERROR_OUT_OF_MEMORY);
        }
        register(pCudaResource, object, 0, false)
    }
    /// Registers an image of OpenGL (F473, F474).
    fn cuGraphicsGLRegisterImage(
        pCudaResource: *mut CUgraphicsResource,
        image: c_uint,
        target: c_uint,
        Flags: c_uint,
    ) [no_capture_in_context] {
        let _current = stack::current()?;
        entry::wanted(pCudaResource)?;
        if Flags & !(READ_ONLY | WRITE_DISCARD | SURFACE | GATHER) != 0 || image == 0 {
            return Err(INVALID);
        }
        if ![gl::TEXTURE_2D, gl::TEXTURE_2D_ARRAY, gl::RENDERBUFFER].contains(&target) {
            return Err(INVALID);
        }
        needs_gl_to_register()?;
        let bound = |one: &Arc<Inner>| one.as_image().is_some_and(|image| image.target == target);
        let object = Inner::find(image).filter(bound).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        if Flags & GATHER != 0 && target == gl::TEXTURE_2D_ARRAY {
            return Err(INVALID);
        }
        register(pCudaResource, object, array_flags(Flags), false)
    }
    /// Registers an image of EGL, which is mapped at once (F480).
    fn cuGraphicsEGLRegisterImage(
        pCudaResource: *mut CUgraphicsResource,
        image: *mut c_void,
        flags: c_uint,
    ) [no_capture_in_context] {
        let _current = stack::current()?;
        entry::wanted(pCudaResource)?;
        check_use(flags)?;
        let object = Inner::of_egl(image).filter(|one| one.as_image().is_some());
        let object = object.ok_or(CUDA_ERROR_UNKNOWN)?;
        register(pCudaResource, object, array_flags(SURFACE | GATHER), true)
    }
    /// The devices of the current context of OpenGL: the first one (F473).
    fn cuGLGetDevices_v2(
        pCudaDeviceCount: *mut c_uint,
        pCudaDevices: *mut CUdevice,
        cudaDeviceCount: c_uint,
        deviceList: CUGLDeviceList,
    ) {
        needs_gl()?;
        if !(1..=3).contains(&deviceList.0) {
            return Err(INVALID);
        }
        entry::wanted(pCudaDeviceCount)?;
        if cudaDeviceCount > 0 {
            entry::write(pCudaDevices, 0)?;
        }
        entry::write(pCudaDeviceCount, cudaDeviceCount.min(1))
    }
    /// Maps resources, all or none (F475).
    fn cuGraphicsMapResources(count: c_uint, resources: *mut CUgraphicsResource, hStream: CUstream) [
        no_capture,
    ] {
        let (found, _target) = some(count, resources, hStream)?;
        needs_gl()?;
        let _several = sync::lock(&SEVERAL);
        if twice(&found) || found.iter().any(|one| sync::lock(&one.mapping).is_some()) {
            return Err(CUDA_ERROR_ALREADY_MAPPED);
        }
        // Calls that the other interface got before are over: it works at once.
        found.iter().try_for_each(|one| {
            *sync::lock(&one.mapping) = Some(one.map()?);
            Ok(())
        })
    }
    /// Ends mappings after what the stream holds so far, all or none (F475).
    fn cuGraphicsUnmapResources(
        count: c_uint,
        resources: *mut CUgraphicsResource,
        hStream: CUstream,
    ) [no_capture] {
        let (found, target) = some(count, resources, hStream)?;
        let _several = sync::lock(&SEVERAL);
        let not = |one: &Resource| matches!(*sync::lock(&one.mapping), None | Some(Mapping::Stuck));
        if found.iter().any(|one| not(one)) {
            return Err(CUDA_ERROR_NOT_MAPPED);
        }
        for resource in &found {
            // It may be in the list twice.
            if not(resource) {
                return Err(CUDA_ERROR_NOT_MAPPED);
            }
            let memory = resource.end_mapping()?;
            let end = move || {
                memory.iter().for_each(|one| SPACE.take(one));
                Ok(())
            };
            resource.object.unmapped_behind(target.submit_short(end)?);
            needs_gl().inspect_err(|_| *sync::lock(&resource.mapping) = Some(Mapping::Stuck))?;
        }
        Ok(())
    }
    /// A layer and level of a mapped image (F476).
    fn cuGraphicsSubResourceGetMappedArray(
        pArray: *mut CUarray,
        resource: CUgraphicsResource,
        arrayIndex: c_uint,
        mipLevel: c_uint,
    ) {
        let array = find(resource)?.array(arrayIndex, mipLevel)?;
        entry::write(pArray, array)
    }
    /// All levels of a mapped image (F476).
    fn cuGraphicsResourceGetMappedMipmappedArray(
        pMipmappedArray: *mut CUmipmappedArray,
        resource: CUgraphicsResource,
    ) {
        let resource = find(resource)?;
        entry::wanted(pMipmappedArray)?;
        entry::write(pMipmappedArray, resource.levels()?)
    }
    /// The memory of a mapped buffer (F476).
    fn cuGraphicsResourceGetMappedPointer_v2(
        pDevPtr: *mut CUdeviceptr,
        pSize: *mut usize,
        resource: CUgraphicsResource,
    ) {
        let resource = find(resource)?;
        match &*sync::lock(&resource.mapping) {
            None | Some(Mapping::Stuck) => Err(CUDA_ERROR_NOT_MAPPED),
            Some(Mapping::Image(_)) => Err(CUDA_ERROR_NOT_MAPPED_AS_POINTER),
            Some(Mapping::Buffer(memory)) => {
                entry::write_optional(pDevPtr, memory.base);
                entry::write_optional(pSize, memory.size);
                Ok(())
            }
        }
    }
    /// The frame of an image of EGL: one plane, which is an array (F477).
    fn cuGraphicsResourceGetMappedEglFrame(
        eglFrame: *mut CUeglFrame,
        resource: CUgraphicsResource,
        _index: c_uint,
        _mipLevel: c_uint,
    ) {
        let resource = find(resource)?;
        entry::wanted(eglFrame)?;
        let Some(image) = resource.object.as_image().filter(|_| resource.egl) else {
            return Err(INVALID);
        };
        let plane = resource.array(0, 0)?;
        let level = image.level(0, 0);
        entry::write(eglFrame, CUeglFrame {
            frame: CUeglFrame_v1_frame { pArray: [plane, ptr::null_mut(), ptr::null_mut()] },
            width: level.Width as c_uint,
            height: level.Height as c_uint,
            depth: 0,
            pitch: 0,
            planeCount: 1,
            numChannels: image.channels,
            frameType: CU_EGL_FRAME_TYPE_ARRAY,
            eglColorFormat: match image.channels {
                1 => CU_EGL_COLOR_FORMAT_R,
                2 => CU_EGL_COLOR_FORMAT_RG,
                _ => CU_EGL_COLOR_FORMAT_ABGR,
            },
            cuFormat: image.format,
        })
    }
    /// Says how a resource will be used the next times that it is mapped; nothing depends on it (F475).
    fn cuGraphicsResourceSetMapFlags_v2(resource: CUgraphicsResource, flags: c_uint) {
        let resource = find(resource)?;
        check_use(flags)?;
        if !resource.egl && sync::lock(&resource.mapping).is_some() {
            return Err(CUDA_ERROR_ALREADY_MAPPED);
        }
        Ok(())
    }
    /// Unregisters a resource that is not mapped (F476).
    fn cuGraphicsUnregisterResource(resource: CUgraphicsResource) [no_capture] {
        let found = find(resource)?;
        if found.egl {
            let memory = found.end_mapping()?;
            found.life.quiesce();
            memory.iter().for_each(|one| SPACE.take(one));
        } else {
            needs_gl()?;
            if sync::lock(&found.mapping).is_some() {
                return Err(CUDA_ERROR_ALREADY_MAPPED);
            }
        }
        RESOURCES.remove(resource.addr()).map(drop).ok_or(CUDA_ERROR_INVALID_HANDLE)
    }
}
