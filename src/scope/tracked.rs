//! What the scope knows of one piece of memory: how it was used.

use super::marks::Mark;
use crate::Context;
use crate::memory::Allocation;
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
    pub(super) fn new(context: &Context) -> Gate {
        Gate(Cell::new(context.key()))
    }

    /// Of a queue on a stream of another context, which is refused everything.
    #[inline]
    pub(super) fn shut() -> Gate {
        Gate(Cell::new(SHUT))
    }

    /// From here on operations have to be ordered.
    pub(super) fn shut_it(&self) {
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
    pub(super) fn note(&self, writes: bool, gate: &Gate) -> bool {
        if writes {
            self.written.set(gate.key());
        }
        self.used.replace(gate.key()) == 0
    }

    /// Notes a use by one of several queues.
    pub(super) fn note_op(&self, op: &Rc<Op>, writes: bool) {
        let mut uses = self.uses.borrow_mut();
        let uses = uses.get_or_insert_default();
        if !writes {
            uses.reads.retain(|read| read.queue != op.queue);
        }
        uses.note(op, writes);
    }

    /// Notes a use by a node of a graph, of which each comes once, or twice in a row.
    fn note_node(&self, node: &Rc<Op>, writes: bool) {
        self.uses.borrow_mut().get_or_insert_default().note(node, writes);
    }

    /// Shows what a use has to come after, until there is an error.
    pub(super) fn each_before<E>(
        &self,
        writes: bool,
        see: impl FnMut(&Rc<Op>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.uses.borrow().iter().flat_map(|uses| uses.before(writes)).try_for_each(see)
    }

    /// Whether it was used while there was one queue.
    pub(super) fn was_used(&self) -> bool {
        self.used.get() != 0
    }

    /// Forgets the uses of the one queue: whether there was any, and one that wrote.
    pub(super) fn take(&self) -> Option<bool> {
        let written = self.written.take() != 0;
        (self.used.take() != 0).then_some(written)
    }
}

/// An operation, by its place: the `number`-th of its queue.
pub(crate) struct Op {
    pub(super) queue: usize,
    pub(super) number: u64,
    pub(super) mark: OnceCell<Mark>,
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

/// What an operation uses, for [`Queue::prepare`](crate::Queue::prepare).
#[derive(Clone, Copy)]
pub struct Operand<'a> {
    of: Of<'a>,
    /// If it is tracked.
    used: Option<Use<'a>>,
}

/// What an operand is of.
#[derive(Clone, Copy)]
enum Of<'a> {
    /// Every context.
    Any,
    Context(&'a Context),
    Memory(&'a Allocation),
}

impl<'a> Operand<'a> {
    /// What is no memory.
    pub(crate) const NONE: Operand<'static> = Operand { of: Of::Any, used: None };

    /// Memory of the device.
    #[inline]
    pub(crate) fn memory(memory: &'a Allocation, used: Option<Use<'a>>) -> Self {
        Operand { of: Of::Memory(memory), used }
    }

    /// Memory that can be used in every context, or in this one.
    #[inline]
    pub(crate) fn host(only: Option<&'a Context>, used: Option<Use<'a>>) -> Self {
        Operand { of: only.map_or(Of::Any, Of::Context), used }
    }

    /// The tracked uses.
    pub(crate) fn uses(operands: &[Operand<'a>]) -> impl Iterator<Item = Use<'a>> {
        operands.iter().filter_map(|operand| operand.used)
    }

    /// Whether it can be used in this context.
    pub(super) fn is_of(&self, context: &Context) -> bool {
        match self.of {
            Of::Any => true,
            Of::Context(only) => only == context,
            Of::Memory(memory) => memory.is_of(context),
        }
    }
}

/// A use of tracked memory by an operation.
#[derive(Clone, Copy)]
pub(crate) struct Use<'a> {
    pub(super) tracked: &'a Tracked,
    pub(super) writes: bool,
}

impl Use<'_> {
    /// Whether nothing is to be ordered or noted for it, nor compared.
    #[inline]
    pub(crate) fn is_noted(&self, gate: &Gate) -> bool {
        self.tracked.is_noted(self.writes, gate)
    }

    /// Shows the nodes of a graph that this use has to come after.
    pub(crate) fn each_node_before(&self, mut see: impl FnMut(usize)) {
        let all = self.tracked.each_before(self.writes, |op| {
            see(op.queue);
            Ok::<_, Infallible>(())
        });
        let Ok(()) = all;
    }

    /// Notes it as one of a node of a graph.
    pub(crate) fn note_node(&self, node: &Rc<Op>) {
        self.tracked.note_node(node, self.writes);
    }
}
