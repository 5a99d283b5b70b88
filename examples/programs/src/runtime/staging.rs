//! Page-locked memory between the device and clients, in parts of pages of the driver.
#![allow(unsafe_code, reason = "copies from and to parts that nothing else uses meanwhile")]

use cuscope::memory::{DeviceRange, PinnedPages};
use cuscope::{Event, EventFlags, PushedGuard, Result, Stream};
use std::ptr::{slice_from_raw_parts, slice_from_raw_parts_mut};
use std::sync::mpsc::{Receiver, Sender, channel};

/// The bytes of a block, and of the smallest part.
const BLOCK: usize = 1 << 20;
const SMALLEST: usize = 4 << 10;

/// The parts of a device that nothing uses.
pub(crate) struct Staging {
    free: Vec<PinnedPages>,
    /// Parts that clients have read.
    back: (Sender<PinnedPages>, Receiver<PinnedPages>),
    /// Parts of uploads, with the event behind each.
    in_flight: Vec<(Event<'static>, PinnedPages)>,
}

/// Bytes on their way to a client.
pub struct Staged {
    /// Behind the copy.
    event: Event<'static>,
    part: PinnedPages,
    bytes: usize,
    back: Sender<PinnedPages>,
}

impl Staging {
    pub(crate) fn new() -> Staging {
        Staging { free: Vec::new(), back: channel(), in_flight: Vec::new() }
    }

    /// Returns a part of at least so many bytes, which the device does not use.
    fn take(&mut self, gpu: &PushedGuard<'_>, bytes: usize) -> Result<PinnedPages> {
        self.free.extend(self.back.1.try_iter());
        let mut busy = Vec::new();
        for (event, part) in self.in_flight.drain(..) {
            if event.query()? {
                self.free.push(part);
            } else {
                busy.push((event, part));
            }
        }
        self.in_flight = busy;
        let size = bytes.max(SMALLEST).next_power_of_two();
        if let Some(at) = self.free.iter().position(|part| part.len() == size) {
            return Ok(self.free.swap_remove(at));
        }
        let (part, mut rest) = gpu.pinned_pages(BLOCK.max(size))?.split_at(size)?;
        while rest.len() >= size {
            let (next, others) = rest.split_at(size)?;
            self.free.push(next);
            rest = others;
        }
        Ok(part)
    }

    /// Returns an event behind the work in a stream.
    fn behind(gpu: &PushedGuard<'_>, stream: &Stream<'_>) -> Result<Event<'static>> {
        let event = gpu.context().event_with(EventFlags::DISABLE_TIMING)?;
        // SAFETY: 1. The stream lives, and nothing captures it.
        unsafe { event.record_in(stream.raw()) }?;
        Ok(event)
    }

    /// Copies bytes to the device, and returns before that is done.
    pub(crate) fn upload<'ctx>(
        &mut self,
        gpu: &PushedGuard<'ctx>,
        stream: &Stream<'ctx>,
        bytes: &[u8],
        to: &mut DeviceRange<'ctx, u8>,
    ) -> Result {
        let mut part = self.take(gpu, bytes.len())?;
        for (to, from) in part.as_uninit_mut().iter_mut().zip(bytes) {
            to.write(*from);
        }
        let from = slice_from_raw_parts(part.as_non_null().as_ptr().cast_const(), bytes.len());
        // SAFETY: 1. These bytes were written above. 2. The part is not used before the event behind the copy is complete,
        // and the range is used in the order of the stream.
        unsafe { gpu.on(stream).upload_unscoped(from, to) }?;
        self.in_flight.push((Staging::behind(gpu, stream)?, part));
        Ok(())
    }

    /// Copies memory of the device to a part, for a client that waits for it.
    pub(crate) fn download<'ctx>(
        &mut self,
        gpu: &PushedGuard<'ctx>,
        stream: &Stream<'ctx>,
        from: &DeviceRange<'ctx, u8>,
    ) -> Result<Staged> {
        let part = self.take(gpu, from.len())?;
        let to = slice_from_raw_parts_mut(part.as_non_null().as_ptr(), from.len());
        // SAFETY: 1. The part has as many bytes. 2. Nothing uses it before the event behind the copy is complete, and the
        // range is used in the order of the stream.
        unsafe { gpu.on(stream).download_unscoped(from, to) }?;
        let event = Staging::behind(gpu, stream)?;
        let back = self.back.0.clone();
        Ok(Staged { event, part, bytes: from.len(), back })
    }
}

impl Staged {
    /// Waits for the copy and returns the bytes.
    ///
    /// # Errors
    /// A fault of work before the copy.
    pub(crate) fn wait(self) -> Result<Vec<u8>> {
        let Staged { event, part, bytes, back } = self;
        event.synchronize()?;
        let from = slice_from_raw_parts(part.as_non_null().as_ptr(), bytes);
        // SAFETY: the copy is complete and wrote these bytes, and nothing else uses the part.
        let bytes = unsafe { &*from }.to_vec();
        // A server that is gone takes none back.
        let _ = back.send(part);
        Ok(bytes)
    }
}
