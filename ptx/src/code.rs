//! The compact form that runs: names, types and modifiers are resolved, and
//! arithmetic is a function on the bits of registers.

use super::bulk::{BulkOp, ReplaceOp, SendOp, TensorOp};
use super::fragment::{MatrixOp, TileOp, WgmmaOp};
use super::ops::{Binary, Convert, Row, Ternary, Unary, Video};
use std::fmt;

/// A register's place in its function's frame.
pub(crate) type Slot = u32;

/// The slot of the condition code (`CC.CF`) in every frame.
pub(crate) const CARRY: Slot = 0;
/// The slot that results for `_` go to.
pub(crate) const SINK: Slot = 1;
/// The first slot of registers of the text.
pub(crate) const FIRST: Slot = 2;

/// A value that is read: a register of the frame, or a constant of the kernel.
/// Registers hold their value's bits, zero-extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Src(u32);

impl Src {
    const CONSTANT: u32 = 1 << 31;

    /// A register.
    pub(crate) const fn register(slot: Slot) -> Self {
        Self(slot)
    }

    /// A constant, by its index in the kernel's.
    pub(crate) const fn constant(index: u32) -> Self {
        Self(index | Self::CONSTANT)
    }

    /// The register's slot, or the constant's index.
    #[inline]
    pub(crate) const fn split(self) -> Result<Slot, u32> {
        if self.0 & Self::CONSTANT == 0 { Ok(self.0) } else { Err(self.0 ^ Self::CONSTANT) }
    }
}

/// The constant 0 is every kernel's first.
pub(crate) const ZERO: Src = Src::constant(0);

/// The constants of a kernel: each a register whose lanes are alike.
#[derive(Clone, Debug)]
pub(crate) struct Constants(Vec<Row>);

impl Default for Constants {
    fn default() -> Self {
        Self(vec![[0; 32]])
    }
}

impl Constants {
    /// The operand for a value.
    pub(crate) fn of(&mut self, value: u64) -> Src {
        // Those of real kernels are few.
        let near = self.0.len().saturating_sub(64);
        let index = self.0[near..].iter().position(|row| row[0] == value).map(|at| near + at);
        let index = index.unwrap_or_else(|| {
            self.0.push([value; 32]);
            self.0.len() - 1
        });
        if value == 0 { ZERO } else { Src::constant(index as u32) }
    }

    /// All rows.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.0
    }

    /// The row of an index.
    #[inline]
    pub(crate) fn row(&self, index: u32) -> &Row {
        &self.0[index as usize]
    }

    /// The value of an operand that is a constant.
    pub(crate) fn value(&self, src: Src) -> Option<u64> {
        src.split().err().map(|index| self.row(index)[0])
    }
}

/// The place that an address counts from.
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
    /// The offset that is added to it.
    pub(crate) offset: i64,
}

/// Where an address leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// Device memory, `.const` variables included.
    Global,
    /// The block's shared memory.
    Shared,
    /// The shared memory of any block of the cluster.
    Cluster,
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
/// The room that a block's shared memory has among the addresses of its cluster: the block's own is at 0, and
/// that of the cluster's first block, second block and so on after it.
pub(crate) const CLUSTER_SPAN: u64 = 1 << 18;
/// See [`SHARED_WINDOW`].
pub(crate) const LOCAL_WINDOW: u64 = 0x0200_0000;
/// See [`SHARED_WINDOW`].
pub(crate) const PARAM_WINDOW: u64 = 0x0300_0000;
/// Where the parameters of a kernel begin in constant memory, on devices of compute capability 9.0 (F428): large
/// alignments count from there.
pub(crate) const PARAMS: u64 = 0x210;
/// The generic address of a kernel's first parameter.
pub(crate) const FIRST_PARAM: u64 = PARAM_WINDOW + PARAMS;
/// Where the addresses of functions begin, which lead to no memory.
const FUNCTIONS: u64 = 0x0400_0000;
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
    /// `%envreg1` and `%envreg2`: the high and the low half of the address of
    /// the grid's workspace, by shift.
    Workspace(u32),
    /// `%clusterid`, by dimension.
    ClusterId(usize),
    /// `%nclusterid`
    Nclusterid(usize),
    /// `%cluster_ctaid`
    ClusterCtaid(usize),
    /// `%cluster_nctaid`
    ClusterNctaid(usize),
    /// `%cluster_ctarank`
    ClusterCtarank,
    /// `%cluster_nctarank`
    ClusterNctarank,
    /// `%is_explicit_cluster`
    ExplicitCluster,
    /// A register that is always 0: `%envreg0` and so on.
    Zero,
}

