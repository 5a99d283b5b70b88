//! Where guarded kernels note which access they did not make (feature `guard`).
//!
//! A kernel that is launched gets the address of a [`Slot`]: 8 bytes of page-locked memory, which stay 0 unless it fails.
//! What the launch belongs to has the slot in its [`Watch`], and looks at it once that has been waited for: a call that waits,
//! a scope, an ordered stream, a graph.

#[cfg(feature = "guard")]
mod board;

#[cfg(feature = "guard")]
pub(crate) use board::{Board, Code};

#[cfg(feature = "guard")]
#[allow(unreachable_pub, reason = "a sealed method takes it")]
pub use with_guard::Record;
#[cfg(feature = "guard")]
pub(crate) use with_guard::{OneLaunch, SharedWatch, Watch};

#[cfg(not(feature = "guard"))]
#[allow(unreachable_pub, reason = "a sealed method takes it")]
pub use without_guard::Record;
#[cfg(not(feature = "guard"))]
pub(crate) use without_guard::{OneLaunch, SharedWatch, Watch};

#[cfg(feature = "guard")]
mod with_guard {
    use super::board::{Board, Slot};
    use crate::error::{Error, Result};
    use crate::owned::StreamInner;
    use ffi::CUdeviceptr;
    use std::cell::Cell;
    use std::mem;
    use std::ops::Deref;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

