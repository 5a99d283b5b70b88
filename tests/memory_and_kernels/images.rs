//! Images that are none, or are damaged, are errors: no driver is handed what it may crash on.
#![allow(unsafe_code, reason = "reads a thread's clock")]

use crate::common::fatbin::{compressed_entry, entry, fatbin, literal};
use crate::common::gpu::new_context;
use crate::common::kernels::SAXPY;
use crate::common::{fewer, shorter};
use crate::{common, fresh, skip_under_miri};
use cuscope::{
    ContextStack, Cubin, Error, Fatbin, Ptx, Result,
    image::{ImageKind, ImageProblem},
};
use std::collections::BTreeMap;

const PTX: &str = shorter(include_str!("../code/signatures.ptx"), SAXPY);
const CUBIN: &[u8] = include_bytes!("../code/signatures.cubin");
/// Both, compressed.
const LZ4: &[u8] = include_bytes!("../code/signatures.lz4.fatbin");
const ZSTD: &[u8] = include_bytes!("../code/signatures.zstd.fatbin");

fn both() -> Vec<u8> {
    let ptx = [PTX.as_bytes(), &[0]].concat();
    fatbin(&[entry(2, 90, 64, CUBIN), entry(1, 75, 72, &ptx)])
}

/// Without its first entry: the PTX alone.
fn without_first(fatbin: &[u8]) -> Vec<u8> {
    let number = |at: usize| u64::from_le_bytes(fatbin[at..at + 8].try_into().unwrap());
    let next = 16 + (number(16) >> 32) + number(24);
    let mut bytes = fatbin[..16].to_vec();
    bytes[8..].copy_from_slice(&(16 + number(8) - next).to_le_bytes());
    bytes.extend(&fatbin[next as usize..]);
    bytes
}

/// Returns the problem of an image, and its message.
fn problem<T>(result: Result<T>) -> (ImageProblem, String) {
    match result.err().expect("an error") {
        Error::Image(error) => (error.problem().clone(), error.to_string()),
        other => panic!("no error of an image: {other}"),
    }
}

#[test]
fn each_kind_says_what_it_was_given_instead() {
    let (found, text) = problem(Cubin::new(PTX));
    assert_eq!(found, ImageProblem::IsA(ImageKind::Ptx));
    assert!(text.contains("PTX text: use `Ptx`"), "{text}");
    let (found, text) = problem(Cubin::new(both()));
    assert_eq!(found, ImageProblem::IsA(ImageKind::Fatbin));
    assert!(text.contains("`Fatbin`"), "{text}");
    assert_eq!(problem(Fatbin::new(CUBIN)).0, ImageProblem::IsA(ImageKind::Cubin));
    assert_eq!(problem(Fatbin::new(PTX)).0, ImageProblem::IsA(ImageKind::Ptx));
    assert_eq!(problem(Ptx::new("\x7fELF is no text")).0, ImageProblem::IsA(ImageKind::Cubin));
    assert_eq!(problem(Ptx::new("garbage")).0, ImageProblem::Unknown);
    assert_eq!(problem(Cubin::new([0; 100])).0, ImageProblem::Unknown);
    assert_eq!(problem(Cubin::new([])).0, ImageProblem::Empty);
    assert_eq!(problem(Ptx::new("")).0, ImageProblem::Empty);
    assert!(matches!(Ptx::new(".version\0 7.0"), Err(Error::InvalidArgument { .. })));
    assert_eq!(Ptx::new(".version 7.0\0").unwrap().text(), b".version 7.0");
}

#[test]
fn a_program_of_the_host_is_no_cubin() {
    let mut host = CUBIN.to_vec();
    host[18..20].copy_from_slice(&62_u16.to_le_bytes());
    let (found, text) = problem(Cubin::new(&host));
    assert_eq!(found, ImageProblem::OtherMachine(62));
    assert!(text.contains("machine 62"), "{text}");
    skip_under_miri!("the program of the test is no file of machine code there");
    let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let (found, text) = problem(Cubin::new(own));
    // Those of Windows are no ELF files.
    let wanted = if cfg!(windows) {
        found == ImageProblem::Unknown
    } else {
        matches!(found, ImageProblem::OtherMachine(_))
    };
    assert!(wanted, "{text}");
}

