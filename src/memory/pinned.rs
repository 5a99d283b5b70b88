//! Page-locked host buffers.
#![allow(unsafe_code, reason = "owns memory of the allocator")]

use super::access::Access;
use super::register::Registration;
use crate::call::name;
use crate::context::Context;
use crate::error::{Error, Result, means_not_taken};
use crate::memory::Element;
use crate::stack::PushedGuard;
use ffi::CUdeviceptr;
use static_assertions::assert_impl_all;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::{self, NonNull};

/// The page size on the machines that this crate supports, so that a buffer shares no page with anything else.
const PAGE: usize = if cfg!(target_arch = "aarch64") { 1 << 16 } else { 1 << 12 };

/// A buffer of `len` elements in page-locked host memory. Copies from and to it run at the speed of the bus
/// ([F96](crate::driver_facts#F96)).
///
/// It dereferences to a slice: `gpu.on(&stream).upload(&pinned, &mut buffer)`. Kernels can use it directly,
/// over the bus: `&pinned` and `&mut pinned` are arguments of a launch.
///
/// Rust allocates the memory and a context registers it, so it outlives the context's end
/// ([F102](crate::driver_facts#F102), invariant [`pinned-is-rusts`](crate::soundness#pinned-is-rusts)). It has
/// no brand: every context can copy from and to it, with the same speed. Dropping it needs no current context,
/// and waits for all work of the context that registered it ([F162](crate::driver_facts#F162),
/// [F166](crate::driver_facts#F166)). No safe work of any context is in flight on it then.
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
pub struct PinnedBuffer<T: Element> {
    registration: Registration,
    memory: Memory<T>,
    /// The address for kernels. It is the host address if the device can use that
    /// ([F163](crate::driver_facts#F163)).
    mapped: CUdeviceptr,
}
assert_impl_all!(PinnedBuffer<f32>: Send, Sync);

/// Pages from the allocator, which are not freed automatically.
struct Memory<T> {
    start: NonNull<T>,
    len: usize,
    layout: Layout,
    data: PhantomData<T>,
}
// SAFETY: the memory is owned, as a `Box<[T]>` would own it.
unsafe impl<T: Send> Send for Memory<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Memory<T> {}

impl<T: Element> Memory<T> {
    /// Allocates zeros, which are a valid value of every element.
    fn zeroed(len: usize) -> Result<Memory<T>> {
        let refused = |reason| Error::InvalidArgument { call: name!(cuMemHostRegister_v2), reason };
        let bytes = len.checked_mul(size_of::<T>()).and_then(|b| b.checked_next_multiple_of(PAGE));
        let layout = bytes.and_then(|b| Layout::from_size_align(b, PAGE.max(align_of::<T>())).ok());
        let layout = layout
            .ok_or_else(|| refused("the buffer is larger than the address space: request less"))?;
        if layout.size() == 0 {
            return Ok(Memory { start: NonNull::dangling(), len, layout, data: PhantomData });
        }
        // SAFETY: the layout is not empty.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start.cast()) else { handle_alloc_error(layout) };
        Ok(Memory { start, len, layout, data: PhantomData })
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
    /// 1. Nothing uses the memory from here on, and the driver does not know it.
    unsafe fn free(&mut self) {
        if self.layout.size() == 0 {
            return;
        }
        // SAFETY: from `alloc_zeroed` with this layout; obligation 1 is the caller's.
        unsafe { dealloc(self.start.as_ptr().cast(), self.layout) };
    }
}

/// # Page-locked memory
impl PushedGuard<'_> {
    /// Allocates page-locked host memory that is filled with zeros. An empty buffer has no memory, and nothing is
    /// registered.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a buffer of more than an address space holds;
    /// [`NotCurrent`](Error::NotCurrent); a driver error.
    #[doc(alias = "cuMemHostRegister")]
    #[doc(alias = "cuMemHostGetDevicePointer")]
    #[doc(alias = "cuMemAllocHost")]
    #[doc(alias = "cuMemHostAlloc")]
    pub fn pinned<T: Element>(&self, len: usize) -> Result<PinnedBuffer<T>> {
        let mut memory = Memory::zeroed(len)?;
        // The pointer of the memory, not of a slice: slices that are made later must not invalidate it.
        let all = ptr::slice_from_raw_parts_mut(memory.start.as_ptr(), len);
        // SAFETY: the memory is owned, and freed by `PinnedBuffer` only once it is not registered.
        match unsafe { Registration::of(self, all) } {
            Ok(registration) => {
                let mut pinned = PinnedBuffer { registration, memory, mapped: 0 };
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
    /// Returns the context that registered the buffer, which the buffer keeps alive. Every context can use the
    /// buffer.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.registration.context()
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
        let only = self.mapped_in().is_some().then(|| self.registration.context());
        (only, self.memory.slice_mut())
    }

    /// Returns the only context in which kernels can use that address, or `None` if all can. It is the context
    /// of a device that cannot use host addresses.
    pub(crate) fn mapped_in(&self) -> Option<&Context> {
        (self.mapped != self.memory.start.as_ptr().addr() as CUdeviceptr).then(|| self.context())
    }

    /// Returns the address at which kernels of any context can use the buffer, for calls of [`ffi`].
    ///
    /// # Errors
    /// [`NotCurrent`](Error::NotCurrent); `CUDA_ERROR_INVALID_VALUE` if code outside this crate ended the
    /// context ([F167](crate::driver_facts#F167)).
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn device_address(&self, gpu: &PushedGuard<'_>) -> Result<CUdeviceptr> {
        self.registration.device_address(gpu, self.memory.start.as_ptr().cast())
    }
}

impl<T: Element> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        // If the driver may still know the memory, it is leaked: a host function of a stream drops it (F23), or
        // a child of a fork.
        if self.registration.memory_is_free() {
            // SAFETY: 1. This is its owner's end, and the driver does not know it any more.
            unsafe { self.memory.free() };
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