    /// What gives a launch the slot for a kernel that lives for `'k`.
    pub trait Record<'k> {
        /// Returns the address of the slot for kernels of a board's context.
        ///
        /// # Errors
        /// [`InvalidArgument`](Error::InvalidArgument) if all slots of the context are in use.
        fn record(&self, call: &'static str, board: &'k Arc<Board>) -> Result<CUdeviceptr>;
    }

    /// The error if a context has no slot left.
    #[cold]
    fn all_in_use(call: &'static str) -> Error {
        let reason = "as many ordered streams, graphs and scopes as there may be in a context have launched guarded \
                      kernels: drop some of them";
        Error::InvalidArgument { call, reason: reason.into() }
    }

    /// The slot of one launch, which is over before this ends.
    #[derive(Default)]
    pub(crate) struct OneLaunch<'k> {
        slot: Cell<Option<(&'k Board, usize)>>,
    }

    impl OneLaunch<'_> {
        /// Gives the slot back, now that the kernel is over, and returns whether it failed.
        ///
        /// # Errors
        /// [`OutOfBounds`](Error::OutOfBounds).
        #[inline]
        pub(crate) fn end(self) -> Result {
            self.slot.take().map_or(Ok(()), |(board, index)| board.end(index))
        }
    }

    impl<'k> Record<'k> for OneLaunch<'k> {
        #[inline]
        fn record(&self, call: &'static str, board: &'k Arc<Board>) -> Result<CUdeviceptr> {
            let index = board.take().ok_or_else(|| all_in_use(call))?;
            self.slot.set(Some((&**board, index)));
            Ok(board.address(index))
        }
    }

    impl Drop for OneLaunch<'_> {
        #[inline]
        fn drop(&mut self) {
            if let Some((board, index)) = self.slot.get() {
                board.give_back(index);
            }
        }
    }

    /// The slots of what launches belong to.
    #[derive(Default)]
    pub(crate) struct Watch {
        /// The slot of the context in which kernels are launched first.
        own: OnceLock<Slot>,
        /// Those of other contexts, and the watches of graphs that are replayed.
        others: Mutex<Vec<Other>>,
        /// Whether there are others.
        has_others: AtomicBool,
    }

    enum Other {
        Slot(Slot),
        /// A graph that is replayed. It waits for its replays before it ends.
        Replayed(SharedWatch),
        /// A graph whose nodes are in this one.
        Child(SharedWatch),
    }

    impl Other {
        fn slot(&self) -> Option<&Slot> {
            match self {
                Other::Slot(slot) => Some(slot),
                Other::Replayed(_) | Other::Child(_) => None,
            }
        }

        fn look(&self) -> Result {
            match self {
                Other::Slot(slot) => slot.look(),
                Other::Replayed(graph) | Other::Child(graph) => graph.look(),
            }
        }

        /// Returns whether this is a graph that nobody replays any more.
        fn is_over(&self) -> bool {
            matches!(self, Other::Replayed(SharedWatch(graph)) if Arc::strong_count(graph) == 1)
        }
    }

    /// The watch of a graph: all that replay the graph look at it.
    #[derive(Clone, Default)]
    pub(crate) struct SharedWatch(Arc<Watch>);

    impl Deref for SharedWatch {
        type Target = Watch;
        #[inline]
        fn deref(&self) -> &Watch {
            &self.0
        }
    }

    impl Record<'_> for Watch {
        #[inline]
        fn record(&self, call: &'static str, board: &Arc<Board>) -> Result<CUdeviceptr> {
            match self.own.get() {
                Some(slot) if slot.is_of(board) => Ok(slot.address()),
                _ => self.new_record(call, board),
            }
        }
    }

    impl Watch {
        #[inline(never)]
        fn new_record(&self, call: &'static str, board: &Arc<Board>) -> Result<CUdeviceptr> {
            // Before the lock is taken, as code of the program may run.
            board.reclaim();
            let mut others = self.others();
            let slots = others.iter().filter_map(Other::slot).chain(self.own.get());
            if let Some(slot) = { slots }.find(|slot| slot.is_of(board)) {
                return Ok(slot.address());
            }
            let slot = Slot::take(board).ok_or_else(|| all_in_use(call))?;
            let address = slot.address();
            if let Err(slot) = self.own.set(slot) {
                others.push(Other::Slot(slot));
                self.has_others.store(true, Ordering::Release);
            }
            Ok(address)
        }

        fn others(&self) -> MutexGuard<'_, Vec<Other>> {
            self.others.lock().unwrap_or_else(PoisonError::into_inner)
        }

        /// Looks whether a kernel failed, now that all of them are over, or some. A failure is told once.
        ///
        /// # Errors
        /// [`OutOfBounds`](Error::OutOfBounds).
        #[inline]
        pub(crate) fn look(&self) -> Result {
            if let Some(slot) = self.own.get() {
                slot.look()?;
            }
            if self.has_others.load(Ordering::Acquire) { self.look_at_others() } else { Ok(()) }
        }

        #[cold]
        fn look_at_others(&self) -> Result {
            // What is over ends without the lock, as code of the program may run.
            let _over = {
                let mut others = self.others();
                others.iter().try_for_each(Other::look)?;
                let (over, rest): (Vec<_>, Vec<_>) =
                    mem::take(&mut *others).into_iter().partition(Other::is_over);
                *others = rest;
                over
            };
            Ok(())
        }

        /// Returns whether kernels may note a failure here.
        #[inline]
        fn is_used(&self) -> bool {
            self.own.get().is_some() || self.has_others.load(Ordering::Acquire)
        }

        /// Looks at the watch of a graph that is replayed, too, from here on.
        #[inline]
        pub(crate) fn also(&self, graph: &SharedWatch) {
            if graph.is_used() {
                self.add(Other::Replayed(graph.clone()));
            }
        }

        /// Looks at the watch of a graph whose nodes are copied to this one, too, from here on.
        #[cold]
        pub(crate) fn inherit(&self, child: &SharedWatch) {
            if child.is_used() && !std::ptr::eq(self, &**child) {
                self.add(Other::Child(child.clone()));
            }
        }

        #[inline(never)]
        fn add(&self, new: Other) {
            let mut others = self.others();
            let is = |other: &Other| match (other, &new) {
                (Other::Replayed(one), Other::Replayed(other))
                | (Other::Child(one), Other::Child(other)) => Arc::ptr_eq(&one.0, &other.0),
                _ => false,
            };
            if !others.iter().any(is) {
                others.push(new);
                self.has_others.store(true, Ordering::Release);
            }
        }

        /// Ends the watch of a stream that may still run kernels: its slot is used again when it does not.
        #[inline]
        pub(crate) fn end(&mut self, stream: &crate::sync::Arc<StreamInner>) {
            if let Some(slot) = self.own.take() {
                slot.retire(stream);
            }
        }
    }

    #[cfg(all(test, not(loom)))]
    mod tests {
        use super::*;
        use crate::context::{Context, ContextFlags};
        use crate::device::Device;

        /// The board of a new context.
        fn board() -> Arc<Board> {
            let context = Context::create(Device::get(0).unwrap(), ContextFlags::default());
            context.unwrap().with(|gpu| Board::of(gpu)).unwrap()
        }

        #[test]
        fn a_launch_gives_its_slot_back() {
            let board = board();
            let record = || OneLaunch::default().record("a launch", &board).unwrap();
            assert_eq!(record(), record());
        }

        #[test]
        fn a_watch_has_a_slot_in_each_context() {
            let (here, there, watch) = (board(), board(), Watch::default());
            let record = |board| watch.record("a launch", board).unwrap();
            let (first, second) = (record(&here), record(&there));
            assert_ne!(first, second);
            assert_eq!([record(&there), record(&here)], [second, first]);
            assert_eq!(watch.others().len(), 1);
        }

        #[test]
        fn a_graph_is_looked_at_as_long_as_somebody_replays_it() {
            let (board, watch) = (board(), Watch::default());
            let (graph, unused) = (SharedWatch::default(), SharedWatch::default());
            graph.record("a launch", &board).unwrap();
            watch.also(&unused);
            assert!(watch.others().is_empty());
            for _ in 0..2 {
                watch.also(&graph);
                watch.look().unwrap();
                assert_eq!(watch.others().len(), 1);
            }
            drop(graph);
            watch.look().unwrap();
            assert!(watch.others().is_empty());
        }

        #[test]
        fn a_graph_has_the_kernels_of_its_child_graphs() {
            let (board, watch) = (board(), Watch::default());
            let [graph, child, unused] = [(); 3].map(|()| SharedWatch::default());
            child.record("a launch", &board).unwrap();
            graph.inherit(&unused);
            assert!(graph.others().is_empty());
            for _ in 0..2 {
                graph.inherit(&child);
                graph.inherit(&graph.clone());
                graph.look().unwrap();
                assert_eq!(graph.others().len(), 1);
            }
            drop(child);
            graph.look().unwrap();
            assert_eq!(graph.others().len(), 1);
            // It has no kernel of its own.
            watch.also(&graph);
            assert_eq!(watch.others().len(), 1);
        }
    }
}

