//! The streams that a capture uses.

use crate::error::Result;
use crate::stack::PushedGuard;
use crate::stream::Stream;
use crate::stream::legacy_lock::Capturing;
use crate::sync::Arc;

/// The stream under capture: the program's, or one that is captured in its place.
///
/// Buffers may live that are freed in the order of the program's stream, at any time and on any thread, and the
/// capture would include their frees. The capture then uses its own stream instead; captured work does not run
/// on it. Without such buffers no new ones can appear, as the stream is exclusively borrowed. A stream of other code,
/// which may use it meanwhile, is not captured either.
pub(super) struct CapturedStream<'a, 'ctx> {
    stream: &'a Stream<'ctx>,
    /// Destroyed when the capture is over.
    instead: Option<Stream<'ctx>>,
    /// Nothing uses the legacy stream of the context meanwhile.
    _apart: Option<Capturing>,
}

impl<'a, 'ctx> CapturedStream<'a, 'ctx> {
    /// Chooses the stream for a call that captures it.
    ///
    /// # Errors
    /// `NotCurrent`; the errors of [`Capturing::enter`]; a driver error.
    #[inline]
    pub(super) fn new(
        call: &'static str,
        gpu: &PushedGuard<'ctx>,
        stream: &'a mut Stream<'ctx>,
    ) -> Result<Self> {
        let alone = Arc::get_mut(&mut stream.inner).is_some_and(|inner| inner.keep.is_none());
        let instead = if alone { None } else { Some(alike(gpu, stream)?) };
        let blocking = instead.is_none() && stream.inner.blocking;
        let context = blocking.then(|| stream.context());
        let _apart = context.map(|context| Capturing::enter(context, call)).transpose()?;
        Ok(CapturedStream { stream, instead, _apart })
    }

    /// Returns the stream under capture.
    #[inline]
    pub(super) fn stream(&self) -> &Stream<'ctx> {
        self.instead.as_ref().unwrap_or(self.stream)
    }

    /// Returns the program's stream.
    pub(super) fn of(&self) -> &'a Stream<'ctx> {
        self.stream
    }
}

/// Creates a stream with the priority and the other attributes of `stream` ([F156](crate::driver_facts#F156)),
/// which captured launches take over.
#[inline]
pub(super) fn alike<'ctx>(gpu: &PushedGuard<'ctx>, stream: &Stream<'ctx>) -> Result<Stream<'ctx>> {
    let alike = gpu.stream()?;
    alike.copy_attributes(stream)?;
    Ok(alike)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::context::{Context, ContextFlags};
    use crate::device::Device;
    use crate::graph::capture::BEGIN;
    use crate::memory::{AccessPolicyWindow, MemSyncDomain};
    use crate::stack::ContextStack;
    use crate::stream::StreamFlags;

    #[test]
    fn a_stream_with_buffers_is_not_captured_itself_but_one_alike() {
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let greatest = gpu.stream_priority_range().unwrap().greatest;
        let mut stream = gpu.stream_with_priority(StreamFlags::empty(), greatest).unwrap();
        let buffer = gpu.on(&stream).alloc::<u32>(64).unwrap();
        let window = Some(AccessPolicyWindow::persisting(&buffer, 0.5).unwrap());
        stream.set_access_policy_window(window).unwrap();
        stream.set_mem_sync_domain(MemSyncDomain::Remote).unwrap();
        let raw = stream.raw();
        {
            let captured = CapturedStream::new(BEGIN, &gpu, &mut stream).unwrap();
            let instead = captured.stream();
            assert!(instead.raw() != raw && captured.of().raw() == raw);
            assert!(captured._apart.is_none(), "the stream itself is not captured");
            assert_eq!(instead.flags().unwrap(), StreamFlags::NON_BLOCKING);
            assert_eq!(instead.priority().unwrap(), greatest);
            assert_eq!(instead.access_policy_window().unwrap(), window);
            assert_eq!(instead.mem_sync_domain().unwrap(), MemSyncDomain::Remote);
        }
        drop(buffer);
        let captured = CapturedStream::new(BEGIN, &gpu, &mut stream).unwrap();
        assert!(captured.stream().raw() == raw && captured._apart.is_some());
    }
}
