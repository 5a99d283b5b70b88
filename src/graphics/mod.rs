//! Buffers and images of OpenGL, without copies.
//!
//! Register an object once: [`register_gl_buffer`](crate::PushedGuard::register_gl_buffer),
//! [`register_gl_image`](crate::PushedGuard::register_gl_image). Then map it for each frame. OpenGL must not use the object
//! while it is mapped.
//!
//! - [`SyncStream::map_buffer`](crate::SyncStream::map_buffer) gives a [`DeviceBuffer`](crate::DeviceBuffer), which blocking
//!   operations, scopes and graphs use like any other.
//! - [`SyncStream::map_image`](crate::SyncStream::map_image) gives a
//!   [`MipmappedArray`](crate::texture::MipmappedArray), for copies, textures and surfaces.
//! - [`OrderedStream::map_buffer`](crate::OrderedStream::map_buffer) gives a buffer of an ordered stream. Neither the call nor
//!   the end of the mapping waits for the device: this is for render loops.
//!
//! The drop of what is mapped unmaps it. What OpenGL does next comes behind the work of CUDA, and OpenGL need not wait for
//! the device either.
//!
//! ```no_run
//! use cuscope::graphics::{GraphicsBuffer, Usage};
//! use cuscope::{Kernel, LaunchConfig, OrderedStream, PushedGuard, Result};
//!
//! /// A buffer of points that OpenGL draws, and that `glGenBuffers` and `glBufferData` made.
//! fn share<'ctx>(gpu: &PushedGuard<'ctx>, buffer: u32) -> Result<GraphicsBuffer<'ctx>> {
//!     // SAFETY: 1. The context of OpenGL is current, and lives as long as the program. 2. OpenGL draws between the frames
//!     // below. 3. The buffer is shared once.
//!     unsafe { gpu.register_gl_buffer(buffer, Usage::ReadWrite) }
//! }
//!
//! fn frame<'ctx>(
//!     stream: &OrderedStream,
//!     points: &GraphicsBuffer<'ctx>,
//!     advance: &Kernel<(&mut [f32], f32)>,
//!     seconds: f32,
//! ) -> Result {
//!     let mut points = stream.map_buffer::<f32>(points)?;
//!     let config = LaunchConfig::for_num_elems(points.len())?;
//!     // SAFETY: the kernel moves the points, and touches no other memory.
//!     unsafe { stream.launch_unchecked(advance, config, (&mut points, seconds)) }
//!     // OpenGL may draw now.
//! }
//! ```
//!
//! # Threads
//!
//! OpenGL's context must be current on the thread that registers, maps, unmaps and unregisters. So drop what is mapped, and
//! the registered object, on such a thread. Elsewhere the driver returns `CUDA_ERROR_INVALID_GRAPHICS_CONTEXT`
//! ([F477](crate::driver_facts#F477)), and the hook of [`on_release_error`](crate::on_release_error) receives it: the object
//! stays registered, and one that was not unmapped so is never mapped again.
//!
//! # Which device
//!
//! [`gl_devices`] returns the GPUs that OpenGL uses.
//!
//! # Vulkan and Direct3D
//!
//! Memory of these is imported: [`external`](crate::external). EGL and VDPAU are in [`ffi`] alone: on the GPU
//! that was asked, the array of an image of EGL does not have its texels ([F480](crate::driver_facts#F480)).
#![allow(unsafe_code, reason = "calls the driver, with names that the caller vouches for")]

mod map;

use crate::brand::Brand;
use crate::call::{answer, name};
use crate::context::Context;
use crate::device::Device;
use crate::error::Result;
use crate::memory::array_shape::{ArrayFlags, ArrayShape, has_levels};
use crate::memory::texel::Texel;
use crate::owned::GraphicsResource;
use crate::stack::PushedGuard;
use crate::sync::Arc;
use ffi::{CUGLDeviceList, CUgraphicsRegisterFlags as Flags, CUgraphicsResource, CUresult};
use static_assertions::assert_impl_all;
use std::fmt;
use std::marker::PhantomData;
use std::ptr;

