//! Textures and surfaces that a scope holds, and surfaces inside of textures.

use super::{Array, Surface, Texel, Texture};
use crate::args::KernelArg;
use crate::args::sealed::Operand;
use crate::context::Context;
use crate::graph::GraphBuffers;
use crate::graph::buffers::sealed::Names;
use crate::kernel::{Accepted, SurfaceObject, TextureObject, opaque};
use crate::memory::access::Access;
use crate::memory::object::Object;
use crate::memory::view::{DeviceMemory, DeviceMemoryMut, sealed::Viewed};
use crate::memory::{InScope, lent::Within};
use crate::scope::ScopedArray;
use crate::scope::hold::{Destination, Holdable, Key, sealed::Target};
use crate::sync::Arc;
use static_assertions::assert_not_impl_any;
use std::fmt;

/// A [`Texture`] that a scope holds, for launches on any of its streams: `&held` is a kernel argument.
///
/// [`Scope::hold`](crate::Scope::hold) returns one for a texture that owns its [`Array`], or a [`Surface`] of one. Copies
/// write the array, `&mut held`, and read it by [`array`](Self::array). With a surface, kernels write it too, by
/// [`surface_mut`](ScopedTexture::surface_mut). The scope orders all of them.
pub struct ScopedTexture<'s, H> {
    object: &'s Arc<Object>,
    held: H,
}

/// A [`Surface`] that a scope holds, for launches on any of its streams: `&held` and `&mut held` are kernel arguments.
///
/// [`Scope::hold`](crate::Scope::hold) returns one for a surface that owns its [`Array`]. Copies write the array, `&mut held`,
/// and read it by [`array`](Self::array).
pub struct ScopedSurface<'s, T: Texel> {
    object: &'s Arc<Object>,
    array: ScopedArray<'s, T>,
}
assert_not_impl_any!(ScopedTexture<'static, ScopedArray<'static, f32>>: Send, Sync);
assert_not_impl_any!(ScopedSurface<'static, f32>: Send, Sync);

/// The surface inside of a texture, for kernels that write it. [`Texture::surface_mut`] returns one.
pub struct SurfaceMut<'a, 'ctx, T: Texel>(&'a mut Surface<'ctx, Array<'ctx, T>>);

/// The surface inside of a texture that a scope holds, for kernels that write it. [`ScopedTexture::surface_mut`] returns
/// one.
pub struct ScopedSurfaceMut<'a, 's, T: Texel>(&'a mut ScopedSurface<'s, T>);

/// The array that a texture or a surface owns.
trait Owns<'ctx, T: Texel> {
    fn array(&self) -> &Array<'ctx, T>;
}
impl<'ctx, T: Texel> Owns<'ctx, T> for Texture<'ctx, Array<'ctx, T>> {
    fn array(&self) -> &Array<'ctx, T> {
        &self.memory
    }
}
impl<'ctx, T: Texel> Owns<'ctx, T> for Surface<'ctx, Array<'ctx, T>> {
    fn array(&self) -> &Array<'ctx, T> {
        &self.memory
    }
}
impl<'ctx, T: Texel> Owns<'ctx, T> for Texture<'ctx, Surface<'ctx, Array<'ctx, T>>> {
    fn array(&self) -> &Array<'ctx, T> {
        &self.memory.memory
    }
}

macro_rules! holdable {
    ($($owner:ty => $held:ty, |$this:ident| $hold:expr;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<'ctx, T: Texel> DeviceMemory<'ctx, T> for $owner {}
        #[diagnostic::do_not_recommend]
        impl<'ctx, T: Texel> DeviceMemoryMut<'ctx, T> for $owner {}
        #[diagnostic::do_not_recommend]
        impl<'ctx, T: Texel> Viewed for $owner {
            type Element = T;
            fn access(&self, writes: bool) -> Access<'_> {
                self.array().used(writes)
            }
            fn context_of(&self) -> &Context {
                self.context()
            }
        }
        #[diagnostic::do_not_recommend]
        impl<'ctx, T: Texel> Holdable<'ctx, T> for $owner {
            type Held<'s> = $held where Self: 's;
            fn hold<'s>(&'s mut self, _: Key) -> $held {
                let $this = &*self;
                $hold
            }
        }
    )* };
}
holdable! {
    Texture<'ctx, Array<'ctx, T>> => ScopedTexture<'s, ScopedArray<'s, T>>, |this| {
        ScopedTexture { object: &this.object, held: ScopedArray::of_view(this.memory.view()) }
    };
    Surface<'ctx, Array<'ctx, T>> => ScopedSurface<'s, T>, |this| ScopedSurface::of(this);
    Texture<'ctx, Surface<'ctx, Array<'ctx, T>>> => ScopedTexture<'s, ScopedSurface<'s, T>>, |this| {
        ScopedTexture { object: &this.object, held: ScopedSurface::of(&this.memory) }
    };
}