impl Special {
    /// Whether all lanes of a warp see the same value.
    pub(crate) fn is_of_warp(self) -> bool {
        self.is_of_launch()
            || matches!(
                self,
                Self::Ctaid(_)
                    | Self::WarpId
                    | Self::GridId
                    | Self::Clock(..)
                    | Self::GlobalTimer(..)
            )
    }

    /// Whether a thread sees the same value in each block of a launch.
    pub(crate) fn is_of_thread(self) -> bool {
        self.is_of_launch()
            || matches!(
                self,
                Self::Tid(_)
                    | Self::LaneId
                    | Self::WarpId
                    | Self::MaskEq
                    | Self::MaskLt
                    | Self::MaskLe
                    | Self::MaskGt
                    | Self::MaskGe
            )
    }

    /// Whether all threads of a launch see the same value.
    fn is_of_launch(self) -> bool {
        matches!(
            self,
            Self::Ntid(_)
                | Self::Nctaid(_)
                | Self::Nwarpid
                | Self::SmId
                | Self::Nsmid
                | Self::DynamicShared
                | Self::TotalShared
                | Self::Workspace(_)
                | Self::Zero
        )
    }
}

/// How `shfl` picks the lane to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Bfly,
    Idx,
}

/// The result that `vote` and `bar.red` compute from the predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    Uni,
    Ballot,
    Popc,
}

/// The result that `redux` computes from the values.
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
    /// `elect`
    Elect,
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
    /// A register of the frame, or a constant as an argument.
    Value(Src),
    /// Bytes of the frame in local memory: offset and size.
    Local(u32, u32),
}

/// The target of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    /// A function, by its index in the kernel's.
    Function(u32),
    /// Whichever function has the address.
    Address(Src),
    /// A function of the device's runtime.
    System(System),
}

/// A function of the device's runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    /// `vprintf`
    Print,
    /// `__assertfail`
    Assert,
    /// `malloc`
    Allocate,
    /// `free`
    Free,
    /// `cudaGraphSetConditional`
    SetNumber,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct CallOp {
    /// The target of the call.
    pub(crate) callee: Callee,
    /// The slots of the caller's frame.
    pub(crate) caller_slots: u32,
    /// The caller's places of the arguments.
    pub(crate) arguments: Vec<Place>,
    /// The caller's places for the results.
    pub(crate) results: Vec<Place>,
}

/// A function within a kernel's code.
#[derive(Clone, Debug)]
pub(crate) struct Callable {
    /// Its index in the module, which its address comes from.
    pub(crate) index: u32,
    /// Its first instruction.
    pub(crate) start: u32,
    /// The slots of its frame.
    pub(crate) slots: u32,
    /// The bytes of its frame in local memory.
    pub(crate) local: u32,
    /// Its places of the arguments.
    pub(crate) params: Vec<Place>,
    /// Its places of the results.
    pub(crate) returns: Vec<Place>,
}

/// The address of the module's function of an index: what is no memory.
pub(crate) const fn function_address(index: u32) -> u64 {
    FUNCTIONS + (index as u64 + 1) * 16
}

/// The index of the function at an address.
pub(crate) fn function_at(address: u64) -> Option<u32> {
    let distance = address.checked_sub(FUNCTIONS + 16)?;
    if distance % 16 != 0 { None } else { u32::try_from(distance / 16).ok() }
}

/// How a comparison is joined with a predicate.
pub(crate) type Join = (Binary, Src);

/// How an atomic operation updates a word: from the old value, `b` and `c`.
pub(crate) type Update = &'static dyn Updates;

/// See [`Update`].
pub(crate) trait Updates: Sync {
    /// The new value.
    fn update(&self, old: u64, b: u64, c: u64) -> u64;
}

impl<F: Fn(u64, u64, u64) -> u64 + Sync> Updates for F {
    fn update(&self, old: u64, b: u64, c: u64) -> u64 {
        self(old, b, c)
    }
}

impl fmt::Debug for dyn Updates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Updates")
    }
}

/// A load or store of one to eight elements.
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
    /// Whether it orders what comes before and after it, or is one that a loop
    /// may wait with.
    pub(crate) order: Order,
}

/// Two loads of an f32 each from shared memory, and `fma.rn.f32` of both and a third operand.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) first: Access,
    /// The register of the first load.
    pub(crate) x: Slot,
    pub(crate) second: Access,
    /// The register of the second load.
    pub(crate) y: Slot,
    pub(crate) c: Src,
    pub(crate) d: Slot,
    /// The chain of such instructions that begins with this one.
    pub(crate) chain: Chain,
}

/// Pairs with the same registers as addresses, each of which takes the sum of the one before it, as nothing else does. A load
/// and the sum are between one and the next.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    /// From the words of the first to those of each, in words.
    pub(crate) apart: Vec<[i32; 2]>,
    /// The register of the last sum.
    pub(crate) d: Slot,
}

