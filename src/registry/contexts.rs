//! The contexts that this crate knows and has not ended.

use super::entries::Entry;
use crate::call::fault;
use crate::device::Device;
use crate::driver::fork;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One owner of a context: each retain of a primary context is one.
struct Known {
    /// What the logs of threads have while it is pushed.
    entry: Entry,
    /// The address of the handle.
    raw: usize,
    fails_with: FailsWith,
    /// Whether it is still used: not so if it only stays because it is on a stack.
    in_use: bool,
}

/// Contexts that a fault stops together: the primary context of a device and the green contexts made from it are
/// one to the driver (F130, F327).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailsWith {
    PrimaryOf(Device),
    Itself(usize),
}

struct Registry {
    known: Vec<Known>,
    /// How many owners there were.
    owners: usize,
}
static REGISTRY: Mutex<Registry> = Mutex::new(Registry { known: Vec::new(), owners: 0 });

/// Whether there ever was a green context.
static GREEN: AtomicBool = AtomicBool::new(false);

/// No code of the program runs while this is held.
fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The entry of a new owner: no other one has it, not even another owner of the same context.
pub(crate) fn entry_for(raw: usize, fails_with: FailsWith) -> Entry {
    let registry = &mut *registry();
    let entry = Entry::numbered(registry.owners);
    registry.owners += 1;
    registry.known.push(Known { entry, raw, fails_with, in_use: true });
    entry
}

/// There is a green context from now on, or there was one.
pub(crate) fn has_green() {
    GREEN.store(true, Ordering::Relaxed);
}

/// The owner is gone, and so not on a stack. Behind a fault it is kept in mind, as it may be the one that faulted.
pub(crate) fn forget(entry: Entry) {
    // A lock that another thread held at a fork is never opened in the child.
    if !fork::is_child() && !fault::is_seen() {
        remove(entry);
    }
}

fn remove(entry: Entry) {
    registry().known.retain(|known| known.entry != entry);
}

/// Nobody uses the context any more, but it stays, as it is on a stack. Behind a fault, as for [`forget`].
pub(crate) fn only_stays(entry: Entry) {
    registry()
        .known
        .iter_mut()
        .filter(|known| known.entry == entry)
        .for_each(|known| known.in_use = false);
}

/// The address of the handle of an owner that is not gone.
pub(crate) fn raw_of(entry: Entry) -> Option<usize> {
    registry().known.iter().find(|known| known.entry == entry).map(|known| known.raw)
}

/// Whether green contexts may be among those that end: their work goes on behind their end (F134).
pub(crate) fn may_be_green() -> bool {
    GREEN.load(Ordering::Relaxed)
}

/// Whether no fault of another context can be what the driver reported in the context with this handle: as far
/// as this crate knows, there is no other one, and no other primary context is active.
pub(crate) fn is_alone(raw: usize) -> bool {
    let own = {
        let known = &registry().known;
        let Some(own) = known.iter().find(|known| known.raw == raw) else { return false };
        let together =
            |other: &Known| other.raw == raw || other.fails_with == own.fails_with || !other.in_use;
        if !known.iter().all(together) {
            return false;
        }
        own.fails_with
    };
    let Ok(devices) = Device::all() else { return false };
    let active = |device: Device| device.primary_context_state().map_or(true, |state| state.active);
    devices.into_iter().all(|device| own == FailsWith::PrimaryOf(device) || !active(device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_owners_of_one_context_have_two_entries() {
        let new = || entry_for(0xd000, FailsWith::Itself(0xd000));
        let (first, second) = (new(), new());
        assert!(first != second);
        remove(first);
        assert_eq!((raw_of(first), raw_of(second)), (None, Some(0xd000)));
        remove(second);
        let third = new();
        assert!(raw_of(second).is_none() && third != second);
        remove(third);
    }
}
