//! Every program of up to so many steps, in place of random ones. Each has a number, and is made from it.
//!
//! A guard takes two steps: its push and its end. So does a `reentrant` call. Left out are steps that do nothing where they
//! are: a call that acts on the current context needs a guard, so there is none on a stack that lends no guard.

use super::program::{End, Foreign, Last, Op, OwnOp, Part, StackEnd};

/// The context that the threads share, and that of the program's own.
const CONTEXTS: [usize; 2] = [0, 3];
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

    /// The steps that can be made here. Those that have steps inside come with the place of these, and have none yet.
    fn steps(self) -> Vec<(Op, Option<Place>)> {
        let leaves = [
            (self.outside.is_some(), Op::PushOutside(0, 0)),
            (self.outside == Some(true), Op::EnterOutside(0)),
            (self.guard, Op::Enter),
            (true, Op::FailingPush(0)),
            (true, Op::Foreign(Foreign::Push(0))),
            (true, Op::Foreign(Foreign::Pop)),
            (true, Op::Foreign(Foreign::Set(0))),
            (true, Op::Own(OwnOp::Drop(0))),
        ];
        let leaves = leaves.into_iter().filter_map(|(here, op)| here.then_some((op, None)));
        let on_guard = Place { guard: true, ..self };
        let push = |context, last| Op::Push(context, Vec::new(), End::Simple(last));
        let pushes = CONTEXTS.into_iter().flat_map(|context| LASTS.map(|last| push(context, last)));
        let nested = Place { guard: false, outside: Some(self.guard) };
        leaves
            .chain(pushes.map(|op| (op, Some(on_guard))))
            .chain([(Op::Reentrant(Vec::new()), Some(nested))])
            .collect()
    }
}

/// Whether a list uses the context of the program's own.
fn uses_own(ops: &[Op]) -> bool {
    ops.iter().any(|op| match op {
        Op::Push(context, inside, _) => *context == CONTEXTS[1] || uses_own(inside),
        Op::Reentrant(inside) => uses_own(inside),
        Op::Own(_) => true,
        _ => false,
    })
}

/// Every program of up to so many steps on one stack.
pub(crate) struct Every {
    /// The steps of each place.
    steps: Vec<Vec<(Op, Option<Place>)>>,
    /// How many lists of exactly so many steps each place has.
    counts: Vec<Vec<usize>>,
}

impl Every {
    pub(crate) fn new(most: usize) -> Every {
        let steps = Place::all().map(Place::steps).collect();
        let mut every = Every { steps, counts: vec![vec![1; Place::all().count()]] };
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
            if let (Some((within, inner)), Op::Push(_, ops, _) | Op::Reentrant(ops)) =
                (inside, &mut op)
            {
                *ops = self.list(inner, within, number / rest);
                number %= rest;
            }
            list.push(op);
        }
        list
    }

    /// The program of this number. The short ones come first.
    pub(crate) fn program(&self, mut number: usize) -> Vec<Part> {
        let steps = (0..self.counts.len())
            .find(|steps| number.checked_sub(self.of(*steps)).map(|rest| number = rest).is_none())
            .expect("a number of a program");
        let ops = self.list(steps, Place::STACK, number);
        let create = uses_own(&ops).then_some(Op::Own(OwnOp::Create));
        vec![Part::Stack(create.into_iter().chain(ops).collect(), StackEnd::Drop)]
    }
}
