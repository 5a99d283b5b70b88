//! Tells the linker where libnvrtc is, with the feature `link`; without it there is nothing to do.
//!
//! Unlike libcuda, libnvrtc has its version in the name that a program asks the loader for. So it is
//! the library found here that a program runs with, and without one there is nothing to link.

mod declared;
mod exports;
mod search;
mod shared;
mod target;

use shared::cargo::{self, failure, make_link, names_in};
use std::path::{Path, PathBuf};
use std::{env, fs, io};
use target::Arch;

/// The name that the linker is given, in `OUT_DIR`: a link to the libnvrtc that was found. The folder of the
/// library is not put on the linker's path: if it is one of the system's, its libraries would stand
/// before those that other crates name.
const LINK: &str = "cuscope_nvrtc";

fn main() {
    if let Err(message) = run() {
        cargo::fail(&message);
    }
}

fn run() -> Result<(), String> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src/functions.rs");
    for variable in ["DOCS_RS", search::LIBRARY_VARIABLE, search::CONDA_VARIABLE]
        .into_iter()
        .chain(search::ROOT_VARIABLES)
    {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    if env::var_os("CARGO_FEATURE_LINK").is_none() {
        return Ok(());
    }
    if env::var_os("DOCS_RS").is_some() {
        println!("cargo::rustc-env=CUSCOPE_NVRTC_SONAME=libnvrtc.so");
        return Ok(());
    }
    link()
}

/// Links the libnvrtc that is found, if it is for the target and exports what the crate declares.
fn link() -> Result<(), String> {
    let arch = Arch::new(
        &cargo::variable("CARGO_CFG_TARGET_OS")?,
        &cargo::variable("CARGO_CFG_TARGET_ARCH")?,
    )?;
    let cross = cargo::variable("HOST")? != cargo::variable("TARGET")?;
    let found = search::search(&|name| env::var_os(name), arch, cross, &names_in)
        .map_err(|not_found| not_found.to_string())?;
    // the file itself: the libraries that it opens are beside it
    let file = found.canonicalize().map_err(|error| failure(&found, error))?;
    println!("cargo::rerun-if-changed={}", file.display());

    let source = Path::new("src/functions.rs");
    let names = fs::read_to_string(source).map_err(|error| failure(source, error))?;
    let names = declared::functions(&names);
    let data = fs::read(&file).map_err(|error| failure(&file, error))?;
    let soname = exports::check(&data, arch.machine(), &names).map_err(|unsuitable| {
        format!(
            "{}: {unsuitable}\nset {} to the folder of another libnvrtc",
            found.display(),
            search::LIBRARY_VARIABLE
        )
    })?;

    let folder = PathBuf::from(cargo::variable("OUT_DIR")?);
    clear(&folder).map_err(|error| failure(&folder, error))?;
    make_link(&file, &folder.join(format!("lib{LINK}.so")))?;
    // cargo puts `OUT_DIR` on the library path of what it runs: there the loader finds the library
    // under the name that the program asks for, and NVRTC its own
    make_link(&file, &folder.join(&soname))?;
    let beside = file.parent().unwrap_or(Path::new("/"));
    for name in names_in(beside).unwrap_or_default() {
        if name.starts_with("libnvrtc-builtins.so.") {
            make_link(&beside.join(&name), &folder.join(&name))?;
        }
    }
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=dylib={LINK}");
    println!("cargo::rustc-env=CUSCOPE_NVRTC_SONAME={soname}");
    println!("cargo::metadata=folder={}", beside.display());
    println!("cargo::metadata=soname={soname}");
    Ok(())
}

/// Removes what an earlier build made.
fn clear(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        fs::remove_file(entry?.path())?;
    }
    Ok(())
}
