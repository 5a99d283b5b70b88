//! Events.
#![allow(unsafe_code, reason = "exported functions")]

use crate::capture::{self, Mark};
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::ipc::Counts;
use crate::life::Life;
use crate::memory::pool;
use crate::queue::Ticket;
use crate::schedule::{Class, Label};
use crate::stream::Target;
use crate::{domain, stack, sticky, stream, sync};
use core::ffi::{c_float, c_uint};
use cuscope_sys::*;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// How often it is asked whether another process has come as far.
const GLANCE: Duration = Duration::from_micros(50);

/// An event.
pub(crate) struct Event {
    pub(crate) life: Arc<Life>,
    flags: CUevent_flags,
    recorded: Mutex<Recorded>,
    /// Of an event that other processes may have too.
    pub(crate) counts: Option<Arc<Counts>>,
}

/// What was recorded last.
#[derive(Clone, Default)]
enum Recorded {
    #[default]
    Nothing,
    /// Work, with its completion.
    Work(Arc<Ticket>),
    /// A node of a graph, with the completion of the launch, and when it ran.
    Node(Arc<Ticket>, Stamp),
    /// Nodes of a capture.
    Captured(Mark),
}

/// When a node that records an event ran.
#[derive(Clone, Default)]
pub(crate) struct Stamp(Arc<OnceLock<Instant>>);

impl Stamp {
    /// It runs now.
    pub(crate) fn set(&self) {
        let _first = self.0.set(Instant::now());
    }
}

impl Event {
    /// Remembers a node of a launch as what was recorded.
    pub(crate) fn record_node(&self, launch: Arc<Ticket>, stamp: Stamp) {
        *sync::lock(&self.recorded) = Recorded::Node(launch, stamp);
    }

    /// Remembers the completion that `make` gives as what was recorded.
    pub(crate) fn record(&self, make: impl FnOnce() -> Answer<Arc<Ticket>>) -> Answer {
        // Held meanwhile, so that of two that record, the later one in the stream stays.
        let mut recorded = sync::lock(&self.recorded);
        *recorded = Recorded::Work(make()?);
        Ok(())
    }

    /// Whether it was made with a flag.
    pub(crate) fn has(&self, flag: CUevent_flags) -> bool {
        self.flags.contains(flag)
    }

    /// The completion of what was recorded last, if that is work.
    pub(crate) fn recorded(&self) -> Option<Arc<Ticket>> {
        match &*sync::lock(&self.recorded) {
            Recorded::Work(ticket) | Recorded::Node(ticket, _) => Some(ticket.clone()),
            _ => None,
        }
    }

    /// What was recorded last, if that is in a capture.
    pub(crate) fn mark(&self) -> Option<Mark> {
        match &*sync::lock(&self.recorded) {
            Recorded::Captured(mark) => Some(mark.clone()),
            _ => None,
        }
    }

    /// What other processes wait for too, and the number of its last record, unless the work of that has ended.
    pub(crate) fn elsewhere(&self) -> Option<(Arc<Counts>, u64)> {
        let counts = self.counts.clone()?;
        let last = counts.last();
        (!counts.reached(last)).then_some((counts, last))
    }

    /// NOT_SUPPORTED for one that other processes may have, where it stays in this one.
    pub(crate) fn refuse_shared(&self) -> Answer {
        if self.counts.is_some() { Err(CUDA_ERROR_NOT_SUPPORTED) } else { Ok(()) }
    }

    /// Whether it may be asked for its work: not in a capture (F144), nor where one forbids it.
    fn check_capture(&self) -> Answer {
        self.mark().map_or(Ok(()), |mark| Err(capture::captured_event(&mark, true)))?;
        capture::check_unsafe()
    }

    /// When what was recorded ended, if it did; 400 without a time (F65).
    fn timed(&self) -> Answer<Option<Instant>> {
        if self.flags.contains(CUevent_flags::CU_EVENT_DISABLE_TIMING) {
            return Err(CUDA_ERROR_INVALID_HANDLE);
        }
        match &*sync::lock(&self.recorded) {
            Recorded::Work(ticket) => Ok(ticket.at()),
            Recorded::Node(launch, stamp) => {
                Ok(launch.at().map(|end| stamp.0.get().copied().unwrap_or(end)))
            }
            Recorded::Nothing | Recorded::Captured(_) => Err(CUDA_ERROR_INVALID_HANDLE),
        }
    }
}

