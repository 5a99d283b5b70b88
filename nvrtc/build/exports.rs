//! Whether a file can be linked as libnvrtc.

use object::read::elf::{Dyn as _, ElfFile64, FileHeader as _};
use object::{Endianness, Object as _, ObjectSymbol as _, elf};
use std::collections::HashSet;
use std::fmt;

/// The name by which a program that is linked with the file `data` asks for it, if the file is a
/// shared object for `machine` (`e_machine`) that exports every function of `names`.
pub(crate) fn check(data: &[u8], machine: u16, names: &[String]) -> Result<String, Unsuitable> {
    let unreadable = |error: object::Error| Unsuitable::Unreadable(error.to_string());

    let file = ElfFile64::<Endianness>::parse(data).map_err(unreadable)?;
    let (header, endian) = (file.elf_header(), file.endian());
    let is = header.e_machine(endian).0;
    if is != machine {
        return Err(Unsuitable::Machine { is, wanted: machine });
    }
    let soname = soname_of(&file).map_err(unreadable)?.unwrap_or_default();
    let soname = String::from_utf8_lossy(soname).into_owned();
    if !soname.starts_with("libnvrtc.so") {
        return Err(Unsuitable::Soname(soname));
    }
    let mut exported = HashSet::new();
    for symbol in file.dynamic_symbols() {
        if symbol.is_global() && !symbol.is_undefined() {
            exported.insert(symbol.name_bytes().map_err(unreadable)?);
        }
    }
    match names.iter().find(|name| !exported.contains(name.as_bytes())) {
        Some(missing) => Err(Unsuitable::Lacks(missing.clone())),
        None => Ok(soname),
    }
}

/// The name that a shared object gives itself, if any.
fn soname_of<'data>(
    file: &ElfFile64<'data, Endianness>,
) -> Result<Option<&'data [u8]>, object::Error> {
    let (endian, data, sections) = (file.endian(), file.data(), file.elf_section_table());
    let Some((entries, strings)) = sections.dynamic(endian, data)? else { return Ok(None) };
    let strings = sections.strings(endian, data, strings)?;
    let entry = entries.iter().find(|entry| entry.tag(endian) == elf::DT_SONAME);
    entry.map(|entry| entry.string(endian, strings)).transpose()
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