/// The way in which CUDA uses a registered object each time that it is mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[doc(alias = "CUgraphicsRegisterFlags")]
pub enum Usage {
    /// It reads and writes.
    #[default]
    ReadWrite,
    /// It only reads.
    ReadOnly,
    /// It only writes. The old contents are lost at each mapping, and elements that nothing writes are unspecified.
    WriteDiscard,
}

impl GlDevices {
    #[inline]
    fn raw(self) -> CUGLDeviceList {
        match self {
            GlDevices::All => ffi::CU_GL_DEVICE_LIST_ALL,
            GlDevices::CurrentFrame => ffi::CU_GL_DEVICE_LIST_CURRENT_FRAME,
            GlDevices::NextFrame => ffi::CU_GL_DEVICE_LIST_NEXT_FRAME,
        }
    }
}

impl Usage {
    #[inline]
    fn flags(self) -> Flags {
        match self {
            Self::ReadWrite => Flags::CU_GRAPHICS_REGISTER_FLAGS_NONE,
            Self::ReadOnly => Flags::CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY,
            Self::WriteDiscard => Flags::CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD,
        }
    }
}

/// A registered buffer of OpenGL: [`PushedGuard::register_gl_buffer`].
pub struct GraphicsBuffer<'ctx> {
    inner: Arc<GraphicsResource>,
    _brand: Brand<'ctx>,
}
assert_impl_all!(GraphicsBuffer<'static>: Send, Sync);

/// A registered image of OpenGL with texels `T`: [`PushedGuard::register_gl_image`].
pub struct GraphicsImage<'ctx, T: Texel> {
    inner: Arc<GraphicsResource>,
    shape: ArrayShape,
    levels: u32,
    flags: ArrayFlags,
    _brand: Brand<'ctx>,
    data: PhantomData<T>,
}
assert_impl_all!(GraphicsImage<'static, f32>: Send, Sync);

/// # Objects of OpenGL
impl<'ctx> PushedGuard<'ctx> {
    /// Registers a buffer of OpenGL, by its name.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for the name 0; `CUDA_ERROR_INVALID_HANDLE` for a name of no buffer;
    /// `CUDA_ERROR_OUT_OF_MEMORY` for a buffer that `glBufferData` has not given memory
    /// ([F474](crate::driver_facts#F474)); `CUDA_ERROR_INVALID_GRAPHICS_CONTEXT` in a program without a context of OpenGL
    /// ([F473](crate::driver_facts#F473)); `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` while other code captures;
    /// [`NotCurrent`](crate::Error::NotCurrent).
    ///
    /// # Safety
    /// 1. If a context of OpenGL is current on the thread, it outlives what this returns.
    /// 2. While the buffer is mapped, OpenGL neither uses nor replaces nor deletes it, and it is not mapped to the host by
    ///    OpenGL.
    /// 3. No other registration of the buffer is mapped at the same time.
    /// 4. With [`Usage::ReadOnly`], no operation writes what is mapped.
    #[doc(alias = "cuGraphicsGLRegisterBuffer")]
    #[doc(alias = "cuGraphicsUnregisterResource")]
    #[inline]
    pub unsafe fn register_gl_buffer(
        &self,
        buffer: u32,
        usage: Usage,
    ) -> Result<GraphicsBuffer<'ctx>> {
        self.enter(name!(cuGraphicsGLRegisterBuffer))?;
        let (mut raw, flags) = (ptr::null_mut(), usage.flags().bits());
        // SAFETY: writes one handle to `raw`, which is valid for it; acts on the current context, which `enter` found to be
        // the guard's. The driver looks the name up.
        unsafe { answer!(cuGraphicsGLRegisterBuffer(&raw mut raw, buffer, flags)) }
            .explain(|code| not_registered("buffer", buffer, code))?;
        let inner = GraphicsResource::own(raw, self.context());
        Ok(GraphicsBuffer { inner, _brand: Brand::new() })
    }

    /// Registers an image of OpenGL, by its name and target: a texture, or a renderbuffer.
    ///
    /// The targets are `GL_TEXTURE_2D`, `GL_TEXTURE_RECTANGLE` and `GL_RENDERBUFFER` ([`D2`](ArrayShape::D2)),
    /// `GL_TEXTURE_3D` ([`D3`](ArrayShape::D3)), `GL_TEXTURE_2D_ARRAY` ([`Layered2`](ArrayShape::Layered2)) and
    /// `GL_TEXTURE_CUBE_MAP` ([`Cubemap`](ArrayShape::Cubemap)). Formats of 1, 2 or 4 channels of 8, 16 or 32 bits are
    /// shared, and those of 3 channels as 4 ([F479](crate::driver_facts#F479)). [`map_image`](crate::SyncStream::map_image)
    /// compares `T` and `shape` with the image.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a target or a format that is not shared, for the name 0, and for
    /// [`GATHER`](ArrayFlags::GATHER) with layers or planes; `CUDA_ERROR_INVALID_HANDLE` for a name of no image;
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for a shape without elements and for more levels than it has; otherwise
    /// as [`register_gl_buffer`](Self::register_gl_buffer).
    ///
    /// # Safety
    /// 1. to 4. of [`register_gl_buffer`](Self::register_gl_buffer), for the image.
    /// 5. The image has at least as many levels.
    #[doc(alias = "cuGraphicsGLRegisterImage")]
    #[doc(alias = "cuGraphicsUnregisterResource")]
    pub unsafe fn register_gl_image<T: Texel>(
        &self,
        image: u32,
        target: u32,
        shape: ArrayShape,
        levels: u32,
        flags: ArrayFlags,
        usage: Usage,
    ) -> Result<GraphicsImage<'ctx, T>> {
        const CALL: &str = name!(cuGraphicsGLRegisterImage);
        has_levels(CALL, shape, levels)?;
        self.enter(CALL)?;
        let mut asked = usage.flags();
        if flags.contains(ArrayFlags::SURFACE) {
            asked |= Flags::CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST;
        }
        if flags.contains(ArrayFlags::GATHER) {
            asked |= Flags::CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER;
        }
        let (mut raw, asked) = (ptr::null_mut(), asked.bits());
        // SAFETY: as in `register_gl_buffer`.
        unsafe { answer!(cuGraphicsGLRegisterImage(&raw mut raw, image, target, asked)) }.explain(
            |code| {
                let reason = not_registered("image", image, code);
                if reason.is_some() || code != ffi::CUDA_ERROR_INVALID_VALUE {
                    return reason;
                }
                if flags.contains(ArrayFlags::GATHER) && !matches!(shape, ArrayShape::D2 { .. }) {
                    return Some(format!(
                        "texels are gathered from images of two dimensions alone, and this is {shape:?}: leave \
                         `ArrayFlags::GATHER` out"
                    ));
                }
                Some(format!(
                    "images of the target {target:#x}, or of its format, are not shared: `register_gl_image` \
                     lists those that are"
                ))
            },
        )?;
        let inner = GraphicsResource::own(raw, self.context());
        Ok(GraphicsImage { inner, shape, levels, flags, _brand: Brand::new(), data: PhantomData })
    }
}

