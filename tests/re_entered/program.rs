//! Random programs: trees of steps, and scripts that code of the program runs wherever the crate calls it.

use cuscope::ffi;
use cuscope_softdriver::faults::{Fault, Which as Calls};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// One of the things of a kind: taken modulo how many there are.
pub(crate) type Which = usize;

/// A step. Where it needs a guard and there is none, one is pushed for it.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Push(Which, Vec<Op>, End),
    /// Runs the steps on the stack that `ContextStack::reentrant` lends.
    Reentrant(Vec<Op>),
    /// Takes the thread's stack, runs the steps on it, and ends it.
    TakeStack(Vec<Op>, StackEnd),
    /// Runs the steps, and ends a panic of them.
    Catch(Vec<Op>),
    /// Panics with a payload that runs a script when it is dropped, and may panic once more then.
    Panic(bool),
    /// Runs the steps while calls of the driver fail.
    Fault(Fault, Vec<Op>),
    /// A call that fails.
    Fail,
    Use(Use),
    Own(OwnOp),
    Kept(KeptOp),
    Handle(HandleOp),
    Hook(HookOp),
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

#[derive(Clone, Debug)]
pub(crate) enum StackEnd {
    Drop,
    Leak,
    /// It is moved into a `reentrant` call, and dropped before these steps.
    DropInside(Vec<Op>),
}

/// A use of a guard. A function, closure, waker or writer of it runs a script.
#[derive(Clone, Debug)]
pub(crate) enum Use {
    /// Makes a stream, and compares its context with the guard's.
    Enter,
    Synchronize,
    /// Fills a buffer, and reads it.
    Fill,
    Event,
    /// Runs the steps on the guard while a stream of it is alive.
    HoldStream(Vec<Op>),
    /// Captures a stream, blocking or not; the closure runs a script.
    Capture(bool),
    /// An operation on the legacy default stream.
    Legacy,
    Scope(Function),
    HostFunction(Function),
    Graph(Function),
    /// Polls the future of a stream's end, and drops it.
    Future,
    Show,
    BlockSize(bool),
    /// Keeps a detached stream, or buffer.
    Keep(bool),
    /// Uses a detached handle.
    Bind(Which),
}

/// A function of the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub(crate) panics: bool,
    /// Whether it owns a handle and a context.
    pub(crate) owns: bool,
}

/// Steps on contexts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OwnOp {
    Create,
    Primary,
    Clone(Which),
    Drop(Which),
    TryDestroy(Which),
    /// Waits without a guard.
    Synchronize(Which),
}

/// Steps on a stack that is kept in a thread-local, with guards on it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KeptOp {
    Take,
    Push(Which),
    Enter,
    End(Last),
    DropStack,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum HandleOp {
    Drop(Which),
    Leak(Which),
}

/// Steps on the hooks, which own what runs a script when it is dropped.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HookOp {
    Release,
    Log,
    EndLog,
}

#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Op>,
    /// Run in turn by whatever code of the program the crate calls.
    pub(crate) scripts: Vec<Vec<Op>>,
    /// Whether what is kept ends with the thread's statics.
    pub(crate) late: bool,
}

fn which() -> impl Strategy<Value = Which> {
    0..8_usize
}

fn function() -> impl Strategy<Value = Function> {
    (prop::bool::weighted(0.3), prop::bool::weighted(0.2))
        .prop_map(|(panics, owns)| Function { panics, owns })
}

/// No code that says of a wait that nothing is known of its work, twice: the process would end.
fn fault() -> impl Strategy<Value = Fault> {
    let codes = || {
        select(vec![
            ffi::CUDA_ERROR_UNKNOWN,
            ffi::CUDA_ERROR_OUT_OF_MEMORY,
            ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
        ])
    };
    let nth = (0..12_usize, codes());
    let done = 0..12_usize;
    let named = select(vec![
        "cuCtxCreate_v2",
        "cuCtxDestroy_v2",
        "cuCtxGetCurrent",
        "cuCtxPopCurrent_v2",
        "cuCtxPushCurrent_v2",
        "cuDevicePrimaryCtxRelease_v2",
        "cuEventDestroy_v2",
        "cuGraphExecDestroy",
        "cuLaunchHostFunc",
        "cuMemAlloc_v2",
        "cuMemFree_v2",
        "cuStreamAddCallback",
        "cuStreamDestroy_v2",
        "cuThreadExchangeStreamCaptureMode",
    ]);
    prop_oneof![
        4 => nth.prop_map(|(n, code)| Fault { which: Calls::Nth(n), code, performed: false }),
        2 => done.prop_map(|n| {
            Fault { which: Calls::Nth(n), code: ffi::CUDA_ERROR_UNKNOWN, performed: true }
        }),
        4 => (named, codes()).prop_map(|(name, code)| {
            Fault { which: Calls::Named(name), code, performed: false }
        }),
    ]
}

fn last() -> impl Strategy<Value = Last> {
    prop_oneof![3 => Just(Last::Pop), 2 => Just(Last::Drop), 2 => Just(Last::Leak)]
}

fn guard_use() -> impl Strategy<Value = Use> {
    use Use::*;
    prop_oneof![
        6 => Just(Enter),
        2 => Just(Synchronize),
        2 => Just(Fill),
        1 => Just(Event),
        1 => any::<bool>().prop_map(Capture),
        2 => Just(Legacy),
        2 => function().prop_map(Scope),
        3 => function().prop_map(HostFunction),
        1 => function().prop_map(Graph),
        2 => Just(Future),
        2 => Just(Show),
        1 => any::<bool>().prop_map(BlockSize),
        2 => any::<bool>().prop_map(Keep),
        2 => which().prop_map(Bind),
    ]
}

