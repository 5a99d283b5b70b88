//! Textures that ordered streams read.
#![allow(unsafe_code, reason = "drops what the device may use only if it does not")]

use super::{Texture, TextureMemory};
use crate::args::KernelArg;
use crate::args::sealed::Operand;
use crate::brand::Brand;
use crate::context::Context;
use crate::driver::release::put_off;
use crate::kernel::{Accepted, TextureObject, opaque};
use crate::memory::InOrder;
use crate::memory::access::Access;
use crate::memory::home::{Ended, Home, Readers};
use ffi::CUtexObject;
use static_assertions::assert_impl_all;
use std::fmt;
use std::mem::{self, ManuallyDrop};
use std::sync::Arc;

/// A texture that kernels of any [ordered stream](crate::OrderedStream) read, and nothing writes, from [`Texture::share`].
/// It is a shared owner that is cheap to clone, and `&texture` is a kernel argument there.
///
/// The last clone waits for all work of the streams that read it, and then destroys the texture and what it owns
/// (invariant [`shared-behind`](crate::soundness#shared-behind)).
///
/// # Examples
/// ```
/// use cuscope::texture::{ArrayFlags, ArrayShape, Sampling};
/// use cuscope::{Context, ContextFlags, ContextStack, Device, LaunchConfig};
///
/// // Fetches the texel at the coordinate x.
/// const FETCH: &str = "
/// .version 7.0
/// .target sm_60
/// .address_size 64
/// .visible .entry fetch(.param .u64 image, .param .f32 x, .param .u64 out)
/// {
///     .reg .b64 %rd<3>;
///     .reg .f32 %f<6>;
///     ld.param.u64 %rd1, [image];
///     ld.param.f32 %f1, [x];
///     ld.param.u64 %rd2, [out];
///     tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd1, {%f1}];
///     st.global.f32 [%rd2], %f2;
///     ret;
/// }";
///
/// # fn main() -> cuscope::Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let (stream, ordered) = (gpu.stream()?, gpu.ordered_stream()?);
/// let fetch = gpu.load_ptx(FETCH)?.function("fetch")?;
/// let mut row = gpu.alloc_array(ArrayShape::D1 { width: 2 }, ArrayFlags::empty())?;
/// gpu.on(&stream).upload(&[10.0_f32, 20.0], &mut row)?;
/// let table = gpu.texture(row, Sampling::default().linear())?.share();
/// let mut out = ordered.alloc::<f32>(1)?;
/// // SAFETY: the kernel is fetch(texture, float x, float *out), and writes one element.
/// unsafe { ordered.launch_unchecked(&fetch, LaunchConfig::for_num_elems(1)?, (&table, 1.0_f32, &mut out)) }?;
/// assert_eq!(ordered.to_vec(&out)?, [15.0]);
/// # Ok(()) }
/// ```
pub struct SharedTexture {
    pub(crate) inner: Arc<Inner>,
}
assert_impl_all!(SharedTexture: Send, Sync);

/// The texture, and the streams that read it.
pub(crate) struct Inner {
    raw: CUtexObject,
    context: Context,
    readers: Readers,
    texture: ManuallyDrop<Box<dyn Shared>>,
}

/// Memory that a texture owns, not only borrows. Sealed, as [`TextureMemory`] is.
#[diagnostic::on_unimplemented(
    message = "a texture of `{Self}` cannot be shared",
    label = "the texture does not own its memory",
    note = "work of an ordered stream outlives a borrow: create the texture of the array or buffer itself, which it then owns"
)]
pub trait OwnedTexels<'ctx>: TextureMemory<'ctx> {
    #[doc(hidden)]
    type Detached: TextureMemory<'static> + Send + Sync + 'static;
    #[doc(hidden)]
    fn detached(self, _: Key) -> Self::Detached;
}

/// The key that lets memory be detached. Only this crate can create one.
#[doc(hidden)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "holds nothing")]
pub struct Key(pub(crate) ());

/// A texture of any memory that it owns.
trait Shared: Send + Sync {
    /// Returns the access of a launch.
    fn access(&self) -> Access<'_>;
}

impl<M: TextureMemory<'static> + Send + Sync> Shared for Texture<'static, M> {
    fn access(&self) -> Access<'_> {
        self.memory.access()
    }
}

impl Drop for Inner {
    #[inline]
    fn drop(&mut self) {
        let end = self.readers.end(Home::report);
        if end == Ended::Unknown {
            return; // what cannot be waited for may still read it: it leaks then
        }
        // SAFETY: the texture is used no more, as this is the end of what contains it.
        let texture = unsafe { ManuallyDrop::take(&mut self.texture) };
        if end == Ended::NotNow {
            let (context, texture) = (self.context.clone(), ManuallyDrop::new(texture));
            let readers = mem::replace(&mut self.readers, Readers::none());
            put_off(Inner { raw: self.raw, context, readers, texture });
        }
    }
}

impl<'ctx, M: TextureMemory<'ctx>> Texture<'ctx, M> {
    /// Makes it a texture that any ordered stream of the context reads, and nothing writes. Makes no driver call.
    ///
    /// A texture that borrows its memory is not shared: work of an ordered stream outlives the borrow.
    #[must_use]
    pub fn share(self) -> SharedTexture
    where
        M: OwnedTexels<'ctx>,
    {
        let (raw, context) = (self.raw(), self.context().clone());
        let Texture { object, memory, _brand: _ } = self;
        let texture = Texture { object, memory: memory.detached(Key(())), _brand: Brand::new() };
        let texture = ManuallyDrop::new(Box::new(texture) as Box<dyn Shared>);
        let inner = Inner { raw, context, readers: Readers::none(), texture };
        SharedTexture { inner: Arc::new(inner) }
    }
}

impl Clone for SharedTexture {
    #[inline]
    fn clone(&self) -> Self {
        SharedTexture { inner: self.inner.clone() }
    }
}

impl SharedTexture {
    /// Returns the object, for calls of [`ffi`] and for kernels of other code. It is valid while this value lives. Do not
    /// destroy it.
    #[must_use]
    pub fn raw(&self) -> CUtexObject {
        self.inner.raw
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.inner.context
    }
}

impl fmt::Debug for SharedTexture {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedTexture({:#x}, {:?})", self.raw(), self.context())
    }
}

impl KernelArg<'static, InOrder> for &SharedTexture {}
#[diagnostic::do_not_recommend]
impl Operand for &SharedTexture {
    type Parameter = u64;
    // Nothing writes shared memory.
    const COMPARES: bool = false;
    #[inline]
    fn parameter(&self) -> u64 {
        self.inner.raw
    }
    #[inline]
    fn access(&self) -> Access<'_> {
        self.inner.texture.access().in_order(Some(&self.inner.readers))
    }
}
#[diagnostic::do_not_recommend]
impl Accepted<TextureObject> for &SharedTexture {
    opaque!("a texture");
}
