//! Resources of graphics (F471, F473 to F480). The objects are those of [`gl`](crate::gl).
#![allow(unsafe_code, reason = "exported functions")]

use crate::array::{self, Within, join_levels};
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::gl::{self, Inner};
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
    /// The handles of the arrays, and of all levels as one once it was asked for.
    Image(Vec<usize>, Option<usize>),
}

impl Resource {
    /// Whether its context goes on.
    pub(crate) fn alive(&self) -> bool {
        self.life.alive()
    }

    /// Whether it maps the object, and that is not to be used elsewhere.
    pub(crate) fn maps(&self, object: &Inner) -> bool {
        let same = ptr::eq(&*self.object, object) && !self.egl && self.alive();
        same && sync::lock(&self.mapping).is_some()
    }

    /// Maps it.
    fn map(&self) -> Answer<Mapping> {
        let parts = self.object.parts();
        let Some(image) = self.object.as_image() else {
            let space = &state().space;
            let base = space.lend(&self.life, Kind::Graphics, &parts[0], parts[0].len())?;
            return Ok(Mapping::Buffer(space.exactly(base, Kind::Graphics)?));
        };
        let make = |(index, part)| {
            let level = image.level(index % image.levels, self.flags);
            array::make(&self.life, level, true, Within::Object(part)).map(|array| array.addr())
        };
        let arrays = parts.iter().enumerate().map(make).collect::<Answer<_>>()?;
        Ok(Mapping::Image(arrays, None))
    }

    /// Its arrays.
    fn arrays<R>(&self, f: impl FnOnce(&[usize], &mut Option<usize>) -> Answer<R>) -> Answer<R> {
        match &mut *sync::lock(&self.mapping) {
            None => Err(CUDA_ERROR_NOT_MAPPED),
            Some(Mapping::Buffer(_)) => Err(CUDA_ERROR_NOT_MAPPED_AS_ARRAY),
            Some(Mapping::Image(arrays, all)) => f(arrays, all),
        }
    }

    /// The array of a layer and a level.
    fn array(&self, layer: c_uint, level: c_uint) -> Answer<CUarray> {
        let image = self.object.as_image();
        let (layers, levels) = image.map_or((0, 0), |image| (image.layers, image.levels));
        let (layer, level) = (layer as usize, level as usize);
        self.arrays(|arrays, _| {
            let inside = layer < layers && level < levels;
            let at = if inside { arrays.get(layer * levels + level) } else { None };
            at.map(|&array| ptr::without_provenance_mut(array)).ok_or(INVALID)
        })
    }

