//! Memory that a scope allocates and frees in the order of its streams.
#![allow(unsafe_code, reason = "calls the driver")]

use super::order::Order;
use super::{ScopedBuffer, ScopedStream};
use crate::call::{later, name};
use crate::context::Context;
use crate::driver::capture_mode::release_here;
use crate::driver::fork;
use crate::driver::release::report_drop;
use crate::error::Result;
use crate::memory::access::Access;
use crate::memory::uses::Tracked;
use crate::memory::view::View;
use crate::memory::{Allocation, Element, allocate, size_for};
use ffi::{CUdeviceptr, CUstream};
use std::cell::{OnceCell, RefCell};
use std::mem;

/// The scratch memory of a scope.
#[derive(Default)]
pub(super) struct Scratch {
    stand_ins: StandIns,
    places: RefCell<Places>,
}

/// An allocation that stands for all memory of a context, where only the context matters. Then the same for other contexts.
#[derive(Default)]
struct StandIns(OnceCell<Box<(Allocation, StandIns)>>);

/// The memory that is not freed. Places are used again.
#[derive(Default)]
struct Places {
    all: Vec<Option<Shared>>,
    free: Vec<usize>,
}

/// Memory that was allocated on a stream, and that its parts share.
struct Shared {
    address: CUdeviceptr,
    stream: CUstream,
    /// The index of the stream.
    index: usize,
    /// The number of parts that were not dropped.
    parts: usize,
    /// The uses of the others.
    uses: Vec<Tracked>,
}

/// A part of scratch memory, or all of it. The last one frees the memory on the stream of the allocation.
#[derive(Clone, Copy)]
pub(super) struct Part<'s> {
    order: &'s Order,
    place: usize,
}

impl<'s, 'ctx> ScopedStream<'s, 'ctx> {
    /// Allocates a buffer in the order of the stream, from the device's current [pool](crate::MemoryPool). Its
    /// contents are unspecified bytes.
    ///
    /// Dropping the buffer enqueues its free in this stream, after the last uses of the buffer on all streams. Neither
    /// waits on the host. A loop that allocates, launches and drops needs the memory of one step.
    ///
    /// All streams of the scope can use the buffer. Allocate it on the stream that uses it most: a use on another
    /// stream waits for the allocation, and the free waits for that use. A buffer that is
    /// [split](ScopedBuffer::chunks) is freed when its last part is dropped. If the buffer is leaked, or its free
    /// cannot be ordered, it is freed when the scope has waited. The hook of
    /// [`on_release_error`](crate::on_release_error) receives the error.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a buffer of more than an address space
    /// holds; `CUDA_ERROR_OUT_OF_MEMORY`; `CUDA_ERROR_NOT_SUPPORTED` where the device has no pools: hold a buffer
    /// of [`alloc`](crate::PushedGuard::alloc) there;
    /// [`OtherContext`](crate::Error::OtherContext); a sticky error ([F60](crate::driver_facts#F60)).
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
        let memory = order.scratch().stand_ins.of(self.context());
        let mut view = View { memory, address: 0, len, whole: true };
        // Uses on other streams come after the allocation.
        self.prepare(CALL, &[Access::device::<T>(view, true).noted_in(&tracked)])?;
        if bytes == 0 {
            return Ok(ScopedBuffer::of_view(view));
        }
        // SAFETY: 1. The stream is alive.
        view.address = unsafe { allocate(bytes, None, self.raw, || self.context().device()) }?;
        let (address, stream, index) = (view.address, self.raw, self.index);
        let place =
            order.scratch().add(Shared { address, stream, index, parts: 1, uses: Vec::new() });
        Ok(ScopedBuffer::scratch(view, tracked, Part { order, place }))
    }
}

impl<'s> Part<'s> {
    /// Returns another part of the same memory.
    #[inline]
    pub(super) fn another(self) -> Part<'s> {
        self.order.scratch().at(self.place, |shared| shared.parts += 1);
        self
    }

    /// Ends a part that was used like this. Called once for each part.
    #[cold]
    #[inline]
    pub(super) fn end(self, uses: &mut Tracked) {
        let (Part { order, place }, last) = (self, mem::take(uses));
        let Some((mut shared, last)) = order.scratch().end_part(place, last) else { return };
        // In the child of a fork, calls may hang (F20).
        if fork::is_child() {
            return;
        }
        match order.prepare_free(shared.index, mem::take(&mut shared.uses), last) {
            Ok(()) => shared.free(),
            Err(error) => {
                // It is left, and freed when the scope has waited.
                order.scratch().add(shared);
                report_drop(error);
            }
        }
    }
}

impl StandIns {
    #[inline]
    fn of(&self, context: &Context) -> &Allocation {
        let new = || Box::new((Allocation::nowhere(context.clone()), StandIns::default()));
        let (memory, others) = &**self.0.get_or_init(new);
        if memory.context() == context { memory } else { others.of(context) }
    }
}

impl Scratch {
    /// Adds memory, and returns its place.
    #[inline]
    fn add(&self, shared: Shared) -> usize {
        let Places { all, free } = &mut *self.places.borrow_mut();
        let place = free.pop().unwrap_or_else(|| {
            all.push(None);
            all.len() - 1
        });
        all[place] = Some(shared);
        place
    }

    /// Runs `f` on the memory at a place that is in use.
    fn at<R>(&self, place: usize, f: impl FnOnce(&mut Shared) -> R) -> Option<R> {
        self.places.borrow_mut().all.get_mut(place)?.as_mut().map(f)
    }

    /// Ends a part. Returns the memory with the uses of the last part, and keeps those of the others.
    #[inline]
    fn end_part(&self, place: usize, uses: Tracked) -> Option<(Shared, Tracked)> {
        let Places { all, free } = &mut *self.places.borrow_mut();
        let shared = all.get_mut(place)?;
        let others = shared.as_mut().filter(|shared| shared.parts > 1);
        if let Some(shared) = others {
            shared.parts -= 1;
            shared.uses.push(uses);
            return None;
        }
        free.push(place);
        Some((shared.take()?, uses))
    }

    /// Frees what is left, once all streams have been waited for.
    #[inline]
    pub(super) fn free_rest(&self) {
        self.places.take().all.into_iter().flatten().for_each(Shared::free);
    }
}

impl Shared {
    /// Frees the memory. Its uses are over, or come before in the stream.
    #[inline]
    fn free(self) {
        // SAFETY: this is the only owner of the memory, which was allocated and not freed. The stream is borrowed
        // for the scope, which has not ended, and no context need be current (F40). The uses of the memory are
        // over, or come before the free (`scope-ordered`). Captures of other streams do not refuse the call
        // (F141), and this one is not captured while it is borrowed (`captured-unused`).
        release_here(unsafe { later!(move cuMemFreeAsync(self.address, self.stream)) });
    }
}
