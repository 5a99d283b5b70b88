//! Finds libcuda: this file says where a build looks for it, and in which order.
//!
//! | | place | without libcuda there |
//! |---|---|---|
//! | 1 | the folders in `CUDA_LIBRARY_PATH` | the build fails, and names the variable |
//! | 2 | the toolkit that `CUDA_PATH`, `CUDA_HOME`, `CUDA_ROOT` or `CUDA_TOOLKIT_ROOT_DIR` names; the first that is set counts | the build fails likewise |
//! | 3 | the folders in `LIBRARY_PATH`, which the C compiler looks in too | the search goes on |
//! | 4 | the toolkit in conda's environment, `CONDA_PREFIX` | the search goes on |
//! | 5 | the toolkits `/usr/local/cuda`, `/opt/cuda`, and those with a version, such as `/usr/local/cuda-12.4`, newest first | the search goes on |
//! | 6 | what the loader's cache, `/etc/ld.so.cache`, has | the search goes on |
//! | 7 | the system's folders, as `SYSTEM` and `below_multiarch` list them | a stub is linked |
//!
//! A toolkit has libcuda, or a stub of it to link with, in the folders that `toolkit` lists. A build for another machine
//! looks in 1 to 5 only, and in toolkits that no variable names only in folders that have the target's name.
//!
//! The library is linked where its functions are declared, in `cuscope-sys`. The build script of that package,
//! `ffi/build/main.rs`, has this file as its module `shared::search`. It checks the file that is found: it must be a
//! shared library for the target, by the name `libcuda.so.1`, with every function. If it is not, or there is none, it
//! writes a stub and links that, so that a build succeeds without a driver. On Windows nothing is looked for: the
//! declarations name `nvcuda.dll`. For this package there is nothing left to link, so `main` only hands on the driver.
//! `cuscope-nvrtc-sys` has the toolkits from here too.
#![allow(
    dead_code,
    reason = "other build scripts have this file as a module and use the rest of it"
)]

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// Hands on which driver `cuscope-sys` is linked with, as `cfg(cuda_driver)` for `src/`, tests and examples.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(cuda_driver, values(\"native\", \"software\"))");
    match env::var("DEP_CUSCOPE_CUDA_DRIVER") {
        Ok(driver) => println!("cargo::rustc-cfg=cuda_driver=\"{driver}\""),
        Err(_) => println!("cargo::error=cuscope-sys did not say which driver it is linked with"),
    }
}

/// The names of libcuda. A container that was given a driver often has the second one alone.
const FILES: [&str; 2] = ["libcuda.so", "libcuda.so.1"];

/// Names the folder of libcuda, or several as in `PATH`.
pub(crate) const LIBRARY_VARIABLE: &str = "CUDA_LIBRARY_PATH";

/// Each names the root of a toolkit. The first that is set counts.
pub(crate) const ROOT_VARIABLES: [&str; 4] =
    ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR"];

/// Folders in which the C compiler looks for libraries.
pub(crate) const COMPILER_VARIABLE: &str = "LIBRARY_PATH";

/// The root of conda's environment, which has the folders of a toolkit.
pub(crate) const CONDA_VARIABLE: &str = "CONDA_PREFIX";

/// Where the loader notes the libraries of the system.
pub(crate) const LOADER_CACHE: &str = "/etc/ld.so.cache";

/// The folders in which `cuda` is the root of a toolkit, and `cuda-12.4` that of a version.
const INSTALLED: [&str; 2] = ["/usr/local", "/opt"];

/// Folders of the system, after those with the name of the architecture.
const SYSTEM: [&str; 7] = [
    "/usr/lib64",
    "/lib64",
    "/usr/lib",
    "/lib",
    "/usr/local/nvidia/lib64", // Kubernetes
    "/usr/lib/wsl/lib",        // Windows Subsystem for Linux
    "/run/opengl-driver/lib",  // NixOS
];

/// Folders of the system that have the name of the architecture, as Debian has them.
fn below_multiarch(arch: &str) -> Vec<PathBuf> {
    let bases = ["/usr/lib", "/lib"].map(|base| Path::new(base).join(format!("{arch}-linux-gnu")));
    // The driver of Debian and of Jetson, and the stub of Debian's toolkit.
    let below = ["", "nvidia/current", "nvidia", "tegra", "stubs"];
    bases.iter().flat_map(|base| below.map(|folder| base.join(folder))).collect()
}

