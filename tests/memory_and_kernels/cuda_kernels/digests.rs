//! Digests of the results of an H200.

use super::ARCHITECTURES;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;

/// A kernel and the digest of its results a line; where an architecture differs, a line for each.
const DIGESTS: &str = include_str!("digests.txt");

/// FNV-1a over the bytes.
pub(crate) fn digest(words: &[u32]) -> u64 {
    bytemuck::cast_slice::<u32, u8>(words)
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// The digest that is in the file.
pub(crate) fn recorded(kernel: &str, architecture: &str) -> Option<u64> {
    DIGESTS.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let digest = match *words {
            [name, digest] if name == kernel => digest,
            [name, of, digest] if name == kernel && of == architecture => digest,
            _ => return None,
        };
        Some(u64::from_str_radix(digest, 16).expect("a digest is a hexadecimal number"))
    })
}

/// The file that is to be written instead of comparing.
pub(crate) fn record_to() -> Option<String> {
    std::env::var("CUSCOPE_KERNELS_RECORD").ok().filter(|path| !path.is_empty())
}

/// Writes what was measured so far to the file.
pub(crate) fn record(path: &str, kernel: &'static str, architecture: &'static str, digest: u64) {
    static MEASURED: Mutex<BTreeMap<&str, BTreeMap<&str, u64>>> = Mutex::new(BTreeMap::new());
    let mut measured = MEASURED.lock().unwrap();
    measured.entry(kernel).or_default().insert(architecture, digest);
    let mut text = String::from(HEAD);
    for (kernel, digests) in &*measured {
        let first = digests.values().next().unwrap();
        if digests.len() == ARCHITECTURES.len() && digests.values().all(|digest| digest == first) {
            writeln!(text, "{kernel} {first:016x}").unwrap();
        } else {
            for (architecture, digest) in digests {
                writeln!(text, "{kernel} {architecture} {digest:016x}").unwrap();
            }
        }
    }
    std::fs::write(path, text).unwrap();
}

const HEAD: &str = "\
# What the kernels beside this file computed on an NVIDIA H200, driver 580.159.04: FNV-1a over the results.
# Rewritten on a GPU with CUSCOPE_KERNELS_RECORD=<this file> and --test-threads=1.
";
