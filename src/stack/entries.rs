//! What this crate pushed on each thread's stack, where all threads can see it: a context that is among it
//! is not ended (invariant `context-alive`).
//!
//! A guard borrows its context, so only an entry whose guard was leaked can be found there when a context
//! ends. Whoever leaked it did so before the context came to its end, and so the end sees the entry.

use crate::Context;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A context that was pushed: addresses, to compare with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// The driver's handle.
    pub(super) raw: usize,
    /// What ends it: a primary context that is retained twice has two owners.
    owner: usize,
}

impl Entry {
    /// Where a `reentrant` call began, no context: an open one, and one that ended while entries above it
    /// could not be popped.
    const OPEN: Entry = Entry { raw: 0, owner: 1 };
    const CLOSED: Entry = Entry { raw: 0, owner: 0 };

    pub(super) fn is_open_frame(self) -> bool {
        self == Entry::OPEN
    }

    pub(super) fn is_closed_frame(self) -> bool {
        self == Entry::CLOSED
    }

    #[inline]
    fn of(context: &Context) -> Entry {
        Entry { raw: context.key(), owner: context.owner() }
    }
}

/// The entries of one thread, which alone changes them.
pub(super) struct Entries {
    depth: AtomicUsize,
    /// The first ones, bottom first.
    first: [Slot; INLINE],
    /// Deeper ones. Its memory is given back as soon as it is empty.
    more: Mutex<Vec<Entry>>,
}
const INLINE: usize = 16;

struct Slot {
    raw: AtomicUsize,
    owner: AtomicUsize,
}

impl Slot {
    const fn new() -> Self {
        Slot { raw: AtomicUsize::new(0), owner: AtomicUsize::new(0) }
    }

    #[inline]
    fn set(&self, entry: Entry) {
        self.raw.store(entry.raw, Relaxed);
        self.owner.store(entry.owner, Relaxed);
    }

    fn get(&self) -> Entry {
        Entry { raw: self.raw.load(Relaxed), owner: self.owner.load(Relaxed) }
    }
}

struct Registry {
    /// Those of each thread that may have some.
    threads: Vec<&'static Entries>,
    /// Those of threads that are gone, for others to come.
    free: Vec<&'static Entries>,
    /// What may be on a stack where no record says so.
    stay: Vec<Entry>,
}
static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { threads: Vec::new(), free: Vec::new(), stay: Vec::new() });

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Entries {
    const fn new() -> Self {
        Entries {
            depth: AtomicUsize::new(0),
            first: [const { Slot::new() }; INLINE],
            more: Mutex::new(Vec::new()),
        }
    }

    /// How many there are, leaked ones included.
    #[inline]
    pub(super) fn depth(&self) -> usize {
        self.depth.load(Relaxed)
    }

    /// Puts a context on top, behind `depth` others.
    #[inline]
    pub(super) fn push(&self, depth: usize, context: &Context) {
        self.put(depth, Entry::of(context));
    }

    #[inline]
    fn put(&self, depth: usize, entry: Entry) {
        match self.first.get(depth) {
            Some(slot) => slot.set(entry),
            None => self.put_deep(entry),
        }
        self.depth.store(depth + 1, Relaxed);
    }

    #[cold]
    fn put_deep(&self, entry: Entry) {
        lock(&self.more).push(entry);
    }

    /// Puts the begin of a `reentrant` call on top, behind `depth` others.
    pub(super) fn open_frame(&self, depth: usize) {
        self.put(depth, Entry::OPEN);
    }

    /// Ends the `reentrant` call that began behind `depth` others: what is recorded above it stays.
    pub(super) fn close_frame(&self, depth: usize) {
        if self.depth() == depth + 1 {
            self.pop(depth);
        } else if let Some(slot) = self.first.get(depth) {
            slot.set(Entry::CLOSED);
        } else if let Some(entry) = lock(&self.more).get_mut(depth - INLINE) {
            *entry = Entry::CLOSED;
        }
    }

    /// Whether a `reentrant` call that runs began behind `depth` others, or more.
    pub(super) fn is_framed(&self, depth: usize) -> bool {
        let first = self.first.iter().map(Slot::get);
        let more = lock(&self.more);
        first.chain(more.iter().copied()).take(self.depth()).skip(depth).any(Entry::is_open_frame)
    }

    pub(super) fn top(&self) -> Option<Entry> {
        let last = self.depth().checked_sub(1)?;
        match self.first.get(last) {
            Some(slot) => Some(slot.get()),
            None => lock(&self.more).last().copied(),
        }
    }

    /// What is on top may stay on the stack when it is taken off here.
    #[cold]
    pub(super) fn top_stays(&self) {
        let stay = &mut lock(&REGISTRY).stay;
        if let Some(entry) = self.top().filter(|top| !stay.contains(top)) {
            stay.push(entry);
        }
    }

    /// Takes the top one off: so many are left.
    #[inline]
    pub(super) fn pop(&self, left: usize) {
        self.depth.store(left, Relaxed);
        if left >= INLINE {
            self.pop_deep(left);
        }
    }

    #[cold]
    fn pop_deep(&self, left: usize) {
        let mut more = lock(&self.more);
        more.pop();
        if left == INLINE {
            *more = Vec::new();
        }
    }

    fn have(&self, entry: Entry) -> bool {
        let mut first = self.first.iter().take(self.depth());
        first.any(|slot| slot.get() == entry) || lock(&self.more).contains(&entry)
    }
}

