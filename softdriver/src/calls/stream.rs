//! The driver functions about [`stream`](crate::model::stream).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::memory::pool;
use crate::entry::Answer;
use crate::label::Label;
use crate::model::graph::node::Work;
use crate::model::life::Life;
use crate::model::stream::STREAMS;
use crate::model::stream::{Stream, find};
use crate::model::usable::target;
use crate::model::{capture, event, priority, stack};
use crate::queue::Kind;
use crate::{entry, print, sticky, sync};
use core::ffi::{c_int, c_uint};
use cuscope_sys::*;
use std::sync::Arc;

/// Unknown flags are INVALID_VALUE (F68).
pub(crate) fn check_flags(flags: c_uint) -> Answer {
    CUstream_flags::from_bits(flags).map(|_| ()).ok_or(CUDA_ERROR_INVALID_VALUE)
}

/// Creates a stream; its flags are known ones.
pub(crate) fn create(to: *mut CUstream, life: Arc<Life>, flags: c_uint, priority: c_int) -> Answer {
    let free = flags & CUstream_flags::CU_STREAM_NON_BLOCKING.bits() != 0;
    let queue = life.new_queue(if free { Kind::NonBlocking } else { Kind::Blocking });
    sync::lock(&queue.attributes).priority = priority::clamped(priority);
    let (handle, _) = STREAMS.insert(|_| Stream { life, queue, flags });
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
        let stream = STREAMS.remove(hStream.addr());
        let stream = stream.ok_or(CUDA_ERROR_CONTEXT_IS_DESTROYED)?;
        // Closed first, so that no capture begins after the look.
        stream.queue.close();
        capture::forget(&stream.queue);
        sticky::find_out();
        Ok(())
    }
    /// Waits for a stream (F37), not for one under capture (F103).
    fn cuStreamSynchronize(hStream: CUstream) [host_fn, zero_is_current(0), looks_first] {
        let target = target(hStream)?;
        crate::calls::capture::refuse(&target)?;
        capture::check_unsafe()?;
        target.life.home().check_work()?;
        target.life.pending(&target.queue).iter().try_for_each(|ticket| ticket.wait())?;
        // Work that ended before anybody waited has printed too.
        print::flush();
        pool::settle();
        Ok(())
    }
    /// Whether a stream is finished.
    fn cuStreamQuery(hStream: CUstream) [host_fn, zero_is_current(0), looks_first] {
        let target = target(hStream)?;
        crate::calls::capture::refuse(&target)?;
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
        crate::calls::capture::refuse(&target)?;
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
            return crate::calls::capture::wait(&target, &mark);
        }
        if captured {
            event.refuse_shared().inspect_err(|_| capture::spoil(&target))?;
        }
        if captured && external {
            return capture::add(&target, Work::Wait(event, hEvent.addr()));
        }
        if let Some(elsewhere) = event.elsewhere() {
            return crate::calls::event::wait_elsewhere(&target, &event, elsewhere);
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
