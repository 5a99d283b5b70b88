//! The programs, and what they do one operation after the other.

use crate::common::UNWINDS;
use proptest::prelude::*;

/// Ordered streams. They differ in what they keep and in their staging memory.
pub(crate) const STREAMS: usize = 3;
pub(crate) const SLOTS: usize = 4;
pub(crate) const LEN: usize = 8;
/// Operations of a program at most.
pub(crate) const OPS: usize = 24;
pub(crate) type Words = [u32; LEN];

pub(crate) const INPUT: Words = [3, 1, 4, 1, 5, 9, 2, 6];

/// One operation. Numbers are those of slots, then of streams. What a slot does not allow does nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// A buffer of a stream, filled, uploaded or from page-locked memory that moves in.
    New(usize, usize, u32),
    Upload(usize),
    OwnedUpload(usize),
    Fill(usize, u32),
    /// On any stream, which may be refused.
    FillOn(usize, usize, u32),
    Copy(usize, usize),
    CopyHalf(usize, usize),
    Mix(usize, usize),
    Download(usize, usize),
    OwnedDownload(usize, usize),
    Drop(usize),
    Leak(usize),
    /// Moves into a closure that panics.
    Panic(usize),
    HandOver(usize, usize),
    Share(usize),
    /// A clone in another slot.
    CloneShared(usize, usize),
    Unwrap(usize),
    IntoIdle(usize),
    Adopt(usize, usize),
    /// Of the pending values, the first.
    Await,
    Ask,
    DropPending,
    Host(usize),
    Synchronize(usize),
    Trim(usize),
    Replay(usize),
    /// These need the guard: a buffer without a stream, blocking work on one, a scope, a graph, a leak.
    NewIdle(usize, u32),
    MixIdle(usize),
    Scope(usize, usize, u32),
    GraphOnce(usize, u32),
    LeakPending,
}

impl Op {
    pub(crate) fn needs_guard(self) -> bool {
        use Op::{GraphOnce, IntoIdle, LeakPending, MixIdle, NewIdle, Scope};
        matches!(
            self,
            NewIdle(..) | IntoIdle(_) | MixIdle(_) | Scope(..) | GraphOnce(..) | LeakPending
        )
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) seed: u64,
    pub(crate) ops: Vec<Op>,
    /// Whether what is left at the end is leaked.
    pub(crate) leaks: bool,
}

pub(crate) fn program() -> impl Strategy<Value = Program> {
    let slot = || 0..SLOTS;
    let stream = || 0..STREAMS;
    let pair = || (0..SLOTS, 0..SLOTS);
    let own = prop_oneof![
        8 => (slot(), stream(), any::<u32>()).prop_map(|(a, s, v)| Op::New(a, s, v)),
        2 => slot().prop_map(Op::Upload),
        1 => slot().prop_map(Op::OwnedUpload),
        1 => (slot(), any::<u32>()).prop_map(|(a, v)| Op::Fill(a, v)),
        1 => (slot(), stream(), any::<u32>()).prop_map(|(a, s, v)| Op::FillOn(a, s, v)),
        4 => pair().prop_map(|(a, b)| Op::Copy(a, b)),
        2 => pair().prop_map(|(a, b)| Op::CopyHalf(a, b)),
        8 => pair().prop_map(|(a, b)| Op::Mix(a, b)),
        1 => (slot(), stream()).prop_map(|(a, s)| Op::Download(a, s)),
        4 => (slot(), stream()).prop_map(|(a, s)| Op::OwnedDownload(a, s)),
        4 => slot().prop_map(Op::Drop),
        1 => slot().prop_map(Op::Leak),
        1 => slot().prop_map(if UNWINDS { Op::Panic } else { Op::Drop }),
        5 => (slot(), stream()).prop_map(|(a, s)| Op::HandOver(a, s)),
        4 => slot().prop_map(Op::Share),
        2 => pair().prop_map(|(a, b)| Op::CloneShared(a, b)),
        2 => slot().prop_map(Op::Unwrap),
    ];
    let rest = prop_oneof![
        1 => slot().prop_map(Op::IntoIdle),
        2 => (slot(), stream()).prop_map(|(a, s)| Op::Adopt(a, s)),
        1 => Just(Op::Await),
        1 => Just(Op::Ask),
        1 => Just(Op::DropPending),
        1 => stream().prop_map(Op::Host),
        1 => stream().prop_map(Op::Synchronize),
        1 => stream().prop_map(Op::Trim),
        2 => stream().prop_map(Op::Replay),
        1 => (slot(), any::<u32>()).prop_map(|(a, v)| Op::NewIdle(a, v)),
        1 => slot().prop_map(Op::MixIdle),
        3 => (slot(), slot(), any::<u32>()).prop_map(|(a, b, v)| Op::Scope(a, b, v)),
        1 => (slot(), any::<u32>()).prop_map(|(a, v)| Op::GraphOnce(a, v)),
        1 => Just(Op::LeakPending),
    ];
    let ops = prop::collection::vec(prop_oneof![3 => own, 1 => rest], 1..OPS);
    let leaks = prop::bool::weighted(0.1);
    (any::<u64>(), ops, leaks).prop_map(|(seed, ops, leaks)| Program { seed, ops, leaks })
}

