//! The resources that a graph keeps alive because its replays use them (invariant
//! [`graph-owns`](crate::soundness#graph-owns)).

use super::kept::{Keepers, Kept, User};
use crate::args::sealed::Operands;
use crate::memory::access::Access;
use crate::memory::grid::Grid;
use crate::memory::watch::SharedWatch;
use crate::memory::{Allocation, Share};
use crate::ops::Operation;
use crate::stream::host_function::{Panic, Pending};
use crate::sync::Arc;
use ffi::CUdeviceptr;
use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

/// The memory that a graph uses, and everything else that its nodes use. Memory is identified by its address.
#[derive(Clone, Default)]
pub(super) struct GraphResources {
    /// Everything except memory. First, as texture and surface objects end before the memory that they reach.
    kept: Keepers,
    /// The memory of the program, which each replay passes. Sorted by address, once [sealed](Self::seal).
    named: Vec<Named>,
    /// All memory by its address, until it is sealed: the place in `named`, or `None` for the graph's own.
    places: HashMap<CUdeviceptr, Option<usize>>,
    /// The graph's own memory.
    scratch: Vec<Arc<Share>>,
    /// Whether its nodes allocate.
    allocates: bool,
    /// Whether it has conditions.
    conditions: bool,
    /// The memory that the nodes of kernels, copies and child graphs use, if known, in the order of their places.
    uses: Vec<(usize, Vec<Span>)>,
    /// Where its guarded kernels note failures.
    watch: SharedWatch,
    /// The places of the kernel nodes whose attributes are a part of their shape.
    shaped: Vec<usize>,
    /// The address of the only memory of the program, if passing it to read and if passing it to write will do; otherwise
    /// [`NOWHERE`].
    only: [CUdeviceptr; 2],
    /// The number of times that the memory was matched.
    checks: Cell<u64>,
}

/// An address that no memory has, not even an empty buffer.
const NOWHERE: CUdeviceptr = CUdeviceptr::MAX;

#[derive(Clone)]
struct Named {
    address: CUdeviceptr,
    writes: bool,
    /// The number of the match in which it was seen last.
    seen: Cell<u64>,
    /// The place of the memory that was last passed at the position with this place's number.
    guess: Cell<u64>,
    _share: Arc<Share>,
}

/// Memory that one node uses: a part of the memory that the graph keeps.
#[derive(Clone)]
pub(super) struct Span {
    memory: CUdeviceptr,
    range: Range<CUdeviceptr>,
    /// The rows and planes, if there is other memory between them, and the bytes of an element.
    grid: Option<Grid>,
    element: usize,
    writes: bool,
}

impl Span {
    /// Creates the span of an access to device memory.
    #[inline]
    pub(super) fn of(access: &Access<'_>) -> Option<Span> {
        let memory = access.memory()?.address();
        let (range, grid, element) = (access.range(), access.grid.copied(), access.element());
        Some(Span { memory, range, grid, element, writes: access.writes })
    }

    /// Creates the spans of an operation.
    #[inline]
    pub(super) fn all(operation: &impl Operation) -> Vec<Span> {
        operation.uses().with_accesses(|all| all.iter().filter_map(Span::of).collect())
    }

    /// Returns whether this use covers an access: it uses no more memory, and only reads where this one only reads.
    #[inline]
    fn covers(&self, memory: CUdeviceptr, access: &Access<'_>) -> bool {
        let range = access.range();
        let inside = match (&self.grid, access.grid) {
            (None, _) => self.range.start <= range.start && range.end <= self.range.end,
            // Between rows there is other memory.
            (Some(rows), Some(part)) => {
                let offset = range.start.checked_sub(self.range.start);
                offset.is_some_and(|offset| rows.holds(self.element, offset as usize, part))
            }
            (Some(_), None) => false,
        };
        self.memory == memory && inside && (self.writes || !access.writes)
    }
}

