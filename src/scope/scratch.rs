//! Memory that a scope allocates and frees in the order of its streams.
#![allow(unsafe_code, reason = "calls the driver")]

use super::order::Order;
use super::order_events::EventSource;
use super::{ScopedBuffer, ScopedStream};
use crate::call::{answer, later, name};
use crate::driver::capture_mode::release_relaxed;
use crate::driver::fork;
use crate::driver::release::report_drop;
use crate::error::Result;
use crate::memory::access::Access;
use crate::memory::uses::Tracked;
use crate::memory::view::View;
use crate::memory::{Element, size_for};
use ffi::{CUdeviceptr, CUstream};
use std::cell::RefCell;
use std::iter::once;
use std::rc::Rc;

/// Memory that a scope allocated on one of its streams. Its parts share it, and the last one frees it on that
/// stream.
pub(super) struct Scratch<'s> {
    memory: Left,
    order: &'s Order,
    gpu: &'s dyn EventSource,
    /// The index of the stream.
    index: usize,
    /// The uses of the parts that were dropped.
    uses: RefCell<Vec<Tracked>>,
}

/// Memory that a stream of the scope frees, unless the process ends before.
pub(super) struct Left {
    address: CUdeviceptr,
    stream: CUstream,
}

impl<'s, 'ctx> ScopedStream<'s, 'ctx> {
    /// Allocates a buffer in the order of the stream, from the device's current
    /// [pool](crate::MemoryPool). Its contents are unspecified bytes.
    ///
    /// Dropping the buffer enqueues its free in this stream, after the last uses of the buffer on all streams.
    /// Neither waits on the host: a loop that allocates, launches and drops needs the memory of one step. All
    /// streams of the scope can use the buffer. Allocate it on the stream that uses it most: on one stream,
    /// nothing has to be ordered. A buffer that is [split](ScopedBuffer::chunks) is freed when its last part is
    /// dropped. A buffer that is leaked is not freed.
    ///
    /// If the free cannot be ordered, the error goes to the hook of
    /// [`on_release_error`](crate::on_release_error), and the memory is freed when the scope has waited.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a buffer of 0 bytes or of more than an address
    /// space holds; `CUDA_ERROR_OUT_OF_MEMORY`; `CUDA_ERROR_NOT_SUPPORTED` where the device has no pools;
    /// [`OtherContext`](crate::Error::OtherContext); [`NotCurrent`](crate::Error::NotCurrent) if streams have to be
    /// ordered; a sticky error ([F60](crate::driver_facts#F60)).
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, ContextFlags, ContextStack, Device, Result};
    /// # fn main() -> Result {
    /// # let context = Context::create(Device::get(0)?, ContextFlags::default())?;
    /// # let mut stack = ContextStack::current_thread()?;
    /// # let gpu = stack.push(&context)?;
    /// let (stream, mut sums) = (gpu.stream()?, [[0_u32; 4]; 100]);
    /// gpu.scope(|s| {
    ///     let stream = s.on(&stream);
    ///     for (step, sum) in sums.iter_mut().enumerate() {
    ///         let mut scratch = stream.scratch(4)?;
    ///         stream.fill(&mut scratch, step as u32)?;
    ///         stream.download(&scratch, sum)?;
    ///     } // each step frees its memory, in the order of the stream
    ///     Ok(())
    /// })?;
    /// assert_eq!(sums[99], [99; 4]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuMemAllocAsync")]
    #[doc(alias = "cuMemFreeAsync")]
    pub fn scratch<T: Element>(&self, len: usize) -> Result<ScopedBuffer<'s, T>> {
        const CALL: &str = name!(cuMemAllocAsync);
        let bytes = size_for::<T>(CALL, len)?;
        let (order, tracked) = (self.order, Tracked::default());
        let memory = order.scratch(self.context());
        let mut view = View { memory, address: 0, len, whole: true };
        // Uses on other streams come after the allocation.
        self.prepare(CALL, &[Access::device::<T>(view, true).noted_in(&tracked)])?;
        // SAFETY: writes one address to `view.address`, which is valid for it; the stream is alive, and no
        // context need be current (F40).
        unsafe { answer!(cuMemAllocAsync(&raw mut view.address, bytes, self.raw)) }.check()?;
        let memory = Left { address: view.address, stream: self.raw };
        let (gpu, index, uses) = (self.gpu, self.index, RefCell::default());
        let scratch = Rc::new(Scratch { memory, order, gpu, index, uses });
        Ok(ScopedBuffer::scratch(view, tracked, scratch))
    }
}

impl Scratch<'_> {
    /// Ends a part that was used like this. Frees the memory with the last one.
    pub(super) fn end_part(self: Rc<Self>, uses: Tracked) {
        match Rc::try_unwrap(self) {
            Ok(scratch) => scratch.free(uses),
            Err(shared) => shared.uses.borrow_mut().push(uses),
        }
    }

    fn free(self, last: Tracked) {
        let Scratch { memory, order, gpu, index, uses } = self;
        // In the child of a fork, calls may hang (F20).
        if fork::is_child() {
            return;
        }
        match order.prepare_free(gpu, index, uses.into_inner().into_iter().chain(once(last))) {
            Ok(()) => memory.free(),
            Err(error) => {
                order.leave(memory);
                report_drop(error);
            }
        }
    }
}

impl Left {
    /// Frees the memory in the order of the stream, after its uses. Called once.
    pub(super) fn free(&self) {
        // SAFETY: the memory was allocated on the stream and not freed; this is called once, by its only owner.
        // The stream is borrowed for the scope, which has not ended, and no context need be current (F40). The
        // uses of the memory are over, or come before in the stream (`scope-ordered`). Captures of other streams
        // do not refuse the call (F141), and this one is not captured while it is borrowed (`captured-unused`).
        release_relaxed(unsafe { later!(cuMemFreeAsync(self.address, self.stream)) });
    }
}
