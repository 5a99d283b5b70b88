//! Downloads that come back as a `Vec`, through page-locked memory that the stream keeps.
#![allow(unsafe_code, reason = "enqueues copies to memory that moves into them")]

use super::{OrderedSource, OrderedStream, Pending};
use crate::call::name;
use crate::driver::fork;
use crate::error::Result;
use crate::memory::{Element, PinnedBuffer, size_for, zeros};
use crate::ops::{Download, Operation};
use static_assertions::assert_impl_all;
use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::sync::{Arc, Mutex};

/// The number of blocks that a stream keeps for its next downloads.
const KEPT: usize = 4;
/// The least size of a block in bytes, a page on most machines.
const LEAST: usize = 4096;

/// Page-locked blocks that downloads write, until the program takes their bytes.
pub(super) struct Blocks {
    free: Mutex<Vec<PinnedBuffer<u8>>>,
    /// The largest block that is kept, in bytes.
    largest: usize,
}

impl Blocks {
    #[inline]
    pub(super) fn new(largest: usize) -> Arc<Blocks> {
        Arc::new(Blocks { free: Mutex::new(Vec::new()), largest: largest.max(LEAST) })
    }

    /// Takes a free block of at least so many bytes.
    #[inline]
    fn take(&self, bytes: usize) -> Option<PinnedBuffer<u8>> {
        let mut free = fork::lock(&self.free)?;
        let fits = |(_, block): &(usize, &PinnedBuffer<u8>)| block.len() >= bytes;
        let best = free.iter().enumerate().filter(fits).min_by_key(|(_, block)| block.len());
        best.map(|(index, _)| index).map(|index| free.swap_remove(index))
    }

    /// Keeps a block for the next download, or frees it.
    #[inline]
    fn give(&self, block: PinnedBuffer<u8>) {
        // Dropped where nothing is locked: the driver calls may fail, and a failure runs code of the program.
        let _too_many = fork::lock(&self.free).and_then(|mut free| {
            if free.len() < KEPT && block.len() <= self.largest {
                free.push(block);
                return None;
            }
            Some(block)
        });
    }
}

/// A block that a download writes.
struct Block {
    /// `None` only at the end.
    memory: Option<PinnedBuffer<u8>>,
    blocks: Arc<Blocks>,
}

impl Drop for Block {
    #[inline]
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            self.blocks.give(memory);
        }
    }
}

/// Elements on their way from the device, from [`OrderedStream::to_vec_later`].
///
/// [`wait`](Self::wait) blocks, [`try_get`](Self::try_get) asks, and with the feature `async` this is a future. Dropping
/// it waits, as for [`Pending`].
#[must_use = "dropping it waits for the device"]
pub struct PendingVec<T: Element> {
    pending: Pending<Block>,
    len: usize,
    data: PhantomData<T>,
}
assert_impl_all!(PendingVec<f32>: Send, Sync);

impl<T: Element> PendingVec<T> {
    /// Waits until the copy is complete, and returns the elements.
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)); [`OutOfBounds`](crate::Error::OutOfBounds) of a guarded kernel in the
    /// stream; `CUDA_ERROR_OUT_OF_MEMORY` if the host does not have as much memory.
    #[doc(alias = "cuEventSynchronize")]
    #[inline]
    pub fn wait(self) -> Result<Vec<T>> {
        elements(&self.pending.wait()?, self.len)
    }

    /// Returns the elements if the copy is complete, otherwise `None`. Once it has returned them, it returns `None`.
    ///
    /// # Errors
    /// The errors of [`wait`](Self::wait).
    #[doc(alias = "cuEventQuery")]
    #[inline]
    pub fn try_get(&mut self) -> Result<Option<Vec<T>>> {
        self.pending.try_get()?.map(|block| elements(&block, self.len)).transpose()
    }
}

#[inline]
fn elements<T: Element>(block: &Block, len: usize) -> Result<Vec<T>> {
    let mut all = zeros::<T>(name!(cuMemcpyDtoHAsync_v2), len)?;
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut all);
    if let Some(memory) = &block.memory {
        bytes.copy_from_slice(&memory[..bytes.len()]);
    }
    Ok(all)
}

impl<T: Element> fmt::Debug for PendingVec<T> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PendingVec({} elements)", self.len)
    }
}

#[cfg(feature = "async")]
impl<T: Element> Future for PendingVec<T> {
    type Output = Result<Vec<T>>;

    #[inline]
    fn poll(
        self: std::pin::Pin<&mut Self>,
        task: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        let this = self.get_mut();
        let block = std::pin::Pin::new(&mut this.pending).poll(task);
        block.map(|block| elements(&block?, this.len))
    }
}

impl<T: Element> Unpin for PendingVec<T> {}

/// # Downloads that return at once
impl OrderedStream {
    /// Copies device memory to the host, and returns before the copy is complete. What this returns has the elements.
    ///
    /// The copy goes to page-locked memory that the stream allocates once and uses again: up to 4 blocks, each of at most
    /// the size of the [staging memory](super::OrderedOptions::staging). [`download_owned`](Self::download_owned) copies to
    /// page-locked memory of your own, which saves the copy to the `Vec`.
    ///
    /// # Errors
    /// The errors of [`download`](Self::download) and [`PushedGuard::pinned`](crate::PushedGuard::pinned).
    ///
    /// # Examples
    /// ```
    /// # use cuscope::{Context, Device};
    /// # fn main() -> cuscope::Result {
    /// let stream = Context::primary(Device::get(0)?)?.ordered_stream()?;
    /// let mut losses = Vec::new();
    /// for step in 0..3_u32 {
    ///     let mut loss = stream.alloc(1)?;
    ///     stream.fill(&mut loss, step)?;
    ///     losses.push(stream.to_vec_later(&loss)?); // returns at once
    /// }
    /// let last = losses.pop().unwrap().wait()?;
    /// assert_eq!(last, [2]);
    /// # Ok(()) }
    /// ```
    #[doc(alias = "cuMemcpyDtoHAsync")]
    #[doc(alias = "cuMemcpy2DAsync")]
    #[doc(alias = "cuMemcpy3DAsync")]
    pub fn to_vec_later<T: Element>(&self, from: &impl OrderedSource<T>) -> Result<PendingVec<T>> {
        let from = from.read();
        let len = from.len;
        let download =
            Download::new(from, ptr::slice_from_raw_parts_mut(ptr::null_mut::<T>(), len));
        let bytes = size_for::<T>(download.call(), len)?;
        // Before a block is taken, so that memory of another stream allocates nothing.
        self.check(&download)?;
        let size = bytes.max(LEAST).checked_next_power_of_two().unwrap_or(bytes);
        let memory = match self.downloads.take(bytes) {
            Some(memory) => memory,
            None => self.context().with(|gpu| gpu.pinned(size))?,
        };
        let to = ptr::slice_from_raw_parts_mut(memory.start().cast::<T>(), len);
        let download = Download::new(from, to);
        let block = Block { memory: Some(memory), blocks: self.downloads.clone() };
        // SAFETY: the block has room for the elements. It stays where it is, and is neither used nor given back until the
        // stream is past the copy.
        let pending = unsafe { self.run_owned(&download, block) }?;
        Ok(PendingVec { pending, len, data: PhantomData })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn elements_that_the_host_has_no_room_for_are_refused() {
        let block = Block { memory: None, blocks: Blocks::new(0) };
        let error = elements::<u64>(&block, usize::MAX / 8).unwrap_err();
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_OUT_OF_MEMORY));
        assert_eq!(error.call(), Some(name!(cuMemcpyDtoHAsync_v2)));
    }
}
