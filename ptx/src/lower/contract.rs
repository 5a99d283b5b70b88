//! Products that become a part of the sums that take them, as NVIDIA's assembler has it: they are rounded once.
//!
//! A product of floats without a rounding modifier can be fused if each instruction that takes it is an addition or subtraction
//! without one, of the same type and `.ftz`, in the same stretch of code. `neg` in between changes the sign, `mov` nothing. A
//! stretch ends at labels and branches, and at what the assembler makes branches of: a guarded instruction that does more than
//! compute, and some that take many steps. The assembler goes through the sums of a stretch in their order:
//!
//! 1. A product that several sums take is computed, and no sum fuses it, if one of these takes a product that no other sum takes.
//! 2. Of two products, a sum fuses the one that fewer sums take, or the first. The other one is computed, so that no later sum
//!    fuses it, though earlier ones have.

use super::super::code::{Instr, Op, Slot, Src};
use super::super::ops;
use super::super::types::Type;
use super::hoist::begins;
use super::uses::Uses;
use std::collections::{BTreeMap, BTreeSet};

/// An operation that may be fused with another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A product.
    Product,
    /// A sum.
    Sum,
    /// A difference.
    Difference,
    /// The negative of a value.
    Negative,
    /// The value itself.
    Copy,
    /// The assembler ends a stretch of code with it.
    Break,
    /// `fma.rn.f32`
    Fused,
}

/// An instruction of floats without a rounding modifier, by its place in the code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note {
    pub(super) at: usize,
    pub(super) what: What,
    pub(super) ty: Type,
    pub(super) modifiers: ops::Modifiers,
}

/// A value that is a product, or its negative.
#[derive(Clone, Copy)]
struct Factor {
    /// The place of the product.
    product: usize,
    negative: bool,
}

/// A sum that takes products: those that are its first and second operand.
type Taker = [Option<Factor>; 2];

/// Fuses the products of a kernel's code that the assembler fuses. Functions have results, which nothing in them reads.
pub(super) fn contract(code: &mut [Instr], notes: &[Note]) {
    if !notes.iter().any(|note| note.what == What::Product) {
        return;
    }
    let Some(uses) = code.iter().map(Uses::of).collect::<Option<Vec<_>>>() else { return };
    let notes: BTreeMap<usize, Note> = notes.iter().map(|note| (note.at, *note)).collect();
    let places = Places::of(code, &uses, &stretches(code, &notes));
    let mut takers: BTreeMap<usize, Taker> = BTreeMap::new();
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for (&at, note) in &notes {
        if note.what != What::Product || code[at].guard.is_some() || note.modifiers.sat {
            continue;
        }
        let mut found = Vec::new();
        let seen = See { code, uses: &uses, places: &places, notes: &notes };
        if seen.sums_of(Factor { product: at, negative: false }, at, MOST_STEPS, &mut found)
            && !found.is_empty()
        {
            counts.insert(at, found.len());
            for (sum, side, factor) in found {
                takers.entry(sum).or_default()[side] = Some(factor);
            }
        }
    }
    let mut computed: BTreeSet<usize> = BTreeSet::new();
    for taker in takers.values() {
        if let [Some(one), Some(other)] = taker.map(|factor| factor.map(|factor| factor.product)) {
            match (counts[&one], counts[&other]) {
                (1, 2..) => computed.insert(other),
                (2.., 1) => computed.insert(one),
                _ => false,
            };
        }
    }
    for (&sum, taker) in &takers {
        let sides = taker.iter().enumerate();
        let fit = sides.filter_map(|(side, factor)| Some((side, (*factor)?)));
        let fit = fit.filter(|(_, factor)| !computed.contains(&factor.product));
        let Some((side, factor)) =
            fit.min_by_key(|(side, factor)| (counts[&factor.product], *side))
        else {
            continue;
        };
        computed.extend(taker[1 - side].map(|other| other.product));
        fuse(code, sum, side, factor, notes[&sum]);
    }
    for at in counts.into_keys().filter(|at| !computed.contains(at)) {
        code[at].op = Op::Nop;
    }
}

/// Where stretches begin.
fn stretches(code: &[Instr], notes: &BTreeMap<usize, Note>) -> Vec<bool> {
    let mut begins = begins(code);
    for at in 1..code.len() {
        let last = &code[at - 1];
        let breaks = notes.get(&(at - 1)).is_some_and(|note| note.what == What::Break);
        begins[at] |= breaks || last.guard.is_some() && !computes(&last.op);
    }
    begins
}

/// Whether an instruction only computes, so that a guard is no branch for the assembler.
fn computes(op: &Op) -> bool {
    matches!(
        op,
        Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Lop3 { .. }
            | Op::Video { .. }
            | Op::Bfi { .. }
            | Op::Carry { writes: false, .. }
            | Op::Setp { .. }
            | Op::Set { .. }
            | Op::SetHalves { .. }
            | Op::Convert { .. }
            | Op::ConvertPair { .. }
            | Op::ConvertEach { .. }
            | Op::Special { .. }
            | Op::Address { .. }
            | Op::Unpack { .. }
            | Op::Pack { .. }
            | Op::InDeviceMemory { .. }
            | Op::Query { .. }
    )
}

