//! The structure of a cubin: an ELF file whose tables point only into itself. What follows a pointer out of
//! it is the driver, which looks less closely (F290).

use super::ImageProblem::{self, Damaged, OtherMachine, Truncated};

/// The machine of device code.
const EM_CUDA: u16 = 190;
/// The system that files of CUDA 13 are for.
const RECENT: u8 = 0x41;
/// Bytes of the file's header, and of those of segments and sections.
const HEADER: usize = 64;
const SEGMENT: usize = 56;
const SECTION: usize = 64;
/// Types of sections.
const PROGBITS: u32 = 1;
const SYMTAB: u32 = 2;
const STRTAB: u32 = 3;
const RELA: u32 = 4;
const NOTE: u32 = 7;
const NOBITS: u32 = 8;
const REL: u32 = 9;
const INFO: u32 = 0x7000_0000;
/// Types from here on are a processor's own, or a system's.
const OWN: u32 = 0x6000_0000;
/// Device code's second table of symbols.
const OWN_SYMTAB: u32 = 0x7000_0085;
/// Types of memory that has no bytes in the file: global, shared and reserved shared.
const WITHOUT_BYTES: [u32; 4] = [NOBITS, 0x7000_0007, 0x7000_000a, 0x7000_0015];
/// The type of the note about the tools that made the file.
const TOOLS: u32 = 2000;
/// A section that has code.
const EXECUTABLE: u64 = 4;
/// Indices of sections from here on stand for something else.
const RESERVED: u16 = 0xff00;
/// Bytes that a place in memory may lie behind what the section says, before it is linked.
const LATER: u64 = 1 << 16;
/// Bytes of a symbol.
const SYMBOL: u64 = 24;

type Check<T = ()> = Result<T, ImageProblem>;

pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

impl ImageProblem {
    /// The same in what begins behind `offset` bytes.
    pub(super) fn behind(self, offset: usize) -> ImageProblem {
        match self {
            Truncated { part, .. } => Damaged { what: part, at: offset },
            Damaged { what, at } => Damaged { what, at: at + offset },
            other => other,
        }
    }
}

/// One section.
struct Section {
    /// Where its header is.
    at: usize,
    name: u32,
    ty: u32,
    flags: u64,
    offset: u64,
    size: u64,
    link: u32,
    info: u32,
    align: u64,
    entry: u64,
}

impl Section {
    fn read(file: &[u8], at: usize) -> Section {
        Section {
            at,
            name: u32_at(file, at),
            ty: u32_at(file, at + 4),
            flags: u64_at(file, at + 8),
            offset: u64_at(file, at + 24),
            size: u64_at(file, at + 32),
            link: u32_at(file, at + 40),
            info: u32_at(file, at + 44),
            align: u64_at(file, at + 48),
            entry: u64_at(file, at + 56),
        }
    }

    /// Its bytes, once it is known to be in the file.
    fn bytes<'f>(&self, file: &'f [u8]) -> &'f [u8] {
        if WITHOUT_BYTES.contains(&self.ty) {
            return &[];
        }
        file.get(self.offset as usize..)
            .and_then(|rest| rest.get(..self.size as usize))
            .unwrap_or(&[])
    }
}

/// A file whose sections are known to lie in it.
struct Elf<'f> {
    file: &'f [u8],
    sections: Vec<Section>,
    /// The number of symbols.
    symbols: u64,
}

/// Checks all that a cubin points to.
pub(super) fn check(file: &[u8]) -> Check {
    let len = file.len();
    if len < HEADER {
        return Err(Truncated { part: "header", end: HEADER as u64, len });
    }
    let machine = u16_at(file, 18);
    if machine != EM_CUDA {
        return Err(OtherMachine(machine));
    }
    let at = |at, good: bool, what| if good { Ok(()) } else { Err(Damaged { what, at }) };
    at(4, file[4..7] == [2, 1, 1], "an unknown class, byte order or version")?;
    at(16, matches!(u16_at(file, 16), 1 | 2), "the type of the file")?;
    // With the lowest flag set, a file of CUDA 13 is the driver's death, and compilers leave it unset (F290).
    at(48, file[7] != RECENT || file[48] & 1 == 0, "the flags of the file")?;
    at(52, u16_at(file, 52) as usize == HEADER, "the size of the header")?;
    segments(file)?;
    let sections = sections(file)?;
    let symbols = sections.iter().find(|section| section.ty == SYMTAB);
    let symbols = symbols.map_or(0, |table| table.size / SYMBOL);
    let elf = Elf { file, sections, symbols };
    elf.names()?;
    elf.sections.iter().try_for_each(|section| elf.section(section))
}

/// Where a table ends, if that is in the file.
fn table(file: &[u8], part: &'static str, begin: u64, count: u64, size: usize) -> Check {
    let end = count.checked_mul(size as u64).and_then(|bytes| bytes.checked_add(begin));
    let end = end.unwrap_or(u64::MAX);
    if end > file.len() as u64 { Err(Truncated { part, end, len: file.len() }) } else { Ok(()) }
}

