//! The names of the functions that the crate links, read from its sources.

use crate::shared::declared::in_lists;
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
    let mut names = in_lists(source, |list| !list.contains("_newer_functions"));
    names.retain(|name| is_function(name));
    names
}

/// Whether a name is one of the driver's.
fn is_function(name: &str) -> bool {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    plain && name.starts_with("cu")
}
