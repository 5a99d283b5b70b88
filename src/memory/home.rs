//! The streams that memory belongs to: stream-ordered allocation, freed blocks that are kept, and marks in the stream.
//!
//! Memory that belongs to a stream is allocated, used and freed in the order of that stream. No lock is held while
//! the driver is called, because the hook of the driver's log is code of the program.
#![allow(unsafe_code, reason = "calls the driver")]

use super::blocks::{Blocks, OrderedUsage};
use super::in_flight::Streams;
use super::watch::Watch;
use super::{Allocation, MemoryPool, allocate};
use crate::call::{Answer, Later, answer, later, name};
use crate::context::Context;
use crate::context::wait::{self, wait};
use crate::device::Device;
use crate::driver::capture_mode::relaxed;
use crate::driver::fork;
use crate::driver::release::{catch_up, is_for_later, put_off, released, report_drop};
use crate::error::{Error, Result, is_sticky};
use crate::event::EventInner;
use crate::owned::{GraphicsMapping, Keep, StreamInner};
use crate::registry::host_saw;
use crate::sync::Arc;
use ffi::{CUdeviceptr, CUevent, CUstream};
use std::mem;
use std::ops::Deref;
use std::sync::Weak;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The number of events of a stream. With more marks in use than this, a mark may cover later work too.
pub(crate) const MARKS: usize = 16;

/// All streams that memory belongs to, so that one of them can ask the others for memory. No code of the program runs
/// while this is held.
static HOMES: std::sync::Mutex<Vec<Weak<Home>>> = std::sync::Mutex::new(Vec::new());

/// A stream that memory belongs to. The memory owns it, and it owns its context.
pub(crate) struct Home {
    stream: Arc<StreamInner>,
    /// The pool to allocate from, otherwise the current one of the device.
    pool: Option<MemoryPool>,
    marks: Vec<EventInner>,
    /// The number of the next mark.
    next: AtomicUsize,
    blocks: std::sync::Mutex<Blocks>,
    /// Where its guarded kernels note failures.
    watch: Watch,
    /// Whether its [`HomeOwner`] is gone, so that no operation is enqueued any more.
    ended: AtomicBool,
    /// Whether a release failed because the device is lost. Later ones will fail too, and are not reported.
    lost: AtomicBool,
}

/// The part of a [`Home`] that its [ordered stream](crate::OrderedStream) has. Only that allocates memory and enqueues
/// operations. Once it is gone, the stream keeps no freed blocks, whoever else still has the `Home`: its memory, and what
/// its work may still use.
pub(crate) struct HomeOwner(std::sync::Arc<Home>);