fn segments(file: &[u8]) -> Check {
    let (begin, count) = (u64_at(file, 32), u64::from(u16_at(file, 56)));
    if count == 0 {
        return Ok(());
    }
    if u16_at(file, 54) as usize != SEGMENT || begin < HEADER as u64 {
        return Err(Damaged { what: "the place of the program headers", at: 32 });
    }
    table(file, "program headers", begin, count, SEGMENT)?;
    for at in (begin as usize..).step_by(SEGMENT).take(count as usize) {
        let (offset, in_file, in_memory) =
            (u64_at(file, at + 8), u64_at(file, at + 32), u64_at(file, at + 40));
        table(file, "segments", offset, in_file, 1)?;
        let align = u64_at(file, at + 48);
        if in_file > in_memory || (align & align.wrapping_sub(1)) != 0 {
            return Err(Damaged { what: "a program header", at });
        }
    }
    Ok(())
}

/// The sections, each of which lies in the file.
fn sections(file: &[u8]) -> Check<Vec<Section>> {
    let begin = u64_at(file, 40);
    if u16_at(file, 58) as usize != SECTION || begin < HEADER as u64 {
        return Err(Damaged { what: "the place of the section headers", at: 40 });
    }
    table(file, "section headers", begin, 1, SECTION)?;
    let begin = begin as usize;
    let first = Section::read(file, begin);
    // Where there are too many for the header's field, the first section tells.
    let count = match u16_at(file, 60) {
        0 => first.size,
        count => count.into(),
    };
    table(file, "section headers", begin as u64, count, SECTION)?;
    // The first stands for no section: nothing is in it but what overflows from the header.
    let overflows = [32..40, 40..44].map(|place| begin + place.start..begin + place.end);
    let nothing = |at: usize| file[at] == 0 || overflows.iter().any(|place| place.contains(&at));
    let unused = (u16_at(file, 60) == 0 || first.size == 0)
        && (u16_at(file, 62) == u16::MAX || first.link == 0);
    if !unused || !(begin..begin + SECTION).all(nothing) {
        return Err(Damaged { what: "the first section header", at: begin });
    }
    let places = (begin..).step_by(SECTION).take(count as usize);
    let sections: Vec<Section> = places.map(|at| Section::read(file, at)).collect();
    for section in sections.iter().skip(1).filter(|section| !WITHOUT_BYTES.contains(&section.ty)) {
        table(file, "sections", section.offset, section.size, 1)?;
    }
    Ok(sections)
}

/// Whether a table of strings ends in NUL, so that every name in it does.
fn ends(strings: &[u8]) -> bool {
    strings.last() == Some(&0)
}

