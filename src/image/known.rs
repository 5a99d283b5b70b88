//! A list of the contents that compilers write into cubins, which are accepted. The driver crashes on much that
//! no compiler writes ([F290](crate::driver_facts#F290)), so everything else is refused.
//!
//! The lists come from NVRTC, ptxas and the linker of CUDA 12.0 to 13.5, for the architectures 7.5 to 12.1, with
//! and without debug information and relocatable code, and from libraries that NVIDIA ships.
//! `tests/memory_and_kernels/cuda_kernels/accepted.rs` holds them to what NVRTC writes.

/// Types of sections.
pub(super) const PROGBITS: u32 = 1;
pub(super) const SYMTAB: u32 = 2;
pub(super) const STRTAB: u32 = 3;
pub(super) const RELA: u32 = 4;
pub(super) const NOTE: u32 = 7;
pub(super) const NOBITS: u32 = 8;
pub(super) const REL: u32 = 9;
/// The section numbers of symbols, if they do not fit into 16 bits.
pub(super) const SYMTAB_INDEX: u32 = 18;
pub(super) const INFO: u32 = 0x7000_0000;
pub(super) const CALL_GRAPH: u32 = 0x7000_0001;
const PROTOTYPES: u32 = 0x7000_0002;
const GLOBAL: u32 = 0x7000_0007;
const GLOBAL_INIT: u32 = 0x7000_0008;
const SHARED: u32 = 0x7000_000a;
const RELOCATION_ACTIONS: u32 = 0x7000_000b;
const RESERVED_SHARED: u32 = 0x7000_0015;
const COMPATIBILITY: u32 = 0x7000_0086;
/// Constants of bank 0; those of the other banks follow.
const CONSTANT: u32 = 0x7000_0064;
/// Capsule Mercury: a second form of the code, for later architectures, with its own tables.
const SECOND_CODE: u32 = 0x7000_0016;
pub(super) const SECOND_RELA: u32 = 0x7000_0082;
pub(super) const SECOND_INFO: u32 = 0x7000_0083;
const SECOND_CONSTANT: u32 = 0x7000_0084;
const SECOND_CALL_GRAPH: u32 = 0x7000_008a;
const SECOND_PROTOTYPES: u32 = 0x7000_008b;
pub(super) const SECOND_SYMTAB: u32 = 0x7000_0085;

/// The types of memory that has no bytes in the file.
pub(super) const WITHOUT_BYTES: [u32; 4] = [NOBITS, GLOBAL, SHARED, RESERVED_SHARED];

/// The flag of a section that has code.
pub(super) const EXECUTABLE: u64 = 4;
/// The flag of a section of Capsule Mercury, which may share its bytes with a section without the flag.
pub(super) const SECOND: u64 = 0x1000_0000;
/// Flags that sections have: writable, allocated, executable, with a link in `info`, the kinds of notes or the
/// number of barriers, and the one above.
const FLAGS: u64 = 0x47 | 0x3f0_0000 | SECOND;

/// A name, or the start of a name followed by `*`, and the types of such sections.
type Named = (&'static [u8], &'static [u32]);

const SECTIONS: &[Named] = &[
    (b"", &[0]),
    (b".shstrtab", &[STRTAB]),
    (b".strtab", &[STRTAB]),
    (b".symtab", &[SYMTAB]),
    (b".symtab_shndx", &[SYMTAB_INDEX]),
    (b".text.*", &[PROGBITS]),
    (b".nv.info", &[INFO]),
    (b".nv.info.*", &[INFO]),
    (b".nv.callgraph", &[CALL_GRAPH]),
    (b".nv.prototype", &[PROTOTYPES]),
    (b".nv.rel.action", &[RELOCATION_ACTIONS]),
    (b".nv.compat", &[COMPATIBILITY]),
    (b".nv.global", &[NOBITS, GLOBAL]),
    (b".nv.global.init", &[PROGBITS, GLOBAL_INIT]),
    (b".nv.constant0.*", &[PROGBITS, CONSTANT]),
    (b".nv.constant1.*", &[PROGBITS, CONSTANT + 1]),
    (b".nv.constant2.*", &[PROGBITS, CONSTANT + 2]),
    (b".nv.constant3", &[PROGBITS, CONSTANT + 3]),
    (b".nv.constant4", &[PROGBITS, CONSTANT + 4]),
    (b".nv.shared.*", &[NOBITS, SHARED, RESERVED_SHARED]),
    (b".note.nv.cuinfo", &[NOTE]),
    (b".note.nv.cuver", &[NOTE]),
    (b".note.nv.tkinfo", &[NOTE]),
    (b".debug_*", &[PROGBITS]),
    (b".nv_debug.shared", &[NOBITS, SHARED]),
    (b".nv_debug_*", &[PROGBITS]),
    (b".rel.*", &[REL]),
    (b".rela.*", &[RELA]),
    (b".nv.capmerc.text.*", &[SECOND_CODE]),
    (b".nv.merc.symtab", &[SECOND_SYMTAB]),
    (b".nv.merc.nv.callgraph", &[SECOND_CALL_GRAPH]),
    (b".nv.merc.nv.prototype", &[SECOND_PROTOTYPES]),
    (b".nv.merc.rela.*", &[SECOND_RELA]),
    (b".nv.merc.nv.info", &[SECOND_INFO]),
    (b".nv.merc.nv.info.*", &[SECOND_INFO]),
    (b".nv.merc.nv.constant*", &[CONSTANT + 24, CONSTANT + 25, SECOND_CONSTANT]),
    (b".nv.merc.nv.global.init", &[GLOBAL_INIT]),
    (b".nv.merc.nv.shared.*", &[RESERVED_SHARED]),
    (b".nv.merc.debug_*", &[PROGBITS]),
    (b".nv.merc.nv_debug_*", &[PROGBITS]),
];

