//! Tells the crate which driver it is built for, and the linker where libcuda is.
//!
//! Where no libcuda is found, a stub is written and linked in its place: a build never fails for
//! want of a driver. A variable that names a folder without libcuda is an error.

mod choice;
mod declared;
mod elfstub;
mod exports;
mod shared;
mod target;

use choice::Driver;
use shared::cargo::{self, failure, make_link};
use shared::search::{self, Machine};
use std::path::{Path, PathBuf};
use std::{env, fs};
use target::{Cfg, Platform, Target};

/// The name that the linker is given, in `OUT_DIR`: a link to the libcuda that was found, or the stub.
///
/// The folder of a libcuda that was found is not put on the linker's path: if it is one of the
/// system's, its libraries would stand before those that other crates name.
///
/// Never `cuda`: cargo puts `OUT_DIR` on the library path of what it runs, where a file of that name
/// would stand before the driver. And never one name for both, or a later build might write the
/// stub through the link.
const LINK: &str = "cuscope_cuda";
const STUB: &str = "cuscope_cuda_stub";

/// The file that a linked program asks the loader for.
const SONAME: &str = "libcuda.so.1";

fn main() {
    if let Err(message) = run() {
        cargo::fail(&message);
    }
}

fn run() -> Result<(), String> {
    declare_inputs();
    println!("cargo::rustc-check-cfg=cfg(cuda_driver, values(\"native\", \"software\"))");

    let documentation = env::var_os("DOCS_RS").is_some();
    let cross = cargo::variable("HOST")? != cargo::variable("TARGET")?;
    let driver = if documentation {
        Driver::Native
    } else {
        let feature = env::var_os("CARGO_FEATURE_SOFTWARE").is_some();
        let variable = env::var_os("CUSCOPE_DRIVER");
        let variable = variable.as_ref().map(|value| value.to_string_lossy());
        let release = cargo::variable("PROFILE")? == "release";
        let (driver, warning) =
            choice::choose(feature, variable.as_deref(), cross, release, choice::driver_works)?;
        if let Some(warning) = warning {
            println!("cargo::warning={warning}");
        }
        driver
    };
    println!("cargo::rustc-cfg=cuda_driver=\"{}\"", driver.name());
    println!("cargo::metadata=driver={}", driver.name());
    match driver {
        Driver::Native if env::var_os("CARGO_FEATURE_LOAD").is_some() => Ok(()),
        Driver::Native => link(cross, documentation),
        Driver::Software => Ok(()),
    }
}

/// Tells cargo what a build depends on. Never a path that does not exist: cargo would take every
/// build for outdated.
fn declare_inputs() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=src");
    // Changes with the libraries installed.
    if Path::new(search::LOADER_CACHE).exists() {
        println!("cargo::rerun-if-changed={}", search::LOADER_CACHE);
    }
    let asked = ["DOCS_RS", "CUSCOPE_DRIVER", "LD_LIBRARY_PATH"];
    let searched = [search::LIBRARY_VARIABLE, search::COMPILER_VARIABLE, search::CONDA_VARIABLE];
    for variable in asked.into_iter().chain(searched).chain(search::ROOT_VARIABLES) {
        println!("cargo::rerun-if-env-changed={variable}");
    }
}

/// Links libcuda if it is found and exports what the crate declares; else a stub. For documentation,
/// nothing is looked for, and any target will do.
fn link(cross: bool, documentation: bool) -> Result<(), String> {
    let os = cargo::variable("CARGO_CFG_TARGET_OS")?;
    let [libc, features, flags] =
        ["CARGO_CFG_TARGET_ENV", "CARGO_CFG_TARGET_FEATURE", "CARGO_ENCODED_RUSTFLAGS"]
            .map(|name| env::var(name).unwrap_or_default());
    target::can_link(&os, &libc, &features, &flags)?;
    let cfg = Cfg {
        os: &os,
        arch: &cargo::variable("CARGO_CFG_TARGET_ARCH")?,
        pointer_width: &cargo::variable("CARGO_CFG_TARGET_POINTER_WIDTH")?,
        endian: &cargo::variable("CARGO_CFG_TARGET_ENDIAN")?,
    };
    let target = match Platform::new(cfg, cross) {
        Ok(Platform::Linux(target)) => target,
        Ok(Platform::Windows) => return Ok(()),
        Err(_) if documentation => return Ok(()),
        Err(unsupported) => return Err(unsupported.to_string()),
    };
    let source = Path::new("src");
    let names = declared::functions(source).map_err(|error| failure(source, error))?;
    let folder = PathBuf::from(cargo::variable("OUT_DIR")?);

    let found = if documentation { None } else { suitable(target, &names)? };
    let library = if let Some(driver) = found {
        let file = folder.join(format!("lib{LINK}.so"));
        make_link(&driver, &file)?;
        LINK
    } else {
        let file = folder.join(format!("lib{STUB}.so"));
        let stub = elfstub::stub(target.arch.machine(), SONAME, &names);
        fs::write(&file, stub).map_err(|error| failure(&file, error))?;
        STUB
    };
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=dylib={library}");
    Ok(())
}

/// The libcuda that is found, if it can be linked; else a warning says why not.
fn suitable(target: Target, names: &[String]) -> Result<Option<PathBuf>, String> {
    let machine = Machine {
        variable: &|name| env::var_os(name),
        exists: &Path::exists,
        names: &|folder| cargo::names_in(folder).unwrap_or_default(),
        loader_cache: &fs::read(search::LOADER_CACHE).unwrap_or_default(),
    };
    let found = search::search(&machine, target.arch.name(), target.cross);
    let Some(file) = found.map_err(|error| error.to_string())? else { return Ok(None) };
    let Some(path) = file.to_str() else {
        return Err(format!("{}: the path is not UTF-8", file.display()));
    };
    println!("cargo::rerun-if-changed={path}");
    let checked = match fs::read(&file) {
        Ok(data) => exports::check(&data, target.arch.machine(), SONAME, names)
            .map_err(|unsuitable| unsuitable.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match checked {
        Ok(()) => Ok(Some(file)),
        Err(why) => {
            println!("cargo::warning={path}: {why}; a stub is linked instead");
            Ok(None)
        }
    }
}
