//! Whether a file can be linked as a library: what its headers say.

use crate::exports;
use elf::abi::{DT_SONAME, ET_DYN, SHN_UNDEF, SHT_DYNAMIC, STB_LOCAL};
use elf::endian::LittleEndian;
use elf::file::Class;
use elf::{ElfBytes, ParseError};
use std::collections::HashSet;
use std::fmt;

/// A readable ELF file.
pub(crate) struct Library<'data>(ElfBytes<'data, LittleEndian>);

impl<'data> Library<'data> {
    /// Reads the file `data`, which is to be for `machine` (`e_machine`).
    pub(crate) fn read(data: &'data [u8], machine: u16) -> Result<Self, Unsuitable> {
        let file = ElfBytes::<LittleEndian>::minimal_parse(data).map_err(unreadable)?;
        if file.ehdr.class != Class::ELF64 {
            return Err(Unsuitable::Unreadable("of 32 bit".into()));
        }
        let is = file.ehdr.e_machine;
        if is != machine {
            return Err(Unsuitable::Machine { is, wanted: machine });
        }
        Ok(Self(file))
    }

    /// Whether it is a shared object.
    pub(crate) fn is_shared(&self) -> bool {
        self.0.ehdr.e_type == ET_DYN
    }

    /// The name that it gives itself, by which a program that is linked with it asks for it; empty if none.
    pub(crate) fn soname(&self) -> Result<&'data [u8], Unsuitable> {
        Ok(soname_of(&self.0).map_err(unreadable)?.unwrap_or_default())
    }

    /// Checks that it exports every function of `names`.
    pub(crate) fn exports(&self, names: &[String]) -> Result<(), Unsuitable> {
        let mut exported = HashSet::new();
        if let Some((symbols, strings)) = self.0.dynamic_symbol_table().map_err(unreadable)? {
            for symbol in symbols.iter() {
                if symbol.st_bind() != STB_LOCAL && symbol.st_shndx != SHN_UNDEF {
                    exported.insert(strings.get_raw(symbol.st_name as usize).map_err(unreadable)?);
                }
            }
        }
        match names.iter().find(|name| !exported.contains(name.as_bytes())) {
            Some(missing) => Err(Unsuitable::Lacks(missing.clone())),
            None => Ok(()),
        }
    }
}

fn unreadable(error: ParseError) -> Unsuitable {
    Unsuitable::Unreadable(error.to_string())
}

/// The name that a shared object gives itself, if any.
fn soname_of<'data>(
    file: &ElfBytes<'data, LittleEndian>,
) -> Result<Option<&'data [u8]>, ParseError> {
    let (Some(sections), Some(entries)) = (file.section_headers(), file.dynamic()?) else {
        return Ok(None);
    };
    let section = sections.iter().find(|section| section.sh_type == SHT_DYNAMIC);
    let entry = entries.iter().find(|entry| entry.d_tag == DT_SONAME);
    let (Some(section), Some(entry)) = (section, entry) else { return Ok(None) };
    let strings = file.section_data_as_strtab(&sections.get(section.sh_link as usize)?)?;
    strings.get_raw(entry.d_val() as usize).map(Some)
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