/// Which GPUs of OpenGL's context [`gl_devices`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(alias = "CUGLDeviceList")]
pub enum GlDevices {
    /// All.
    All,
    /// Those that draw the current frame, where several take turns.
    CurrentFrame,
    /// Those that will draw the next frame.
    NextFrame,
}

/// Returns the devices that the context of OpenGL uses that is current on this thread.
///
/// # Errors
/// `CUDA_ERROR_INVALID_GRAPHICS_CONTEXT` if there is none ([F473](crate::driver_facts#F473)); `CUDA_ERROR_NO_DEVICE` if no
/// device of CUDA draws; a driver error.
#[doc(alias = "cuGLGetDevices")]
#[inline]
pub fn gl_devices(which: GlDevices) -> Result<Vec<Device>> {
    let devices = Device::count()?;
    let list = which.raw();
    let (mut raw, mut count) = (vec![0; devices as usize], 0);
    // SAFETY: writes a number to `count` and at most as many devices to `raw` as it has room for.
    unsafe { answer!(cuGLGetDevices_v2(&raw mut count, raw.as_mut_ptr(), devices, list)) }
        .explain(|code| match code {
            ffi::CUDA_ERROR_NO_DEVICE => {
                Some("no device of CUDA draws for the current context of OpenGL".to_owned())
            }
            code => no_gl(code),
        })?;
    raw.truncate(count as usize);
    Ok(raw.into_iter().map(Device::from_raw).collect())
}

