//! The compact form that runs: names, types and modifiers are resolved, and
//! arithmetic is a function on the bits of registers.

use super::ops::Convert;

/// A register's place in its function's frame.
pub(crate) type Slot = u32;

/// The slot of the condition code (`CC.CF`) in every frame.
pub(crate) const CARRY: Slot = 0;
/// The slot that results for `_` go to.
pub(crate) const SINK: Slot = 1;
/// The first slot of registers of the text.
pub(crate) const FIRST: Slot = 2;

/// A value that is read. Registers hold their value's bits, zero-extended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Src {
    /// A register.
    Reg(Slot),
    /// A predicate register, negated.
    Not(Slot),
    /// A constant.
    Imm(u64),
}

/// What an address counts from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Base {
    /// Nothing.
    Zero,
    /// A register.
    Reg(Slot),
    /// A variable of the module, by index.
    Global(u32),
    /// The function's frame in local memory.
    Frame,
}

/// An address: a base and an offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Address {
    /// The base.
    pub(crate) base: Base,
    /// What is added to it.
    pub(crate) offset: i64,
}

/// Where an address leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// Device memory, `.const` variables included.
    Global,
    /// The block's shared memory.
    Shared,
    /// The thread's local memory.
    Local,
    /// The kernel's parameters.
    Param,
    /// Any of them, by the address.
    Generic,
}

/// The addresses of generic address space that stand for a block's shared
/// memory, a thread's local memory, and the kernel's parameters. Each window
/// is [`WINDOW`] bytes long, and no device pointer lies in one.
pub(crate) const SHARED_WINDOW: u64 = 0x0100_0000;
/// See [`SHARED_WINDOW`].
pub(crate) const LOCAL_WINDOW: u64 = 0x0200_0000;
/// See [`SHARED_WINDOW`].
pub(crate) const PARAM_WINDOW: u64 = 0x0300_0000;
/// The length of a window.
pub(crate) const WINDOW: u64 = 0x0100_0000;

/// A special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// `%tid`, by dimension.
    Tid(usize),
    /// `%ntid`
    Ntid(usize),
    /// `%ctaid`
    Ctaid(usize),
    /// `%nctaid`
    Nctaid(usize),
    /// `%laneid`
    LaneId,
    /// `%warpid`
    WarpId,
    /// `%nwarpid`
    Nwarpid,
    /// `%smid`
    SmId,
    /// `%nsmid`
    Nsmid,
    /// `%gridid`
    GridId,
    /// `%lanemask_eq`
    MaskEq,
    /// `%lanemask_lt`
    MaskLt,
    /// `%lanemask_le`
    MaskLe,
    /// `%lanemask_gt`
    MaskGt,
    /// `%lanemask_ge`
    MaskGe,
    /// `%clock`, `%clock_hi` and `%clock64`: the shift and mask of the value.
    Clock(u32, u64),
    /// `%globaltimer` and its halves: the shift and mask of the value.
    GlobalTimer(u32, u64),
    /// `%dynamic_smem_size`
    DynamicShared,
    /// `%total_smem_size`
    TotalShared,
    /// What is always 0: `%envreg0` and so on.
    Zero,
}

/// How `shfl` picks the lane to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Bfly,
    Idx,
}

/// What `vote` and `bar.red` make of the predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    Uni,
    Ballot,
    Popc,
}

/// What `redux` makes of the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redux {
    Add,
    MinU,
    MaxU,
    MinS,
    MaxS,
    And,
    Or,
    Xor,
}

/// An operation of a whole warp; lanes that wait for one another are at
/// operations of equal kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collective {
    /// `shfl`
    Shuffle(Shuffle),
    /// `vote`
    Vote(Vote),
    /// `match.any`
    MatchAny,
    /// `match.all`
    MatchAll,
    /// `redux`
    Redux(Redux),
    /// `bar.warp.sync`
    Barrier,
}

/// A warp-wide operation with its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WarpOp {
    /// Which one.
    pub(crate) kind: Collective,
    /// The result.
    pub(crate) d: Slot,
    /// The predicate result.
    pub(crate) p: Slot,
    /// The value of each lane.
    pub(crate) a: Src,
    /// `shfl`: the lane or distance.
    pub(crate) b: Src,
    /// `shfl`: the clamp and segment mask.
    pub(crate) c: Src,
    /// The lanes that take part; none for the forms before `.sync`, in which
    /// those that are here do.
    pub(crate) members: Option<Src>,
}