    /// The first layer with all its levels.
    fn levels(&self) -> Answer<CUmipmappedArray> {
        self.arrays(|arrays, all| {
            if self.object.as_image().is_some_and(|image| image.layers > 1) {
                return Err(CUDA_ERROR_NOT_SUPPORTED);
            }
            let handle = *all.get_or_insert_with(|| join_levels(&self.life, arrays.to_vec()));
            Ok(ptr::without_provenance_mut(handle))
        })
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
            Self::Image(arrays, all) => {
                drop(all.and_then(|all| state.mipmapped_arrays.remove(all)));
                let arrays = arrays.into_iter().filter_map(|array| state.arrays.remove(array));
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

/// Whether flags are known, and say one use at most.
fn check_flags(flags: c_uint, known: c_uint) -> Answer {
    let both = READ_ONLY | WRITE_DISCARD;
    if flags & !known != 0 || flags & both == both { Err(INVALID) } else { Ok(()) }
}

/// The flags of arrays that are registered with flags.
fn array_flags(flags: c_uint) -> c_uint {
    let surface = if flags & SURFACE != 0 { CUDA_ARRAY3D_SURFACE_LDST } else { 0 };
    surface | if flags & GATHER != 0 { CUDA_ARRAY3D_TEXTURE_GATHER } else { 0 }
}

/// Registers an object in the current context.
fn register(
    to: *mut CUgraphicsResource,
    object: Option<Arc<Inner>>,
    flags: c_uint,
    egl: bool,
) -> Answer {
    let life = stack::current_home()?;
    let object = object.ok_or(INVALID)?;
    let flags = array_flags(flags);
    let resource = Resource { life, object, flags, egl, mapping: Mutex::default() };
    if egl {
        *sync::lock(&resource.mapping) = Some(resource.map()?);
    }
    let (handle, _) = state().graphics.insert(|_| resource);
    entry::write(to, ptr::without_provenance_mut(handle))
}

/// Some resources, each once, and a stream of their context.
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
    let apart = |(index, one): (usize, &Arc<Resource>)| {
        home.is(&one.life) && !one.egl && !found[..index].iter().any(|other| Arc::ptr_eq(one, other))
    };
    if !found.iter().enumerate().all(apart) {
        return Err(CUDA_ERROR_INVALID_HANDLE);
    }
    needs_gl()?;
    Ok((found, target))
}

driver! {
    /// Registers a buffer of OpenGL (F473).
    fn cuGraphicsGLRegisterBuffer(
        pCudaResource: *mut CUgraphicsResource,
        buffer: c_uint,
        Flags: c_uint,
    ) {
        entry::wanted(pCudaResource)?;
        check_flags(Flags, READ_ONLY | WRITE_DISCARD)?;
        let _current = stack::current()?;
        needs_gl()?;
        let object = Inner::find(buffer).filter(|one| one.as_image().is_none());
        register(pCudaResource, object, Flags, false)
    }
    /// Registers an image of OpenGL (F473).
    fn cuGraphicsGLRegisterImage(
        pCudaResource: *mut CUgraphicsResource,
        image: c_uint,
        target: c_uint,
        Flags: c_uint,
    ) {
        entry::wanted(pCudaResource)?;
        check_flags(Flags, READ_ONLY | WRITE_DISCARD | SURFACE | GATHER)?;
        let _current = stack::current()?;
        needs_gl()?;
        let bound = |one: &Arc<Inner>| one.as_image().is_some_and(|image| image.target == target);
        register(pCudaResource, Inner::find(image).filter(bound), Flags, false)
    }
    /// Registers an image of EGL, which is mapped at once (F477).
    fn cuGraphicsEGLRegisterImage(
        pCudaResource: *mut CUgraphicsResource,
        image: *mut c_void,
        flags: c_uint,
    ) {
        entry::wanted(pCudaResource)?;
        check_flags(flags, READ_ONLY | WRITE_DISCARD | SURFACE)?;
        let _current = stack::current()?;
        let object = Inner::of_egl(image).filter(|one| one.as_image().is_some());
        register(pCudaResource, object, flags, true)
    }
    /// The devices of the current context of OpenGL: the first one (F473).
    fn cuGLGetDevices_v2(
        pCudaDeviceCount: *mut c_uint,
        pCudaDevices: *mut CUdevice,
        cudaDeviceCount: c_uint,
        deviceList: CUGLDeviceList,
    ) {
        entry::wanted(pCudaDeviceCount)?;
        entry::wanted(pCudaDevices)?;
        if !(1..=3).contains(&deviceList.0) {
            return Err(INVALID);
        }
        needs_gl()?;
        if cudaDeviceCount > 0 {
            entry::write(pCudaDevices, 0)?;
        }
        entry::write(pCudaDeviceCount, 1)
    }
    /// Maps resources (F474).
    fn cuGraphicsMapResources(count: c_uint, resources: *mut CUgraphicsResource, hStream: CUstream) {
        let (found, _target) = some(count, resources, hStream)?;
        let _several = sync::lock(&SEVERAL);
        if found.iter().any(|one| sync::lock(&one.mapping).is_some()) {
            return Err(CUDA_ERROR_ALREADY_MAPPED);
        }
        // What the other interface was told before is done: it works at once.
        found.iter().try_for_each(|one| {
            *sync::lock(&one.mapping) = Some(one.map()?);
            Ok(())
        })
    }
    /// Ends mappings behind what the stream holds so far (F475).
    fn cuGraphicsUnmapResources(
        count: c_uint,
        resources: *mut CUgraphicsResource,
        hStream: CUstream,
    ) {
        let (found, target) = some(count, resources, hStream)?;
        let _several = sync::lock(&SEVERAL);
        if found.iter().any(|one| sync::lock(&one.mapping).is_none()) {
            return Err(CUDA_ERROR_NOT_MAPPED);
        }
        for resource in &found {
            let Some(mapping) = sync::lock(&resource.mapping).take() else { continue };
            let memory = mapping.retire()?;
            let end = move || {
                memory.iter().for_each(|one| state().space.take(one));
                Ok(())
            };
            resource.object.unmapped_behind(target.submit_short(end)?);
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
            None => Err(CUDA_ERROR_NOT_MAPPED),
            Some(Mapping::Image(..)) => Err(CUDA_ERROR_NOT_MAPPED_AS_POINTER),
            Some(Mapping::Buffer(memory)) => {
                entry::write(pDevPtr, memory.base)?;
                entry::write_optional(pSize, memory.size);
                Ok(())
            }
        }
    }
    /// The frame of an image of EGL: one plane, which is an array (F477).
    fn cuGraphicsResourceGetMappedEglFrame(
        eglFrame: *mut CUeglFrame,
        resource: CUgraphicsResource,
        index: c_uint,
        mipLevel: c_uint,
    ) {
        let resource = find(resource)?;
        entry::wanted(eglFrame)?;
        let Some(image) = resource.object.as_image().filter(|_| resource.egl) else {
            return Err(INVALID);
        };
        let plane = resource.array(index, mipLevel)?;
        let level = image.level(mipLevel as usize, 0);
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
                _ => CU_EGL_COLOR_FORMAT_RGBA,
            },
            cuFormat: image.format,
        })
    }
    /// Says how a resource will be used the next times that it is mapped; nothing depends on it (F475).
    fn cuGraphicsResourceSetMapFlags_v2(resource: CUgraphicsResource, flags: c_uint) {
        let resource = find(resource)?;
        check_flags(flags, READ_ONLY | WRITE_DISCARD)?;
        if sync::lock(&resource.mapping).is_some() {
            return Err(CUDA_ERROR_ALREADY_MAPPED);
        }
        Ok(())
    }
    /// Unregisters a resource. A mapping of it ends with the work of its context.
    fn cuGraphicsUnregisterResource(resource: CUgraphicsResource) {
        let found = find(resource)?;
        if !found.egl {
            needs_gl()?;
        }
        state().graphics.remove(resource.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        let mapping = sync::lock(&found.mapping).take();
        if let Some(mapping) = mapping {
            let memory = mapping.retire()?;
            found.life.quiesce();
            memory.iter().for_each(|one| state().space.take(one));
        }
        Ok(())
    }
}