/// The properties of an access apart from its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Nothing more.
    Weak,
    /// Others may see it, or it may wait for others.
    Relaxed,
    /// It orders accesses.
    Fence,
}

/// Where the tests of both halves go.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Halves {
    /// To a predicate each.
    Predicates(Slot, Slot),
    /// To the halves of a register: the value of one that holds.
    Values(Slot, u64),
}

/// The geometry that an instruction expects of a texture or surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Geometry {
    D1,
    D2,
    D3,
    /// Layers of rows: the layer comes first.
    A1,
    /// Layers of planes.
    A2,
    Cube,
    /// Layers of cubes.
    ACube,
}

impl Geometry {
    /// The dimensions of a layer.
    pub(crate) const fn dimensions(self) -> usize {
        match self {
            Self::D1 | Self::A1 => 1,
            Self::D2 | Self::A2 => 2,
            Self::D3 | Self::Cube | Self::ACube => 3,
        }
    }

    /// Whether the first coordinate is a layer.
    pub(crate) const fn layered(self) -> bool {
        matches!(self, Self::A1 | Self::A2 | Self::ACube)
    }

    /// The coordinates, of which the last one may mean nothing.
    pub(crate) const fn operands(self) -> usize {
        match self {
            Self::D1 => 1,
            Self::D2 | Self::A1 => 2,
            _ => 4,
        }
    }
}

/// Where a fetch looks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Detail {
    /// At the level of detail 0.
    Base,
    /// At a level.
    Level(Src),
    /// At the level of these derivatives by x and by y.
    Gradient([[Src; 3]; 2]),
    /// At one channel of the four texels that would be filtered.
    Gather(u8),
}

/// The result of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fetched {
    F32,
    Integer,
    F16,
    /// Pairs of f16.
    F16x2,
}

/// `tex` and `tld4`
#[derive(Clone, Debug)]
pub(crate) struct FetchOp {
    pub(crate) geometry: Geometry,
    pub(crate) gives: Fetched,
    /// Whether the coordinates count texels.
    pub(crate) whole: bool,
    pub(crate) detail: Detail,
    /// The offset that is added to the texel's coordinates.
    pub(crate) offset: [Src; 3],
    pub(crate) d: Box<[Slot]>,
    pub(crate) object: Src,
    pub(crate) at: Box<[Src]>,
}

/// The behaviour of a surface beyond its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    Trap,
    Clamp,
    Zero,
}

/// The access to a place of a surface.
#[derive(Clone, Debug)]
pub(crate) enum Touch {
    Load(Box<[Slot]>),
    Store(Box<[Src]>),
    /// `sust.p`: the values become elements.
    Format(Box<[Src]>),
    /// `sured`, of bytes or of elements.
    Reduce(Update, Src, bool),
}

/// `suld`, `sust` and `sured`
#[derive(Clone, Debug)]
pub(crate) struct SurfaceOp {
    pub(crate) geometry: Geometry,
    pub(crate) beyond: Beyond,
    /// Bytes of a value.
    pub(crate) bytes: usize,
    pub(crate) touch: Touch,
    pub(crate) object: Src,
    pub(crate) at: Box<[Src]>,
}

/// The question of `txq` and `suq`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    Width,
    Height,
    Depth,
    Layers,
    Levels,
}

/// The operation of `mbarrier`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryBarrier {
    Init,
    Invalidate,
    Arrive,
    /// `arrive_drop`
    Drop,
    /// `arrive.expect_tx`
    ArriveExpect,
    /// `arrive_drop.expect_tx`
    DropExpect,
    /// `expect_tx`
    Expect,
    /// `complete_tx`
    Complete,
    /// Whether the phase of a state is over.
    Test,
    /// Whether a phase of a parity is over.
    TestParity,
}

