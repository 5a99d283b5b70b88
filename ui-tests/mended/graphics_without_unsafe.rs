//! The mend of `ui-tests/graphics_without_unsafe.rs`. Register it in an `unsafe` block that says why OpenGL does so.

use cuscope::graphics::{GraphicsBuffer, GraphicsImage, Usage};
use cuscope::texture::{ArrayFlags, ArrayShape};
use cuscope::{PushedGuard, Result};

fn buffer<'ctx>(gpu: &PushedGuard<'ctx>, name: u32) -> Result<GraphicsBuffer<'ctx>> {
    // SAFETY: OpenGL does not use the buffer while it is mapped.
    unsafe { gpu.register_gl_buffer(name, Usage::ReadWrite) }
}

fn image<'ctx>(gpu: &PushedGuard<'ctx>, name: u32) -> Result<GraphicsImage<'ctx, f32>> {
    let (shape, none) = (ArrayShape::D2 { width: 8, height: 4 }, ArrayFlags::empty());
    // SAFETY: the texture has this shape, and OpenGL does not use it while it is mapped.
    unsafe { gpu.register_gl_image(name, 0x0DE1, shape, 1, none, Usage::ReadWrite) }
}

fn main() {}
