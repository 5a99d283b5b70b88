//! Events after operations of a scope.
#![allow(unsafe_code, reason = "calls the driver")]

use crate::call::answer;
use crate::context::Context;
use crate::error::Result;
use crate::event::{EventFlags, EventInner};
use crate::memory::uses::OrderEvent;
use ffi::{CUevent, CUstream};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// The events of a scope. They are created when needed, reused, and destroyed with the scope.
#[derive(Default)]
pub(super) struct OrderEvents {
    events: Vec<EventInner>,
    /// The events that no operation refers to, once there are any. A wait that was enqueued for one of them is
    /// not affected by its reuse.
    free: OnceCell<Rc<RefCell<Vec<usize>>>>,
}

impl OrderEvents {
    /// Records an event in a stream of this context, which holds `covers` operations and has waited for those in
    /// `behind`.
    ///
    /// # Errors
    /// A driver error; if an event has to be created, those of a push.
    #[inline]
    pub(super) fn record(
        &mut self,
        context: &Context,
        stream: CUstream,
        covers: u64,
        behind: Vec<u64>,
    ) -> Result<OrderEvent> {
        let free = self.free.get_or_init(Rc::default).clone();
        let pooled = free.borrow().iter().rposition(|&free| self.events[free].context() == context);
        let event = match pooled {
            Some(place) => free.borrow_mut().swap_remove(place),
            None => {
                self.events.push(EventInner::create_in(context, EventFlags::DISABLE_TIMING)?);
                self.events.len() - 1
            }
        };
        let order_event = OrderEvent::new(event, covers, behind, free);
        // SAFETY: both handles are alive and belong to this context (F36), which need not be current (F37).
        unsafe { answer!(cuEventRecord(self.event(&order_event), stream)) }.check()?;
        Ok(order_event)
    }

    #[inline]
    pub(super) fn event(&self, order_event: &OrderEvent) -> CUevent {
        self.events[order_event.event()].raw()
    }
}
