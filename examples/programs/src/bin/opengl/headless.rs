//! A context of OpenGL without a window, by EGL.
#![allow(unsafe_code, reason = "calls EGL")]

use khronos_egl as egl;
use std::ffi::c_void;
use std::{mem, ptr};

/// A context of OpenGL. The drop destroys it.
pub(crate) struct Headless {
    pub(crate) egl: egl::DynamicInstance<egl::EGL1_4>,
    pub(crate) display: egl::Display,
    pub(crate) context: egl::Context,
    /// The functions of OpenGL.
    pub(crate) gl: glow::Context,
}

impl Headless {
    /// Makes a context on the first GPU that has one, and makes it current on this thread.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn new() -> Result<Headless, String> {
        /// `EGL_PLATFORM_DEVICE_EXT`
        const PLATFORM_DEVICE: u32 = 0x313F;
        type Query = unsafe extern "system" fn(i32, *mut *mut c_void, *mut i32) -> u32;
        type Display = unsafe extern "system" fn(u32, *mut c_void, *const i32) -> *mut c_void;
        let said = |error: egl::Error| error.to_string();
        // SAFETY: the library is EGL's, and nothing of it is called before it is loaded.
        let egl = unsafe { egl::DynamicInstance::<egl::EGL1_4>::load_required() };
        let egl = egl.map_err(|error| error.to_string())?;
        let find = |name| egl.get_proc_address(name).ok_or(format!("EGL has no {name}"));
        // SAFETY: the function of this name has this type.
        let query: Query = unsafe { mem::transmute(find("eglQueryDevicesEXT")?) };
        // SAFETY: as above.
        let display: Display = unsafe { mem::transmute(find("eglGetPlatformDisplayEXT")?) };
        let (mut devices, mut count) = ([ptr::null_mut(); 16], 0);
        // SAFETY: writes at most 16 devices, and their number.
        unsafe { query(16, devices.as_mut_ptr(), &raw mut count) };
        let begun = devices[..count as usize].iter().find_map(|&device| {
            // SAFETY: a device of EGL, and no attributes.
            let display = unsafe { display(PLATFORM_DEVICE, device, ptr::null()) };
            // SAFETY: a display of EGL, or none, which is not begun.
            let display = unsafe { egl::Display::from_ptr(display) };
            egl.initialize(display).is_ok().then_some(display)
        });
        let display = begun.ok_or(format!("none of {count} devices of EGL works"))?;
        egl.bind_api(egl::OPENGL_API).map_err(said)?;
        let wanted = [egl::SURFACE_TYPE, egl::PBUFFER_BIT, egl::RENDERABLE_TYPE, egl::OPENGL_BIT];
        let config = egl.choose_first_config(display, &[&wanted[..], &[egl::NONE]].concat());
        let config = config.map_err(said)?.ok_or("no configuration has OpenGL")?;
        let context = egl.create_context(display, config, None, &[egl::NONE]).map_err(said)?;
        egl.make_current(display, None, None, Some(context)).map_err(said)?;
        let find = |name: &str| egl.get_proc_address(name).map_or(ptr::null(), |f| f as *const _);
        // SAFETY: the functions are OpenGL's, of the context that is current.
        let gl = unsafe { glow::Context::from_loader_function(find) };
        Ok(Headless { egl, display, context, gl })
    }
}

impl Drop for Headless {
    fn drop(&mut self) {
        let released = self.egl.make_current(self.display, None, None, None);
        let destroyed = self.egl.destroy_context(self.display, self.context);
        if let Err(error) = released.and(destroyed) {
            eprintln!("EGL: {error}");
        }
    }
}
