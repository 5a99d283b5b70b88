//! Where a thread notes an entry, and looks whether there is one: what every push and pop does.
#![allow(unsafe_code, reason = "goes from a slot to the one behind it")]

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What a slot can hold: the number of what ends the context that was pushed, to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry(usize);

impl Entry {
    /// Nothing.
    pub(super) const FREE: Entry = Entry(0);
    /// Where a `reentrant` call began, no context: an open one, and one that ended while entries above it
    /// could not be popped.
    pub(super) const OPEN: Entry = Entry(1);
    pub(super) const CLOSED: Entry = Entry(2);
    /// What lies behind the last slot of a chunk.
    const FULL: Entry = Entry(3);

    /// The one for what has this number, of all in the process.
    pub(super) fn numbered(number: usize) -> Entry {
        Entry(Entry::FULL.0 + 1 + number)
    }
}

/// Room for one entry. One thread writes it, all may read it.
pub(super) struct Slot(AtomicUsize);

impl Slot {
    const fn new(Entry(value): Entry) -> Self {
        Slot(AtomicUsize::new(value))
    }

    #[inline]
    pub(super) fn set(&self, Entry(value): Entry) {
        self.0.store(value, Relaxed);
    }

    pub(super) fn get(&self) -> Entry {
        Entry(self.0.load(Relaxed))
    }
}

/// Slots of one thread, lowest entries first. What is behind the last of them is in another chunk; in its place
/// here is one that is never free, so that whoever comes there takes the long way.
pub(super) struct Chunk([Slot; Chunk::LEN + 1]);

impl Chunk {
    pub(super) const LEN: usize = 16;

    pub(super) fn new() -> Self {
        Chunk(std::array::from_fn(|at| {
            Slot::new(if at == Chunk::LEN { Entry::FULL } else { Entry::FREE })
        }))
    }

    pub(super) fn slots(&self) -> &[Slot] {
        &self.0[..Chunk::LEN]
    }

    /// What is in them.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        self.slots().iter().map(Slot::get).take_while(|entry| *entry != Entry::FREE)
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
const _: () = assert!(size_of::<Slot>() == size_of::<usize>());

/// A slot of a chunk, and not what is behind its last one.
#[derive(Clone, Copy)]
pub(super) struct Slotted(*const Slot);

// SAFETY: what has a place or a slot of a thread is tied to that by `NotSend`, or a thread-local: none goes to
// another one. Saying it here too would only make the compiler name two reasons.
unsafe impl Send for Place {}
// SAFETY: as for `Send`.
unsafe impl Sync for Place {}
// SAFETY: as for `Place`.
unsafe impl Send for Slotted {}
// SAFETY: as for `Place`.
unsafe impl Sync for Slotted {}

impl Place {
    /// The slot, if nothing is recorded there, nor above, a `reentrant` call neither; and if it is one.
    #[inline]
    pub(super) fn free(self) -> Option<Slotted> {
        // SAFETY: it points to an element of a chunk, which lives for ever. Not atomic, so that it is one
        // instruction to compare: this thread alone writes the chunk, so nothing races with a read of its own.
        let value = unsafe { self.0.cast::<usize>().read() };
        // What is behind the last slot is never free.
        (value == Entry::FREE.0).then_some(Slotted(self.0))
    }
}

impl Slotted {
    #[inline]
    pub(super) fn set(self, entry: Entry) {
        // SAFETY: it points to an element of a chunk, which lives for ever.
        unsafe { &*self.0 }.set(entry);
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
}