impl Deref for HomeOwner {
    type Target = std::sync::Arc<Home>;
    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Drop for HomeOwner {
    #[inline]
    fn drop(&mut self) {
        self.0.keep(0);
        // Whoever sees this sees all operations enqueued.
        self.0.ended.store(true, Ordering::Release);
    }
}

/// A position in a stream: behind the work that was in it when the mark was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(usize);

/// The way in which memory that belongs to a stream is freed.
pub(crate) enum Block {
    /// A block of this many bytes, from the pool of its stream. It may be kept. One of 0 bytes has no address.
    Own(usize),
    /// From another pool, which lives as long.
    Pool { _pool: Option<MemoryPool> },
    /// By [`cuMemFree`](ffi::cuMemFree_v2), which waits for all work of the context.
    Plain,
    /// By other code, once this is dropped.
    Foreign(Box<Keep>),
    /// A buffer of graphics, which is unmapped in the order of the stream.
    Mapped(Box<GraphicsMapping>),
}

/// Returns the streams of a device that memory belongs to.
#[cold]
fn homes_of(device: Device) -> Vec<std::sync::Arc<Home>> {
    let Some(homes) = fork::lock(&HOMES) else { return Vec::new() };
    let all: Vec<_> = homes.iter().filter_map(Weak::upgrade).collect();
    drop(homes);
    all.into_iter().filter(|home| home.context().device() == device).collect()
}

/// Frees the kept blocks of all streams of a device, and waits until the pools have them. Returns whether there were any.
#[cold]
pub(crate) fn give_back_kept(device: Device) -> bool {
    catch_up();
    let mut any = false;
    for home in homes_of(device) {
        if home.trim(0) {
            any = true;
            // A stream that cannot be waited for has no memory to give. The allocation tells.
            let _waited = home.synchronize();
        }
    }
    any
}

/// Returns the number of bytes that all streams of a device keep.
#[cold]
pub(crate) fn kept_on(device: Device) -> usize {
    homes_of(device).iter().map(|home| home.usage().kept).sum()
}

impl Home {
    /// Makes a stream one that memory belongs to. There are [`MARKS`] events, which belong to the context of the stream.
    #[inline]
    pub(crate) fn open(
        stream: Arc<StreamInner>,
        pool: Option<MemoryPool>,
        marks: Vec<EventInner>,
        keep: usize,
    ) -> HomeOwner {
        let (next, lost) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (blocks, ended) = (std::sync::Mutex::new(Blocks::new(keep)), AtomicBool::new(false));
        let watch = Watch::default();
        let home = Home { stream, pool, marks, next, blocks, watch, ended, lost };
        let home = std::sync::Arc::new(home);
        if let Some(mut homes) = fork::lock(&HOMES) {
            homes.retain(|home| home.strong_count() > 0);
            homes.push(std::sync::Arc::downgrade(&home));
        }
        HomeOwner(home)
    }

    #[inline]
    pub(crate) fn raw(&self) -> CUstream {
        self.stream.raw
    }

    pub(crate) fn stream(&self) -> &Arc<StreamInner> {
        &self.stream
    }

    /// Returns where its guarded kernels note failures.
    #[inline]
    pub(crate) fn watch(&self) -> &Watch {
        &self.watch
    }

    #[inline]
    pub(crate) fn context(&self) -> &Context {
        &self.stream.context
    }

