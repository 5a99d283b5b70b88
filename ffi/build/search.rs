//! The search for libcuda: a function of the environment, the target and what exists.

pub(crate) use crate::shared::toolkit::ROOT_VARIABLES;

use crate::shared::toolkit::{ROOTS, of_arch};
use crate::target::Target;
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// Names the folder of libcuda, or several as in `PATH`.
pub(crate) const LIBRARY_VARIABLE: &str = "CUDA_LIBRARY_PATH";

/// What libcuda is called; a container that was given a driver often has the second name alone.
const FILES: [&str; 2] = ["libcuda.so", "libcuda.so.1"];

/// A libcuda to link with.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Found {
    pub(crate) folder: PathBuf,
    pub(crate) file: &'static str,
}

impl Found {
    /// The file itself.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(self.file)
    }
}

/// Looks for libcuda.
///
/// A variable decides: if it is set, what it names has the library or is an error. Without
/// variables, not to find it is no error. An empty variable is as good as none.
pub(crate) fn search(
    variable: &dyn Fn(&str) -> Option<OsString>,
    target: Target,
    exists: &dyn Fn(&Path) -> bool,
) -> Result<Option<Found>, Error> {
    let set = |name| variable(name).filter(|value| !value.is_empty());

    if let Some(value) = set(LIBRARY_VARIABLE) {
        let folders: Vec<PathBuf> =
            env::split_paths(&value).filter(|folder| !folder.as_os_str().is_empty()).collect();
        if !folders.is_empty() {
            return named(LIBRARY_VARIABLE, value, &folders, &folders, exists).map(Some);
        }
    }
    for name in ROOT_VARIABLES {
        if let Some(value) = set(name) {
            let root = PathBuf::from(&value);
            let folders = toolkit(&root, target);
            return named(name, value, &[root], &folders, exists).map(Some);
        }
    }
    Ok(first(&usual(target), exists))
}

/// The library in one of `folders`, which follow from the `roots` that a variable names.
fn named(
    variable: &'static str,
    value: OsString,
    roots: &[PathBuf],
    folders: &[PathBuf],
    exists: &dyn Fn(&Path) -> bool,
) -> Result<Found, Error> {
    let why = if roots.iter().any(|root| !root.is_absolute()) {
        Why::Relative
    } else if let Some(found) = first(folders, exists) {
        return Ok(found);
    } else if roots.iter().any(|root| exists(root)) {
        Why::NoLibrary { looked_in: folders.to_vec() }
    } else {
        Why::NoFolder
    };
    Err(Error { variable, value, why })
}

/// The first of `folders` that has the library.
fn first(folders: &[PathBuf], exists: &dyn Fn(&Path) -> bool) -> Option<Found> {
    folders.iter().find_map(|folder| {
        let file = FILES.into_iter().find(|file| exists(&folder.join(file)))?;
        Some(Found { folder: folder.clone(), file })
    })
}

/// The folders of a toolkit; first those that are of the target's architecture by their name.
fn toolkit(root: &Path, target: Target) -> Vec<PathBuf> {
    let mut folders = toolkit_targets(root, target);
    folders.extend(["lib64", "lib64/stubs", "lib", "lib/stubs"].map(|folder| root.join(folder)));
    folders
}

fn toolkit_targets(root: &Path, target: Target) -> Vec<PathBuf> {
    of_arch(root, target.arch).flat_map(|lib| [lib.clone(), lib.join("stubs")]).collect()
}

/// Where libcuda usually is. When cross compiling, only what a toolkit has for the target: all the
/// rest belongs to the machine that builds.
fn usual(target: Target) -> Vec<PathBuf> {
    if target.cross {
        return ROOTS.iter().flat_map(|root| toolkit_targets(Path::new(root), target)).collect();
    }
    let mut folders: Vec<PathBuf> =
        ROOTS.iter().flat_map(|root| toolkit(Path::new(root), target)).collect();
    let multiarch = target.arch.multiarch();
    for base in ["/usr/lib", "/lib"] {
        let base = Path::new(base).join(multiarch);
        // below it: Debian's and Jetson's driver, and the stub of Debian's toolkit
        let below = ["nvidia/current", "nvidia", "tegra", "stubs"].map(|below| base.join(below));
        folders.push(base);
        folders.extend(below);
    }
    let rest = [
        "/usr/lib64",
        "/lib64",
        "/usr/lib",
        "/lib",
        "/usr/local/nvidia/lib64", // Kubernetes
        "/usr/lib/wsl/lib",        // Windows Subsystem for Linux
        "/run/opengl-driver/lib",  // NixOS
    ];
    folders.extend(rest.map(PathBuf::from));
    folders
}

/// A variable names what does not have the library.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Error {
    pub(crate) variable: &'static str,
    pub(crate) value: OsString,
    pub(crate) why: Why,
}

/// What is wrong with the value of a variable.
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
