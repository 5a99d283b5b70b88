//! Every program of up to so many steps, in place of random ones. Each has a number, and is made from it.
//!
//! A guard takes two steps: its push and its end. So does a `reentrant` call, and a use of an owned guard. Left out are steps
//! that do nothing where they are: a call that acts on the current context needs a guard, so there is none on a stack that
//! lends no guard. Programs with owned guards are apart, since there are so many: their push and their end are a step each, and
//! those in which one of these steps has no owned guard have a number all the same.

use super::program::{End, Foreign, Last, Op, OwnOp, OwnedOp, Part, StackEnd};
use super::run::POCKET;

/// The context that the threads share, and that of the program's own.
const CONTEXTS: [usize; 2] = [0, 3];
/// The places of owned guards in the pocket.
const FIRST: usize = 0;
const SECOND: usize = 1;
const LASTS: [Last; 3] = [Last::Pop, Last::Drop, Last::Leak];

/// The level that a step acts on.
#[derive(Clone, Copy)]
struct Place {
    /// It is a guard, not a stack.
    guard: bool,
    /// It is inside of a `reentrant` call, which was made on a guard or on a stack.
    outside: Option<bool>,
}

impl Place {
    const STACK: Place = Place { guard: false, outside: None };

    fn all() -> impl Iterator<Item = Place> {
        let of = |outside| [false, true].map(|guard| Place { guard, outside });
        [None, Some(false), Some(true)].into_iter().flat_map(of)
    }

    fn index(self) -> usize {
        let outside = self.outside.map_or(0, |guard| 1 + usize::from(guard));
        2 * outside + usize::from(self.guard)
    }

    /// The steps that can be made here, with those on owned guards or without. Those that have steps inside come with the place of
    /// these, and have none yet.
    fn steps(self, owned: bool) -> Vec<(Op, Option<Place>)> {
        let leaves = [
            (self.outside.is_some(), Op::PushOutside(0, 0)),
            (self.outside == Some(true), Op::EnterOutside(0)),
            (self.guard, Op::Enter),
            (true, Op::FailingPush(0)),
            (true, Op::Foreign(Foreign::Push(0))),
            (true, Op::Foreign(Foreign::Pop)),
            (true, Op::Foreign(Foreign::Set(0))),
            (true, Op::Own(OwnOp::Drop(0))),
            (owned, Op::Owned(OwnedOp::Push(CONTEXTS[0]))),
            (owned, Op::Owned(OwnedOp::Push(CONTEXTS[1]))),
            (owned, Op::Owned(OwnedOp::End(FIRST, Last::Pop))),
            (owned, Op::Owned(OwnedOp::End(FIRST, Last::Drop))),
            (owned, Op::Owned(OwnedOp::End(FIRST, Last::Leak))),
            (owned, Op::Owned(OwnedOp::End(SECOND, Last::Drop))),
        ];
        let leaves = leaves.into_iter().filter_map(|(here, op)| here.then_some((op, None)));
        let on_guard = Place { guard: true, ..self };
        let push = |context, last| Op::Push(context, Vec::new(), End::Simple(last));
        let pushes = CONTEXTS.into_iter().flat_map(|context| LASTS.map(|last| push(context, last)));
        let inside = |guard| Place { guard, outside: Some(self.guard) };
        leaves
            .chain(pushes.map(|op| (op, Some(on_guard))))
            .chain([(Op::Reentrant(Vec::new()), Some(inside(false)))])
            .chain(owned.then(|| (Op::With(FIRST, Vec::new()), Some(inside(true)))))
            .collect()
    }
}

/// Whether a list uses the context of the program's own.
fn uses_own(ops: &[Op]) -> bool {
    ops.iter().any(|op| match op {
        Op::Push(context, inside, _) => *context == CONTEXTS[1] || uses_own(inside),
        Op::Reentrant(inside) | Op::With(_, inside) => uses_own(inside),
        Op::Own(_) => true,
        Op::Owned(OwnedOp::Push(context)) => *context == CONTEXTS[1],
        _ => false,
    })
}

