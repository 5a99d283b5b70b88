//! Page-locked host buffers.
#![allow(unsafe_code, reason = "owns memory of the allocator")]

use super::access::Access;
use super::managed::NOT_ALIGNED;
use super::register::Registration;
use crate::call::name;
use crate::context::Context;
use crate::error::{Error, RangeUnit, Result, means_not_taken};
use crate::memory::{Allocation, Element};
use crate::registry::{host_saw, host_sees};
use crate::stack::PushedGuard;
use ffi::CUdeviceptr;
use static_assertions::assert_impl_all;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};
use std::sync::Arc;

/// The page size on the machines that this crate supports, so that a buffer shares no page with anything else.
pub(crate) const PAGE: usize = if cfg!(target_arch = "aarch64") { 1 << 16 } else { 1 << 12 };

/// A buffer of `len` elements in page-locked host memory. Copies from and to it run at the speed of the bus
/// ([F96](crate::driver_facts#F96)).
///
/// It dereferences to a slice: `gpu.on(&stream).upload(&pinned, &mut buffer)`. Kernels can use it directly,
/// over the bus: `&pinned` and `&mut pinned` are arguments of a launch.
///
/// [`PushedGuard::pinned`] allocates it from Rust's allocator and registers it with a context, so it outlives the context's
/// end ([F102](crate::driver_facts#F102), invariant [`pinned-is-rusts`](crate::soundness#pinned-is-rusts)). Dropping it
/// needs no current context, and waits for all work of that context ([F162](crate::driver_facts#F162),
/// [F166](crate::driver_facts#F166)). [`SyncStream::alloc_pinned_from`](crate::SyncStream::alloc_pinned_from) takes it
/// from a [pool](crate::MemoryPool) of the host, which is faster, and dropping it gives it back without waiting. Its memory
/// belongs to no context ([F454](crate::driver_facts#F454)).
///
/// It has no brand: every context can copy from and to it, with the same speed. No safe work of any context is in flight on
/// it when it is dropped.
///
/// After a kernel faulted, an operation that lent the buffer aborts the process if the process has several
/// contexts: the work of the contexts that did not fault goes on, and nothing reports when it ends
/// ([F326](crate::driver_facts#F326)). With one context the operation returns the error.
///
/// # Examples
/// ```
/// # use cuscope::{Context, ContextStack, Device, Result};
/// # fn main() -> Result {
/// # let context = Context::primary(Device::get(0)?)?;
/// # let mut stack = ContextStack::current_thread()?;
/// let gpu = stack.push(&context)?;
/// let stream = gpu.stream()?;
/// let mut frame = gpu.pinned::<f32>(1920 * 1080)?;
/// let mut on_device = gpu.alloc(frame.len())?;
/// for i in 0..3 {
///     frame.fill(i as f32);
///     gpu.on(&stream).upload(&frame, &mut on_device)?;
/// }
/// # Ok(()) }
/// ```
#[doc(alias = "cudaFreeHost")]
#[doc(alias = "PinnedHostSlice")]
pub struct PinnedBuffer<T: Element> {
    memory: Memory<T>,
    owner: Owner,
    /// The address for kernels. It is the host address if the device can use that
    /// ([F163](crate::driver_facts#F163)).
    mapped: CUdeviceptr,
}
assert_impl_all!(PinnedBuffer<f32>: Send, Sync);

/// The owner that ends the memory.
enum Owner {
    /// The allocator, once it is not registered.
    Registered(Registration),
    /// The pool that it is freed to.
    Pool(Box<Allocation>),
    /// All parts of a block together.
    Shared(Arc<dyn Block>),
}

/// Page-locked memory that several buffers are parts of.
pub(super) trait Block: Send + Sync {
    fn context(&self) -> &Context;
}

impl<T: Element> Block for PinnedBuffer<T> {
    fn context(&self) -> &Context {
        PinnedBuffer::context(self)
    }
}

/// Memory, which is not freed automatically.
struct Memory<T> {
    start: NonNull<T>,
    len: usize,
    data: PhantomData<T>,
}
// SAFETY: the memory is owned, as a `Box<[T]>` would own it.
unsafe impl<T: Send> Send for Memory<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Memory<T> {}

