//! Memory that several streams read.

use super::buffer::sealed::Reads;
use super::{Ordered, OrderedBuffer, OrderedSource};
use crate::args::sealed::Operand;
use crate::args::{KernelArg, operands};
use crate::brand::Brand;
use crate::context::Context;
use crate::driver::fork;
use crate::driver::release::{is_for_later, put_off};
use crate::error::Result;
use crate::memory::access::Access;
use crate::memory::home::{Ended, Readers};
use crate::memory::view::{View, part};
use crate::memory::{Allocation, DeviceBuffer, Element, InOrder};
use ffi::CUdeviceptr;
use static_assertions::assert_impl_all;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ops::RangeBounds;
use std::sync::Arc;

/// Elements that several [ordered streams](crate::OrderedStream) read, such as the weights of a model, from
/// [`OrderedBuffer::share`]. It is a shared owner that is cheap to clone.
///
/// The first operation of another stream that reads them waits on the device for what their own stream has enqueued.
/// Later ones cost a comparison. The last clone frees the memory behind all work of the streams that read it
/// (invariant [`shared-behind`](crate::soundness#shared-behind)).
///
/// # Examples
/// ```
/// # use cuscope::{Context, ContextStack, Device};
/// # fn main() -> cuscope::Result {
/// # let context = Context::primary(Device::get(0)?)?;
/// # let mut stack = ContextStack::current_thread()?;
/// # let gpu = stack.push(&context)?;
/// let (loader, worker) = (gpu.ordered_stream()?, gpu.ordered_stream()?);
/// let weights = loader.from_slice(&[1.0_f32, 2.0, 3.0])?.share();
/// let mut mine = worker.alloc(2)?;
/// worker.copy(&weights.slice(1..)?, &mut mine)?; // behind the upload
/// drop(weights); // freed behind the copy
/// assert_eq!(worker.to_vec(&mine)?, [2.0, 3.0]);
/// # Ok(()) }
/// ```
pub struct SharedBuffer<T: Element> {
    pub(crate) inner: Arc<Inner>,
    pub(crate) address: CUdeviceptr,
    pub(crate) len: usize,
    pub(crate) data: PhantomData<T>,
}
assert_impl_all!(SharedBuffer<f32>: Send, Sync);

/// The memory, and the streams that read it.
pub(crate) struct Inner {
    memory: Allocation,
    len: usize,
    readers: Readers,
}

impl Drop for Inner {
    #[inline]
    fn drop(&mut self) {
        // In the child of a fork the driver would take the calls (F20). The memory is the parent's.
        let home = self.memory.home().filter(|_| !fork::is_child());
        let Some(home) = home.cloned() else { return };
        let left = self.readers.leave(&home);
        if is_for_later(&left) {
            let readers = mem::replace(&mut self.readers, Readers::none());
            return put_off(Inner { memory: self.memory.take(), len: self.len, readers });
        }
        if let Err(error) = left {
            // A reader that cannot be ordered is waited for. One that cannot be waited for may still read it.
            if self.readers.end(|_, _| {}) != Ended::Over {
                self.memory.leak();
            }
            home.report(error);
        }
    }
}

impl<T: Element> OrderedBuffer<T> {
    /// Makes it memory that any ordered stream of the context reads, and nothing writes. Makes no driver call.
    #[must_use]
    pub fn share(self) -> SharedBuffer<T> {
        let Ordered(DeviceBuffer { inner, len, _brand: _, data }) = self;
        let address = inner.address();
        let inner = Inner { memory: inner, len, readers: Readers::none() };
        SharedBuffer { inner: Arc::new(inner), address, len, data }
    }
}

impl<T: Element> Clone for SharedBuffer<T> {
    fn clone(&self) -> Self {
        SharedBuffer { inner: self.inner.clone(), ..*self }
    }
}

impl<T: Element> SharedBuffer<T> {
    /// Returns a part, which shares the memory.
    ///
    /// # Errors
    /// [`InvalidRange`](crate::Error::InvalidRange).
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self> {
        let (start, len) = part("SharedBuffer::slice", range, self.len)?;
        let address = self.address + (start * size_of::<T>()) as CUdeviceptr;
        Ok(SharedBuffer { inner: self.inner.clone(), address, len, ..*self })
    }

    /// Returns the whole buffer to its stream, behind all work of the streams that read it.
    ///
    /// # Errors
    /// Itself, if it has other owners, or if the driver refuses to order the streams.
    pub fn try_unwrap(mut self) -> Result<OrderedBuffer<T>, Self> {
        let Some(inner) = Arc::get_mut(&mut self.inner) else { return Err(self) };
        let behind = inner.memory.home().cloned().map(|home| inner.readers.leave(&home));
        match behind {
            Some(Ok(())) => {
                let (memory, len) = (inner.memory.take(), inner.len);
                Ok(Ordered(DeviceBuffer {
                    inner: memory,
                    len,
                    _brand: Brand::new(),
                    data: self.data,
                }))
            }
            _ => Err(self),
        }
    }

    /// Returns the access of an operation.
    #[inline]
    fn used(&self, writes: bool) -> Access<'_> {
        let SharedBuffer { address, len, .. } = *self;
        let view = View { memory: &self.inner.memory, address, len, whole: false };
        Access::device::<T>(view, writes).in_order(Some(&self.inner.readers))
    }

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

    /// Returns the address on the device, for calls of [`ffi`]. It is valid while this value lives, for work that
    /// comes after its upload. Do not free it.
    #[must_use]
    #[inline]
    pub fn address(&self) -> CUdeviceptr {
        self.address
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.inner.memory.context()
    }
}

impl<T: Element> fmt::Debug for SharedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(
            f,
            "SharedBuffer<{element}>({} at {:#x}, {:?})",
            self.len,
            self.address,
            self.context()
        )
    }
}

#[diagnostic::do_not_recommend]
impl<T: Element> OrderedSource<T> for SharedBuffer<T> {}
#[diagnostic::do_not_recommend]
impl<T: Element> Reads for SharedBuffer<T> {
    #[inline]
    fn read(&self) -> Access<'_> {
        self.used(false)
    }
}

impl<T: Element> KernelArg<'static, InOrder> for &SharedBuffer<T> {}
operands! {
    &SharedBuffer<T>, false, true;
}