impl<'s, T: Texel> ScopedSurface<'s, T> {
    fn of<'ctx>(surface: &'s Surface<'ctx, Array<'ctx, T>>) -> Self {
        let array = ScopedArray::of_view(surface.memory.view());
        ScopedSurface { object: &surface.object, array }
    }

    /// Returns the array, for copies from it.
    #[must_use]
    pub fn array(&self) -> &ScopedArray<'s, T> {
        &self.array
    }

    /// Returns the access of a launch.
    fn used(&self, writes: bool) -> Access<'_> {
        self.array.used(writes).through(self.object)
    }
}

impl<'s, T: Texel> ScopedTexture<'s, ScopedArray<'s, T>> {
    /// Returns the array, for copies from it.
    #[must_use]
    pub fn array(&self) -> &ScopedArray<'s, T> {
        &self.held
    }
}

impl<'s, T: Texel> ScopedTexture<'s, ScopedSurface<'s, T>> {
    /// Returns the array, for copies from it.
    #[must_use]
    pub fn array(&self) -> &ScopedArray<'s, T> {
        &self.held.array
    }

    /// Returns the surface, for kernels that read it.
    #[must_use]
    pub fn surface(&self) -> &ScopedSurface<'s, T> {
        &self.held
    }

    /// Returns the surface, for kernels that write it: a kernel argument.
    #[must_use]
    pub fn surface_mut(&mut self) -> ScopedSurfaceMut<'_, 's, T> {
        ScopedSurfaceMut(&mut self.held)
    }
}

impl<'ctx, T: Texel> Texture<'ctx, Surface<'ctx, Array<'ctx, T>>> {
    /// Returns the array for writing, for copies to it.
    #[must_use]
    pub fn array_mut(&mut self) -> super::ArraySliceMut<'_, 'ctx, T> {
        self.memory.array_mut()
    }

    /// Returns the surface, for kernels that write it: a kernel argument.
    #[must_use]
    pub fn surface_mut(&mut self) -> SurfaceMut<'_, 'ctx, T> {
        SurfaceMut(&mut self.memory)
    }
}

macro_rules! targets {
    ($($held:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<'s, T: Texel> Destination<'s, T> for $held {}
        #[diagnostic::do_not_recommend]
        impl<'s, T: Texel> Target for $held {
            fn target(&self) -> Access<'_> {
                // A copy goes to the array, not through the object.
                self.array().used(true)
            }
        }
    )* };
}
targets! {
    ScopedSurface<'s, T>
    ScopedTexture<'s, ScopedArray<'s, T>>
    ScopedTexture<'s, ScopedSurface<'s, T>>
}

