//! Gives the library the name under which programs ask for libcuda, and tells the executable where the library is,
//! which it contains.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Set for a build of the library alone.
const ALONE: &str = "CUSCOPE_SOFTCUDA_LIBRARY_ALONE";
const LIBRARY: &str = "libcuscope_softcuda.so";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={ALONE}");
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
        // Threads of it run after a `dlclose`, and functions of it at the end of the program's threads.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
        if env::var_os(ALONE).is_none() {
            let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
            let library = beside(&out).unwrap_or_else(|| build(&out));
            println!("cargo::rustc-env=CUSCOPE_SOFTCUDA_LIBRARY={}", library.display());
        }
    }
}

/// Where cargo puts the library, which it builds before the executable: `out` is `<profile>/build/<package>/out`.
/// None if this cargo has another order.
fn beside(out: &Path) -> Option<PathBuf> {
    let build = out.ancestors().nth(2)?;
    if build.file_name()? != "build" {
        return None;
    }
    Some(build.parent()?.join("deps").join(LIBRARY))
}

/// Builds the library once more, where it is found.
fn build(out: &Path) -> PathBuf {
    let variable = |name| env::var(name).expect("cargo sets it");
    let (target, folder) = (variable("TARGET"), out.join("library"));
    let release = variable("PROFILE") == "release";
    let mut cargo = Command::new(variable("CARGO"));
    cargo.args(["rustc", "--lib", "--crate-type", "cdylib", "--target", &target, "--target-dir"]);
    cargo.arg(&folder).arg("--manifest-path");
    cargo.arg(Path::new(&variable("CARGO_MANIFEST_DIR")).join("Cargo.toml")).env(ALONE, "1");
    if release {
        cargo.arg("--release");
    }
    let status = cargo.status().expect("cargo runs");
    assert!(status.success(), "the library was not built: {status}");
    folder.join(target).join(if release { "release" } else { "debug" }).join(LIBRARY)
}
