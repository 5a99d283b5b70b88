//! What a graph keeps alive, as it runs on it whenever it is replayed (invariant `graph-owns`).

use crate::memory::Allocation;
use crate::module::ModuleInner;
use crate::sync::Arc;
use std::cell::Cell;

/// The memory and the code that a graph names.
#[derive(Default)]
pub(super) struct Kept {
    /// The memory of the program: each replay names it again. By address, once [sealed](Self::seal).
    named: Vec<Named>,
    /// The graph's own memory.
    scratch: Vec<Arc<Allocation>>,
    modules: Vec<std::sync::Arc<ModuleInner>>,
    /// How often the memory was looked through.
    looks: Cell<u64>,
}

struct Named {
    memory: Arc<Allocation>,
    writes: bool,
    /// The look in which it was seen last.
    seen: Cell<u64>,
}

impl Kept {
    /// Notes a use of memory.
    pub(super) fn memory(&mut self, memory: &Arc<Allocation>, writes: bool) {
        if self.scratch.iter().any(|own| Arc::ptr_eq(own, memory)) {
            return;
        }
        match self.named.iter_mut().find(|named| Arc::ptr_eq(&named.memory, memory)) {
            Some(named) => named.writes |= writes,
            None => {
                self.named.push(Named { memory: memory.clone(), writes, seen: Cell::new(0) });
            }
        }
    }

    pub(super) fn scratch(&mut self, memory: Arc<Allocation>) {
        self.scratch.push(memory);
    }

    pub(super) fn module(&mut self, module: &std::sync::Arc<ModuleInner>) {
        if !self.modules.iter().any(|kept| std::sync::Arc::ptr_eq(kept, module)) {
            self.modules.push(module.clone());
        }
    }

    /// Before the first look.
    pub(super) fn seal(mut self) -> Self {
        self.named.sort_by_key(|named| named.memory.address());
        self
    }

    /// How much memory each replay names.
    pub(super) fn named(&self) -> usize {
        self.named.len()
    }

    /// Looks whether the memory that `each` shows is what the graph names, each once and used in the same
    /// way. Gives how much was shown if not.
    pub(super) fn is_named(
        &self,
        each: impl FnOnce(&mut dyn FnMut(Option<&Arc<Allocation>>, bool)),
    ) -> Result<(), usize> {
        let look = self.looks.get() + 1;
        self.looks.set(look);
        let (mut shown, mut right) = (0, 0);
        each(&mut |memory, writes| {
            shown += 1;
            let Some(memory) = memory else { return };
            // Both are alive, so one address is one allocation.
            let place = self.named.binary_search_by_key(&memory.address(), |n| n.memory.address());
            let Ok(place) = place else { return };
            let named = &self.named[place];
            if named.writes == writes && named.seen.replace(look) != look {
                right += 1;
            }
        });
        if shown == right && right == self.named.len() { Ok(()) } else { Err(shown) }
    }
}
