//! Images of EGL.
#![allow(unsafe_code, reason = "calls the driver, with images that the caller vouches for")]

use super::Usage;
use super::map::is_of;
use crate::call::{answer, name};
use crate::error::{Error, Result};
use crate::memory::array::{Array, ArrayFlags, ArrayShape, has_levels};
use crate::memory::texel::Texel;
use crate::owned::{GraphicsResource, Keep};
use crate::stack::PushedGuard;
use std::ffi::c_void;
use std::ptr;

/// # Images of EGL
impl<'ctx> PushedGuard<'ctx> {
    /// Registers an image of EGL as an array, which has the first level and the first layer. It is an image of OpenGL,
    /// OpenGL ES, Vulkan, a camera or a video decoder that `eglCreateImage` made.
    ///
    /// It is mapped as long as it is registered, and the drop of the array unregisters it. Textures and surfaces of it can
    /// be created. No context of OpenGL need be current ([F480](crate::driver_facts#F480)).
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for a null image, and for an image of another shape or with other texels;
    /// `CUDA_ERROR_UNKNOWN` for what is no image; [`NotCurrent`](Error::NotCurrent).
    ///
    /// # Safety
    /// 1. `image` is an `EGLImage` that was not destroyed, and its display and the context of OpenGL or Vulkan behind it
    ///    outlive the array.
    /// 2. While an operation of this crate uses the array, the other interface does not write the image, nor read it if
    ///    the operation writes it. Both sides order their work, by waits of the host or by syncs of EGL.
    /// 3. No other array of this crate has the image at the same time.
    /// 4. With [`Usage::ReadOnly`], no operation writes the array.
    #[doc(alias = "cuGraphicsEGLRegisterImage")]
    #[doc(alias = "cuGraphicsSubResourceGetMappedArray")]
    #[doc(alias = "cuGraphicsUnregisterResource")]
    pub unsafe fn register_egl_image<T: Texel>(
        &self,
        image: *mut c_void,
        shape: ArrayShape,
        usage: Usage,
    ) -> Result<Array<'ctx, T>> {
        const CALL: &str = name!(cuGraphicsEGLRegisterImage);
        has_levels(CALL, shape, 1)?;
        if image.is_null() {
            let reason = "the image is null: look why eglCreateImage refused it";
            return Err(Error::InvalidArgument { call: CALL, reason });
        }
        self.enter(CALL)?;
        let (mut raw, flags) = (ptr::null_mut(), usage.flags().bits());
        // SAFETY: writes one handle to `raw`, which is valid for it; the image is alive (1). Acts on the current context,
        // which `enter` found to be the guard's.
        unsafe { answer!(cuGraphicsEGLRegisterImage(&raw mut raw, image, flags)) }.check()?;
        let resource = GraphicsResource::own(raw, self.context());
        let mut array = ptr::null_mut();
        // SAFETY: the resource is alive, and mapped as long; writes one handle to `array`, which is valid for it.
        unsafe { answer!(cuGraphicsSubResourceGetMappedArray(&raw mut array, raw, 0, 0)) }
            .check()?;
        // SAFETY: 1. The array is alive as long as the resource.
        unsafe { is_of::<T>(array, shape) }?;
        let flags = ArrayFlags::SURFACE | ArrayFlags::GATHER;
        let keep = Keep::new(resource);
        // SAFETY: 1. A handle of this context that lives as long as `keep`, of this shape and for these elements.
        Ok(unsafe { Array::lent(array, self.context(), shape, flags, keep) })
    }
}