fn own() -> impl Strategy<Value = OwnOp> {
    use OwnOp::*;
    prop_oneof![
        2 => Just(Create),
        1 => Just(Primary),
        1 => which().prop_map(Clone),
        3 => which().prop_map(Drop),
        2 => which().prop_map(TryDestroy),
        2 => which().prop_map(Synchronize),
    ]
}

fn kept() -> impl Strategy<Value = KeptOp> {
    use KeptOp::*;
    prop_oneof![
        4 => Just(Take),
        5 => which().prop_map(Push),
        3 => Just(Enter),
        3 => last().prop_map(End),
        2 => Just(DropStack),
    ]
}

fn leaf() -> impl Strategy<Value = Op> {
    let handle =
        prop_oneof![3 => which().prop_map(HandleOp::Drop), 1 => which().prop_map(HandleOp::Leak)];
    let hook = prop_oneof![Just(HookOp::Release), Just(HookOp::Log), Just(HookOp::EndLog)];
    prop_oneof![
        8 => guard_use().prop_map(Op::Use),
        5 => own().prop_map(Op::Own),
        14 => kept().prop_map(Op::Kept),
        2 => handle.prop_map(Op::Handle),
        1 => hook.prop_map(Op::Hook),
        2 => Just(Op::Fail),
        1 => any::<bool>().prop_map(Op::Panic),
    ]
}

/// Calls that fail where most depends on it.
fn failing() -> impl Strategy<Value = Op> {
    let named = |name, op: Op| (Calls::Named(name), op);
    let pairs = prop_oneof![
        which().prop_map(move |w| named("cuCtxSynchronize_v2", Op::Own(OwnOp::Synchronize(w)))),
        which().prop_map(move |w| named("cuCtxDestroy_v2", Op::Own(OwnOp::Drop(w)))),
        Just(named("cuCtxPopCurrent_v2", Op::Kept(KeptOp::DropStack))),
        (0..3_usize).prop_map(|n| (Calls::Nth(n), Op::Kept(KeptOp::Take))),
        (0..3_usize, which()).prop_map(|(n, w)| (Calls::Nth(n), Op::Kept(KeptOp::Push(w)))),
        (0..4_usize).prop_map(|n| (Calls::Nth(n), Op::Kept(KeptOp::DropStack))),
        (1..4_usize).prop_map(|n| (Calls::Nth(n), Op::Own(OwnOp::Create))),
    ];
    pairs.prop_map(|(which, op)| {
        let fault = Fault { which, code: ffi::CUDA_ERROR_UNKNOWN, performed: false };
        Op::Fault(fault, vec![op])
    })
}

/// A guard that is dropped where it cannot pop, under one that is alive, and then what owned its context.
fn kept_alive() -> impl Strategy<Value = Op> {
    (which(), which(), prop::bool::ANY).prop_map(|(below, which, wait)| {
        let owners = (0..4).map(|_| Op::Own(OwnOp::Drop(which)));
        let end = End::Inside(Vec::new(), Last::Drop, Vec::new());
        let inner = Op::Push(which, owners.collect(), end);
        let then = Op::Use(if wait { Use::Synchronize } else { Use::Enter });
        Op::Push(below, vec![inner, then], End::Simple(Last::Pop))
    })
}

fn op() -> impl Strategy<Value = Op> {
    let leaf = prop_oneof![12 => leaf(), 2 => failing(), 1 => kept_alive()];
    leaf.prop_recursive(4, 20, 4, |op| {
        let ops = vec(op, 0..4).boxed();
        let end = prop_oneof![
            5 => last().prop_map(End::Simple),
            1 => (ops.clone(), last(), ops.clone())
                .prop_map(|(a, last, b)| End::Inside(a, last, b)),
        ];
        let stack_end = prop_oneof![
            12 => Just(StackEnd::Drop),
            1 => Just(StackEnd::Leak),
            2 => ops.clone().prop_map(StackEnd::DropInside),
        ];
        prop_oneof![
            5 => (which(), ops.clone(), end).prop_map(|(ctx, ops, end)| Op::Push(ctx, ops, end)),
            3 => ops.clone().prop_map(Op::Reentrant),
            4 => (ops.clone(), stack_end).prop_map(|(ops, end)| Op::TakeStack(ops, end)),
            1 => ops.clone().prop_map(Op::Catch),
            4 => (fault(), ops.clone()).prop_map(|(fault, ops)| Op::Fault(fault, ops)),
            1 => ops.prop_map(|ops| Op::Use(Use::HoldStream(ops))),
        ]
    })
}

pub(crate) fn program() -> impl Strategy<Value = Program> {
    // Half of them keep a stack beyond the call, if there is none.
    let script = prop_oneof![
        vec(op(), 0..4),
        (which(), vec(op(), 0..3)).prop_map(|(which, mut ops)| {
            ops.insert(0, Op::Kept(KeptOp::Push(which)));
            ops
        }),
    ];
    let scripts = vec(script, 1..5);
    // On Windows no thread starts while another one ends its values, and the software driver needs some.
    let late = prop::bool::weighted(if cfg!(windows) { 0.0 } else { 0.2 });
    (vec(op(), 1..6), scripts, late).prop_map(|(steps, scripts, late)| Program {
        steps,
        scripts,
        late,
    })
}