/// The folders of a toolkit that may have libcuda. First those with the name of the target.
fn toolkit(root: &Path, arch: &str) -> Vec<PathBuf> {
    let mut folders = toolkit_of_target(root, arch);
    folders.extend(["lib64", "lib64/stubs", "lib", "lib/stubs"].map(|folder| root.join(folder)));
    folders
}

fn toolkit_of_target(root: &Path, arch: &str) -> Vec<PathBuf> {
    of_arch(root, arch).into_iter().flat_map(|lib| [lib.clone(), lib.join("stubs")]).collect()
}

/// The folders of a toolkit with libraries for an architecture, by their name.
pub(crate) fn of_arch(root: &Path, arch: &str) -> Vec<PathBuf> {
    let targets: &[&str] = match arch {
        "aarch64" => &["sbsa-linux", "aarch64-linux"],
        _ => &["x86_64-linux"],
    };
    targets.iter().map(|target| root.join("targets").join(target).join("lib")).collect()
}

/// The roots of toolkits that no variable names: without a version, then the newest first. `names` are the names in a
/// folder.
pub(crate) fn toolkits(names: &dyn Fn(&Path) -> Vec<String>) -> Vec<PathBuf> {
    let mut roots: Vec<_> = INSTALLED.map(|folder| Path::new(folder).join("cuda")).into();
    for folder in INSTALLED.map(Path::new) {
        let mut versions: Vec<_> =
            names(folder).into_iter().filter_map(|name| Some((version(&name)?, name))).collect();
        versions.sort_unstable();
        roots.extend(versions.into_iter().rev().map(|(_, name)| folder.join(name)));
    }
    roots
}

/// The numbers in a name like `cuda-12.4`.
fn version(name: &str) -> Option<Vec<u32>> {
    name.strip_prefix("cuda-")?.split('.').map(|number| number.parse().ok()).collect()
}

/// Facts that the search needs about the machine that builds.
pub(crate) struct Machine<'a> {
    /// The value of a variable of the environment.
    pub(crate) variable: &'a dyn Fn(&str) -> Option<OsString>,
    /// Whether there is such a file or folder.
    pub(crate) exists: &'a dyn Fn(&Path) -> bool,
    /// The names in a folder; none if there is no such folder.
    pub(crate) names: &'a dyn Fn(&Path) -> Vec<String>,
    /// The contents of the loader's cache; empty if there is none.
    pub(crate) loader_cache: &'a [u8],
}

impl Machine<'_> {
    /// The value of a variable. An empty one is as good as none.
    fn set(&self, name: &str) -> Option<OsString> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    /// The folders that a variable lists, as `PATH` does.
    fn listed(&self, name: &str) -> Vec<PathBuf> {
        let value = self.set(name).unwrap_or_default();
        env::split_paths(&value).filter(|folder| !folder.as_os_str().is_empty()).collect()
    }

    /// libcuda in the first of `folders` that has it.
    fn first(&self, folders: &[PathBuf]) -> Option<PathBuf> {
        let files = folders.iter().flat_map(|folder| FILES.map(|file| folder.join(file)));
        files.into_iter().find(|file| (self.exists)(file))
    }

    /// libcuda in one of `folders`, which follow from the `roots` that a variable names.
    fn named(
        &self,
        variable: &'static str,
        roots: &[PathBuf],
        folders: &[PathBuf],
    ) -> Result<PathBuf, Error> {
        let why = if roots.iter().any(|root| !root.is_absolute()) {
            Why::Relative
        } else if let Some(found) = self.first(folders) {
            return Ok(found);
        } else if roots.iter().any(|root| (self.exists)(root)) {
            Why::NoLibrary { looked_in: folders.to_vec() }
        } else {
            Why::NoFolder
        };
        Err(Error { variable, value: self.set(variable).unwrap_or_default(), why })
    }
}

