//! The names of a function and its blocks.

use std::collections::HashMap;

use super::super::code::Slot;
use super::super::tree::Variable;
use super::super::types::Type;
use super::{Lowered, refuse};

/// The entity that a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Entity<'s> {
    /// A register that has a slot.
    Register(Type, Slot),
    /// A register that is a vector of so many elements, and the slot of the first.
    Vector(Type, u8, Slot),
    /// A register of so many elements that has no slot yet, for want of use.
    Unused(Type, u8),
    /// A parameter of the entry, at an offset in the launch's buffer.
    Param(u32),
    /// A variable in the frame's local memory.
    Frame {
        /// Where it begins.
        offset: u32,
        /// How long it is.
        size: u32,
        /// How long an element is, if it is an array.
        step: Option<u8>,
        /// Whether it is declared in `.param`.
        param: bool,
    },
    /// A variable in shared memory, at an offset, and how long an element is, if it is an array.
    Shared(u32, Option<u8>),
    /// A variable of the function in device memory, by its index in the module, and likewise.
    Global(u32, Option<u8>),
    /// `.branchtargets`
    Targets(Vec<&'s str>),
    /// `.callprototype`: results and parameters.
    Prototype(Vec<Variable<'s>>, Vec<Variable<'s>>),
}

/// A block: its names and its labels.
struct Block<'s> {
    parent: usize,
    names: HashMap<&'s str, Entity<'s>>,
    /// Registers `name0` to `nameN-1`, by name: the type, the elements of each, and how many there are.
    ranges: HashMap<&'s str, (Type, u8, u64)>,
    /// Registers of a range that have a slot.
    numbered: HashMap<(&'s str, u64), Slot>,
    labels: HashMap<&'s str, usize>,
}

/// All blocks of a function, the function's own being the first.
pub(super) struct Scopes<'s> {
    blocks: Vec<Block<'s>>,
    current: usize,
    /// Whether a register is a vector.
    pub(super) vectors: bool,
}

/// A name without the digits at its end, and these.
fn numbered(name: &str) -> (&str, &str) {
    name.split_at(name.trim_end_matches(|c: char| c.is_ascii_digit()).len())
}

/// A register that has a slot.
pub(super) const fn register<'s>(ty: Type, elements: u8, slot: Slot) -> Entity<'s> {
    match elements {
        1 => Entity::Register(ty, slot),
        _ => Entity::Vector(ty, elements, slot),
    }
}

impl<'s> Scopes<'s> {
    pub(super) fn new() -> Self {
        let mut scopes = Self { blocks: Vec::new(), current: 0, vectors: false };
        scopes.open();
        scopes
    }

    pub(super) fn open(&mut self) {
        self.blocks.push(Block {
            parent: self.current,
            names: HashMap::new(),
            ranges: HashMap::new(),
            numbered: HashMap::new(),
            labels: HashMap::new(),
        });
        self.current = self.blocks.len() - 1;
    }

    pub(super) fn close(&mut self) {
        self.current = self.blocks[self.current].parent;
    }

    /// The block that is open.
    pub(super) fn current(&self) -> usize {
        self.current
    }

    /// A name of the open block.
    pub(super) fn declare(&mut self, name: &'s str, entity: Entity<'s>) -> Lowered<()> {
        let block = &mut self.blocks[self.current];
        let (stem, number) = numbered(name);
        let ranged = block
            .ranges
            .get(stem)
            .is_some_and(|&(.., count)| number.parse::<u64>().is_ok_and(|number| number < count));
        let named = block.names.insert(name, entity).is_some();
        if ranged || named || block.labels.contains_key(name) {
            return refuse(format!("Duplicate definition of variable '{name}'"));
        }
        Ok(())
    }

    pub(super) fn registers(
        &mut self,
        name: &'s str,
        (ty, elements): (Type, u8),
        count: Option<u64>,
    ) -> Lowered<()> {
        self.vectors |= elements > 1;
        let Some(count) = count else { return self.declare(name, Entity::Unused(ty, elements)) };
        let block = &mut self.blocks[self.current];
        let earlier = block.ranges.insert(name, (ty, elements, count)).is_some();
        let within = |&&one: &&&str| {
            let (stem, number) = numbered(one);
            stem == name && number.parse::<u64>().is_ok_and(|number| number < count)
        };
        match block.names.keys().find(within) {
            Some(one) => refuse(format!("Duplicate definition of variable '{one}'")),
            None if earlier => refuse(format!("Duplicate definition of variable '{name}<'")),
            None => Ok(()),
        }
    }

    pub(super) fn label(&mut self, name: &'s str, at: usize) -> Lowered<()> {
        let block = &mut self.blocks[self.current];
        if block.labels.insert(name, at).is_some() || block.names.contains_key(name) {
            return refuse(format!("Duplicate definition of label '{name}'"));
        }
        Ok(())
    }

    /// Where a label of a block, or of one around it, leads.
    pub(super) fn label_from(&self, mut block: usize, name: &str) -> Option<usize> {
        loop {
            let here = &self.blocks[block];
            if let Some(&at) = here.labels.get(name) {
                return Some(at);
            }
            if here.parent == block {
                return None;
            }
            block = here.parent;
        }
    }

    /// Returns the entity that a name stands for; a register that is used for the first time gets
    /// the slot of `fresh`.
    pub(super) fn find(&mut self, name: &'s str, fresh: Slot) -> Option<Entity<'s>> {
        let (stem, number) = numbered(name);
        let digits = number.len();
        let canonical = digits == 1 || (digits > 1 && !number.starts_with('0'));
        let number = number.parse::<u64>().ok().filter(|_| canonical);
        let mut block = self.current;
        loop {
            let here = &mut self.blocks[block];
            if let Some(entity) = here.names.get_mut(name) {
                if let Entity::Unused(ty, elements) = *entity {
                    *entity = register(ty, elements, fresh);
                }
                return Some(entity.clone());
            }
            let range = here.ranges.get(stem);
            if let (Some(number), Some(&(ty, elements, count))) = (number, range)
                && number < count
            {
                let slot = *here.numbered.entry((stem, number)).or_insert(fresh);
                return Some(register(ty, elements, slot));
            }
            if here.parent == block {
                return None;
            }
            block = here.parent;
        }
    }
}
