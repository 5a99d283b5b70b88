//! The instructions that there are: the lowering looks an opcode's first part
//! up here, and `docs/ptx.md` is made from it.
//!
//! In a form, `(a|b)` is one of several, `{a}` may be left out, and `<name>`
//! is one of a set of [`SETS`].
#![cfg_attr(not(test), allow(dead_code, reason = "the docs and their test read the forms"))]

/// A set of types or modifiers, for forms.
pub(crate) type Set = (&'static str, &'static str);

/// The sets that forms mention.
pub(crate) const SETS: &[Set] = &[
    ("int", "u16|s16|u32|s32|u64|s64"),
    ("bits", "b16|b32|b64"),
    ("any", "b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64"),
    ("half", "f16|f16x2|bf16|bf16x2"),
    ("rnd", "rn|rz|rm|rp"),
    ("word", "u32|s32"),
    ("cmp", "eq|ne|lt|le|gt|ge"),
    ("fcmp", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"),
    ("order", "weak|volatile|relaxed.gpu|acquire.gpu"),
    ("cache", "ca|cg|cs|lu|cv"),
    ("space", "global|shared|local"),
    ("mem", "b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64"),
    ("sem", "relaxed|acquire|release|acq_rel"),
    ("scope", "cta|cluster|gpu|sys"),
    ("reach", "global|shared|shared::cta|shared::cluster"),
    ("sub", "b8|b16|b32|b64"),
    ("edge", "trap|clamp|zero"),
    ("wmma", "m16n16k16|m32n8k16|m8n32k16"),
    ("lines", "row|col"),
    ("at", "global|shared|shared::cta"),
];

/// The function that lowers an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Integer,
    Arithmetic,
    Float,
    Convert,
    Memory,
    CopyAsync,
    TensorMap,
    Hint,
    MemoryBarrier,
    Stack,
    Warp,
    Matrix,
    Barrier,
    Call,
    Control,
    Texture,
    Video,
}

/// An opcode's first part, what lowers it, and its forms with their operands:
/// `T` a register of the last type, `S` of the type before, `W` of twice the
/// size, `h r l q` of 16, 32, 64 and 128 bits, `f x` of f32 and f64, `p` a
/// predicate, `n` a constant, `r4` four of `r`, and what stands in brackets an address: `a` one of 32 bits if the
/// opcode names shared memory.
pub(crate) struct Row(
    pub(crate) &'static str,
    pub(crate) Family,
    pub(crate) &'static [(&'static str, &'static str)],
);

use Family::*;

