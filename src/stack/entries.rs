//! What this crate pushed on each thread's stack, where all threads can see it: a context that is among it
//! is not ended (invariant `context-alive`).
//!
//! A guard borrows its context, so only an entry whose guard was leaked can be found there when a context
//! ends. Whoever leaked it did so before the context came to its end, and so the end sees the entry.

use super::slot::{Chunk, Entry, Place, Slot, Slotted};
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::{Mutex, MutexGuard, PoisonError};

struct Registry {
    /// Those of all threads that may have entries.
    used: Vec<&'static Chunk>,
    /// Those of threads that are gone, for others to come.
    free: Vec<&'static Chunk>,
    /// What may be on a stack where no record says so.
    stay: Vec<Entry>,
    /// The contexts by their entries: those that are not ended.
    contexts: Vec<(Entry, usize)>,
    /// How many there were.
    numbers: usize,
}
static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    used: Vec::new(),
    free: Vec::new(),
    stay: Vec::new(),
    contexts: Vec::new(),
    numbers: 0,
});

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is noted when a context is pushed that this owner has, of a handle with this address: no other one
/// has it, also of the same context.
pub(crate) fn entry_for(raw: usize) -> Entry {
    let registry = &mut *registry();
    let entry = Entry::numbered(registry.numbers);
    registry.numbers += 1;
    registry.contexts.push((entry, raw));
    entry
}

/// The owner is gone, and so not on a stack.
pub(crate) fn forget(entry: Entry) {
    registry().contexts.retain(|(other, _)| *other != entry);
}

/// The address of the handle.
pub(super) fn raw_of(entry: Entry) -> Option<usize> {
    registry().contexts.iter().find(|(other, _)| *other == entry).map(|(_, raw)| *raw)
}

/// Whether a context that nobody uses any more, with this entry, is on a stack all the same.
pub(crate) fn is_pushed(entry: Entry) -> bool {
    let registry = registry();
    let mut all = registry.used.iter().flat_map(|chunk| chunk.entries());
    registry.stay.contains(&entry) || all.any(|other| other == entry)
}

