//! Events.

use crate::entry::Answer;
use crate::model::ipc::Counts;
use crate::model::life::Life;
use crate::queue::Ticket;
use crate::registry::Registry;
use crate::{sticky, sync};
use cuscope_sys::*;
use std::sync::LazyLock;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

/// Events, those of destroyed contexts included (F42).
pub(crate) static EVENTS: LazyLock<Registry<Event>> = LazyLock::new(|| Registry::new(0x43));

/// An event.
pub(crate) struct Event {
    pub(crate) life: Arc<Life>,
    pub(crate) flags: CUevent_flags,
    pub(crate) recorded: Mutex<Recorded>,
    /// Of an event that other processes may have too.
    pub(crate) counts: Option<Arc<Counts>>,
}

/// The last record of an event.
#[derive(Clone, Default)]
pub(crate) enum Recorded {
    #[default]
    Nothing,
    /// Work, with its completion.
    Work(Arc<Ticket>),
    /// A node of a graph, with the completion of the launch, and when it ran.
    Node(Arc<Ticket>, Stamp),
    /// Nodes of a capture.
    Captured(Mark),
}

/// The mark that a record in a stream under capture leaves in the event.
#[derive(Clone)]
pub(crate) struct Mark {
    /// The id of the capture.
    pub(crate) capture: u64,
    /// The nodes that whoever waits comes after.
    pub(crate) after: Vec<usize>,
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

    /// Returns the last record, if that is in a capture.
    pub(crate) fn mark(&self) -> Option<Mark> {
        match &*sync::lock(&self.recorded) {
            Recorded::Captured(mark) => Some(mark.clone()),
            _ => None,
        }
    }

    /// Returns the counter that other processes wait for too, and the number of its last record, unless its work has ended.
    pub(crate) fn elsewhere(&self) -> Option<(Arc<Counts>, u64)> {
        let counts = self.counts.clone()?;
        let last = counts.last();
        (!counts.reached(last)).then_some((counts, last))
    }

    /// NOT_SUPPORTED for one that other processes may have, where it stays in this one.
    pub(crate) fn refuse_shared(&self) -> Answer {
        if self.counts.is_some() { Err(CUDA_ERROR_NOT_SUPPORTED) } else { Ok(()) }
    }

    /// When what was recorded ended, if it did; 400 without a time (F65).
    pub(crate) fn timed(&self) -> Answer<Option<Instant>> {
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
    let event = EVENTS.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
    sticky::check_found(event.life.check())?;
    Ok(event)
}
