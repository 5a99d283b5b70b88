//! Streams.
#![allow(unsafe_code, reason = "exported functions")]

use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::graph::Work;
use crate::life::Life;
use crate::memory::pool;
use crate::queue::{Kind, Queue, Ticket};
use crate::schedule::Label;
use crate::{capture, event, per_thread, print, priority, stack, sticky, sync};
use core::ffi::{c_int, c_uint};
use cuscope_sys::*;
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
}

/// What a stream handle stands for: a queue of a living context.
pub(crate) struct Target {
    pub(crate) life: Arc<Life>,
    pub(crate) queue: Arc<Queue>,
    flags: c_uint,
}

impl Target {
    /// Adds work.
    pub(crate) fn submit(
        &self,
        work: impl FnOnce() -> Answer + Send + 'static,
    ) -> Answer<Arc<Ticket>> {
        self.submit_as(Label::of_call(), work)
    }

    /// Adds work with a label.
    pub(crate) fn submit_as(
        &self,
        label: Label,
        work: impl FnOnce() -> Answer + Send + 'static,
    ) -> Answer<Arc<Ticket>> {
        self.life.submit(&self.queue, Vec::new(), label, Box::new(work))
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

/// The default stream of the current context, to use it; 906 if a capture forbids that (F143).
pub(crate) fn null() -> Answer<Target> {
    if per_thread::on() { look_up_per_thread() } else { legacy() }
}

/// The legacy default stream, in the same way.
fn legacy() -> Answer<Target> {
    let null = look_up_null()?;
    capture::refuse_legacy(&null.life)?;
    Ok(null)
}

/// The null stream of the current context.
fn look_up_null() -> Answer<Target> {
    entry::refuse_in_host_function()?;
    let life = sticky::check_found(stack::current_life())?;
    Ok(Target { queue: life.null_queue(), life, flags: 0 })
}

/// The calling thread's default stream of the current context.
fn look_up_per_thread() -> Answer<Target> {
    entry::refuse_in_host_function()?;
    let life = sticky::check_found(stack::current_life())?;
    if life.is_green() {
        return Err(CUDA_ERROR_INVALID_HANDLE); // F133
    }
    Ok(Target { queue: life.thread_queue(), life, flags: 0 })
}

/// The created stream of a handle: 400 for what never was one, 709 if it or its context was
/// destroyed (F42).
fn find(handle: usize) -> Answer<Arc<Stream>> {
    let streams = &state().streams;
    let Some(stream) = streams.get(handle) else {
        let was = streams.knew(handle);
        return Err(if was { CUDA_ERROR_CONTEXT_IS_DESTROYED } else { CUDA_ERROR_INVALID_HANDLE });
    };
    sticky::check_found(stream.life.check())?;
    Ok(stream)
}

/// What a stream handle stands for, to use it: as [`look_up`], and [`null`].
pub(crate) fn target(handle: CUstream) -> Answer<Target> {
    match handle.addr() {
        0 => null(),
        LEGACY => legacy(),
        _ => look_up(handle),
    }
}

/// What a stream handle stands for; 201 for a default stream with no context current (F31).
pub(crate) fn look_up(handle: CUstream) -> Answer<Target> {
    match handle.addr() {
        0 if per_thread::on() => look_up_per_thread(),
        0 | LEGACY => look_up_null(),
        PER_THREAD => look_up_per_thread(),
        handle => {
            let stream = find(handle)?;
            let (life, queue) = (stream.life.clone(), stream.queue.clone());
            Ok(Target { life, queue, flags: stream.flags })
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
    sync::lock(&queue.attributes).priority = priority::clamped(priority);
    let (handle, _) = state().streams.insert(|_| Stream { life, queue, flags });
    entry::write(to, std::ptr::without_provenance_mut(handle))
}

driver! {
    /// Creates a stream in the current context; unknown flags are INVALID_VALUE (F68).
    fn cuStreamCreate(phStream: *mut CUstream, Flags: c_uint) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        needs_current,
    ] {
        entry::wanted(phStream)?;
        check_flags(Flags)?;
        create(phStream, stack::current_life()?, Flags, 0)
    }
    /// Destroys a stream at once; its work still finishes (F51).
    fn cuStreamDestroy_v2(hStream: CUstream) [
        null(0) = CUDA_ERROR_INVALID_HANDLE,
        host_fn,
        looks_first,
    ] {
        let _known = find(hStream.addr())?;
        let stream = state().streams.remove(hStream.addr());
        let stream = stream.ok_or(CUDA_ERROR_CONTEXT_IS_DESTROYED)?;
        // Closed first, so that no capture begins behind the look.
        stream.queue.close();
        capture::forget(&stream.queue);
        sticky::find_out();
        Ok(())
    }
    /// Waits for a stream (F37), not for one under capture (F103).
    fn cuStreamSynchronize(hStream: CUstream) [host_fn, zero_is_current(0), looks_first] {
        let target = target(hStream)?;
        capture::refuse(&target)?;
        capture::check_unsafe()?;
        target.life.home().check_work()?;
        target.life.pending(&target.queue).iter().try_for_each(|ticket| ticket.wait())?;
        // What ended before anybody waited has printed too.
        print::flush();
        pool::settle();
        Ok(())
    }
    /// Whether a stream is finished.
    fn cuStreamQuery(hStream: CUstream) [host_fn, zero_is_current(0), looks_first] {
        let target = target(hStream)?;
        capture::refuse(&target)?;
        capture::check_unsafe()?;
        target.life.home().check_work()?;
        target.life.pending(&target.queue).iter().try_for_each(|ticket| ticket.query())
    }
    /// The flags, not of a stream under capture (F142).
    fn cuStreamGetFlags(hStream: CUstream, flags: *mut c_uint) [
        null(1) = CUDA_ERROR_INVALID_VALUE,
        host_fn,
        zero_is_current(0),
    ] {
        let target = target(hStream)?;
        capture::refuse(&target)?;
        entry::write(flags, target.flags)
    }
    /// The context.
    fn cuStreamGetCtx(hStream: CUstream, pctx: *mut CUcontext) [
        null(1) = CUDA_ERROR_INVALID_VALUE,
        host_fn,
        zero_is_current(0),
    ] {
        entry::write(pctx, target(hStream)?.life.context_handle())
    }
    /// Makes what comes next wait for an event, also one of another context (F36, F82). An event of a
    /// capture draws the stream in (F106); in a capture, others are waited for as external ones only.
    fn cuStreamWaitEvent(hStream: CUstream, hEvent: CUevent, Flags: c_uint) [
        host_fn,
        zero_is_current(0),
    ] {
        let target = target(hStream)?;
        let captured = capture::takes(&target)?;
        let event = event::find(hEvent).inspect_err(|_| capture::spoil(&target))?;
        let external = Flags == 1;
        match Flags {
            0 => {}
            1 if captured => {}
            1 => return Err(CUDA_ERROR_ILLEGAL_STATE),
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        }
        if let Some(mark) = event.mark() {
            return capture::wait(&target, &mark);
        }
        if captured {
            event.refuse_shared().inspect_err(|_| capture::spoil(&target))?;
        }
        if captured && external {
            return capture::add(&target, Work::Wait(event, hEvent.addr()));
        }
        if let Some(elsewhere) = event.elsewhere() {
            return event::wait_elsewhere(&target, &event, elsewhere);
        }
        let Some(ticket) = event.recorded() else { return Ok(()) };
        if captured {
            capture::spoil(&target);
            return Err(CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
        }
        if !ticket.over() {
            let label = Label::of_call();
            target.life.submit(&target.queue, vec![ticket], label, Box::new(|| Ok(())))?;
        }
        Ok(())
    }
}
