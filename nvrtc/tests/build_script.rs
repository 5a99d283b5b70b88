//! The parts of the build script.

#[path = "../build/declared.rs"]
mod declared;
#[path = "../build/exports.rs"]
mod exports;
#[path = "../build/search.rs"]
mod search;
#[path = "../build/shared/mod.rs"]
mod shared;
#[path = "../../tests/common/skipped.rs"]
mod skipped;
#[path = "../build/target.rs"]
mod target;

use exports::Unsuitable;
use skipped::skipped;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};
use target::Arch;

/// Searches a machine that has `files` with the environment `variables`.
fn search(
    variables: &[(&str, &str)],
    files: &[&str],
    arch: Arch,
    cross: bool,
) -> Result<String, String> {
    let variables: HashMap<_, _> = variables.iter().copied().collect();
    let mut folders: HashMap<PathBuf, Vec<String>> = HashMap::new();
    for file in files.iter().map(Path::new) {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        folders.entry(file.parent().unwrap().to_owned()).or_default().push(name);
        for folder in file.ancestors().skip(1) {
            if let (Some(name), Some(parent)) = (folder.file_name(), folder.parent()) {
                let name = name.to_str().unwrap().to_owned();
                folders.entry(parent.to_owned()).or_default().push(name);
            }
        }
    }
    let found =
        search::search(&|name| variables.get(name).map(OsString::from), arch, cross, &|folder| {
            folders.get(folder).cloned()
        });
    found.map(|path| path.to_str().unwrap().to_owned()).map_err(|error| error.to_string())
}

#[test]
fn the_search_takes_what_the_table_of_the_readme_says() {
    use Arch::{Aarch64, X86_64};
    let toolkit = "/usr/local/cuda/targets/x86_64-linux/lib/libnvrtc.so";
    let versions =
        ["/usr/local/cuda-12.4/lib64/libnvrtc.so.12", "/usr/local/cuda-9.2/lib64/libnvrtc.so.9.2"];
    let debian = "/usr/lib/x86_64-linux-gnu/libnvrtc.so.12";
    let wheel = "/w/nvidia/cu13/lib/libnvrtc.so.13";
    let sbsa = "/usr/local/cuda/targets/sbsa-linux/lib/libnvrtc.so";
    type Row<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], Arch, bool, &'a str);
    let rows: &[Row<'_>] = &[
        (&[], &[toolkit, debian], X86_64, false, toolkit),
        (&[], &[debian], X86_64, false, debian),
        (
            &[("NVRTC_LIBRARY_PATH", "/a:/w/nvidia/cu13/lib")],
            &[toolkit, wheel],
            X86_64,
            false,
            wheel,
        ),
        (&[("CUDA_HOME", "/w/nvidia/cu13")], &[toolkit, wheel], X86_64, false, wheel),
        // an empty variable is none; the library's own variable goes before the root's
        (&[("NVRTC_LIBRARY_PATH", ""), ("CUDA_PATH", "")], &[toolkit], X86_64, false, toolkit),
        (
            &[("CUDA_PATH", "/usr/local/cuda"), ("NVRTC_LIBRARY_PATH", "/w/nvidia/cu13/lib")],
            &[toolkit, wheel],
            X86_64,
            false,
            wheel,
        ),
        // the newest where there is no development name; numbers, not letters, decide
        (
            &[("NVRTC_LIBRARY_PATH", "/l")],
            &["/l/libnvrtc.so.9.2", "/l/libnvrtc.so.12"],
            X86_64,
            false,
            "/l/libnvrtc.so.12",
        ),
        (
            &[("NVRTC_LIBRARY_PATH", "/l")],
            &["/l/libnvrtc.so.13", "/l/libnvrtc.so"],
            X86_64,
            false,
            "/l/libnvrtc.so",
        ),
        // a toolkit with a version, and conda's, which need not have it
        (&[], &[debian, versions[1], versions[0]], X86_64, false, versions[0]),
        (
            &[("CONDA_PREFIX", "/c")],
            &["/c/lib/libnvrtc.so.12", toolkit],
            X86_64,
            false,
            "/c/lib/libnvrtc.so.12",
        ),
        (&[("CONDA_PREFIX", "/c")], &["/c/lib/libz.so", toolkit], X86_64, false, toolkit),
        // another architecture
        (&[], &[toolkit, sbsa], Aarch64, true, sbsa),
    ];
    for (variables, files, arch, cross, expected) in rows {
        let found = search(variables, files, *arch, *cross);
        assert_eq!(found.as_deref(), Ok(*expected), "{variables:?} {files:?}");
    }
}

