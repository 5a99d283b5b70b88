//! Page-locked host memory that a scope lends to kernels, and gives back.

use super::host_slice::ScopedHostSlice;
use super::order::Order;
use crate::context::Context;
use crate::error::Result;
use crate::memory::access::Access;
use crate::memory::{Element, PinnedBuffer};
use ffi::CUdeviceptr;
use std::fmt;

/// Page-locked host memory that is lent to the copies and, over the bus, to the kernels of a scope:
/// [`Scope::map`](crate::Scope::map).
///
/// The host can use it in between, through [`access`](Self::access). It records its last uses, as
/// [`ScopedBuffer`](crate::ScopedBuffer) does. `'s` is invariant.
pub struct ScopedPinned<'s, T: Element> {
    staged: ScopedHostSlice<'s, T>,
    address: CUdeviceptr,
    /// The only context in which the address is valid, if it is not valid in every context.
    only: Option<&'s Context>,
}

impl<'s, T: Element> ScopedPinned<'s, T> {
    pub(super) fn new(order: &'s Order, pinned: &'s mut PinnedBuffer<T>) -> Self {
        let address = pinned.mapped();
        let (only, host) = pinned.lend();
        ScopedPinned { staged: ScopedHostSlice::new(order, host), address, only }
    }

    /// Waits until no operation uses the memory, and lends it to the host. See
    /// [`ScopedHostSlice::access`](crate::ScopedHostSlice::access).
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuEventSynchronize")]
    #[doc(alias = "cuStreamSynchronize")]
    pub fn access(&mut self) -> Result<&mut [T]> {
        self.staged.access()
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.staged.len()
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub(super) fn staged(&self) -> &ScopedHostSlice<'s, T> {
        &self.staged
    }

    /// Returns the access of a kernel.
    #[inline]
    pub(crate) fn used(&self, writes: bool) -> Access<'_> {
        let access = Access::host::<T>(self.only, self.address, self.len(), writes);
        access.noted_in(self.staged.tracked())
    }
}

impl<T: Element> fmt::Debug for ScopedPinned<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(f, "ScopedPinned<{element}>({} at {:#x})", self.len(), self.address)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::context::ContextFlags;
    use crate::device::Device;
    use crate::error::Error;
    use crate::stack::ContextStack;

    #[test]
    fn a_copy_does_not_say_that_kernels_can_use_it_here() {
        let context = || Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
        let (here, there) = (context(), context());
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&here).unwrap();
        let (stream, mut buffer) = (gpu.stream().unwrap(), gpu.alloc::<f32>(4).unwrap());
        let mut pinned = gpu.pinned::<f32>(4).unwrap();
        for only in [None, Some(&here), Some(&there)] {
            gpu.scope(|s| {
                let (stream, mut held, mut mapped) =
                    (s.on(&stream), s.hold(&mut buffer), s.map(&mut pinned));
                mapped.only = only;
                stream.upload_staged(&mapped, &mut held)?;
                stream.download_staged(&held, &mut mapped)?;
                let good = only != Some(&there);
                assert_eq!(mapped.used(false).is_ready(stream.fast_path), good);
                let prepared = stream.prepare("a launch", &[mapped.used(true)]);
                assert_eq!(prepared.is_ok(), good);
                assert!(good || prepared == Err(Error::OtherContext { call: "a launch" }));
                assert_eq!(mapped.used(true).is_ready(stream.fast_path), good);
                Ok(())
            })
            .unwrap();
        }
    }
}
