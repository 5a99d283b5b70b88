//! Where a thread notes an entry, and looks whether there is one: what every push and pop does.
#![allow(unsafe_code, reason = "goes from a slot to the one behind it")]

use crate::Context;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What a slot can hold: addresses, to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The driver's handle of a context that was pushed.
    pub(super) raw: usize,
    /// What ends it: a primary context that is retained twice has two owners.
    pub(super) owner: usize,
}

impl Entry {
    /// Nothing.
    pub(super) const FREE: Entry = Entry { raw: 0, owner: 0 };
    /// Where a `reentrant` call began, no context: an open one, and one that ended while entries above it
    /// could not be popped.
    pub(super) const OPEN: Entry = Entry { raw: 0, owner: 1 };
    pub(super) const CLOSED: Entry = Entry { raw: 0, owner: 2 };
}

/// Room for one entry. One thread writes it, all may read it.
pub(super) struct Slot {
    raw: AtomicUsize,
    owner: AtomicUsize,
}

impl Slot {
    const fn new(Entry { raw, owner }: Entry) -> Self {
        Slot { raw: AtomicUsize::new(raw), owner: AtomicUsize::new(owner) }
    }

    #[inline]
    pub(super) fn set(&self, entry: Entry) {
        self.raw.store(entry.raw, Relaxed);
        self.owner.store(entry.owner, Relaxed);
    }

    pub(super) fn get(&self) -> Entry {
        Entry { raw: self.raw.load(Relaxed), owner: self.owner.load(Relaxed) }
    }

    #[inline]
    fn is_free(&self) -> bool {
        self.owner.load(Relaxed) == Entry::FREE.owner
    }
}

/// Slots of one thread, lowest entries first. What is behind the last of them is in another chunk; in its place
/// here is one that is never free, so that whoever comes there takes the long way.
pub(super) struct Chunk([Slot; Chunk::LEN + 1]);

impl Chunk {
    pub(super) const LEN: usize = 16;

    pub(super) fn new() -> Self {
        let full = Entry { raw: 0, owner: usize::MAX };
        Chunk(std::array::from_fn(|at| {
            Slot::new(if at == Chunk::LEN { full } else { Entry::FREE })
        }))
    }

    pub(super) fn slots(&self) -> &[Slot] {
        &self.0[..Chunk::LEN]
    }

    /// What is in them.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        let all = self.slots().iter().map(Slot::get);
        all.take_while(|entry| entry.owner != Entry::FREE.owner)
    }

    /// The one of this number.
    pub(super) fn slot(&'static self, at: usize) -> Option<Slotted> {
        // Of the whole, so that it may be moved on to the next one.
        let first: *const Slot = self.0.as_ptr();
        (at < Chunk::LEN).then(|| Slotted(first.wrapping_add(at)))
    }

    /// The number of a place, up to that behind the last slot.
    pub(super) fn number(&self, place: Place) -> Option<usize> {
        self.0.iter().position(|slot| std::ptr::eq(slot, place.0))
    }
}

/// A place in the record of the thread: the slot of what is pushed on top, or what is behind the last one of a
/// chunk. Chunks live for ever.
#[derive(Clone, Copy)]
pub(super) struct Place(*const Slot);

/// A slot of a chunk, and not what is behind its last one.
#[derive(Clone, Copy)]
pub(super) struct Slotted(*const Slot);

impl Place {
    /// The slot, if nothing is recorded there, nor above, a `reentrant` call neither; and if it is one.
    #[inline]
    pub(super) fn free(self) -> Option<Slotted> {
        // SAFETY: it points to an element of a chunk, which lives for ever.
        let slot = unsafe { &*self.0 };
        // What is behind the last slot is never free.
        slot.is_free().then_some(Slotted(self.0))
    }
}

impl Slotted {
    #[inline]
    fn slot(self) -> &'static Slot {
        // SAFETY: it points to an element of a chunk, which lives for ever.
        unsafe { &*self.0 }
    }

    /// The place of an entry here.
    #[inline]
    pub(super) fn place(self) -> Place {
        Place(self.0)
    }

    /// The place of what is pushed on top of an entry here.
    #[inline]
    pub(super) fn above(self) -> Place {
        // SAFETY: this points to a slot of a chunk, into the array as a whole, and behind each slot the array
        // has one more element.
        Place(unsafe { self.0.add(1) })
    }

    /// Notes a context that was pushed.
    #[inline]
    pub(super) fn note(self, context: &Context) {
        self.slot().set(Entry { raw: context.key(), owner: context.owner() });
    }

    /// The entry is gone.
    #[inline]
    pub(super) fn clear(self) {
        self.slot().owner.store(Entry::FREE.owner, Relaxed);
    }
}