impl Elf<'_> {
    /// The names of the sections are in a table, and each ends.
    fn names(&self) -> Check {
        let index = match u16_at(self.file, 62) {
            u16::MAX => self.sections[0].link as usize,
            index => index.into(),
        };
        let table = self.sections.get(index).filter(|table| index != 0 && table.ty == STRTAB);
        let bad = Damaged { what: "the table of names", at: 62 };
        let names =
            table.map(|table| table.bytes(self.file)).filter(|names| ends(names)).ok_or(bad)?;
        for section in &self.sections {
            let name =
                names.get(section.name as usize..).and_then(|name| name.split(|&b| b == 0).next());
            let bad = Damaged { what: "the name of a section", at: section.at };
            let name = name.ok_or(bad)?;
            let begins = |with: &[u8]| name.starts_with(with);
            let right = match name {
                b".symtab" => section.ty == SYMTAB,
                b".strtab" | b".shstrtab" => section.ty == STRTAB,
                b".nv.info" => section.ty == INFO,
                _ if begins(b".nv.info.") => section.ty == INFO,
                _ if begins(b".text.") => section.ty == PROGBITS,
                _ if begins(b".rela.") => section.ty == RELA,
                _ if begins(b".rel.") => section.ty == REL,
                b"" => section.ty == 0,
                _ => section.ty != 0,
            };
            if !right {
                return Err(Damaged { what: "the type of a section", at: section.at + 4 });
            }
        }
        Ok(())
    }

    fn section(&self, section: &Section) -> Check {
        let Section { at, ty, size, link, info, align, entry, .. } = *section;
        let count = self.sections.len() as u64;
        let bad = |good: bool, what, offset| {
            if good { Ok(()) } else { Err(Damaged { what, at: at + offset }) }
        };
        let power = align & align.wrapping_sub(1) == 0;
        bad(
            power
                && (align == 0
                    || WITHOUT_BYTES.contains(&ty)
                    || section.offset.is_multiple_of(align)),
            "an alignment",
            48,
        )?;
        bad(u64::from(link) < count, "the link of a section", 40)?;
        let code = ty == PROGBITS && section.flags & EXECUTABLE != 0;
        let below = match ty {
            SYMTAB => self.symbols + 1,
            OWN_SYMTAB => size / SYMBOL + 1,
            // What code belongs to, below the number of its registers.
            _ if code || (ty >= OWN && ty != INFO) => self.symbols.max(count),
            _ => count,
        };
        let info = if code { info & 0xff_ffff } else { info };
        bad(u64::from(info) < below, "what a section belongs to", 44)?;
        let wanted = match ty {
            SYMTAB | RELA => Some(24),
            REL => Some(16),
            _ => None,
        };
        bad(wanted.is_none_or(|wanted| wanted == entry), "the size of an element", 56)?;
        bad(entry == 0 || size.is_multiple_of(entry), "the size of a table", 32)?;
        match ty {
            SYMTAB => self.symbols(section),
            RELA | REL => self.relocations(section),
            STRTAB => bad(size == 0 || ends(section.bytes(self.file)), "a table of strings", 24),
            INFO => self.attributes(section),
            NOTE => self.notes(section),
            _ => Ok(()),
        }
    }

    fn symbols(&self, table: &Section) -> Check {
        let names = &self.sections[table.link as usize];
        let names = if names.ty == STRTAB { names.bytes(self.file) } else { &[] };
        let one = self.sections.iter().filter(|section| section.ty == SYMTAB).count() == 1;
        if !ends(names) || !one {
            return Err(Damaged { what: "the table of symbols", at: table.at });
        }
        for (i, symbol) in table.bytes(self.file).chunks_exact(SYMBOL as usize).enumerate() {
            let at = table.offset as usize + i * SYMBOL as usize;
            let (name, index) = (u32_at(symbol, 0), u16_at(symbol, 6));
            let (value, size) = (u64_at(symbol, 8), u64_at(symbol, 16));
            // Local, global or weak; of what compilers write. Others have been the driver's death (F266).
            let (binding, ty) = (symbol[4] >> 4, symbol[4] & 15);
            let known = binding <= 2 && matches!(ty, 0..=4 | 10..=13);
            let place = match self.sections.get(usize::from(index)) {
                // In no section, or a value that is none of a place.
                _ if index == 0 || index >= RESERVED => true,
                // Of memory that is laid out later, the value is an alignment.
                Some(home) if WITHOUT_BYTES.contains(&home.ty) => {
                    value.max(size) <= home.size.saturating_add(LATER)
                }
                Some(home) => value.checked_add(size).is_some_and(|end| end <= home.size),
                None => false,
            };
            if name as usize >= names.len() || !place || !known {
                return Err(Damaged { what: "a symbol", at });
            }
        }
        Ok(())
    }

    fn relocations(&self, table: &Section) -> Check {
        let target = self.sections.get(table.info as usize).filter(|_| table.info != 0);
        let target = target.ok_or(Damaged { what: "what is relocated", at: table.at + 44 })?;
        for (i, one) in table.bytes(self.file).chunks_exact(table.entry as usize).enumerate() {
            let (offset, symbol) = (u64_at(one, 0), u32_at(one, 12));
            if offset >= target.size || u64::from(symbol) >= self.symbols {
                let at = table.offset as usize + i * table.entry as usize;
                return Err(Damaged { what: "a relocation", at });
            }
        }
        Ok(())
    }

    /// A list of notes: two sizes, a type, a name, and what is noted.
    fn notes(&self, section: &Section) -> Check {
        let bytes = section.bytes(self.file);
        let mut at = 0;
        while at < bytes.len() {
            let damaged = Damaged { what: "a note", at: section.offset as usize + at };
            let (name, size) = (u32_at(bytes, at) as usize, u32_at(bytes, at + 4) as usize);
            let begin = (at + 12).saturating_add(name.saturating_add(3) & !3);
            let end = begin.saturating_add(size.saturating_add(3) & !3);
            if at + 12 > bytes.len() || end > bytes.len() {
                return Err(damaged);
            }
            if u32_at(bytes, at + 8) == TOOLS {
                // A version, five places of strings, and these.
                let strings = bytes[begin..begin + size].get(24..).filter(|strings| ends(strings));
                let len = strings.map_or(0, <[u8]>::len);
                let inside = |i: usize| (u32_at(bytes, begin + 4 * i) as usize) < len;
                if !(1..=5).all(inside) {
                    return Err(damaged);
                }
            }
            at = end;
        }
        Ok(())
    }

    /// A list of attributes: what form its value has, which it is, and the value or its size.
    fn attributes(&self, section: &Section) -> Check {
        let bytes = section.bytes(self.file);
        let mut at = 0;
        while at < bytes.len() {
            let damaged = Damaged { what: "an attribute", at: section.offset as usize + at };
            let [form, kind, low, high, ..] = bytes[at..] else { return Err(damaged) };
            let size = match form {
                1..=3 => 0,
                4 => usize::from(low) | usize::from(high) << 8,
                _ => return Err(damaged),
            };
            let Some(value) = bytes.get(at + 4..at + 4 + size) else { return Err(damaged) };
            // Frame, least and largest stack, registers: each of a symbol. Parameters in constants.
            let symbol = matches!((form, kind), (4, 0x11 | 0x12 | 0x23 | 0x2f | 0x0a));
            let right = match (form, kind) {
                _ if symbol => size == 8 && u64::from(u32_at(value, 0)) < self.symbols,
                // Where a parameter is.
                (4, 0x17) => size == 12,
                _ => true,
            };
            if !right {
                return Err(damaged);
            }
            at += 4 + size;
        }
        Ok(())
    }
}
