//! The streams in which a graph may still run after the call that replayed it, or a semaphore be used.

use super::home::{Ended, Home};
use crate::driver::fork;
use crate::driver::release::is_for_later;
use crate::error::Result;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

/// The [ordered streams](crate::OrderedStream) that may still run a graph, or use a semaphore. What changes or ends it
/// waits for them. Not locked during the waits: the hook of the driver's log may replay the graph.
#[derive(Default)]
pub(crate) struct InFlight(Mutex<Vec<Arc<Home>>>);

impl InFlight {
    /// Notes that the graph is enqueued in a stream.
    #[inline]
    pub(crate) fn note(&self, home: &Arc<Home>) {
        // In the child of a fork nothing is enqueued.
        let Some(mut homes) = fork::lock(&self.0) else { return };
        if !homes.iter().any(|other| Arc::ptr_eq(other, home)) {
            homes.push(home.clone());
        }
    }

    /// Takes the streams out.
    #[inline]
    fn take(&self) -> Vec<Arc<Home>> {
        fork::lock(&self.0).map(|mut homes| mem::take(&mut *homes)).unwrap_or_default()
    }

    /// Returns whether no stream runs the graph any more.
    ///
    /// # Errors
    /// A sticky error: the graph may still run.
    #[inline]
    pub(crate) fn is_over(&self) -> Result<bool> {
        let mut over = Ok(true);
        for home in self.take() {
            let idle = if over.is_ok() { home.is_idle() } else { Ok(false) };
            if idle != Ok(true) {
                self.note(&home);
                over = over.and(idle);
            }
        }
        over
    }

    /// Waits until no stream runs the graph any more.
    ///
    /// # Errors
    /// A sticky error: the graph may still run.
    #[inline]
    pub(crate) fn settle(&self) -> Result {
        self.wait_for(self.take())
    }

    /// [`settle`](Self::settle) without the lock.
    ///
    /// # Errors
    /// The errors of [`settle`](Self::settle).
    #[inline]
    pub(crate) fn settle_exclusive(&mut self) -> Result {
        let homes = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        if homes.is_empty() {
            return Ok(());
        }
        let homes = mem::take(homes);
        self.wait_for(homes)
    }

    /// Apart, so that graphs that no ordered stream runs are changed quickly.
    #[cold]
    fn wait_for(&self, homes: Vec<Arc<Home>>) -> Result {
        let waited = homes.iter().try_for_each(|home| home.synchronize());
        if waited.is_err() {
            homes.iter().for_each(|home| self.note(home));
        }
        waited
    }

    /// Waits for the same before the graph ends.
    #[inline]
    pub(crate) fn end(&self) -> Ended {
        let (homes, mut end) = (self.take(), Ended::Over);
        for home in &homes {
            let (waited, is_over) = home.wait_to_end();
            if !is_over && is_for_later(&waited) {
                homes.iter().for_each(|home| self.note(home));
                return Ended::NotNow;
            }
            if !is_over {
                end = Ended::Unknown;
            }
            if let Err(error) = waited {
                home.report(error);
            }
        }
        end
    }
}
