//! Images that are none, or are damaged, are errors: no driver is handed what it may crash on.

mod common;

use cuscope::{
    Context, ContextFlags, ContextStack, Cubin, Device, Error, Fatbin, ImageKind, ImageProblem,
    Ptx, Result,
};

const PTX: &str = include_str!("code/signatures.ptx");
const CUBIN: &[u8] = include_bytes!("code/signatures.cubin");
/// Both, compressed.
const LZ4: &[u8] = include_bytes!("code/signatures.lz4.fatbin");
const ZSTD: &[u8] = include_bytes!("code/signatures.zstd.fatbin");

/// An entry of a fatbin: 1 is PTX, 2 a cubin.
fn entry(kind: u16, arch: u32, code: &[u8]) -> Vec<u8> {
    let padded = code.len().next_multiple_of(8);
    let (header, options) = if kind == 1 { (72, 64) } else { (64, 0) };
    let mut entry = Vec::new();
    entry.extend(kind.to_le_bytes());
    entry.extend(0x101_u16.to_le_bytes());
    entry.extend(u32::to_le_bytes(header));
    entry.extend((padded as u64).to_le_bytes());
    // Not compressed; options of the compiler; a version; the architecture; no name.
    entry.extend([0, options, 0x0001_0007, arch, 0, 0].into_iter().flat_map(u32::to_le_bytes));
    entry.extend([0x11, 0, 0].into_iter().flat_map(u64::to_le_bytes));
    entry.resize(header as usize, 0);
    entry.extend(code);
    entry.resize(header as usize + padded, 0);
    entry
}

fn fatbin(entries: &[Vec<u8>]) -> Vec<u8> {
    let size: usize = entries.iter().map(Vec::len).sum();
    let mut fatbin = Vec::from(0xba55_ed50_u32.to_le_bytes());
    fatbin.extend([1_u16, 16].into_iter().flat_map(u16::to_le_bytes));
    fatbin.extend((size as u64).to_le_bytes());
    fatbin.extend(entries.iter().flatten());
    fatbin
}

fn both() -> Vec<u8> {
    let ptx = [PTX.as_bytes(), &[0]].concat();
    fatbin(&[entry(2, 90, CUBIN), entry(1, 75, &ptx)])
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

/// What is wrong with an image, and its message.
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
    assert!(text.contains("PTX text: make `Ptx`"), "{text}");
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
    let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    assert!(matches!(problem(Cubin::new(own)).0, ImageProblem::OtherMachine(_)));
}

#[test]
fn images_are_read_from_files() {
    let folder = std::env::temp_dir().join(format!("cuscope-images-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
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
    for len in 0..CUBIN.len() {
        assert!(Cubin::new(&CUBIN[..len]).is_err(), "{len} bytes");
    }
    for whole in [&*whole, LZ4, ZSTD] {
        for len in 0..whole.len() {
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
    numbers().take(1000).enumerate().map(move |(i, number)| {
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
    let context = Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
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
        assert!(seen > 100, "code, which nothing checks, may be damaged: {seen}");
    });
}

#[test]
fn a_thousand_damaged_fatbins_are_errors() {
    fresh!(a_thousand_damaged_fatbins_are_errors, {
        let (seen, loaded) = load_all(&both(), |gpu, bytes| gpu.load_fatbin(bytes).map(drop));
        println!("fatbins: the driver saw {seen}, loaded {loaded}");
        assert!(seen > 100, "code, which nothing checks, may be damaged: {seen}");
    });
}

#[test]
fn a_thousand_damaged_fatbins_with_compressed_code_are_errors() {
    fresh!(a_thousand_damaged_fatbins_with_compressed_code_are_errors, {
        for (whole, how) in [(LZ4, "LZ4"), (ZSTD, "Zstandard")] {
            for whole in [whole, &without_first(whole)] {
                let (seen, loaded) = load_all(whole, |gpu, bytes| gpu.load_fatbin(bytes).map(drop));
                println!("fatbins with {how}: the driver saw {seen}, loaded {loaded}");
                assert!(seen > 100, "{seen}");
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
    // As one long literal, which is LZ4 as well.
    let literal = |code: &[u8]| {
        let mut packed = vec![0xf0];
        packed.extend(vec![255; (code.len() - 15) / 255]);
        packed.push(((code.len() - 15) % 255) as u8);
        packed.extend(code);
        packed
    };
    let len = CUBIN.len() as u64;
    assert!(Fatbin::new(of(0x2000, &literal(CUBIN), len)).is_ok());
    let said = |bytes: Vec<u8>, what: &str| {
        let (found, text) = problem(Fatbin::new(bytes));
        assert!(matches!(found, ImageProblem::Damaged { .. }) && text.contains(what), "{text}");
    };
    said(of(0x2000, &literal(CUBIN), len - 1), "compressed code at byte");
    said(of(0x2000, &literal(CUBIN), 1 << 60), "compressed code at byte");
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
        assert!(seen > 500, "{seen}");
    });
}

#[test]
fn what_is_whole_loads() {
    let context = Context::create(Device::get(0).unwrap(), ContextFlags::default()).unwrap();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let ptx = [PTX.as_bytes(), &[0]].concat();
    let compressed = [LZ4, ZSTD].map(|both| [both.to_vec(), without_first(both)]);
    let others = [both(), fatbin(&[entry(1, 75, &ptx)])];
    for fatbin in others.into_iter().chain(compressed.into_iter().flatten()) {
        gpu.load_fatbin(fatbin).unwrap().function("saxpy").unwrap();
    }
    let machine = gpu.device().compute_capability().unwrap();
    let (cubin, only) = (gpu.load_cubin(CUBIN), gpu.load_fatbin(fatbin(&[entry(2, 90, CUBIN)])));
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