#[test]
fn images_are_read_from_files() {
    let id = std::process::id();
    let folder = std::env::temp_dir().join(format!("cuscope images {id} größer 図"));
    std::fs::create_dir_all(&folder).unwrap();
    // On Windows this one begins with `\\?\`.
    let folder = folder.canonicalize().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    assert_eq!(Ptx::from_file(file("k.ptx", PTX.as_bytes())).unwrap(), Ptx::new(PTX).unwrap());
    assert_eq!(Cubin::from_file(file("k.cubin", CUBIN)).unwrap().bytes(), CUBIN);
    assert_eq!(Fatbin::from_file(file("k.fatbin", &both())).unwrap().bytes(), both());
    assert_eq!(
        problem(Ptx::from_file(folder.join("k.cubin"))).0,
        ImageProblem::IsA(ImageKind::Cubin)
    );
    let missing = Cubin::from_file(folder.join("none"));
    assert!(matches!(missing, Err(Error::File { .. })), "{missing:?}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn every_truncation_is_refused() {
    let whole = both();
    for len in (0..CUBIN.len()).step_by(fewer(1, 61)) {
        assert!(Cubin::new(&CUBIN[..len]).is_err(), "{len} bytes");
    }
    for whole in [&*whole, LZ4, ZSTD] {
        for len in (0..whole.len()).step_by(fewer(1, 61)) {
            assert!(Fatbin::new(&whole[..len]).is_err(), "{len} bytes");
        }
    }
    let (found, text) = problem(Cubin::new(&CUBIN[..CUBIN.len() / 2]));
    assert!(matches!(found, ImageProblem::Truncated { .. }), "{text}");
    assert!(text.contains("truncated"), "{text}");
}

/// Numbers that are the same in each run.
fn numbers() -> impl Iterator<Item = usize> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize
    })
}