/// Returns the layout of the pages for so many elements, or `None` if they are larger than the address space.
fn pages<T>(len: usize) -> Option<Layout> {
    let bytes = len.checked_mul(size_of::<T>())?.checked_next_multiple_of(PAGE)?;
    Layout::from_size_align(bytes, PAGE.max(align_of::<T>())).ok()
}

impl<T: Element> Memory<T> {
    /// Takes memory of so many elements, all of which are initialised; for 0 bytes, there is none.
    fn at(start: Option<NonNull<T>>, len: usize) -> Memory<T> {
        Memory { start: start.unwrap_or(NonNull::dangling()), len, data: PhantomData }
    }

    /// Allocates pages of zeros, which are a valid value of every element.
    fn zeroed(len: usize) -> Result<Memory<T>> {
        const CALL: &str = name!(cuMemHostRegister_v2);
        let refused =
            |reason: &'static str| Error::InvalidArgument { call: CALL, reason: reason.into() };
        let layout = pages::<T>(len)
            .ok_or_else(|| refused("the buffer is larger than the address space: request less"))?;
        if layout.size() == 0 {
            return Ok(Memory::at(None, len));
        }
        // SAFETY: the layout is not empty.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start.cast()) else {
            return Err(Error::no_host_memory(CALL));
        };
        Ok(Memory::at(Some(start), len))
    }

    /// Returns the address on the host, as the driver writes addresses.
    fn address(&self) -> CUdeviceptr {
        self.start.as_ptr().addr() as CUdeviceptr
    }

    fn slice(&self) -> &[T] {
        // SAFETY: `len` elements of one allocation, initialised with zeros, of which any bytes are
        // values (`Element: AnyBitPattern`), and borrowed with `self`. For 0 bytes, any aligned address will do.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    fn slice_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `slice`, exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// Returns the memory to the allocator.
    ///
    /// # Safety
    /// 1. It is from [`zeroed`](Self::zeroed). Nothing uses it from here on, and the driver does not know it.
    unsafe fn free(&mut self) {
        let Some(layout) = pages::<T>(self.len).filter(|layout| layout.size() > 0) else { return };
        // SAFETY: from `alloc_zeroed` with this layout; obligation 1 is the caller's.
        unsafe { dealloc(self.start.as_ptr().cast(), layout) };
    }
}

/// # Page-locked memory
impl PushedGuard<'_> {
    /// Allocates page-locked host memory that is filled with zeros. An empty buffer has no memory, and nothing is
    /// registered.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a buffer of more than an address space holds; `CUDA_ERROR_OUT_OF_MEMORY` for one of
    /// more than the host has; [`NotCurrent`](Error::NotCurrent); a driver error.
    #[doc(alias = "cuMemHostRegister")]
    #[doc(alias = "cuMemHostGetDevicePointer")]
    #[doc(alias = "cuMemAllocHost")]
    #[doc(alias = "cuMemHostAlloc")]
    #[doc(alias = "cudaMallocHost")]
    #[doc(alias = "cudaHostAlloc")]
    #[doc(alias = "alloc_pinned")]
    pub fn pinned<T: Element>(&self, len: usize) -> Result<PinnedBuffer<T>> {
        let mut memory = Memory::zeroed(len)?;
        // The pointer of the memory, not of a slice: slices that are made later must not invalidate it.
        let all = ptr::slice_from_raw_parts_mut(memory.start.as_ptr(), len);
        // SAFETY: the memory is owned, and freed by `PinnedBuffer` only once it is not registered.
        match unsafe { Registration::of(self, all) } {
            Ok(registration) => {
                let owner = Owner::Registered(registration);
                let mut pinned = PinnedBuffer { memory, owner, mapped: 0 };
                pinned.mapped = pinned.device_address(self)?;
                Ok(pinned)
            }
            Err(error) => {
                // Otherwise it may be registered all the same, and is leaked.
                if error.code().is_none_or(means_not_taken) {
                    // SAFETY: never registered, and nothing else has it.
                    unsafe { memory.free() };
                }
                Err(error)
            }
        }
    }

    /// Allocates page-locked host memory that contains the elements of a slice.
    ///
    /// # Errors
    /// The errors of [`pinned`](Self::pinned).
    #[doc(alias = "cuMemHostRegister")]
    pub fn pinned_from<T: Element>(&self, from: &[T]) -> Result<PinnedBuffer<T>> {
        let mut pinned = self.pinned(from.len())?;
        pinned.copy_from_slice(from);
        Ok(pinned)
    }
}

