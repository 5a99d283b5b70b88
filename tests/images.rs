//! Images that are none, or are damaged, are errors: no driver is handed what it may crash on.

mod common;

use cuscope::{
    Context, ContextFlags, ContextStack, Cubin, Device, Error, Fatbin, ImageKind, ImageProblem,
    Ptx, Result,
};

const PTX: &str = include_str!("code/signatures.ptx");
const CUBIN: &[u8] = include_bytes!("code/signatures.cubin");

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
    for len in 0..whole.len() {
        assert!(Fatbin::new(&whole[..len]).is_err(), "{len} bytes");
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
    for fatbin in [both(), fatbin(&[entry(1, 75, &ptx)])] {
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
