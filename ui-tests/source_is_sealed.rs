//! What an operation of a scope reads is memory of cuscope, and no value that a kernel takes.

use cuscope::scope::Source;

/// A plain value is an argument of a kernel, and no memory.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Plain(u32);

impl<'s, 'ctx> Source<'s, 'ctx, f32> for Plain {}

#[derive(Clone, Copy)]
struct Mine;

impl<'s, 'ctx> Source<'s, 'ctx, f32> for Mine {}

fn main() {}
