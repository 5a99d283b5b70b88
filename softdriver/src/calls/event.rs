//! The driver functions about [`event`](crate::model::event).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::memory::pool;
use crate::calls::stack;
use crate::entry::Answer;
use crate::label::{Class, Label};
use crate::model::event::EVENTS;
use crate::model::event::{Event, find};
use crate::model::graph::node::Work;
use crate::model::ipc::Counts;
use crate::model::life::Life;
use crate::model::stream::Target;
use crate::model::{capture, usable};
use crate::{domain, entry, sticky};
use core::ffi::{c_float, c_uint};
use cuscope_sys::*;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// How often it is asked whether another process has come as far.
const GLANCE: Duration = Duration::from_micros(50);

/// Opens an event that another process created.
pub(crate) fn open(life: Arc<Life>, counts: Counts) -> CUevent {
    let flags = CUevent_flags::CU_EVENT_INTERPROCESS | CUevent_flags::CU_EVENT_DISABLE_TIMING;
    let event = Event { life, flags, recorded: Mutex::default(), counts: Some(Arc::new(counts)) };
    std::ptr::without_provenance_mut(EVENTS.insert(|_| event).0)
}

/// Records an event in a stream of its own context (F36).
fn record(event: CUevent, stream: CUstream) -> Answer {
    let event = find(event)?;
    let target = usable::target(stream)?;
    if !target.life.shares(&event.life) {
        return Err(CUDA_ERROR_INVALID_HANDLE);
    }
    capture::record_in(&target, &event)
}

/// Records an event after all that a life holds; only one at home there (F123). Not with a capture in it.
pub(crate) fn record_behind(life: &Life, handle: CUevent) -> Answer {
    let event = find(handle)?;
    if !life.shares(&event.life) {
        return Err(CUDA_ERROR_INVALID_HANDLE);
    }
    event.refuse_shared()?;
    crate::calls::capture::refuse_in(life)?;
    event.record(|| life.mark())
}

/// Makes all that comes next in a life wait for an event, of whatever context (F124). Not with a capture in it.
pub(crate) fn hold(life: &Life, handle: CUevent) -> Answer {
    let event = find(handle)?;
    event.refuse_shared()?;
    crate::calls::capture::refuse_in(life)?;
    match event.recorded().filter(|ticket| !ticket.over()) {
        Some(ticket) => life.hold_for(ticket),
        None => Ok(()),
    }
}

/// Makes what comes next in a stream wait for the work of another process.
pub(crate) fn wait_elsewhere(
    target: &Target,
    event: &Event,
    (counts, record): (Arc<Counts>, u64),
) -> Answer {
    let after = event.recorded().filter(|ticket| !ticket.over()).into_iter().collect();
    let label = Label::new(Class::Wait, || "wait for another process");
    let work = move || {
        while !counts.reached(record) && !domain::should_end() {
            thread::sleep(GLANCE);
        }
        Ok(())
    };
    target.life.submit(&target.queue, after, label, Box::new(work)).map(drop)
}

/// Captures a node that records an event of the context at each launch of the graph (F621). One of several processes is
/// not modelled.
fn record_external(target: &Target, event: Arc<Event>, handle: CUevent) -> Answer {
    if !capture::takes(target)? {
        return Err(CUDA_ERROR_ILLEGAL_STATE);
    }
    if !target.life.shares(&event.life) {
        return Err(CUDA_ERROR_INVALID_HANDLE);
    }
    event.refuse_shared()?;
    capture::add(target, Work::Record(event, handle.addr()))
}

/// Writes the milliseconds between two events of a context (F65).
fn elapsed(to: *mut c_float, start: CUevent, end: CUevent) -> Answer {
    let (start, end) = (find(start)?, find(end)?);
    if to.is_null() || !start.life.is(&end.life) {
        return Err(CUDA_ERROR_INVALID_HANDLE);
    }
    for event in [&start, &end] {
        event.mark().map_or(Ok(()), |mark| Err(capture::captured_event(&mark, false)))?;
    }
    let (Some(start), Some(end)) = (start.timed()?, end.timed()?) else {
        return Err(CUDA_ERROR_NOT_READY);
    };
    let seconds =
        if end >= start { (end - start).as_secs_f64() } else { -(start - end).as_secs_f64() };
    entry::write(to, (seconds * 1000.0) as c_float)
}

