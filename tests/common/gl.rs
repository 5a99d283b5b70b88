//! A context of OpenGL with buffers and images: NVIDIA's by EGL on a GPU, without a window, and on the software driver what
//! that plays of one.
#![allow(unsafe_code, reason = "calls OpenGL")]
#![allow(dead_code, reason = "each test file uses a part")]
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "each function of OpenGL is one, and all want the same"
)]

use cuscope::ffi::{CU_AD_FORMAT_FLOAT, CU_AD_FORMAT_UNSIGNED_INT8};
use cuscope_softdriver::gl as software;
use glow::HasContext;
use headless::Headless;
use std::ffi::c_void;
use std::num::NonZero;
use std::{mem, ptr};

pub(crate) const TEXTURE_2D: u32 = glow::TEXTURE_2D;
pub(crate) const TEXTURE_2D_ARRAY: u32 = glow::TEXTURE_2D_ARRAY;

#[path = "../../examples/programs/src/bin/opengl/headless.rs"]
mod headless;

/// A context of OpenGL, which is current on the thread that made it.
pub(crate) struct Gl(Option<Headless>);

/// The type of a texel.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Texels {
    /// Four channels of 8 bits.
    Rgba8,
    /// One `f32`.
    R32f,
}

/// A buffer, or an image.
pub(crate) enum Object {
    Played(software::Object),
    Buffer(u32),
    Image { name: u32, target: u32, texels: Texels, extent: [usize; 3] },
}

/// Leaves the test where there is no OpenGL: `needs_gl!()` gives a context that is current.
#[macro_export]
macro_rules! needs_gl {
    () => {
        match $crate::gl::Gl::new() {
            Ok(gl) => gl,
            Err(why) => $crate::skip!("no OpenGL without a window: {why}"),
        }
    };
}

impl Gl {
    /// Makes a context, and makes it current.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn new() -> Result<Gl, String> {
        let gl = Gl(if crate::common::software() { None } else { Some(Headless::new()?) });
        gl.current(true);
        Ok(gl)
    }

    /// Makes the context current, or none.
    pub(crate) fn current(&self, current: bool) {
        match &self.0 {
            None => software::make_current(current),
            Some(real) => {
                let context = current.then_some(real.context);
                real.egl.make_current(real.display, None, None, context).unwrap();
            }
        }
    }

    /// A buffer of these bytes. One of none has no memory.
    pub(crate) fn buffer(&self, bytes: &[u8]) -> Object {
        let Some(Headless { gl, .. }) = &self.0 else {
            let object = software::Object::buffer(bytes.len());
            assert!(bytes.is_empty() || object.write(0, bytes));
            return Object::Played(object);
        };
        // SAFETY: the context is current, and OpenGL copies the bytes.
        unsafe {
            let buffer = gl.create_buffer().unwrap();
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            if !bytes.is_empty() {
                gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, bytes, glow::DYNAMIC_DRAW);
            }
            Object::Buffer(buffer.0.get())
        }
    }

    /// An image of so many columns, rows and layers, with its levels.
    pub(crate) fn image(
        &self,
        target: u32,
        texels: Texels,
        extent: [usize; 3],
        levels: usize,
    ) -> Object {
        let [width, height, layers] = extent;
        let Some(Headless { gl, .. }) = &self.0 else {
            let (format, channels) = match texels {
                Texels::Rgba8 => (CU_AD_FORMAT_UNSIGNED_INT8, 4),
                Texels::R32f => (CU_AD_FORMAT_FLOAT, 1),
            };
            let image = software::Image { target, format, channels, width, height, layers, levels };
            return Object::Played(software::Object::image(image));
        };
        let format = if texels == Texels::Rgba8 { glow::RGBA8 } else { glow::R32F };
        let [columns, rows, planes] = extent.map(|size| size as i32);
        // SAFETY: the context is current.
        unsafe {
            let texture = gl.create_texture().unwrap();
            gl.bind_texture(target, Some(texture));
            if target == TEXTURE_2D {
                gl.tex_storage_2d(target, levels as i32, format, columns, rows);
            } else {
                gl.tex_storage_3d(target, levels as i32, format, columns, rows, planes);
            }
            assert_eq!(gl.get_error(), 0);
            Object::Image { name: texture.0.get(), target, texels, extent }
        }
    }

    /// The bytes of a buffer, or of a level of an image, as OpenGL reads them.
    pub(crate) fn read(&self, object: &Object, part: usize, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        // SAFETY, of both: the context is current, and the object's.
        match (object, self.0.as_ref().map(|real| &real.gl)) {
            (Object::Played(object), _) => return object.read(part).expect("it is not mapped"),
            // SAFETY: as above.
            (Object::Buffer(name), Some(gl)) => unsafe {
                let buffer = glow::NativeBuffer(NonZero::new(*name).unwrap());
                gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
                gl.get_buffer_sub_data(glow::ARRAY_BUFFER, 0, &mut bytes);
            },
            // SAFETY: as above; the extents say how many bytes OpenGL writes.
            (&Object::Image { name, target, texels, extent }, Some(gl)) => unsafe {
                let [width, height, layers] = extent;
                assert_eq!(len, (width >> part) * (height >> part) * layers * 4);
                gl.bind_texture(target, Some(glow::NativeTexture(NonZero::new(name).unwrap())));
                let (format, kind) = match texels {
                    Texels::Rgba8 => (glow::RGBA, glow::UNSIGNED_BYTE),
                    Texels::R32f => (glow::RED, glow::FLOAT),
                };
                let to = glow::PixelPackData::Slice(Some(&mut bytes));
                gl.get_tex_image(target, part as i32, format, kind, to);
            },
            (_, None) => unreachable!("an object of OpenGL has a context"),
        }
        bytes
    }

    /// An image of EGL that is the same as an image of OpenGL of two dimensions.
    pub(crate) fn egl_image(&self, object: &Object) -> *mut c_void {
        /// `EGL_GL_TEXTURE_2D_KHR`
        const GL_TEXTURE_2D: u32 = 0x30B1;
        type Create = unsafe extern "system" fn(
            *mut c_void,
            *mut c_void,
            u32,
            *mut c_void,
            *const i32,
        ) -> *mut c_void;
        match (object, &self.0) {
            (Object::Played(object), _) => object.egl_image(),
            (Object::Image { name, .. }, Some(real)) => {
                let create = real.egl.get_proc_address("eglCreateImageKHR").unwrap();
                // SAFETY: the function has this type, by its name.
                let create: Create = unsafe { mem::transmute(create) };
                let name = ptr::without_provenance_mut(*name as usize);
                let (display, context) = (real.display.as_ptr(), real.context.as_ptr());
                // SAFETY: display, context and texture are alive.
                let image = unsafe { create(display, context, GL_TEXTURE_2D, name, ptr::null()) };
                assert!(!image.is_null());
                image
            }
            _ => panic!("only images are images of EGL"),
        }
    }
}

impl Object {
    /// The name in OpenGL.
    pub(crate) fn name(&self) -> u32 {
        match self {
            Object::Played(object) => object.name(),
            Object::Buffer(name) | Object::Image { name, .. } => *name,
        }
    }
}
