//! The contexts that this crate knows and has not released.

use super::entries::Entry;
use crate::call::fault;
use crate::device::Device;
use crate::driver::fork;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One owner of a context: each retain of a primary context is one.
struct Known {
    /// The entry that the logs of threads contain while it is pushed.
    entry: Entry,
    /// The address of the handle.
    raw: usize,
    fails_with: FailsWith,
    /// Whether it is still used. False if it stays only because it is on a stack.
    in_use: bool,
}

/// The contexts that a fault stops together. To the driver, the primary context of a device and the green
/// contexts made from it are one ([F130](crate::driver_facts#F130), [F327](crate::driver_facts#F327)).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailsWith {
    PrimaryOf(Device),
    Itself(usize),
}

struct Registry {
    known: Vec<Known>,
    /// The number of owners so far.
    owners: usize,
}
static REGISTRY: Mutex<Registry> = Mutex::new(Registry { known: Vec::new(), owners: 0 });

/// Whether a green context ever existed.
static GREEN: AtomicBool = AtomicBool::new(false);

/// No code of the program runs while this is held.
#[inline]
fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the entry of a new owner. No other owner has it, not even another owner of the same context.
#[inline]
pub(crate) fn entry_for(raw: usize, fails_with: FailsWith) -> Entry {
    let registry = &mut *registry();
    let entry = Entry::numbered(registry.owners);
    registry.owners += 1;
    registry.known.push(Known { entry, raw, fails_with, in_use: true });
    entry
}

/// There is a green context from now on, or there was one.
#[inline]
pub(crate) fn has_green() {
    GREEN.store(true, Ordering::Relaxed);
}

/// Forgets an owner that is gone, and so not on a stack. After a fault the owner is remembered, as its context
/// may be the one that faulted.
#[inline]
pub(crate) fn forget(entry: Entry) {
    // A lock that another thread held at a fork is never opened in the child.
    if !fork::is_child() && !fault::is_seen() {
        remove(entry);
    }
}

#[inline]
fn remove(entry: Entry) {
    registry().known.retain(|known| known.entry != entry);
}

/// Notes that nobody uses the context any more, but that it stays because it is on a stack. After a fault, as
/// for [`forget`].
#[inline]
pub(crate) fn only_stays(entry: Entry) {
    registry()
        .known
        .iter_mut()
        .filter(|known| known.entry == entry)
        .for_each(|known| known.in_use = false);
}

/// Returns the address of the handle of an owner that is not gone.
#[inline]
pub(crate) fn raw_of(entry: Entry) -> Option<usize> {
    registry().known.iter().find(|known| known.entry == entry).map(|known| known.raw)
}

/// Returns whether green contexts may be among those that are destroyed. Their work goes on after their
/// destruction ([F134](crate::driver_facts#F134)).
#[inline]
pub(crate) fn may_be_green() -> bool {
    GREEN.load(Ordering::Relaxed)
}

/// Returns whether no other context can have caused the fault that the driver reported in the context with this
/// handle: as far as this crate knows, there is no other context, and no other primary context is active.
#[inline]
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
    #[cfg_attr(miri, ignore = "Miri cannot fork")]
    #[cfg(all(unix, not(loom)))]
    fn in_the_child_of_a_fork_the_contexts_are_not_waited_for() {
        let entry = entry_for(0xe000, FailsWith::Itself(0xe000));
        let held = registry();
        assert!(fork::is_true_in_child(|| {
            forget(entry);
            true
        }));
        drop(held);
        remove(entry);
    }

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
