//! What an operation of a scope reads is memory of cuscope, and no value that a kernel takes.
//!
//! **Why:** A scope orders an operation by the memory that it reads. A type of the program could name memory and
//! report no use of it. It is a part of `scope-ordered`.
//!
//! **Mend:** Pass the memory that your type has. See `ui-tests/mended/source_is_sealed.rs`.
//!
//! **Mistake** (E0277):

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
