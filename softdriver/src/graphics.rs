//! Resources of graphics (F471, F473 to F482). The objects are those of [`gl`](crate::gl).
#![allow(unsafe_code, reason = "exported functions")]

use crate::array::{self, Within, join_levels};
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::gl::{self, Image, Inner};
use crate::life::Life;
use crate::memory::space::{Allocation, Kind};
use crate::stream::Target;
use crate::{capture, stack, sticky, stream, sync};
use core::ffi::{c_uint, c_void};
use cuscope_sys::*;
use std::ptr;
use std::sync::{Arc, Mutex};

const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

const READ_ONLY: c_uint = CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY.0;
const WRITE_DISCARD: c_uint = CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD.0;
const SURFACE: c_uint = CUgraphicsRegisterFlags::CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST.bits();
const GATHER: c_uint = CUgraphicsRegisterFlags::CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER.bits();

/// Held while several resources are mapped or unmapped at once.
static SEVERAL: Mutex<()> = Mutex::new(());

/// A registered object.
pub(crate) struct Resource {
    life: Arc<Life>,
    object: Arc<Inner>,
    /// The flags of its arrays.
    flags: c_uint,
    /// An image of EGL is mapped as long as it is registered.
    egl: bool,
    mapping: Mutex<Option<Mapping>>,
}

/// A resource that is mapped.
enum Mapping {
    Buffer(Arc<Allocation>),
    Image(Arrays),
    /// It was not unmapped, and never will be (F477).
    Stuck,
}

/// The handles of what is lent of an image.
#[derive(Default)]
struct Arrays {
    /// Of each layer and level, those of a layer behind each other.
    single: Vec<usize>,
    /// Of each level with all its layers, and of all levels as one, once that was asked for.
    levels: Option<(Vec<usize>, usize)>,
}

impl Resource {
    /// Whether its context goes on.
    pub(crate) fn alive(&self) -> bool {
        self.life.alive()
    }

    /// Whether it maps the object, and that is not to be used elsewhere.
    pub(crate) fn maps(&self, object: &Inner) -> bool {
        let same = ptr::eq(&*self.object, object) && !self.egl && self.alive();
        same && matches!(*sync::lock(&self.mapping), Some(Mapping::Buffer(_) | Mapping::Image(_)))
    }

    /// Maps it.
    fn map(&self) -> Answer<Mapping> {
        let parts = self.object.parts();
        let Some(image) = self.object.as_image() else {
            let space = &state().space;
            let (memory, bytes) = (&parts[0], parts[0].len());
            let base = space.lend(&self.life, Kind::Graphics, memory, 0, bytes)?;
            return Ok(Mapping::Buffer(space.exactly(base, Kind::Graphics)?));
        };
        let make = |index: usize| {
            let (layer, level) = (index / image.levels, index % image.levels);
            let within = Within::Object(&parts[level], layer * image.layer_bytes(level)?);
            let level = image.level(level, self.flags);
            array::make(&self.life, level, true, within).map(|array| array.addr())
        };
        let single = (0..image.layers * image.levels).map(make).collect::<Answer<_>>()?;
        Ok(Mapping::Image(Arrays { single, levels: None }))
    }

    /// Its arrays.
    fn arrays<R>(&self, f: impl FnOnce(&Image, &mut Arrays) -> Answer<R>) -> Answer<R> {
        match (&mut *sync::lock(&self.mapping), self.object.as_image()) {
            (None | Some(Mapping::Stuck), _) => Err(CUDA_ERROR_NOT_MAPPED),
            (Some(Mapping::Image(arrays)), Some(image)) => f(image, arrays),
            _ => Err(CUDA_ERROR_NOT_MAPPED_AS_ARRAY),
        }
    }

    /// The array of a layer and a level.
    fn array(&self, layer: c_uint, level: c_uint) -> Answer<CUarray> {
        let (layer, level) = (layer as usize, level as usize);
        self.arrays(|image, arrays| {
            if layer >= image.layers || level >= image.levels {
                return Err(INVALID);
            }
            let array = arrays.single.get(layer * image.levels + level).ok_or(INVALID)?;
            Ok(ptr::without_provenance_mut(*array))
        })
    }

    /// All levels, each with all layers.
    fn levels(&self) -> Answer<CUmipmappedArray> {
        if self.egl {
            return Err(CUDA_ERROR_UNKNOWN);
        }
        self.arrays(|image, arrays| {
            if let Some((_, all)) = arrays.levels {
                return Ok(ptr::without_provenance_mut(all));
            }
            let make = |(level, memory)| {
                let level = image.layers_of(level, self.flags);
                let array = array::make(&self.life, level, true, Within::Object(memory, 0))?;
                Ok(array.addr())
            };
            let levels: Vec<usize> =
                self.object.parts().iter().enumerate().map(make).collect::<Answer<_>>()?;
            let all = join_levels(&self.life, levels.clone());
            arrays.levels = Some((levels, all));
            Ok(ptr::without_provenance_mut(all))
        })
    }

    /// Ends its mapping for all new uses, and gives the memory for the rest.
    fn end_mapping(&self) -> Answer<Vec<Arc<Allocation>>> {
        sync::lock(&self.mapping).take().map_or(Ok(Vec::new()), Mapping::retire)
    }
}

impl Mapping {
    /// Ends it for all new uses, and gives the memory for the rest.
    fn retire(self) -> Answer<Vec<Arc<Allocation>>> {
        let state = state();
        match self {
            Self::Buffer(allocation) => {
                state.space.retire(&allocation)?;
                Ok(vec![allocation])
            }
            Self::Stuck => Ok(Vec::new()),
            Self::Image(Arrays { single, levels }) => {
                let (levels, all) = levels.unzip();
                drop(all.and_then(|all| state.mipmapped_arrays.remove(all)));
                let arrays = single.into_iter().chain(levels.into_iter().flatten());
                let arrays = arrays.filter_map(|array| state.arrays.remove(array));
                arrays.map(|array| array.retire()).collect()
            }
        }
    }
}

/// The resource of a handle.
fn find(handle: CUgraphicsResource) -> Answer<Arc<Resource>> {
    let resource = state().graphics.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
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
    let life = stack::current_home()?;
    let resource = Resource { life, object, flags, egl, mapping: Mutex::default() };
    if egl {
        *sync::lock(&resource.mapping) = Some(resource.map()?);
    }
    let (handle, _) = state().graphics.insert(|_| resource);
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
    let target = stream::target(stream)?;
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
        // What the other interface was told before is done: it works at once.
        found.iter().try_for_each(|one| {
            *sync::lock(&one.mapping) = Some(one.map()?);
            Ok(())
        })
    }
    /// Ends mappings behind what the stream holds so far, all or none (F475).
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
                memory.iter().for_each(|one| state().space.take(one));
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
            memory.iter().for_each(|one| state().space.take(one));
        } else {
            needs_gl()?;
            if sync::lock(&found.mapping).is_some() {
                return Err(CUDA_ERROR_ALREADY_MAPPED);
            }
        }
        state().graphics.remove(resource.addr()).map(drop).ok_or(CUDA_ERROR_INVALID_HANDLE)
    }
}
