//! The names of the functions that the crate declares, read from its sources.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Every declared function in the Rust files of `folder`, in the order of the files' names.
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

/// The names in lines that begin with `fn cuName(`, as the lists of the crate do.
pub(crate) fn in_source(source: &str) -> Vec<String> {
    let name = |line: &str| {
        let (name, _) = line.trim_start().strip_prefix("fn ")?.split_once('(')?;
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        (plain && name.starts_with("cu")).then(|| name.to_owned())
    };
    source.lines().filter_map(name).collect()
}
