//! Arrays, textures and surfaces: images that kernels read through the texture unit.
//!
//! An [`Array`] or a [`MipmappedArray`] holds texels. A [`Texture`] reads them, or the elements of a buffer, by
//! coordinates: filtered, with a rule for what lies beyond the edges, and integers as numbers from 0 to 1. A
//! [`Surface`] reads and writes the texels of an array. Both are kernel arguments: the kernel receives the object, a
//! `cudaTextureObject_t` or `cudaSurfaceObject_t` in CUDA C++ and a `.u64` in PTX.
//!
//! # Streams, scopes and graphs
//! Copies take arrays on a stream, in a scope and in graphs, where `hold` lends an array to all streams. In a scope or a
//! capture, `&texture` and `&surface` are for memory that nothing else in it writes, and `&mut surface` for an array that
//! one launch alone uses. `hold` also takes a texture or a surface that owns its array: the scope orders the launches and
//! copies that use it. For kernels that write an array through a surface, and others that read it through a texture, hold
//! a texture of a surface: `gpu.texture(gpu.surface(array)?, sampling)?`, with `&held` and
//! [`held.surface_mut()`](ScopedTexture::surface_mut) as arguments.
//!
//! [Ordered streams](crate::OrderedStream) read textures that are [shared](Texture::share), such as tables. Their own memory
//! comes from a pool, and arrays do not: ordered streams copy and write none.
//!
//! # Examples
//! ```
//! use cuscope::texture::{ArrayFlags, ArrayShape, Edge, Sampling};
//! use cuscope::{Context, ContextFlags, ContextStack, Device, LaunchConfig};
//!
//! // Fetches the texel at the coordinate x.
//! const FETCH: &str = "
//! .version 7.0
//! .target sm_60
//! .address_size 64
//! .visible .entry fetch(.param .u64 image, .param .f32 x, .param .u64 out)
//! {
//!     .reg .b64 %rd<3>;
//!     .reg .f32 %f<6>;
//!     ld.param.u64 %rd1, [image];
//!     ld.param.f32 %f1, [x];
//!     ld.param.u64 %rd2, [out];
//!     tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd1, {%f1}];
//!     st.global.f32 [%rd2], %f2;
//!     ret;
//! }";
//!
//! # fn main() -> cuscope::Result {
//! let context = Context::create(Device::get(0)?, ContextFlags::default())?;
//! let mut stack = ContextStack::current_thread()?;
//! let gpu = stack.push(&context)?;
//! let stream = gpu.stream()?;
//! let fetch = gpu.load_ptx(FETCH)?.function("fetch")?;
//! let mut row = gpu.alloc_array(ArrayShape::D1 { width: 2 }, ArrayFlags::empty())?;
//! gpu.on(&stream).upload(&[10.0_f32, 20.0], &mut row)?;
//! let texture = gpu.texture(row, Sampling::default().linear().edges(Edge::Clamp))?;
//! let mut out = gpu.alloc::<f32>(1)?;
//! // Half way between the middles of the two texels.
//! // SAFETY: the kernel is fetch(texture, float x, float *out), and writes one element.
//! unsafe { gpu.on(&stream).launch_unchecked(&fetch, LaunchConfig::for_num_elems(1)?, (&texture, 1.0_f32, &mut out)) }?;
//! assert_eq!(gpu.on(&stream).to_vec(&out)?, [15.0]);
//! # Ok(()) }
//! ```

mod args;
mod held;
mod sampling;
mod shared;
mod surface;
mod texels;

pub use crate::memory::array::{Array, ArraySlice, ArraySliceMut, MipmappedArray};
pub use crate::memory::array_shape::{ArrayFlags, ArrayShape};
pub use crate::memory::texel::Texel;
pub use held::{ScopedSurface, ScopedSurfaceMut, ScopedTexture, SurfaceMut};
pub use sampling::{Edge, Sampling};
#[doc(hidden)]
pub use shared::Key as SharingKey;
pub use shared::{OwnedTexels, SharedTexture};
pub use surface::{Surface, SurfaceMemory};
pub use texels::{Texture, TextureMemory};
