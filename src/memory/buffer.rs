//! Buffers in device memory.
#![allow(unsafe_code, reason = "calls the driver")]

use super::Allocation;
use super::access::Access;
use super::refusals::allocated;
use super::view::View;
use crate::brand::Brand;
use crate::call::{answer, name};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::memory::Element;
use crate::stack::PushedGuard;
use ffi::CUdeviceptr;
use static_assertions::assert_impl_all;
use std::fmt;
use std::marker::PhantomData;

/// A buffer of `len` elements in device memory. It belongs to one context.
///
/// [`PushedGuard::alloc`] allocates one. Copies, fills and launches take the buffer by reference, or a part of
/// it: [`slice`](Self::slice), [`slice_mut`](Self::slice_mut).
///
/// Nothing is in flight on the buffer outside an operation that borrows it (invariant
/// [`idle-outside`](crate::soundness#idle-outside)), except after [unsafe
/// unscoped](crate::SyncStream::launch_unscoped) operations. So dropping it frees the memory at once, or with
/// the last [`Graph`](crate::Graph) that uses it. The driver then waits for all work of the context
/// ([F50](crate::driver_facts#F50)), and needs no current context ([F40](crate::driver_facts#F40)).
///
/// # Examples
/// ```
/// use cuscope::{Context, ContextFlags, ContextStack, Device};
///
/// # fn main() -> cuscope::Result {
/// let context = Context::create(Device::get(0)?, ContextFlags::default())?;
/// let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let stream = gpu.stream()?;
/// let mut x = gpu.alloc::<f32>(4)?; // its contents are unspecified
/// gpu.on(&stream).fill(&mut x, 1.0)?;
/// gpu.on(&stream).upload(&[7.0], &mut x.slice_mut(2..3)?)?;
/// assert_eq!(gpu.on(&stream).to_vec(&x)?, [1.0, 1.0, 7.0, 1.0]);
/// # Ok(()) }
/// ```
#[doc(alias = "cudaFree")]
#[doc(alias = "CudaSlice")]
pub struct DeviceBuffer<'ctx, T: Element> {
    pub(crate) inner: Allocation,
    pub(crate) len: usize,
    pub(crate) _brand: Brand<'ctx>,
    pub(crate) data: PhantomData<T>,
}
assert_impl_all!(DeviceBuffer<'static, f32>: Send, Sync);

/// The way in which a [`DeviceBuffer`] was allocated, and so is freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BufferKind {
    /// Allocated by [`PushedGuard::alloc`]. The free waits for all work of the context
    /// ([F50](crate::driver_facts#F50)).
    Plain,
    /// Allocated by [`SyncStream::alloc`](crate::SyncStream::alloc), from a pool. The free is enqueued in the
    /// stream of the allocation, and waits for nothing ([F51](crate::driver_facts#F51)).
    StreamOrdered,
    /// A variable of a module or library: [`Module::variable`](crate::Module::variable). The free gives it
    /// back.
    Variable,
    /// Memory of other code: [`PushedGuard::buffer_from_raw`]. Other code frees it, after the value that kept it
    /// was dropped.
    Foreign,
    /// Mapped into addresses of its own: a [`GrowableBuffer`](crate::memory::GrowableBuffer), as it dereferences. The end
    /// unmaps it.
    Growable,
}

/// # Memory
impl<'ctx> PushedGuard<'ctx> {
    /// Allocates a buffer of `len` elements. Its contents are unspecified bytes.
    ///
    /// An empty buffer has no memory: its address is 0, and nothing is allocated or freed. Operations on it do nothing,
    /// and a kernel receives the address 0.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a buffer of more than an address space holds;
    /// `CUDA_ERROR_OUT_OF_MEMORY` ([F62](crate::driver_facts#F62)); [`NotCurrent`](Error::NotCurrent).
    #[doc(alias = "cuMemAlloc")]
    #[doc(alias = "cudaMalloc")]
    #[inline]
    pub fn alloc<T: Element>(&self, len: usize) -> Result<DeviceBuffer<'ctx, T>> {
        const CALL: &str = name!(cuMemAlloc_v2);
        let bytes = size_for::<T>(CALL, len)?;
        self.enter(CALL)?;
        if bytes == 0 {
            return Ok(DeviceBuffer::empty(self.context(), len));
        }
        let mut address = 0;
        let into = &raw mut address;
        // SAFETY: writes one address to `address`, which is valid for it; acts on the current context,
        // which `enter` found to be the guard's.
        let make = move || unsafe { answer!(cuMemAlloc_v2(into, bytes)) };
        let context = self.context();
        allocated(move || context.device(), bytes, make)?;
        let inner = Allocation::plain(address, context.clone());
        Ok(DeviceBuffer { inner, len, _brand: Brand::new(), data: PhantomData })
    }
}

