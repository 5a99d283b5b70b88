//! Where CUDA toolkits are.

use super::arch::Arch;
use std::path::{Path, PathBuf};

/// Each names the root of a toolkit; the first that is set counts.
pub(crate) const ROOT_VARIABLES: [&str; 4] =
    ["CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR"];

/// Where toolkits are installed.
pub(crate) const ROOTS: [&str; 2] = ["/usr/local/cuda", "/opt/cuda"];

/// The folders of libraries of a toolkit that are of an architecture by their name.
pub(crate) fn of_arch(root: &Path, arch: Arch) -> impl Iterator<Item = PathBuf> {
    let targets = root.join("targets");
    arch.toolkit_folders().iter().map(move |arch| targets.join(arch).join("lib"))
}
