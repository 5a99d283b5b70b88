//! Every program of up to so many steps, in place of random ones.

use super::program::{End, Foreign, Last, Op, OwnOp, Part, StackEnd};

/// The context that the threads share, and that of the program's own.
const CONTEXTS: [usize; 2] = [0, 3];
const LASTS: [Last; 3] = [Last::Pop, Last::Drop, Last::Leak];

/// The steps without steps inside. The first two are for a `reentrant` call.
fn leaves(nested: bool) -> impl Iterator<Item = Op> {
    let inside = [Op::PushOutside(0, 0), Op::EnterOutside(0)];
    let anywhere = [
        Op::Enter,
        Op::FailingPush(0),
        Op::Foreign(Foreign::Push(0)),
        Op::Foreign(Foreign::Pop),
        Op::Foreign(Foreign::Set(0)),
        Op::Own(OwnOp::Drop(0)),
    ];
    inside.into_iter().filter(move |_| nested).chain(anywhere)
}

/// Calls `see` with every list of exactly `steps` steps, behind `before`. A guard takes two: its push and its end. So does a
/// `reentrant` call.
fn lists(steps: usize, nested: bool, before: &mut Vec<Op>, see: &mut dyn FnMut(&mut Vec<Op>)) {
    if steps == 0 {
        return see(before);
    }
    for leaf in leaves(nested) {
        before.push(leaf);
        lists(steps - 1, nested, before, see);
        before.pop();
    }
    for inner in 0..steps.saturating_sub(1) {
        let mut then = |op: Op, before: &mut Vec<Op>| {
            before.push(op);
            lists(steps - 2 - inner, nested, before, see);
            before.pop();
        };
        lists(inner, nested, &mut Vec::new(), &mut |body| {
            for context in CONTEXTS {
                for last in LASTS {
                    then(Op::Push(context, body.clone(), End::Simple(last)), before);
                }
            }
        });
        lists(inner, true, &mut Vec::new(), &mut |body| {
            then(Op::Reentrant(body.clone()), before);
        });
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

/// Calls `see` with the steps of every program of exactly `steps` steps on one stack.
pub(crate) fn programs(steps: usize, mut see: impl FnMut(&[Op])) {
    lists(steps, false, &mut Vec::new(), &mut |ops| see(ops));
}

/// The program of these steps.
pub(crate) fn program(ops: &[Op]) -> Vec<Part> {
    let create = uses_own(ops).then_some(Op::Own(OwnOp::Create));
    let all = create.into_iter().chain(ops.iter().cloned()).collect();
    vec![Part::Stack(all, StackEnd::Drop)]
}