impl<T: Element> PinnedBuffer<T> {
    /// Takes memory of a pool of the host, to which every device has access, and fills it with zeros. Of 0 bytes there is
    /// no memory, and the address is 0.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for an element of a larger alignment than the driver's.
    ///
    /// # Safety
    /// 1. The memory has `len` elements, and nothing has used it since it was allocated, which is complete.
    pub(crate) unsafe fn of_pool(memory: Allocation, len: usize) -> Result<PinnedBuffer<T>> {
        let start = ptr::with_exposed_provenance_mut::<T>(memory.address() as usize);
        let start = NonNull::new(start);
        if let Some(start) = start {
            if !start.is_aligned() {
                let call = name!(cuMemAllocFromPoolAsync);
                return Err(Error::InvalidArgument { call, reason: NOT_ALIGNED.into() });
            }
            // SAFETY: aligned memory of the host of `len` elements (1), which nothing else uses (1). Zeros are a valid value of
            // every element.
            unsafe { start.write_bytes(0, len) };
            host_sees(start.addr().get(), len * size_of::<T>());
        }
        let (owner, memory) = (Owner::Pool(Box::new(memory)), Memory::at(start, len));
        Ok(PinnedBuffer { mapped: memory.address(), memory, owner })
    }

    /// Returns the context that registered the buffer, or that it was allocated in. The buffer keeps it alive. Every
    /// context can use the buffer.
    #[must_use]
    pub fn context(&self) -> &Context {
        match &self.owner {
            Owner::Registered(registration) => registration.context(),
            Owner::Pool(memory) => memory.context(),
            Owner::Shared(block) => block.context(),
        }
    }

    /// Takes a part of a block, `len` elements from an address on the host that the devices use too.
    ///
    /// # Safety
    /// 1. The memory belongs to the block and is initialised, and nothing else uses it while the buffer lives. The address is
    ///    aligned.
    pub(super) unsafe fn of_block(block: Arc<dyn Block>, start: NonNull<T>, len: usize) -> Self {
        let memory = Memory::at(Some(start), len);
        PinnedBuffer { mapped: memory.address(), memory, owner: Owner::Shared(block) }
    }

