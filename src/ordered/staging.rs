//! Page-locked memory through which slices go to the device.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::{Later, answer, name};
use crate::context::wait::wait;
use crate::error::{Error, Result};
use crate::event::{EventFlags, EventInner};
use crate::memory::PinnedBuffer;
use crate::memory::home::Home;
use crate::ordered::Pending;
use crate::stack::PushedGuard;
use std::ptr;
use std::sync::Arc;

/// The number of segments of a ring. One is filled while the device reads the others.
const SEGMENTS: usize = 4;

/// A ring of page-locked memory. Copies to the device read its segments in turn, and a segment is written again when an
/// event says that all copies from it are complete.
pub(crate) struct Staging {
    /// `None` only at the end.
    memory: Option<PinnedBuffer<u8>>,
    /// Each behind the copies from its segment, once that was left.
    events: [EventInner; SEGMENTS],
    /// Whether copies from the segment may be in flight, and its event is recorded.
    left: [bool; SEGMENTS],
    /// The segment that is being filled.
    current: usize,
    /// The number of its bytes that are filled.
    filled: usize,
    /// Whether anything was ever copied from it.
    used: bool,
    home: Arc<Home>,
}

impl Staging {
    /// Allocates a ring of at least so many bytes for copies in a stream. There is none with 0 bytes.
    #[inline]
    pub(super) fn new(
        gpu: &PushedGuard<'_>,
        home: Arc<Home>,
        bytes: usize,
    ) -> Result<Option<Staging>> {
        if bytes == 0 {
            return Ok(None);
        }
        // So many bytes that there is no multiple are refused below.
        let memory = gpu.pinned(bytes.checked_next_multiple_of(SEGMENTS).unwrap_or(bytes))?;
        let event = || EventInner::create(gpu, EventFlags::DISABLE_TIMING);
        let events = [event()?, event()?, event()?, event()?];
        let (left, current, filled, used) = ([false; SEGMENTS], 0, 0, false);
        Ok(Some(Staging { memory: Some(memory), events, left, current, filled, used, home }))
    }

    /// Returns the number of bytes that can be staged at once.
    #[inline]
    pub(super) fn segment(&self) -> usize {
        self.memory.as_ref().map_or(0, |memory| memory.len() / SEGMENTS)
    }

    /// Copies bytes, of which a segment has room, to the ring, for a copy that the caller enqueues before the next
    /// call. Waits for the device if it still reads all segments.
    ///
    /// # Errors
    /// A driver error.
    #[inline]
    pub(super) fn stage(&mut self, bytes: &[u8]) -> Result<*const u8> {
        let segment = self.segment();
        if self.filled + bytes.len() > segment {
            self.next_segment()?;
        }
        // Not by a reference to the ring, whose other segments the device may read.
        let start = self.memory.as_ref().map(PinnedBuffer::start);
        let Some(start) = start.filter(|_| bytes.len() <= segment) else {
            let reason = format!(
                "a segment of the staging memory has {segment} bytes, which is no room for {}: stage less at once",
                bytes.len()
            );
            return Err(Error::InvalidArgument {
                call: name!(cuMemcpyHtoDAsync_v2),
                reason: reason.into(),
            });
        };
        let place = start.wrapping_add(self.current * segment + self.filled);
        // SAFETY: the bytes fit in the rest of the segment, as above, so `place` is valid for so many. The copies that
        // read them before are over (`next_segment`), and nobody has a reference to the ring.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
        self.filled += bytes.len();
        self.used = true;
        Ok(place)
    }

    #[inline]
    fn next_segment(&mut self) -> Result {
        let (event, stream) = (self.events[self.current].raw(), self.home.raw());
        // SAFETY: event and stream are alive and of one context, and no context need be current (F37).
        unsafe { answer!(cuEventRecord(event, stream)) }.result()?;
        self.left[self.current] = true;
        let next = (self.current + 1) % SEGMENTS;
        if self.left[next] {
            let event = self.events[next].raw();
            // SAFETY: the event is alive; needs no current context (F37).
            let make = move || unsafe { ffi::cuEventSynchronize(event) };
            wait(Later { call: name!(cuEventSynchronize), make })?;
            self.left[next] = false;
        }
        (self.current, self.filled) = (next, 0);
        Ok(())
    }
}

impl Drop for Staging {
    #[inline]
    fn drop(&mut self) {
        if !self.used {
            return;
        }
        // The device may still read it.
        if let Some(memory) = self.memory.take() {
            drop(Pending::until_idle(memory, self.home.clone()));
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::context::{Context, ContextFlags};
    use crate::device::Device;
    use crate::ordered::OrderedOptions;
    use crate::stack::ContextStack;

    #[test]
    fn more_than_a_segment_is_refused() {
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let options = OrderedOptions::new().staging(64);
        let stream = gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap();
        let mut staging = stream.staging.lock().unwrap().take().unwrap();
        assert!(staging.stage(&[1; 16]).is_ok());
        let error = staging.stage(&[1; 17]).unwrap_err();
        assert_eq!(error.call(), Some(name!(cuMemcpyHtoDAsync_v2)));
        assert!(error.to_string().contains("has 16 bytes"), "{error}");
    }
}
