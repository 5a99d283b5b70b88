//! The streams in which a graph may still run after the call that replayed it.

use crate::error::Result;
use crate::memory::home::Home;
use std::cell::RefCell;
use std::mem;
use std::sync::Arc;

/// The [ordered streams](crate::OrderedStream) that may still run a graph. What changes or ends the graph waits for
/// them.
#[derive(Default)]
pub(super) struct InFlight(RefCell<Vec<Arc<Home>>>);

impl InFlight {
    /// Notes that the graph is enqueued in a stream.
    pub(super) fn note(&self, home: &Arc<Home>) {
        let mut homes = self.0.borrow_mut();
        if !homes.iter().any(|other| Arc::ptr_eq(other, home)) {
            homes.push(home.clone());
        }
    }

    /// Waits until no stream runs the graph any more.
    ///
    /// # Errors
    /// A sticky error: the graph may still run.
    pub(super) fn settle(&self) -> Result {
        // Not borrowed during the waits: the hook of the driver's log may replay the graph.
        let homes = mem::take(&mut *self.0.borrow_mut());
        let waited = homes.iter().try_for_each(|home| home.synchronize());
        if waited.is_err() {
            homes.iter().for_each(|home| self.note(home));
        }
        waited
    }

    /// Waits for the same before the graph ends. Returns whether it certainly runs no more.
    pub(super) fn end(&mut self) -> bool {
        let mut over = true;
        for home in mem::take(self.0.get_mut()) {
            let (waited, is_over) = home.wait_to_end();
            over &= is_over;
            if let Err(error) = waited {
                home.report(error);
            }
        }
        over
    }
}
