//! Objects that the nodes of a graph use besides memory, and which of them uses each.

use super::host::Called;
use crate::call::{Answer, fault};
use crate::error::{Result, means_not_taken};
use crate::event::EventInner;
use crate::external::{ExternalSemaphore, SemaphoreInner};
use crate::memory::access::Access;
use crate::memory::object::Object;
use crate::owned::Owner;
use crate::stream::host_function::{FirstPanic, Panic, Pending, first};
use crate::stream::value::ValueOperation;
use crate::sync;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A node that uses something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum User {
    /// The node at this place, as it was built or changed in a definition. Copies and parents of the graph use it, too.
    Defined(usize),
    /// A node that was captured, at a place that the capture does not know.
    Captured,
    /// The node at this place, as it was changed in a graph that can run. Copies are as before the change.
    Changed(usize),
}

/// Something that a node uses, besides memory and host functions.
#[derive(Clone)]
pub(super) enum Kept {
    /// A texture or surface object.
    Object(sync::Arc<Object>),
    /// The code of a kernel, which stays loaded.
    Code(Owner),
    Event(Arc<EventInner>),
    Semaphore(Arc<SemaphoreInner>),
    /// The memory of a number that a node waits for or writes.
    Number(Arc<dyn Any + Send + Sync>),
}

