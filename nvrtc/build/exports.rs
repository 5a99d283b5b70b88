//! Whether a file can be linked as libnvrtc.

use elf::abi::{DT_SONAME, SHN_UNDEF, SHT_DYNAMIC, STB_LOCAL};
use elf::endian::LittleEndian;
use elf::file::Class;
use elf::{ElfBytes, ParseError};
use std::collections::HashSet;
use std::fmt;

/// The name by which a program that is linked with the file `data` asks for it, if the file is a
/// shared object for `machine` (`e_machine`) that exports every function of `names`.
pub(crate) fn check(data: &[u8], machine: u16, names: &[String]) -> Result<String, Unsuitable> {
    let unreadable = |error: ParseError| Unsuitable::Unreadable(error.to_string());

    let file = ElfBytes::<LittleEndian>::minimal_parse(data).map_err(unreadable)?;
    if file.ehdr.class != Class::ELF64 {
        return Err(Unsuitable::Unreadable("of 32 bit".into()));
    }
    let is = file.ehdr.e_machine;
    if is != machine {
        return Err(Unsuitable::Machine { is, wanted: machine });
    }
    let soname = soname_of(&file).map_err(unreadable)?.unwrap_or_default();
    let soname = String::from_utf8_lossy(soname).into_owned();
    if !soname.starts_with("libnvrtc.so") {
        return Err(Unsuitable::Soname(soname));
    }
    let mut exported = HashSet::new();
    if let Some((symbols, strings)) = file.dynamic_symbol_table().map_err(unreadable)? {
        for symbol in symbols.iter() {
            if symbol.st_bind() != STB_LOCAL && symbol.st_shndx != SHN_UNDEF {
                exported.insert(strings.get_raw(symbol.st_name as usize).map_err(unreadable)?);
            }
        }
    }
    match names.iter().find(|name| !exported.contains(name.as_bytes())) {
        Some(missing) => Err(Unsuitable::Lacks(missing.clone())),
        None => Ok(soname),
    }
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
    /// A library of another name; it may be empty.
    Soname(String),
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
            Unsuitable::Soname(is) => {
                write!(f, "has the SONAME `{is}`, where NVRTC has libnvrtc.so.<version>")
            }
            Unsuitable::Lacks(name) => {
                write!(f, "has no function {name}; NVRTC 11.8 or newer is needed")
            }
        }
    }
}