    /// Returns a number that tells it from all others that are alive, and from the [key](Context::key) of a context.
    #[inline]
    pub(crate) fn key(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Allocates a block of at least so many bytes in the order of the stream. Returns its address and its size.
    ///
    /// # Errors
    /// Those of [`allocate`].
    #[inline]
    pub(crate) fn alloc(&self, bytes: usize) -> Result<(CUdeviceptr, usize)> {
        let taken = fork::lock(&self.blocks).map(|mut blocks| blocks.take(bytes));
        // In the child of a fork the driver refuses.
        let (kept, size) = taken.unwrap_or((None, bytes));
        match kept {
            Some(address) => Ok((address, size)),
            None => self.request(bytes, size),
        }
    }

    #[inline]
    fn request(&self, bytes: usize, size: usize) -> Result<(CUdeviceptr, usize)> {
        let requested = match self.try_request(size) {
            Err(error) if error.code() == Some(ffi::CUDA_ERROR_OUT_OF_MEMORY) => {
                // Not more than is needed.
                self.try_request(bytes).map(|address| (address, bytes))
            }
            requested => requested.map(|address| (address, size)),
        };
        if let (Ok((_, bytes)), Some(mut blocks)) = (&requested, fork::lock(&self.blocks)) {
            blocks.has_taken(*bytes);
        }
        requested
    }

    #[inline]
    fn try_request(&self, bytes: usize) -> Result<CUdeviceptr> {
        let device = || self.context().device();
        // SAFETY: 1. The stream and the pool are alive, and `ordered_stream_with` compared their devices.
        unsafe { allocate(bytes, self.pool.as_ref(), self.raw(), device) }
    }

    /// Frees kept blocks until at most so many bytes are kept. Returns whether it freed any.
    #[inline]
    pub(crate) fn trim(&self, bytes: usize) -> bool {
        let Some(mut blocks) = fork::lock(&self.blocks) else { return false };
        let freed = blocks.trim(bytes);
        drop(blocks);
        let any = !freed.is_empty();
        freed.into_iter().for_each(|address| self.free(address));
        any
    }

    #[inline]
    pub(crate) fn keep(&self, bytes: usize) {
        if let Some(mut blocks) = fork::lock(&self.blocks) {
            blocks.limit(bytes);
        }
        self.trim(bytes);
    }

    #[inline]
    pub(crate) fn usage(&self) -> OrderedUsage {
        fork::lock(&self.blocks).map(|blocks| blocks.usage()).unwrap_or_default()
    }

    /// Takes memory back whose uses are all enqueued in the stream, or ordered before what comes next in it.
    #[inline]
    pub(crate) fn give_back(self: &std::sync::Arc<Self>, address: CUdeviceptr, block: &mut Block) {
        match block {
            &mut Block::Own(bytes) => {
                let Some(mut blocks) = fork::lock(&self.blocks) else { return };
                let kept = blocks.give(address, bytes);
                drop(blocks);
                if !kept {
                    self.free(address);
                }
            }
            Block::Pool { .. } => self.free(address),
            Block::Plain => self.free_plain(address),
            Block::Foreign(_) => self.end_foreign(address, mem::replace(block, Block::Plain)),
            Block::Mapped(_) => self.end_mapping(mem::replace(block, Block::Plain)),
        }
    }

    /// Frees memory of [`Block::Plain`].
    #[cold]
    #[inline]
    fn free_plain(&self, address: CUdeviceptr) {
        host_saw(address);
        // SAFETY: the owner gave up the memory, which was allocated and not freed; its context is alive, and need not be
        // current (F40). Work that uses the memory is waited for (F50), and captures do not refuse it (F101).
        self.release(unsafe { later!(cuMemFree_v2(address)) }, move || {
            Allocation::plain(address, self.context().clone())
        });
    }

    /// Lets other code have its memory back, once the device is done with it.
    #[cold]
    #[inline]
    fn end_foreign(self: &std::sync::Arc<Self>, address: CUdeviceptr, block: Block) {
        let Block::Foreign(keep) = block else { return };
        if fork::is_child() {
            return; // `Keep` leaves it to the parent
        }
        let (waited, over) = self.wait_to_end();
        if over {
            drop(keep);
        } else if is_for_later(&waited) {
            return put_off(Allocation::of_home(address, self.clone(), Block::Foreign(keep)));
        } else {
            keep.leak();
        }
        if let Err(error) = waited {
            self.report(error);
        }
    }

    /// Unmaps a buffer of graphics behind the work in the stream.
    #[cold]
    #[inline]
    fn end_mapping(&self, block: Block) {
        if let Block::Mapped(mapping) = block {
            mapping.end_behind(&self.stream);
        }
    }

    /// Frees memory behind the work in the stream, if there is some.
    #[inline]
    fn free(&self, address: CUdeviceptr) {
        if address == 0 {
            return;
        }
        // SAFETY: the owner gave up the memory, which was allocated and not freed; the stream is alive, and no context
        // need be current (F40). All its uses come before (`ordered-apart`). Captures of other streams do not refuse
        // it (F141), and this one is not captured, since memory owns it (`captured-unused`).
        self.release(unsafe { later!(cuMemFreeAsync(address, self.raw())) }, move || {
            Allocation::in_order(address, self.stream.clone(), self.pool.clone())
        });
    }

    /// Makes a call that releases memory. If the device is lost, only the first failure is reported: the memory goes
    /// with its context.
    #[inline]
    fn release(&self, call: Later<impl Fn() -> ffi::CUresult>, again: impl FnOnce() -> Allocation) {
        if fork::is_child() {
            return;
        }
        let Answer { call, code } = relaxed(call);
        if code != ffi::CUDA_SUCCESS {
            self.not_released(call, code, again);
        }
    }

    #[cold]
    #[inline(never)]
    fn not_released(
        &self,
        call: &'static str,
        code: ffi::CUresult,
        again: impl FnOnce() -> Allocation,
    ) {
        if !(is_sticky(code) && self.lost.swap(true, Ordering::Relaxed)) {
            released(Answer::new(call, code), again);
        }
    }

    /// Reports an error that makes memory leak, unless the device is lost and that was reported.
    #[inline]
    pub(crate) fn report(&self, error: Error) {
        if !(error.is_sticky() && self.lost.swap(true, Ordering::Relaxed)) {
            report_drop(error);
        }
    }

    /// Takes memory over that comes to another stream, or leaves this one.
    #[inline]
    pub(crate) fn account(&self, block: &Block, comes: bool) {
        if let &Block::Own(bytes) = block {
            let Some(mut blocks) = fork::lock(&self.blocks) else { return };
            if comes { blocks.has_taken(bytes) } else { blocks.has_left(bytes) }
        }
    }

    /// Returns a block as one of the stream `to`, which it is handed over to.
    #[inline]
    pub(crate) fn block_for(&self, block: Block, to: &Home) -> Block {
        match block {
            Block::Own(_) if self.pool != to.pool => Block::Pool { _pool: self.pool.clone() },
            block => block,
        }
    }

    #[inline]
    pub(crate) fn pool(&self) -> Option<&MemoryPool> {
        self.pool.as_ref()
    }

    /// Marks the end of the work in the stream.
    ///
    /// # Errors
    /// A driver error.
    #[inline]
    pub(crate) fn mark(&self) -> Result<Mark> {
        // The event may be in use for an earlier mark, which then covers more: this work is in the same stream.
        let mark = Mark(self.next.fetch_add(1, Ordering::Relaxed) % self.marks.len());
        // SAFETY: event and stream are alive and of one context, and no context need be current (F37).
        unsafe { answer!(cuEventRecord(self.event(mark), self.raw())) }.result()?;
        Ok(mark)
    }

    #[inline]
    pub(crate) fn event(&self, mark: Mark) -> CUevent {
        self.marks[mark.0].raw()
    }

    /// Makes later work in this stream come after all work that is in another one, which may be of another context.
    ///
    /// # Errors
    /// A driver error. The order is then not known.
    #[inline]
    pub(crate) fn follow(&self, other: &Home) -> Result {
        if std::ptr::eq(self, other) {
            return Ok(());
        }
        let event = other.event(other.mark()?);
        // SAFETY: stream and event are alive, and no context need be current (F36, F37).
        unsafe { answer!(cuStreamWaitEvent(self.raw(), event, 0)) }.result()
    }

    /// Returns whether the work before a mark is complete.
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    #[inline]
    pub(crate) fn is_past(&self, mark: Mark) -> Result<bool> {
        // SAFETY: the event is alive; needs no current context (F37).
        unsafe { answer!(cuEventQuery(self.event(mark))) }.ready()
    }

    /// Waits for the work before a mark, which uses host memory. Returns whether that work is certainly over.
    #[inline]
    pub(crate) fn wait_past(&self, mark: Mark) -> (Result, bool) {
        let event = self.event(mark);
        // SAFETY: the event is alive; needs no current context (F37).
        let make = move || unsafe { ffi::cuEventSynchronize(event) };
        let event = Later { call: name!(cuEventSynchronize), make };
        let (waited, over) = wait::wait_to_free(event, self.context().key());
        // The stream may tell what the event does not.
        (waited, over || self.wait_to_end().1)
    }

    /// Returns whether the stream has nothing left to do.
    ///
    /// # Errors
    /// A sticky error ([F60](crate::driver_facts#F60)).
    #[inline]
    pub(crate) fn is_idle(&self) -> Result<bool> {
        let raw = self.raw();
        // SAFETY: the stream is alive; needs no current context (F37). Captures of other code do not refuse it.
        relaxed(unsafe { later!(cuStreamQuery(raw)) }).ready()
    }

    /// Returns whether its [owner](HomeOwner) is gone.
    #[inline]
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Waits for all work in the stream.
    #[inline]
    pub(crate) fn synchronize(&self) -> Result {
        // SAFETY: the stream is alive; needs no current context (F37).
        wait(unsafe { later!(cuStreamSynchronize(self.raw())) })
    }

    /// Waits for all work in the stream, which uses host memory. Returns whether that work is certainly over.
    #[inline]
    pub(crate) fn wait_to_end(&self) -> (Result, bool) {
        let raw = self.raw();
        // SAFETY: the stream is alive; needs no current context (F37).
        let make = move || unsafe { ffi::cuStreamSynchronize(raw) };
        wait::wait_to_free(Later { call: name!(cuStreamSynchronize), make }, self.context().key())
    }
}

impl Drop for Home {
    #[inline]
    fn drop(&mut self) {
        // No memory is left. The events and the stream go after this.
        self.trim(0);
        self.watch.end(&self.stream);
    }
}

/// Whether streams are done with what ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// They certainly use it no more.
    Over,
    /// They may still use it.
    Unknown,
    /// The driver refuses to wait on this thread: the end is [put off](put_off).
    NotNow,
}

/// The streams that read memory which belongs to another one, or to none, and which may be freed only behind them.
pub(crate) struct Readers {
    /// Those of the memory's context. They are behind what wrote it, so operations of theirs use it.
    own: Streams,
    /// Those of other contexts, which copied it. No other operation of theirs may use it.
    peers: Streams,
}

impl Readers {
    #[inline]
    pub(crate) fn none() -> Readers {
        Readers { own: Streams::none(), peers: Streams::none() }
    }

