//! How a piece of memory was used before: what orders the operations of a scope, and the nodes of a graph.

use crate::context::Context;
use std::cell::{Cell, OnceCell, RefCell};
use std::convert::Infallible;
use std::rc::Rc;

/// What an operation compares before it is enqueued as it is: the [`Context::key`] of the scope's context
/// while there is one queue of it.
///
/// Memory of another context has another key, and memory that was not used as the operation uses it has not
/// yet been given this one ([`Tracked`]). So one comparison for each piece of memory says that it is of the
/// context (invariant `own-context`) and that nothing is to be ordered or noted (invariant `scope-ordered`).
pub struct Gate(Cell<usize>);

/// No context's key: no context lies there.
const SHUT: usize = usize::MAX;

impl Gate {
    #[inline]
    pub(crate) fn new(context: &Context) -> Gate {
        Gate(Cell::new(context.key()))
    }

    /// Of a queue on a stream of another context, which is refused everything.
    #[inline]
    pub(crate) fn shut() -> Gate {
        Gate(Cell::new(SHUT))
    }

    /// From here on operations have to be ordered.
    pub(crate) fn shut_it(&self) {
        self.0.set(SHUT);
    }

    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.0.get() != SHUT
    }

    /// What the key of memory is compared with.
    #[inline]
    pub(crate) fn key(&self) -> usize {
        self.0.get()
    }
}

/// What happened to one piece of memory.
#[derive(Clone, Default)]
pub(crate) struct Tracked {
    /// Once it was used while there was one queue, and found to be of that one's context, its key.
    used: Cell<usize>,
    /// The same, once it was written.
    written: Cell<usize>,
    /// Since there are several.
    uses: RefCell<Option<Box<Uses>>>,
}

impl Tracked {
    /// Whether such a use by the one queue was noted before.
    #[inline]
    pub(crate) fn is_noted(&self, writes: bool, gate: &Gate) -> bool {
        let noted = if writes { &self.written } else { &self.used };
        noted.get() == gate.key()
    }

    /// Notes a use by the one queue, of memory that is of its context. Says whether it is the first one.
    pub(crate) fn note(&self, writes: bool, gate: &Gate) -> bool {
        if writes {
            self.written.set(gate.key());
        }
        self.used.replace(gate.key()) == 0
    }

    /// Notes a use by one of several queues.
    pub(crate) fn note_op(&self, op: &Rc<Op>, writes: bool) {
        let mut uses = self.uses.borrow_mut();
        let uses = uses.get_or_insert_default();
        if !writes {
            uses.reads.retain(|read| read.queue != op.queue);
        }
        uses.note(op, writes);
    }

    /// Notes a use by a node of a graph, of which each comes once, or twice in a row.
    pub(crate) fn note_node(&self, node: &Rc<Op>, writes: bool) {
        self.uses.borrow_mut().get_or_insert_default().note(node, writes);
    }

    /// Shows what a use has to come after, until there is an error.
    pub(crate) fn each_before<E>(
        &self,
        writes: bool,
        see: impl FnMut(&Rc<Op>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.uses.borrow().iter().flat_map(|uses| uses.before(writes)).try_for_each(see)
    }

    /// Shows the nodes of a graph that a use has to come after.
    pub(crate) fn each_node_before(&self, writes: bool, mut see: impl FnMut(usize)) {
        let all = self.each_before(writes, |op| {
            see(op.queue);
            Ok::<_, Infallible>(())
        });
        let Ok(()) = all;
    }

    /// Whether it was used while there was one queue.
    pub(crate) fn was_used(&self) -> bool {
        self.used.get() != 0
    }

    /// Forgets the uses of the one queue: whether there was any, and one that wrote.
    pub(crate) fn take(&self) -> Option<bool> {
        let written = self.written.take() != 0;
        (self.used.take() != 0).then_some(written)
    }
}

/// An operation, by its place: the `number`-th of its queue.
pub(crate) struct Op {
    pub(crate) queue: usize,
    pub(crate) number: u64,
    pub(crate) mark: OnceCell<Mark>,
}

impl Op {
    /// A node of a graph that is built, by its place: as if each were a queue of its own.
    pub(crate) fn node(place: usize) -> Rc<Op> {
        Rc::new(Op { queue: place, number: 1, mark: OnceCell::new() })
    }
}

#[derive(Clone, Default)]
struct Uses {
    write: Option<Rc<Op>>,
    /// Since the write, the last one of each queue.
    reads: Vec<Rc<Op>>,
}

impl Uses {
    /// What a use has to come after: the reads first, as each of them came after the write.
    fn before(&self, writes: bool) -> impl Iterator<Item = &Rc<Op>> {
        let reads = if writes { &self.reads[..] } else { &[] };
        reads.iter().chain(&self.write)
    }

    fn note(&mut self, op: &Rc<Op>, writes: bool) {
        if writes {
            self.reads.clear();
            self.write = Some(op.clone());
        } else {
            self.reads.push(op.clone());
        }
    }
}

/// An event that was recorded behind an operation, of which everything up to the `covers`-th of its queue
/// is done when the event is.
pub(crate) struct Mark {
    event: usize,
    covers: u64,
    /// What the queue had waited for by then: for each queue, so many of its operations are done too.
    behind: Vec<u64>,
    free: Rc<RefCell<Vec<usize>>>,
}

impl Mark {
    /// Of the event at a place, which goes back to the `free` ones.
    pub(crate) fn new(
        event: usize,
        covers: u64,
        behind: Vec<u64>,
        free: Rc<RefCell<Vec<usize>>>,
    ) -> Mark {
        Mark { event, covers, behind, free }
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

impl Drop for Mark {
    fn drop(&mut self) {
        self.free.borrow_mut().push(self.event);
    }
}