/// An operation.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Unary {
        f: Unary,
        d: Slot,
        a: Src,
    },
    Binary {
        f: Binary,
        d: Slot,
        a: Src,
        b: Src,
    },
    Ternary {
        f: Ternary,
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
    /// A video instruction.
    Video {
        how: Box<Video>,
        d: Slot,
        a: Src,
        b: Src,
        c: Src,
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
        test: Binary,
        combine: Option<Box<Join>>,
        p: Slot,
        q: Slot,
        a: Src,
        b: Src,
    },
    /// `set`: one of two values.
    Set {
        test: Binary,
        combine: Option<Box<Join>>,
        d: Slot,
        yes: u64,
        a: Src,
        b: Src,
    },
    /// `setp` and `set` of pairs of 16 bits.
    SetHalves {
        test: Binary,
        combine: Option<Box<Join>>,
        to: Halves,
        a: Src,
        b: Src,
    },
    Convert {
        how: Box<Convert>,
        d: Slot,
        a: Src,
    },
    /// `cvt` of two operands to a pair: `a` to the high half, of so many bits.
    ConvertPair {
        how: Box<Convert>,
        d: Slot,
        a: Src,
        b: Src,
        bits: u32,
    },
    /// `cvt` of a pair to a pair: elements of so many bits to as many.
    ConvertEach {
        how: Box<Convert>,
        d: Slot,
        a: Src,
        from: u32,
        to: u32,
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
        d: Box<[Slot]>,
        bits: u32,
        a: Src,
    },
    /// `mov.b64 c, {a, b}`.
    Pack {
        d: Slot,
        a: Box<[Src]>,
        bits: u32,
    },
    /// `extend`: what a register's value is sign-extended to, or 0.
    Load {
        access: Access,
        d: Box<[Slot]>,
        extend: u64,
    },
    /// Two loads and the sum that takes them, which stand after it.
    Pair(Box<Pair>),
    Store {
        access: Access,
        a: Box<[Src]>,
    },
    /// `atom` and `red`, of one element or more.
    Atomic {
        access: Access,
        update: Update,
        d: Box<[Slot]>,
        b: Box<[Src]>,
        c: Src,
    },
    /// `multimem.st`, and `multimem.red` with an update.
    MultimemStore {
        access: Access,
        update: Option<Update>,
        a: Box<[Src]>,
    },
    /// `multimem.ld_reduce`.
    MultimemLoad {
        access: Access,
        update: Update,
        d: Box<[Slot]>,
    },
    /// `atom.exch.b128` and `atom.cas.b128`.
    AtomicWide {
        access: Access,
        d: Slot,
        expected: Option<[Src; 2]>,
        new: [Src; 2],
    },
    /// A copy from global to shared memory, of so many bytes of which `from`
    /// gives the first.
    CopyAsync {
        to: Access,
        from: Access,
        bytes: u32,
        given: Option<Src>,
    },
    /// Whether a generic address leads to device memory, or to a constant in it.
    InDeviceMemory {
        d: Slot,
        a: Src,
        constant: bool,
    },
    Matrix(Box<MatrixOp>),
    /// `ldmatrix`
    LoadMatrix {
        access: Access,
        d: Box<[Slot]>,
        transposed: bool,
    },
    /// `stmatrix`
    StoreMatrix {
        access: Access,
        a: Box<[Src]>,
        transposed: bool,
    },
    /// `movmatrix`
    Transpose {
        d: Slot,
        a: Src,
    },
    /// `wmma.load`, and `wmma.store` without registers to load.
    Tile {
        access: Access,
        op: Box<TileOp>,
    },
    /// `mbarrier`: `a` is the count, the state, or the parity.
    MemoryBarrier {
        kind: MemoryBarrier,
        access: Access,
        d: Slot,
        a: Src,
    },
    Fetch(Box<FetchOp>),
    Surface(Box<SurfaceOp>),
    /// `txq`, and `suq` if it is one of a surface.
    Query {
        what: Query,
        level: Src,
        surface: bool,
        d: Slot,
        object: Src,
    },
    /// A fence.
    Fence,
    /// `alloca`: room in local memory.
    Alloca {
        d: Slot,
        size: Src,
        align: u32,
    },
    /// `stacksave` and `stackrestore`
    StackSave {
        d: Slot,
    },
    StackRestore {
        a: Src,
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
    /// An access that the lanes of a warp make one by one.
    OneByOne(Box<Instr>),
    /// The access that a loop may wait with, and nothing more.
    Wait,
    Nop,
    ActiveMask {
        d: Slot,
    },
    Warp(Box<WarpOp>),
    Bar(Box<BarOp>),
    /// `barrier.cluster`: whether it waits, or arrives.
    ClusterBarrier {
        wait: bool,
    },
    Bulk(Box<BulkOp>),
    Tensor(Box<TensorOp>),
    Replace(Box<ReplaceOp>),
    Send(Box<SendOp>),
    /// `wgmma.mma_async`
    Wgmma(Box<WgmmaOp>),
    /// `mapa`: the address of the same place in another block's shared memory, generic ones or not.
    MapAddress {
        d: Slot,
        a: Src,
        rank: Src,
        generic: bool,
    },
    /// `getctarank`: the block that an address is of.
    RankOf {
        d: Slot,
        a: Src,
        generic: bool,
    },
}

/// An operation, its guard predicate, and whether that is negated.
#[derive(Clone, Debug)]
pub(crate) struct Instr {
    /// The guard.
    pub(crate) guard: Option<(Slot, bool)>,
    /// The operation.
    pub(crate) op: Op,
}
