//! Streams, and the capture mode of a thread.
#![allow(unsafe_code, reason = "exported functions")]

use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::life::Life;
use crate::queue::{Kind, Queue, Ticket};
use crate::{event, priority, stack};
use core::ffi::{c_int, c_uint};
use cuscope_sys::*;
use std::cell::Cell;
use std::sync::Arc;

/// The handle of the legacy default stream, besides null.
const LEGACY: usize = 1;
/// The handle of the calling thread's default stream.
const PER_THREAD: usize = 2;

/// Work on this many bytes is short.
const SHORT: usize = 1 << 20;

/// A stream that was created.
pub(crate) struct Stream {
    pub(crate) life: Arc<Life>,
    queue: Arc<Queue>,
    flags: c_uint,
    priority: c_int,
}

/// What a stream handle stands for: a queue of a living context.
pub(crate) struct Target {
    pub(crate) life: Arc<Life>,
    pub(crate) queue: Arc<Queue>,
    flags: c_uint,
    pub(crate) priority: c_int,
}

impl Target {
    /// Adds work.
    pub(crate) fn submit(
        &self,
        work: impl FnOnce() -> Answer + Send + 'static,
    ) -> Answer<Arc<Ticket>> {
        self.life.submit(&self.queue, Vec::new(), Box::new(work))
    }

    /// Adds work on a number of bytes, which is done at once if they are few and nothing is before
    /// it.
    pub(crate) fn submit_sized(
        &self,
        bytes: usize,
        work: impl FnOnce() -> Answer + Send + 'static,
    ) -> Answer<Arc<Ticket>> {
        if bytes <= SHORT { self.submit_short(work) } else { self.submit(work) }
    }

    /// Adds short work, which is done at once if nothing is before it.
    pub(crate) fn submit_short(
        &self,
        work: impl FnOnce() -> Answer + Send + 'static,
    ) -> Answer<Arc<Ticket>> {
        self.life.submit_short(&self.queue, Box::new(work))
    }
}

/// Default streams are refused in host functions (F23).
fn refuse_in_host_function() -> Answer {
    if entry::is_in_host_function() { Err(CUDA_ERROR_NOT_PERMITTED) } else { Ok(()) }
}

/// The null stream of the current context.
pub(crate) fn null() -> Answer<Target> {
    refuse_in_host_function()?;
    let life = stack::current_life()?;
    Ok(Target { queue: life.null_queue(), life, flags: 0, priority: 0 })
}

/// The created stream of a handle: 400 for what never was one, 709 if it or its context was
/// destroyed (F42).
fn find(handle: usize) -> Answer<Arc<Stream>> {
    let streams = &state().streams;
    let Some(stream) = streams.get(handle) else {
        let was = streams.knew(handle);
        return Err(if was { CUDA_ERROR_CONTEXT_IS_DESTROYED } else { CUDA_ERROR_INVALID_HANDLE });
    };
    stream.life.check()?;
    Ok(stream)
}

/// What a stream handle stands for; 201 for a default stream with no context current (F31).
pub(crate) fn target(handle: CUstream) -> Answer<Target> {
    match handle.addr() {
        0 | LEGACY => null(),
        PER_THREAD => {
            refuse_in_host_function()?;
            let life = stack::current_life()?;
            if life.is_green() {
                return Err(CUDA_ERROR_INVALID_HANDLE); // F133
            }
            Ok(Target { queue: life.thread_queue(), life, flags: 0, priority: 0 })
        }
        handle => {
            let stream = find(handle)?;
            let (life, queue) = (stream.life.clone(), stream.queue.clone());
            Ok(Target { life, queue, flags: stream.flags, priority: stream.priority })
        }
    }
}

/// Unknown flags are INVALID_VALUE (F68).
pub(crate) fn check_flags(flags: c_uint) -> Answer {
    CUstream_flags::from_bits(flags).map(|_| ()).ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// Creates a stream; its flags are known ones.
pub(crate) fn create(to: *mut CUstream, life: Arc<Life>, flags: c_uint, priority: c_int) -> Answer {
    let free = flags & CUstream_flags::CU_STREAM_NON_BLOCKING.bits() != 0;
    let queue = life.new_queue(if free { Kind::NonBlocking } else { Kind::Blocking });
    let priority = priority::clamped(priority);
    let (handle, _) = state().streams.insert(|_| Stream { life, queue, flags, priority });
    entry::write(to, std::ptr::without_provenance_mut(handle))
}

thread_local! {
    /// The capture mode of the thread.
    static CAPTURE_MODE: Cell<CUstreamCaptureMode> =
        const { Cell::new(CU_STREAM_CAPTURE_MODE_GLOBAL) };
}

driver! {
    /// Creates a stream in the current context; unknown flags are INVALID_VALUE (F68).
    fn cuStreamCreate(phStream: *mut CUstream, Flags: c_uint) {
        entry::wanted(phStream)?;
        check_flags(Flags)?;
        create(phStream, stack::current_life()?, Flags, 0)
    }
    /// Destroys a stream at once; its work still finishes (F51).
    fn cuStreamDestroy_v2(hStream: CUstream) {
        let _known = find(hStream.addr())?;
        let stream = state().streams.remove(hStream.addr());
        stream.ok_or(CUDA_ERROR_CONTEXT_IS_DESTROYED)?.queue.close();
        Ok(())
    }
    /// Waits for a stream (F37).
    fn cuStreamSynchronize(hStream: CUstream) {
        let target = target(hStream)?;
        target.life.pending(&target.queue).iter().try_for_each(|ticket| ticket.wait())
    }
    /// Whether a stream is finished.
    fn cuStreamQuery(hStream: CUstream) {
        let target = target(hStream)?;
        target.life.pending(&target.queue).iter().try_for_each(|ticket| ticket.query())
    }
    /// The flags.
    fn cuStreamGetFlags(hStream: CUstream, flags: *mut c_uint) {
        entry::write(flags, target(hStream)?.flags)
    }
    /// The context.
    fn cuStreamGetCtx(hStream: CUstream, pctx: *mut CUcontext) {
        entry::write(pctx, target(hStream)?.life.context_handle())
    }
    /// Makes what comes next wait for an event, also one of another context (F36, F82).
    fn cuStreamWaitEvent(hStream: CUstream, hEvent: CUevent, Flags: c_uint) {
        let target = target(hStream)?;
        let event = event::find(hEvent)?;
        match Flags {
            0 => {}
            1 => return Err(CUDA_ERROR_ILLEGAL_STATE), // only in a capture
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
        if let Some(ticket) = event.recorded().filter(|ticket| !ticket.done()) {
            target.life.submit(&target.queue, vec![ticket], Box::new(|| Ok(())))?;
        }
        Ok(())
    }
    /// Swaps the calling thread's capture mode; the driver takes any value.
    fn cuThreadExchangeStreamCaptureMode(mode: *mut CUstreamCaptureMode) {
        let new = entry::read(mode)?;
        entry::write(mode, CAPTURE_MODE.replace(new))
    }
}
