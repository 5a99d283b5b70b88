//! Device memory by its address.
#![allow(unsafe_code, reason = "takes addresses for which the program vouches")]

use super::access::Access;
use super::grid::{Extent, Grid};
use super::{DeviceMemory, DeviceMemoryMut, Element, size_for};
use crate::brand::Brand;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::stack::PushedGuard;
use ffi::CUdeviceptr;
use std::fmt;
use std::marker::PhantomData;

/// A range of device memory by its address, of `len` elements: what a pool of the program hands out. It is to memory what
/// a raw pointer is, and as small: it owns and borrows no memory, and can be copied.
///
/// [`PushedGuard::device_range`] and [`device_rows`](PushedGuard::device_rows) make one, without a driver call, and are
/// `unsafe`: there the program says that it keeps the memory alive and orders its uses. After that a range is used like a
/// buffer, by operations that wait, by those named `…_unscoped`, and as an argument of kernels and of an
/// [`ArgumentList`](crate::kernel::ArgumentList). Contexts are compared as for buffers.
///
/// As an argument of a kernel that only reads it, pass `&range`. `range` is one that the kernel may write.
///
/// A buffer that lives as long as it is used costs nothing either, and needs no `unsafe`. A
/// [`buffer_from_raw`](PushedGuard::buffer_from_raw) owns what keeps the memory alive, and asks the driver for it.
///
/// # Examples
/// ```
/// # use cuscope::{Context, ContextStack, Device, Result};
/// # fn main() -> Result {
/// # let context = Context::primary(Device::get(0)?)?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// let stream = gpu.stream()?;
/// let page = gpu.alloc::<u8>(1 << 20)?; // what a pool has
/// // SAFETY: 1. and 2. The parts lie apart in the page, which lives longer and is used by nothing else.
/// let (mut x, mut y) = unsafe {
///     (gpu.device_range::<f32>(page.address(), 64)?, gpu.device_range::<f32>(page.address() + 256, 64)?)
/// };
/// gpu.on(&stream).fill(&mut x, 1.5)?;
/// gpu.on(&stream).copy(&x, &mut y)?;
/// assert_eq!(gpu.on(&stream).to_vec(&y)?, [1.5; 64]);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy)]
pub struct DeviceRange<'ctx, T: Element> {
    context: &'ctx Context,
    address: CUdeviceptr,
    len: usize,
    grid: Option<Grid>,
    _brand: Brand<'ctx>,
    data: PhantomData<fn() -> T>,
}

/// # Memory by its address
impl<'ctx> PushedGuard<'ctx> {
    /// Returns a range of `len` elements at an address. Makes no driver call.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) for an address that is not aligned for `T`, and for a range that passes
    /// the end of the address space.
    ///
    /// # Safety
    /// 1. Whenever an operation uses the range or a copy of it, until that is complete, the range is memory that the device
    ///    of this guard can use, such as a part of a buffer of its context. The operations of a graph use it at every replay.
    /// 2. These uses are ordered: while one of them may write a byte, no other operation, part of the program or other code
    ///    uses this byte.
    pub unsafe fn device_range<T: Element>(
        &self,
        address: CUdeviceptr,
        len: usize,
    ) -> Result<DeviceRange<'ctx, T>> {
        range(self.context(), address, len, size_for::<T>(CALL, len)?, None)
    }

    /// Returns a range of rows that are `pitch` bytes apart, as [`PitchedBuffer`](crate::memory::PitchedBuffer) has them.
    /// Copies of it are copies of rows. Makes no driver call.
    ///
    /// # Errors
    /// The errors of [`device_range`](Self::device_range); [`InvalidArgument`](Error::InvalidArgument) for rows that are
    /// longer than the pitch, and for a pitch that is no multiple of the alignment of `T`.
    ///
    /// # Safety
    /// 1. and 2. of [`device_range`](Self::device_range), for the elements of the rows, not for what lies between them.
    pub unsafe fn device_rows<T: Element>(
        &self,
        address: CUdeviceptr,
        pitch: usize,
        extent: impl Into<Extent>,
    ) -> Result<DeviceRange<'ctx, T>> {
        let extent = extent.into();
        let grid = Grid::of(extent, pitch);
        let fits = extent.width.checked_mul(size_of::<T>()).is_some_and(|row| row <= pitch)
            && pitch % align_of::<T>() == 0;
        if !fits {
            let reason = format!(
                "a row of {} elements of {} bytes is longer than the pitch, {pitch} bytes, or the pitch is no multiple of \
                 the alignment of an element, {}: pass the bytes from row to row",
                extent.width,
                size_of::<T>(),
                align_of::<T>()
            );
            return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
        }
        let rows = extent.height.checked_mul(extent.depth);
        let Some(bytes) = rows.and_then(|rows| rows.checked_mul(pitch)) else {
            return Err(past_end(address));
        };
        range(self.context(), address, extent.len(), bytes, Some(grid))
    }
}

