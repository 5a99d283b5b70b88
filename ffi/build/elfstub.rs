//! Writes a stub of libcuda: a shared object to link against, where there is no driver.
//!
//! It has a SONAME, so that a program linked against it asks the loader for the real library; a
//! dynamic symbol table, so that the linker finds the functions; and no program headers, so that
//! the loader refuses it: it can never pass for a driver.
//!
//! The layout is that of the ELF specification, 64 bit, little endian.

const EHDR_SIZE: u16 = 64;
const PHDR_SIZE: u16 = 56;
const SHDR_SIZE: u16 = 64;
const SYM_SIZE: usize = 24;
const DYN_SIZE: usize = 16;

const ET_DYN: u16 = 3;
const EV_CURRENT: u8 = 1;
const ELFCLASS64: u8 = 2;
const ELFDATA2LSB: u8 = 1;

const SHT_PROGBITS: u32 = 1;
const SHT_STRTAB: u32 = 3;
const SHT_DYNAMIC: u32 = 6;
const SHT_DYNSYM: u32 = 11;
const SHF_WRITE: u64 = 1;
const SHF_ALLOC: u64 = 2;
const SHF_EXECINSTR: u64 = 4;

const DT_NULL: u64 = 0;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_STRSZ: u64 = 10;
const DT_SYMENT: u64 = 11;
const DT_SONAME: u64 = 14;

const STB_GLOBAL: u8 = 1;
const STT_FUNC: u8 = 2;
const STV_DEFAULT: u8 = 0;

// The places of the sections in the section header table; 0 is the null section.
const TEXT: u16 = 1;
const DYNSTR: u32 = 2;
const SHSTRTAB: u16 = 5;
const SECTIONS: u16 = 6;

/// The bytes that each function occupies in `.text`, so that no two have the same address.
const FUNCTION_SIZE: usize = 16;

/// The stub: a shared object for `machine` (`e_machine`), named `soname`, that exports `names`.
pub(crate) fn stub(machine: u16, soname: &str, names: &[String]) -> Vec<u8> {
    let mut strings = Strings::new();
    let soname = strings.add(soname);
    let symbols = symbol_table(&mut strings, names);
    let dynamic = dynamic_section(&strings, soname);
    let mut titles = Strings::new();

    let text = Section {
        name: titles.add(".text"),
        kind: SHT_PROGBITS,
        flags: SHF_ALLOC | SHF_EXECINSTR,
        align: FUNCTION_SIZE as u64,
        body: vec![0; FUNCTION_SIZE * names.len()],
        ..Section::default()
    };
    let dynstr = Section {
        name: titles.add(".dynstr"),
        kind: SHT_STRTAB,
        flags: SHF_ALLOC,
        align: 1,
        body: strings.0,
        ..Section::default()
    };
    let dynsym = Section {
        name: titles.add(".dynsym"),
        kind: SHT_DYNSYM,
        flags: SHF_ALLOC,
        link: DYNSTR,
        info: 1, // the first symbol that is not local: all but the null symbol
        align: 8,
        entry_size: SYM_SIZE as u64,
        body: symbols,
    };
    let dynamic = Section {
        name: titles.add(".dynamic"),
        kind: SHT_DYNAMIC,
        flags: SHF_ALLOC | SHF_WRITE,
        link: DYNSTR,
        align: 8,
        entry_size: DYN_SIZE as u64,
        body: dynamic,
        ..Section::default()
    };
    let shstrtab = Section {
        name: titles.add(".shstrtab"),
        kind: SHT_STRTAB,
        align: 1,
        body: titles.0,
        ..Section::default()
    };
    file(machine, &[text, dynstr, dynsym, dynamic, shstrtab])
}

/// The body of `.dynsym`: the null symbol, then a function for each name.
fn symbol_table(strings: &mut Strings, names: &[String]) -> Vec<u8> {
    let mut symbols = vec![0; SYM_SIZE];
    for (index, name) in names.iter().enumerate() {
        symbols.extend(strings.add(name).to_le_bytes()); // st_name
        symbols.push(STB_GLOBAL << 4 | STT_FUNC); // st_info
        symbols.push(STV_DEFAULT); // st_other
        symbols.extend(TEXT.to_le_bytes()); // st_shndx
        symbols.extend(((FUNCTION_SIZE * index) as u64).to_le_bytes()); // st_value
        symbols.extend((FUNCTION_SIZE as u64).to_le_bytes()); // st_size
    }
    symbols
}

