//! Lists of streams whose work may still use something: the streams in which a graph may still run after the call that
//! replayed it, or a semaphore be used, and those that read shared memory.

use super::home::{Ended, Home};
use crate::driver::fork;
use crate::driver::release::is_for_later;
use crate::error::Result;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

/// Streams whose work may still use something, each once.
///
/// A stream whose [`OrderedStream`](crate::OrderedStream) is gone and that is idle uses nothing any more. Each new stream
/// makes the list let go of those, so that it has no more streams than are alive or busy.
#[derive(Default)]
pub(super) struct Streams(Mutex<Vec<Arc<Home>>>);

impl Streams {
    #[inline]
    pub(super) fn none() -> Streams {
        Streams(Mutex::new(Vec::new()))
    }

    /// Returns whether the stream with this [key](Home::key) is in the list. While it is, no other stream has the key.
    #[inline]
    pub(super) fn has(&self, key: usize) -> bool {
        let all = fork::lock(&self.0);
        all.is_some_and(|all| all.iter().any(|one| one.key() == key))
    }

    /// Adds a stream. Returns whether it is new.
    #[inline]
    fn add(&self, home: &Arc<Home>) -> bool {
        // In the child of a fork nothing is enqueued.
        let Some(mut all) = fork::lock(&self.0) else { return false };
        let new = !all.iter().any(|one| Arc::ptr_eq(one, home));
        if new {
            all.push(home.clone());
        }
        new
    }

    /// Adds a stream. If it is new, lets go of those that use nothing any more.
    #[inline]
    pub(super) fn note(&self, home: &Arc<Home>) {
        if self.add(home) {
            self.let_go();
        }
    }

    /// Lets go of the streams whose ordered stream is gone and that are idle. Of a stream that cannot be asked, it does
    /// not.
    #[cold]
    #[inline]
    fn let_go(&self) {
        let Some(all) = fork::lock(&self.0) else { return };
        let mut idle: Vec<_> = all.iter().filter(|home| home.has_ended()).cloned().collect();
        drop(all);
        // They stay in the list while the driver is asked, as another thread or a hook may use it then.
        idle.retain(|home| home.is_idle() == Ok(true));
        if let Some(mut all) = fork::lock(&self.0).filter(|_| !idle.is_empty()) {
            all.retain(|one| !idle.iter().any(|home| Arc::ptr_eq(one, home)));
        }
        // The last owners end here, where nothing is locked.
        drop(idle);
    }

    /// Takes the streams out.
    #[inline]
    fn take(&self) -> Vec<Arc<Home>> {
        fork::lock(&self.0).map(|mut all| mem::take(&mut *all)).unwrap_or_default()
    }

    #[inline]
    pub(super) fn get_mut(&mut self) -> &mut Vec<Arc<Home>> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The [ordered streams](crate::OrderedStream) that may still run a graph, or use a semaphore. What changes or ends it
/// waits for them. Not locked during the waits: the hook of the driver's log may replay the graph.
#[derive(Default)]
pub(crate) struct InFlight(Streams);

impl InFlight {
    /// Notes that the graph is enqueued in a stream.
    #[inline]
    pub(crate) fn note(&self, home: &Arc<Home>) {
        self.0.note(home);
    }

    /// Returns whether no stream runs the graph any more.
    ///
    /// # Errors
    /// A sticky error: the graph may still run.
    #[inline]
    pub(crate) fn is_over(&self) -> Result<bool> {
        let mut over = Ok(true);
        for home in self.0.take() {
            let idle = if over.is_ok() { home.is_idle() } else { Ok(false) };
            if idle != Ok(true) {
                self.0.add(&home);
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
        self.wait_for(self.0.take())
    }

    /// [`settle`](Self::settle) without the lock.
    ///
    /// # Errors
    /// The errors of [`settle`](Self::settle).
    #[inline]
    pub(crate) fn settle_exclusive(&mut self) -> Result {
        let homes = self.0.get_mut();
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
            for home in &homes {
                self.0.add(home);
            }
        }
        waited
    }

    /// Waits for the same before the graph ends.
    #[inline]
    pub(crate) fn end(&self) -> Ended {
        let (homes, mut end) = (self.0.take(), Ended::Over);
        for home in &homes {
            let (waited, is_over) = home.wait_to_end();
            if !is_over && is_for_later(&waited) {
                for home in &homes {
                    self.0.add(home);
                }
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
