//! The structure of a cubin: an ELF file whose tables point only into itself, with only the contents that
//! compilers write. The driver checks less, and crashes on much of the rest ([F290](crate::driver_facts#F290)).

use super::ImageProblem::{self, Damaged, OtherMachine, Refused, Truncated};
use super::known::{self, *};
use std::ops::Range;

/// The machine of device code.
const EM_CUDA: u16 = 190;
/// The operating system of files of CUDA 12 and before, with its ABI version; and that of CUDA 13.
const EARLIER: [u8; 2] = [0x33, 7];
const RECENT: [u8; 2] = [0x41, 8];
/// The size in bytes of the file's header, and of those of segments and sections.
const HEADER: usize = 64;
const SEGMENT: usize = 56;
const SECTION: usize = 64;
/// Types from here on belong to a processor, or a system.
const OWN: u32 = 0x6000_0000;
/// Indices of sections from here on have a special meaning.
const RESERVED: u16 = 0xff00;
/// The number of bytes by which a position in memory may lie after the end of its section, before it is linked.
const LATER: u64 = 1 << 16;
/// The size of a symbol in bytes.
const SYMBOL: u64 = 24;

type Check<T = ()> = Result<T, ImageProblem>;

#[inline]
pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]))
}

#[inline]
pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

#[inline]
pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

impl ImageProblem {
    /// Returns the same problem for a part that begins after `offset` bytes.
    #[inline]
    pub(super) fn behind(self, offset: usize) -> ImageProblem {
        match self {
            Truncated { part, .. } => Damaged { what: part, at: offset },
            Damaged { what, at } => Damaged { what, at: at + offset },
            Refused { what, at } => Refused { what, at: at + offset },
            other => other,
        }
    }
}

/// One section.
struct Section {
    /// The position of its header.
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
    #[inline]
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

    /// Returns its bytes, once it is known to be in the file. It is of a type that has some.
    #[inline]
    fn bytes<'f>(&self, file: &'f [u8]) -> &'f [u8] {
        file.get(self.offset as usize..)
            .and_then(|rest| rest.get(..self.size as usize))
            .unwrap_or(&[])
    }
}

/// A file whose sections are known to lie in it.
struct Elf<'f> {
    file: &'f [u8],
    sections: Vec<Section>,
    /// The table of section names.
    names: &'f [u8],
    /// The number of symbols, and of those of Capsule Mercury.
    symbols: u64,
    second_symbols: u64,
}

/// Checks everything that a cubin points to. The time is proportional to the file's size: each byte belongs to
/// few parts.
#[inline]
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
    let system = [file[7], file[8]];
    let known = matches!(system, EARLIER | RECENT) && file[9..16] == [0; 7];
    at(7, known, "an unknown system")?;
    at(16, matches!(u16_at(file, 16), 1 | 2), "the type of the file")?;
    at(24, u64_at(file, 24) == 0, "an entry point")?;
    // With the lowest flag set, a file of CUDA 13 crashes the driver, and compilers leave it unset (F290).
    at(48, system != RECENT || file[48] & 1 == 0, "the flags of the file")?;
    at(52, u16_at(file, 52) as usize == HEADER, "the size of the header")?;
    let segments = segments(file)?;
    let sections = sections(file)?;
    apart(file, &sections, segments)?;
    let count = |ty| {
        let mut tables = sections.iter().filter(|section| section.ty == ty);
        let size = tables.next().map_or(0, |table| table.size / SYMBOL);
        tables.next().map_or(Ok(size), |table| {
            Err(Damaged { what: "a second table of symbols", at: table.at })
        })
    };
    let (symbols, second_symbols) = (count(SYMTAB)?, count(SECOND_SYMTAB)?);
    let names = names(file, &sections)?;
    let elf = Elf { file, sections, names, symbols, second_symbols };
    elf.sections.iter().try_for_each(|section| elf.section(section))
}

