//! The names of the functions that the crate links, read from its sources.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Every linked function in the Rust files of `folder`, in the order of the files' names.
pub(crate) fn functions(folder: &Path) -> io::Result<Vec<String>> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    files.sort();
    let mut names = Vec::new();
    for file in files {
        names.extend(in_source(&fs::read_to_string(file)?));
    }
    Ok(names)
}

/// The names in lines like `4000 fn cuName(`, as the lists of the crate have them; not those of the
/// lists whose functions are looked up at run time, `…_newer_functions`.
pub(crate) fn in_source(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut linked = false;
    for line in source.lines().map(str::trim_start) {
        if let Some(list) = line.strip_prefix("macro_rules! ") {
            linked = !list.contains("_newer_functions");
        } else if linked {
            names.extend(in_line(line).map(str::to_owned));
        }
    }
    names
}

fn in_line(line: &str) -> Option<&str> {
    let (since, declaration) = line.split_once(" fn ")?;
    let (name, _) = declaration.split_once('(')?;
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (since.parse::<u32>().is_ok() && plain && name.starts_with("cu")).then_some(name)
}