/// A barrier of the block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarOp {
    /// Which of the 16.
    pub(crate) id: Src,
    /// How many threads it is for; none: all.
    pub(crate) count: Option<Src>,
    /// Whether the thread waits (`sync`, not `arrive`).
    pub(crate) wait: bool,
    /// `bar.red`: the reduction, its result, and its predicate.
    pub(crate) reduce: Option<(Vote, Slot, Src)>,
}

/// An instruction of the extended-precision family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CarryKind {
    Add,
    Sub,
    MadLo,
    MadHi,
    MadHiSigned,
}

/// A place that a call copies from or to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// A register of the frame.
    Reg(Slot),
    /// Bytes of the frame in local memory: offset and size.
    Local(u32, u32),
    /// A constant, as an argument.
    Imm(u64),
}

/// A call, its function resolved.
#[derive(Clone, Debug)]
pub(crate) struct CallOp {
    /// The first instruction of the function.
    pub(crate) target: u32,
    /// The slots of the caller's frame.
    pub(crate) caller_slots: u32,
    /// The bytes of the caller's frame in local memory.
    pub(crate) caller_local: u32,
    /// The slots of the function's frame.
    pub(crate) slots: u32,
    /// The bytes of the function's frame in local memory.
    pub(crate) local: u32,
    /// From the caller's place to the function's.
    pub(crate) arguments: Vec<(Place, Place)>,
    /// From the function's place to the caller's.
    pub(crate) results: Vec<(Place, Place)>,
}

/// How a comparison is joined with a predicate.
pub(crate) type Join = (fn(u64, u64) -> u64, Src);

/// How an atomic operation updates a word.
pub(crate) type Update = fn(old: u64, b: u64, c: u64) -> u64;

/// A load or store of one to four elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// The state space.
    pub(crate) space: Space,
    /// The address.
    pub(crate) address: Address,
    /// Bytes of an element.
    pub(crate) bytes: u8,
    /// The number of elements.
    pub(crate) count: u8,
}

/// An operation.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Unary {
        f: fn(u64) -> u64,
        d: Slot,
        a: Src,
    },
    Binary {
        f: fn(u64, u64) -> u64,
        d: Slot,
        a: Src,
        b: Src,
    },
    Ternary {
        f: fn(u64, u64, u64) -> u64,
        d: Slot,
        a: Src,
        b: Src,
        c: Src,
    },
    /// `lop3` and `prmt`'s like: an immediate decides what is done.
    Lop3 {
        d: Slot,
        a: Src,
        b: Src,
        c: Src,
        table: u8,
    },
    Bfi {
        d: Slot,
        a: Src,
        b: Src,
        position: Src,
        length: Src,
        bits: u32,
    },
    Carry {
        kind: CarryKind,
        bits: u32,
        reads: bool,
        writes: bool,
        d: Slot,
        a: Src,
        b: Src,
        c: Src,
    },
    /// `setp`: `combine` joins the test with a predicate.
    Setp {
        test: fn(u64, u64) -> u64,
        combine: Option<Join>,
        p: Slot,
        q: Slot,
        a: Src,
        b: Src,
    },
    /// `set`: one of two values.
    Set {
        test: fn(u64, u64) -> u64,
        combine: Option<Join>,
        d: Slot,
        yes: u64,
        a: Src,
        b: Src,
    },
    Convert {
        how: Convert,
        d: Slot,
        a: Src,
    },
    Special {
        which: Special,
        d: Slot,
    },
    /// `mov` of an address.
    Address {
        address: Address,
        mask: u64,
        d: Slot,
    },
    /// `mov.b64 {a, b}, c`.
    Unpack {
        d: [Slot; 4],
        count: u8,
        bits: u32,
        a: Src,
    },
    /// `mov.b64 c, {a, b}`.
    Pack {
        d: Slot,
        a: [Src; 4],
        count: u8,
        bits: u32,
    },
    /// `extend`: what a register's value is sign-extended to, or 0.
    Load {
        access: Access,
        d: [Slot; 4],
        extend: u64,
    },
    Store {
        access: Access,
        a: [Src; 4],
    },
    /// `atom` and `red`.
    Atomic {
        access: Access,
        update: Update,
        d: Slot,
        b: Src,
        c: Src,
    },
    Bra {
        target: u32,
    },
    BrxIdx {
        targets: Box<[u32]>,
        index: Src,
    },
    Call(Box<CallOp>),
    Ret,
    Exit,
    Trap,
    Nop,
    ActiveMask {
        d: Slot,
    },
    Warp(Box<WarpOp>),
    Bar(Box<BarOp>),
}

/// An operation, its guard predicate, and whether that is negated.
#[derive(Clone, Debug)]
pub(crate) struct Instr {
    /// The guard.
    pub(crate) guard: Option<(Slot, bool)>,
    /// The operation.
    pub(crate) op: Op,
}
