//! Access of a context to the memory of one on another device (F80–F86, F256, F343).

use crate::model::life::Life;
use crate::sync;
use std::sync::{Arc, RwLock, Weak};

/// Who has access to memory of other devices.
pub(crate) static PEERS: Peers = Peers(RwLock::new(Vec::new()));

/// The accesses that are enabled: from a context, to one. Those of an ended one count no more.
pub(crate) struct Peers(RwLock<Vec<(Weak<Life>, Weak<Life>)>>);

/// Whether a weak reference is to a life, which goes on.
fn is(one: &Weak<Life>, life: &Life) -> bool {
    std::ptr::eq(one.as_ptr(), life) && life.alive()
}

impl Peers {
    /// Whether the context `from` has access to memory of the context `to`.
    pub(crate) fn enabled(&self, from: &Life, to: &Life) -> bool {
        sync::read(&self.0).iter().any(|(a, b)| is(a, from) && is(b, to))
    }

    /// Whether some context of a device has access to memory of the context `to`: kernels of all have.
    pub(crate) fn reaches(&self, device: usize, to: &Life) -> bool {
        let on_it = |one: &Weak<Life>| {
            one.upgrade().is_some_and(|life| life.device == device && life.alive())
        };
        let all = sync::read(&self.0);
        !all.is_empty() && all.iter().any(|(a, b)| is(b, to) && on_it(a))
    }

    /// Adds an access; false if it is there.
    pub(crate) fn enable(&self, from: &Arc<Life>, to: &Arc<Life>) -> bool {
        let mut all = sync::write(&self.0);
        all.retain(|(a, b)| {
            let alive = |one: &Weak<Life>| one.upgrade().is_some_and(|life| life.alive());
            alive(a) && alive(b)
        });
        if all.iter().any(|(a, b)| is(a, from) && is(b, to)) {
            return false;
        }
        all.push((Arc::downgrade(from), Arc::downgrade(to)));
        true
    }

    /// Ends an access; false if there is none.
    pub(crate) fn disable(&self, from: &Life, to: &Life) -> bool {
        let mut all = sync::write(&self.0);
        let before = all.len();
        all.retain(|(a, b)| !(is(a, from) && is(b, to)));
        all.len() < before
    }
}