/// Makes a sum one with a product that it takes on a side.
fn fuse(code: &mut [Instr], sum: usize, side: usize, factor: Factor, note: Note) {
    let Op::Binary { a, b, .. } = code[factor.product].op else { return };
    let Op::Binary { d, a: first, b: second, .. } = code[sum].op else { return };
    let difference = note.what == What::Difference;
    let (c, opcode) = match (side, difference, factor.negative) {
        (0, false, false) => (second, "fma"),
        (0, true, false) => (second, "fms"),
        (0, false, true) => (second, "fnma"),
        (0, true, true) => (second, "fnms"),
        (_, false, false) | (_, true, true) => (first, "fma"),
        (_, true, false) | (_, false, true) => (first, "fnma"),
    };
    let modifiers = ops::Modifiers { rounding: Some(ops::Rounding::Nearest), ..note.modifiers };
    if let Some(f) = ops::float_ternary(opcode, note.ty, modifiers) {
        code[sum].op = Op::Ternary { f, d, a, b, c };
    }
}

/// Where registers are read and written, in stretches of the code.
pub(super) struct Places {
    /// The instructions that read each.
    reads: Vec<Vec<usize>>,
    /// The instructions that write each, and whether they do so for all lanes.
    writes: Vec<Vec<(usize, bool)>>,
    /// Whether a stretch may read what another one has put there.
    shared: Vec<bool>,
    /// Where the stretch of each instruction ends.
    ends: Vec<usize>,
}

impl Places {
    pub(super) fn of(code: &[Instr], uses: &[Uses], begins: &[bool]) -> Self {
        let slots = uses.iter().flat_map(|uses| uses.reads.iter().chain(&uses.writes)).max();
        let count = slots.map_or(0, |&slot| slot as usize + 1);
        let (mut reads, mut writes) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        let mut shared = vec![false; count];
        let (mut start, mut whole) = (0, vec![None; count]);
        for (at, (instr, uses)) in code.iter().zip(uses).enumerate() {
            if begins[at] {
                start = at;
            }
            for &slot in &uses.reads {
                reads[slot as usize].push(at);
                shared[slot as usize] |= whole[slot as usize].is_none_or(|place| place < start);
            }
            for &slot in &uses.writes {
                writes[slot as usize].push((at, instr.guard.is_none()));
                if instr.guard.is_none() {
                    whole[slot as usize] = Some(at);
                }
            }
        }
        let mut ends = vec![code.len(); code.len()];
        for at in (1..code.len()).rev() {
            ends[at - 1] = if begins[at] { at } else { ends[at] };
        }
        Self { reads, writes, shared, ends }
    }

    /// Whether an instruction is in the stretch of an earlier one.
    pub(super) fn together(&self, early: usize, late: usize) -> bool {
        late < self.ends[early]
    }

    /// The instructions after one in its stretch that read what this has put into a register; none if others may do so, or
    /// if it is changed for some lanes.
    pub(super) fn readers(&self, slot: Slot, from: usize) -> Option<&[usize]> {
        let slot = slot as usize;
        let end = self.ends[from];
        let writes = &self.writes[slot];
        let next = writes.get(writes.partition_point(|&(at, _)| at <= from));
        let next = next.filter(|&&(at, _)| at < end);
        if self.shared[slot] || next.is_some_and(|&(_, all)| !all) {
            return None;
        }
        let last = next.map_or(end, |&(at, _)| at + 1);
        let reads = &self.reads[slot];
        let within =
            reads.partition_point(|&at| at <= from)..reads.partition_point(|&at| at < last);
        reads.get(within)
    }

    /// Whether a register is written between two instructions.
    fn changes(&self, slot: Slot, from: usize, to: usize) -> bool {
        let writes = &self.writes[slot as usize];
        let next = writes.get(writes.partition_point(|&(at, _)| at <= from));
        next.is_some_and(|&(at, _)| at < to)
    }
}

/// How often a product may be copied, or change its sign, on its way to a sum.
const MOST_STEPS: u32 = 4;

/// The facts that are known about the code.
struct See<'c> {
    code: &'c [Instr],
    uses: &'c [Uses],
    places: &'c Places,
    notes: &'c BTreeMap<usize, Note>,
}

impl See<'_> {
    /// Finds the sums that take a value, which the instruction at a place computes, each with the side; whether all takers are
    /// such.
    fn sums_of(
        &self,
        value: Factor,
        from: usize,
        steps: u32,
        found: &mut Vec<(usize, usize, Factor)>,
    ) -> bool {
        let &[d] = &self.uses[from].writes[..] else { return false };
        let Op::Binary { a, b, .. } = self.code[value.product].op else { return false };
        let Some(readers) = self.places.readers(d, from) else { return false };
        let like = self.notes[&value.product];
        for &at in readers {
            // The factors are to be what they were; the product itself is not put anywhere.
            let kept = |src: Src| match src.split() {
                Ok(slot) => !self.places.changes(slot, value.product, at),
                Err(_) => true,
            };
            let Some(note) = self.notes.get(&at) else { return false };
            if !kept(a) || !kept(b) {
                return false;
            }
            let same = note.ty == like.ty && note.modifiers.ftz == like.modifiers.ftz;
            let is = |src: Src| src.split() == Ok(d);
            match (note.what, &self.code[at]) {
                (What::Sum | What::Difference, Instr { op: Op::Binary { a, b, .. }, .. })
                    if same && is(*a) != is(*b) =>
                {
                    // A sum of a value and itself fuses neither.
                    if found.iter().any(|&(sum, ..)| sum == at) {
                        return false;
                    }
                    found.push((at, usize::from(is(*b)), value));
                }
                (What::Negative | What::Copy, Instr { op: Op::Unary { a, .. }, guard: None })
                    if is(*a) && steps > 0 && (same || note.what == What::Copy) =>
                {
                    let negative = value.negative != (note.what == What::Negative);
                    if !self.sums_of(Factor { negative, ..value }, at, steps - 1, found) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
        true
    }
}