#[test]
fn what_is_not_found_is_an_error_that_says_where_and_what_to_do() {
    // neither is libnvrtc
    let other = ["/l/libnvrtc.alt.so.13", "/l/libnvrtc-builtins.so.13.0", "/l/libnvrtc.so.x"];
    let cases: [(&[(&str, &str)], &str); 4] = [
        (&[], "/usr/local/cuda/lib64"),
        (&[("NVRTC_LIBRARY_PATH", "/l")], "NVRTC_LIBRARY_PATH=/l: no libnvrtc there"),
        (&[("CUDA_PATH", "/opt/none")], "/opt/none/lib64"),
        (&[("NVRTC_LIBRARY_PATH", "lib")], "lib (not an absolute path)"),
    ];
    for (variables, part) in cases {
        let error = search(variables, &other, Arch::X86_64, false).unwrap_err();
        for part in [part, "set NVRTC_LIBRARY_PATH to the folder", "nvrtc-load"] {
            assert!(error.contains(part), "{part} is not in: {error}");
        }
    }
}

#[test]
fn targets_without_nvrtc_are_refused() {
    assert_eq!(Arch::new("linux", "aarch64"), Ok(Arch::Aarch64));
    let error = Arch::new("macos", "aarch64").unwrap_err();
    assert!(error.contains("macos on aarch64"), "{error}");
}

/// The linked functions as the crate has them.
fn names() -> Vec<String> {
    declared::functions(include_str!("../src/functions.rs"))
}

#[test]
fn the_linked_functions_are_read_from_the_sources() {
    let mut expected = Vec::new();
    macro_rules! collect {
        ($($(#[$meta:meta])* $since:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
            $(expected.push(stringify!($name));)*
        };
    }
    cuscope_nvrtc_sys::nvrtc_functions!(collect);
    assert_eq!(names(), expected);
}

/// Compiles a library that exports `names`.
fn library(soname: &str, names: &[String]) -> Option<Vec<u8>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, file) = (folder.join(format!("{soname}.c")), folder.join(format!("{soname}.out")));
    let text: String =
        names.iter().map(|name| format!("int {name}(void) {{ return 0; }}\n")).collect();
    fs::write(&source, text).unwrap();
    let mut command = Command::new(env::var_os("CC").unwrap_or("cc".into()));
    command.args(["-shared", "-nostdlib", "-fPIC", &format!("-Wl,-soname,{soname}"), "-o"]);
    let Ok(status) = command.args([&file, &source]).status() else {
        skipped("library", "no C compiler; the variable CC names one");
        return None;
    };
    assert!(status.success());
    Some(fs::read(file).unwrap())
}

#[test]
fn what_is_found_must_be_an_nvrtc_that_has_every_linked_function() {
    let arch = if cfg!(target_arch = "aarch64") { Arch::Aarch64 } else { Arch::X86_64 };
    let other = if cfg!(target_arch = "aarch64") { Arch::X86_64 } else { Arch::Aarch64 };
    let (machine, names) = (arch.machine(), names());

    let Some(good) = library("libnvrtc.so.42", &names) else { return };
    assert_eq!(exports::check(&good, machine, &names), Ok("libnvrtc.so.42".to_owned()));
    let foreign = exports::check(&good, other.machine(), &names);
    let expected = Unsuitable::Machine { is: machine, wanted: other.machine() };
    assert_eq!(foreign, Err(expected));
    for end in [0, 4, 100, good.len() / 2] {
        let cut = exports::check(&good[..end], machine, &names).unwrap_err();
        assert!(matches!(cut, Unsuitable::Unreadable(_)), "{end}: {cut}");
    }

    let old = library("libnvrtc.so.7", &names[..names.len() - 1]).unwrap();
    let error = exports::check(&old, machine, &names).unwrap_err().to_string();
    let last = names.last().unwrap();
    assert_eq!(error, format!("has no function {last}; NVRTC 11.8 or newer is needed"));

    let builtins = library("libnvrtc-builtins.so.13.0", &names).unwrap();
    let error = exports::check(&builtins, machine, &names).unwrap_err().to_string();
    assert!(error.contains("SONAME `libnvrtc-builtins.so.13.0`"), "{error}");
}
