//! The log of entries: the contexts that this crate pushed on each thread's stack, visible to all threads. A
//! context that is in a log is not destroyed (invariant [`context-alive`](crate::soundness#context-alive)).
//!
//! A guard borrows its context. So when the last owner of a context goes, a log can hold an entry of it only if
//! the guard was leaked. The leak happened before, so the code that would destroy the context sees the entry.

use crate::driver::fork;
use std::cell::Cell;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The content of a slot: the number of the owner of the context that was pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry(usize);

impl Entry {
    /// A free slot.
    const FREE: Entry = Entry(0);
    /// The start of a running `reentrant` call, or of an owned guard. It stands for no context.
    pub(crate) const OPEN: Entry = Entry(1);
    /// A slot whose own entry is gone while entries above it remain. It stands for no context.
    pub(crate) const CLOSED: Entry = Entry(2);

    /// Returns the entry of the owner with this number.
    #[inline]
    pub(crate) const fn numbered(number: usize) -> Entry {
        Entry(Entry::CLOSED.0 + 1 + number)
    }
}

/// Slots for entries, the lowest first. One thread writes them and all may read them. They live for ever, and
/// pass from one thread to another.
type Slots = &'static [AtomicUsize];

struct Registry {
    /// The slots of all threads that may have entries.
    used: Vec<Slots>,
    /// The slots of threads that ended, for new threads. All of them are free.
    free: Vec<Slots>,
    /// Entries that may be on a stack although no log has them.
    stay: Vec<Entry>,
}
static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { used: Vec::new(), free: Vec::new(), stay: Vec::new() });

/// No code of the program runs while this is held.
#[inline]
fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether a context with this entry is still on a stack. Nobody uses the context any more.
#[inline]
pub(crate) fn is_pushed(entry: Entry) -> bool {
    let registry = registry();
    let mut all = registry.used.iter().flat_map(|slots| slots.iter());
    // Acquire: if a thread removed its entry, its pop happens before the caller's next step.
    registry.stay.contains(&entry) || all.any(|slot| slot.load(Acquire) == entry.0)
}

/// Notes that an entry may be on a stack although no log has it. Its context is never destroyed.
#[inline]
pub(crate) fn stays(entry: Entry) {
    let stay = &mut registry().stay;
    if !stay.contains(&entry) {
        stay.push(entry);
    }
}

/// The log of the calling thread, leaked entries included. The number of entries below an entry identifies it.
pub(crate) struct EntryLog {
    slots: Cell<Slots>,
    depth: Cell<usize>,
}

impl EntryLog {
    /// The number of slots that a thread gets first.
    const FIRST: usize = 16;

    #[inline]
    pub(crate) const fn new() -> Self {
        EntryLog { slots: Cell::new(&[]), depth: Cell::new(0) }
    }

