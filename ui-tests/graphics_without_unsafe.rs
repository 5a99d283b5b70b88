//! An object of OpenGL is registered with a promise.
//!
//! **Why:** OpenGL leaves it alone while it is mapped, which no call sees. It is a part of `graphics-kept`.
//!
//! **Mend:** Register it in an `unsafe` block that says why OpenGL does so. See
//! `ui-tests/mended/graphics_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::graphics::{GraphicsBuffer, GraphicsImage, Usage};
use cuscope::texture::{ArrayFlags, ArrayShape};
use cuscope::{PushedGuard, Result};

fn buffer<'ctx>(gpu: &PushedGuard<'ctx>, name: u32) -> Result<GraphicsBuffer<'ctx>> {
    gpu.register_gl_buffer(name, Usage::ReadWrite)
}

fn image<'ctx>(gpu: &PushedGuard<'ctx>, name: u32) -> Result<GraphicsImage<'ctx, f32>> {
    let (shape, none) = (ArrayShape::D2 { width: 8, height: 4 }, ArrayFlags::empty());
    gpu.register_gl_image(name, 0x0DE1, shape, 1, none, Usage::ReadWrite)
}

fn main() {}
