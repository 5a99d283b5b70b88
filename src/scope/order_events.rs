//! Events after operations of a scope.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::answer;
use crate::error::Result;
use crate::event::{EventFlags, EventInner};
use crate::memory::uses::OrderEvent;
use crate::stack::PushedGuard;
use ffi::{CUevent, CUstream};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// A guard, whatever its brand: it creates events in its context.
pub(crate) trait EventSource {
    /// # Errors
    /// `NotCurrent`; a driver error.
    fn order_event(&self) -> Result<Arc<EventInner>>;
}

impl EventSource for PushedGuard<'_> {
    fn order_event(&self) -> Result<Arc<EventInner>> {
        Ok(self.event_with(EventFlags::DISABLE_TIMING)?.inner)
    }
}

/// The events of a scope. They are created when needed, reused, and destroyed with the scope.
#[derive(Default)]
pub(super) struct OrderEvents {
    events: Vec<Arc<EventInner>>,
    /// The events that no operation refers to, once there are any. A wait that was enqueued for one of them is
    /// not affected by its reuse.
    free: OnceCell<Rc<RefCell<Vec<usize>>>>,
}

impl OrderEvents {
    /// Records an event in a stream that holds `covers` operations and has waited for those in `behind`.
    ///
    /// # Errors
    /// `NotCurrent` if an event has to be created and the guard's context is not current; a driver error.
    pub(super) fn record(
        &mut self,
        gpu: &dyn EventSource,
        stream: CUstream,
        covers: u64,
        behind: Vec<u64>,
    ) -> Result<OrderEvent> {
        let free = self.free.get_or_init(Rc::default).clone();
        let pooled = free.borrow_mut().pop();
        let event = match pooled {
            Some(event) => event,
            None => {
                self.events.push(gpu.order_event()?);
                self.events.len() - 1
            }
        };
        let order_event = OrderEvent::new(event, covers, behind, free);
        // SAFETY: both handles are alive, and of the guard's context, which need not be current (F37).
        unsafe { answer!(cuEventRecord(self.event(&order_event), stream)) }.check()?;
        Ok(order_event)
    }

    pub(super) fn event(&self, order_event: &OrderEvent) -> CUevent {
        self.events[order_event.event()].raw()
    }
}