/// 1,000 images, each damaged in its own way: shorter, or with a bit flipped.
fn damaged(whole: &[u8]) -> impl Iterator<Item = (String, Vec<u8>)> {
    numbers().take(fewer(1000, 4)).enumerate().map(move |(i, number)| {
        let mut bytes = whole.to_vec();
        let what = if i % 4 == 0 {
            bytes.truncate(number % whole.len());
            format!("cut to {}", bytes.len())
        } else {
            let bit = number % (8 * whole.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
            format!("byte {:#x} bit {}", bit / 8, bit % 8)
        };
        (what, bytes)
    })
}

/// Loads what is damaged: errors, or a module that is not launched. Counts what got to the driver, and
/// what that loaded.
fn load_all(
    whole: &[u8],
    load: impl Fn(&cuscope::PushedGuard<'_>, Vec<u8>) -> Result,
) -> (usize, usize) {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let (mut seen, mut loaded) = (0, 0);
    for (what, bytes) in damaged(whole) {
        // The last line that is printed tells what a driver died of.
        eprintln!("{what}");
        match load(&gpu, bytes) {
            Ok(()) => (seen, loaded) = (seen + 1, loaded + 1),
            Err(Error::Image(_) | Error::InvalidArgument { .. }) => {}
            Err(error) => {
                assert!(!error.is_sticky(), "{what}: {error}");
                seen += 1;
            }
        }
    }
    gpu.synchronize().unwrap();
    (seen, loaded)
}

#[test]
fn a_thousand_damaged_cubins_are_errors() {
    fresh!(a_thousand_damaged_cubins_are_errors, {
        let (seen, loaded) = load_all(CUBIN, |gpu, bytes| gpu.load_cubin(bytes).map(drop));
        println!("cubins: the driver saw {seen}, loaded {loaded}");
        assert!(seen > fewer(100, 0), "code, which nothing checks, may be damaged: {seen}");
    });
}

#[test]
fn a_thousand_damaged_fatbins_are_errors() {
    fresh!(a_thousand_damaged_fatbins_are_errors, {
        let (seen, loaded) = load_all(&both(), |gpu, bytes| gpu.load_fatbin(bytes).map(drop));
        println!("fatbins: the driver saw {seen}, loaded {loaded}");
        assert!(seen > fewer(100, 0), "code, which nothing checks, may be damaged: {seen}");
    });
}

#[test]
fn a_thousand_damaged_fatbins_with_compressed_code_are_errors() {
    fresh!(a_thousand_damaged_fatbins_with_compressed_code_are_errors, {
        // Zstandard takes Miri an hour, in a library without `unsafe` code.
        for (whole, how) in [(LZ4, "LZ4"), (ZSTD, "Zstandard")].into_iter().take(fewer(2, 1)) {
            for whole in [whole, &without_first(whole)] {
                let (seen, loaded) = load_all(whole, |gpu, bytes| gpu.load_fatbin(bytes).map(drop));
                println!("fatbins with {how}: the driver saw {seen}, loaded {loaded}");
                assert!(seen > fewer(100, 0), "{seen}");
            }
        }
    });
}

#[test]
fn compressed_code_is_checked_as_other_code_is() {
    // The first entry: where its header and its code begin, and how many bytes it has.
    let number = |at: usize| u64::from_le_bytes(ZSTD[at..at + 8].try_into().unwrap());
    let (header, begin) = (16, 16 + (number(16) >> 32) as usize);
    let next = begin + number(24) as usize;
    let of = |flags: u64, packed: &[u8], unpacked: u64| {
        let mut bytes = ZSTD[..begin].to_vec();
        let padded = packed.len().next_multiple_of(8);
        bytes[header + 8..][..8].copy_from_slice(&(padded as u64).to_le_bytes());
        bytes[header + 16..][..4].copy_from_slice(&(packed.len() as u32).to_le_bytes());
        bytes[header + 40..][..8].copy_from_slice(&(flags | 0x11).to_le_bytes());
        bytes[header + 56..][..8].copy_from_slice(&unpacked.to_le_bytes());
        bytes.extend(packed);
        bytes.resize(begin + padded, 0);
        bytes.extend(&ZSTD[next..]);
        let size = bytes.len() as u64 - 16;
        bytes[8..16].copy_from_slice(&size.to_le_bytes());
        bytes
    };
    let len = CUBIN.len() as u64;
    assert!(Fatbin::new(of(0x2000, &literal(CUBIN), len)).is_ok());
    let said = |bytes: Vec<u8>, what: &str| {
        let (found, text) = problem(Fatbin::new(bytes));
        assert!(matches!(found, ImageProblem::Damaged { .. }) && text.contains(what), "{text}");
    };
    said(of(0x2000, &literal(CUBIN), len - 1), "compressed code at byte");
    said(of(0x2000, &literal(CUBIN), 1 << 24), "compressed code at byte");
    said(of(0x8000, &literal(CUBIN), len), "compressed code at byte");
    for flags in [0xa000, 0x4000, 0x6000] {
        said(of(flags, &literal(CUBIN), len), "the flags of an entry");
    }
    said(of(0x2000, &literal(&CUBIN[..9000]), 9000), "program headers at byte");
    said(of(0x2000, &literal(PTX.as_bytes()), PTX.len() as u64), "at byte");
    // The binding of a symbol, for one that there is not: the driver's death (F266).
    let mut damaged = CUBIN.to_vec();
    assert_eq!(damaged[0x67c], 1);
    damaged[0x67c] = 0xec;
    said(of(0x2000, &literal(&damaged), len), "a symbol");
    assert!(matches!(problem(Cubin::new(&damaged)).0, ImageProblem::Damaged { .. }));
    let mut damaged = CUBIN.to_vec();
    damaged[48] |= 1;
    said(of(0x2000, &literal(&damaged), len), "the flags of the file");
}

#[test]
fn a_thousand_damaged_texts_are_errors() {
    fresh!(a_thousand_damaged_texts_are_errors, {
        let (seen, loaded) = load_all(PTX.as_bytes(), |gpu, bytes| {
            gpu.load_ptx(String::from_utf8_lossy(&bytes).into_owned()).map(drop)
        });
        println!("texts: the driver saw {seen}, loaded {loaded}");
        assert!(seen > fewer(500, 0), "{seen}");
    });
}

#[test]
fn whole_images_load() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let ptx = [PTX.as_bytes(), &[0]].concat();
    // Zstandard takes Miri an hour, in a library without `unsafe` code.
    let compressed = [LZ4, ZSTD].into_iter().take(fewer(2, 1));
    let compressed = compressed.flat_map(|both| [both.to_vec(), without_first(both)]);
    let others = [both(), fatbin(&[entry(1, 75, 72, &ptx)])];
    for fatbin in others.into_iter().chain(compressed) {
        gpu.load_fatbin(fatbin).unwrap().function("saxpy").unwrap();
    }
    let machine = gpu.device().compute_capability().unwrap();
    let (cubin, only) =
        (gpu.load_cubin(CUBIN), gpu.load_fatbin(fatbin(&[entry(2, 90, 64, CUBIN)])));
    for loaded in [cubin, only] {
        if !common::software() && machine.0 == 9 {
            let module = loaded.unwrap();
            module.kernel::<(u32, f32, &[f32], &mut [f32])>("saxpy").unwrap();
            assert!(module.kernel::<(u32, f64, &[f32], &mut [f32])>("saxpy").is_err());
        } else {
            // Machine code of another device.
            assert_eq!(loaded.unwrap_err().code().unwrap().0, 209);
        }
    }
}

/// Texts that the driver's compiler dies of, or hangs on (F293).
fn deadly() -> Vec<(&'static str, String)> {
    let with = |before: &str, directives: &str, body: &str| {
        format!(
            ".version 8.0\n.target sm_52\n.address_size 64\n{before}\n\
             .visible .entry k() {directives} {{ {body} ret; }}\n"
        )
    };
    let long = |len| "a".repeat(len);
    let least = "(-9223372036854775807-1)";
    let mut all = vec![
        ("string", with(&format!(".file 1 \"{}\"", long(fewer(16 << 10, 4097))), "", "")),
        ("string", with(&format!(".pragma \"{}\";", long(fewer(256 << 10, 4098))), "", "")),
        ("string", with(&format!("# 1 \"{}\"", long(4097)), "", "")),
        ("string", with("\"unterminated", &long(4097), "")),
        ("name", with(&format!(".global .u32 {};", long((16 << 10) + 1)), "", "")),
        ("number", with(&format!(".global .u32 x = {};", "1".repeat(4097)), "", "")),
        ("division", with(&format!(".global .s64 x = {least}/-1;"), "", "")),
        ("division", with(&format!(".global .s64 x = {least} / /* by */ -1;"), "", "")),
        ("division", with(&format!(".global .s64 x = {least}/(0-1);"), "", "")),
        ("division", with("", "", &format!(".reg .s64 %r; mov.s64 %r, {least}/(.s64)-1;"))),
        ("registers", with("", "", ".reg .b32 %r<4294967295>;")),
        ("registers", with("", "", ".reg.pred%p < 0x100001 >;")),
        ("registers", with("", "", &".reg .b32 %r<1048576>; {".repeat(2))),
        ("list", with(".global .u32 x[] = 1;", "", "")),
        ("list", with("", "", ".local .u32 x [ 0 ] /**/ = -1;")),
        ("function", with("", "", ".reg .u32 %r; .func %r;")),
        ("constant", with("", "", "call (1), f;")),
        ("constant", with("", "", "call.uni(/* */-1), f, (%r);")),
        ("constant", with("", "", "call ((WARP_SZ)), f, (%r);")),
        ("element", with("", "", ".reg .v2 .u32 v; .reg .u32 %r; mov.u32 %r, v.z;")),
        ("element", with("", "", ".reg.v2.f32 v<4>; .reg .f32 %f; st.shared.f32 [0], v1 .b;")),
        ("atomic", with("", "", ".reg .u32 %r; .local .u32 x[4]; atom.add.u32 %r, [x], 1;")),
        (
            "atomic",
            with(
                "",
                "",
                ".reg .u32 %r; .align 8 .local.b32 a, b[2]; @%p atom.exch.b32 %r, [b+4], 1;",
            ),
        ),
        ("extent", with(".global .align 1073741824 .u8 x[8];", "", "")),
        ("extent", with("", ".maxntid 65535,65537", "")),
        ("extent", with("", ".maxntid 0, 4294967295, 1", "")),
        ("extent", with("", ".maxntid 4294967295U", "")),
        ("extent", with("", ".maxntid 0xffffffff", "")),
        ("extent", with("", ".maxntid 037777777777", "")),
        ("extent", with("", ".maxntid/**/99999999999999999999", "")),
    ];
    for directive in
        ["maxntid", "reqntid", "minnctapersm", "maxnctapersm", "maxnreg", "maxclusterrank"]
    {
        all.push(("extent", with("", &format!(".{directive} 4294967295"), "")));
    }
    all.push(("extent", with("", ".reqnctapercluster 1,1,1048577", "")));
    all
}

#[test]
fn texts_that_kill_the_compiler_do_not_reach_it() {
    let refused = |result: Result, what: &str, text: &str| match result.map_err(problem_of) {
        Err((ImageProblem::Refused { what: said, .. }, message)) => {
            assert!(said.contains(what), "{said}: {text:.100}");
            assert!(message.contains("may crash"), "{message}");
        }
        other => panic!("{other:?}: {text:.100}"),
    };
    let texts = deadly();
    for (what, text) in &texts {
        refused(Ptx::new(&**text).map(drop), what, text);
        let ptx = [text.as_bytes(), &[0]].concat();
        refused(Fatbin::new(fatbin(&[entry(1, 75, 72, &ptx)])).map(drop), what, text);
        refused(Fatbin::new(packed_ptx(&ptx)).map(drop), what, text);
    }
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    refused(gpu.load_ptx(&*texts[0].1).map(drop), texts[0].0, &texts[0].1);
    // Values at the limits, or close to them, are the driver's to judge.
    let good = format!(
        ".version 8.0\n.target sm_52 // {0}\n.address_size 64\n/* {0} .maxntid 4294967295 */\n\
         .file 1 \"{1}\"\n.visible .entry {2}() .maxntid 1024, 1, 1 .minnctapersm 1 {{\n\
         .reg .b32 %r<65536>; .loc 1 1 1\nmov.u32 %r1, 5; ret; }}",
        "a/-1 ".repeat(2000),
        "a".repeat(4096),
        "k".repeat(5000)
    );
    gpu.load_ptx(good).unwrap();
    Ptx::new(".version 8.0 .target sm_52 .global .s64 x = 6/2; .global .s64 y = 1 << 20;").unwrap();
    let local = ".version 8.0 .target sm_52 .global .u32 x[] = {1}; .func f() { { ret; } } \
         .func (.reg .u32 r) g() { ret; } .entry k() { call f; call (%r), g; call (), f, (); .local .u32 l; .reg .u32 %r; \
         .reg .v2 .u32 v, %w<2>; .reg .v4 .u32 x; mov.u32 v.x, x.z; mov.u32 %r, %w1.g; mov.u32 %r, %tid.z; \
         ld.local.u32 %r, [l]; atom.add.u32 %r, [%r], 1; red.add.u32 [l], 1; st.local.u32 [l], %r; }";
    Ptx::new(local).unwrap();
}

#[test]
fn characters_outside_of_ascii_are_refused_with_their_line() {
    let head = ".version 8.0\n.target sm_52\n.address_size 64\n";
    for (text, line) in [
        (format!("// é\n{head}"), 1),
        (format!("{head}/* Größe */"), 4),
        (format!("{head}\n.file 1 \"/home/zoë/a.cu\"\n"), 5),
        (format!("{head}.visible .entry k() {{ ret; }}\n// \u{a0}"), 5),
    ] {
        let (found, message) = problem(Ptx::new(&text));
        assert_eq!(found, ImageProblem::NotAscii { line }, "{text}");
        assert!(message.contains(&format!("line {line} has a non-ASCII character")), "{message}");
        // The driver may not need the text of a fatbin.
        let ptx = [text.as_bytes(), &[0]].concat();
        Fatbin::new(fatbin(&[entry(1, 75, 72, &ptx)])).unwrap();
    }
}

/// A fatbin of one PTX that is compressed.
fn packed_ptx(ptx: &[u8]) -> Vec<u8> {
    compressed(0x2000, &literal(ptx), ptx.len() as u64)
}

/// A fatbin of one PTX that is compressed, with what is said of its size.
fn compressed(flag: u64, packed: &[u8], size: u64) -> Vec<u8> {
    fatbin(&[compressed_entry(1, 72, flag, packed, size)])
}

fn problem_of(error: Error) -> (ImageProblem, String) {
    problem::<()>(Err(error))
}

/// A section of a cubin: where its header is, and its type, place and size.
struct Section {
    header: usize,
    ty: u32,
    begin: usize,
    size: usize,
}

fn number(bytes: &[u8], at: usize) -> usize {
    usize::try_from(u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())).unwrap()
}

