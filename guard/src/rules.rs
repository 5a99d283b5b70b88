//! The list of instructions that a guarded kernel may have, and how each is treated. Every other is refused.

/// How an instruction is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// It works on registers and constants. An operand in brackets is refused.
    Registers,
    /// It waits for, or orders, what others do. An operand in brackets is refused.
    Order,
    /// It works on shared memory, which its name has to say.
    Shared,
    /// `ld` and `ldu`.
    Load,
    /// `st`.
    Store,
    /// `atom` and `red`.
    Atomic,
    /// `prefetch` and `prefetchu`, which reach no memory and fault nowhere.
    Hint,
    /// `cp.async` from global to shared memory, and what waits for it.
    Copy,
    /// A policy of the cache, or its change. It is left out, with the operands that use it.
    Policy,
    /// `mov`: of registers, constants and addresses of variables.
    Move,
    /// `tex`, `tld4` and `txq`.
    Texture,
    /// `suld`, `sust`, `sured` and `suq`.
    Surface,
    /// `bra` and `brx`.
    Branch,
    /// `ret` and `exit`.
    End,
    /// `trap`.
    Trap,
    /// `call` of a function of the module.
    Call,
}

/// What a row of the documentation says of a rule.
#[cfg_attr(not(test), allow(dead_code, reason = "the documentation and its test read it"))]
pub(crate) const MEANINGS: &[(Rule, &str)] = &[
    (Rule::Registers, "let through: it works on registers"),
    (Rule::Order, "let through: it waits or orders"),
    (
        Rule::Shared,
        "let through if its name says `.shared`, or if it names no memory; the hardware bounds shared memory",
    ),
    (
        Rule::Load,
        "guarded in global, generic, constant and local memory; shared memory is left to the hardware",
    ),
    (
        Rule::Store,
        "guarded in global, generic and local memory; shared memory is left to the hardware",
    ),
    (Rule::Atomic, "guarded in global and generic memory; shared memory is left to the hardware"),
    (Rule::Hint, "let through: it reads nothing and faults nowhere"),
    (Rule::Copy, "guarded; outside, shared memory gets zeros"),
    (Rule::Policy, "left out, with the operands that use it"),
    (Rule::Move, "let through; the address of a function is refused"),
    (Rule::Texture, "let through if the handle is a parameter"),
    (Rule::Surface, "let through if the handle is a parameter; `.trap` becomes `.zero`"),
    (Rule::Branch, "let through; the number of a target in a list is bounded"),
    (Rule::End, "let through; a failure is stored before it"),
    (Rule::Trap, "let through: it ends the context, as the kernel asks for"),
    (
        Rule::Call,
        "let through if the function is in the module, which gets the extents of its pointers; `__assertfail` becomes `trap`",
    ),
];

use Rule::*;

/// The first parts of opcodes, in alphabetical order.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("abs", Registers),
    ("activemask", Registers),
    ("add", Registers),
    ("addc", Registers),
    ("and", Registers),
    ("applypriority", Policy),
    ("atom", Atomic),
    ("bar", Order),
    ("barrier", Order),
    ("bfe", Registers),
    ("bfi", Registers),
    ("bfind", Registers),
    ("bmsk", Registers),
    ("bra", Branch),
    ("brev", Registers),
    ("brx", Branch),
    ("call", Call),
    ("clz", Registers),
    ("cnot", Registers),
    ("copysign", Registers),
    ("cos", Registers),
    ("cp", Copy),
    ("createpolicy", Policy),
    ("cvt", Registers),
    ("cvta", Registers),
    ("div", Registers),
    ("dp2a", Registers),
    ("dp4a", Registers),
    ("elect", Registers),
    ("ex2", Registers),
    ("exit", End),
    ("fence", Order),
    ("fma", Registers),
    ("fns", Registers),
    ("getctarank", Registers),
    ("griddepcontrol", Order),
    ("isspacep", Registers),
    ("ld", Load),
    ("ldmatrix", Shared),
    ("ldu", Load),
    ("lg2", Registers),
    ("lop3", Registers),
    ("mad", Registers),
    ("mad24", Registers),
    ("madc", Registers),
    ("mapa", Registers),
    ("match", Registers),
    ("max", Registers),
    ("mbarrier", Shared),
    ("membar", Order),
    ("min", Registers),
    ("mma", Registers),
    ("mov", Move),
    ("movmatrix", Registers),
    ("mul", Registers),
    ("mul24", Registers),
    ("nanosleep", Order),
    ("neg", Registers),
    ("not", Registers),
    ("or", Registers),
    ("pmevent", Order),
    ("popc", Registers),
    ("prefetch", Hint),
    ("prefetchu", Hint),
    ("prmt", Registers),
    ("rcp", Registers),
    ("red", Atomic),
    ("redux", Registers),
    ("rem", Registers),
    ("ret", End),
    ("rsqrt", Registers),
    ("sad", Registers),
    ("selp", Registers),
    ("set", Registers),
    ("setmaxnreg", Order),
    ("setp", Registers),
    ("shf", Registers),
    ("shfl", Registers),
    ("shl", Registers),
    ("shr", Registers),
    ("sin", Registers),
    ("slct", Registers),
    ("sqrt", Registers),
    ("st", Store),
    ("stmatrix", Shared),
    ("sub", Registers),
    ("subc", Registers),
    ("suld", Surface),
    ("suq", Surface),
    ("sured", Surface),
    ("sust", Surface),
    ("szext", Registers),
    ("tanh", Registers),
    ("testp", Registers),
    ("tex", Texture),
    ("tld4", Texture),
    ("trap", Trap),
    ("txq", Texture),
    ("vabsdiff", Registers),
    ("vabsdiff2", Registers),
    ("vabsdiff4", Registers),
    ("vadd", Registers),
    ("vadd2", Registers),
    ("vadd4", Registers),
    ("vavrg2", Registers),
    ("vavrg4", Registers),
    ("vmad", Registers),
    ("vmax", Registers),
    ("vmax2", Registers),
    ("vmax4", Registers),
    ("vmin", Registers),
    ("vmin2", Registers),
    ("vmin4", Registers),
    ("vote", Registers),
    ("vset", Registers),
    ("vset2", Registers),
    ("vset4", Registers),
    ("vshl", Registers),
    ("vshr", Registers),
    ("vsub", Registers),
    ("vsub2", Registers),
    ("vsub4", Registers),
    ("wmma", Shared),
    ("xor", Registers),
];