const CALL: &str = "PushedGuard::device_range";

#[cold]
#[inline]
fn past_end(address: CUdeviceptr) -> Error {
    let reason = format!(
        "the range passes the end of the address space from address {address:#x} on: check the address and the length"
    );
    Error::InvalidArgument { call: CALL, reason: reason.into() }
}

fn range<'ctx, T: Element>(
    context: &'ctx Context,
    address: CUdeviceptr,
    len: usize,
    bytes: usize,
    grid: Option<Grid>,
) -> Result<DeviceRange<'ctx, T>> {
    if address % align_of::<T>() as CUdeviceptr != 0 {
        let reason = format!(
            "the address {address:#x} is not aligned for the elements, to {} bytes: take the range as bytes, or from an \
             aligned address",
            align_of::<T>()
        );
        return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
    }
    if address.checked_add(bytes as CUdeviceptr).is_none() {
        return Err(past_end(address));
    }
    Ok(DeviceRange { context, address, len, grid, _brand: Brand::new(), data: PhantomData })
}

impl<'ctx, T: Element> DeviceRange<'ctx, T> {
    /// Returns the address of the first element.
    #[must_use]
    pub fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &'ctx Context {
        self.context
    }

    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Access<'_> {
        Access::range_of::<T>(self.context, self.address, self.len, self.grid.as_ref(), writes)
    }
}

#[diagnostic::do_not_recommend]
impl<'ctx, T: Element> DeviceMemory<'ctx, T> for DeviceRange<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Element> DeviceMemoryMut<'ctx, T> for DeviceRange<'ctx, T> {}
impl<T: Element> fmt::Debug for DeviceRange<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(f, "DeviceRange<{element}>({} at {:#x}, {:?})", self.len, self.address, self.context)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::context::ContextFlags;
    use crate::device::Device;
    use crate::memory::uses::Tracked;
    use crate::stack::ContextStack;

    /// Its brand keeps it apart where the program has no guard that lives for ever.
    #[test]
    fn a_range_belongs_to_the_context_of_its_guard() {
        let device = Device::get(0).unwrap();
        let create = || Context::create(device, ContextFlags::default()).unwrap();
        let (a, b) = (create(), create());
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&a).unwrap();
        // SAFETY: 1. and 2. It is not used.
        let range = unsafe { gpu.device_range::<u32>(0x1000, 4) }.unwrap();
        let access = range.used(true);
        assert!(access.is_of(a.key()) && !access.is_of(b.key()));
        assert!(access.of_any_context().is_of(b.key()), "the other end of a copy");
        assert!(access.is_settled(a.key()) && !access.is_settled(b.key()));
        let tracked = Tracked::default();
        assert!(!access.noted_in(&tracked).is_settled(a.key()), "it is to be ordered");
        assert_eq!((access.context(), access.range()), (Some(&a), 0x1000..0x1010));
        assert!(access.memory().is_none() && !access.is_host());
    }
}