/// The values that the host sees: downloads, pending ones, the slots at the end, and how many functions
/// of the host ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) downloads: Vec<Words>,
    pub(crate) pending: Vec<Words>,
    pub(crate) slots: Vec<Option<Words>>,
    pub(crate) kept: Words,
    pub(crate) functions: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Of a stream.
    Own(usize),
    /// Of a stream, and shared by those with the number.
    Shared(usize, usize),
    Idle,
}

pub(crate) fn mixed(out: Words, with: Words) -> Words {
    std::array::from_fn(|i| out[i].wrapping_mul(31).wrapping_add(with[i]))
}

/// The slots of the model.
#[derive(Default)]
struct Model {
    slots: [Option<(Kind, Words)>; SLOTS],
    pending: Vec<Words>,
    shares: usize,
    seen: Seen,
}

impl Model {
    fn owned(&mut self, slot: usize) -> Option<(usize, &mut Words)> {
        match &mut self.slots[slot] {
            Some((Kind::Own(stream), words)) => Some((*stream, words)),
            _ => None,
        }
    }

    /// Returns the words that a stream reads in a slot.
    fn read(&self, slot: usize, stream: usize) -> Option<Words> {
        match self.slots[slot] {
            Some((Kind::Own(own), words)) if own == stream => Some(words),
            Some((Kind::Shared(..), words)) => Some(words),
            _ => None,
        }
    }

    fn move_to(&mut self, from: usize, to: usize, new: impl FnOnce(Words, Words) -> Words) {
        let Some((stream, &mut old)) = self.owned(to) else { return };
        if from != to
            && let Some(words) = self.read(from, stream)
            && let Some((_, to)) = self.owned(to)
        {
            *to = new(old, words);
        }
    }

    fn share(&mut self, slot: usize) {
        if let Some((kind @ Kind::Own(_), _)) = &mut self.slots[slot]
            && let Kind::Own(stream) = *kind
        {
            *kind = Kind::Shared(stream, self.shares);
            self.shares += 1;
        }
    }

    fn unwrap(&mut self, slot: usize) {
        let Some((Kind::Shared(stream, share), words)) = self.slots[slot] else { return };
        let has = |slot: &&Option<(Kind, Words)>| matches!(slot, Some((Kind::Shared(_, other), _)) if *other == share);
        if self.slots.iter().filter(has).count() == 1 {
            self.slots[slot] = Some((Kind::Own(stream), words));
        }
    }

    fn scope(&mut self, a: usize, b: usize, value: u32) {
        let (Some((_, x)), Some((_, y))) =
            (self.owned(a).map(|(s, w)| (s, *w)), self.owned(b).map(|(s, w)| (s, *w)))
        else {
            return;
        };
        if a != b {
            // b = mix(b, a); a = value
            let y = mixed(y, x);
            *self.owned(b).expect("it is one").1 = y;
            *self.owned(a).expect("it is one").1 = [value; LEN];
            self.seen.downloads.push(y);
        }
    }