/// Returns the end of a table, if that is in the file.
#[inline]
fn table(file: &[u8], part: &'static str, begin: u64, count: u64, size: usize) -> Check {
    let end = count.checked_mul(size as u64).and_then(|bytes| bytes.checked_add(begin));
    let end = end.unwrap_or(u64::MAX);
    if end > file.len() as u64 { Err(Truncated { part, end, len: file.len() }) } else { Ok(()) }
}

/// Returns the position of the table of segments.
#[inline]
fn segments(file: &[u8]) -> Check<Range<u64>> {
    let (begin, count) = (u64_at(file, 32), u64::from(u16_at(file, 56)));
    let size = u16_at(file, 54) as usize;
    let none = count == 0 && begin == 0 && matches!(size, 0 | SEGMENT);
    if !none && (count == 0 || size != SEGMENT || begin < HEADER as u64) {
        return Err(Damaged { what: "the position of the program headers", at: 32 });
    }
    table(file, "program headers", begin, count, SEGMENT)?;
    for at in (begin as usize..).step_by(SEGMENT).take(count as usize) {
        let (ty, flags) = (u32_at(file, at), u32_at(file, at + 4));
        let (offset, in_file, in_memory) =
            (u64_at(file, at + 8), u64_at(file, at + 32), u64_at(file, at + 40));
        table(file, "segments", offset, in_file, 1)?;
        let align = u64_at(file, at + 48);
        // Loaded segments, and this table itself; no permissions except to read, write and execute.
        let known = matches!(ty, 1 | 6) && flags & !7 == 0;
        if !known || in_file > in_memory || (align & align.wrapping_sub(1)) != 0 {
            return Err(Damaged { what: "a program header", at });
        }
    }
    Ok(begin..begin + count * SEGMENT as u64)
}

/// Returns the sections, each of which lies in the file.
#[inline]
fn sections(file: &[u8]) -> Check<Vec<Section>> {
    let begin = u64_at(file, 40);
    if u16_at(file, 58) as usize != SECTION || begin < HEADER as u64 {
        return Err(Damaged { what: "the position of the section headers", at: 40 });
    }
    table(file, "section headers", begin, 1, SECTION)?;
    let begin = begin as usize;
    let first = Section::read(file, begin);
    // If there are too many for the header's field, the first section has the number.
    let count = match u16_at(file, 60) {
        0 => first.size,
        count => count.into(),
    };
    table(file, "section headers", begin as u64, count, SECTION)?;
    // The first entry stands for no section. It only contains values that overflow from the header.
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

/// Refuses sections that share bytes with each other or with the tables, so that no byte is checked for many of
/// them. Those of Capsule Mercury are compared among themselves: compilers let one share the bytes of its
/// counterpart.
#[inline]
fn apart(file: &[u8], sections: &[Section], segments: Range<u64>) -> Check {
    let begin = u64_at(file, 40);
    let tables = [0..HEADER as u64, segments, begin..begin + (sections.len() * SECTION) as u64];
    for second in [false, true] {
        let those =
            sections.iter().skip(1).filter(|section| (section.flags & SECOND != 0) == second);
        let those = those.filter(|section| !WITHOUT_BYTES.contains(&section.ty));
        let places =
            those.map(|section| (section.offset..section.offset + section.size, section.at));
        let mut places: Vec<_> = tables.iter().cloned().zip([0, 32, 40]).chain(places).collect();
        places.retain(|(place, _)| !place.is_empty());
        places.sort_unstable_by_key(|(place, _)| place.start);
        if let Some(two) = places.windows(2).find(|two| two[0].0.end > two[1].0.start) {
            let at = two[0].1.max(two[1].1);
            return Err(Damaged { what: "a part that shares its bytes with another", at });
        }
    }
    Ok(())
}

/// Returns whether a table of strings ends in NUL, so that every name in it does.
#[inline]
fn ends(strings: &[u8]) -> bool {
    strings.last() == Some(&0)
}

/// Returns the table of the sections' names, each of which ends in it.
#[inline]
fn names<'f>(file: &'f [u8], sections: &[Section]) -> Check<&'f [u8]> {
    let index = match u16_at(file, 62) {
        u16::MAX => sections.first().map_or(0, |first| first.link as usize),
        index => index.into(),
    };
    let table = sections.get(index).filter(|table| table.ty == STRTAB);
    let names = table.map(|table| table.bytes(file)).filter(|names| ends(names));
    names.ok_or(Damaged { what: "the table of names", at: 62 })
}