/// The body of `.dynamic`. The tables have no address, as nothing is loaded; linkers find them by
/// the section headers.
fn dynamic_section(strings: &Strings, soname: u32) -> Vec<u8> {
    let entries = [
        (DT_SONAME, u64::from(soname)),
        (DT_STRTAB, 0),
        (DT_SYMTAB, 0),
        (DT_STRSZ, strings.0.len() as u64),
        (DT_SYMENT, SYM_SIZE as u64),
        (DT_NULL, 0),
    ];
    // d_tag, d_un
    entries
        .iter()
        .flat_map(|(tag, value)| [tag.to_le_bytes(), value.to_le_bytes()])
        .flatten()
        .collect()
}

/// The file: ELF header, the bodies of the sections, section header table.
fn file(machine: u16, sections: &[Section]) -> Vec<u8> {
    let mut bodies = vec![0; usize::from(EHDR_SIZE)];
    let mut headers = vec![0; usize::from(SHDR_SIZE)]; // of the null section
    for section in sections {
        pad(&mut bodies, section.align);
        headers.extend(section.header(bodies.len() as u64));
        bodies.extend(&section.body);
    }
    pad(&mut bodies, 8);
    let mut file = elf_header(machine, bodies.len() as u64);
    file.extend(&bodies[file.len()..]);
    file.extend(headers);
    file
}

fn pad(bytes: &mut Vec<u8>, align: u64) {
    bytes.resize(bytes.len().next_multiple_of(align as usize), 0);
}

fn elf_header(machine: u16, section_headers: u64) -> Vec<u8> {
    let mut header = b"\x7fELF".to_vec(); // e_ident: EI_MAG
    header.extend([ELFCLASS64, ELFDATA2LSB, EV_CURRENT]); // EI_CLASS, EI_DATA, EI_VERSION
    header.resize(16, 0); // EI_OSABI (System V), EI_ABIVERSION, padding
    header.extend(ET_DYN.to_le_bytes()); // e_type
    header.extend(machine.to_le_bytes()); // e_machine
    header.extend(u32::from(EV_CURRENT).to_le_bytes()); // e_version
    header.extend(0u64.to_le_bytes()); // e_entry
    header.extend(0u64.to_le_bytes()); // e_phoff: no program headers
    header.extend(section_headers.to_le_bytes()); // e_shoff
    header.extend(0u32.to_le_bytes()); // e_flags
    header.extend(EHDR_SIZE.to_le_bytes()); // e_ehsize
    header.extend(PHDR_SIZE.to_le_bytes()); // e_phentsize
    header.extend(0u16.to_le_bytes()); // e_phnum: no program headers
    header.extend(SHDR_SIZE.to_le_bytes()); // e_shentsize
    header.extend(SECTIONS.to_le_bytes()); // e_shnum
    header.extend(SHSTRTAB.to_le_bytes()); // e_shstrndx
    header
}

/// A section and what its header says of it.
#[derive(Default)]
struct Section {
    name: u32,
    kind: u32,
    flags: u64,
    link: u32,
    info: u32,
    align: u64,
    entry_size: u64,
    body: Vec<u8>,
}

impl Section {
    /// The section header, for a body that begins at `offset` in the file.
    fn header(&self, offset: u64) -> Vec<u8> {
        let mut header = Vec::new();
        header.extend(self.name.to_le_bytes()); // sh_name
        header.extend(self.kind.to_le_bytes()); // sh_type
        header.extend(self.flags.to_le_bytes()); // sh_flags
        header.extend(0u64.to_le_bytes()); // sh_addr
        header.extend(offset.to_le_bytes()); // sh_offset
        header.extend((self.body.len() as u64).to_le_bytes()); // sh_size
        header.extend(self.link.to_le_bytes()); // sh_link
        header.extend(self.info.to_le_bytes()); // sh_info
        header.extend(self.align.to_le_bytes()); // sh_addralign
        header.extend(self.entry_size.to_le_bytes()); // sh_entsize
        header
    }
}

/// A string table: strings that end in a zero byte, the first of them empty.
struct Strings(Vec<u8>);

impl Strings {
    fn new() -> Strings {
        Strings(vec![0])
    }

    /// Adds a string and says where it is in the table.
    fn add(&mut self, string: &str) -> u32 {
        let at = self.0.len() as u32;
        self.0.extend(string.bytes());
        self.0.push(0);
        at
    }
}
