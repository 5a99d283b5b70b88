//! Random programs.

use crate::common::UNWINDS;
use proptest::collection::vec;
use proptest::prelude::*;

/// One of the things of a kind; taken modulo how many there are.
pub(crate) type Which = usize;

/// A step inside a stack, guard or `reentrant` call.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Pushes on what is an `&mut impl PushContext`, runs the steps on the guard, and ends it.
    Push(Which, Vec<Op>, End),
    /// A call that acts on the current context.
    Enter,
    /// A push that the driver refuses. Random programs have none: where foreign code took an entry, the crate looks below
    /// the top, for which it pops and pushes again, and that must not fail.
    FailingPush(Which),
    /// Runs the steps on the stack that `ContextStack::reentrant` lends.
    Reentrant(Vec<Op>),
    /// Inside `Reentrant`: pushes on a stack or guard from outside, so many calls further out.
    PushOutside(Which, usize),
    /// As `PushOutside`, a call that acts on the current context.
    EnterOutside(usize),
    /// Runs the steps and ends a `Panic` of them.
    Catch(Vec<Op>),
    Panic,
    /// Asks for the thread's stack, which is taken.
    TakeStack,
    Handle(HandleOp),
    Own(OwnOp),
    Owned(OwnedOp),
    /// Runs the steps on the guard that one of the owned ones lends.
    With(Which, Vec<Op>),
    Foreign(Foreign),
}

/// How a guard ends.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Simple(Last),
    /// It is moved into a `reentrant` call, which runs steps before and after.
    Inside(Vec<Op>, Last, Vec<Op>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Last {
    Pop,
    Drop,
    Leak,
}

/// Steps on the pocket of detached handles.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HandleOp {
    MakeStream,
    MakeBuffer,
    Attach(Which),
    Bind(Which),
    Drop(Which),
    Leak(Which),
    /// To the next thread.
    Send(Which),
    Receive,
}

/// Steps on contexts of the thread's own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OwnOp {
    Create,
    Clone(Which),
    Drop(Which),
    TryDestroy(Which),
}

/// Steps on the pocket of owned guards.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OwnedOp {
    Push(Which),
    /// Moves it to another place in memory, and behind the others of the pocket.
    Move(Which),
    End(Which, Last),
}

/// Code that knows nothing of this crate.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Foreign {
    /// Pushes any context, tries the guard below, and pops again.
    Call(Which),
    /// As `Call`, with `cuCtxSetCurrent`.
    SetAndRestore(Which),
    Push(Which),
    Pop,
    Set(Which),
    SetNull,
}

/// A step of a thread while it has no stack.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Takes the stack, runs the steps, and ends it.
    Stack(Vec<Op>, StackEnd),
    Reentrant(Vec<Op>),
    Owned(OwnedOp),
    With(Which, Vec<Op>),
    Foreign(Foreign),
}

#[derive(Clone, Debug)]
pub(crate) enum StackEnd {
    Drop,
    Leak,
    /// It is moved into a `reentrant` call and dropped between the steps.
    DropInside(Vec<Op>, Vec<Op>),
}

/// One list of parts for each thread.
pub(crate) type Program = Vec<Vec<Part>>;

fn which() -> impl Strategy<Value = Which> {
    0..64_usize
}

fn handle() -> impl Strategy<Value = HandleOp> {
    use HandleOp::*;
    prop_oneof![
        3 => Just(MakeStream),
        3 => Just(MakeBuffer),
        4 => which().prop_map(Attach),
        4 => which().prop_map(Bind),
        2 => which().prop_map(HandleOp::Drop),
        1 => which().prop_map(Leak),
        2 => which().prop_map(Send),
        2 => Just(Receive),
    ]
}

fn own() -> impl Strategy<Value = OwnOp> {
    use OwnOp::*;
    prop_oneof![
        2 => Just(Create),
        2 => which().prop_map(OwnOp::Clone),
        3 => which().prop_map(OwnOp::Drop),
        2 => which().prop_map(TryDestroy),
    ]
}

fn foreign() -> impl Strategy<Value = Foreign> {
    use Foreign::*;
    prop_oneof![
        3 => which().prop_map(Call),
        3 => which().prop_map(SetAndRestore),
        3 => which().prop_map(Push),
        3 => Just(Pop),
        1 => which().prop_map(Set),
        1 => Just(SetNull),
    ]
}

fn last() -> impl Strategy<Value = Last> {
    prop_oneof![3 => Just(Last::Pop), 2 => Just(Last::Drop), 2 => Just(Last::Leak)]
}

fn owned() -> impl Strategy<Value = OwnedOp> {
    let last = prop_oneof![8 => Just(Last::Pop), 8 => Just(Last::Drop), 1 => Just(Last::Leak)];
    prop_oneof![
        4 => which().prop_map(OwnedOp::Push),
        1 => which().prop_map(OwnedOp::Move),
        4 => (which(), last).prop_map(|(which, last)| OwnedOp::End(which, last)),
    ]
}

fn leaf() -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => Just(Op::Enter),
        2 => (which(), 0..3_usize).prop_map(|(ctx, out)| Op::PushOutside(ctx, out)),
        2 => (0..3_usize).prop_map(Op::EnterOutside),
        1 => Just(if UNWINDS { Op::Panic } else { Op::Enter }),
        1 => Just(Op::TakeStack),
        8 => handle().prop_map(Op::Handle),
        4 => own().prop_map(Op::Own),
        4 => owned().prop_map(Op::Owned),
        4 => foreign().prop_map(Op::Foreign),
    ]
}

/// Guards upon guards, more than the crate's record holds inline.
fn deep() -> impl Strategy<Value = Op> {
    (which(), last(), leaf(), 10..24_usize).prop_map(|(ctx, last, leaf, count)| {
        let push = |inner, i| Op::Push(ctx + i, vec![inner], End::Simple(last));
        (0..count).fold(leaf, push)
    })
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![60 => leaf(), 1 => deep()].prop_recursive(6, 48, 6, |op| {
        let ops = vec(op, 0..6).boxed();
        let end = prop_oneof![
            5 => last().prop_map(End::Simple),
            1 => (ops.clone(), last(), ops.clone()).prop_map(|(a, last, b)| End::Inside(a, last, b)),
        ];
        prop_oneof![
            7 => (which(), ops.clone(), end).prop_map(|(ctx, ops, end)| Op::Push(ctx, ops, end)),
            2 => ops.clone().prop_map(Op::Reentrant),
            2 => (which(), ops.clone()).prop_map(|(which, ops)| Op::With(which, ops)),
            1 => ops.prop_map(Op::Catch),
        ]
    })
}

fn part() -> impl Strategy<Value = Part> {
    let ops = || vec(op(), 0..8);
    let end = prop_oneof![
        8 => Just(StackEnd::Drop),
        1 => Just(StackEnd::Leak),
        2 => (ops(), ops()).prop_map(|(a, b)| StackEnd::DropInside(a, b)),
    ];
    prop_oneof![
        6 => (ops(), end).prop_map(|(ops, end)| Part::Stack(ops, end)),
        1 => ops().prop_map(Part::Reentrant),
        2 => owned().prop_map(Part::Owned),
        1 => (which(), ops()).prop_map(|(which, ops)| Part::With(which, ops)),
        2 => foreign().prop_map(Part::Foreign),
    ]
}

pub(crate) fn program() -> impl Strategy<Value = Program> {
    vec(vec(part(), 1..5), 1..4)
}