macro_rules! arguments {
    ($($stands:ident: [$($generics:tt)*] $argument:ty, |$this:ident| $object:expr, $used:expr;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Operand for $argument {
            type Parameter = u64;
            const COMPARES: bool = true;
            #[inline]
            fn parameter(&self) -> u64 {
                let $this = self;
                $object.raw()
            }
            #[inline]
            fn access(&self) -> Access<'_> {
                let $this = self;
                $used
            }
        }
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Accepted<$stands> for $argument {
            opaque!("a texture or surface");
        }
    )* };
}
arguments! {
    TextureObject: [T: Texel] &ScopedTexture<'_, ScopedArray<'_, T>>, |this| this.object,
        this.held.used(false).through(this.object);
    TextureObject: [T: Texel] &ScopedTexture<'_, ScopedSurface<'_, T>>, |this| this.object,
        this.held.array.used(false).through(this.object);
    SurfaceObject: [T: Texel] &ScopedSurface<'_, T>, |this| this.object, this.used(false);
    SurfaceObject: [T: Texel] &mut ScopedSurface<'_, T>, |this| this.object, this.used(true);
    SurfaceObject: [T: Texel] ScopedSurfaceMut<'_, '_, T>, |this| this.0.object, this.0.used(true);
    SurfaceObject: [T: Texel] SurfaceMut<'_, '_, T>, |this| this.0.object, this.0.used(true);
}
impl<'s, T: Texel> KernelArg<'_, InScope<'s>> for &ScopedTexture<'s, ScopedArray<'s, T>> {}
impl<'s, T: Texel> KernelArg<'_, InScope<'s>> for &ScopedTexture<'s, ScopedSurface<'s, T>> {}
impl<'s, T: Texel> KernelArg<'_, InScope<'s>> for &ScopedSurface<'s, T> {}
impl<'s, T: Texel> KernelArg<'_, InScope<'s>> for &mut ScopedSurface<'s, T> {}
impl<'s, T: Texel> KernelArg<'_, InScope<'s>> for ScopedSurfaceMut<'_, 's, T> {}
impl<'b, 'ctx, T: Texel, L: Within<'b>> KernelArg<'ctx, L> for SurfaceMut<'b, 'ctx, T> {}

impl<'b, 'ctx, T: Texel, L: Within<'b>> GraphBuffers<'ctx, L>
    for &'b mut Texture<'ctx, Array<'ctx, T>>
{
}
impl<'b, 'ctx, T: Texel, L: Within<'b>> GraphBuffers<'ctx, L>
    for &'b mut Texture<'ctx, Surface<'ctx, Array<'ctx, T>>>
{
}
impl<'s, T: Texel> GraphBuffers<'_, InScope<'s>> for &ScopedTexture<'s, ScopedArray<'s, T>> {}
impl<'s, T: Texel> GraphBuffers<'_, InScope<'s>> for &mut ScopedTexture<'s, ScopedArray<'s, T>> {}
impl<'s, T: Texel> GraphBuffers<'_, InScope<'s>> for &ScopedTexture<'s, ScopedSurface<'s, T>> {}
impl<'s, T: Texel> GraphBuffers<'_, InScope<'s>> for &mut ScopedTexture<'s, ScopedSurface<'s, T>> {}
impl<'s, T: Texel> GraphBuffers<'_, InScope<'s>> for &ScopedSurface<'s, T> {}
impl<'s, T: Texel> GraphBuffers<'_, InScope<'s>> for &mut ScopedSurface<'s, T> {}

/// Names the array in a replay, which reads or writes it.
macro_rules! named {
    ($($one:ty, $writes:literal;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<'s, T: Texel> Names for $one {
            fn each<'a>(&'a self, see: &mut impl FnMut(Access<'a>)) {
                see(self.array().used($writes));
            }
        }
    )* };
}
named! {
    &mut Texture<'s, Array<'s, T>>, true;
    &mut Texture<'s, Surface<'s, Array<'s, T>>>, true;
    &ScopedTexture<'s, ScopedArray<'s, T>>, false;
    &mut ScopedTexture<'s, ScopedArray<'s, T>>, true;
    &ScopedTexture<'s, ScopedSurface<'s, T>>, false;
    &mut ScopedTexture<'s, ScopedSurface<'s, T>>, true;
    &ScopedSurface<'s, T>, false;
    &mut ScopedSurface<'s, T>, true;
}

macro_rules! debug {
    ($($held:ty, $name:literal;)*) => { $(
        impl<'s, T: Texel> fmt::Debug for $held {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple($name).field(self.array()).finish()
            }
        }
    )* };
}
debug! {
    ScopedTexture<'s, ScopedArray<'s, T>>, "ScopedTexture";
    ScopedTexture<'s, ScopedSurface<'s, T>>, "ScopedTexture";
    ScopedSurface<'s, T>, "ScopedSurface";
}
impl<T: Texel> fmt::Debug for SurfaceMut<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SurfaceMut").field(&self.0.memory).finish()
    }
}
impl<T: Texel> fmt::Debug for ScopedSurfaceMut<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ScopedSurfaceMut").field(self.0.array()).finish()
    }
}