    /// Returns whether the stream with this [key](Home::key) is of the memory's context and reads it, behind what wrote
    /// it.
    #[inline]
    pub(crate) fn has(&self, key: usize) -> bool {
        self.own.has(key)
    }

    /// Makes a stream one that reads the memory, which belongs to `home`, or to no stream: nothing is in flight on it
    /// then, and the reader is of its context.
    ///
    /// # Errors
    /// A driver error. The stream must not read then.
    #[cold]
    #[inline]
    pub(crate) fn add(&self, home: Option<&Home>, reader: &std::sync::Arc<Home>) -> Result {
        let is_own = home.is_none_or(|home| home.context() == reader.context());
        let streams = if is_own { &self.own } else { &self.peers };
        if home.map(Home::key) != Some(reader.key()) && !streams.has(reader.key()) {
            // Two threads may do this at once; the second time changes nothing.
            home.map_or(Ok(()), |home| reader.follow(home))?;
            streams.note(reader);
        }
        Ok(())
    }

    /// Makes later work of `home` come after everything that the readers have enqueued.
    ///
    /// # Errors
    /// A driver error. The readers may then still read.
    #[inline]
    pub(crate) fn leave(&mut self, home: &Home) -> Result {
        for some in [&mut self.own, &mut self.peers] {
            some.get_mut().iter().try_for_each(|reader| home.follow(reader))?;
        }
        self.own.get_mut().clear();
        self.peers.get_mut().clear();
        Ok(())
    }

    /// Waits for everything that the readers have enqueued.
    #[cold]
    #[inline]
    pub(crate) fn end(&mut self, mut failed: impl FnMut(&Home, Error)) -> Ended {
        for reader in self.own.get_mut().iter().chain(self.peers.get_mut().iter()) {
            let (waited, over) = reader.wait_to_end();
            if !over && is_for_later(&waited) {
                return Ended::NotNow;
            }
            if let Err(error) = waited {
                failed(reader, error);
            }
            if !over {
                return Ended::Unknown;
            }
        }
        self.own.get_mut().clear();
        self.peers.get_mut().clear();
        Ended::Over
    }
}