    /// Returns the number of entries.
    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.depth.get()
    }

    /// Returns whether the thread has slots, so that it may push.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        !self.slots.get().is_empty()
    }

    /// Returns whether there are exactly `depth` entries and room for one more.
    #[inline]
    pub(crate) fn is_ready(&self, depth: usize) -> bool {
        self.depth.get() == depth && depth < self.slots.get().len()
    }

    /// Makes sure that one more entry fits. Returns false in the child of a fork if this needs the registry's
    /// lock, which another thread of the parent may have held.
    #[inline]
    pub(crate) fn reserve(&self) -> bool {
        self.depth.get() < self.slots.get().len() || self.grow()
    }

    #[cold]
    #[inline]
    fn grow(&self) -> bool {
        if fork::is_child() {
            return false;
        }
        let old = self.slots.get();
        let len = (2 * old.len()).max(EntryLog::FIRST);
        let registry = &mut *registry();
        let found = registry.free.iter().position(|slots| slots.len() >= len);
        let new: Slots = match found {
            Some(at) => registry.free.swap_remove(at),
            None => Box::leak((0..len).map(|_| AtomicUsize::new(Entry::FREE.0)).collect()),
        };
        for (from, to) in old.iter().zip(new) {
            to.store(from.swap(Entry::FREE.0, Acquire), Release);
        }
        registry.used.retain(|slots| !std::ptr::eq(*slots, old));
        registry.used.push(new);
        if !old.is_empty() {
            registry.free.push(old);
        }
        self.slots.set(new);
        true
    }

    #[inline]
    fn slot(&self, at: usize) -> Option<&'static AtomicUsize> {
        self.slots.get().get(at)
    }

    #[inline]
    fn set(&self, at: usize, Entry(value): Entry) {
        if let Some(slot) = self.slot(at) {
            slot.store(value, Release);
        }
    }

    /// Puts an entry on top and returns the number of entries below it. The caller has
    /// [reserved](Self::reserve) room.
    #[inline]
    pub(crate) fn push(&self, entry: Entry) -> usize {
        // Code of the program may have used the room since it was reserved.
        let _room = self.reserve();
        let at = self.depth.get();
        self.set(at, entry);
        self.depth.set(at + 1);
        at
    }

    /// Returns the entry with `at` entries below it.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Option<Entry> {
        let slot = self.slot(at).filter(|_| at < self.depth.get())?;
        Some(Entry(slot.load(Acquire)))
    }

    /// Removes the entry with `at` entries below it. If others lie above it, its slot stays.
    #[inline]
    pub(crate) fn remove(&self, at: usize) {
        if self.depth.get() == at + 1 {
            self.set(at, Entry::FREE);
            self.depth.set(at);
        } else if at < self.depth.get() {
            self.set(at, Entry::CLOSED);
        }
    }

    /// Returns whether a running `reentrant` call, or an owned guard, began with `at` or more entries below it.
    #[inline]
    pub(crate) fn is_framed(&self, at: usize) -> bool {
        (at..self.depth.get()).any(|at| self.is_open(at))
    }

    /// Returns whether a frame that is open began with `at` entries below it.
    pub(crate) fn is_open(&self, at: usize) -> bool {
        self.get(at) == Some(Entry::OPEN)
    }

    /// Leaves the slots to other threads, once nothing of this thread can push any more or refers to them.
    /// Slots that still hold an entry stay as they are.
    #[inline]
    pub(crate) fn leave(&self) {
        let own = self.slots.get();
        if self.depth.get() == 0 && !own.is_empty() {
            let registry = &mut *registry();
            registry.used.retain(|slots| !std::ptr::eq(*slots, own));
            registry.free.push(own);
            self.slots.set(&[]);
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

    fn put(entries: &EntryLog, number: usize) -> usize {
        assert!(entries.reserve());
        entries.push(entry(number))
    }

    fn pushed(number: usize) -> bool {
        is_pushed(entry(number))
    }

    /// Returns the number of slot arrays, in use or not.
    fn rooms() -> usize {
        let registry = registry();
        registry.used.len() + registry.free.len()
    }

    #[test]
    fn a_pushed_entry_is_seen_by_all_threads_until_it_is_popped() {
        let own = EntryLog::new();
        assert!(!own.has_room() && own.depth() == 0 && own.get(0).is_none());
        for depth in 0..40 {
            let number = 0x5000_0000 + depth;
            assert!(!pushed(number));
            assert_eq!(put(&own, number), depth);
            assert_eq!(own.depth(), depth + 1);
            assert!(thread::spawn(move || pushed(number)).join().unwrap());
        }
        for depth in (0..40).rev() {
            let number = 0x5000_0000 + depth;
            assert!(pushed(number));
            assert_eq!(own.get(depth), Some(entry(number)));
            own.remove(depth);
            assert_eq!((own.depth(), own.get(depth)), (depth, None));
            assert!(!pushed(number));
        }
        own.leave();
        assert!(!own.has_room());
    }

    /// Code of the program runs between a reserve and the push, and may have pushed as well.
    #[test]
    fn an_entry_is_seen_also_if_its_room_was_used_meanwhile() {
        let own = EntryLog::new();
        assert!(own.reserve());
        (0..40).for_each(|at| assert_eq!(own.push(entry(0xc000_0000 + at)), at));
        assert!((0..40).all(|at| pushed(0xc000_0000 + at)));
        (0..40).rev().for_each(|at| own.remove(at));
        own.leave();
    }

    /// Returns how often the registry has these slots, in use or not.
    fn times(slots: Slots) -> usize {
        let registry = registry();
        let all = registry.used.iter().chain(&registry.free);
        all.filter(|&&one| std::ptr::eq(one, slots)).count()
    }

    #[test]
    fn slots_that_were_left_are_there_for_others_once() {
        let own = EntryLog::new();
        assert!(own.reserve());
        let first = own.slots.get();
        (0..=first.len()).for_each(|at| _ = put(&own, 0xd000_0000 + at));
        let second = own.slots.get();
        assert!(!std::ptr::eq(first, second));
        assert_eq!((times(first), times(second)), (1, 1), "the first are free, or in use again");
        (0..=first.len()).rev().for_each(|at| own.remove(at));
        own.leave();
        assert_eq!((times(first), times(second)), (1, 1));
        own.leave();
        assert_eq!(times(own.slots.get()), 0, "it has none");
    }

    #[test]
    fn an_entry_below_others_leaves_its_place() {
        let own = EntryLog::new();
        (0..3).for_each(|at| assert_eq!(put(&own, 0xb000_0000 + at), at));
        own.remove(1);
        assert!(!pushed(0xb000_0001) && pushed(0xb000_0000) && pushed(0xb000_0002));
        assert_eq!((own.depth(), own.get(1)), (3, Some(Entry::CLOSED)));
        for at in [7, 3] {
            own.remove(at);
            assert_eq!(own.depth(), 3, "there is none");
        }
        assert_eq!(own.slot(3).map(|slot| slot.load(Acquire)), Some(Entry::FREE.0));
        (0..3).rev().for_each(|at| own.remove(at));
        assert_eq!(own.depth(), 0);
        own.leave();
    }

    #[test]
    fn a_thread_that_ends_leaves_its_room_to_another_unless_something_is_in_it() {
        let (first, second) = (EntryLog::new(), EntryLog::new());
        put(&first, 0x7000_0000);
        first.leave();
        assert!(first.has_room() && pushed(0x7000_0000), "something is in it");
        first.remove(0);
        first.leave();
        assert!(!first.has_room());
        put(&second, 0x7000_0002);
        assert!(pushed(0x7000_0002) && !pushed(0x7000_0000));
        stays(entry(0x7000_0002));
        second.remove(0);
        assert!(pushed(0x7000_0002), "it may be there all the same");
        second.leave();
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri cannot fork")]
    #[cfg(all(unix, not(loom)))]
    fn in_the_child_of_a_fork_nothing_waits_for_the_rooms_of_other_threads() {
        use crate::context::{Context, ContextFlags};
        use crate::device::Device;
        use crate::stack::{ContextStack, PushedGuard};
        fn nest(guard: &mut PushedGuard<'_>, context: &Context, depth: usize) {
            if depth < EntryLog::FIRST {
                return nest(&mut guard.push(context).unwrap(), context, depth + 1);
            }
            let held = registry();
            let mut other = Some(new());
            assert!(fork::is_true_in_child(|| {
                let pushed = guard.push(context).unwrap_err();
                let inner = ContextStack::reentrant(|_| Ok(())).unwrap_err();
                let not_here = Some(ffi::CUDA_ERROR_NOT_INITIALIZED);
                let own = EntryLog::new();
                drop(other.take());
                pushed.code() == not_here && inner.code() == not_here && !own.reserve()
            }));
            drop(held);
        }
        fn new() -> Context {
            Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap()
        }
        let context = new();
        // What needs room needs the driver first, which is not to be had.
        let device = context.device();
        assert!(fork::is_true_in_child(|| {
            let created = Context::create(device, ContextFlags::default()).map(drop);
            let pushed = context.push_owned().map(drop);
            [created, pushed]
                .iter()
                .all(|one| one.as_ref().unwrap_err().call() == Some(crate::error::name!(cuInit)))
        }));
        let mut stack = ContextStack::current_thread().unwrap();
        nest(&mut stack.push(&context).unwrap(), &context, 1);
    }

    /// What a thread does at its end is done in the child as well, where the lock is never opened.
    #[test]
    #[cfg_attr(miri, ignore = "Miri cannot fork")]
    #[cfg(all(unix, not(loom)))]
    #[allow(unsafe_code, reason = "forks")]
    fn in_the_child_of_a_fork_a_thread_that_ends_waits_for_no_other() {
        use crate::stack::ContextStack;
        crate::init().unwrap();
        extern "C" fn leave() {
            // SAFETY: leaves without the other handlers, of which one looks for leaks under the leak sanitizer.
            unsafe { libc::_exit(0) }
        }
        let forks = || {
            drop(ContextStack::current_thread().unwrap());
            let held = registry();
            // SAFETY: the child ends its only thread, and does nothing else.
            let pid = unsafe { libc::fork() };
            if pid == 0 {
                std::mem::forget(held);
                // SAFETY: the handler is a function of this program.
                unsafe { libc::atexit(leave) };
            }
            pid
        };
        let pid = thread::spawn(forks).join().unwrap();
        assert!(fork::is_true_of_child(pid));
    }

    #[test]
    fn a_frame_is_seen_from_below_while_it_is_open() {
        for depth in [0, 3, EntryLog::FIRST - 1, EntryLog::FIRST, EntryLog::FIRST + 3] {
            let own = EntryLog::new();
            (0..depth).for_each(|below| assert_eq!(put(&own, 0x9000_0000 + below), below));
            assert!(own.reserve());
            assert_eq!(own.push(Entry::OPEN), depth);
            assert!((0..=depth).all(|below| own.is_framed(below)), "{depth}");
            assert!(!own.is_framed(depth + 1));
            put(&own, 0x9a00_0000);
            own.remove(depth);
            assert!(!own.is_framed(0) && pushed(0x9a00_0000), "{depth}: what is above stays");
            (0..depth + 2).rev().for_each(|at| own.remove(at));
            assert_eq!(own.depth(), 0);
            own.leave();
        }
    }

    #[test]
    #[cfg(not(loom))]
    fn threads_that_take_their_stack_share_their_room() {
        use crate::context::{Context, ContextFlags};
        use crate::device::Device;
        use crate::stack::ContextStack;
        let context = Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
        let token = || {
            let mut stack = ContextStack::current_thread().unwrap();
            stack.push(&context).unwrap().pop().unwrap();
        };
        let frame = || ContextStack::reentrant(|stack| stack.push(&context)?.pop()).unwrap();
        let both = || {
            token();
            frame();
        };
        let owned = || drop(context.push_owned().unwrap());
        /// Uses the stack once more, in the destructor of a thread-local that is the last to go.
        struct Late(std::cell::Cell<Option<fn()>>);
        impl Drop for Late {
            fn drop(&mut self) {
                self.0.take().into_iter().for_each(|late| late());
            }
        }
        thread_local! { static LATE: Late = const { Late(std::cell::Cell::new(None)) } }
        let late = |way: fn()| {
            LATE.with(|last| last.0.set(Some(way)));
            token();
        };
        let late_token = || late(|| drop(ContextStack::current_thread().unwrap()));
        let late_frame = || late(|| ContextStack::reentrant(|_| Ok(())).unwrap());
        let late_owned = || {
            late(|| {
                let context = Context::primary(Device::get(0).unwrap()).unwrap();
                drop(context.push_owned().unwrap());
            });
        };
        let before = rooms();
        let threads = if cfg!(miri) { 20 } else { 200 };
        let ways: [&(dyn Fn() + Sync); 7] =
            [&token, &frame, &both, &owned, &late_token, &late_frame, &late_owned];
        for way in ways {
            (0..threads).for_each(|_| thread::scope(|s| s.spawn(way).join().unwrap()));
        }
        // Other tests may add some of their own.
        assert!(rooms() < before + 50);
    }

    #[test]
    fn threads_that_come_and_go_share_their_room() {
        let one = || {
            let own = EntryLog::new();
            assert!(own.reserve());
            own.leave();
        };
        one();
        let before = rooms();
        (0..100).for_each(|_| one());
        // Other tests may add some of their own.
        assert!(rooms() < before + 50);
    }
}