/// Instructions that are known and refused, and why. Those that are in neither list are refused as unknown.
pub(crate) const REFUSED: &[(&str, &str)] = &[
    ("alloca", "it moves the stack"),
    ("brkpt", "without a debugger it ends the context"),
    ("clusterlaunchcontrol", "it is not guarded yet"),
    ("discard", "what it discards has no defined value afterwards"),
    ("istypep", "it works on opaque types"),
    ("multimem", "it is not guarded yet"),
    ("stackrestore", "it moves the stack"),
    ("stacksave", "it moves the stack"),
    ("tcgen05", "it is not guarded yet"),
    ("tensormap", "it changes a map of a tensor, which says what memory a copy reaches"),
    ("wgmma", "it writes registers while the kernel goes on"),
];

/// How the instruction with this first part is treated.
pub(crate) fn rule(head: &str) -> Result<Rule, &'static str> {
    if let Ok(at) = RULES.binary_search_by(|row| row.0.cmp(head)) {
        return Ok(RULES[at].1);
    }
    let known = REFUSED.iter().find(|row| row.0 == head);
    Err(known.map_or("it is not in the list of what a guarded kernel may do", |row| row.1))
}

/// Special registers, which hold no address, without the `.x` of vectors. Those that end in `*` have a number.
pub(crate) const SPECIAL: &[&str] = &[
    "%aggr_smem_size",
    "%clock",
    "%clock64",
    "%clock_hi",
    "%cluster_ctaid",
    "%cluster_ctarank",
    "%cluster_nctaid",
    "%cluster_nctarank",
    "%clusterid",
    "%ctaid",
    "%dynamic_smem_size",
    "%envreg*",
    "%globaltimer",
    "%globaltimer_hi",
    "%globaltimer_lo",
    "%gridid",
    "%is_explicit_cluster",
    "%laneid",
    "%lanemask_eq",
    "%lanemask_ge",
    "%lanemask_gt",
    "%lanemask_le",
    "%lanemask_lt",
    "%nclusterid",
    "%nctaid",
    "%nsmid",
    "%ntid",
    "%nwarpid",
    "%pm*",
    "%reserved_smem_offset_*",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_end",
    "%smid",
    "%tid",
    "%total_smem_size",
    "%warpid",
    "WARP_SZ",
];

/// Whether a name is a special register.
pub(crate) fn is_special(name: &str) -> bool {
    let stem = match name.rsplit_once('.') {
        Some((stem, "x" | "y" | "z" | "w")) => stem,
        _ => name,
    };
    SPECIAL.iter().any(|one| match one.strip_suffix('*') {
        Some(start) => stem.strip_prefix(start).is_some_and(|rest| {
            !rest.is_empty()
                && rest.len() < 4
                && rest.bytes().all(|b| b.is_ascii_digit() || b == b'_')
        }),
        None => *one == stem,
    })
}