/// The sections of a cubin, by name.
fn section(cubin: &[u8], wanted: &str) -> Section {
    let (table, count) = (number(cubin, 40), usize::from(cubin[60]));
    let names = number(cubin, table + 64 * usize::from(cubin[62]) + 24);
    let headers = (0..count).map(|i| table + 64 * i);
    let named = |header: &usize| {
        let name = names + (number(cubin, *header) & 0xffff_ffff);
        cubin[name..].starts_with(wanted.as_bytes()) && cubin[name + wanted.len()] == 0
    };
    let header = headers.into_iter().find(named).expect(wanted);
    let ty = (number(cubin, header) >> 32) as u32;
    Section { header, ty, begin: number(cubin, header + 24), size: number(cubin, header + 32) }
}

#[test]
fn machine_code_that_no_compiler_writes_is_refused() {
    let find = |name| section(CUBIN, name);
    let (symbols, info, notes) = (find(".symtab"), find(".nv.info"), find(".note.nv.tkinfo"));
    assert_eq!((symbols.ty, info.ty, notes.ty), (2, 0x7000_0000, 7));
    let (text, own) = (find(".text.saxpy"), find(".nv.info.saxpy"));
    // The second symbol is no name of a section, and so has a type that can be changed.
    let symbol = symbols.begin + 24;
    let refused = |what: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut cubin = CUBIN.to_vec();
        change(&mut cubin);
        assert_ne!(cubin, CUBIN, "{what}");
        let (found, message) = problem(Cubin::new(&cubin));
        assert!(
            matches!(found, ImageProblem::Damaged { .. }) && message.contains(what),
            "{message}"
        );
        let (found, message) = problem(Fatbin::new(fatbin(&[entry(2, 90, 64, &cubin)])));
        assert!(
            matches!(found, ImageProblem::Damaged { .. }) && message.contains(what),
            "{message}"
        );
    };
    let set = |at: usize, value: u8| move |cubin: &mut Vec<u8>| cubin[at] = value;
    // A place of program headers, and none of them.
    refused("the position of the program headers", &set(56, 0));
    refused("an unknown system", &set(7, 3));
    refused("an entry point", &set(24, 1));
    refused("the type of a section", &set(text.header + 4, 8));
    refused("the type of a section", &set(text.header + 8, 2));
    refused("the type of a section", &|cubin: &mut Vec<u8>| {
        cubin[own.header + 4..][..4].copy_from_slice(&1_u32.to_le_bytes());
    });
    // A name that none has.
    refused("the type of a section", &|cubin: &mut Vec<u8>| {
        let name = cubin.windows(9).position(|name| name == b".nv.info\0").unwrap();
        cubin[name + 4] = b'j';
    });
    for index in [0xff00_u16, 0xfff1, 0xfff2, 0xffff] {
        refused("a symbol", &|cubin: &mut Vec<u8>| {
            cubin[symbol + 6..][..2].copy_from_slice(&index.to_le_bytes());
        });
    }
    // Weak surfaces and samplers, another binding, a type of no compiler.
    for info in [0x2b, 0x2c, 0x30, 0x05, 0x14] {
        refused("a symbol", &set(symbol + 4, info));
    }
    refused("a note", &set(notes.begin + 8, 1));
    refused("a note", &|cubin: &mut Vec<u8>| {
        cubin[notes.begin + 8..][..4].copy_from_slice(&1000_u32.to_le_bytes());
    });
    refused("a note", &set(notes.begin + 12, b'X'));
    // The form of an attribute, its kind, and one that no compiler writes in this form.
    for (at, value) in [(0, 5), (0, 0), (1, 0x7e), (1, 0xff), (0, 1)] {
        refused("an attribute", &set(info.begin + at, value));
        refused("an attribute", &set(own.begin + at, value));
    }
    assert!(info.size > 8 && own.size > 8 && text.size > 0);
}