driver! {
    /// Creates an event in the current context.
    fn cuEventCreate(phEvent: *mut CUevent, Flags: c_uint) [needs_current] {
        let life = stack::current_home()?;
        entry::wanted(phEvent)?;
        let flags = CUevent_flags::from_bits(Flags).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let shared = flags.contains(CUevent_flags::CU_EVENT_INTERPROCESS);
        if shared && !flags.contains(CUevent_flags::CU_EVENT_DISABLE_TIMING) {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let counts = if shared { Counts::new()? } else { None };
        let event = Event { life, flags, recorded: Mutex::default(), counts };
        let (handle, _) = EVENTS.insert(|_| event);
        entry::write(phEvent, std::ptr::without_provenance_mut(handle))
    }
    /// Destroys an event at once (F51).
    fn cuEventDestroy_v2(hEvent: CUevent) [
        null(0) = CUDA_ERROR_INVALID_HANDLE,
        host_fn,
        looks_first,
    ] {
        let _event = find(hEvent)?;
        EVENTS.remove(hEvent.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        Ok(())
    }
    /// Records an event; on a stream of its own context only (F36).
    fn cuEventRecord(hEvent: CUevent, hStream: CUstream) [host_fn, zero_is_current(1)] {
        record(hEvent, hStream)
    }
    /// The same. In a capture, an event can be recorded as an external one, which is a node (F621). Outside
    /// that is ILLEGAL_STATE, and other flags are INVALID_VALUE (F198).
    fn cuEventRecordWithFlags(hEvent: CUevent, hStream: CUstream, flags: c_uint) [host_fn] {
        let event = find(hEvent)?;
        match flags {
            0 => record(hEvent, hStream),
            1 => record_external(&usable::target(hStream)?, event, hEvent),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    /// Whether what was recorded is finished; it is if nothing was (F65).
    fn cuEventQuery(hEvent: CUevent) [null(0) = CUDA_ERROR_INVALID_HANDLE, host_fn, looks_first] {
        let event = find(hEvent)?;
        capture::check_event(&event)?;
        event.life.check_work()?;
        event.recorded().map_or(Ok(()), |ticket| ticket.query())?;
        if event.elsewhere().is_some() { Err(CUDA_ERROR_NOT_READY) } else { Ok(()) }
    }
    /// Waits until what was recorded is finished.
    fn cuEventSynchronize(hEvent: CUevent) [
        null(0) = CUDA_ERROR_INVALID_HANDLE,
        host_fn,
        looks_first,
    ] {
        let event = find(hEvent)?;
        capture::check_event(&event)?;
        event.life.check_work()?;
        event.recorded().map_or(Ok(()), |ticket| ticket.wait())?;
        if let Some((counts, record)) = event.elsewhere() {
            while !counts.reached(record) && !sticky::faulted() {
                thread::sleep(GLANCE);
            }
        }
        pool::settle();
        Ok(())
    }
    /// Milliseconds between two events of a context (F65).
    fn cuEventElapsedTime(pMilliseconds: *mut c_float, hStart: CUevent, hEnd: CUevent) [
        null(0) = CUDA_ERROR_INVALID_HANDLE,
        null(1) = CUDA_ERROR_INVALID_HANDLE,
        null(2) = CUDA_ERROR_INVALID_HANDLE,
        host_fn,
    ] {
        elapsed(pMilliseconds, hStart, hEnd)
    }
    /// The same.
    fn cuEventElapsedTime_v2(pMilliseconds: *mut c_float, hStart: CUevent, hEnd: CUevent) [
        null(0) = CUDA_ERROR_INVALID_HANDLE,
        null(1) = CUDA_ERROR_INVALID_HANDLE,
        null(2) = CUDA_ERROR_INVALID_HANDLE,
        host_fn,
    ] {
        elapsed(pMilliseconds, hStart, hEnd)
    }
}