/// Whether a context that nobody uses any more, of this handle and owner, is on a stack all the same.
pub(crate) fn is_pushed(raw: usize, owner: usize) -> bool {
    let entry = Entry { raw, owner };
    let registry = lock(&REGISTRY);
    registry.stay.contains(&entry) || registry.threads.iter().any(|entries| entries.have(entry))
}

/// A thread's own entries, or none yet.
pub(super) struct Own(Cell<Option<&'static Entries>>);

impl Own {
    pub(super) const fn new() -> Self {
        Own(Cell::new(None))
    }

    pub(super) fn get(&self) -> Option<&'static Entries> {
        self.0.get()
    }

    /// Before the thread can push: if it had none.
    pub(super) fn enroll(&self) -> &'static Entries {
        let registry = &mut *lock(&REGISTRY);
        let entries = registry.free.pop().unwrap_or_else(|| Box::leak(Box::new(Entries::new())));
        registry.threads.push(entries);
        self.0.set(Some(entries));
        entries
    }

    /// Leaves the entries to other threads, when nothing of this one can push any more or knows of them. Those
    /// with something in them stay as they are.
    pub(super) fn leave(&self) {
        let Some(own) = self.0.get().filter(|own| own.depth() == 0) else { return };
        self.0.set(None);
        let registry = &mut *lock(&REGISTRY);
        registry.threads.retain(|entries| !std::ptr::eq(*entries, own));
        registry.free.push(own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{ptr, thread};

    fn entry(raw: usize) -> Entry {
        Entry { raw, owner: raw + 1 }
    }

    fn pushed(raw: usize) -> bool {
        is_pushed(raw, raw + 1)
    }

    /// How many records there are, in use or not.
    fn records() -> usize {
        let registry = lock(&REGISTRY);
        registry.threads.len() + registry.free.len()
    }

    #[test]
    fn what_a_thread_pushed_is_seen_by_all_until_it_is_popped() {
        let own = Own::new();
        assert!(own.get().is_none());
        let entries = own.enroll();
        assert!(own.get().is_some_and(|own| ptr::eq(own, entries)));
        for depth in 0..40 {
            let raw = 0x5000 + 2 * depth;
            assert!(!pushed(raw));
            entries.put(depth, entry(raw));
            assert!(thread::spawn(move || pushed(raw)).join().unwrap());
            assert!(!is_pushed(raw, raw), "another owner");
        }
        for depth in (0..40).rev() {
            let raw = 0x5000 + 2 * depth;
            assert!(pushed(raw));
            assert_eq!(entries.top().map(|top| top.raw), Some(raw));
            entries.pop(depth);
            assert!(!pushed(raw));
        }
        assert!(entries.top().is_none());
        own.leave();
    }

    #[test]
    fn a_thread_that_ends_leaves_its_record_to_another_unless_something_is_in_it() {
        let (first, second) = (Own::new(), Own::new());
        let record = first.enroll();
        record.put(0, entry(0x7000));
        first.leave();
        assert!(first.get().is_some_and(|own| ptr::eq(own, record)), "something is in it");
        assert!(pushed(0x7000));
        record.pop(0);
        first.leave();
        assert!(first.get().is_none());
        let record = second.enroll();
        record.put(0, entry(0x7002));
        assert!(pushed(0x7002) && !pushed(0x7000));
        record.top_stays();
        record.pop(0);
        assert!(pushed(0x7002), "it may be there all the same");
        second.leave();
    }

    #[test]
    fn a_frame_is_seen_from_below_while_it_is_open() {
        for depth in [0, 3, INLINE - 1, INLINE, INLINE + 3] {
            let own = Own::new();
            let entries = own.enroll();
            (0..depth).for_each(|below| entries.put(below, entry(0x9000 + 2 * below)));
            entries.open_frame(depth);
            assert!((0..=depth).all(|below| entries.is_framed(below)), "{depth}");
            assert!(!entries.is_framed(depth + 1));
            entries.put(depth + 1, entry(0x9a00));
            assert!(entries.is_framed(depth) && !entries.is_framed(depth + 1));
            entries.close_frame(depth);
            assert!(!entries.is_framed(0) && pushed(0x9a00), "{depth}: what is above stays");
            entries.pop(depth + 1);
            assert!(entries.top().unwrap().is_closed_frame());
            entries.pop(depth);
            entries.open_frame(depth);
            entries.close_frame(depth);
            assert_eq!(entries.depth(), depth);
            (0..depth).rev().for_each(|left| entries.pop(left));
            own.leave();
        }
    }

    #[test]
    fn threads_that_come_and_go_share_their_records() {
        let one = || {
            let own = Own::new();
            own.enroll();
            own.leave();
        };
        one();
        let before = records();
        (0..100).for_each(|_| one());
        // Other tests may add some of theirs.
        assert!(records() < before + 50);
    }
}