#[test]
fn each_number_of_the_headers_of_a_cubin_is_checked() {
    let (segments, sections) = (number(CUBIN, 32), number(CUBIN, 40));
    // The third of the program headers, and one of a section.
    let (segment, text) = (segments + 2 * 56, section(CUBIN, ".text.saxpy").header);
    let note = section(CUBIN, ".note.nv.tkinfo").begin + 24;
    let huge = u64::MAX / 2;
    /// A place, a number, and its size in bytes.
    type Change = (usize, u64, usize);
    let cases: &[(&str, &[Change])] = &[
        ("the position of the section headers", &[(58, 63, 2)]),
        ("the position of the section headers", &[(40, 8, 8)]),
        ("section headers", &[(40, CUBIN.len() as u64 - 8, 8)]),
        ("section headers", &[(60, 0x7fff, 2)]),
        ("section headers", &[(60, 0, 2), (sections + 32, huge, 8)]),
        ("the first section header", &[(sections + 4, 1, 4)]),
        ("the first section header", &[(sections + 8, 1, 8)]),
        ("the first section header", &[(sections + 32, 1, 8)]),
        ("the first section header", &[(sections + 40, 1, 4)]),
        ("sections", &[(text + 24, huge, 8)]),
        ("sections", &[(text + 32, huge, 8)]),
        ("the table of names", &[(62, 0, 2)]),
        ("the table of names", &[(62, 2000, 2)]),
        ("the position of the program headers", &[(54, 55, 2)]),
        ("the position of the program headers", &[(32, 8, 8)]),
        ("program headers", &[(32, CUBIN.len() as u64 - 8, 8)]),
        ("program headers", &[(56, 0x7fff, 2)]),
        ("segments", &[(segment + 8, huge, 8)]),
        ("segments", &[(segment + 32, huge, 8), (segment + 40, huge, 8)]),
        ("a program header", &[(segment, 2, 4)]),
        ("a program header", &[(segment + 4, 8, 4)]),
        ("a program header", &[(segment + 40, 1, 8)]),
        ("a program header", &[(segment + 48, 3, 8)]),
        // The places of the five strings in a note.
        ("a note", &[(note + 4, 200, 4)]),
        ("a note", &[(note + 8, 200, 4)]),
        ("a note", &[(note + 12, 200, 4)]),
        ("a note", &[(note + 16, 200, 4)]),
        ("a note", &[(note + 20, 200, 4)]),
    ];
    for (what, changes) in cases {
        let mut cubin = CUBIN.to_vec();
        for &(at, value, bytes) in *changes {
            cubin[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
        }
        let (_, message) = problem(Cubin::new(&cubin));
        assert!(message.contains(what), "{what}, {changes:?}: {message}");
    }
}

#[test]
fn sections_share_no_bytes() {
    let (text, own) = (section(CUBIN, ".text.saxpy"), section(CUBIN, ".nv.info.saxpy"));
    let other = section(CUBIN, ".nv.info.count");
    for (begin, size) in
        [(other.begin, other.size), (text.begin, 4), (own.begin + own.size - 4, 8), (0, 64)]
    {
        let mut cubin = CUBIN.to_vec();
        cubin[own.header + 24..][..8].copy_from_slice(&(begin as u64).to_le_bytes());
        cubin[own.header + 32..][..8].copy_from_slice(&(size as u64).to_le_bytes());
        let (_, message) = problem(Cubin::new(&cubin));
        assert!(message.contains("shares its bytes with another"), "{message}");
    }
}

/// A cubin of so many sections of attributes, which all have the same bytes, as many.
#[cfg(unix)]
fn shared_sections(count: usize) -> Vec<u8> {
    const NAMES: &[u8] = b"\0.shstrtab\0.nv.info.k\0\0\0";
    let (names, shared) = (64, 64 + NAMES.len());
    let table = (shared + 4 * count).next_multiple_of(8);
    let mut cubin = CUBIN[..64].to_vec();
    cubin[16..20].copy_from_slice(&[1, 0, 190, 0]);
    cubin[32..40].fill(0);
    cubin[40..48].copy_from_slice(&(table as u64).to_le_bytes());
    cubin[56..58].fill(0);
    cubin[60..64].copy_from_slice(&[(count + 2) as u8, ((count + 2) >> 8) as u8, 1, 0]);
    cubin.extend(NAMES);
    cubin.extend([1, 4, 0, 0].repeat(count));
    cubin.resize(table + 64, 0);
    let mut section = |name: u32, ty: u32, place: usize, size: usize| {
        cubin.extend([name, ty].into_iter().flat_map(u32::to_le_bytes));
        cubin.extend([0, 0, place as u64, size as u64].into_iter().flat_map(u64::to_le_bytes));
        cubin.extend([0, 1, 0].into_iter().flat_map(u64::to_le_bytes));
    };
    section(1, 3, names, NAMES.len());
    (0..count).for_each(|_| section(11, 0x7000_0000, shared, 4 * count));
    cubin
}

/// The least time of a few runs on this thread's clock, which other threads do not move.
#[cfg(unix)]
fn time(run: impl Fn()) -> u128 {
    let now = || {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: writes one time to `time`, which is valid for it.
        assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
        u128::from(time.tv_sec.unsigned_abs()) * 1_000_000_000
            + u128::from(time.tv_nsec.unsigned_abs())
    };
    let once = |_| {
        let begin = now();
        run();
        now() - begin
    };
    (0..4).map(once).min().unwrap()
}

#[cfg(unix)] // Windows counts the time of a thread in steps of 15 ms
#[test]
fn time_grows_with_the_size_and_no_faster() {
    skip_under_miri!("it compares times, of texts too long for Miri");
    let text = |part: &str, count: usize| {
        let text = format!(".version 8.0\n{}", part.repeat(count));
        _ = Ptx::new(&*text);
        _ = Fatbin::new(fatbin(&[entry(1, 75, 72, &[text.as_bytes(), &[0]].concat())]));
    };
    let cubin = |count: usize| _ = Cubin::new(shared_sections(count));
    let parts = [".entry ", ".entry k(", "/*", "*/ /", "\"", "//\n", "<1>", ".maxntid 1, ", "a "];
    let parts = parts.map(|part| -> (String, Box<dyn Fn(usize)>) {
        (part.to_owned(), Box::new(move |count| text(part, 8 * count)))
    });
    let shared: (String, Box<dyn Fn(usize)>) = ("shared sections".to_owned(), Box::new(cubin));
    for (what, run) in parts.into_iter().chain([shared]) {
        let (few, many) = (time(|| run(1000)), time(|| run(8000)));
        // 8 times as much; 64 times as much where each part is compared with each.
        assert!(
            many < 24 * few + 5_000_000,
            "{what}: {few} ns, and for 8 times the size {many} ns"
        );
    }
}

#[test]
fn compressed_code_is_not_unpacked_to_more_than_its_size_explains() {
    skip_under_miri!("it unpacks tens of MiB, by a library without `unsafe` code");
    // A comment: blocks that repeat a byte, 4 bytes for 128 KiB each.
    let comment = |blocks: u64| {
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xe0];
        frame.extend((blocks << 17).to_le_bytes());
        for i in 1..=blocks {
            let last = u32::from(i == blocks);
            frame.extend(&((128_u32 << 10) << 3 | 0b010 | last).to_le_bytes()[..3]);
            frame.push(if i == blocks { 0 } else { b'/' });
        }
        compressed(0x8000, &frame, blocks << 17)
    };
    Fatbin::new(comment(320)).unwrap();
    // Two of 40 MiB share the room, whatever each has; 256 KiB for 8 GiB; the same said of zeros.
    let twice = fatbin(&vec![comment(320)[16..].to_vec(); 2]);
    let zeros = [0x8000, 0x2000].map(|flag| compressed(flag, &vec![0; 256 << 10], 8 << 30));
    for bytes in [twice, comment(1 << 16)].into_iter().chain(zeros) {
        let (found, message) = problem(Fatbin::new(bytes));
        assert!(matches!(found, ImageProblem::Refused { .. }), "{message}");
        assert!(message.contains("more than 256 times the size"), "{message}");
    }
}

