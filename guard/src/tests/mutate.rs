//! The kernels of the repository, with changes.

use std::path::{Path, PathBuf};

use super::world::{Argument, Random, address_of};
use cuscope_ptx::Module;

/// The PTX of the repository, and of `CUSCOPE_KERNELS` if that is set.
pub(crate) fn seeds() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<PathBuf> =
        ["softdriver/tests/kernels", "examples/kernels", "benches/software", "tests/code"]
            .iter()
            .map(|folder| root.join(folder))
            .collect();
    if let Some(kernels) = std::env::var_os("CUSCOPE_KERNELS") {
        folders.push(Path::new(&kernels).join("compute_75"));
        folders.push(Path::new(&kernels).join("compute_90"));
    }
    let mut files: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "ptx"))
        .collect();
    files.sort();
    assert!(files.len() >= 15, "the repository has kernels: {files:?}");
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

/// A text with a few changes of lines, words and numbers.
pub(crate) fn changed(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..random.below(5) {
        let count = lines.len() as u64;
        let (a, b) = (random.below(count) as usize, random.below(count) as usize);
        match random.below(8) {
            0 => drop(lines.remove(a)),
            1 => {
                let line = lines[a].clone();
                lines.insert(b, line);
            }
            2 => lines.swap(a, b),
            3..6 => {
                let (from, mut to) = (words(&lines[b]), words(&lines[a]));
                if !from.is_empty() && !to.is_empty() {
                    let at = random.below(to.len() as u64) as usize;
                    to[at] = from[random.below(from.len() as u64) as usize].clone();
                    lines[a] = to.join(" ");
                }
            }
            _ => {
                let digits: Vec<usize> = lines[a]
                    .char_indices()
                    .filter(|one| one.1.is_ascii_digit())
                    .map(|one| one.0)
                    .collect();
                if !digits.is_empty() {
                    let at = digits[random.below(digits.len() as u64) as usize];
                    let number = random.below(40);
                    lines[a] = format!("{}{number}{}", &lines[a][..at], &lines[a][at + 1..]);
                }
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Arguments for a kernel of any parameters.
pub(crate) fn arguments(text: &str, kernel: &str, random: &mut Random) -> Option<Vec<Argument>> {
    let module = Module::parse(text).ok()?;
    let kernel = module.kernels.iter().find(|one| one.name == kernel)?;
    let arguments = kernel.params.iter().map(|param| match param.size {
        8 if !random.once_in(8) => {
            let bytes = random.below(5) * 160 + random.below(3) * 4;
            let mut memory: Vec<u8> =
                (0..bytes / 4).flat_map(|_| (random.below(16) as u32).to_le_bytes()).collect();
            if random.once_in(4) && memory.len() >= 8 {
                memory[..8].copy_from_slice(&address_of(random.below(4) as u8));
            }
            let skew = if random.once_in(8) { 4 } else { 0 };
            Argument::Memory { bytes: memory, writes: !random.once_in(4), skew }
        }
        4 => Argument::Number((random.below(70) as u32).to_le_bytes().to_vec()),
        size => Argument::Number(
            (0..size).map(|at| if at % 4 == 0 { random.below(9) as u8 } else { 0 }).collect(),
        ),
    });
    Some(arguments.collect())
}
