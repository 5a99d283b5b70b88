//! What registers hold in a loop of one block, as sums of what they held when a pass began.

use std::collections::BTreeMap;

use cuscope_ptx_syntax::types::Type;

use crate::body::{Arg, Ins, Item};
use crate::planted::{Mistake, planted};

/// A part of a sum.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Atom {
    /// What a register holds when a pass begins.
    Reg(usize),
    /// A register of ours, which no loop writes.
    Ours(String),
}

/// A sum of products, modulo 2^64 if it is `wide`, and otherwise modulo 2^32.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Sum {
    pub(super) wide: bool,
    pub(super) terms: BTreeMap<Atom, i64>,
    pub(super) plus: i64,
}

/// Longer sums are not followed.
const MOST_TERMS: usize = 8;

impl Sum {
    pub(super) fn number(wide: bool, plus: i64) -> Self {
        Self { wide, terms: BTreeMap::new(), plus }.fitted()
    }

    pub(super) fn of(wide: bool, atom: Atom) -> Self {
        Self { wide, terms: BTreeMap::from([(atom, 1)]), plus: 0 }
    }

    fn fitted(mut self) -> Self {
        if !self.wide {
            self.plus = (self.plus as i32).into();
            self.terms.values_mut().for_each(|by| *by = (*by as i32).into());
        }
        self.terms.retain(|_, by| *by != 0);
        self
    }

    /// With so many times another added.
    pub(super) fn add(&self, other: &Self, times: i64) -> Option<Self> {
        let mut all = self.clone();
        all.plus = all.plus.wrapping_add(other.plus.wrapping_mul(times));
        for (atom, by) in &other.terms {
            let own = all.terms.entry(atom.clone()).or_insert(0);
            *own = own.wrapping_add(by.wrapping_mul(times));
        }
        let all = all.fitted();
        (self.wide == other.wide && all.terms.len() <= MOST_TERMS).then_some(all)
    }

    pub(super) fn plus(&self, number: i64) -> Self {
        Self { plus: self.plus.wrapping_add(number), ..self.clone() }.fitted()
    }

    pub(super) fn constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.plus)
    }
}

/// What the passes of a loop do with registers.
pub(super) struct Passes<'a> {
    types: &'a [Type],
    /// What is written: the item, the register, and the value, if it is a sum.
    writes: Vec<(usize, usize, Option<Sum>)>,
}

impl<'a> Passes<'a> {
    /// Of the items from a number on.
    pub(super) fn new(items: &[Item], from: usize, types: &'a [Type]) -> Self {
        let mut all = Self { types, writes: Vec::new() };
        for (at, item) in (from..).zip(items) {
            let Item::Ins(ins) = item else { continue };
            let whole = ins.guard.is_none() || planted(Mistake::LoopPredicated);
            let value = if whole { all.result(at, ins) } else { None };
            for reg in ins.results() {
                let fits = |one: &Sum| all.holds(reg).is_some_and(|wide| wide == one.wide);
                all.writes.push((at, reg, value.clone().filter(fits)));
            }
        }
        all
    }

    /// Whether a register has 64 bits; nothing if it holds no number of 32 or 64 bits.
    fn holds(&self, reg: usize) -> Option<bool> {
        let ty = self.types[reg];
        (ty.is_integer() && matches!(ty.bytes, 4 | 8)).then_some(ty.bytes == 8)
    }

    /// The items that write a register.
    pub(super) fn writers(&self, reg: usize) -> Vec<usize> {
        self.writes.iter().filter(|one| one.1 == reg).map(|one| one.0).collect()
    }

    /// What a register holds before an item.
    pub(super) fn value(&self, at: usize, reg: usize) -> Option<Sum> {
        let before = |one: &&(usize, usize, Option<Sum>)| {
            one.1 == reg && (one.0 < at || planted(Mistake::LoopOrder))
        };
        match self.writes.iter().rev().find(before) {
            Some(one) => one.2.clone(),
            None => Some(Sum::of(self.holds(reg)?, Atom::Reg(reg))),
        }
    }

    /// What an operand is before an item.
    pub(super) fn operand(&self, at: usize, arg: &Arg, wide: bool) -> Option<Sum> {
        match arg {
            Arg::Reg(reg) => self.value(at, *reg).filter(|one| one.wide == wide),
            Arg::Int(number) => Some(Sum::number(wide, *number as i64)),
            _ => None,
        }
    }

    /// What an instruction writes.
    fn result(&self, at: usize, ins: &Ins) -> Option<Sum> {
        let [Arg::Reg(_), rest @ ..] = &ins.args[..] else { return None };
        let (head, ty) = ins.opcode.rsplit_once('.')?;
        let wide = match ty {
            "b64" | "u64" | "s64" => true,
            "b32" | "u32" | "s32" => false,
            _ => return None,
        };
        let of = |arg: &Arg| self.operand(at, arg, wide);
        match (head, rest) {
            ("mov", [a]) => of(a),
            ("add", [a, b]) => of(a)?.add(&of(b)?, 1),
            ("sub", [a, b]) => of(a)?.add(&of(b)?, -1),
            ("shl", [a, Arg::Int(by @ 0..=31)]) => Sum::number(wide, 0).add(&of(a)?, 1 << by),
            _ => None,
        }
    }

    /// By how much a sum is more in each pass than in the one before: a sum of what no pass changes.
    pub(super) fn step(&self, sum: &Sum) -> Option<Sum> {
        let zero = Sum::number(sum.wide, 0);
        sum.terms.iter().try_fold(zero, |all, (atom, &times)| match atom {
            Atom::Ours(_) => Some(all),
            Atom::Reg(reg) => all.add(&self.step_of(*reg)?, times),
        })
    }

    /// Of a register when a pass begins.
    fn step_of(&self, reg: usize) -> Option<Sum> {
        let mut writes = self.writes.iter().filter(|one| one.1 == reg);
        let last = match planted(Mistake::LoopFirstWrite) {
            true => writes.next(),
            false => writes.next_back(),
        };
        let wide = self.holds(reg)?;
        let Some(last) = last else { return Some(Sum::number(wide, 0)) };
        let step = last.2.as_ref()?.add(&Sum::of(wide, Atom::Reg(reg)), -1)?;
        (self.fixed(&step) || planted(Mistake::LoopVaryingStep)).then_some(step)
    }

    /// Whether no pass changes what a sum is of.
    pub(super) fn fixed(&self, sum: &Sum) -> bool {
        sum.terms.keys().all(|atom| match atom {
            Atom::Reg(reg) => self.writers(*reg).is_empty(),
            Atom::Ours(_) => true,
        })
    }
}
