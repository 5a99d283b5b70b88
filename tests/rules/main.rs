//! Rules that the sources and the documents keep to. No test calls the driver.

#[path = "../common/mod.rs"]
mod common;
mod aliases;
mod entries;
mod examples;
mod house;
mod manual;
mod mended;
mod package;
mod resources;
mod tools;
mod ui;
mod unsafe_blocks;

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository: the tests run in the folder of their package.
const ROOT: &str = "..";

/// Returns the text of a file, named from the root of the repository.
fn read(path: impl AsRef<Path>) -> String {
    let path = Path::new(ROOT).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files in a folder, and in the folders in it, that end in `.extension`.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![PathBuf::from(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(Path::new(ROOT).join(&folder)).unwrap().map(Result::unwrap) {
            let name = entry.file_name();
            // With the slash that the sources and documents have on all systems.
            let path = PathBuf::from(format!("{}/{}", folder.display(), name.display()));
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|its| its == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