/// Returns whether it is that the thread, or the program, has no context of OpenGL.
#[cold]
fn no_gl(code: CUresult) -> Option<String> {
    (code == ffi::CUDA_ERROR_INVALID_GRAPHICS_CONTEXT).then(|| {
        "no context of OpenGL is current on this thread, or none of the machine's GPU: make one current first"
            .to_owned()
    })
}

/// Returns why an object of OpenGL with this name was not registered.
#[cold]
fn not_registered(what: &str, name: u32, code: CUresult) -> Option<String> {
    match code {
        ffi::CUDA_ERROR_INVALID_VALUE if name == 0 => {
            Some(format!("0 names no {what}: pass a name that OpenGL returned"))
        }
        ffi::CUDA_ERROR_INVALID_HANDLE => Some(format!(
            "{name} names no {what} with storage: create the {what} in OpenGL first, and give it its size"
        )),
        ffi::CUDA_ERROR_OUT_OF_MEMORY => Some(format!(
            "the {what} {name} has no memory in OpenGL, or the device has none left: give it its size in OpenGL first, \
             as with `glBufferData`"
        )),
        code => no_gl(code),
    }
}

impl GraphicsBuffer<'_> {
    /// Returns the context.
    #[must_use]
    #[inline]
    pub fn context(&self) -> &Context {
        self.inner.context()
    }

    /// Returns the handle, for calls of [`ffi`]. It is valid while this value lives. Do not unregister it.
    #[must_use]
    #[inline]
    pub fn raw(&self) -> CUgraphicsResource {
        self.inner.raw()
    }
}

impl<T: Texel> GraphicsImage<'_, T> {
    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.inner.context()
    }

    /// Returns the handle, for calls of [`ffi`]. It is valid while this value lives. Do not unregister it.
    #[must_use]
    pub fn raw(&self) -> CUgraphicsResource {
        self.inner.raw()
    }

    /// Returns the shape of the first level.
    #[must_use]
    pub fn shape(&self) -> ArrayShape {
        self.shape
    }

    /// Returns the number of levels.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.levels
    }
}

impl fmt::Debug for GraphicsBuffer<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GraphicsBuffer({:?})", self.context())
    }
}

impl<T: Texel> fmt::Debug for GraphicsImage<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GraphicsImage({:?}, {} levels, {:?})", self.shape, self.levels, self.context())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_usage_and_list_has_the_number_of_the_driver() {
        let usages = [Usage::ReadWrite, Usage::ReadOnly, Usage::WriteDiscard];
        assert_eq!(usages.map(|usage| usage.flags().bits()), [0, 1, 2]);
        let lists = [GlDevices::All, GlDevices::CurrentFrame, GlDevices::NextFrame];
        assert_eq!(lists.map(|list| list.raw().0), [1, 2, 3]);
    }
}