/// Returns the changes of each word of an image.
fn changes(word: u32) -> impl Iterator<Item = u32> {
    let near = [0, !0, 1, word.wrapping_add(1), word.wrapping_sub(1), word << 1, word >> 1];
    let bits = [3, 7, 8, 15, 16, 24, 31].map(|bit| word ^ (1 << bit));
    near.into_iter().chain(bits).filter(move |&other| other != word)
}

/// How often each word, or one of some, changed so, gets each verdict, and a digest of the words and the places in the
/// messages.
fn verdicts(
    (whole, step): (&[u8], usize),
    judge: impl Fn(&[u8]) -> Result<()>,
) -> BTreeMap<String, (u32, u32)> {
    let mut found = BTreeMap::<String, (u32, u32)>::new();
    let mut bytes = whole.to_vec();
    for at in (0..whole.len() - 3).step_by(step) {
        let word: [u8; 4] = whole[at..at + 4].try_into().unwrap();
        for other in changes(u32::from_le_bytes(word)) {
            bytes[at..at + 4].copy_from_slice(&other.to_le_bytes());
            let (verdict, place) = match judge(&bytes) {
                Ok(()) => ("accepted".into(), 0),
                Err(Error::Image(error)) => match error.problem() {
                    ImageProblem::Damaged { what, at } | ImageProblem::Refused { what, at } => {
                        ((*what).to_owned(), *at)
                    }
                    ImageProblem::Truncated { part, end, .. } => {
                        (format!("{part} behind the end"), *end as usize)
                    }
                    other => (format!("{other:?}"), 0),
                },
                Err(other) => panic!("no error of an image: {other}"),
            };
            let (count, digest) = found.entry(verdict).or_default();
            *count += 1;
            for number in [at, other as usize, place] {
                for byte in (number as u64).to_le_bytes() {
                    *digest = (*digest ^ u32::from(byte)).wrapping_mul(0x0100_0193);
                }
            }
        }
        bytes[at..at + 4].copy_from_slice(&word);
    }
    found
}

