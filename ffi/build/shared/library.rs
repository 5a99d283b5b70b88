//! Whether a file can be linked as a library: what its headers say.

use crate::exports;
use std::collections::HashSet;
use std::fmt;

// Names of the ELF specification.
const ET_DYN: u16 = 3;
const SHT_DYNAMIC: u32 = 6;
const SHT_DYNSYM: u32 = 11;
const DT_SONAME: u64 = 14;
const STB_LOCAL: u8 = 0;
const SHN_UNDEF: u16 = 0;

/// A 64-bit ELF file of an architecture that is little-endian.
pub(crate) struct Library<'data> {
    data: &'data [u8],
    sections: Vec<Section>,
}

/// The header of a section.
struct Section {
    kind: u32,
    offset: u64,
    size: u64,
    link: u32,
}

/// A section of entries, and the strings that they name.
struct Table<'data> {
    entries: &'data [u8],
    strings: &'data [u8],
}

impl<'data> Library<'data> {
    /// Reads the file `data`, which is to be for `machine` (`e_machine`).
    pub(crate) fn read(data: &'data [u8], machine: u16) -> Result<Self, Unsuitable> {
        if !data.starts_with(b"\x7fELF") {
            return Err(unreadable("it does not begin as one"));
        }
        match number(data, 4, 2)? {
            0x0102 => {}
            class if class & 0xff == 1 => return Err(unreadable("of 32 bit")),
            _ => return Err(unreadable("of another class or order of bytes")),
        }
        let (offset, size) = (number(data, 0x28, 8)?, number(data, 0x3a, 2)?);
        let count = if offset == 0 { 0 } else { number(data, 0x3c, 2)? };
        if count > 0 && size != 64 {
            return Err(unreadable("headers of sections of another size"));
        }
        let headers = part(data, offset, size * count)?.chunks_exact(64);
        let sections = headers.map(Section::read).collect::<Result<_, _>>()?;
        let is = number(data, 18, 2)? as u16;
        if is != machine {
            return Err(Unsuitable::Machine { is, wanted: machine });
        }
        Ok(Library { data, sections })
    }

    /// Whether it is a shared object.
    pub(crate) fn is_shared(&self) -> bool {
        number(self.data, 16, 2) == Ok(ET_DYN.into())
    }

    /// The name that it gives itself, by which a program that is linked with it asks for it; empty if none.
    pub(crate) fn soname(&self) -> Result<&'data [u8], Unsuitable> {
        let Some(table) = self.table(SHT_DYNAMIC)? else { return Ok(&[]) };
        for entry in table.entries.chunks_exact(16) {
            if number(entry, 0, 8)? == DT_SONAME {
                return string(table.strings, number(entry, 8, 8)?);
            }
        }
        Ok(&[])
    }

    /// Checks that it exports every function of `names`.
    pub(crate) fn exports(&self, names: &[String]) -> Result<(), Unsuitable> {
        let mut exported = HashSet::new();
        if let Some(table) = self.table(SHT_DYNSYM)? {
            for symbol in table.entries.chunks_exact(24) {
                let (info, section) = (number(symbol, 4, 1)? as u8, number(symbol, 6, 2)? as u16);
                if info >> 4 != STB_LOCAL && section != SHN_UNDEF {
                    exported.insert(string(table.strings, number(symbol, 0, 4)?)?);
                }
            }
        }
        match names.iter().find(|name| !exported.contains(name.as_bytes())) {
            Some(missing) => Err(Unsuitable::Lacks(missing.clone())),
            None => Ok(()),
        }
    }

    /// The first table of a kind.
    fn table(&self, kind: u32) -> Result<Option<Table<'data>>, Unsuitable> {
        let Some(table) = self.sections.iter().find(|section| section.kind == kind) else {
            return Ok(None);
        };
        let strings = self.sections.get(table.link as usize);
        let strings = strings.ok_or_else(|| unreadable("a table without its strings"))?;
        Ok(Some(Table {
            entries: part(self.data, table.offset, table.size)?,
            strings: part(self.data, strings.offset, strings.size)?,
        }))
    }
}

impl Section {
    fn read(header: &[u8]) -> Result<Section, Unsuitable> {
        Ok(Section {
            kind: number(header, 4, 4)? as u32,
            offset: number(header, 0x18, 8)?,
            size: number(header, 0x20, 8)?,
            link: number(header, 0x28, 4)? as u32,
        })
    }
}

/// The `len` bytes at `at`.
fn part(data: &[u8], at: u64, len: u64) -> Result<&[u8], Unsuitable> {
    let end = at.checked_add(len).and_then(|end| usize::try_from(end).ok());
    let part = end.and_then(|end| data.get(at as usize..end));
    part.ok_or_else(|| unreadable("it is cut off"))
}

/// The number of `len` bytes at `at`, least significant byte first.
fn number(data: &[u8], at: u64, len: u64) -> Result<u64, Unsuitable> {
    Ok(part(data, at, len)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// The string at `at` in a table of strings, without its NUL.
fn string(strings: &[u8], at: u64) -> Result<&[u8], Unsuitable> {
    let rest = usize::try_from(at).ok().and_then(|at| strings.get(at..)).unwrap_or_default();
    let end = rest.iter().position(|byte| *byte == 0);
    end.map(|end| &rest[..end]).ok_or_else(|| unreadable("a name outside of the strings"))
}

fn unreadable(why: &str) -> Unsuitable {
    Unsuitable::Unreadable(why.to_owned())
}

/// Why a file cannot be linked.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Unsuitable {
    /// Not a whole 64-bit ELF file.
    Unreadable(String),
    /// For another architecture.
    Machine { is: u16, wanted: u16 },
    /// An ELF file of another type.
    NotShared,
    /// A library of another name; it may be empty.
    Soname { is: String, wanted: String },
    /// The first of our functions that it lacks.
    Lacks(String),
}

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsuitable::Unreadable(why) => write!(f, "not a readable 64-bit ELF file ({why})"),
            Unsuitable::Machine { is, wanted } => {
                write!(f, "for another architecture (ELF machine {is}, wanted {wanted})")
            }
            Unsuitable::NotShared => write!(f, "not a shared object"),
            Unsuitable::Soname { is, wanted } => exports::write_soname(f, is, wanted),
            Unsuitable::Lacks(name) => {
                write!(f, "has no function {name}; {} or newer is needed", exports::OLDEST)
            }
        }
    }
}