/// Returns whether `names`, which begins with a name that ends in NUL, begins with this one.
#[inline]
fn is(names: &[u8], wanted: &[u8]) -> bool {
    match wanted.split_last() {
        Some((b'*', begin)) => names.starts_with(begin),
        _ => names.strip_prefix(wanted).is_some_and(|rest| rest.first() == Some(&0)),
    }
}

/// Returns whether a section, with whose name `names` begins, may have this type and these flags.
#[inline]
pub(super) fn section(names: &[u8], ty: u32, flags: u64) -> bool {
    let mut named = SECTIONS.iter().filter(|(name, _)| is(names, name));
    let code = is(names, b".text.*");
    named.any(|(_, types)| types.contains(&ty))
        && flags & !FLAGS == 0
        && code == (flags & EXECUTABLE != 0)
}

/// Returns whether a symbol has a known binding (local, global or weak) and type: none, object, function,
/// section, and those of CUDA: texture, surface, sampler, and another object.
#[inline]
pub(super) fn symbol(info: u8) -> bool {
    match info >> 4 {
        0 => matches!(info & 15, 0..=3 | 10..=13),
        1 => matches!(info & 15, 1 | 2 | 10..=13),
        2 => matches!(info & 15, 0..=2 | 13),
        _ => false,
    }
}

/// Returns whether a relocation in a section of this type may have this type.
#[inline]
pub(super) fn relocation(section: u32, ty: u32) -> bool {
    match section {
        SECOND_RELA => matches!(ty, 0x1_0001..=0x1_007f),
        _ => matches!(ty, 1..=0x7f),
    }
}

/// The name of notes, and the start of their contents.
const AUTHOR: &[u8] = b"NVIDIA Corp\0";

/// The types of notes: about the code, and about the tools that made it.
const ABOUT_CODE: u32 = 1000;
pub(super) const ABOUT_TOOLS: u32 = 2000;

/// Returns whether a note of a section, with whose name `names` begins, may have this name, type and size.
#[inline]
pub(super) fn note(names: &[u8], author: &[u8], ty: u32, size: usize) -> bool {
    let right = match ty {
        ABOUT_CODE if is(names, b".note.nv.cuinfo") => size == 8,
        ABOUT_CODE => is(names, b".note.nv.cuver") && size == 12,
        ABOUT_TOOLS => is(names, b".note.nv.tkinfo"),
        _ => false,
    };
    right && author == AUTHOR
}

/// The form of an attribute's value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// This number of bytes.
    Bytes(usize),
    /// Numbers of 4 bytes.
    Numbers,
    /// Any bytes.
    Any,
    /// A symbol and a number.
    OfSymbol,
    /// Symbols.
    Symbols,
}

/// Returns the form of an attribute's value, by its form and its kind, or `None` if no compiler writes it.
#[inline]
pub(super) fn attribute(form: u8, kind: u8) -> Option<Value> {
    Some(match (form, kind) {
        // Without a value: a flag.
        (1, 0x04 | 0x2a | 0x2b | 0x30 | 0x35 | 0x3e | 0x41 | 0x4d | 0x53) => Value::Bytes(0),
        // A byte: banks of textures and surfaces, counts.
        (2, 0x15 | 0x16 | 0x4a | 0x4c | 0x67 | 0x6d) => Value::Bytes(0),
        // 16 bits: the size of the parameters, registers, barriers, masks, a version.
        (3, 0x19 | 0x1b | 0x38 | 0x50 | 0x5f | 0x68 | 0x6b) => Value::Bytes(0),
        // Registers, frame and stack of a function; where its parameters are; the sampler that a symbol is.
        (4, 0x09 | 0x0a | 0x11 | 0x12 | 0x23 | 0x2f) => Value::OfSymbol,
        (4, 0x0f) => Value::Symbols,
        // Threads of a block, a parameter, the blocks of a cluster.
        (4, 0x05 | 0x17 | 0x3d) => Value::Bytes(12),
        (4, 0x1e | 0x36 | 0x37 | 0x66) => Value::Bytes(4),
        // Places in the code.
        (4, 0x1c | 0x1d | 0x28 | 0x29 | 0x2e | 0x31 | 0x34 | 0x39 | 0x40 | 0x44 | 0x46 | 0x55) => {
            Value::Numbers
        }
        (4, 0x5a) => Value::Any,
        _ => return None,
    })
}