/// A check that is lost, or looks at another place, changes its line in the file. `UPDATE_VERDICTS=1` writes the file anew.
#[test]
fn each_changed_word_of_an_image_gets_the_verdict_that_it_had() {
    skip_under_miri!("takes minutes there");
    const PAGE: &str = "tests/code/verdicts.txt";
    const THRICE: &[u8] = include_bytes!("../code/thrice.cubin");
    let short = fatbin(&[entry(2, 90, 64, THRICE), entry(1, 75, 72, b".version 7.0\n\0")]);
    let cubin = |bytes: &[u8]| Cubin::new(bytes).map(drop);
    let container = |bytes: &[u8]| Fatbin::new(bytes).map(drop);
    let mut text = String::new();
    for (name, all) in [
        ("signatures.cubin", verdicts((CUBIN, 4), cubin)),
        ("thrice.cubin", verdicts((THRICE, 4), cubin)),
        ("a fatbin", verdicts((&short, 4), container)),
        ("signatures.lz4.fatbin", verdicts((LZ4, 20), container)),
        ("signatures.zstd.fatbin", verdicts((ZSTD, 20), container)),
    ] {
        for (verdict, (count, digest)) in all {
            text += &format!("{name}: {verdict}: {count} {digest:08x}\n");
        }
    }
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(PAGE);
    if std::env::var_os("UPDATE_VERDICTS").is_some() {
        std::fs::write(&page, &text).unwrap();
    }
    let before = std::fs::read_to_string(&page).unwrap();
    let lines: Vec<_> = before.lines().filter(|line| !text.contains(line)).collect();
    assert!(text == before, "no more so: {lines:#?}");
}