/// The event of a handle: 400 for what is none, 709 if its context was destroyed (F42).
pub(crate) fn find(handle: CUevent) -> Answer<Arc<Event>> {
    let event = state().events.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
    sticky::check_found(event.life.check())?;
    Ok(event)
}

/// Opens an event that another process created.
pub(crate) fn open(life: Arc<Life>, counts: Counts) -> CUevent {
    let flags = CUevent_flags::CU_EVENT_INTERPROCESS | CUevent_flags::CU_EVENT_DISABLE_TIMING;
    let event = Event { life, flags, recorded: Mutex::default(), counts: Some(Arc::new(counts)) };
    std::ptr::without_provenance_mut(state().events.insert(|_| event).0)
}

/// Records an event behind all that a life holds; only one at home there (F123). Not with a capture in it.
pub(crate) fn record_behind(life: &Life, handle: CUevent) -> Answer {
    let event = find(handle)?;
    if !life.shares(&event.life) {
        return Err(CUDA_ERROR_INVALID_HANDLE);
    }
    event.refuse_shared()?;
    capture::refuse_in(life)?;
    event.record(|| life.mark())
}

/// Makes all that comes next in a life wait for an event, of whatever context (F124). Not with a capture in it.
pub(crate) fn hold(life: &Life, handle: CUevent) -> Answer {
    let event = find(handle)?;
    event.refuse_shared()?;
    capture::refuse_in(life)?;
    match event.recorded().filter(|ticket| !ticket.over()) {
        Some(ticket) => life.hold_for(ticket),
        None => Ok(()),
    }
}

/// Records an event in a stream of its own context (F36).
fn record(event: CUevent, stream: CUstream) -> Answer {
    let event = find(event)?;
    let target = stream::target(stream)?;
    if !target.life.shares(&event.life) {
        return Err(CUDA_ERROR_INVALID_HANDLE);
    }
    record_in(&target, &event)
}

/// Records an event in a stream, which was found to be of its context.
pub(crate) fn record_in(target: &Target, event: &Event) -> Answer {
    if let Some(mark) = capture::mark(target)? {
        *sync::lock(&event.recorded) = Recorded::Captured(mark);
        return Ok(());
    }
    let Some(counts) = event.counts.clone() else {
        return event.record(|| target.submit_short(|| Ok(())));
    };
    event.record(|| {
        let record = counts.begin();
        target.submit_short(move || {
            counts.end(record);
            Ok(())
        })
    })
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
        let (handle, _) = state().events.insert(|_| event);
        entry::write(phEvent, std::ptr::without_provenance_mut(handle))
    }
    /// Destroys an event at once (F51).
    fn cuEventDestroy_v2(hEvent: CUevent) [
        null(0) = CUDA_ERROR_INVALID_HANDLE,
        host_fn,
        looks_first,
    ] {
        let _event = find(hEvent)?;
        state().events.remove(hEvent.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
        Ok(())
    }
    /// Records an event; on a stream of its own context only (F36).
    fn cuEventRecord(hEvent: CUevent, hStream: CUstream) [host_fn, zero_is_current(1)] {
        record(hEvent, hStream)
    }
    /// The same. In a capture, an event can be recorded as an external one: NOT_SUPPORTED here. Outside
    /// that is ILLEGAL_STATE, and other flags are INVALID_VALUE (F198).
    fn cuEventRecordWithFlags(hEvent: CUevent, hStream: CUstream, flags: c_uint) [host_fn] {
        let _event = find(hEvent)?;
        match flags {
            0 => record(hEvent, hStream),
            1 if capture::takes(&stream::target(hStream)?)? => Err(CUDA_ERROR_NOT_SUPPORTED),
            1 => Err(CUDA_ERROR_ILLEGAL_STATE),
            _ => Err(CUDA_ERROR_INVALID_VALUE),
        }
    }
    /// Whether what was recorded is finished; it is if nothing was (F65).
    fn cuEventQuery(hEvent: CUevent) [null(0) = CUDA_ERROR_INVALID_HANDLE, host_fn, looks_first] {
        let event = find(hEvent)?;
        event.check_capture()?;
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
        event.check_capture()?;
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