/// The entries of the calling thread, leaked ones included. An entry is told by how many lie below it.
pub(super) struct Entries(ManuallyDrop<RefCell<Vec<&'static Chunk>>>);

impl Entries {
    pub(super) const fn new() -> Self {
        Entries(ManuallyDrop::new(RefCell::new(Vec::new())))
    }

    /// Whether the thread has room for some: it may push.
    pub(super) fn has_room(&self) -> bool {
        !self.0.borrow().is_empty()
    }

    /// The slot of one, made if it is not there.
    pub(super) fn slot(&self, at: usize) -> Slotted {
        loop {
            let chunk = self.0.borrow().get(at / Chunk::LEN).copied();
            if let Some(slot) = chunk.and_then(|chunk| chunk.slot(at % Chunk::LEN)) {
                return slot;
            }
            let registry = &mut *registry();
            let chunk = registry.free.pop().unwrap_or_else(|| Box::leak(Box::new(Chunk::new())));
            registry.used.push(chunk);
            self.0.borrow_mut().push(chunk);
        }
    }

    /// How many lie below a place; more than there are if it is of another thread.
    pub(super) fn below(&self, place: Place) -> usize {
        let chunks = self.0.borrow();
        let full = Self::full(&chunks);
        // Mostly it is near the top.
        let mut near = (full..chunks.len()).chain((0..full).rev());
        let found = near.find_map(|at| Some(at * Chunk::LEN + chunks[at].number(place)?));
        found.unwrap_or(usize::MAX)
    }

    /// How many chunks lie below the one with the top entry.
    fn full(chunks: &[&'static Chunk]) -> usize {
        chunks.partition_point(|chunk| chunk.entries().next().is_some()).saturating_sub(1)
    }

    /// How many there are.
    pub(super) fn depth(&self) -> usize {
        let chunks = self.0.borrow();
        let full = Self::full(&chunks);
        full * Chunk::LEN + chunks.get(full).map_or(0, |chunk| chunk.entries().count())
    }

    fn at(&self, at: usize) -> Option<&'static Slot> {
        self.0.borrow().get(at / Chunk::LEN)?.slots().get(at % Chunk::LEN)
    }

    fn set(&self, at: usize, entry: Entry) {
        if let Some(slot) = self.at(at) {
            slot.set(entry);
        }
    }

    /// The top one.
    pub(super) fn top(&self) -> Option<Entry> {
        let last = self.depth().checked_sub(1)?;
        self.at(last).map(Slot::get)
    }

    /// Takes the top one off: so many are left.
    pub(super) fn pop(&self) -> usize {
        let left = self.depth().saturating_sub(1);
        self.set(left, Entry::FREE);
        left
    }

    /// What is on top may stay on the stack when it is taken off here.
    pub(super) fn top_stays(&self) {
        let stay = &mut registry().stay;
        if let Some(entry) = self.top().filter(|top| !stay.contains(top)) {
            stay.push(entry);
        }
    }

    /// A `reentrant` call begins on top.
    pub(super) fn open_frame(&self) {
        self.slot(self.depth()).set(Entry::OPEN);
    }

    /// The `reentrant` call ends that began behind so many: what is recorded above it stays.
    pub(super) fn close_frame(&self, at: usize) {
        let above = self.depth() > at + 1;
        self.set(at, if above { Entry::CLOSED } else { Entry::FREE });
    }

    /// Whether a `reentrant` call that runs began behind so many, or more.
    pub(super) fn is_framed(&self, at: usize) -> bool {
        (at..self.depth()).any(|at| self.at(at).is_some_and(|slot| slot.get() == Entry::OPEN))
    }

    /// Leaves the room to other threads, when nothing of this one can push any more or knows of it. If there is
    /// something in it, it stays as it is.
    pub(super) fn leave(&self) {
        if self.depth() == 0 {
            let own = self.0.take();
            let registry = &mut *registry();
            let is_own = |chunk: &&Chunk| own.iter().any(|own| std::ptr::eq(*own, *chunk));
            registry.used.retain(|chunk| !is_own(chunk));
            registry.free.extend(own);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn entry(number: usize) -> Entry {
        Entry::numbered(number)
    }

    fn put(entries: &Entries, at: usize, raw: usize) {
        entries.slot(at).set(entry(raw));
    }

    fn pushed(raw: usize) -> bool {
        is_pushed(entry(raw))
    }

    /// How many chunks there are, in use or not.
    fn chunks() -> usize {
        let registry = registry();
        registry.used.len() + registry.free.len()
    }

    #[test]
    fn what_a_thread_pushed_is_seen_by_all_until_it_is_popped() {
        let own = Entries::new();
        assert!(!own.has_room() && own.depth() == 0 && own.top().is_none());
        for depth in 0..40 {
            let raw = 0x5000_0000 + 2 * depth;
            assert!(!pushed(raw));
            put(&own, depth, raw);
            assert_eq!(own.depth(), depth + 1);
            assert!(thread::spawn(move || pushed(raw)).join().unwrap());
        }
        for depth in (0..40).rev() {
            let raw = 0x5000_0000 + 2 * depth;
            assert!(pushed(raw));
            assert_eq!(own.top(), Some(entry(raw)));
            assert_eq!(own.pop(), depth);
            assert!(!pushed(raw));
        }
        assert!(own.has_room() && own.depth() == 0 && own.top().is_none());
        own.leave();
        assert!(!own.has_room());
    }

    #[test]
    fn two_owners_of_one_context_have_two_entries() {
        let (first, second) = (entry_for(0xd000), entry_for(0xd000));
        assert!(first != second);
        forget(first);
        assert_eq!((raw_of(first), raw_of(second)), (None, Some(0xd000)));
        forget(second);
        assert!(raw_of(second).is_none() && entry_for(0xd000) != second);
    }

    #[test]
    fn places_are_told_apart_and_free_while_nothing_is_on_top() {
        let own = Entries::new();
        for at in 0..3 * Chunk::LEN {
            let slot = own.slot(at);
            assert_eq!(own.below(slot.place()), at);
            assert_eq!(own.below(slot.above()), at + 1);
            assert!(slot.place().free().is_some());
            put(&own, at, 0xb000_0000 + at);
            assert!(slot.place().free().is_none());
            let last = (at + 1) % Chunk::LEN == 0;
            assert_eq!(slot.above().free().is_none(), last, "{at}: the next chunk has to be found");
        }
        let other = Entries::new();
        assert_eq!(other.below(own.slot(0).place()), usize::MAX);
        for at in (0..3 * Chunk::LEN).rev() {
            own.slot(at).set(Entry::FREE);
            assert_eq!(own.depth(), at);
        }
        own.leave();
    }

    #[test]
    fn a_thread_that_ends_leaves_its_room_to_another_unless_something_is_in_it() {
        let (first, second) = (Entries::new(), Entries::new());
        put(&first, 0, 0x7000_0000);
        first.leave();
        assert!(first.has_room() && pushed(0x7000_0000), "something is in it");
        first.pop();
        first.leave();
        assert!(!first.has_room());
        put(&second, 0, 0x7000_0002);
        assert!(pushed(0x7000_0002) && !pushed(0x7000_0000));
        second.top_stays();
        second.pop();
        assert!(pushed(0x7000_0002), "it may be there all the same");
        second.leave();
    }

    #[test]
    fn a_frame_is_seen_from_below_while_it_is_open() {
        for depth in [0, 3, Chunk::LEN - 1, Chunk::LEN, Chunk::LEN + 3] {
            let own = Entries::new();
            (0..depth).for_each(|below| put(&own, below, 0x9000_0000 + 2 * below));
            own.open_frame();
            assert!((0..=depth).all(|below| own.is_framed(below)), "{depth}");
            assert!(!own.is_framed(depth + 1));
            assert!(own.slot(depth).place().free().is_none());
            put(&own, depth + 1, 0x9a00_0000);
            assert!(own.is_framed(depth) && !own.is_framed(depth + 1));
            own.close_frame(depth);
            assert!(!own.is_framed(0) && pushed(0x9a00_0000), "{depth}: what is above stays");
            own.pop();
            assert_eq!(own.top(), Some(Entry::CLOSED));
            own.pop();
            own.open_frame();
            own.close_frame(depth);
            assert_eq!(own.depth(), depth);
            (0..depth).rev().for_each(|left| assert_eq!(own.pop(), left));
            own.leave();
        }
    }

    #[test]
    #[cfg(not(loom))]
    fn threads_that_take_their_stack_share_their_room() {
        use crate::{Context, ContextFlags, ContextStack, Device};
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
        let one = || {
            let mut stack = ContextStack::current_thread().unwrap();
            stack.push(&context).unwrap().pop().unwrap();
            ContextStack::reentrant(|stack| stack.push(&context)?.pop()).unwrap();
        };
        let before = chunks();
        (0..200).for_each(|_| thread::scope(|s| s.spawn(one).join().unwrap()));
        // Other tests may add some of theirs.
        assert!(chunks() < before + 50);
    }

    #[test]
    fn threads_that_come_and_go_share_their_room() {
        let one = || {
            let own = Entries::new();
            let _ = own.slot(0);
            own.leave();
        };
        one();
        let before = chunks();
        (0..100).for_each(|_| one());
        // Other tests may add some of theirs.
        assert!(chunks() < before + 50);
    }
}