/// What a constructor without a guard would need. No memory has it: the message says what to call.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no constructor: its memory belongs to a context, so that a guard or a stream allocates it",
    label = "no guard and no stream",
    note = "allocate with `gpu.alloc(len)?`, or with `gpu.on(&stream).zeroed(len)?` and `gpu.on(&stream).from_slice(&values)?`, which set the elements",
    note = "memory that its stream owns comes from `ordered.alloc(len)?`, `ordered.zeroed(len)?` and `ordered.from_slice(&values)?`"
)]
pub trait WithoutGuard: Default {}

#[diagnostic::do_not_recommend]
impl<T: Default> WithoutGuard for T {}

/// Constructors that other crates have. They cannot be called, and the message says what to call.
#[doc(hidden)]
impl<T: Element> DeviceBuffer<'_, T> {
    pub fn new(_: usize) -> Result<Self>
    where
        Self: WithoutGuard,
    {
        Ok(Self::default())
    }

    pub fn zeroed(_: usize) -> Result<Self>
    where
        Self: WithoutGuard,
    {
        Ok(Self::default())
    }

    pub fn uninitialized(_: usize) -> Result<Self>
    where
        Self: WithoutGuard,
    {
        Ok(Self::default())
    }

    pub fn from_slice(_: &[T]) -> Result<Self>
    where
        Self: WithoutGuard,
    {
        Ok(Self::default())
    }
}

/// Returns the size of `len` elements in bytes, if an address space holds as many.
#[inline]
pub(crate) fn size_for<T>(call: &'static str, len: usize) -> Result<usize> {
    len.checked_mul(size_of::<T>()).ok_or_else(|| too_many(call, len, size_of::<T>()))
}

#[cold]
#[inline(never)]
fn too_many(call: &'static str, len: usize, size: usize) -> Error {
    let reason = format!(
        "a buffer of {len} elements of {size} bytes is larger than the address space: request less"
    );
    Error::InvalidArgument { call, reason: reason.into() }
}

#[cold]
#[inline]
pub(super) fn too_large(call: &'static str) -> Error {
    let reason = "the buffer is larger than the address space: request less";
    Error::InvalidArgument { call, reason: reason.into() }
}

impl<T: Element> DeviceBuffer<'_, T> {
    /// Returns the buffer as one of another guard of its context, or of none.
    #[inline]
    pub(crate) fn with_brand<'b>(self) -> DeviceBuffer<'b, T> {
        let DeviceBuffer { inner, len, _brand: _, data } = self;
        DeviceBuffer { inner, len, _brand: Brand::new(), data }
    }

    /// Creates a buffer of 0 bytes, which needs no memory.
    #[cold]
    #[inline]
    pub(crate) fn empty(context: &Context, len: usize) -> Self {
        let inner = Allocation::nowhere(context.clone());
        DeviceBuffer { inner, len, _brand: Brand::new(), data: PhantomData }
    }
}

impl<T: Element> DeviceBuffer<'_, T> {
    /// Returns the number of elements.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the size in bytes.
    #[must_use]
    #[inline]
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// Returns a view of the whole buffer.
    #[inline]
    pub(crate) fn view(&self) -> View<'_> {
        View { memory: &self.inner, address: self.address(), len: self.len, whole: true }
    }

    /// Returns the access of an operation.
    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Access<'_> {
        Access::device::<T>(self.view(), writes)
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.inner.context()
    }

    /// Returns how the buffer was allocated, and so is freed.
    #[must_use]
    pub fn kind(&self) -> BufferKind {
        self.inner.kind()
    }

    /// Returns the address on the device, for calls of [`ffi`]. It is valid while this value lives. Do not free
    /// it.
    #[must_use]
    #[inline]
    pub fn address(&self) -> CUdeviceptr {
        self.inner.address()
    }
}

impl<T: Element> fmt::Debug for DeviceBuffer<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(
            f,
            "DeviceBuffer<{element}>({} at {:#x}, {:?})",
            self.len,
            self.address(),
            self.context()
        )
    }
}
