//! Page-locked buffers of the host.
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

/// What a page has on the machines of this crate, so that a buffer shares none with anything else.
const PAGE: usize = if cfg!(target_arch = "aarch64") { 1 << 16 } else { 1 << 12 };

/// `len` elements in page-locked memory of the host: copies from and to it run at the speed of the bus
/// (F96). It is a slice wherever one is wanted: `gpu.on(&stream).upload(&pinned, &mut buffer)`. Kernels
/// can use it where it is, over the bus: `&pinned` and `&mut pinned` are arguments of a launch.
///
/// The memory is Rust's, and registered in a context, so that it outlives whatever becomes of that
/// (F102, invariant `pinned-is-rusts`). It has no brand: every context can copy from and to it, with
/// the same speed. Dropping it needs no current context, and waits for all work of the one that it was
/// registered in (F162, F166); no safe work of any context is in flight on it then.
///
/// Once a kernel faulted, an operation that lent it aborts the process if that has several contexts: the work of
/// those that did not fault goes on, and nothing tells when it ends (F326). With one context it returns the error.
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
    /// Where kernels find it: at the address of the host, where the device can use that (F163).
    mapped: CUdeviceptr,
}
assert_impl_all!(PinnedBuffer<f32>: Send, Sync);

/// Pages of the allocator, not freed by themselves.
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
    /// Zeros, which are a value of every element.
    fn zeroed(len: usize) -> Result<Memory<T>> {
        let refused = |reason| Error::InvalidArgument { call: name!(cuMemHostRegister_v2), reason };
        let bytes = len.checked_mul(size_of::<T>()).and_then(|b| b.checked_next_multiple_of(PAGE));
        let layout = bytes.and_then(|b| Layout::from_size_align(b, PAGE.max(align_of::<T>())).ok());
        let layout = layout.ok_or_else(|| {
            refused("the buffer has more bytes than an address space: ask for less")
        })?;
        if layout.size() == 0 {
            return Err(refused("the driver registers no 0 bytes: keep an empty buffer as `None`"));
        }
        // SAFETY: the layout is not empty.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start.cast()) else { handle_alloc_error(layout) };
        Ok(Memory { start, len, layout, data: PhantomData })
    }

    fn slice(&self) -> &[T] {
        // SAFETY: `len` elements of one allocation, initialised with zeros, of which any bytes are
        // values (`Element: AnyBitPattern`), and borrowed with `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    fn slice_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `slice`, exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    /// Gives the memory back.
    ///
    /// # Safety
    /// 1. Nothing uses the memory from here on, and the driver does not know it.
    unsafe fn free(&mut self) {
        // SAFETY: from `alloc_zeroed` with this layout; obligation 1 is the caller's.
        unsafe { dealloc(self.start.as_ptr().cast(), self.layout) };
    }
}

impl PushedGuard<'_> {
    /// Allocates page-locked memory of the host, filled with zeros.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a buffer of 0 bytes or of more than an address space holds;
    /// [`NotCurrent`](Error::NotCurrent); what the driver answers.
    #[doc(alias = "cuMemHostRegister")]
    #[doc(alias = "cuMemHostGetDevicePointer")]
    #[doc(alias = "cuMemAllocHost")]
    #[doc(alias = "cuMemHostAlloc")]
    pub fn pinned<T: Element>(&self, len: usize) -> Result<PinnedBuffer<T>> {
        let mut memory = Memory::zeroed(len)?;
        // The pointer of the memory, not of a slice: slices that are made later must not end it.
        let all = ptr::slice_from_raw_parts_mut(memory.start.as_ptr(), len);
        // SAFETY: the memory is owned, and freed by `PinnedBuffer` only once it is not registered.
        match unsafe { Registration::of(self, all) } {
            Ok(registration) => {
                let mut pinned = PinnedBuffer { registration, memory, mapped: 0 };
                pinned.mapped = pinned.device_address(self)?;
                Ok(pinned)
            }
            Err(error) => {
                // Else it may be registered all the same, and is leaked.
                if error.code().is_none_or(means_not_taken) {
                    // SAFETY: never registered, and nothing else has it.
                    unsafe { memory.free() };
                }
                Err(error)
            }
        }
    }

    /// Allocates page-locked memory of the host with the elements of a slice.
    ///
    /// # Errors
    /// As [`pinned`](Self::pinned).
    #[doc(alias = "cuMemHostRegister")]
    pub fn pinned_from<T: Element>(&self, from: &[T]) -> Result<PinnedBuffer<T>> {
        let mut pinned = self.pinned(from.len())?;
        pinned.copy_from_slice(from);
        Ok(pinned)
    }
}

impl<T: Element> PinnedBuffer<T> {
    /// The context that it is registered in, which it keeps alive. Every context can use it.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.registration.context()
    }

    /// Where kernels find it.
    pub(crate) fn mapped(&self) -> CUdeviceptr {
        self.mapped
    }

    /// A use by a kernel.
    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Access<'_> {
        Access::host::<T>(self.mapped_in(), self.mapped, self.memory.len, writes)
    }

    /// The slice, and what [`mapped_in`](Self::mapped_in) says.
    pub(crate) fn lend(&mut self) -> (Option<&Context>, &mut [T]) {
        let only = self.mapped_in().is_some().then(|| self.registration.context());
        (only, self.memory.slice_mut())
    }

    /// The one context in which kernels find it there, if it is not every one: that of a device that
    /// cannot use the addresses of the host.
    pub(crate) fn mapped_in(&self) -> Option<&Context> {
        (self.mapped != self.memory.start.as_ptr().addr() as CUdeviceptr).then(|| self.context())
    }

    /// The address at which kernels of any context find it, for calls of [`ffi`].
    ///
    /// # Errors
    /// [`NotCurrent`](Error::NotCurrent); `CUDA_ERROR_INVALID_VALUE` if code outside this crate ended
    /// the context (F167).
    #[doc(alias = "cuMemHostGetDevicePointer")]
    pub fn device_address(&self, gpu: &PushedGuard<'_>) -> Result<CUdeviceptr> {
        self.registration.device_address(gpu, self.memory.start.as_ptr().cast())
    }
}

impl<T: Element> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        // Where the driver may still know the memory, it is leaked: a host function of a stream drops
        // it (F23), or a child of a fork.
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
