//! The variables that a build script reads from cargo, the lines that it prints for it, and the files for the linker.

use std::path::Path;
use std::{env, fs, io, process};

/// Ends a build that failed, with the lines of its message as errors.
pub(crate) fn fail(message: &str) -> ! {
    for line in message.lines() {
        println!("cargo::error={line}");
    }
    process::exit(1);
}

/// A variable that cargo sets for every build script.
pub(crate) fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|error| format!("{name}: {error}; cargo sets it for build scripts"))
}

/// Makes `link` a link to `file`, in place of one that an earlier build made.
pub(crate) fn make_link(file: &Path, link: &Path) -> Result<(), String> {
    link_to(file, link).map_err(|error| failure(link, error))
}

#[cfg(unix)]
fn link_to(file: &Path, link: &Path) -> io::Result<()> {
    if link.symlink_metadata().is_ok() {
        fs::remove_file(link)?;
    }
    std::os::unix::fs::symlink(file, link)
}

/// Where links need a privilege, a copy does.
#[cfg(not(unix))]
fn link_to(file: &Path, link: &Path) -> io::Result<()> {
    fs::copy(file, link).map(|_| ())
}

/// The names in a folder; none if it cannot be read.
pub(crate) fn names_in(folder: &Path) -> Option<Vec<String>> {
    let entries = fs::read_dir(folder).ok()?;
    Some(entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect())
}

/// The message for a file that could not be used.
pub(crate) fn failure(path: &Path, error: io::Error) -> String {
    format!("{}: {error}", path.display())
}
