//! The earlier uses of a piece of memory. They order the operations of a scope, and the nodes of a graph.

use crate::context::Context;
use std::cell::{Cell, OnceCell, RefCell};
use std::convert::Infallible;
use std::rc::Rc;

/// The key that an operation compares before it is enqueued as it is: the [`Context::key`] of the scope's context,
/// as long as the scope has one stream.
///
/// Memory of another context has another key, and memory that was not used as the operation uses it has not yet
/// been given this one ([`Tracked`]). So one comparison for each piece of memory shows that it belongs to the
/// context (invariant [`own-context`](crate::soundness#own-context)) and that nothing has to be ordered or
/// noted (invariant [`scope-ordered`](crate::soundness#scope-ordered)).
pub struct FastPath(Cell<usize>);

/// The key of no context: no context lies at this address.
const SHUT: usize = usize::MAX;

impl FastPath {
    #[inline]
    pub(crate) fn new(context: &Context) -> FastPath {
        FastPath(Cell::new(context.key()))
    }

    /// Creates the fast path for a stream of another context. Every operation on it is refused.
    #[inline]
    pub(crate) fn shut() -> FastPath {
        FastPath(Cell::new(SHUT))
    }

    /// Closes the fast path: from now on, operations have to be ordered.
    #[inline]
    pub(crate) fn shut_it(&self) {
        self.0.set(SHUT);
    }

    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.0.get() != SHUT
    }

    /// Returns the value to compare the key of memory with.
    #[inline]
    pub(crate) fn key(&self) -> usize {
        self.0.get()
    }
}

/// The notes on one piece of memory.
#[derive(Clone, Default)]
pub(crate) struct Tracked {
    /// The key of the context, after a use while the scope had one stream; else 0.
    used: Cell<usize>,
    /// The same, after a write.
    written: Cell<usize>,
    /// The uses since the scope has several streams.
    uses: RefCell<Option<Box<Uses>>>,
}

impl Tracked {
    /// Returns whether such a use by the one stream was noted before.
    #[inline]
    pub(crate) fn is_noted(&self, writes: bool, fast_path: &FastPath) -> bool {
        let noted = if writes { &self.written } else { &self.used };
        noted.get() == fast_path.key()
    }

    /// Notes a use by the one stream, of memory that belongs to its context. Returns whether it is the first
    /// one.
    #[inline]
    pub(crate) fn note(&self, writes: bool, fast_path: &FastPath) -> bool {
        if writes {
            self.written.set(fast_path.key());
        }
        self.used.replace(fast_path.key()) == 0
    }

    /// Notes a use by one of several streams.
    #[inline]
    pub(crate) fn note_op(&self, op: &Rc<Op>, writes: bool) {
        let mut uses = self.uses.borrow_mut();
        let uses = uses.get_or_insert_default();
        if !writes {
            uses.reads.retain(|read| read.index != op.index);
        }
        uses.note(op, writes);
    }

    /// Notes a use by a node of a graph. Each node comes once, or twice in a row.
    #[inline]
    pub(crate) fn note_node(&self, node: &Rc<Op>, writes: bool) {
        self.uses.borrow_mut().get_or_insert_default().note(node, writes);
    }

    /// Calls `see` with each operation that a use has to follow, until an error.
    pub(crate) fn each_before<E>(
        &self,
        writes: bool,
        see: impl FnMut(&Rc<Op>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.uses.borrow().iter().flat_map(|uses| uses.before(writes)).try_for_each(see)
    }

    /// Calls `see` with each node of a graph that a use has to follow.
    pub(crate) fn each_node_before(&self, writes: bool, mut see: impl FnMut(usize)) {
        let all = self.each_before(writes, |op| {
            see(op.index);
            Ok::<_, Infallible>(())
        });
        let Ok(()) = all;
    }

    /// Returns whether the memory was used while there was one stream.
    #[inline]
    pub(crate) fn was_used(&self) -> bool {
        self.used.get() != 0
    }

    /// Forgets the uses by the one stream. Returns `None` if there was none, else whether one wrote.
    #[inline]
    pub(crate) fn take(&self) -> Option<bool> {
        let written = self.written.take() != 0;
        (self.used.take() != 0).then_some(written)
    }
}

/// An operation, identified by its place: the `number`-th of its stream.
pub(crate) struct Op {
    pub(crate) index: usize,
    pub(crate) number: u64,
    pub(crate) order_event: OnceCell<OrderEvent>,
}

impl Op {
    /// Creates the operation of a graph's node at a place, as if each node were a stream of its own.
    #[inline]
    pub(crate) fn node(place: usize) -> Rc<Op> {
        Rc::new(Op { index: place, number: 1, order_event: OnceCell::new() })
    }
}

#[derive(Clone, Default)]
struct Uses {
    write: Option<Rc<Op>>,
    /// The last read by each stream since the write.
    reads: Vec<Rc<Op>>,
}

impl Uses {
    /// Returns the operations that a use has to follow: the reads first, since each of them followed the write.
    #[inline]
    fn before(&self, writes: bool) -> impl Iterator<Item = &Rc<Op>> {
        let reads = if writes { &self.reads[..] } else { &[] };
        reads.iter().chain(&self.write)
    }

    #[inline]
    fn note(&mut self, op: &Rc<Op>, writes: bool) {
        if writes {
            self.reads.clear();
            self.write = Some(op.clone());
        } else {
            self.reads.push(op.clone());
        }
    }
}

/// An event that was recorded after an operation. When it completes, the operations of its stream up to the
/// `covers`-th are complete.
pub(crate) struct OrderEvent {
    event: usize,
    covers: u64,
    /// The number of operations of each other stream that the stream had waited for by then. They are complete
    /// too.
    behind: Vec<u64>,
    free: Rc<RefCell<Vec<usize>>>,
}

impl OrderEvent {
    /// Creates an order event from the event at a place. The place returns to `free` when the event is dropped.
    pub(crate) fn new(
        event: usize,
        covers: u64,
        behind: Vec<u64>,
        free: Rc<RefCell<Vec<usize>>>,
    ) -> OrderEvent {
        OrderEvent { event, covers, behind, free }
    }

    pub(crate) fn event(&self) -> usize {
        self.event
    }

    pub(crate) fn covers(&self) -> u64 {
        self.covers
    }

    pub(crate) fn behind(&self) -> &[u64] {
        &self.behind
    }
}

impl Drop for OrderEvent {
    #[inline]
    fn drop(&mut self) {
        self.free.borrow_mut().push(self.event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_reads_by_a_stream_only_the_last_one_is_noted() {
        let tracked = Tracked::default();
        let read = |index, number| {
            let op = Op { index, number, order_event: OnceCell::new() };
            tracked.note_op(&Rc::new(op), false);
        };
        read(0, 1);
        read(1, 1);
        read(0, 2);
        let mut seen = Vec::new();
        let all = tracked.each_before(true, |op| {
            seen.push((op.index, op.number));
            Ok::<_, Infallible>(())
        });
        let Ok(()) = all;
        assert_eq!(seen, [(1, 1), (0, 2)]);
    }
}
