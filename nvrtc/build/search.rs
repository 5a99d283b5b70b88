//! The search for libnvrtc: a function of the environment, the target and what folders hold.

pub(crate) use crate::shared::search::{CONDA_VARIABLE, ROOT_VARIABLES};

use crate::shared::search::{of_arch, toolkits};
use crate::target::Arch;
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// Names the folder of libnvrtc, or several as in `PATH`.
pub(crate) const LIBRARY_VARIABLE: &str = "NVRTC_LIBRARY_PATH";

/// The file that a compiler is given to link with.
const DEVELOPMENT: &str = "libnvrtc.so";

/// Looks for libnvrtc. `names` are the names in a folder; none if there is no such folder.
///
/// A variable decides: if it is set, what it names has the library or is an error. An empty
/// variable is as good as none.
pub(crate) fn search(
    variable: &dyn Fn(&str) -> Option<OsString>,
    arch: Arch,
    cross: bool,
    names: &dyn Fn(&Path) -> Option<Vec<String>>,
) -> Result<PathBuf, NotFound> {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    let (because, folders) = if let Some(value) = set(LIBRARY_VARIABLE) {
        let folders = env::split_paths(&value).filter(|it| !it.as_os_str().is_empty()).collect();
        (Some((LIBRARY_VARIABLE, value)), folders)
    } else if let Some((name, value)) =
        ROOT_VARIABLES.into_iter().find_map(|name| Some((name, set(name)?)))
    {
        let folders = toolkit(Path::new(&value), arch);
        (Some((name, value)), folders)
    } else {
        let conda = set(CONDA_VARIABLE).map(PathBuf::from);
        let installed = toolkits(&|folder| names(folder).unwrap_or_default());
        let roots: Vec<_> = conda.into_iter().chain(installed).collect();
        (None, usual(&roots, arch, cross))
    };
    let found = folders
        .iter()
        .filter(|folder| folder.is_absolute())
        .find_map(|folder| Some(folder.join(best(&names(folder)?)?)));
    found.ok_or(NotFound { because, looked_in: folders })
}

/// The file of a folder to link with: what is meant for it, or the newest version.
fn best(names: &[String]) -> Option<String> {
    if names.iter().any(|name| name == DEVELOPMENT) {
        return Some(DEVELOPMENT.to_owned());
    }
    let versions = names.iter().filter_map(|name| Some((version(name)?, name)));
    versions.max().map(|(_, name)| name.clone())
}

/// The numbers in a name like `libnvrtc.so.11.2`; not of others, such as `libnvrtc.alt.so.13`.
fn version(name: &str) -> Option<Vec<u32>> {
    let numbers = name.strip_prefix(DEVELOPMENT)?.strip_prefix('.')?;
    numbers.split('.').map(|number| number.parse().ok()).collect()
}

/// The folders of a toolkit, or of a wheel: first those that are of the target's architecture by
/// their name.
fn toolkit(root: &Path, arch: Arch) -> Vec<PathBuf> {
    let mut folders = of_arch(root, arch.name());
    folders.extend(["lib64", "lib"].map(|folder| root.join(folder)));
    folders
}

/// Where libnvrtc usually is. When cross compiling, only what a toolkit has for the target: all the
/// rest belongs to the machine that builds.
fn usual(roots: &[PathBuf], arch: Arch, cross: bool) -> Vec<PathBuf> {
    if cross {
        return roots.iter().flat_map(|root| of_arch(root, arch.name())).collect();
    }
    let mut folders: Vec<_> = roots.iter().flat_map(|root| toolkit(root, arch)).collect();
    let multiarch = format!("{}-linux-gnu", arch.name());
    folders.push(Path::new("/usr/lib").join(&multiarch));
    folders.push(Path::new("/lib").join(multiarch));
    folders.extend(["/usr/lib64", "/lib64", "/usr/lib", "/lib"].map(PathBuf::from));
    folders
}

/// No libnvrtc where it was looked for.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct NotFound {
    /// The variable that said where to look, and its value.
    pub(crate) because: Option<(&'static str, OsString)>,
    pub(crate) looked_in: Vec<PathBuf>,
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.because {
            Some((variable, value)) => {
                writeln!(f, "{variable}={}: no libnvrtc there", value.to_string_lossy())?;
            }
            None => writeln!(f, "no libnvrtc is installed where it usually is")?,
        }
        write!(f, "looked for {DEVELOPMENT} and {DEVELOPMENT}.<version> in ")?;
        for (index, folder) in self.looked_in.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let relative = if folder.is_absolute() { "" } else { " (not an absolute path)" };
            write!(f, "{comma}{}{relative}", folder.display())?;
        }
        writeln!(f)?;
        writeln!(
            f,
            "install NVRTC (the package cuda-nvrtc of the CUDA toolkit, or the wheel \
             nvidia-cuda-nvrtc, which needs no GPU), and set {LIBRARY_VARIABLE} to the folder that \
             holds libnvrtc.so, or {} to the root of the toolkit",
            ROOT_VARIABLES[0]
        )?;
        write!(
            f,
            "or build without the feature `link`, as cuscope does with `nvrtc-load` in place of \
             `nvrtc`: then libnvrtc is looked up at run time"
        )
    }
}