impl GraphResources {
    /// Notes a use of device memory, and takes a share in the memory. An empty buffer has no memory.
    #[inline]
    pub(super) fn memory(&mut self, access: &Access<'_>) {
        let (Some(memory), writes) = (access.memory(), access.writes) else { return };
        let (address, last) = (memory.address(), self.named.len());
        if address == 0 {
            return;
        }
        match *self.places.entry(address).or_insert(Some(last)) {
            None => {}
            Some(place) if place < last => self.named[place].writes |= writes,
            Some(_) => {
                let (seen, guess) = (Cell::new(0), Cell::new(last as u64));
                self.named.push(Named { address, writes, seen, guess, _share: memory.share() });
            }
        }
    }

    #[inline]
    pub(super) fn scratch(&mut self, memory: &Allocation) {
        if memory.address() == 0 {
            return;
        }
        self.places.insert(memory.address(), None);
        self.scratch.push(memory.share());
    }

    #[inline]
    pub(super) fn allocated(&mut self, memory: &Allocation) {
        self.places.insert(memory.address(), None);
        self.allocates = true;
    }

    /// Keeps what a node uses besides memory.
    #[inline]
    pub(super) fn keep(&mut self, user: User, kept: impl IntoIterator<Item = Kept>) {
        kept.into_iter().for_each(|one| self.kept.keep(user, one));
    }

    /// Notes a use of device memory by a node, and keeps the object by which it is used.
    #[inline]
    pub(super) fn uses_memory(&mut self, user: User, access: &Access<'_>) {
        self.memory(access);
        self.keep(user, Kept::objects(std::slice::from_ref(access)));
    }

    /// Returns what the nodes use besides memory.
    #[inline]
    pub(super) fn kept(&self) -> &Keepers {
        &self.kept
    }

    /// Returns what the nodes use besides memory, for changes of it.
    #[inline]
    pub(super) fn kept_mut(&mut self) -> &mut Keepers {
        &mut self.kept
    }

    /// Returns the resources of a copy, which is made of the graph as it was captured or built.
    #[inline]
    pub(super) fn of_copy(&self) -> GraphResources {
        let mut copy = self.clone();
        copy.kept.forget_changes();
        copy
    }

    /// Notes what the node at a place uses.
    #[inline]
    pub(super) fn uses(&mut self, place: usize, uses: Vec<Span>) {
        self.uses.push((place, uses));
    }

    /// Returns where its guarded kernels note failures.
    #[inline]
    pub(super) fn watch(&self) -> &SharedWatch {
        &self.watch
    }

    /// Notes that the attributes of the kernel node at a place are a part of its shape.
    #[cold]
    #[inline]
    pub(super) fn has_shape(&mut self, place: usize) {
        self.shaped.push(place);
    }

    /// Returns whether attributes of the kernel node at a place are a part of its shape.
    #[inline]
    pub(super) fn is_shaped(&self, place: usize) -> bool {
        self.shaped.contains(&place)
    }

    /// Checks that the node at a place may have these accesses instead: only to memory that it used before, so that it is
    /// ordered for it.
    ///
    /// # Errors
    /// The reason why it may not.
    #[inline]
    pub(super) fn may_use(
        &self,
        place: usize,
        accesses: &[Access<'_>],
    ) -> Result<(), &'static str> {
        let Ok(found) = self.uses.binary_search_by_key(&place, |(one, _)| *one) else {
            return Err(
                "cuscope does not know which memory a captured node uses: capture the graph again",
            );
        };
        let (_, old) = &self.uses[found];
        for new in accesses {
            let address = new.memory().map_or(0, Allocation::address);
            if address == 0 && new.is_condition() {
                return Err(
                    "a condition is an argument of kernels that are added to its own graph",
                );
            }
            // No memory, or none in it.
            if address != 0 && !old.iter().any(|old| old.covers(address, new)) {
                return Err(
                    "the node does not use this memory in this way, so the graph does not order the use: \
                            build the graph again",
                );
            }
        }
        Ok(())
    }

    /// Returns whether it has its own memory, which two runs must not use simultaneously.
    #[inline]
    pub(super) fn has_scratch(&self) -> bool {
        !self.scratch.is_empty()
    }