/// Looks for libcuda for a target. `arch` is `x86_64` or `aarch64`; `cross`: another machine than this will run it.
///
/// A variable that names libcuda or a toolkit decides: what it names has the library, or is an error. Otherwise, not to
/// find it is none.
pub(crate) fn search(
    machine: &Machine<'_>,
    arch: &str,
    cross: bool,
) -> Result<Option<PathBuf>, Error> {
    let folders = machine.listed(LIBRARY_VARIABLE);
    if !folders.is_empty() {
        return machine.named(LIBRARY_VARIABLE, &folders, &folders).map(Some);
    }
    for name in ROOT_VARIABLES {
        if let Some(value) = machine.set(name) {
            let root = PathBuf::from(value);
            let folders = toolkit(&root, arch);
            return machine.named(name, &[root], &folders).map(Some);
        }
    }

    let below = if cross { toolkit_of_target } else { toolkit };
    let mut folders = Vec::new();
    if !cross {
        // A relative one would mean a folder of this package.
        folders.extend(machine.listed(COMPILER_VARIABLE).into_iter().filter(|it| it.is_absolute()));
    }
    let conda = machine.set(CONDA_VARIABLE).map(PathBuf::from);
    let roots = conda.into_iter().filter(|it| it.is_absolute()).chain(toolkits(machine.names));
    folders.extend(roots.flat_map(|root| below(&root, arch)));
    if let Some(found) = machine.first(&folders) {
        return Ok(Some(found));
    }
    if cross {
        return Ok(None);
    }
    let cached = in_loader_cache(machine.loader_cache, arch);
    if let Some(found) = cached.into_iter().find(|file| (machine.exists)(file)) {
        return Ok(Some(found));
    }
    folders = below_multiarch(arch);
    folders.extend(SYSTEM.map(PathBuf::from));
    Ok(machine.first(&folders))
}

/// The files of libcuda for an architecture that the loader's cache has. None if it is of another format than glibc's since
/// 2.2, which `struct cache_file_new` of `dl-cache.h` describes; an older one may stand before it.
fn in_loader_cache(cache: &[u8], arch: &str) -> Vec<PathBuf> {
    const MAGIC: &[u8] = b"glibc-ld.so.cache1.1";
    const HEADER: usize = 48;
    const ENTRY: usize = 24;
    // The library is for glibc (3), and for this architecture.
    let flags = match arch {
        "aarch64" => 0x0a03,
        _ => 0x0303,
    };
    let Some(begin) = cache.windows(MAGIC.len()).position(|bytes| bytes == MAGIC) else {
        return Vec::new();
    };
    let cache = &cache[begin..];
    let number = |bytes: Option<&[u8]>| {
        bytes.and_then(|bytes| Some(u32::from_ne_bytes(bytes.try_into().ok()?))).unwrap_or_default()
    };
    let string = |at: u32| {
        let text = cache.get(at as usize..)?.split(|byte| *byte == 0).next()?;
        std::str::from_utf8(text).ok()
    };
    let count = number(cache.get(20..24)) as usize;
    let entries = cache.get(HEADER..).unwrap_or_default().chunks_exact(ENTRY).take(count);
    let of_arch = entries.filter(|entry| number(entry.get(..4)) & 0xffff == flags);
    let named = of_arch
        .filter(|entry| string(number(entry.get(4..8))).is_some_and(|it| FILES.contains(&it)));
    named.filter_map(|entry| string(number(entry.get(8..12)))).map(PathBuf::from).collect()
}

/// A variable names what does not have the library.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Error {
    pub(crate) variable: &'static str,
    pub(crate) value: OsString,
    pub(crate) why: Why,
}

/// The reason why the value of a variable is refused.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// Not an absolute path.
    Relative,
    /// No such folder.
    NoFolder,
    /// The folder is there, and these have no libcuda.
    NoLibrary { looked_in: Vec<PathBuf> },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Error { variable, value, why } = self;
        write!(f, "{variable}={}: ", value.to_string_lossy())?;
        match why {
            Why::Relative => write!(f, "not an absolute path")?,
            Why::NoFolder => write!(f, "there is no such folder")?,
            Why::NoLibrary { looked_in } => {
                write!(f, "neither {} nor {} is in ", FILES[0], FILES[1])?;
                for (index, folder) in looked_in.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{}", folder.display())?;
                }
            }
        }
        writeln!(f)?;
        if *variable == LIBRARY_VARIABLE {
            write!(f, "set {variable} to the folder that holds libcuda")?;
        } else {
            write!(f, "set {variable} to the root of a toolkit that has libcuda or its stub, ")?;
            write!(f, "or {LIBRARY_VARIABLE} to the folder that holds libcuda")?;
        }
        write!(f, "; with {variable} unset, a build succeeds without libcuda")
    }
}