#[cfg(not(feature = "guard"))]
mod without_guard {
    use crate::error::Result;
    use crate::owned::StreamInner;
    use crate::sync::Arc;
    use std::marker::PhantomData;
    use std::ops::Deref;

    /// What a launch notes nothing in.
    pub trait Record<'k> {}

    impl Record<'_> for OneLaunch<'_> {}
    impl Record<'_> for Watch {}

    /// Nothing to look at.
    #[derive(Default)]
    pub(crate) struct OneLaunch<'k>(PhantomData<&'k ()>);

    #[allow(clippy::unused_self, reason = "as with the feature")]
    impl OneLaunch<'_> {
        #[inline]
        pub(crate) fn end(self) -> Result {
            Ok(())
        }
    }

    /// Nothing to look at.
    #[derive(Default)]
    pub(crate) struct Watch(());

    /// Nothing to look at.
    #[derive(Clone, Default)]
    pub(crate) struct SharedWatch(());

    impl Deref for SharedWatch {
        type Target = Watch;
        #[inline]
        fn deref(&self) -> &Watch {
            &Watch(())
        }
    }

    #[allow(clippy::unused_self, reason = "as with the feature")]
    impl Watch {
        #[inline]
        pub(crate) fn look(&self) -> Result {
            Ok(())
        }

        #[inline]
        pub(crate) fn also(&self, _: &SharedWatch) {}

        #[inline]
        pub(crate) fn inherit(&self, _: &SharedWatch) {}

        #[inline]
        pub(crate) fn end(&mut self, _: &Arc<StreamInner>) {}
    }
}