    /// Returns whether it has conditions.
    pub(super) fn has_conditions(&self) -> bool {
        self.conditions
    }

    /// Notes a condition.
    pub(super) fn condition(&mut self) {
        self.conditions = true;
    }

    /// Returns whether its nodes allocate.
    pub(super) fn allocates(&self) -> bool {
        self.allocates
    }

    /// Returns the first panic of its functions since the last call. Called after each replay.
    #[inline]
    pub(super) fn panic(&self) -> Option<Panic> {
        if self.kept.has_functions() { self.kept.panicked() } else { None }
    }

    /// Returns the same for the end of a scope.
    #[inline]
    pub(super) fn pending(&self) -> Option<Box<dyn Pending>> {
        if self.kept.has_functions() { Some(self.kept.pending()) } else { None }
    }

    /// Prepares it for the first match.
    #[inline]
    pub(super) fn seal(mut self) -> Self {
        self.places = HashMap::new();
        self.only = [NOWHERE; 2];
        self.named.sort_unstable_by_key(|named| named.address);
        if let [Named { address, writes, .. }] = self.named[..] {
            self.only = [if writes { NOWHERE } else { address }, address];
        }
        self
    }

    /// Prepares it for more memory. Nothing names the graph's own memory any more.
    #[inline]
    pub(super) fn unseal(mut self) -> Self {
        let named = self.named.iter().enumerate();
        self.places = named.map(|(place, one)| (one.address, Some(place))).collect();
        self
    }

    /// Returns the number of pieces of memory that each replay passes.
    #[inline]
    pub(super) fn named(&self) -> usize {
        self.named.len()
    }

    /// Returns whether the graph uses only this memory, given by its address, and writes it only if this access does.
    #[inline]
    pub(super) fn is_only(&self, address: CUdeviceptr, writes: bool) -> bool {
        self.only[usize::from(writes)] == address
    }

    /// Starts to match memory with the graph's.
    #[inline]
    pub(super) fn check(&self) -> BufferCheck<'_> {
        let number = self.checks.get() + 1;
        self.checks.set(number);
        BufferCheck { resources: self, number, shown: 0, right: 0 }
    }
}

/// A match of the memory that is passed with the memory of a graph.
pub(super) struct BufferCheck<'k> {
    resources: &'k GraphResources,
    number: u64,
    shown: usize,
    right: usize,
}

impl BufferCheck<'_> {
    /// Passes an allocation by its address, or `None` for something that is no allocation.
    #[inline]
    pub(super) fn show(&mut self, memory: Option<CUdeviceptr>, writes: bool) {
        let (number, named) = (self.shown, &self.resources.named);
        self.shown += 1;
        // Both are alive, so one address is one allocation.
        let Some(address) = memory else { return };
        let guess = named.get(number).and_then(|one| named.get(one.guess.get() as usize));
        let found = match guess {
            Some(one) if one.address == address => Some(one),
            _ => search(named, number, address),
        };
        let Some(one) = found else {
            if address == 0 {
                // An empty buffer, which no graph keeps.
                self.shown -= 1;
            }
            return;
        };
        // Memory that is lent to be written may be read.
        if one.writes <= writes && one.seen.replace(self.number) != self.number {
            self.right += 1;
        }
    }

    /// Returns whether the memory was exactly the graph's, each piece once, and lent to be written if the graph writes it.
    ///
    /// # Errors
    /// The number of pieces that were passed.
    #[inline]
    pub(super) fn end(self) -> Result<(), usize> {
        let all = self.shown == self.right && self.right == self.resources.named.len();
        if all { Ok(()) } else { Err(self.shown) }
    }
}

/// Finds the memory at an address. The next match looks for the memory with this number there first.
#[inline(never)]
fn search(named: &[Named], number: usize, address: CUdeviceptr) -> Option<&Named> {
    let place = named.binary_search_by_key(&address, |one| one.address).ok()?;
    if let Some(one) = named.get(number) {
        one.guess.set(place as u64);
    }
    Some(&named[place])
}
