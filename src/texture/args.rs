//! Textures and surfaces as arguments of kernels and as the memory of graphs.

use super::{Surface, SurfaceMemory, Texture, TextureMemory};
use crate::args::KernelArg;
use crate::args::sealed::Operand;
use crate::graph::GraphBuffers;
use crate::graph::names;
use crate::kernel::{Accepted, SurfaceObject, TextureObject, opaque};
use crate::memory::access::Access;
use crate::memory::lent::Within;

impl<'b, 'ctx, M: TextureMemory<'ctx>, L: Within<'b>> KernelArg<'ctx, L> for &'b Texture<'ctx, M> {}
impl<'b, 'ctx, M: SurfaceMemory<'ctx>, L: Within<'b>> KernelArg<'ctx, L> for &'b Surface<'ctx, M> {}
impl<'b, 'ctx, M: SurfaceMemory<'ctx>, L: Within<'b>> KernelArg<'ctx, L>
    for &'b mut Surface<'ctx, M>
{
}

macro_rules! objects {
    ($($memory:ident: $object:ty => |$this:ident| $used:expr;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<'ctx, M: $memory<'ctx>> Operand for $object {
            type Parameter = u64;
            const COMPARES: bool = true;
            #[inline]
            fn parameter(&self) -> u64 {
                self.object.raw()
            }
            #[inline]
            fn access(&self) -> Access<'_> {
                let $this = self;
                $used
            }
        }
    )* };
}
objects! {
    TextureMemory: &Texture<'ctx, M> => |this| this.used();
    SurfaceMemory: &Surface<'ctx, M> => |this| this.used(false);
    SurfaceMemory: &mut Surface<'ctx, M> => |this| this.used(true);
}

#[diagnostic::do_not_recommend]
impl<M> Accepted<TextureObject> for &Texture<'_, M> {
    opaque!("a texture");
}
#[diagnostic::do_not_recommend]
impl<M> Accepted<SurfaceObject> for &Surface<'_, M> {
    opaque!("a surface");
}
#[diagnostic::do_not_recommend]
impl<M> Accepted<SurfaceObject> for &mut Surface<'_, M> {
    opaque!("a surface");
}

impl<'b, 'ctx, M: TextureMemory<'ctx>, L: Within<'b>> GraphBuffers<'ctx, L>
    for &'b Texture<'ctx, M>
{
}
impl<'b, 'ctx, M: SurfaceMemory<'ctx>, L: Within<'b>> GraphBuffers<'ctx, L>
    for &'b Surface<'ctx, M>
{
}
impl<'b, 'ctx, M: SurfaceMemory<'ctx>, L: Within<'b>> GraphBuffers<'ctx, L>
    for &'b mut Surface<'ctx, M>
{
}

names! {
    ['ctx, M: TextureMemory<'ctx>] &Texture<'ctx, M>;
    ['ctx, M: SurfaceMemory<'ctx>] &Surface<'ctx, M>;
    ['ctx, M: SurfaceMemory<'ctx>] &mut Surface<'ctx, M>;
}