impl Kept {
    /// Returns the objects among accesses to memory that the graph keeps.
    #[inline]
    pub(super) fn objects(accesses: &[Access<'_>]) -> impl Iterator<Item = Kept> {
        accesses.iter().filter_map(Access::object).map(|object| Kept::Object(object.clone()))
    }

    #[inline]
    pub(super) fn semaphores(all: &[(&ExternalSemaphore<'_>, u64)]) -> impl Iterator<Item = Kept> {
        all.iter().map(|(semaphore, _)| Kept::Semaphore(semaphore.inner.clone()))
    }

    /// Returns the numbers of operations.
    #[inline]
    pub(super) fn numbers(operations: &[ValueOperation<'_>]) -> impl Iterator<Item = Kept> {
        operations.iter().filter_map(ValueOperation::share).map(Kept::Number)
    }

    /// Returns a key that nothing else has while this is alive.
    #[inline]
    fn key(&self) -> Key {
        match self {
            Kept::Object(one) => (sync::Arc::as_ptr(one).addr(), 0),
            Kept::Code(one) => one.key(),
            Kept::Event(one) => (Arc::as_ptr(one).addr(), 0),
            Kept::Semaphore(one) => (Arc::as_ptr(one).addr(), 0),
            Kept::Number(one) => (Arc::as_ptr(one).addr(), 0),
        }
    }
}

type Key = (usize, usize);

/// Objects that nodes use besides memory, by the nodes. Everything is kept once for each.
#[derive(Clone, Default)]
pub(super) struct Keepers {
    all: BTreeMap<(User, Key), Kept>,
    /// The changed nodes that use code and nothing else, by their places, with the keys of that. Found quickly.
    code: Vec<(usize, Key)>,
    /// Host functions. Apart, since each replay asks for their panics.
    functions: Vec<(User, Arc<dyn Called>)>,
}

/// The objects that a node uses after a change, if the driver makes it.
#[derive(Default)]
pub(super) struct New {
    all: BTreeMap<Key, Kept>,
    functions: Vec<Arc<dyn Called>>,
}

impl New {
    #[inline]
    pub(super) fn of(kept: impl IntoIterator<Item = Kept>) -> New {
        let all = kept.into_iter().map(|one| (one.key(), one)).collect();
        New { all, functions: Vec::new() }
    }

    /// Returns the key of the code, if there is nothing else.
    #[inline]
    fn code(&self) -> Option<Key> {
        let mut all = self.all.iter();
        match (all.next(), all.next(), self.functions.is_empty()) {
            (Some((key, Kept::Code(_))), None, true) => Some(*key),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn function(function: Arc<dyn Called>) -> New {
        New { all: BTreeMap::new(), functions: vec![function] }
    }
}

impl Keepers {
    #[inline]
    pub(super) fn keep(&mut self, user: User, kept: Kept) {
        self.all.entry((user, kept.key())).or_insert(kept);
    }

    #[inline]
    pub(super) fn keep_function(&mut self, user: User, function: Arc<dyn Called>) {
        self.functions.push((user, function));
    }

    /// Returns everything that a copy of the graph uses, so that one node of another graph can use it.
    #[inline]
    pub(super) fn of_child(&self) -> New {
        let is_defined = |user| !matches!(user, User::Changed(_));
        let all = self.all.iter().filter(|((user, _), _)| is_defined(*user));
        let functions = self.functions.iter().filter(|(user, _)| is_defined(*user));
        New {
            all: all.map(|((_, key), one)| (*key, one.clone())).collect(),
            functions: functions.map(|(_, function)| function.clone()).collect(),
        }
    }

    /// Keeps what a node uses, besides what it uses already.
    #[inline]
    pub(super) fn add(&mut self, user: User, new: New) {
        self.all.extend(new.all.into_iter().map(|(key, one)| ((user, key), one)));
        self.functions.extend(new.functions.into_iter().map(|function| (user, function)));
    }

    /// Returns whether this code is known to be all that a node uses.
    #[inline]
    pub(super) fn is_only(&self, user: User, code: &Owner) -> bool {
        let User::Changed(place) = user else { return false };
        let found = self.code.binary_search_by_key(&place, |(one, _)| *one);
        found.is_ok_and(|at| self.code[at].1 == code.key())
    }

    /// Notes what code is all that a node uses, if there is such.
    #[inline]
    fn note_code(&mut self, user: User, code: Option<Key>) {
        let User::Changed(place) = user else { return };
        match (self.code.binary_search_by_key(&place, |(one, _)| *one), code) {
            (Ok(at), Some(code)) => self.code[at].1 = code,
            (Ok(at), None) => drop(self.code.remove(at)),
            (Err(at), Some(code)) => self.code.insert(at, (place, code)),
            (Err(_), None) => {}
        }
    }

    /// Keeps what a node uses after a change with this answer, in the place of what it used before. Nothing runs the graph.
    ///
    /// # Errors
    /// The error of the driver call. If the code does not prove that the call changed nothing, the node may use the new, and
    /// goes on to keep the old.
    pub(super) fn changed(&mut self, user: User, new: New, answer: Answer) -> Result {
        let result = answer.result();
        let unchanged = |code| {
            // An update that cannot be made leaves the node as it was (F573).
            means_not_taken(code) || code == ffi::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE
        };
        // After a fault, a graph may still run although the wait for it is over (F326).
        if result.is_ok() && !fault::is_seen() {
            self.note_code(user, new.code());
            // Dropped last: the destructor of a function is code of the program.
            let _old = self.replace(user, new);
        } else if result.is_ok() || !unchanged(answer.code) {
            self.note_code(user, None);
            self.add(user, new);
        }
        result
    }

    /// Puts what a node uses in the place of what it used before, which this returns.
    fn replace(&mut self, user: User, new: New) -> New {
        let range = (user, (0, 0))..=(user, (usize::MAX, usize::MAX));
        let keys: Vec<_> = self.all.range(range).map(|(key, _)| *key).collect();
        let all = keys.into_iter().filter_map(|key| Some((key.1, self.all.remove(&key)?)));
        let all = all.collect();
        let (mut functions, mut panics) = (Vec::new(), Vec::new());
        self.functions.retain(|(one, function)| {
            if *one == user {
                functions.push(function.clone());
            }
            *one != user
        });
        // A definition never runs: the panics are those of graphs that were made of it.
        if let User::Changed(_) = user {
            panics.extend(functions.iter().map(|function| function.panicked()));
        }
        if let Some(panic) = first(&mut panics.into_iter()) {
            // It continues where the program waits for the next replay.
            let left = FirstPanic::default();
            left.keep(panic);
            self.keep_function(user, Arc::new(left));
        }
        self.add(user, new);
        New { all, functions }
    }

    /// Forgets what only changed nodes use.
    #[inline]
    pub(super) fn forget_changes(&mut self) {
        self.code.clear();
        self.all.retain(|(user, _), _| !matches!(user, User::Changed(_)));
        self.functions.retain(|(user, _)| !matches!(user, User::Changed(_)));
    }

    #[inline]
    pub(super) fn has_functions(&self) -> bool {
        !self.functions.is_empty()
    }

    /// Returns the first panic of the functions since the last call.
    #[inline]
    pub(super) fn panicked(&self) -> Option<Panic> {
        // Each is asked.
        first(&mut self.functions.iter().map(|(_, function)| function.panicked()))
    }

    /// Returns the functions, for the end of a scope.
    #[inline]
    pub(super) fn pending(&self) -> Box<dyn Pending> {
        struct Functions(Vec<Arc<dyn Called>>);
        impl Pending for Functions {
            #[inline]
            fn end(&self) -> Option<Panic> {
                first(&mut self.0.iter().map(|function| function.panicked()))
            }
        }
        Box::new(Functions(self.functions.iter().map(|(_, function)| function.clone()).collect()))
    }
}

/// The panic of a function that the graph no longer has.
impl Called for FirstPanic {
    fn panicked(&self) -> Option<Panic> {
        self.take()
    }
}