/// Runs a list on the number of owned guards in the pocket. Returns how many of its steps are on owned guards, or `None` if one of
/// these has none.
fn on_owned(ops: &[Op], pocket: &mut usize) -> Option<usize> {
    let mut steps = 0;
    for op in ops {
        steps += match op {
            Op::Owned(OwnedOp::Push(_)) if *pocket == POCKET => return None,
            Op::Owned(OwnedOp::Push(_)) => {
                *pocket += 1;
                1
            }
            Op::Owned(OwnedOp::End(which, _)) if which >= pocket => return None,
            Op::Owned(_) => {
                *pocket -= 1;
                1
            }
            Op::With(..) if *pocket == 0 => return None,
            Op::With(_, inside) => {
                *pocket -= 1;
                let inside = on_owned(inside, pocket)?;
                *pocket += 1;
                1 + inside
            }
            Op::Push(_, inside, _) | Op::Reentrant(inside) => on_owned(inside, pocket)?,
            _ => 0,
        };
    }
    Some(steps)
}

/// Every program of up to so many steps on one stack.
pub(crate) struct Every {
    /// The steps of each place.
    steps: Vec<Vec<(Op, Option<Place>)>>,
    /// How many lists of exactly so many steps each place has.
    counts: Vec<Vec<usize>>,
    /// Whether they have owned guards.
    owned: bool,
}

impl Every {
    pub(crate) fn new(most: usize, owned: bool) -> Every {
        let steps = Place::all().map(|place| place.steps(owned)).collect();
        let mut every = Every { steps, counts: vec![vec![1; Place::all().count()]], owned };
        for steps in 1..=most {
            let count = |place| every.beginnings(steps, place).map(|(.., count)| count).sum();
            let counts = Place::all().map(count).collect();
            every.counts.push(counts);
        }
        every
    }

    /// How many programs of exactly so many steps there are.
    pub(crate) fn of(&self, steps: usize) -> usize {
        self.lists(steps, Place::STACK)
    }

    pub(crate) fn all(&self) -> usize {
        (0..self.counts.len()).map(|steps| self.of(steps)).sum()
    }

    fn lists(&self, steps: usize, place: Place) -> usize {
        self.counts[steps][place.index()]
    }

    /// The first steps that lists of so many steps can have, the place and the number of the steps inside, and how many
    /// lists begin so.
    fn beginnings(
        &self,
        steps: usize,
        place: Place,
    ) -> impl Iterator<Item = (&Op, Option<(Place, usize)>, usize)> {
        self.steps[place.index()].iter().flat_map(move |&(ref op, inside)| {
            let leaf = inside.is_none().then(|| (op, None, self.lists(steps - 1, place)));
            let inners = inside.into_iter().flat_map(move |within| {
                (0..steps.saturating_sub(1)).map(move |inner| {
                    let count = self.lists(inner, within) * self.lists(steps - 2 - inner, place);
                    (op, Some((within, inner)), count)
                })
            });
            leaf.into_iter().chain(inners)
        })
    }

    /// The list of this number.
    fn list(&self, mut steps: usize, place: Place, mut number: usize) -> Vec<Op> {
        let mut list = Vec::new();
        while steps > 0 {
            let mut beginnings = self.beginnings(steps, place);
            let (op, inside, _) = beginnings
                .find(|(.., count)| number.checked_sub(*count).map(|rest| number = rest).is_none())
                .expect("a number of a list");
            let mut op = op.clone();
            steps -= inside.map_or(1, |(_, inner)| inner + 2);
            let rest = self.lists(steps, place);
            if let (
                Some((within, inner)),
                Op::Push(_, ops, _) | Op::Reentrant(ops) | Op::With(_, ops),
            ) = (inside, &mut op)
            {
                *ops = self.list(inner, within, number / rest);
                number %= rest;
            }
            list.push(op);
        }
        list
    }

    /// The program of this number. The short ones come first. Among those with owned guards, `None` if a step has none, or if no
    /// step is on them.
    pub(crate) fn program(&self, mut number: usize) -> Option<Vec<Part>> {
        let steps = (0..self.counts.len())
            .find(|steps| number.checked_sub(self.of(*steps)).map(|rest| number = rest).is_none())
            .expect("a number of a program");
        let ops = self.list(steps, Place::STACK, number);
        if self.owned && on_owned(&ops, &mut 0).is_none_or(|steps| steps == 0) {
            return None;
        }
        let create = uses_own(&ops).then_some(Op::Own(OwnOp::Create));
        Some(vec![Part::Stack(create.into_iter().chain(ops).collect(), StackEnd::Drop)])
    }
}