/// All instructions.
pub(crate) const ROWS: &[Row] = &[
    Row(
        "abs",
        Arithmetic,
        &[
            ("abs.(s16|s32|s64|f64)", "T, T"),
            ("abs{.ftz}.(f32|f16|f16x2)", "T, T"),
            ("abs.(bf16|bf16x2)", "T, T"),
        ],
    ),
    Row("activemask", Warp, &[("activemask.b32", "r")]),
    Row(
        "add",
        Arithmetic,
        &[
            ("add.<int>", "T, T, T"),
            ("add.sat.s32", "T, T, T"),
            ("add.(u16x2|s16x2)", "T, T, T"),
            ("add.cc.(u32|s32|u64|s64)", "T, T, T"),
            ("add{.<rnd>}{.ftz}{.sat}.f32", "T, T, T"),
            ("add{.<rnd>}.f64", "T, T, T"),
            ("add{.rn}{.ftz}{.sat}.(f16|f16x2)", "T, T, T"),
            ("add{.rn}.(bf16|bf16x2)", "T, T, T"),
        ],
    ),
    Row("addc", Integer, &[("addc{.cc}.(u32|s32|u64|s64)", "T, T, T")]),
    Row("alloca", Stack, &[("alloca.u64", "l, l")]),
    Row("and", Integer, &[("and.(b16|b32|b64|pred)", "T, T, T")]),
    Row("applypriority", Hint, &[("applypriority{.global}.L2::evict_normal", "[l], 128")]),
    Row(
        "atom",
        Memory,
        &[
            ("atom{.<sem>}{.<scope>}{.(global|shared)}.(and|or|xor|exch).(b32|b64)", "T, [l], T"),
            ("atom{.<sem>}{.<scope>}{.<reach>}.cas.<bits>", "T, [l], T, T"),
            ("atom{.<sem>}{.<scope>}{.(global|shared)}.add.(u32|s32|u64|f32|f64)", "T, [l], T"),
            ("atom{.<sem>}{.<scope>}{.(global|shared)}.add.noftz.<half>", "T, [l], T"),
            ("atom{.(global|shared)}.(inc|dec).u32", "T, [l], T"),
            ("atom{.<sem>}{.<scope>}{.(global|shared)}.(min|max).(u32|s32|u64|s64)", "T, [l], T"),
            ("atom.global{.<scope>}.add.v2.f32", "{T, T}, [l], {T, T}"),
            ("atom.global{.<scope>}.add.v4.f32", "{T, T, T, T}, [l], {T, T, T, T}"),
            ("atom{.global}{.<scope>}.(add|min|max).noftz.v2.<half>", "{T, T}, [l], {T, T}"),
            (
                "atom{.global}{.<scope>}.(add|min|max).noftz.v4.<half>",
                "{T, T, T, T}, [l], {T, T, T, T}",
            ),
            ("atom{.(global|shared)}.exch.b128", "q, [l], q"),
            ("atom{.(global|shared)}.cas.b128", "q, [l], q, q"),
        ],
    ),
    Row(
        "bar",
        Barrier,
        &[
            ("bar{.cta}.sync", "n"),
            ("bar{.cta}.sync", "n, n32"),
            ("bar{.cta}.arrive", "n, n32"),
            ("bar{.cta}.red.popc.u32", "r, n, p"),
            ("bar{.cta}.red.(and|or).pred", "p, n, p"),
            ("bar.warp.sync", "r"),
        ],
    ),
    Row(
        "barrier",
        Barrier,
        &[
            ("barrier{.cta}.sync{.aligned}", "n"),
            ("barrier{.cta}.sync{.aligned}", "n, n32"),
            ("barrier{.cta}.arrive{.aligned}", "n, n32"),
            ("barrier{.cta}.red.popc{.aligned}.u32", "r, n, p"),
            ("barrier{.cta}.red.(and|or){.aligned}.pred", "p, n, p"),
            ("barrier.cluster.arrive{.(release|relaxed)}{.aligned}", ""),
            ("barrier.cluster.wait{.acquire}{.aligned}", ""),
        ],
    ),
    Row("bfe", Integer, &[("bfe.(u32|s32|u64|s64)", "T, T, r, r")]),
    Row("bfi", Integer, &[("bfi.(b32|b64)", "T, T, T, r, r")]),
    Row("bfind", Integer, &[("bfind{.shiftamt}.(u32|s32|u64|s64)", "r, T")]),
    Row("bmsk", Integer, &[("bmsk.(clamp|wrap).b32", "r, r, r")]),
    Row("bra", Control, &[("bra{.uni}", "LABEL")]),
    Row("brev", Integer, &[("brev.(b32|b64)", "T, T")]),
    Row("brkpt", Control, &[("brkpt", "")]),
    Row("brx", Control, &[("brx.idx{.uni}", "r, TARGETS")]),
    Row("call", Call, &[("call{.uni}", "FUNCTION"), ("call{.uni}", "l, PROTOTYPE")]),
    Row("clz", Integer, &[("clz.(b32|b64)", "r, T")]),
    Row("cnot", Integer, &[("cnot.<bits>", "T, T")]),
    Row("copysign", Float, &[("copysign.(f32|f64)", "T, T, T")]),
    Row("cos", Float, &[("cos.approx{.ftz}.f32", "T, T")]),
    Row(
        "cp",
        CopyAsync,
        &[
            ("cp.async.ca.shared.global{.L2::128B}", "[r], [l], n4"),
            ("cp.async.(ca|cg).shared.global{.L2::128B}", "[r], [l], n16"),
            ("cp.async.(ca|cg).shared.global{.L2::128B}", "[r], [l], n16, r"),
            ("cp.async.commit_group", ""),
            ("cp.async.wait_group", "n"),
            ("cp.async.wait_all", ""),
            ("cp.async.mbarrier.arrive{.noinc}.shared.b64", "[r]"),
            (
                "cp.async.bulk.(shared::cluster|shared::cta).global.mbarrier::complete_tx::bytes",
                "[r], [l], r, [r]",
            ),
            (
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
                "[r], [l], r, [r], h",
            ),
            (
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint",
                "[r], [l], r, [r], l",
            ),
            (
                "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
                "[r], [r], r, [r]",
            ),
            ("cp.async.bulk.global.shared::cta.bulk_group", "[l], [r], r"),
            ("cp.async.bulk.prefetch.L2.global", "[l], r"),
            ("cp.async.bulk.commit_group", ""),
            ("cp.async.bulk.wait_group{.read}", "n"),
            (
                "cp.async.bulk.tensor.1d.(shared::cluster|shared::cta).global{.tile}.mbarrier::complete_tx::bytes",
                "[r], [l, {r}], [r]",
            ),
            (
                "cp.async.bulk.tensor.2d.(shared::cluster|shared::cta).global{.tile}.mbarrier::complete_tx::bytes",
                "[r], [l, {r2}], [r]",
            ),
            (
                "cp.async.bulk.tensor.3d.(shared::cluster|shared::cta).global{.tile}.mbarrier::complete_tx::bytes",
                "[r], [l, {r3}], [r]",
            ),
            (
                "cp.async.bulk.tensor.4d.(shared::cluster|shared::cta).global{.tile}.mbarrier::complete_tx::bytes",
                "[r], [l, {r4}], [r]",
            ),
            (
                "cp.async.bulk.tensor.5d.(shared::cluster|shared::cta).global{.tile}.mbarrier::complete_tx::bytes",
                "[r], [l, {r5}], [r]",
            ),
            (
                "cp.async.bulk.tensor.2d.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes.multicast::cluster",
                "[r], [l, {r2}], [r], h",
            ),
            ("cp.async.bulk.tensor.2d.global.shared::cta{.tile}.bulk_group", "[l, {r2}], [r]"),
            ("cp.async.bulk.tensor.4d.global.shared::cta{.tile}.bulk_group", "[l, {r4}], [r]"),
            (
                "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes",
                "[r], [l, {r3}], [r], {h}",
            ),
            (
                "cp.async.bulk.tensor.4d.(shared::cluster|shared::cta).global.im2col.mbarrier::complete_tx::bytes",
                "[r], [l, {r4}], [r], {h2}",
            ),
            (
                "cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster",
                "[r], [l, {r5}], [r], {h3}, h",
            ),
            (
                "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group",
                "[l, {r3}], [r]",
            ),
            ("cp.async.bulk.prefetch.tensor.2d.L2.global{.tile}", "[l, {r2}]"),
            ("cp.async.bulk.prefetch.tensor.4d.L2.global.im2col", "[l, {r4}], {h2}"),
            (
                "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.(and|or|xor).b32",
                "[r], [r], r, [r]",
            ),
            (
                "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.(add.u32|add.s32|add.u64|inc.u32|dec.u32|min.u32|min.s32|max.u32|max.s32)",
                "[r], [r], r, [r]",
            ),
            (
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.(and|or|xor).(b32|b64)",
                "[l], [r], r",
            ),
            (
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.(u32|s32|u64|f32|f64|noftz.f16|noftz.bf16)",
                "[l], [r], r",
            ),
            (
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.(min|max).(u32|s32|u64|s64)",
                "[l], [r], r",
            ),
            ("cp.reduce.async.bulk.global.shared::cta.bulk_group.(inc|dec).u32", "[l], [r], r"),
            (
                "cp.reduce.async.bulk.tensor.2d.global.shared::cta.(add|min|max|inc|dec|and|or|xor){.tile}.bulk_group",
                "[l, {r2}], [r]",
            ),
        ],
    ),
    Row(
        "createpolicy",
        Hint,
        &[
            (
                "createpolicy.fractional.L2::evict_(last|normal|first|unchanged){.L2::evict_(first|unchanged)}.b64",
                "l, f",
            ),
            (
                "createpolicy.fractional.L2::evict_(last|normal|first|unchanged){.L2::evict_(first|unchanged)}.b64",
                "l",
            ),
            (
                "createpolicy.range{.global}.L2::evict_(last|normal|first|unchanged){.L2::evict_(first|unchanged)}.b64",
                "l, [l], r, r",
            ),
            ("createpolicy.cvt.L2.b64", "l, l"),
        ],
    ),
    Row(
        "cvt",
        Convert,
        &[
            ("cvt{.sat}.(u8|s8|u16|s16|u32|s32|u64|s64).<int>", "U, T"),
            ("cvt.<rnd>.(f16|f32|f64).(u8|s8|u16|s16|u32|s32|u64|s64)", "S, V"),
            ("cvt.<rnd>.bf16.<int>", "S, V"),
            ("cvt.(rni|rzi|rmi|rpi).(u8|s8|u16|s16|u32|s32|u64|s64).(f16|f32|f64)", "U, T"),
            ("cvt.(rni|rzi|rmi|rpi).<int>.bf16", "U, T"),
            ("cvt.(rni|rzi|rmi|rpi){.ftz}{.sat}.f32.f32", "T, T"),
            ("cvt.(rni|rzi|rmi|rpi).(f16.f16|bf16.bf16|f64.f64)", "T, T"),
            ("cvt.f32.(f16|bf16)", "S, T"),
            ("cvt.f64.(f16|f32)", "S, T"),
            ("cvt.<rnd>{.ftz}{.sat}.f32.f64", "S, T"),
            ("cvt.<rnd>.(f16|bf16).(f32|f64)", "S, T"),
            ("cvt.(rn|rz){.relu}{.satfinite}.(f16|bf16).f32", "S, T"),
            ("cvt.(rn|rz){.relu}.(f16x2|bf16x2).f32", "S, T, T"),
            ("cvt.rn.satfinite{.relu}.(e4m3x2|e5m2x2).f32", "h, T, T"),
            ("cvt.rn.satfinite{.relu}.(e4m3x2|e5m2x2).f16x2", "h, T"),
            ("cvt.rn{.relu}.f16x2.(e4m3x2|e5m2x2)", "r, h"),
            ("cvt.(rn|rz|rna).tf32.f32", "r, T"),
            ("cvt.pack.sat.(u16|s16).s32", "r, T, T"),
            ("cvt.pack.sat.(u8|s8).s32.b32", "r, r, r, r"),
        ],
    ),
    Row(
        "cvta",
        Convert,
        &[("cvta{.to}.(global|shared{::cta}|shared::cluster|local|const|param).u64", "l, l")],
    ),
    Row("discard", Hint, &[("discard{.global}.L2", "[l], 128")]),
    Row(
        "div",
        Arithmetic,
        &[
            ("div.<int>", "T, T, T"),
            ("div.(approx|full){.ftz}.f32", "T, T, T"),
            ("div.<rnd>{.ftz}.f32", "T, T, T"),
            ("div.<rnd>.f64", "T, T, T"),
        ],
    ),
    Row("dp2a", Integer, &[("dp2a.(lo|hi).(u32|s32).(u32|s32)", "r, r, r, r")]),
    Row("dp4a", Integer, &[("dp4a.(u32|s32).(u32|s32)", "r, r, r, r")]),
    Row("elect", Warp, &[("elect.sync", "r|p, r")]),
    Row(
        "ex2",
        Float,
        &[
            ("ex2.approx{.ftz}.f32", "T, T"),
            ("ex2.approx.(f16|f16x2)", "T, T"),
            ("ex2.approx.ftz.(bf16|bf16x2)", "T, T"),
        ],
    ),
    Row("exit", Control, &[("exit", "")]),
    Row(
        "fence",
        Control,
        &[
            ("fence{.(sc|acq_rel|acquire|release)}.<scope>", ""),
            ("fence.mbarrier_init.release.cluster", ""),
            ("fence.proxy.(alias|async|async.global|async.shared::cta|async.shared::cluster)", ""),
            ("fence.proxy.tensormap::generic.release.<scope>", ""),
            ("fence.proxy.tensormap::generic.acquire.<scope>", "[l], 128"),
            ("fence{.proxy.async::generic}.acquire.sync_restrict::shared::cluster.cluster", ""),
            ("fence{.proxy.async::generic}.release.sync_restrict::shared::cta.cluster", ""),
        ],
    ),
    Row(
        "fma",
        Float,
        &[
            ("fma.<rnd>{.ftz}{.sat}.f32", "T, T, T, T"),
            ("fma.<rnd>.f64", "T, T, T, T"),
            ("fma.rn{.ftz}{.(sat|relu)}.(f16|f16x2)", "T, T, T, T"),
            ("fma.rn{.relu}.(bf16|bf16x2)", "T, T, T, T"),
        ],
    ),
    Row("fns", Integer, &[("fns.b32", "r, r, r, r")]),
    Row("getctarank", Convert, &[("getctarank{.shared::cluster}.(u32|u64)", "r, T")]),
    Row("griddepcontrol", Hint, &[("griddepcontrol.(launch_dependents|wait)", "")]),
    Row(
        "isspacep",
        Convert,
        &[("isspacep.(global|shared{::cta}|shared::cluster|local|const|param)", "p, l")],
    ),
    Row(
        "ld",
        Memory,
        &[
            ("ld{.<order>}{.(global|shared)}.<mem>", "V, [l]"),
            ("ld{.weak}.(local|const|param).<mem>", "V, [l]"),
            ("ld.global.nc{.L1::no_allocate}{.L2::128B}.<mem>", "V, [l]"),
            ("ld.(relaxed|acquire).gpu.global.L1::no_allocate.<mem>", "V, [l]"),
            ("ld.(b8|b16)", "f, [l]"),
            ("ld{.<space>}.<cache>.<mem>", "V, [l]"),
            ("ld.v2.<any>", "{V, V}, [l]"),
            ("ld.global{.nc}.v2.<any>", "{V, V}, [l]"),
            ("ld{.<space>}.v4.(b8|u8|b16|u16|b32|u32|s32|f32)", "{V, V, V, V}, [l]"),
            ("ld{.<space>}.b128", "q, [l]"),
            ("ld.global{.nc}{.L1::evict_last}.L2::cache_hint{.L2::128B}.<mem>", "V, [l], l"),
            ("ld{.<order>}.shared::(cta|cluster).<mem>", "V, [r]"),
        ],
    ),
    Row(
        "ldmatrix",
        Matrix,
        &[
            ("ldmatrix.sync.aligned.m8n8.x1{.trans}.shared{::cta}.b16", "{r}, [r]"),
            ("ldmatrix.sync.aligned.m8n8.x2{.trans}.shared{::cta}.b16", "{r, r}, [r]"),
            ("ldmatrix.sync.aligned.m8n8.x4{.trans}.shared{::cta}.b16", "{r, r, r, r}, [r]"),
        ],
    ),
    Row("ldu", Memory, &[("ldu{.global}.<mem>", "V, [l]")]),
    Row("lg2", Float, &[("lg2.approx{.ftz}.f32", "T, T")]),
    Row("lop3", Integer, &[("lop3.b32", "r, r, r, r, n")]),
    Row(
        "mad",
        Arithmetic,
        &[
            ("mad.(lo|hi).<int>", "T, T, T, T"),
            ("mad.hi.sat.s32", "T, T, T, T"),
            ("mad.wide.(u16|s16|u32|s32)", "W, T, T, W"),
            ("mad.(lo|hi).cc.(u32|s32|u64|s64)", "T, T, T, T"),
            ("mad.<rnd>{.ftz}{.sat}.f32", "T, T, T, T"),
            ("mad.<rnd>.f64", "T, T, T, T"),
        ],
    ),
    Row(
        "mad24",
        Integer,
        &[("mad24.(lo|hi).(u32|s32)", "T, T, T, T"), ("mad24.hi.sat.s32", "T, T, T, T")],
    ),
    Row("madc", Integer, &[("madc.(lo|hi){.cc}.(u32|s32|u64|s64)", "T, T, T, T")]),
    Row("mapa", Convert, &[("mapa{.shared::cluster}.(u32|u64)", "T, T, r")]),
    Row(
        "match",
        Warp,
        &[("match.any.sync.(b32|b64)", "r, T, r"), ("match.all.sync.(b32|b64)", "r|p, T, r")],
    ),
    Row(
        "max",
        Arithmetic,
        &[
            ("max.<int>", "T, T, T"),
            ("max.(u16x2|s16x2)", "T, T, T"),
            ("max.relu.(s32|s16x2)", "T, T, T"),
            ("max{.ftz}{.NaN}.xorsign.abs.(f32|f16|f16x2)", "T, T, T"),
            ("max{.NaN}.xorsign.abs.(bf16|bf16x2)", "T, T, T"),
            ("max{.ftz}{.NaN}.(f32|f16|f16x2)", "T, T, T"),
            ("max{.NaN}.(bf16|bf16x2)", "T, T, T"),
            ("max.f64", "T, T, T"),
        ],
    ),
    Row(
        "mbarrier",
        MemoryBarrier,
        &[
            ("mbarrier.init{.shared}.b64", "[a], r"),
            ("mbarrier.inval{.shared}.b64", "[a]"),
            (
                "mbarrier.(expect_tx|complete_tx){.relaxed.(cta|cluster)}{.(shared|shared::cta|shared::cluster)}.b64",
                "[a], r",
            ),
            ("mbarrier.arrive{.noComplete}{.shared}.b64", "l, [a], r"),
            ("mbarrier.arrive{.release.cta}{.shared{::cta}}.b64", "l, [a]"),
            ("mbarrier.arrive_drop{.shared}.b64", "l, [a]"),
            (
                "mbarrier.arrive{_drop}{.(release|relaxed).(cta|cluster)}{.shared{::cta}}.b64",
                "l, [a], r",
            ),
            (
                "mbarrier.arrive{_drop}.expect_tx{.(release|relaxed).(cta|cluster)}{.shared{::cta}}.b64",
                "l, [a], r",
            ),
            ("mbarrier.arrive{_drop}{.(release|relaxed).cluster}.shared::cluster.b64", "_, [a]"),
            (
                "mbarrier.arrive{_drop}{.expect_tx}{.(release|relaxed).cluster}.shared::cluster.b64",
                "_, [a], r",
            ),
            (
                "mbarrier.(test_wait|try_wait){.(acquire|relaxed).(cta|cluster)}{.shared{::cta}}.b64",
                "p, [a], l",
            ),
            ("mbarrier.try_wait.shared.b64", "p, [a], l, r"),
            ("mbarrier.try_wait.parity.shared.b64", "p, [a], r, r"),
            (
                "mbarrier.(test_wait|try_wait).parity{.(acquire|relaxed).(cta|cluster)}{.shared{::cta}}.b64",
                "p, [a], r",
            ),
            ("mbarrier.pending_count.b64", "r, l"),
        ],
    ),
    Row("membar", Control, &[("membar.(cta|gl|sys)", "")]),
    Row(
        "min",
        Arithmetic,
        &[
            ("min.<int>", "T, T, T"),
            ("min.(u16x2|s16x2)", "T, T, T"),
            ("min.relu.(s32|s16x2)", "T, T, T"),
            ("min{.ftz}{.NaN}.xorsign.abs.(f32|f16|f16x2)", "T, T, T"),
            ("min{.NaN}.xorsign.abs.(bf16|bf16x2)", "T, T, T"),
            ("min{.ftz}{.NaN}.(f32|f16|f16x2)", "T, T, T"),
            ("min{.NaN}.(bf16|bf16x2)", "T, T, T"),
            ("min.f64", "T, T, T"),
        ],
    ),
    Row(
        "mma",
        Matrix,
        &[
            ("mma.sync.aligned.m8n8k4.<lines>.<lines>.f32.f16.f16.f32", "{f8}, {r2}, {r2}, {f8}"),
            ("mma.sync.aligned.m8n8k4.<lines>.<lines>.f32.f16.f16.f16", "{f8}, {r2}, {r2}, {r4}"),
            ("mma.sync.aligned.m8n8k4.<lines>.<lines>.f16.f16.f16.f16", "{r4}, {r2}, {r2}, {r4}"),
            (
                "mma.sync.aligned.m16n8k8.row.col.f32.(f16.f16|bf16.bf16).f32",
                "{f4}, {r2}, {r}, {f4}",
            ),
            (
                "mma.sync.aligned.m16n8k16.row.col.f32.(f16.f16|bf16.bf16).f32",
                "{f4}, {r4}, {r2}, {f4}",
            ),
            ("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", "{r2}, {r2}, {r}, {r2}"),
            ("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "{r2}, {r4}, {r2}, {r2}"),
            ("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", "{f4}, {r2}, {r}, {f4}"),
            ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "{f4}, {r4}, {r2}, {f4}"),
            (
                "mma.sync.aligned.m16n8k16.row.col.f32.(e4m3|e5m2).(e4m3|e5m2).f32",
                "{f4}, {r2}, {r}, {f4}",
            ),
            (
                "mma.sync.aligned.m16n8k32.row.col.f32.(e4m3|e5m2).(e4m3|e5m2).f32",
                "{f4}, {r4}, {r2}, {f4}",
            ),
            (
                "mma.sync.aligned.m16n8k16.row.col.f16.(e4m3|e5m2).(e4m3|e5m2).f16",
                "{r2}, {r2}, {r}, {r2}",
            ),
            (
                "mma.sync.aligned.m16n8k32.row.col.f16.(e4m3|e5m2).(e4m3|e5m2).f16",
                "{r2}, {r4}, {r2}, {r2}",
            ),
            ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "{x2}, {x}, {x}, {x2}"),
            ("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", "{x4}, {x2}, {x}, {x4}"),
            ("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", "{x4}, {x4}, {x2}, {x4}"),
            ("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", "{x4}, {x8}, {x4}, {x4}"),
            (
                "mma.sync.aligned.m8n8k16.row.col{.satfinite}.s32.(s8|u8).(s8|u8).s32",
                "{r2}, {r}, {r}, {r2}",
            ),
            (
                "mma.sync.aligned.m16n8k16.row.col{.satfinite}.s32.(s8|u8).(s8|u8).s32",
                "{r4}, {r2}, {r}, {r4}",
            ),
            (
                "mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32.(s8|u8).(s8|u8).s32",
                "{r4}, {r4}, {r2}, {r4}",
            ),
            (
                "mma.sync.aligned.m8n8k32.row.col{.satfinite}.s32.(s4|u4).(s4|u4).s32",
                "{r2}, {r}, {r}, {r2}",
            ),
            (
                "mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32.(s4|u4).(s4|u4).s32",
                "{r4}, {r2}, {r}, {r4}",
            ),
            (
                "mma.sync.aligned.m16n8k64.row.col{.satfinite}.s32.(s4|u4).(s4|u4).s32",
                "{r4}, {r4}, {r2}, {r4}",
            ),
            (
                "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.(xor|and).popc",
                "{r2}, {r}, {r}, {r2}",
            ),
            (
                "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.(xor|and).popc",
                "{r4}, {r2}, {r}, {r4}",
            ),
            (
                "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.(xor|and).popc",
                "{r4}, {r4}, {r2}, {r4}",
            ),
            (
                "mma.sp{::ordered_metadata}.sync.aligned.m16n8k16.row.col.f32.(f16.f16|bf16.bf16).f32",
                "{f4}, {r2}, {r2}, {f4}, r, 3",
            ),
            (
                "mma.sp{::ordered_metadata}.sync.aligned.m16n8k32.row.col.f32.(f16.f16|bf16.bf16).f32",
                "{f4}, {r4}, {r4}, {f4}, r, 1",
            ),
            (
                "mma.sp{::ordered_metadata}.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
                "{r2}, {r2}, {r2}, {r2}, r, 3",
            ),
            (
                "mma.sp{::ordered_metadata}.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16",
                "{r2}, {r4}, {r4}, {r2}, r, 1",
            ),
            (
                "mma.sp{::ordered_metadata}.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
                "{f4}, {r2}, {r2}, {f4}, r, 3",
            ),
            (
                "mma.sp{::ordered_metadata}.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32",
                "{f4}, {r4}, {r4}, {f4}, r, 1",
            ),
            (
                "mma.sp{::ordered_metadata}.sync.aligned.m16n8k32.row.col{.satfinite}.s32.(s8|u8).(s8|u8).s32",
                "{r4}, {r2}, {r2}, {r4}, r, 1",
            ),
            (
                "mma.sp{::ordered_metadata}.sync.aligned.m16n8k64.row.col{.satfinite}.s32.(s8|u8).(s8|u8).s32",
                "{r4}, {r4}, {r4}, {r4}, r, 0",
            ),
            (
                "mma.sp{::ordered_metadata}.sync.aligned.m16n8k64.row.col{.satfinite}.s32.(s4|u4).(s4|u4).s32",
                "{r4}, {r2}, {r2}, {r4}, r, 1",
            ),
            (
                "mma.sp{::ordered_metadata}.sync.aligned.m16n8k128.row.col{.satfinite}.s32.(s4|u4).(s4|u4).s32",
                "{r4}, {r4}, {r4}, {r4}, r, 0",
            ),
            (
                "mma.sp{::ordered_metadata}.sync.aligned.m16n8k64.row.col.f32.(e4m3|e5m2).(e4m3|e5m2).f32",
                "{f4}, {r4}, {r4}, {f4}, r, 0",
            ),
        ],
    ),
    Row(
        "mov",
        Integer,
        &[
            ("mov.<any>", "T, T"),
            ("mov.pred", "p, p"),
            ("mov.b128", "q, q"),
            ("mov.u64", "T, VARIABLE"),
            ("mov.v2.<any>", "{T, T}, {T, T}"),
            ("mov.v4.(b16|u16|s16|b32|u32|s32|f32)", "{T, T, T, T}, {T, T, T, T}"),
            ("mov.v4.(b32|u32|s32)", "{T, T, T, T}, %tid"),
            ("mov.b32", "{h, h}, r"),
            ("mov.b64", "{r, r}, l"),
            ("mov.b64", "{h, h, h, h}, l"),
            ("mov.b128", "{l, l}, q"),
            ("mov.b32", "r, {h, h}"),
            ("mov.b64", "l, {r, r}"),
            ("mov.b64", "l, {h, h, h, h}"),
            ("mov.b128", "q, {l, l}"),
        ],
    ),
    Row("movmatrix", Matrix, &[("movmatrix.sync.aligned.m8n8.trans.b16", "r, r")]),
    Row(
        "mul",
        Arithmetic,
        &[
            ("mul.(lo|hi).<int>", "T, T, T"),
            ("mul.wide.(u16|s16|u32|s32)", "W, T, T"),
            ("mul{.<rnd>}{.ftz}{.sat}.f32", "T, T, T"),
            ("mul{.<rnd>}.f64", "T, T, T"),
            ("mul{.rn}{.ftz}{.sat}.(f16|f16x2)", "T, T, T"),
            ("mul{.rn}.(bf16|bf16x2)", "T, T, T"),
        ],
    ),
    Row("mul24", Integer, &[("mul24.(lo|hi).(u32|s32)", "T, T, T")]),
    Row(
        "multimem",
        Memory,
        &[
            (
                "multimem.ld_reduce{.(relaxed|acquire).<scope>}.global.(add|min|max).(u32|s32|u64)",
                "T, [l]",
            ),
            ("multimem.ld_reduce.global.(and|or|xor).(b32|b64)", "T, [l]"),
            ("multimem.ld_reduce.relaxed.gpu.global.add.f32", "T, [l]"),
            ("multimem.ld_reduce.relaxed.sys.global.add.v4.f32", "{T, T, T, T}, [l]"),
            (
                "multimem.st{.(relaxed|release).<scope>}.global.(b32|u32|s32|f32|b64|u64|s64|f64)",
                "[l], T",
            ),
            ("multimem.st.relaxed.sys.global.v4.f32", "[l], {T, T, T, T}"),
            (
                "multimem.red{.(relaxed|release).<scope>}.global.(add|min|max).(u32|s32|u64)",
                "[l], T",
            ),
            ("multimem.red.relaxed.gpu.global.(and|or|xor).(b32|b64)", "[l], T"),
            ("multimem.red.relaxed.gpu.global.add.f32", "[l], T"),
        ],
    ),
    Row("nanosleep", Control, &[("nanosleep.u32", "r")]),
    Row(
        "neg",
        Arithmetic,
        &[
            ("neg.(s16|s32|s64|f64)", "T, T"),
            ("neg{.ftz}.(f32|f16|f16x2)", "T, T"),
            ("neg.(bf16|bf16x2)", "T, T"),
        ],
    ),
    Row("not", Integer, &[("not.(b16|b32|b64|pred)", "T, T")]),
    Row("or", Integer, &[("or.(b16|b32|b64|pred)", "T, T, T")]),
    Row("pmevent", Control, &[("pmevent", "n")]),
    Row("popc", Integer, &[("popc.(b32|b64)", "r, T")]),
    Row(
        "prefetch",
        Memory,
        &[
            ("prefetch{.(global|local)}.(L1|L2)", "[l]"),
            ("prefetch.global.L2::evict_(last|normal)", "[l]"),
            ("prefetch{.(param|const)}.tensormap", "[l]"),
        ],
    ),
    Row("prefetchu", Memory, &[("prefetchu.L1", "[l]")]),
    Row("prmt", Integer, &[("prmt.b32{.(f4e|b4e|rc8|ecl|ecr|rc16)}", "r, r, r, r")]),
    Row(
        "rcp",
        Float,
        &[
            ("rcp.approx{.ftz}.f32", "T, T"),
            ("rcp.<rnd>{.ftz}.f32", "T, T"),
            ("rcp.<rnd>.f64", "T, T"),
            ("rcp.approx.ftz.f64", "T, T"),
        ],
    ),
    Row(
        "red",
        Memory,
        &[
            (
                "red{.(relaxed|release)}{.<scope>}{.(global|shared)}.(and|or|xor).(b32|b64)",
                "[l], T",
            ),
            (
                "red{.(relaxed|release)}{.<scope>}{.(global|shared)}.add.(u32|s32|u64|f32|f64)",
                "[l], T",
            ),
            ("red{.(global|shared)}.add.noftz.<half>", "[l], T"),
            ("red{.global}.(add|min|max).noftz.v2.<half>", "[l], {T, T}"),
            ("red{.global}.(add|min|max).noftz.v4.<half>", "[l], {T, T, T, T}"),
            ("red{.(global|shared)}.(inc|dec).u32", "[l], T"),
            ("red{.(global|shared)}.(min|max).(u32|s32|u64|s64)", "[l], T"),
            ("red.global.add.v2.f32", "[l], {T, T}"),
            (
                "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.(and|or|xor).b32",
                "[r], T, [r]",
            ),
            (
                "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.(add.u32|add.s32|add.u64|min.s32|max.u32|inc.u32|dec.u32)",
                "[r], T, [r]",
            ),
            ("red.global.add.v4.f32", "[l], {T, T, T, T}"),
        ],
    ),
    Row(
        "redux",
        Warp,
        &[
            ("redux.sync.(add|min|max).(u32|s32)", "T, T, r"),
            ("redux.sync.(and|or|xor).b32", "T, T, r"),
        ],
    ),
    Row("rem", Integer, &[("rem.<int>", "T, T, T")]),
    Row("ret", Control, &[("ret{.uni}", "")]),
    Row("rsqrt", Float, &[("rsqrt.approx{.ftz}.(f32|f64)", "T, T")]),
    Row("sad", Integer, &[("sad.<int>", "T, T, T, T")]),
    Row("selp", Integer, &[("selp.<any>", "T, T, T, p")]),
    Row(
        "set",
        Integer,
        &[
            ("set.<cmp>.(u32|s32|f32).<int>", "S, T, T"),
            ("set.<fcmp>{.ftz}.(u32|s32|f32).f32", "S, T, T"),
            ("set.<fcmp>.(u32|s32|f32).f64", "S, T, T"),
            ("set.<fcmp>.(and|or|xor).u32.f32", "S, T, T, p"),
            ("set.<fcmp>{.ftz}.f16.f16", "S, T, T"),
            ("set.<fcmp>.bf16.bf16", "S, T, T"),
            ("set.<fcmp>{.ftz}.(f16x2|u32).f16x2", "S, T, T"),
            ("set.<fcmp>.(bf16x2|u32).bf16x2", "S, T, T"),
        ],
    ),
    Row("setmaxnreg", Hint, &[("setmaxnreg.(inc|dec).sync.aligned.u32", "96")]),
    Row(
        "setp",
        Integer,
        &[
            ("setp.<cmp>.<int>", "p, T, T"),
            ("setp.(lo|ls|hi|hs).(u16|u32|u64)", "p, T, T"),
            ("setp.(eq|ne).<bits>", "p|p, T, T"),
            ("setp.<cmp>.(and|or|xor).<int>", "p|p, T, T, p"),
            ("setp.<fcmp>{.ftz}.f32", "p|p, T, T"),
            ("setp.<fcmp>{.ftz}.f16", "p, T, T"),
            ("setp.<fcmp>.(f64|bf16)", "p, T, T"),
            ("setp.<fcmp>{.ftz}.f16x2", "p|p, T, T"),
            ("setp.<fcmp>.bf16x2", "p|p, T, T"),
            ("setp.<fcmp>.(and|or|xor).f32", "p, T, T, p"),
        ],
    ),
    Row("shf", Integer, &[("shf.(l|r).(wrap|clamp).b32", "r, r, r, r")]),
    Row("shfl", Warp, &[("shfl.sync.(up|down|bfly|idx).b32", "r|p, r, r, r, r")]),
    Row("shl", Integer, &[("shl.<bits>", "T, T, r")]),
    Row("shr", Integer, &[("shr.(b16|b32|b64|u16|s16|u32|s32|u64|s64)", "T, T, r")]),
    Row("sin", Float, &[("sin.approx{.ftz}.f32", "T, T")]),
    Row(
        "slct",
        Integer,
        &[("slct.<any>.s32", "S, S, S, r"), ("slct{.ftz}.<any>.f32", "S, S, S, f")],
    ),
    Row(
        "sqrt",
        Float,
        &[
            ("sqrt.approx{.ftz}.f32", "T, T"),
            ("sqrt.<rnd>{.ftz}.f32", "T, T"),
            ("sqrt.<rnd>.f64", "T, T"),
        ],
    ),
    Row(
        "st",
        Memory,
        &[
            ("st{.(weak|volatile|relaxed.gpu|release.sys)}{.(global|shared)}.<mem>", "[l], V"),
            ("st{.weak}.local.<mem>", "[l], V"),
            ("st{.<space>}.(wb|cg|cs|wt).<mem>", "[l], V"),
            ("st{.<space>}.v2.<any>", "[l], {V, V}"),
            ("st{.<space>}.v4.(b8|u8|b16|u16|b32|u32|s32|f32)", "[l], {V, V, V, V}"),
            ("st{.<space>}.b128", "[l], q"),
            ("st.(relaxed|release).gpu.global.L1::no_allocate.<mem>", "[l], V"),
            ("st.global.L2::cache_hint.<mem>", "[l], V, l"),
            (
                "st.async{.weak}.shared::cluster.mbarrier::complete_tx::bytes.(b32|u32|s32|f32|b64|u64|s64|f64)",
                "[r], T, [r]",
            ),
            (
                "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.(b32|b64)",
                "[r], {T, T}, [r]",
            ),
            (
                "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.(b32|f32)",
                "[r], {T, T, T, T}, [r]",
            ),
            ("st{.(weak|relaxed.cluster|release.cluster)}.shared::(cta|cluster).<mem>", "[r], V"),
        ],
    ),
    Row("stackrestore", Stack, &[("stackrestore.u64", "l")]),
    Row("stacksave", Stack, &[("stacksave.u64", "l")]),
    Row(
        "stmatrix",
        Matrix,
        &[
            ("stmatrix.sync.aligned.m8n8.x1{.trans}{.(shared|shared::cta)}.b16", "[a], {r}"),
            ("stmatrix.sync.aligned.m8n8.x2{.trans}.shared{::cta}.b16", "[r], {r2}"),
            ("stmatrix.sync.aligned.m8n8.x4{.trans}.shared{::cta}.b16", "[r], {r4}"),
        ],
    ),
    Row(
        "sub",
        Arithmetic,
        &[
            ("sub.<int>", "T, T, T"),
            ("sub.sat.s32", "T, T, T"),
            ("sub.cc.(u32|s32|u64|s64)", "T, T, T"),
            ("sub{.<rnd>}{.ftz}{.sat}.f32", "T, T, T"),
            ("sub{.<rnd>}.f64", "T, T, T"),
            ("sub{.rn}{.ftz}{.sat}.(f16|f16x2)", "T, T, T"),
            ("sub{.rn}.(bf16|bf16x2)", "T, T, T"),
        ],
    ),
    Row("subc", Integer, &[("subc{.cc}.(u32|s32|u64|s64)", "T, T, T")]),
    Row(
        "suld",
        Texture,
        &[
            ("suld.b.1d.<sub>.<edge>", "V, [l, {r}]"),
            ("suld.b.2d.<sub>.<edge>", "V, [l, {r, r}]"),
            ("suld.b.3d.<sub>.<edge>", "V, [l, {r, r, r, r}]"),
            ("suld.b.a1d.<sub>.<edge>", "V, [l, {r, r}]"),
            ("suld.b.a2d.<sub>.<edge>", "V, [l, {r, r, r, r}]"),
            ("suld.b.2d.v2.b32.<edge>", "{r, r}, [l, {r, r}]"),
            ("suld.b.2d.v4.b32.<edge>", "{r, r, r, r}, [l, {r, r}]"),
        ],
    ),
    Row("suq", Texture, &[("suq.(width|height|depth|array_size).b32", "r, [l]")]),
    Row(
        "sured",
        Texture,
        &[
            ("sured.b.add.2d.(u32|s32).<edge>", "[l, {r, r}], r"),
            ("sured.b.(min|max).2d.(u32|s32).<edge>", "[l, {r, r}], r"),
            ("sured.b.(and|or).2d.b32.<edge>", "[l, {r, r}], r"),
            ("sured.p.(add|min|max|and|or).2d.b32.<edge>", "[l, {r, r}], r"),
        ],
    ),
    Row(
        "sust",
        Texture,
        &[
            ("sust.b.1d.<sub>.<edge>", "[l, {r}], V"),
            ("sust.b.2d.<sub>.<edge>", "[l, {r, r}], V"),
            ("sust.b.3d.<sub>.<edge>", "[l, {r, r, r, r}], V"),
            ("sust.b.a1d.<sub>.<edge>", "[l, {r, r}], V"),
            ("sust.b.a2d.<sub>.<edge>", "[l, {r, r, r, r}], V"),
            ("sust.b.2d.v2.b32.<edge>", "[l, {r, r}], {r, r}"),
            ("sust.b.2d.v4.b32.<edge>", "[l, {r, r}], {r, r, r, r}"),
            ("sust.p.2d.v4.b32.<edge>", "[l, {r, r}], {r, r, r, r}"),
        ],
    ),
    Row("szext", Integer, &[("szext.(clamp|wrap).(u32|s32)", "T, T, r")]),
    Row("tanh", Float, &[("tanh.approx.(f32|f16|f16x2|bf16|bf16x2)", "T, T")]),
    Row(
        "tensormap",
        TensorMap,
        &[
            ("tensormap.replace.tile.global_address{.(global|shared::cta)}.b1024.b64", "[l], l"),
            ("tensormap.replace.tile.rank{.(global|shared::cta)}.b1024.b32", "[l], r"),
            (
                "tensormap.replace.tile.(box_dim|global_dim|element_stride){.(global|shared::cta)}.b1024.b32",
                "[l], n4, r",
            ),
            ("tensormap.replace.tile.global_stride{.(global|shared::cta)}.b1024.b64", "[l], n, l"),
            (
                "tensormap.replace.tile.(elemtype|interleave_layout|swizzle_mode|fill_mode){.(global|shared::cta)}.b1024.b32",
                "[l], n",
            ),
            (
                "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.<scope>.sync.aligned",
                "[l], [r], 128",
            ),
        ],
    ),
    Row(
        "testp",
        Float,
        &[("testp.(finite|infinite|number|notanumber|normal|subnormal).(f32|f64)", "p, T")],
    ),
    Row(
        "tex",
        Texture,
        &[
            ("tex.1d.v4.f32.f32", "{f, f, f, f}, [l, {f}]"),
            ("tex.1d.v4.(u32|s32).(f32)", "{r, r, r, r}, [l, {f}]"),
            ("tex.1d.v4.f32.s32", "{f, f, f, f}, [l, {r}]"),
            ("tex.2d.v4.f32.f32", "{f, f, f, f}, [l, {f, f}]"),
            ("tex.2d.v4.(u32|s32).f32", "{r, r, r, r}, [l, {f, f}]"),
            ("tex.2d.v4.(u32|s32).s32", "{r, r, r, r}, [l, {r, r}]"),
            ("tex.2d.v4.f16.f32", "{h, h, h, h}, [l, {f, f}]"),
            ("tex.3d.v4.f32.f32", "{f, f, f, f}, [l, {f, f, f, f}]"),
            ("tex.a1d.v4.f32.f32", "{f, f, f, f}, [l, {r, f}]"),
            ("tex.a2d.v4.f32.f32", "{f, f, f, f}, [l, {r, f, f, f}]"),
            ("tex.cube.v4.f32.f32", "{f, f, f, f}, [l, {f, f, f, f}]"),
            ("tex.acube.v4.f32.f32", "{f, f, f, f}, [l, {r, f, f, f}]"),
            ("tex.level.2d.v4.f32.f32", "{f, f, f, f}, [l, {f, f}], f"),
            ("tex.grad.2d.v4.f32.f32", "{f, f, f, f}, [l, {f, f}], {f, f}, {f, f}"),
        ],
    ),
    Row(
        "tld4",
        Texture,
        &[
            ("tld4.(r|g|b|a).2d.v4.f32.f32", "{f, f, f, f}, [l, {f, f}]"),
            ("tld4.(r|g|b|a).2d.v4.(u32|s32).f32", "{r, r, r, r}, [l, {f, f}]"),
        ],
    ),
    Row("trap", Control, &[("trap", "")]),
    Row(
        "txq",
        Texture,
        &[
            ("txq.(width|height|depth|array_size|num_mipmap_levels).b32", "r, [l]"),
            ("txq.level.(width|height|depth).b32", "r, [l], r"),
        ],
    ),
    Row(
        "vabsdiff",
        Video,
        &[
            ("vabsdiff.<word>.<word>.<word>", "r, r, r"),
            ("vabsdiff.<word>.<word>.<word>.add", "r, r, r, r"),
        ],
    ),
    Row("vabsdiff2", Video, &[("vabsdiff2.<word>.<word>.<word>{.(sat|add)}", "r, r, r, r")]),
    Row("vabsdiff4", Video, &[("vabsdiff4.<word>.<word>.<word>{.(sat|add)}", "r, r, r, r")]),
    Row(
        "vadd",
        Video,
        &[
            ("vadd.<word>.<word>.<word>{.sat}", "r, r, r"),
            ("vadd.<word>.<word>.<word>{.sat}.add", "r, r, r, r"),
        ],
    ),
    Row("vadd2", Video, &[("vadd2.<word>.<word>.<word>{.(sat|add)}", "r, r, r, r")]),
    Row("vadd4", Video, &[("vadd4.<word>.<word>.<word>{.(sat|add)}", "r, r, r, r")]),
    Row("vavrg2", Video, &[("vavrg2.<word>.<word>.<word>{.(sat|add)}", "r, r, r, r")]),
    Row("vavrg4", Video, &[("vavrg4.<word>.<word>.<word>{.(sat|add)}", "r, r, r, r")]),
    Row("vmad", Video, &[("vmad.<word>.<word>.<word>{.po}", "r, r, r, r")]),
    Row(
        "vmax",
        Video,
        &[
            ("vmax.<word>.<word>.<word>{.sat}", "r, r, r"),
            ("vmax.<word>.<word>.<word>{.sat}.add", "r, r, r, r"),
        ],
    ),
    Row("vmax2", Video, &[("vmax2.<word>.<word>.<word>{.(sat|add)}", "r, r, r, r")]),
    Row("vmax4", Video, &[("vmax4.<word>.<word>.<word>{.(sat|add)}", "r, r, r, r")]),
    Row(
        "vmin",
        Video,
        &[
            ("vmin.<word>.<word>.<word>{.sat}", "r, r, r"),
            ("vmin.<word>.<word>.<word>{.sat}.add", "r, r, r, r"),
        ],
    ),
    Row("vmin2", Video, &[("vmin2.<word>.<word>.<word>{.(sat|add)}", "r, r, r, r")]),
    Row("vmin4", Video, &[("vmin4.<word>.<word>.<word>{.(sat|add)}", "r, r, r, r")]),
    Row(
        "vote",
        Warp,
        &[
            ("vote.sync.(all|any|uni).pred", "p, p, r"),
            ("vote.sync.ballot.b32", "r, p, r"),
            ("vote.ballot.sync.b32", "r, p, r"),
            ("vote.(all|any|uni).sync.pred", "p, p, r"),
        ],
    ),
    Row(
        "vset",
        Video,
        &[("vset.<word>.<word>.<cmp>", "r, r, r"), ("vset.<word>.<word>.<cmp>.add", "r, r, r, r")],
    ),
    Row("vset2", Video, &[("vset2.<word>.<word>.<cmp>{.add}", "r, r, r, r")]),
    Row("vset4", Video, &[("vset4.<word>.<word>.<cmp>{.add}", "r, r, r, r")]),
    Row(
        "vshl",
        Video,
        &[
            ("vshl.<word>.<word>.u32.(clamp|wrap)", "r, r, r"),
            ("vshl.<word>.<word>.u32.(clamp|wrap).add", "r, r, r, r"),
        ],
    ),
    Row(
        "vshr",
        Video,
        &[
            ("vshr.<word>.<word>.u32{.sat}.(clamp|wrap)", "r, r, r"),
            ("vshr.<word>.<word>.u32{.sat}.(clamp|wrap).add", "r, r, r, r"),
        ],
    ),
    Row(
        "vsub",
        Video,
        &[
            ("vsub.<word>.<word>.<word>{.sat}", "r, r, r"),
            ("vsub.<word>.<word>.<word>{.sat}.add", "r, r, r, r"),
        ],
    ),
    Row("vsub2", Video, &[("vsub2.<word>.<word>.<word>{.(sat|add)}", "r, r, r, r")]),
    Row("vsub4", Video, &[("vsub4.<word>.<word>.<word>{.(sat|add)}", "r, r, r, r")]),
    Row(
        "wgmma",
        Matrix,
        &[
            ("wgmma.fence.sync.aligned", ""),
            ("wgmma.commit_group.sync.aligned", ""),
            ("wgmma.wait_group.sync.aligned", "n"),
            (
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.(f16.f16|bf16.bf16)",
                "{f4}, l, l, p, 1, 1, 0, 1",
            ),
            (
                "wgmma.mma_async.sync.aligned.m64n16k16.f32.(f16.f16|bf16.bf16)",
                "{f8}, {r4}, l, p, 1, -1, 0",
            ),
            ("wgmma.mma_async.sync.aligned.m64n32k16.f16.f16.f16", "{r8}, l, l, p, 1, 1, 0, 0"),
            (
                "wgmma.mma_async.sync.aligned.m64n256k16.f32.(f16.f16|bf16.bf16)",
                "{f128}, l, l, p, 1, 1, 0, 0",
            ),
            ("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32", "{f4}, l, l, p, 1, 1"),
            (
                "wgmma.mma_async.sync.aligned.m64n8k32.f32.(e4m3|e5m2).(e4m3|e5m2)",
                "{f4}, l, l, p, 1, 1",
            ),
            (
                "wgmma.mma_async.sync.aligned.m64n16k32.f16.(e4m3|e5m2).(e4m3|e5m2)",
                "{r4}, l, l, p, 1, 1",
            ),
            (
                "wgmma.mma_async.sync.aligned.m64n8k32.s32.(s8|u8).(s8|u8){.satfinite}",
                "{r4}, l, l, p",
            ),
            ("wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc", "{r4}, l, l, p"),
            (
                "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.(f16.f16|bf16.bf16)",
                "{f4}, l, l, r, 1, p, 1, 1, 0, 1",
            ),
            (
                "wgmma.mma_async.sp.sync.aligned.m64n16k32.f16.f16.f16",
                "{r4}, {r4}, l, r, 0, p, 1, 1, 0",
            ),
            (
                "wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.tf32.tf32",
                "{f4}, l, l, r, 0, p, 1, -1",
            ),
            (
                "wgmma.mma_async.sp.sync.aligned.m64n8k64.f32.(e4m3|e5m2).(e4m3|e5m2)",
                "{f4}, l, l, r, 0, p, 1, 1",
            ),
            (
                "wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.(s8|u8).(s8|u8){.satfinite}",
                "{r4}, l, l, r, 0, p",
            ),
        ],
    ),
    Row(
        "wmma",
        Matrix,
        &[
            ("wmma.load.(a|b).sync.aligned.<lines>.<wmma>{.<at>}.f16", "{r8}, [l], r"),
            ("wmma.load.(a|b).sync.aligned.<lines>.(m16n16k16){.<at>}.bf16", "{r4}, [l], r"),
            ("wmma.load.(a|b).sync.aligned.<lines>.(m16n16k16){.<at>}.(s8|u8)", "{r2}, [l], r"),
            (
                "wmma.load.(a.sync.aligned.<lines>.m32n8k16|b.sync.aligned.<lines>.m8n32k16).bf16",
                "{r8}, [l], r",
            ),
            (
                "wmma.load.(a.sync.aligned.<lines>.m8n32k16|b.sync.aligned.<lines>.m32n8k16).bf16",
                "{r2}, [l], r",
            ),
            (
                "wmma.load.(a.sync.aligned.<lines>.m32n8k16|b.sync.aligned.<lines>.m8n32k16).(s8|u8)",
                "{r4}, [l], r",
            ),
            (
                "wmma.load.(a.sync.aligned.<lines>.m8n32k16|b.sync.aligned.<lines>.m32n8k16).(s8|u8)",
                "{r}, [l], r",
            ),
            ("wmma.load.(a|b).sync.aligned.<lines>.m16n16k8{.<at>}.tf32", "{r4}, [l], r"),
            ("wmma.load.(a|b).sync.aligned.<lines>.m8n8k4{.<at>}.f64", "{x}, [l], r"),
            (
                "wmma.load.(a.sync.aligned.row|b.sync.aligned.col).m8n8k32{.<at>}.(s4|u4)",
                "{r}, [l], r",
            ),
            ("wmma.load.(a.sync.aligned.row|b.sync.aligned.col).m8n8k128{.<at>}.b1", "{r}, [l], r"),
            ("wmma.load.c.sync.aligned.<lines>.<wmma>{.<at>}.f16", "{r4}, [l], r"),
            ("wmma.load.c.sync.aligned.<lines>.(<wmma>|m16n16k8){.<at>}.f32", "{f8}, [l], r"),
            ("wmma.load.c.sync.aligned.<lines>.<wmma>{.<at>}.s32", "{r8}, [l], r"),
            ("wmma.load.c.sync.aligned.<lines>.(m8n8k32|m8n8k128){.<at>}.s32", "{r2}, [l], r"),
            ("wmma.load.c.sync.aligned.<lines>.m8n8k4{.<at>}.f64", "{x2}, [l], r"),
            ("wmma.store.d.sync.aligned.<lines>.<wmma>{.<at>}.f16", "[l], {r4}, r"),
            ("wmma.store.d.sync.aligned.<lines>.(<wmma>|m16n16k8){.<at>}.f32", "[l], {f8}, r"),
            ("wmma.store.d.sync.aligned.<lines>.<wmma>{.<at>}.s32", "[l], {r8}, r"),
            ("wmma.store.d.sync.aligned.<lines>.(m8n8k32|m8n8k128){.<at>}.s32", "[l], {r2}, r"),
            ("wmma.store.d.sync.aligned.<lines>.m8n8k4{.<at>}.f64", "[l], {x2}, r"),
            ("wmma.mma.sync.aligned.<lines>.<lines>.<wmma>.f32.f32", "{f8}, {r8}, {r8}, {f8}"),
            ("wmma.mma.sync.aligned.<lines>.<lines>.<wmma>.f16.f16", "{r4}, {r8}, {r8}, {r4}"),
            ("wmma.mma.sync.aligned.<lines>.<lines>.<wmma>.f32.f16", "{f8}, {r8}, {r8}, {r4}"),
            ("wmma.mma.sync.aligned.<lines>.<lines>.<wmma>.f16.f32", "{r4}, {r8}, {r8}, {f8}"),
            (
                "wmma.mma.sync.aligned.<lines>.<lines>.m16n16k16.f32.bf16.bf16.f32",
                "{f8}, {r4}, {r4}, {f8}",
            ),
            (
                "wmma.mma.sync.aligned.<lines>.<lines>.m32n8k16.f32.bf16.bf16.f32",
                "{f8}, {r8}, {r2}, {f8}",
            ),
            (
                "wmma.mma.sync.aligned.<lines>.<lines>.m8n32k16.f32.bf16.bf16.f32",
                "{f8}, {r2}, {r8}, {f8}",
            ),
            (
                "wmma.mma.sync.aligned.<lines>.<lines>.m16n16k8.f32.tf32.tf32.f32",
                "{f8}, {r4}, {r4}, {f8}",
            ),
            (
                "wmma.mma.sync.aligned.<lines>.<lines>.m8n8k4{.<rnd>}.f64.f64.f64.f64",
                "{x2}, {x}, {x}, {x2}",
            ),
            (
                "wmma.mma.sync.aligned.<lines>.<lines>.m16n16k16.s32.(s8.s8|u8.u8).s32{.satfinite}",
                "{r8}, {r2}, {r2}, {r8}",
            ),
            (
                "wmma.mma.sync.aligned.<lines>.<lines>.m32n8k16.s32.(s8.s8|u8.u8).s32{.satfinite}",
                "{r8}, {r4}, {r}, {r8}",
            ),
            (
                "wmma.mma.sync.aligned.<lines>.<lines>.m8n32k16.s32.(s8.s8|u8.u8).s32{.satfinite}",
                "{r8}, {r}, {r4}, {r8}",
            ),
            (
                "wmma.mma.sync.aligned.row.col.m8n8k32.s32.(s4.s4|u4.u4).s32{.satfinite}",
                "{r2}, {r}, {r}, {r2}",
            ),
            (
                "wmma.mma.(xor|and).popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32",
                "{r2}, {r}, {r}, {r2}",
            ),
        ],
    ),
    Row("xor", Integer, &[("xor.(b16|b32|b64|pred)", "T, T, T")]),
];

/// Returns the function that lowers an instruction with this first part.
pub(super) fn family(head: &str) -> Option<Family> {
    // The rows are in alphabetical order, which a test holds.
    let at = ROWS.binary_search_by(|row| row.0.cmp(head)).ok()?;
    Some(ROWS[at].1)
}
