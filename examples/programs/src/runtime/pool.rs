//! Device memory in pages, which are handed out in parts.
#![allow(unsafe_code, reason = "makes ranges of parts, which the pool keeps apart")]

use super::Message;
use cuscope::memory::DeviceRange;
use cuscope::{Detached, DeviceBuffer, PushedGuard, Result};
use std::sync::mpsc::Sender;

/// The bytes of a page, and the alignment of parts.
const PAGE: usize = 4 << 20;
const ALIGNMENT: usize = 256;

/// Where a part lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    page: usize,
    start: usize,
    /// The bytes that were asked for. The part has as many as its alignment makes of them.
    pub(crate) bytes: usize,
}

/// A part that a client owns. Its end is a message, so that it comes behind the work that uses it.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) device: usize,
    pub(crate) place: Place,
    pub(crate) back: Sender<Message>,
}

impl Drop for Part {
    fn drop(&mut self) {
        // If the server is gone, so is the page.
        let _ = self.back.send(Message::Free { device: self.device, place: self.place });
    }
}

/// A page, with the free ranges in it: start and end, in order, no two of which touch.
struct Page {
    memory: Detached<DeviceBuffer<'static, u8>>,
    free: Vec<(usize, usize)>,
}

/// The pages of a device. Only a new page makes driver calls.
#[derive(Default)]
pub(crate) struct Pool(Vec<Page>);

impl Pool {
    /// Returns a part that nothing uses but work that was enqueued before.
    pub(crate) fn take(&mut self, gpu: &PushedGuard<'_>, bytes: usize) -> Result<Place> {
        let size = bytes.max(1).next_multiple_of(ALIGNMENT);
        for (page, Page { free, .. }) in self.0.iter_mut().enumerate() {
            if let Some(at) = free.iter().position(|(start, end)| end - start >= size) {
                let (start, end) = free[at];
                if end - start == size {
                    free.remove(at);
                } else {
                    free[at].0 += size;
                }
                return Ok(Place { page, start, bytes });
            }
        }
        let memory = gpu.alloc::<u8>(PAGE.max(size))?.detach();
        let free = if size < memory.len() { vec![(size, memory.len())] } else { Vec::new() };
        self.0.push(Page { memory, free });
        Ok(Place { page: self.0.len() - 1, start: 0, bytes })
    }

    /// Takes a part back. Work that was enqueued before may still use it.
    pub(crate) fn give_back(&mut self, place: Place) {
        let (start, size) = (place.start, place.bytes.max(1).next_multiple_of(ALIGNMENT));
        let free = &mut self.0[place.page].free;
        let at = free.partition_point(|&(from, _)| from < start);
        free.insert(at, (start, start + size));
        // It joins those that it touches.
        if free.get(at + 1).is_some_and(|next| next.0 == start + size) {
            free[at].1 = free.remove(at + 1).1;
        }
        if at > 0 && free[at - 1].1 == start {
            free[at - 1].1 = free.remove(at).1;
        }
    }

    /// Returns the memory of a part, for work in the stream of its device.
    pub(crate) fn range<'ctx>(
        &self,
        gpu: &PushedGuard<'ctx>,
        place: Place,
    ) -> Result<DeviceRange<'ctx, u8>> {
        let page = &self.0[place.page].memory;
        let address = page.address() + place.start as u64;
        // SAFETY: 1. The part lies in the page, which lives as long as the server and is freed behind all its work. 2. Parts
        // lie apart, and all uses of a part, and of a later one in its place, are work of the device's one stream, or wait
        // for it by fences.
        unsafe { gpu.device_range(address, place.bytes) }
    }

    /// Returns the number of pages, and of free ranges in them.
    pub(crate) fn usage(&self) -> (usize, usize) {
        (self.0.len(), self.0.iter().map(|page| page.free.len()).sum())
    }
}