impl Elf<'_> {
    /// Returns the bytes that start with the name of a section.
    #[inline]
    fn name(&self, section: &Section) -> &[u8] {
        self.names.get(section.name as usize..).unwrap_or_default()
    }

    #[inline]
    fn section(&self, section: &Section) -> Check {
        let Section { at, ty, size, link, info, align, entry, .. } = *section;
        let count = self.sections.len() as u64;
        let bad = |good: bool, what, offset| {
            if good { Ok(()) } else { Err(Damaged { what, at: at + offset }) }
        };
        bad((section.name as usize) < self.names.len(), "the name of a section", 0)?;
        bad(known::section(self.name(section), ty, section.flags), "the type of a section", 4)?;
        let power = align & align.wrapping_sub(1) == 0;
        bad(
            power && (align == 0 || WITHOUT_BYTES.contains(&ty) || section.offset % align == 0),
            "an alignment",
            48,
        )?;
        // ptxas of CUDA 12 counts sections that it omits; nothing follows these two links.
        let links = count + u64::from(matches!(ty, INFO | CALL_GRAPH));
        bad(u64::from(link) < links, "the link of a section", 40)?;
        let code = section.flags & EXECUTABLE != 0;
        let below = match ty {
            SYMTAB => self.symbols + 1,
            SECOND_SYMTAB => self.second_symbols + 1,
            // The section that code belongs to, below the number of its registers.
            _ if code || (ty >= OWN && ty != INFO) => self.symbols.max(count),
            _ => count,
        };
        let info = if code { info & 0xff_ffff } else { info };
        bad(u64::from(info) < below, "the info field of a section", 44)?;
        let wanted = match ty {
            SYMTAB | SECOND_SYMTAB | RELA | SECOND_RELA => Some(24),
            REL => Some(16),
            SYMTAB_INDEX => Some(4),
            _ => None,
        };
        bad(wanted.is_none_or(|wanted| wanted == entry), "the size of an element", 56)?;
        bad(entry == 0 || size % entry == 0, "the size of a table", 32)?;
        match ty {
            SYMTAB | SECOND_SYMTAB => self.symbols(section),
            SYMTAB_INDEX => self.indices(section),
            RELA | REL | SECOND_RELA => self.relocations(section),
            STRTAB => bad(size == 0 || ends(section.bytes(self.file)), "a table of strings", 24),
            INFO | SECOND_INFO => self.attributes(section),
            NOTE => self.notes(section),
            _ => Ok(()),
        }
    }

    #[inline]
    fn symbols(&self, table: &Section) -> Check {
        let names = &self.sections[table.link as usize];
        let names = if names.ty == STRTAB { names.bytes(self.file) } else { &[] };
        if !ends(names) {
            return Err(Damaged { what: "the table of symbols", at: table.at });
        }
        let far = self.sections.iter().any(|section| section.ty == SYMTAB_INDEX);
        for (i, symbol) in table.bytes(self.file).chunks_exact(SYMBOL as usize).enumerate() {
            let at = table.offset as usize + i * SYMBOL as usize;
            let (name, index) = (u32_at(symbol, 0), u16_at(symbol, 6));
            let (value, size) = (u64_at(symbol, 8), u64_at(symbol, 16));
            let place = match self.sections.get(usize::from(index)) {
                // In no section, or in one that another table gives.
                _ if index == 0 || (index == u16::MAX && far) => true,
                _ if index >= RESERVED && !far => false,
                // For memory that is laid out later, the value is an alignment.
                Some(home) if WITHOUT_BYTES.contains(&home.ty) => {
                    value.max(size) <= home.size.saturating_add(LATER)
                }
                // The code of Capsule Mercury is laid out later too.
                Some(_) if table.ty == SECOND_SYMTAB => true,
                Some(home) => value.checked_add(size).is_some_and(|end| end <= home.size),
                None => false,
            };
            if name as usize >= names.len() || !place || !known::symbol(symbol[4]) {
                return Err(Damaged { what: "a symbol", at });
            }
        }
        Ok(())
    }

    /// Checks the sections of symbols whose own index has no room for them.
    #[inline]
    fn indices(&self, table: &Section) -> Check {
        let bytes = table.bytes(self.file);
        // ptxas counts sections that it omits after the last one.
        let right = |at: usize| u32_at(bytes, at) as usize <= self.sections.len() + 1;
        if bytes.len() as u64 != 4 * self.symbols || !(0..bytes.len()).step_by(4).all(right) {
            return Err(Damaged { what: "the sections of symbols", at: table.at });
        }
        Ok(())
    }

    #[inline]
    fn relocations(&self, table: &Section) -> Check {
        let target = self.sections.get(table.info as usize).filter(|_| table.info != 0);
        let target =
            target.ok_or(Damaged { what: "the target of relocations", at: table.at + 44 })?;
        let second = table.ty == SECOND_RELA;
        let symbols = if second { self.second_symbols } else { self.symbols };
        for (i, one) in table.bytes(self.file).chunks_exact(table.entry as usize).enumerate() {
            let (offset, ty, symbol) = (u64_at(one, 0), u32_at(one, 8), u32_at(one, 12));
            let inside = second || offset < target.size;
            if !inside || u64::from(symbol) >= symbols || !known::relocation(table.ty, ty) {
                let at = table.offset as usize + i * table.entry as usize;
                return Err(Damaged { what: "a relocation", at });
            }
        }
        Ok(())
    }

    /// Checks a list of notes: two sizes, a type, a name, and the contents.
    #[inline]
    fn notes(&self, section: &Section) -> Check {
        let bytes = section.bytes(self.file);
        let mut at = 0;
        while at < bytes.len() {
            let damaged = Damaged { what: "a note", at: section.offset as usize + at };
            let (name, size) = (u32_at(bytes, at) as usize, u32_at(bytes, at + 4) as usize);
            let ty = u32_at(bytes, at + 8);
            let begin = (at + 12).saturating_add(name.saturating_add(3) & !3);
            let end = begin.saturating_add(size.saturating_add(3) & !3);
            if end > bytes.len() {
                return Err(damaged);
            }
            if !known::note(self.name(section), &bytes[at + 12..][..name], ty, size) {
                return Err(damaged);
            }
            if ty == ABOUT_TOOLS {
                // A version, the positions of five strings, and the strings.
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

    /// Checks a list of attributes: the form of the value, the kind, and the value or its size.
    #[inline]
    fn attributes(&self, section: &Section) -> Check {
        let symbols = if section.ty == SECOND_INFO { self.second_symbols } else { self.symbols };
        let bytes = section.bytes(self.file);
        let mut at = 0;
        while at < bytes.len() {
            let damaged = Damaged { what: "an attribute", at: section.offset as usize + at };
            let [form, kind, low, high, ..] = bytes[at..] else { return Err(damaged) };
            let size = if form == 4 { usize::from(low) | usize::from(high) << 8 } else { 0 };
            let Some(value) = bytes.get(at + 4..at + 4 + size) else { return Err(damaged) };
            let symbol = |at| u64::from(u32_at(value, at)) < symbols;
            let right = match known::attribute(form, kind) {
                None => false,
                Some(Value::Any) => true,
                Some(Value::Bytes(wanted)) => size == wanted,
                Some(Value::Numbers) => size % 4 == 0,
                Some(Value::OfSymbol) => size == 8 && symbol(0),
                Some(Value::Symbols) => size % 4 == 0 && (0..size).step_by(4).all(symbol),
            };
            if !right {
                return Err(damaged);
            }
            at += 4 + size;
        }
        Ok(())
    }
}
