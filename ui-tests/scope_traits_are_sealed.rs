//! What a scope takes, only this crate says: that its uses are noted is what orders the streams.

use cuscope::{KernelArg, KernelArgs, memory::InScope, scope::Source};

#[derive(Clone, Copy)]
struct Mine;

impl<'s, 'ctx> Source<'s, 'ctx, f32> for Mine {}
impl<'s, 'ctx> KernelArg<'ctx, InScope<'s>> for Mine {}
impl<'s, 'ctx> KernelArgs<'ctx, InScope<'s>> for Mine {}

/// A plain value is an argument of a kernel, and no memory.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Plain(u32);

impl<'s, 'ctx> Source<'s, 'ctx, f32> for Plain {}

fn main() {}