    /// Splits the buffer in two: the elements before `at`, and the others. Each part owns a share of the memory, which ends
    /// with the last part, and is a buffer like any other. So a pool hands out parts of one page-locked block, and while the
    /// device writes one of them, no reference to it exists.
    ///
    /// Makes no driver call.
    ///
    /// # Errors
    /// [`InvalidRange`](Error::InvalidRange) if `at` is past the end. The buffer is dropped then.
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, Device, Result};
    /// # fn main() -> Result {
    /// # let context = Context::primary(Device::get(0)?)?;
    /// let block = context.with(|gpu| gpu.pinned::<u8>(1 << 16))?;
    /// let (mut first, rest) = block.split_at(4096)?;
    /// let (second, rest) = rest.split_at(4096)?;
    /// first.fill(7); // whatever the device does with `second`
    /// drop((first, rest));
    /// assert_eq!(second[..], [0; 4096]);
    /// # Ok(()) }
    /// ```
    pub fn split_at(self, at: usize) -> Result<(Self, Self)> {
        let len = self.memory.len;
        let Some(rest) = len.checked_sub(at) else {
            return Err(Error::InvalidRange {
                call: "PinnedBuffer::split_at",
                end: at,
                len,
                unit: RangeUnit::Elements,
            });
        };
        let (start, mapped) = (self.memory.start, self.mapped);
        let block = match &self.owner {
            Owner::Shared(block) => block.clone(),
            _ => Arc::new(self) as Arc<dyn Block>,
        };
        let part = |from: usize, len| PinnedBuffer {
            // SAFETY: within the memory, or at its end: `from` is at most its length.
            memory: Memory::at(Some(unsafe { start.add(from) }), len),
            owner: Owner::Shared(block.clone()),
            mapped: mapped + (from * size_of::<T>()) as CUdeviceptr,
        };
        Ok((part(0, at), part(at, rest)))
    }

    /// Returns the address of the memory on the host, without a reference to it: while the device uses a part, there must be
    /// none. For a copy of a part that returns at once, see
    /// [`download_unscoped`](crate::SyncStream::download_unscoped).
    #[must_use]
    pub fn as_non_null(&self) -> NonNull<T> {
        self.memory.start
    }

    /// Returns the address of the memory on the host, without a reference to it: the device may use a part.
    pub(crate) fn start(&self) -> *mut T {
        self.memory.start.as_ptr()
    }

    /// Returns the address for kernels.
    pub(crate) fn mapped(&self) -> CUdeviceptr {
        self.mapped
    }

    /// Returns the access of a kernel.
    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Access<'_> {
        Access::host::<T>(self.mapped_in(), self.mapped, self.memory.len, writes)
    }

    /// Returns the slice, and the result of [`mapped_in`](Self::mapped_in).
    pub(crate) fn lend(&mut self) -> (Option<&Context>, &mut [T]) {
        let only = (self.mapped != self.memory.address()).then_some(match &self.owner {
            Owner::Registered(registration) => registration.context(),
            Owner::Pool(memory) => memory.context(),
            Owner::Shared(block) => block.context(),
        });
        (only, self.memory.slice_mut())
    }

    /// Returns the only context in which kernels can use that address, or `None` if all can. It is the context
    /// of a device that cannot use host addresses.
    pub(crate) fn mapped_in(&self) -> Option<&Context> {
        (self.mapped != self.memory.address()).then(|| self.context())
    }

    /// Returns the address at which kernels of any context can use the buffer, for calls of [`ffi`].
    ///
    /// # Errors
    /// [`NotCurrent`](Error::NotCurrent); `CUDA_ERROR_INVALID_VALUE` if code outside this crate ended the
    /// context ([F167](crate::driver_facts#F167)).
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn device_address(&self, gpu: &PushedGuard<'_>) -> Result<CUdeviceptr> {
        match &self.owner {
            Owner::Registered(registration) => {
                registration.device_address(gpu, self.memory.start.as_ptr().cast())
            }
            Owner::Pool(_) | Owner::Shared(_) => {
                gpu.enter(name!(cuMemHostGetDevicePointer_v2))?;
                Ok(self.mapped)
            }
        }
    }
}

impl<T: Element> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        let (start, len, mapped) = (self.memory.start, self.memory.len, self.mapped);
        match &mut self.owner {
            // If the driver may still know the memory, it is leaked, as in the child of a fork. A host function of a
            // stream (F23) leaves it to another thread.
            Owner::Registered(registration) => {
                let again = |registration| PinnedBuffer {
                    memory: Memory::<T>::at(Some(start), len),
                    owner: Owner::Registered(registration),
                    mapped,
                };
                if registration.memory_is_free(again) {
                    // SAFETY: 1. This is its owner's end, and the driver does not know it any more.
                    unsafe { self.memory.free() };
                }
            }
            // The pool gets the memory when this is dropped, with the fields.
            Owner::Pool(memory) => host_saw(memory.address()),
            // The block ends with its last part.
            Owner::Shared(_) => {}
        }
    }
}

impl<T: Element> Deref for PinnedBuffer<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.memory.slice()
    }
}

impl<T: Element> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.memory.slice_mut()
    }
}

impl<T: Element> AsRef<[T]> for PinnedBuffer<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T: Element> AsMut<[T]> for PinnedBuffer<T> {
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Element> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(
            f,
            "PinnedBuffer<{element}>({} at {:p}, {:?})",
            self.len(),
            self.as_ptr(),
            self.context()
        )
    }
}