    fn step(&mut self, op: Op) {
        match op {
            Op::New(slot, stream, value) => {
                let words = if value % 3 == 0 { INPUT } else { [value; LEN] };
                self.slots[slot] = Some((Kind::Own(stream), words));
            }
            Op::NewIdle(slot, value) => self.slots[slot] = Some((Kind::Idle, [value; LEN])),
            Op::Upload(slot) => self.set(slot, INPUT),
            Op::OwnedUpload(slot) => {
                if self.owned(slot).is_some() {
                    self.set(slot, INPUT);
                    self.pending.push(INPUT);
                }
            }
            Op::Fill(slot, value) | Op::GraphOnce(slot, value) => self.set(slot, [value; LEN]),
            Op::FillOn(slot, stream, value) => {
                if self.owned(slot).is_some_and(|(own, _)| own == stream) {
                    self.set(slot, [value; LEN]);
                }
            }
            Op::Copy(from, to) => self.move_to(from, to, |_, words| words),
            Op::CopyHalf(from, to) => self.move_to(from, to, |mut old, words| {
                old[LEN / 2..].copy_from_slice(&words[..LEN / 2]);
                old
            }),
            Op::Mix(to, from) => self.move_to(from, to, mixed),
            Op::Download(slot, stream) => self.seen.downloads.extend(self.read(slot, stream)),
            Op::OwnedDownload(slot, stream) => self.pending.extend(self.read(slot, stream)),
            Op::Drop(slot) | Op::Leak(slot) | Op::Panic(slot) => self.slots[slot] = None,
            Op::HandOver(slot, stream) => {
                if let Some((kind @ Kind::Own(_), _)) = &mut self.slots[slot] {
                    *kind = Kind::Own(stream);
                }
            }
            Op::Share(slot) => self.share(slot),
            Op::CloneShared(from, to) => {
                if let Some(shared @ (Kind::Shared(..), _)) = self.slots[from] {
                    self.slots[to] = Some(shared);
                }
            }
            Op::Unwrap(slot) => self.unwrap(slot),
            Op::IntoIdle(slot) => {
                if let Some((kind @ Kind::Own(_), _)) = &mut self.slots[slot] {
                    *kind = Kind::Idle;
                }
            }
            Op::Adopt(slot, stream) => {
                if let Some((kind @ Kind::Idle, _)) = &mut self.slots[slot] {
                    *kind = Kind::Own(stream);
                }
            }
            Op::MixIdle(slot) => {
                if let Some((Kind::Idle, words)) = &mut self.slots[slot] {
                    *words = mixed(*words, INPUT);
                    self.seen.downloads.push(*words);
                }
            }
            Op::Await | Op::Ask if !self.pending.is_empty() => {
                let first = self.pending.remove(0);
                self.seen.pending.push(first);
            }
            Op::DropPending | Op::LeakPending if !self.pending.is_empty() => {
                self.pending.remove(0);
            }
            Op::Await | Op::Ask | Op::DropPending | Op::LeakPending => {}
            Op::Host(_) => self.seen.functions += 1,
            Op::Synchronize(_) | Op::Trim(_) => {}
            Op::Replay(_) => self.seen.kept = mixed(self.seen.kept, [5; LEN]),
            Op::Scope(a, b, value) => self.scope(a, b, value),
        }
    }

    fn set(&mut self, slot: usize, words: Words) {
        if let Some((_, to)) = self.owned(slot) {
            *to = words;
        }
    }
}

/// The program, one operation after the other.
pub(crate) fn model(program: &Program) -> Seen {
    let mut model = Model::default();
    model.seen.kept = [1; LEN];
    program.ops.iter().for_each(|&op| model.step(op));
    let Model { slots, pending, mut seen, .. } = model;
    seen.pending.extend(pending);
    seen.slots = slots.iter().map(|slot| slot.map(|(_, words)| words)).collect();
    seen
}
