//! Images of which one field is damaged, and those at the limits of a field: each check of a cubin and of a fatbin has a row
//! that nothing else refuses.

use crate::common::fatbin::{compressed_entry, entry, fatbin, literal};
use crate::common::fewer;
use crate::skip_under_miri;
use Place::{File, Header, In};
use cuscope::image::ImageProblem::{self, Damaged, Refused, Truncated};
use cuscope::{Cubin, Error, Fatbin, Ptx, Result};

/// The number of symbols, and of those of the second form of the code.
const SYMBOLS: u64 = 40;
const SECOND_SYMBOLS: u64 = 3;
/// The flag of a section of the second form.
const SECOND: u64 = 0x1000_0000;

/// A place in an image: in its header, in the header of a section or entry, or in what that has. The numbers are those of
/// `elf.h`: 4 is the type in the header of a section, 24 its place, 32 its size, 40 its link, 44 its `info`, 48 its alignment,
/// and 56 the size of its elements.
#[derive(Clone, Copy, Debug)]
enum Place {
    File(usize),
    Header(&'static str, usize),
    In(&'static str, usize),
}

/// A number at a place, and its size in bytes.
type Change = (Place, u64, usize);

/// An image with the places of its parts: their headers and contents.
struct Image {
    bytes: Vec<u8>,
    parts: Vec<(&'static str, usize, usize)>,
}

impl Image {
    fn at(&self, place: Place) -> usize {
        let part = |wanted: &str| {
            self.parts.iter().find(|part| part.0 == wanted).unwrap_or_else(|| panic!("no {wanted}"))
        };
        match place {
            File(at) => at,
            Header(name, at) => part(name).1 + at,
            In(name, at) => part(name).2 + at,
        }
    }

    fn changed(&self, changes: &[Change]) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        for &(place, value, size) in changes {
            let at = self.at(place);
            let field = &mut bytes[at..at + size];
            assert_ne!(field, &value.to_le_bytes()[..size], "{place:?} has {value} already");
            field.copy_from_slice(&value.to_le_bytes()[..size]);
        }
        bytes
    }
}

fn problem<T>(result: Result<T>) -> ImageProblem {
    match result.err() {
        Some(Error::Image(error)) => error.problem().clone(),
        Some(other) => panic!("no error of an image: {other}"),
        None => panic!("no error"),
    }
}

/// A section of a cubin. One of memory without bytes in the file has a size instead.
struct Section {
    name: &'static str,
    ty: u32,
    flags: u64,
    link: u32,
    info: u32,
    align: u64,
    entry: u64,
    size: u64,
    bytes: Vec<u8>,
}

fn section(name: &'static str, ty: u32, flags: u64, bytes: Vec<u8>) -> Section {
    let size = bytes.len() as u64;
    Section { name, ty, flags, link: 0, info: 0, align: 4, entry: 0, size, bytes }
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn symbol(name: u32, info: u8, section: u16, value: u64, size: u64) -> Vec<u8> {
    let begin = [&name.to_le_bytes()[..], &[info, 0], &section.to_le_bytes()].concat();
    [&*begin, &value.to_le_bytes(), &size.to_le_bytes()].concat()
}

/// Relocations: the offset, the type, and the symbol; with four more words if they have an addend.
fn relocations(of: &[(u64, u32, u32)], addend: bool) -> Vec<u8> {
    let one = |&(offset, ty, symbol): &(u64, u32, u32)| {
        let rest = if addend { vec![0; 8] } else { Vec::new() };
        [&offset.to_le_bytes()[..], &words(&[ty, symbol]), &rest].concat()
    };
    of.iter().flat_map(one).collect()
}

fn note(ty: u32, contents: &[u8]) -> Vec<u8> {
    [&*words(&[12, contents.len() as u32, ty]), b"NVIDIA Corp\0", contents].concat()
}

/// A note about tools: a version, the places of five strings, and the strings.
fn tools() -> Vec<u8> {
    note(2000, &[&*words(&[2, 0, 1, 1, 1, 3]), b"\0a\0\0"].concat())
}

const STRTAB: usize = 2;
const SYMTAB: usize = 3;
const TEXT: usize = 4;
const GLOBAL: usize = 5;
const SECOND_SYMTAB: usize = 15;
const SECOND_TEXT: usize = 18;

/// The sections of a cubin, of each kind that has a check of its own.
fn sections() -> Vec<Section> {
    let (text, global) = (TEXT as u16, GLOBAL as u16);
    let of = |ty: u32, name, flags, bytes| section(name, ty, flags, bytes);
    let symbols = [
        symbol(0, 0, 0, 0, 0),
        symbol(1, 0x03, text, 0, 0),
        symbol(1, 0x12, text, 16, 48),
        symbol(1, 0x11, global, 0, 32),
    ];
    let symbols = [symbols.concat(), vec![0; 24 * (SYMBOLS as usize - 4)]].concat();
    let second = [
        symbol(0, 0, 0, 0, 0),
        symbol(1, 0x03, SECOND_TEXT as u16, 0, 0),
        symbol(1, 0x12, SECOND_TEXT as u16, 1000, 1000),
    ];
    // The form, the kind and the size of attributes, and their values.
    let attributes = [
        words(&[0x0000_0401]),                          // at 0: a flag
        words(&[0x0008_2f04, SYMBOLS as u32 - 1, 16]),  // at 4: registers of a symbol
        words(&[0x0123_1502]),                          // at 16: a byte
        words(&[0x0123_1b03]),                          // at 20: 16 bits
        words(&[0x0008_0f04, 1, SYMBOLS as u32 - 1]),   // at 24: symbols
        words(&[0x000c_0504, 1, 1, 1]),                 // at 36: threads
        words(&[0x0008_1c04, 1, 2]),                    // at 52: places in the code
        [words(&[0x012c_5a04]), vec![0; 300]].concat(), // at 64: any bytes
        words(&[0x0000_0401]),                          // at 368
    ];
    let second_attributes =
        [words(&[0x0008_2f04, 1, 8]), words(&[0x0008_2f04, SECOND_SYMBOLS as u32 - 1, 8])];
    let notes = [note(1000, &[0; 8]), note(1000, &[0; 8])].concat();
    let mut all = vec![
        of(0, "", 0, Vec::new()),
        of(3, ".shstrtab", 0, Vec::new()),
        of(3, ".strtab", 0, b"\0k\0".to_vec()),
        Section { link: STRTAB as u32, info: 2, entry: 24, ..of(2, ".symtab", 0, symbols) },
        Section {
            link: SYMTAB as u32,
            info: 2 | 16 << 24,
            align: 16,
            ..of(1, ".text.k", 6, vec![0; 64])
        },
        Section { size: 32, ..of(8, ".nv.global", 3, Vec::new()) },
        Section { link: 3, ..of(0x7000_0000, ".nv.info", 0, attributes.concat()) },
        of(7, ".note.nv.tkinfo", 0, [tools(), tools()].concat()),
        of(7, ".note.nv.cuinfo", 0, notes),
        of(7, ".note.nv.cuver", 0, note(1000, &[0; 12])),
        Section { link: 3, entry: 8, ..of(0x7000_0001, ".nv.callgraph", 0, vec![0; 16]) },
        Section {
            link: 3,
            info: TEXT as u32,
            entry: 24,
            ..of(4, ".rela.text.k", 0x40, relocations(&[(0, 1, 0), (63, 0x7f, 39)], true))
        },
        Section {
            link: 3,
            info: TEXT as u32,
            entry: 16,
            ..of(9, ".rel.text.k", 0x40, relocations(&[(0, 1, 0), (63, 0x7f, 39)], false))
        },
        of(1, ".debug_line", 0, vec![0; 24]),
        of(1, ".debug_info", 0, vec![0; 24]),
        Section {
            link: STRTAB as u32,
            info: 2,
            entry: 24,
            ..of(0x7000_0085, ".nv.merc.symtab", SECOND, second.concat())
        },
        Section {
            link: SECOND_SYMTAB as u32,
            info: SECOND_TEXT as u32,
            entry: 24,
            ..of(
                0x7000_0082,
                ".nv.merc.rela.text.k",
                SECOND | 0x40,
                relocations(&[(0, 0x1_0001, 0), (9000, 0x1_007f, 2)], true),
            )
        },
        Section {
            link: 15,
            ..of(0x7000_0083, ".nv.merc.nv.info", SECOND, second_attributes.concat())
        },
        of(0x7000_0016, ".nv.capmerc.text.k", SECOND | 2, vec![0; 64]),
        of(1, ".nv.merc.debug_line", SECOND, vec![0; 24]),
    ];
    let names = all.iter().map(|section| section.name);
    all[1].bytes = names.flat_map(|name| [name.as_bytes(), &[0]].concat()).collect();
    all[1].size = all[1].bytes.len() as u64;
    all
}

/// Writes a cubin of these sections, of which the second has the names: a header, segments, the headers of sections, and
/// their contents.
fn cubin(sections: &[Section], segments: usize) -> Image {
    let mut parts = Vec::new();
    let table = 64 + 56 * segments;
    let (mut headers, mut contents) = (Vec::new(), Vec::new());
    let begin = table + 64 * sections.len();
    let mut text = 0;
    for section in sections {
        let name = if section.name.is_empty() {
            0
        } else {
            let end = [section.name.as_bytes(), &[0]].concat();
            let names = &sections[1].bytes;
            let found =
                names.windows(end.len() + 1).position(|name| name[0] == 0 && name[1..] == end);
            1 + found.expect(section.name) as u32
        };
        contents.resize(contents.len().next_multiple_of(16), 0);
        // The first one stands for no section.
        let at = if headers.is_empty() { 0 } else { begin.next_multiple_of(16) + contents.len() };
        if section.name == ".text.k" {
            text = at;
        }
        parts.push((section.name, table + headers.len(), at));
        let align = if headers.is_empty() { 0 } else { section.align };
        headers.extend(words(&[name, section.ty]));
        let numbers = [section.flags, 0, at as u64, section.size];
        headers.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
        headers.extend(words(&[section.link, section.info]));
        headers.extend([align, section.entry].into_iter().flat_map(u64::to_le_bytes));
        contents.extend(&section.bytes);
    }
    let mut bytes = b"\x7fELF\x02\x01\x01\x41\x08\0\0\0\0\0\0\0".to_vec();
    bytes.extend([2, 0, 190, 0, 1, 0, 0, 0]);
    let place = if segments == 0 { 0 } else { 64 };
    bytes.extend([0, place, table as u64].into_iter().flat_map(u64::to_le_bytes));
    bytes.extend(words(&[0x0600_5a04]));
    let sizes = [64, 56, segments as u16, 64, sections.len() as u16, 1];
    bytes.extend(sizes.into_iter().flat_map(u16::to_le_bytes));
    for _ in 0..segments {
        bytes.extend(words(&[1, 5]));
        let numbers = [text as u64, 0, 0, 64, 64, 8];
        bytes.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
    }
    bytes.extend(headers);
    bytes.resize(begin.next_multiple_of(16), 0);
    bytes.extend(contents);
    Image { bytes, parts }
}

/// The same sections, and a table of the sections of symbols.
fn with_table() -> Vec<Section> {
    let mut all = sections();
    let table = section(".symtab_shndx", 18, 0, vec![0; 4 * SYMBOLS as usize]);
    all[1].bytes.extend(b".symtab_shndx\0");
    all[1].size = all[1].bytes.len() as u64;
    all.push(Section { link: SYMTAB as u32, entry: 4, ..table });
    all
}

/// A fatbin of one cubin, and the place of that.
fn contained(cubin: &[u8]) -> (Vec<u8>, usize) {
    (fatbin(&[entry(2, 90, 64, cubin)]), 16 + 64)
}

fn packed(kind: u16, header: u32, code: &[u8]) -> Vec<u8> {
    compressed_entry(kind, header, 0x2000, &literal(code), code.len() as u64)
}

/// Compares the verdicts on cubins, alone and in fatbins.
fn refused(image: &Image, rows: &[(&'static str, Place, &[Change])]) {
    for &(what, place, changes) in rows.iter().step_by(fewer(1, 5)) {
        let (bytes, at) = (image.changed(changes), image.at(place));
        let found = problem(Cubin::new(&bytes));
        assert_eq!(found, Damaged { what, at }, "{changes:?}");
        let (container, begin) = contained(&bytes);
        let found = problem(Fatbin::new(container));
        assert_eq!(found, Damaged { what, at: begin + at }, "in a fatbin: {changes:?}");
        let container = fatbin(&[packed(2, 64, &bytes)]);
        let found = problem(Fatbin::new(container));
        assert_eq!(found, Damaged { what, at: begin }, "compressed: {changes:?}");
    }
}

fn accepted(image: &Image, rows: &[&[Change]]) {
    for changes in rows.iter().step_by(fewer(1, 5)) {
        let bytes = image.changed(changes);
        if let Err(error) = Cubin::new(&bytes) {
            panic!("{changes:?}: {error}");
        }
        Fatbin::new(contained(&bytes).0).unwrap();
    }
}

#[test]
fn each_field_of_the_headers_of_a_cubin_has_its_check() {
    let all = sections();
    let (image, count) = (cubin(&all, 1), all.len() as u64);
    let len = image.bytes.len() as u64;
    // What stands for no section is the first one, and has the values that overflow from the header.
    let overflow = [(File(60), 0, 2), (Header("", 32), count, 8)];
    let both = [overflow[0], overflow[1], (File(62), 0xffff, 2), (Header("", 40), 1, 4)];
    let [a, b, c, d] = both;
    accepted(
        &image,
        &[
            &[],
            &[(File(7), 0x33, 1), (File(8), 7, 1)],
            &[(File(7), 0x33, 1), (File(8), 7, 1), (File(48), 0x0600_5a05, 4)],
            &[(File(16), 1, 2)],
            &overflow,
            &both,
            &[(File(64), 6, 4)],
            &[(File(68), 7, 4)],
            &[(File(64 + 8), len - 64, 8)],
            &[(File(64 + 40), 65, 8)],
            &[(File(64 + 48), 0, 8)],
        ],
    );
    accepted(&cubin(&all, 0), &[&[], &[(File(54), 0, 2)]]);
    let class = "an unknown class, byte order or version";
    let position = "the position of the program headers";
    let first = "the first section header";
    refused(
        &image,
        &[
            (class, File(4), &[(File(4), 1, 1)]),
            (class, File(4), &[(File(5), 2, 1)]),
            (class, File(4), &[(File(6), 0, 1)]),
            ("an unknown system", File(7), &[(File(7), 0x33, 1)]),
            ("an unknown system", File(7), &[(File(8), 7, 1)]),
            ("an unknown system", File(7), &[(File(9), 1, 1)]),
            ("an unknown system", File(7), &[(File(15), 1, 1)]),
            ("the type of the file", File(16), &[(File(16), 0, 2)]),
            ("the type of the file", File(16), &[(File(16), 3, 2)]),
            ("an entry point", File(24), &[(File(24), 1, 8)]),
            ("the flags of the file", File(48), &[(File(48), 0x0600_5a05, 4)]),
            ("the size of the header", File(52), &[(File(52), 63, 2)]),
            ("the size of the header", File(52), &[(File(52), 65, 2)]),
            (position, File(32), &[(File(56), 0, 2)]),
            (position, File(32), &[(File(54), 55, 2)]),
            (position, File(32), &[(File(32), 63, 8)]),
            ("a program header", File(64), &[(File(64), 2, 4)]),
            ("a program header", File(64), &[(File(68), 8, 4)]),
            ("a program header", File(64), &[(File(64 + 40), 63, 8)]),
            ("a program header", File(64), &[(File(64 + 48), 3, 8)]),
            ("the position of the section headers", File(40), &[(File(58), 63, 2)]),
            ("the position of the section headers", File(40), &[(File(40), 63, 8)]),
            (first, Header("", 0), &[(Header("", 0), 1, 4)]),
            (first, Header("", 0), &[(Header("", 4), 1, 4)]),
            (first, Header("", 0), &[(Header("", 8), 1, 8)]),
            (first, Header("", 0), &[(Header("", 24), 1, 8)]),
            (first, Header("", 0), &[(Header("", 32), count, 8)]),
            (first, Header("", 0), &[(Header("", 40), 1, 4)]),
            (first, Header("", 0), &[(Header("", 44), 1, 4)]),
            (first, Header("", 0), &[(Header("", 63), 1, 1)]),
            (first, Header("", 0), &[a, b, c, d, (Header("", 44), 1, 4)]),
            (first, Header("", 0), &[a, b, c, d, (Header("", 31), 1, 1)]),
            ("the table of names", File(62), &[(File(62), 0, 2)]),
            ("the table of names", File(62), &[(File(62), count, 2)]),
            ("the table of names", File(62), &[(File(62), TEXT as u64, 2)]),
            ("the table of names", File(62), &[c]),
            ("the table of names", File(62), &[(In(".shstrtab", all[1].bytes.len() - 1), 1, 1)]),
            (
                "a second table of symbols",
                Header(".debug_line", 0),
                &[(Header(".debug_line", 4), 2, 4)],
            ),
            (
                "a second table of symbols",
                Header(".nv.merc.debug_line", 0),
                &[(Header(".nv.merc.debug_line", 4), 0x7000_0085, 4)],
            ),
        ],
    );
}

/// Where an image ends before a part does, the error has the part and both ends.
#[test]
fn each_part_of_a_cubin_has_to_end_in_it() {
    let image = cubin(&sections(), 1);
    let len = image.bytes.len();
    let end = len as u64;
    let table = image.at(Header("", 0)) as u64;
    let rows: [(&str, u64, &[Change]); 7] = [
        ("program headers", end + 48, &[(File(32), end - 8, 8)]),
        ("program headers", 64 + 56 * 0x7fff, &[(File(56), 0x7fff, 2)]),
        ("segments", end + 1, &[(File(64 + 8), end - 63, 8)]),
        ("section headers", end + 56, &[(File(40), end - 8, 8)]),
        ("section headers", table + 64 * 0x7fff, &[(File(60), 0x7fff, 2)]),
        ("section headers", u64::MAX, &[(File(60), 0, 2), (Header("", 32), u64::MAX, 8)]),
        ("sections", end + 1, &[(Header(".debug_line", 24), end - 23, 8)]),
    ];
    for (part, end, changes) in rows {
        let bytes = image.changed(changes);
        assert_eq!(problem(Cubin::new(&bytes)), Truncated { part, end, len }, "{changes:?}");
        let (container, begin) = contained(&bytes);
        let found = problem(Fatbin::new(container));
        assert_eq!(found, Damaged { what: part, at: begin }, "in a fatbin: {changes:?}");
    }
    let short = |len: usize| problem(Cubin::new(&image.bytes[..len]));
    assert_eq!(short(63), Truncated { part: "header", end: 64, len: 63 });
    assert_eq!(short(64), Truncated { part: "program headers", end: 64 + 56, len: 64 });
}

#[test]
fn each_field_of_a_section_of_a_cubin_has_its_check() {
    let all = sections();
    let (image, count) = (cubin(&all, 1), all.len() as u64);
    let names = all[1].bytes.len() as u64;
    let line = image.at(In(".debug_line", 0)) as u64;
    assert!(!line.is_power_of_two() && count < SYMBOLS && count > SECOND_SYMBOLS + 2);
    accepted(
        &image,
        &[
            &[(Header(".debug_line", 48), 0, 8)],
            &[(Header(".nv.global", 24), 4097, 8)],
            &[(Header(".debug_line", 40), count - 1, 4)],
            &[(Header(".nv.info", 40), count, 4)],
            &[(Header(".nv.callgraph", 40), count, 4)],
            &[(Header(".debug_line", 44), count - 1, 4)],
            &[(Header(".text.k", 44), (SYMBOLS - 1) | 0xff00_0000, 4)],
            &[(Header(".nv.callgraph", 44), SYMBOLS - 1, 4)],
            &[(Header(".symtab", 44), SYMBOLS, 4)],
            &[(Header(".nv.merc.symtab", 44), SECOND_SYMBOLS, 4)],
        ],
    );
    let name = "the name of a section";
    let ty = "the type of a section";
    let align = "an alignment";
    let link = "the link of a section";
    let info = "the info field of a section";
    let element = "the size of an element";
    let size = "the size of a table";
    refused(
        &image,
        &[
            (name, Header(".debug_line", 0), &[(Header(".debug_line", 0), names, 4)]),
            (ty, Header(".debug_line", 4), &[(Header(".debug_line", 0), names - 1, 4)]),
            (ty, Header(".debug_line", 4), &[(Header(".debug_line", 4), 8, 4)]),
            (ty, Header(".debug_line", 4), &[(Header(".debug_line", 8), 4, 8)]),
            (ty, Header(".debug_line", 4), &[(Header(".debug_line", 8), 8, 8)]),
            (ty, Header(".text.k", 4), &[(Header(".text.k", 8), 2, 8)]),
            (align, Header(".debug_line", 48), &[(Header(".debug_line", 48), line, 8)]),
            (align, Header(".debug_line", 48), &[(Header(".debug_line", 48), 1 << 20, 8)]),
            (align, Header(".nv.global", 48), &[(Header(".nv.global", 48), 3, 8)]),
            (link, Header(".debug_line", 40), &[(Header(".debug_line", 40), count, 4)]),
            (link, Header(".nv.info", 40), &[(Header(".nv.info", 40), count + 1, 4)]),
            (link, Header(".nv.callgraph", 40), &[(Header(".nv.callgraph", 40), count + 1, 4)]),
            (info, Header(".debug_line", 44), &[(Header(".debug_line", 44), count, 4)]),
            (info, Header(".debug_line", 44), &[(Header(".debug_line", 44), 0x0100_0000, 4)]),
            (info, Header(".nv.info", 44), &[(Header(".nv.info", 44), count, 4)]),
            (info, Header(".text.k", 44), &[(Header(".text.k", 44), SYMBOLS, 4)]),
            (info, Header(".nv.callgraph", 44), &[(Header(".nv.callgraph", 44), SYMBOLS, 4)]),
            (info, Header(".symtab", 44), &[(Header(".symtab", 44), SYMBOLS + 1, 4)]),
            (
                info,
                Header(".nv.merc.symtab", 44),
                &[(Header(".nv.merc.symtab", 44), SECOND_SYMBOLS + 1, 4)],
            ),
            (element, Header(".symtab", 56), &[(Header(".symtab", 56), 16, 8)]),
            (element, Header(".nv.merc.symtab", 56), &[(Header(".nv.merc.symtab", 56), 16, 8)]),
            (element, Header(".rela.text.k", 56), &[(Header(".rela.text.k", 56), 16, 8)]),
            (
                element,
                Header(".nv.merc.rela.text.k", 56),
                &[(Header(".nv.merc.rela.text.k", 56), 0, 8)],
            ),
            (element, Header(".rel.text.k", 56), &[(Header(".rel.text.k", 56), 8, 8)]),
            (size, Header(".symtab", 32), &[(Header(".symtab", 32), 24 * SYMBOLS - 1, 8)]),
            (size, Header(".nv.callgraph", 32), &[(Header(".nv.callgraph", 32), 15, 8)]),
            ("a table of strings", Header(".strtab", 24), &[(In(".strtab", 2), 1, 1)]),
            ("the table of symbols", Header(".symtab", 0), &[(Header(".strtab", 32), 0, 8)]),
            (
                "the table of symbols",
                Header(".symtab", 0),
                &[(Header(".symtab", 40), TEXT as u64, 4)],
            ),
            (
                "the table of symbols",
                Header(".nv.merc.symtab", 0),
                &[(Header(".nv.merc.symtab", 40), 0, 4)],
            ),
        ],
    );
}

#[test]
fn sections_share_bytes_with_those_of_the_other_form_alone() {
    let image = cubin(&sections(), 1);
    let place = |place| image.at(place) as u64;
    let table = place(Header("", 0));
    let end = table + 64 * sections().len() as u64;
    let (line, text) = (place(In(".debug_line", 0)), place(In(".text.k", 0)));
    let second = place(In(".nv.capmerc.text.k", 0));
    accepted(
        &image,
        &[
            &[(Header(".nv.merc.debug_line", 24), line, 8)],
            &[(Header(".nv.capmerc.text.k", 24), text, 8)],
        ],
    );
    let shares = "a part that shares its bytes with another";
    let moved = |to: u64| [(Header(".debug_line", 24), to, 8), (Header(".debug_line", 32), 4, 8)];
    for to in [0, 60, 64, 116, table, end - 4, text, text + 60, place(In(".debug_info", 0))] {
        let at = match to {
            0..64 => Header(".debug_line", 0),
            _ if to == place(In(".debug_info", 0)) => Header(".debug_info", 0),
            _ => Header(".debug_line", 0),
        };
        refused(&image, &[(shares, at, &moved(to))]);
    }
    let both = [(Header(".nv.merc.debug_line", 24), second + 60, 8)];
    refused(&image, &[(shares, Header(".nv.merc.debug_line", 0), &both)]);
    // The sections of the first form are compared first.
    let all = [both[0], (Header(".debug_line", 24), text, 8)];
    refused(&image, &[(shares, Header(".debug_line", 0), &all)]);
}

#[test]
fn each_field_of_symbols_and_relocations_of_a_cubin_has_its_check() {
    let (image, count) = (cubin(&sections(), 1), sections().len() as u64);
    let (function, variable) = (48, 72);
    let of = |symbol: usize, field: usize, value: u64, size: usize| {
        [(In(".symtab", symbol + field), value, size)]
    };
    let later = 32 + 65_536;
    accepted(
        &image,
        &[
            &of(function, 0, 2, 4),
            &of(function, 6, 0, 2),
            &of(function, 8, 15, 8),
            &of(variable, 8, later, 8),
            &of(variable, 16, later, 8),
        ],
    );
    let symbol = |at| ("a symbol", In(".symtab", at));
    let rows = [
        (symbol(function), of(function, 0, 3, 4)),
        (symbol(function), of(function, 4, 0x14, 1)),
        (symbol(function), of(function, 4, 0x42, 1)),
        (symbol(function), of(function, 6, count, 2)),
        (symbol(function), of(function, 6, 0xfff1, 2)),
        (symbol(function), of(function, 6, 0xffff, 2)),
        (symbol(function), of(function, 8, 17, 8)),
        (symbol(function), of(function, 16, 49, 8)),
        (symbol(function), of(function, 8, u64::MAX, 8)),
        (symbol(variable), of(variable, 8, later + 1, 8)),
        (symbol(variable), of(variable, 16, later + 1, 8)),
    ];
    for ((what, at), changes) in rows {
        refused(&image, &[(what, at, &changes)]);
    }
    let second = ".nv.merc.symtab";
    refused(
        &image,
        &[
            ("a symbol", In(second, 48), &[(In(second, 48), 3, 4)]),
            ("a symbol", In(second, 48), &[(In(second, 48 + 6), count, 2)]),
            ("a symbol", In(second, 48), &[(In(second, 48 + 4), 0x14, 1)]),
        ],
    );

    let (rela, rel, merc) = (".rela.text.k", ".rel.text.k", ".nv.merc.rela.text.k");
    for (name, size) in [(rela, 24), (rel, 16)] {
        let row = |field: usize, value: u64| {
            refused(
                &image,
                &[("a relocation", In(name, size), &[(In(name, size + field), value, 4)])],
            );
        };
        row(0, 64);
        row(8, 0);
        row(8, 0x80);
        row(8, 0x1_0001);
        row(12, SYMBOLS);
        let target = "the target of relocations";
        refused(&image, &[(target, Header(name, 44), &[(Header(name, 44), 0, 4)])]);
    }
    refused(
        &image,
        &[
            ("a relocation", In(merc, 24), &[(In(merc, 24 + 8), 0x1_0000, 4)]),
            ("a relocation", In(merc, 24), &[(In(merc, 24 + 8), 0x1_0080, 4)]),
            ("a relocation", In(merc, 24), &[(In(merc, 24 + 8), 1, 4)]),
            ("a relocation", In(merc, 24), &[(In(merc, 24 + 12), SECOND_SYMBOLS, 4)]),
        ],
    );
}

#[test]
fn each_note_and_attribute_of_a_cubin_has_its_check() {
    let image = cubin(&sections(), 1);
    let name_of = |name: &str| {
        let headers = image.parts.iter().find(|part| part.0 == name).unwrap().1;
        u64::from(u32::from_le_bytes(image.bytes[headers..headers + 4].try_into().unwrap()))
    };
    let (tools, code, version) = (".note.nv.tkinfo", ".note.nv.cuinfo", ".note.nv.cuver");
    let second = 24 + 28;
    accepted(&image, &[&[(In(tools, second + 24 + 4), 3, 4)], &[(In(code, 24), 1, 4)]]);
    for field in 1..=5 {
        let change = [(In(tools, second + 24 + 4 * field), 4, 4)];
        refused(&image, &[("a note", In(tools, second), &change)]);
    }
    let of_tools = (In(tools, second + 8), 1000, 4);
    refused(
        &image,
        &[
            ("a note", In(tools, second), &[(In(tools, second), 13, 4)]),
            ("a note", In(tools, second), &[(In(tools, second + 4), 29, 4)]),
            ("a note", In(tools, second), &[(In(tools, second + 4), 20, 4)]),
            ("a note", In(tools, second), &[(In(tools, second + 12), 0, 1)]),
            ("a note", In(tools, second), &[(In(tools, second + 24 + 27), 1, 1)]),
            ("a note", In(tools, second), &[of_tools]),
            ("a note", In(tools, second), &[(Header(tools, 32), 2 * 52 - 4, 8)]),
            ("a note", In(tools, 2 * 52), &[(Header(tools, 32), 2 * 52 + 4, 8)]),
            ("a note", In(code, 32), &[(In(code, 32 + 8), 1001, 4)]),
            ("a note", In(code, 32), &[(In(code, 32 + 8), 2000, 4)]),
            // Notes in the sections of others.
            ("a note", In(tools, 0), &[(Header(tools, 0), name_of(code), 4)]),
            ("a note", In(code, 0), &[(Header(code, 0), name_of(version), 4)]),
            ("a note", In(code, 0), &[(Header(code, 0), name_of(tools), 4)]),
            ("a note", In(version, 0), &[(Header(version, 0), name_of(code), 4)]),
            ("a note", In(version, 0), &[(Header(version, 0), name_of(tools), 4)]),
        ],
    );

    let (own, merc) = (".nv.info", ".nv.merc.nv.info");
    let attribute = |at: usize| ("an attribute", In(own, at));
    for ((what, at), change) in [
        (attribute(0), (0, 5, 1)),
        (attribute(4), (4 + 1, 0x7e, 1)),
        (attribute(4), (4 + 2, 4, 1)),
        (attribute(4), (4 + 4, SYMBOLS, 4)),
        (attribute(16), (16 + 1, 0x1b, 1)),
        (attribute(20), (20 + 1, 0x15, 1)),
        (attribute(24), (24 + 2, 6, 1)),
        (attribute(24), (24 + 4, SYMBOLS, 4)),
        (attribute(24), (24 + 8, SYMBOLS, 4)),
        (attribute(36), (36 + 2, 8, 1)),
        (attribute(52), (52 + 2, 6, 1)),
        (attribute(64), (64 + 2, 1000, 2)),
        (attribute(368), (368, 2, 1)),
    ] {
        refused(&image, &[(what, at, &[(In(own, change.0), change.1, change.2)])]);
    }
    refused(
        &image,
        &[
            ("an attribute", In(own, 368), &[(Header(own, 32), 368 + 3, 8)]),
            ("an attribute", In(merc, 12), &[(In(merc, 12 + 4), SECOND_SYMBOLS, 4)]),
        ],
    );
}

#[test]
fn the_sections_of_symbols_may_have_a_table_of_their_own() {
    let (image, count) = (cubin(&with_table(), 1), with_table().len() as u64);
    let table = ".symtab_shndx";
    let (index, other) = (In(".symtab", 48 + 6), In(table, 8));
    accepted(&image, &[&[], &[(index, 0xffff, 2)], &[(index, 0xffff, 2), (other, count + 1, 4)]]);
    let sections = "the sections of symbols";
    refused(
        &image,
        &[
            ("a symbol", In(".symtab", 48), &[(index, 0xfffe, 2)]),
            ("a symbol", In(".symtab", 48), &[(index, count, 2)]),
            (sections, Header(table, 0), &[(other, count + 2, 4)]),
            (sections, Header(table, 0), &[(Header(table, 32), 4 * SYMBOLS - 4, 8)]),
            ("the size of an element", Header(table, 56), &[(Header(table, 56), 8, 8)]),
            ("the size of a table", Header(table, 32), &[(Header(table, 32), 4 * SYMBOLS - 1, 8)]),
        ],
    );
}

/// Indices from 0xff00 on stand for no section, even where there are as many, unless a table has those of symbols.
#[test]
fn reserved_indices_are_no_sections() {
    skip_under_miri!("writes and reads cubins of 4 MiB");
    for mut all in [sections(), with_table()] {
        let table = all.len() > sections().len();
        all.resize_with(0xff10, || Section { align: 0, ..section("", 0, 0, Vec::new()) });
        let image = cubin(&all, 1);
        let in_section = |index: u64| {
            let place = |field: usize| In(".symtab", 48 + field);
            Cubin::new(image.changed(&[(place(6), index, 2), (place(8), 0, 8), (place(16), 0, 8)]))
        };
        in_section(0xfeff).unwrap();
        if table {
            in_section(0xff00).unwrap();
        } else {
            let at = image.at(In(".symtab", 48));
            assert_eq!(problem(in_section(0xff00)), Damaged { what: "a symbol", at });
        }
    }
}

/// A fatbin of a cubin and of PTX, both with options of the compiler, and the PTX with a name.
fn container(ptx: &[u8]) -> Image {
    let mut entries = [entry(2, 90, 104, &cubin(&sections(), 1).bytes), entry(1, 75, 104, ptx)];
    for (entry, name) in entries.iter_mut().zip([0, 3]) {
        entry[64..72].copy_from_slice(&words(&[72, 3]));
        entry[72..76].copy_from_slice(b"-O3\0");
        entry[32..40].copy_from_slice(&words(&[if name == 0 { 0 } else { 80 }, name]));
    }
    let (first, second) = (16, 16 + entries[0].len());
    let parts = vec![("cubin", first, first + 104), ("ptx", second, second + 104)];
    Image { bytes: fatbin(&entries), parts }
}

#[test]
fn each_field_of_a_fatbin_has_its_check() {
    const PTX: &[u8] = b".version 8.0 // 2345678\0";
    let image = container(PTX);
    let (len, rest) = (image.bytes.len(), PTX.len().next_multiple_of(8) as u64);
    let size = len as u64 - 16;
    let is_ok = |changes: &[Change]| {
        if let Err(error) = Fatbin::new(image.changed(changes)) {
            panic!("{changes:?}: {error}");
        }
    };
    let is = |what, place, changes: &[Change]| {
        let found = problem(Fatbin::new(image.changed(changes)));
        assert_eq!(found, Damaged { what, at: image.at(place) }, "{changes:?}");
    };
    let (of_ptx, of_cubin) = (|at| Header("ptx", at), |at| Header("cubin", at));
    let second = image.at(of_ptx(0)) as u64 - 16;
    is_ok(&[]);
    is("an unknown version", File(4), &[(File(4), 2, 2)]);
    is("an unknown version", File(4), &[(File(6), 24, 2)]);
    is("bytes after the last entry", of_ptx(0), &[(File(8), second, 8)]);
    is("an entry of an unknown kind", of_ptx(0), &[(of_ptx(0), 3, 2)]);
    is("an entry of an unknown kind", of_ptx(0), &[(of_ptx(2), 0x102, 2)]);
    let header = "the size of an entry's header";
    for value in [56, 100, 104 + rest + 8, 1 << 20] {
        is(header, of_ptx(4), &[(of_ptx(4), value, 4)]);
    }
    let code = "the size of an entry";
    for value in [0, rest - 4, rest + 8] {
        is(code, of_ptx(8), &[(of_ptx(8), value, 8)]);
    }
    is(code, of_ptx(8), &[(of_ptx(4), 104 + rest, 4)]);

    let options = "the compiler's options of an entry";
    is_ok(&[(of_ptx(20), 96, 4)]);
    is_ok(&[(of_ptx(64), 0, 8)]);
    is_ok(&[(of_cubin(20), 0, 4)]);
    is_ok(&[(of_cubin(75), u64::from(b'1'), 1)]);
    is_ok(&[(of_cubin(68), 32, 4)]);
    for (place, value) in [(20, 0), (20, 56), (20, 100), (20, 1 << 20), (64, 8), (64, 63)] {
        is(options, of_ptx(20), &[(of_ptx(place), value, 4)]);
    }
    is(options, of_ptx(20), &[(of_ptx(75), u64::from(b'1'), 1)]);
    is(options, of_ptx(20), &[(of_ptx(68), 32, 4)]);
    is(options, of_cubin(20), &[(of_cubin(20), 100, 4)]);
    is(options, of_cubin(20), &[(of_cubin(64), 8, 4)]);
    is(options, of_cubin(20), &[(of_cubin(68), 33, 4)]);
    let name = "the name of an entry";
    is_ok(&[(of_ptx(36), 0, 4)]);
    is_ok(&[(of_ptx(36), 24, 4)]);
    is(name, of_ptx(32), &[(of_ptx(36), 25, 4)]);
    is(name, of_ptx(32), &[(of_ptx(32), 0, 4)]);
    is(name, of_ptx(32), &[(of_ptx(32), 63, 4)]);
    is(name, of_cubin(32), &[(of_cubin(32), 8, 4)]);
    is(name, of_cubin(32), &[(of_cubin(36), 8, 4)]);

    let flags = "the flags of an entry";
    for flag in [0x4011, 0x6011, 0xa011, 0xc011, 0xe011, 0x2011, 0x8011] {
        is(flags, of_ptx(40), &[(of_ptx(40), flag, 8)]);
    }
    is(flags, of_ptx(40), &[(of_ptx(16), 8, 4)]);
    is(flags, of_ptx(40), &[(of_ptx(56), 8, 8)]);
    is(flags, of_ptx(40), &[(of_ptx(40), 0x2011, 8), (of_ptx(16), 8, 4)]);
    is(flags, of_ptx(40), &[(of_ptx(40), 0x2011, 8), (of_ptx(56), 8, 8)]);
    let packed = [(of_ptx(40), 0x2011, 8), (of_ptx(16), rest + 1, 4), (of_ptx(56), 8, 8)];
    is("compressed code", In("ptx", 0), &packed);

    is("an entry that is not a cubin", In("cubin", 0), &[(In("cubin", 0), 0, 1)]);
    is("PTX without a NUL at the end", In("ptx", 0), &[(In("ptx", 23), u64::from(b'8'), 1)]);
    is("an entry that is not PTX", In("ptx", 0), &[(In("ptx", 0), u64::from(b'x'), 1)]);
    let at = 104 + image.at(of_ptx(0));
    let deadly = b".version 8.0 .global .b8 x[] = 1;\0";
    let what = "an initialiser of an array that is no list";
    let found = problem(Fatbin::new(container(deadly).bytes));
    assert_eq!(found, Refused { what, at: at + 28 });
    let found = problem(Fatbin::new(fatbin(&[packed_ptx(deadly)])));
    assert_eq!(found, Refused { what, at: 16 + 72 });

    let truncated = |bytes: &[u8]| problem(Fatbin::new(bytes));
    let (last, end) = ([(File(8), size + 1, 8)], len as u64 + 1);
    assert_eq!(truncated(&image.changed(&last)), Truncated { part: "last entry", end, len });
    assert_eq!(truncated(&image.bytes[..15]), Truncated { part: "header", end: 16, len: 15 });
    assert_eq!(truncated(&fatbin(&[])), Damaged { what: "no entry", at: 8 });
    let half = |len: usize| {
        truncated(&fatbin(&[entry(1, 75, 72, PTX), image.bytes[16..16 + len].to_vec()]))
    };
    let at = 16 + 72 + 24;
    let what = "the header of an entry ends past the last one";
    assert_eq!(half(63), Damaged { what, at });
    assert_eq!(half(64), Damaged { what: header, at: at + 4 });
    let padded = [&*image.bytes, &[0; 40]].concat();
    Fatbin::new(&padded).unwrap();
    let more = [&*padded, &[1]].concat();
    assert_eq!(truncated(&more), Damaged { what: "bytes after the last entry", at: len });
}

fn packed_ptx(text: &[u8]) -> Vec<u8> {
    packed(1, 72, text)
}

/// All compressed code of a fatbin together may have 64 MiB, and 256 times the size of the fatbin.
#[test]
fn the_room_of_compressed_code_is_exact() {
    let text = b".version 8.0 // some text\0";
    let claims = |first: &[Vec<u8>], size: u64| {
        let entry = compressed_entry(1, 72, 0x2000, &literal(text), size);
        let at = 16 + first.concat().len() + 72;
        (problem(Fatbin::new(fatbin(&[first, &[entry]].concat()))), at)
    };
    let one = packed_ptx(text);
    for first in [vec![], vec![one.clone()], vec![one.clone(), one.clone()]] {
        let len = 16 + (first.len() as u64 + 1) * one.len() as u64;
        let room = (64 << 20) + 256 * len - (first.len() * text.len()) as u64;
        let (found, at) = claims(&first, room);
        assert_eq!(found, Damaged { what: "compressed code", at });
        let (found, at) = claims(&first, room + 1);
        let what = "compressed code that claims more than 256 times the size of the fatbin";
        assert_eq!(found, Refused { what, at });
    }
}

/// What is refused has its position, and one less of it is accepted.
#[test]
fn each_limit_of_texts_is_exact() {
    let text = |body: &str| format!(".version 8.0 .target sm_52 {body}");
    let long = |len: usize| "a".repeat(len);
    let (registers, string) = ("more than 2^20 registers", "a string of more than 4 KiB");
    let (number, extent) = ("a number of more than 4 KiB", "an extent of more than 2^20");
    let element = "a third element of a register of two";
    // All registers together may be as many more as the text has bytes.
    let sum = |more: usize| {
        let list =
            |count: usize| text(&format!(".reg .b32 %a<1048576>; .reg .b32 %b<{count:<8}>;"));
        list(list(0).len() + more)
    };
    // The position is the end of the word before.
    for (what, before, refused, accepted) in [
        (
            string,
            "sm_52",
            text(&format!("\"{}\"", long(4097))),
            text(&format!("\"{}\"", long(4096))),
        ),
        (number, "sm_52", text(&"1".repeat(4097)), text(&"1".repeat(4096))),
        ("a name of more than 16 KiB", "sm_52", text(&long(16_385)), text(&long(16_384))),
        (extent, "sm_52", text(".maxntid 1048577"), text(".maxntid 1024, 1024")),
        (extent, "sm_52", text(".maxntid 1024, 1025"), text(".maxntid 1048576")),
        (registers, "%r", text("%r<1048577>"), text("%r<1048576>")),
        (registers, "%b", sum(1), sum(0)),
        (element, "v1", text(".reg .v2 .u32 v1; mov v1.z"), text(".reg .v2 .u32 v1; mov v2.z")),
    ] {
        let at = refused.rfind(before).unwrap() + before.len();
        assert_eq!(problem(Ptx::new(&*refused)), Refused { what, at }, "{refused:.100}");
        Ptx::new(&*accepted).unwrap();
    }
}

#[test]
fn a_file_with_bytes_outside_of_ascii_is_refused_with_their_line() {
    let path = std::env::temp_dir().join(format!("cuscope {} latin.ptx", std::process::id()));
    std::fs::write(&path, b".version 8.0\n.target sm_52\n// \xe9\n").unwrap();
    let found = problem(Ptx::from_file(&path));
    std::fs::remove_file(path).unwrap();
    assert_eq!(found, ImageProblem::NotAscii { line: 3 });
}
