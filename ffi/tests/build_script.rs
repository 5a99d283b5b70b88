//! The parts of the build script, each on its own, and what a linker makes of the stub.
#![allow(unsafe_code, reason = "one test asks the dynamic loader to load the stub")]
#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, unused_imports, reason = "some tests are of Linux")
)]

#[path = "../build/choice.rs"]
mod choice;
#[path = "../build/declared.rs"]
mod declared;
#[path = "../build/elfstub.rs"]
mod elfstub;
#[path = "../build/exports.rs"]
mod exports;
#[path = "../build/shared/mod.rs"]
mod shared;
#[path = "../../tests/common/skipped.rs"]
mod skipped;
#[path = "../build/target.rs"]
mod target;

use choice::{Driver, choose};
use exports::Unsuitable;
use object::read::elf::{Dyn as _, ElfFile64, FileHeader as _};
use object::{Endianness, Object as _, ObjectSection as _, ObjectSymbol as _, elf};
use shared::search::{self, Machine, Why};
use skipped::skipped;
use std::collections::HashSet;
use std::ffi::{CStr, CString, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};
use target::{Arch, Cfg, Platform, Target};

const SONAME: &str = "libcuda.so.1";

const X86_64: Target = Target { arch: Arch::X86_64, cross: false };
const AARCH64: Target = Target { arch: Arch::Aarch64, cross: false };
const TO_AARCH64: Target = Target { arch: Arch::Aarch64, cross: true };

// ---- what the build is for

fn cfg<'a>(os: &'a str, arch: &'a str, pointer_width: &'a str, endian: &'a str) -> Cfg<'a> {
    Cfg { os, arch, pointer_width, endian }
}

#[test]
fn linux_on_two_architectures_is_supported() {
    for (name, arch) in [("x86_64", Arch::X86_64), ("aarch64", Arch::Aarch64)] {
        let Ok(Platform::Linux(target)) = Platform::new(cfg("linux", name, "64", "little"), true)
        else {
            panic!("{name} is not supported")
        };
        assert_eq!((target.arch, target.cross), (arch, true));
    }
}

#[test]
fn windows_needs_no_library_to_link_with() {
    let platform = Platform::new(cfg("windows", "x86_64", "64", "little"), true);
    assert!(matches!(platform, Ok(Platform::Windows)));
}

#[test]
fn a_static_program_is_refused() {
    let message = target::can_link("linux", "gnu", "crt-static,fxsr,sse2", "").unwrap_err();
    for part in ["-crt-static", "CUSCOPE_DRIVER=software", "libcuda"] {
        assert!(message.contains(part), "{part} is not in: {message}");
    }
    assert_eq!(target::can_link("linux", "gnu", "fxsr,sse2", ""), Ok(()));
    assert_eq!(target::can_link("linux", "musl", "sse2", "").unwrap_err(), message);
    let flags = "-Ctarget-feature=-crt-static\x1f-g";
    assert_eq!(target::can_link("linux", "musl", "sse2", flags), Ok(()));
    // There, it is only about the C library.
    assert_eq!(target::can_link("windows", "msvc", "crt-static", ""), Ok(()));
}

#[test]
fn other_targets_are_refused_by_name() {
    let message = |cfg| Platform::new(cfg, false).unwrap_err().to_string();
    assert!(message(cfg("macos", "aarch64", "64", "little")).contains("no CUDA driver for macOS"));
    assert!(message(cfg("windows", "aarch64", "64", "little")).contains("windows on aarch64"));
    assert!(message(cfg("linux", "riscv64", "64", "little")).contains("linux on riscv64"));
    assert!(message(cfg("linux", "x86_64", "32", "little")).contains("32 bit"));
    assert!(message(cfg("linux", "aarch64", "64", "big")).contains("big endian"));
}

// ---- which driver

#[test]
fn the_choice_of_driver() {
    let unasked = || -> bool { panic!("the machine was asked for a driver") };
    let software = Ok((Driver::Software, None));
    let native = Ok((Driver::Native, None));

    for release in [false, true] {
        assert_eq!(choose(true, Some("native"), false, release, unasked), native);
        assert_eq!(choose(true, Some("software"), false, release, unasked), software);
        assert_eq!(choose(true, Some("software"), true, release, unasked), software);
        for unset in [None, Some("")] {
            assert_eq!(choose(true, unset, false, release, || true), native);
            assert_eq!(choose(true, unset, true, release, unasked), native);
        }
        for variable in [None, Some("native"), Some("software"), Some("hardware")] {
            let chosen = choose(false, variable, false, release, unasked);
            assert_eq!(chosen, native, "without the feature");
        }
    }
    let message = choose(true, Some("hardware"), false, false, unasked).unwrap_err();
    assert_eq!(message, "CUSCOPE_DRIVER=hardware: expected `native` or `software`");
}

/// Who has no driver is told that the program computes on the CPU, and never ships that without asking for it.
#[test]
fn nobody_gets_the_software_driver_without_knowing() {
    for unset in [None, Some("")] {
        let (driver, warning) = choose(true, unset, false, false, || false).unwrap();
        assert_eq!(driver, Driver::Software);
        assert!(warning.unwrap().contains("computes on the CPU"), "{warning:?}");
        let refused = choose(true, unset, false, true, || false).unwrap_err();
        assert!(refused.contains("CUSCOPE_DRIVER=software if you mean it"), "{refused}");
    }
}

#[test]
fn a_build_says_which_driver_it_was_given() {
    assert_eq!((Driver::Native.name(), Driver::Software.name()), ("native", "software"));
    assert!(["native", "software"].contains(&cuscope_sys::DRIVER));
}

#[test]
fn asking_for_a_driver_does_not_crash() {
    println!("a driver works here: {}", choice::driver_works());
}

// ---- the search

/// Searches where `variables` are set and `files` are all that exists, with their folders.
fn search(
    variables: &[(&str, &str)],
    target: Target,
    files: &[&str],
) -> Result<Option<PathBuf>, search::Error> {
    search_with_cache(variables, target, files, &[])
}

/// Likewise, where the loader has a cache.
fn search_with_cache(
    variables: &[(&str, &str)],
    target: Target,
    files: &[&str],
    loader_cache: &[u8],
) -> Result<Option<PathBuf>, search::Error> {
    let variable = |name: &str| {
        variables.iter().find(|(set, _)| *set == name).map(|(_, value)| OsString::from(value))
    };
    let there = || files.iter().flat_map(|file| Path::new(file).ancestors());
    let exists = |path: &Path| there().any(|it| it == path);
    let names = |folder: &Path| {
        let inside = there().filter(|it| it.parent() == Some(folder));
        let names: HashSet<_> =
            inside.map(|it| it.file_name().unwrap().to_str().unwrap()).collect();
        names.into_iter().map(str::to_owned).collect()
    };
    let machine = Machine { variable: &variable, exists: &exists, names: &names, loader_cache };
    search::search(&machine, target.arch.name(), target.cross)
}

#[cfg(unix)] // the absolute paths of Linux
#[test]
fn what_is_found() {
    type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], Target, &'a [&'a str], Option<&'a str>);
    let stub = "/usr/local/cuda/targets/x86_64-linux/lib/stubs/libcuda.so";
    let debian = "/usr/lib/x86_64-linux-gnu/libcuda.so";
    let driver = "/usr/lib/x86_64-linux-gnu/libcuda.so.1";
    let rows: &[Row<'_>] = &[
        ("nothing", &[], X86_64, &[], None),
        ("nothing, cross", &[], TO_AARCH64, &[], None),
        ("toolkit", &[], X86_64, &[stub], Some(stub)),
        (
            "toolkit that a variable names",
            &[("CUDA_HOME", "/t")],
            X86_64,
            &["/t/lib64/stubs/libcuda.so"],
            Some("/t/lib64/stubs/libcuda.so"),
        ),
        (
            "conda's toolkit",
            &[("CUDA_PATH", "/env")],
            X86_64,
            &["/env/lib/stubs/libcuda.so"],
            Some("/env/lib/stubs/libcuda.so"),
        ),
        (
            "Arch's toolkit",
            &[],
            X86_64,
            &["/opt/cuda/lib64/stubs/libcuda.so"],
            Some("/opt/cuda/lib64/stubs/libcuda.so"),
        ),
        (
            "stub folder",
            &[("CUDA_LIBRARY_PATH", "/t/lib64/stubs")],
            X86_64,
            &["/t/lib64/stubs/libcuda.so"],
            Some("/t/lib64/stubs/libcuda.so"),
        ),
        (
            "list: the second folder, empty ones skipped",
            &[("CUDA_LIBRARY_PATH", ":/none::/b:/c")],
            X86_64,
            &["/b/libcuda.so.1", "/c/libcuda.so"],
            Some("/b/libcuda.so.1"),
        ),
        ("Debian's driver with development link", &[], X86_64, &[driver, debian], Some(debian)),
        ("container with only libcuda.so.1", &[], X86_64, &[driver], Some(driver)),
        (
            "Fedora",
            &[],
            X86_64,
            &["/usr/lib64/libcuda.so.1", "/usr/lib/libcuda.so.1"],
            Some("/usr/lib64/libcuda.so.1"),
        ),
        (
            "Kubernetes",
            &[],
            X86_64,
            &["/usr/local/nvidia/lib64/libcuda.so.1"],
            Some("/usr/local/nvidia/lib64/libcuda.so.1"),
        ),
        (
            "Windows Subsystem for Linux",
            &[],
            X86_64,
            &["/usr/lib/wsl/lib/libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1"],
            Some("/usr/lib/wsl/lib/libcuda.so"),
        ),
        (
            "Jetson, old",
            &[],
            AARCH64,
            &["/usr/lib/aarch64-linux-gnu/tegra/libcuda.so"],
            Some("/usr/lib/aarch64-linux-gnu/tegra/libcuda.so"),
        ),
        (
            "Jetson",
            &[],
            AARCH64,
            &["/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1"],
            Some("/usr/lib/aarch64-linux-gnu/nvidia/libcuda.so.1"),
        ),
        ("aarch64 ignores x86-64's folder", &[], AARCH64, &[debian], None),
        (
            "server with aarch64",
            &[],
            AARCH64,
            &["/usr/local/cuda/targets/sbsa-linux/lib/stubs/libcuda.so"],
            Some("/usr/local/cuda/targets/sbsa-linux/lib/stubs/libcuda.so"),
        ),
        (
            "cross: not the folders of this machine",
            &[],
            TO_AARCH64,
            &[
                "/usr/local/cuda/lib64/stubs/libcuda.so",
                "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
                "/usr/lib64/libcuda.so.1",
            ],
            None,
        ),
        (
            "cross: what a toolkit has for the target",
            &[],
            TO_AARCH64,
            &["/usr/local/cuda/targets/aarch64-linux/lib/stubs/libcuda.so"],
            Some("/usr/local/cuda/targets/aarch64-linux/lib/stubs/libcuda.so"),
        ),
        (
            "cross: the folder for the target before the machine's",
            &[("CUDA_ROOT", "/t")],
            TO_AARCH64,
            &["/t/lib64/stubs/libcuda.so", "/t/targets/sbsa-linux/lib/stubs/libcuda.so"],
            Some("/t/targets/sbsa-linux/lib/stubs/libcuda.so"),
        ),
        (
            "empty variables are unset",
            &[("CUDA_LIBRARY_PATH", ""), ("CUDA_PATH", "")],
            X86_64,
            &[driver],
            Some(driver),
        ),
        (
            "a list of nothing is unset",
            &[("CUDA_LIBRARY_PATH", ":")],
            X86_64,
            &[driver],
            Some(driver),
        ),
        (
            "a variable before the usual places",
            &[("CUDA_TOOLKIT_ROOT_DIR", "/t")],
            X86_64,
            &[driver, stub, "/t/lib/libcuda.so"],
            Some("/t/lib/libcuda.so"),
        ),
        (
            "CUDA_LIBRARY_PATH before CUDA_PATH before CUDA_HOME",
            &[("CUDA_HOME", "/h"), ("CUDA_PATH", "/none"), ("CUDA_LIBRARY_PATH", "/l")],
            X86_64,
            &["/h/lib64/libcuda.so", "/l/libcuda.so"],
            Some("/l/libcuda.so"),
        ),
        (
            "CUDA_PATH before CUDA_HOME",
            &[("CUDA_HOME", "/h"), ("CUDA_PATH", "/p")],
            X86_64,
            &["/h/lib64/libcuda.so", "/p/lib64/libcuda.so"],
            Some("/p/lib64/libcuda.so"),
        ),
        ("toolkit before the system", &[], X86_64, &[driver, stub], Some(stub)),
        (
            "a toolkit with a version",
            &[],
            X86_64,
            &[driver, "/usr/local/cuda-12.4/lib64/stubs/libcuda.so"],
            Some("/usr/local/cuda-12.4/lib64/stubs/libcuda.so"),
        ),
        (
            "of two versions the newest, by its numbers",
            &[],
            X86_64,
            &[
                "/usr/local/cuda-12.9/lib64/stubs/libcuda.so",
                "/usr/local/cuda-12.10/lib64/stubs/libcuda.so",
                "/usr/local/cuda-samples/lib64/stubs/libcuda.so",
            ],
            Some("/usr/local/cuda-12.10/lib64/stubs/libcuda.so"),
        ),
        (
            "the newest version has no library",
            &[],
            X86_64,
            &["/opt/cuda-13.0/bin/nvcc", "/opt/cuda-12.4/lib64/stubs/libcuda.so"],
            Some("/opt/cuda-12.4/lib64/stubs/libcuda.so"),
        ),
        (
            "the toolkit without a version is the one that the machine chose",
            &[],
            X86_64,
            &["/usr/local/cuda-13.0/lib64/stubs/libcuda.so", stub],
            Some(stub),
        ),
        (
            "cross: a toolkit with a version",
            &[],
            TO_AARCH64,
            &[
                "/usr/local/cuda-12.4/lib64/stubs/libcuda.so",
                "/usr/local/cuda-12.4/targets/sbsa-linux/lib/stubs/libcuda.so",
            ],
            Some("/usr/local/cuda-12.4/targets/sbsa-linux/lib/stubs/libcuda.so"),
        ),
        (
            "conda's environment before what is installed",
            &[("CONDA_PREFIX", "/env")],
            X86_64,
            &[stub, "/env/lib/stubs/libcuda.so"],
            Some("/env/lib/stubs/libcuda.so"),
        ),
        (
            "conda's environment without CUDA is no error",
            &[("CONDA_PREFIX", "/env")],
            X86_64,
            &[stub, "/env/bin/python"],
            Some(stub),
        ),
        (
            "cross: what conda's environment has for the target",
            &[("CONDA_PREFIX", "/env")],
            TO_AARCH64,
            &["/env/lib/stubs/libcuda.so", "/env/targets/sbsa-linux/lib/stubs/libcuda.so"],
            Some("/env/targets/sbsa-linux/lib/stubs/libcuda.so"),
        ),
        (
            "the C compiler's folders, before conda's environment",
            &[("LIBRARY_PATH", "/none::/b"), ("CONDA_PREFIX", "/env")],
            X86_64,
            &["/env/lib/stubs/libcuda.so", "/b/libcuda.so"],
            Some("/b/libcuda.so"),
        ),
        (
            "the C compiler's folders without it are no error, and relative ones are not looked in",
            &[("LIBRARY_PATH", "lib:/none")],
            X86_64,
            &["lib/libcuda.so", driver],
            Some(driver),
        ),
        (
            "cross: the C compiler's folders are of this machine",
            &[("LIBRARY_PATH", "/b")],
            TO_AARCH64,
            &["/b/libcuda.so"],
            None,
        ),
        (
            "a variable that names a toolkit before those that do not",
            &[("LIBRARY_PATH", "/b"), ("CONDA_PREFIX", "/env"), ("CUDA_HOME", "/h")],
            X86_64,
            &["/b/libcuda.so", "/env/lib/libcuda.so", "/h/lib64/libcuda.so"],
            Some("/h/lib64/libcuda.so"),
        ),
    ];
    for (name, variables, target, files, expected) in rows {
        let found =
            search(variables, *target, files).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(found.as_deref(), expected.map(Path::new), "{name}");
    }
}

/// A cache as glibc's `ldconfig` writes it, with these libraries: flags, name and file of each.
fn loader_cache(libraries: &[(u32, &str, &str)]) -> Vec<u8> {
    let mut strings = Vec::new();
    let mut entries = Vec::new();
    let begin = 48 + 24 * libraries.len();
    for (flags, name, file) in libraries {
        let mut at = |text: &str| {
            let at = u32::try_from(begin + strings.len()).unwrap();
            strings.extend(text.bytes().chain([0]));
            at.to_ne_bytes()
        };
        let (name, file) = (at(name), at(file));
        entries.extend([flags.to_ne_bytes(), name, file, [0; 4], [0; 4], [0; 4]].concat());
    }
    let mut cache = b"glibc-ld.so.cache1.1".to_vec();
    cache.extend(u32::try_from(libraries.len()).unwrap().to_ne_bytes());
    cache.extend(u32::try_from(strings.len()).unwrap().to_ne_bytes());
    cache.resize(48, 0);
    [cache, entries, strings].concat()
}

#[cfg(unix)] // the absolute paths of Linux
#[test]
fn libraries_in_the_loaders_cache_are_found() {
    const OF_X86_64: u32 = 0x0303;
    const OF_AARCH64: u32 = 0x0a03;
    const OF_32_BITS: u32 = 0x0003;
    let driver = "/opt/driver/lib/libcuda.so.1";
    let noted: &[(u32, &str, &str)] = &[
        (OF_X86_64, "libcudart.so.12", "/opt/driver/lib/libcudart.so.12"),
        (OF_32_BITS, "libcuda.so.1", "/opt/driver/lib32/libcuda.so.1"),
        (OF_AARCH64, "libcuda.so.1", "/opt/arm/lib/libcuda.so.1"),
        (OF_X86_64, "libcuda.so.1", "/gone/libcuda.so.1"),
        (OF_X86_64, "libcuda.so.1", driver),
    ];
    let files: Vec<_> =
        noted.iter().map(|(_, _, file)| *file).filter(|it| !it.starts_with("/gone")).collect();
    let cache = loader_cache(noted);
    let find = |target, files: &[&str], cache: &[u8]| {
        search_with_cache(&[], target, files, cache).unwrap()
    };
    assert_eq!(find(X86_64, &files, &cache).as_deref(), Some(Path::new(driver)));
    assert_eq!(find(AARCH64, &files, &cache), Some("/opt/arm/lib/libcuda.so.1".into()));
    assert_eq!(find(TO_AARCH64, &files, &cache), None, "the cache is of the machine that builds");

    // An older format may stand before it.
    let older = [b"ld.so-1.7.0\0".as_slice(), &[0; 20], &cache].concat();
    assert_eq!(find(X86_64, &files, &older).as_deref(), Some(Path::new(driver)));
    // A file that is no cache, or is cut off, has nothing, and does not stop the search.
    let system = "/usr/lib64/libcuda.so.1";
    for end in (0..cache.len() - 1).rev().step_by(7) {
        let found = find(X86_64, &[driver, system], &cache[..end]);
        assert!(
            [driver, system].map(|it| Some(PathBuf::from(it))).contains(&found),
            "{end}: {found:?}"
        );
    }
    assert_eq!(find(X86_64, &[driver, system], b"no cache"), Some(system.into()));
    // A toolkit goes before it, the system's folders after it.
    let toolkit = "/opt/cuda/lib64/stubs/libcuda.so";
    assert_eq!(find(X86_64, &[driver, system, toolkit], &cache), Some(toolkit.into()));
    assert_eq!(find(X86_64, &[driver, system], &cache), Some(driver.into()));
}

/// The cache as this machine's `ldconfig` writes it, with a library by the name of the driver.
#[test]
#[cfg(target_os = "linux")]
fn the_cache_that_ldconfig_writes_is_read() {
    const TEST: &str = "the_cache_that_ldconfig_writes_is_read";
    let folder = Folder::new("cache");
    let Some(cc) = compiler() else { return skipped(TEST, "no cc") };
    folder.write("fake.c", FAKE_DRIVER);
    let file = folder.0.join("libcuda.so.1");
    cc(&folder, &["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "fake.c", "-o", "libcuda.so.1"]);
    folder.write("conf", &format!("{}\n", folder.0.display()));
    let mut ldconfig = Command::new("/sbin/ldconfig");
    ldconfig.current_dir(&folder.0).args(["-X", "-f", "conf", "-C", "cache"]);
    match ldconfig.output() {
        Err(error) => return skipped(TEST, format!("ldconfig: {error}")),
        Ok(output) => assert!(output.status.success(), "{output:?}"),
    }
    let cache = fs::read(folder.0.join("cache")).unwrap();
    let target = Target { arch: own_arch(), cross: false };
    let found = search_with_cache(&[], target, &[file.to_str().unwrap()], &cache).unwrap();
    assert_eq!(found.as_deref(), Some(&*file));
}

#[test]
fn the_readme_has_every_place_of_the_search() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = fs::read_to_string(package.join("build/shared/search.rs")).unwrap();
    let readme = fs::read_to_string(package.join("README.md")).unwrap();
    let rows: Vec<_> = source.lines().filter(|line| line.starts_with("//! | ")).collect();
    assert_eq!(rows.len(), 1 + 7, "a head, and a row for each place");
    let places = rows.iter().flat_map(|row| row.split('`').skip(1).step_by(2));
    let places: Vec<_> = places.filter(|it| it.contains('/') || it.contains('_')).collect();
    assert!(places.len() > 10, "{places:?}");
    for place in places.iter().filter(|place| **place != "below_multiarch") {
        assert!(readme.contains(&format!("`{place}`")), "{place} is not in README.md");
    }
}

#[cfg(unix)] // the absolute paths of Linux
#[test]
fn a_variable_without_the_library_is_an_error_that_names_it() {
    let driver = "/usr/lib/x86_64-linux-gnu/libcuda.so.1"; // is not looked for
    for variable in search::ROOT_VARIABLES.into_iter().chain([search::LIBRARY_VARIABLE]) {
        let error = search(&[(variable, "/nowhere")], X86_64, &[driver]).unwrap_err();
        assert_eq!((error.variable, &error.why), (variable, &Why::NoFolder));
        let message = error.to_string();
        assert!(message.starts_with(&format!("{variable}=/nowhere: there is no such folder\n")));
        assert!(message.contains("CUDA_LIBRARY_PATH"), "{message}");

        let error = search(&[(variable, "/t")], X86_64, &[driver, "/t/README"]).unwrap_err();
        let message = error.to_string();
        assert!(matches!(error.why, Why::NoLibrary { .. }));
        assert!(message.contains("neither libcuda.so nor libcuda.so.1 is in /t"), "{message}");

        let error = search(&[(variable, "cuda")], X86_64, &["cuda/lib64/libcuda.so"]).unwrap_err();
        assert_eq!(error.why, Why::Relative);
    }
}

#[cfg(unix)] // the absolute paths of Linux
#[test]
fn an_error_says_where_it_looked() {
    let error = search(&[("CUDA_HOME", "/t")], X86_64, &["/t/bin/nvcc"]).unwrap_err();
    for folder in ["/t/targets/x86_64-linux/lib/stubs", "/t/lib64,", "/t/lib64/stubs,", "/t/lib,"] {
        assert!(error.to_string().contains(folder), "{folder} in {error}");
    }
    let error =
        search(&[("CUDA_LIBRARY_PATH", "/a:/b")], X86_64, &["/b/libcudart.so"]).unwrap_err();
    assert!(error.to_string().starts_with("CUDA_LIBRARY_PATH=/a:/b: "), "{error}");
    assert!(error.to_string().contains("is in /a, /b\n"), "{error}");
}

#[test]
fn a_later_variable_does_not_repair_an_earlier_one() {
    let variables = [("CUDA_PATH", "/none"), ("CUDA_HOME", "/h")];
    let error = search(&variables, X86_64, &["/h/lib64/libcuda.so"]).unwrap_err();
    assert_eq!(error.variable, "CUDA_PATH");
}

// ---- the declared names

fn names() -> Vec<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    declared::functions(&source).unwrap()
}

#[test]
fn the_declared_functions_are_found_once_each() {
    let names = names();
    assert!(names.len() > 70, "{}", names.len());
    for name in ["cuInit", "cuLaunchKernel", "cuMemAlloc_v2", "cuGetErrorName"] {
        assert!(names.iter().any(|declared| declared == name), "{name}");
    }
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "one is there twice");
}

#[test]
fn the_names_are_those_that_the_crate_hands_out() {
    let mut handed_out: Vec<&str> = Vec::new();
    macro_rules! note {
        ($($(#[$meta:meta])* $since:literal fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
            handed_out.extend([$(stringify!($name)),*]);
        };
    }
    cuscope_sys::driver_functions!(note);
    let mut names = names();
    names.sort();
    handed_out.sort();
    assert_eq!(names, handed_out);
}

#[test]
fn only_lines_of_the_lists_count_as_declarations() {
    let source = "\
        macro_rules! one_functions { ($with:path) => { $with! {\n\
        /// 2000 fn cuInDoc(x: u32);\n\
        //  2000 fn cuInComment(x: u32);\n\
        fn cuWithoutVersion(x: u32);\n\
        $since fn $name($($arg: $ty),*) -> $ret;\n\
        2000 fn other(x: u32) -> u32;\n\
        \x20   2000 fn cuOne(x: u32) -> CUresult;\n\
        \x20   12000 fn cuTwo_v2(\n\
        \x20       x: u32,\n\
        \x20   ) -> CUresult;\n\
        } } }\n\
        macro_rules! one_newer_functions { ($with:path) => { $with! {\n\
        \x20   12050 fn cuLookedUp(x: u32) -> CUresult;\n\
        } } }\n";
    assert_eq!(declared::in_source(source), ["cuOne", "cuTwo_v2"]);
}

// ---- the stub

/// The SONAME and the NEEDED entries of an ELF file.
fn dynamic_strings(data: &[u8], tag: i64) -> Vec<String> {
    let file = ElfFile64::<Endianness>::parse(data).unwrap();
    let endian = file.endian();
    let sections = file.elf_header().sections(endian, data).unwrap();
    let (entries, strings) = sections.dynamic(endian, data).unwrap().expect("a dynamic section");
    let strings = sections.strings(endian, data, strings).unwrap();
    entries
        .iter()
        .filter(|entry| entry.tag(endian).0 == tag)
        .map(|entry| String::from_utf8(entry.string(endian, strings).unwrap().to_vec()).unwrap())
        .collect()
}

#[test]
fn the_stub_reads_back() {
    let names = names();
    for arch in [Arch::X86_64, Arch::Aarch64] {
        let stub = elfstub::stub(arch.machine(), SONAME, &names);
        assert_eq!(dynamic_strings(&stub, elf::DT_SONAME.0), [SONAME]);
        exports::check(&stub, arch.machine(), SONAME, &names).unwrap();

        let file = ElfFile64::<Endianness>::parse(&*stub).unwrap();
        assert_eq!(file.elf_program_headers().len(), 0);
        let read: Vec<&str> = file.dynamic_symbols().map(|symbol| symbol.name().unwrap()).collect();
        assert_eq!(read, names);
        let addresses: HashSet<u64> =
            file.dynamic_symbols().map(|symbol| symbol.address()).collect();
        assert_eq!(addresses.len(), names.len());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_loader_refuses_the_stub() {
    let folder = Folder::new("refused");
    let file = folder.write_stub();
    let path = CString::new(file.to_str().unwrap()).unwrap();
    // SAFETY: the path ends in a zero byte; a stub that was loaded would have nothing to run.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY) };
    assert!(handle.is_null());
    // SAFETY: has no precondition.
    let message = unsafe { libc::dlerror() };
    assert!(!message.is_null());
    // SAFETY: `dlopen` failed, so this is a string that ends in a zero byte; it lives until this
    // thread calls the loader again.
    let message = unsafe { CStr::from_ptr(message) };
    println!("{}", message.to_string_lossy());
}

/// The whole script, compiled, and run in `folder` with these variables and those of cargo. None where there is no rustc.
#[cfg(target_os = "linux")]
fn run_script(test: &str, folder: &Folder, variables: &[(&str, &str)]) -> Option<Output> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = folder.0.join("script");
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut compile = Command::new(rustc);
    compile.args(["--edition=2024", "--cap-lints=allow", "build/main.rs", "-o"]).arg(&script);
    match compile.current_dir(package).output() {
        Err(error) => {
            skipped(test, format!("rustc: {error}"));
            return None;
        }
        Ok(output) => assert!(output.status.success(), "{output:?}"),
    }
    let arch = std::env::consts::ARCH;
    let target = format!("{arch}-unknown-linux-gnu");
    let mut run = Command::new(&script);
    run.current_dir(package).env_clear().envs([
        ("HOST", &*target),
        ("TARGET", &*target),
        ("CARGO_CFG_TARGET_OS", "linux"),
        ("CARGO_CFG_TARGET_ENV", "gnu"),
        ("CARGO_CFG_TARGET_ARCH", arch),
        ("CARGO_CFG_TARGET_POINTER_WIDTH", "64"),
        ("CARGO_CFG_TARGET_ENDIAN", "little"),
    ]);
    let output = run.env("OUT_DIR", &folder.0).envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    Some(output)
}

/// A folder that a variable lists has libcuda: that is linked, through a link, and cargo is told of it.
#[test]
#[cfg(target_os = "linux")]
fn the_script_links_what_it_finds() {
    let folder = Folder::new("found");
    let stub = folder.write_stub();
    fs::create_dir(folder.0.join("lib")).unwrap();
    let driver = folder.0.join("lib/libcuda.so");
    fs::rename(stub, &driver).unwrap();
    let lib = driver.parent().unwrap().to_str().unwrap();
    let variables = [("LIBRARY_PATH", lib), ("PROFILE", "debug")];
    let Some(output) = run_script("the_script_links_what_it_finds", &folder, &variables) else {
        return;
    };
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("cargo::rustc-link-lib=dylib=cuscope_cuda\n"), "{said}");
    assert!(said.contains(&format!("cargo::rerun-if-changed={}\n", driver.display())), "{said}");
    assert_eq!(
        fs::canonicalize(folder.0.join("libcuscope_cuda.so")).unwrap(),
        fs::canonicalize(driver).unwrap()
    );
}

/// Run as for documentation, which looks for no libcuda, the script writes the stub by the name that a program has to ask the
/// loader for, and tells cargo all that its result depends on.
#[test]
#[cfg(target_os = "linux")]
fn the_script_links_a_stub_and_names_what_it_depends_on() {
    const TEST: &str = "the_script_links_a_stub_and_names_what_it_depends_on";
    let folder = Folder::new("script");
    let Some(output) = run_script(TEST, &folder, &[("DOCS_RS", "1")]) else { return };
    let said = String::from_utf8(output.stdout).unwrap();
    let told = |what: &str| -> Vec<&str> {
        let prefix = format!("cargo::{what}=");
        said.lines().filter_map(|line| line.strip_prefix(&*prefix)).collect()
    };
    assert_eq!(told("rustc-link-lib"), ["dylib=cuscope_cuda_stub"]);
    let stub = fs::read(folder.stub()).unwrap();
    assert_eq!(dynamic_strings(&stub, elf::DT_SONAME.0), ["libcuda.so.1"]);
    exports::check(&stub, own_arch().machine(), SONAME, &names()).unwrap();

    let mut variables = told("rerun-if-env-changed");
    variables.sort_unstable();
    let expected = [
        "CONDA_PREFIX",
        "CUDA_HOME",
        "CUDA_LIBRARY_PATH",
        "CUDA_PATH",
        "CUDA_ROOT",
        "CUDA_TOOLKIT_ROOT_DIR",
        "CUSCOPE_DRIVER",
        "DOCS_RS",
        "LD_LIBRARY_PATH",
        "LIBRARY_PATH",
    ];
    assert_eq!(variables, expected);
    let files = told("rerun-if-changed");
    assert!(["build", "src"].iter().all(|file| files.contains(file)), "{files:?}");
    let cache = "/etc/ld.so.cache";
    assert_eq!(files.contains(&cache), Path::new(cache).exists(), "{files:?}");
}

// ---- what may be linked

#[test]
fn a_file_that_lacks_a_function_is_named_with_it() {
    let machine = Arch::X86_64.machine();
    let old: Vec<String> = names().into_iter().filter(|name| name != "cuMemAllocAsync").collect();
    let unsuitable =
        exports::check(&elfstub::stub(machine, SONAME, &old), machine, SONAME, &names());
    let unsuitable = unsuitable.unwrap_err();
    assert_eq!(unsuitable, Unsuitable::Lacks("cuMemAllocAsync".to_owned()));
    assert!(unsuitable.to_string().contains("cuMemAllocAsync"));
}

/// A file does not export the functions that it refers to or keeps to itself.
#[test]
fn a_function_that_is_undefined_or_local_is_lacking() {
    let (machine, names) = (Arch::X86_64.machine(), names());
    let at = names.iter().position(|name| name == "cuMemAllocAsync").unwrap();
    let good = elfstub::stub(machine, SONAME, &names);
    let file = ElfFile64::<Endianness>::parse(&*good).unwrap();
    let (symbols, _) = file.section_by_name(".dynsym").unwrap().file_range().unwrap();
    let symbol = symbols as usize + 24 * (at + 1); // after the null symbol
    let mut undefined = good.clone();
    undefined[symbol + 6..symbol + 8].fill(0); // st_shndx: SHN_UNDEF
    let mut local = good.clone();
    local[symbol + 4] &= 0xf; // st_info: STB_LOCAL
    for other in [undefined, local] {
        let unsuitable = exports::check(&other, machine, SONAME, &names);
        assert_eq!(unsuitable, Err(Unsuitable::Lacks("cuMemAllocAsync".to_owned())));
    }
}

#[test]
fn a_file_by_another_name_is_not_linked() {
    let machine = Arch::X86_64.machine();
    for (is, words) in [("", "has no SONAME"), ("libnvcuda.so", "has the SONAME libnvcuda.so,")] {
        let other = elfstub::stub(machine, is, &names());
        let unsuitable = exports::check(&other, machine, SONAME, &names()).unwrap_err();
        let (is, wanted) = (is.to_owned(), SONAME.to_owned());
        assert_eq!(unsuitable, Unsuitable::Soname { is, wanted });
        assert!(unsuitable.to_string().contains(words), "{unsuitable}");
    }
}

#[test]
fn a_file_for_another_architecture_is_not_linked() {
    let (x86_64, aarch64) = (Arch::X86_64.machine(), Arch::Aarch64.machine());
    let stub = elfstub::stub(x86_64, SONAME, &names());
    let unsuitable = exports::check(&stub, aarch64, SONAME, &names()).unwrap_err();
    assert_eq!(unsuitable, Unsuitable::Machine { is: x86_64, wanted: aarch64 });
}

#[test]
fn a_file_that_is_no_library_is_not_linked() {
    let machine = Arch::X86_64.machine();
    let stub = elfstub::stub(machine, SONAME, &names());
    let script = b"INPUT(libcuda.so.1)".as_slice(); // a linker script, as some libraries are
    for garbage in [&[], script, &[0xff; 4096]] {
        let unsuitable = exports::check(garbage, machine, SONAME, &names());
        assert!(matches!(unsuitable, Err(Unsuitable::Unreadable(_))), "{unsuitable:?}");
    }
    for length in (0..stub.len()).step_by(16) {
        assert!(
            exports::check(&stub[..length], machine, SONAME, &names()).is_err(),
            "{length} bytes"
        );
    }
    let mut executable = stub;
    executable[16] = 2; // e_type: ET_EXEC
    assert_eq!(exports::check(&executable, machine, SONAME, &names()), Err(Unsuitable::NotShared));
}

#[test]
fn the_c_library_is_not_libcuda() {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let path = maps.lines().find_map(|line| line.find('/').map(|at| &line[at..]).filter(is_libc));
    let Some(path) = path else {
        return skipped("the_c_library_is_not_libcuda", "no libc.so.6 in this process");
    };
    let data = fs::read(path).unwrap();
    let machine = own_arch().machine();
    let (is, wanted) = ("libc.so.6".to_owned(), SONAME.to_owned());
    let unsuitable = exports::check(&data, machine, SONAME, &names());
    assert_eq!(unsuitable, Err(Unsuitable::Soname { is, wanted }));
    let unsuitable = exports::check(&data, machine, "libc.so.6", &names());
    assert_eq!(unsuitable, Err(Unsuitable::Lacks(names()[0].clone())));
    exports::check(&data, machine, "libc.so.6", &["malloc".to_owned()]).unwrap();
}

fn is_libc(path: &&str) -> bool {
    path.ends_with("/libc.so.6")
}

// ---- programs

const PROGRAM: &str = "\
    #include <stdio.h>\n\
    unsigned cuInit(unsigned);\n\
    int main(void) { printf(\"cuInit: %u\\n\", cuInit(0)); return 0; }\n";

const FAKE_DRIVER: &str = "unsigned cuInit(unsigned flags) { return 40 + flags; }\n";

#[test]
#[cfg(target_os = "linux")]
fn a_program_linked_with_the_stub_needs_libcuda_and_runs_on_it() {
    let folder = Folder::new("program");
    let Some(cc) = compiler() else {
        return skipped("a_program_linked_with_the_stub_needs_libcuda_and_runs_on_it", "no cc");
    };
    folder.write_stub();
    folder.write("main.c", PROGRAM);
    folder.write("fake.c", FAKE_DRIVER);
    cc(&folder, &["main.c", "-o", "main", "-L.", "-lcuscope_cuda_stub"]);
    let program = folder.0.join("main");
    let needed = dynamic_strings(&fs::read(&program).unwrap(), elf::DT_NEEDED.0);
    assert!(needed.contains(&SONAME.to_owned()), "{needed:?}");

    // a file that is the stub by the driver's name does not pass for one
    fs::create_dir(folder.0.join("stub")).unwrap();
    fs::copy(folder.stub(), folder.0.join("stub/libcuda.so.1")).unwrap();
    let refused = start(&program, &folder.0.join("stub"));
    let worked = choice::driver_works(); // then the loader goes on to the real one
    assert!(!refused.status.success() || worked, "{refused:?}");

    fs::create_dir(folder.0.join("driver")).unwrap();
    cc(&folder, &["-shared", "-fPIC", "fake.c", "-o", "driver/libcuda.so.1"]);
    let output = start(&program, &folder.0.join("driver"));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "cuInit: 40\n", "{output:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_links_with_a_link_to_libcuda() {
    let folder = Folder::new("link");
    let Some(cc) = compiler() else {
        return skipped("a_program_links_with_a_link_to_libcuda", "no cc");
    };
    folder.write("fake.c", FAKE_DRIVER);
    fs::create_dir(folder.0.join("driver")).unwrap();
    let driver = "driver/libcuda.so.1";
    cc(&folder, &["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "fake.c", "-o", driver]);
    let link = folder.0.join("libcuscope_cuda.so");
    std::os::unix::fs::symlink(folder.0.join(driver), link).unwrap();
    folder.write("main.rs", RUST_PROGRAM);
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    for linker in [&[] as &[&str], &["-Clink-arg=-fuse-ld=bfd"], &["-Clink-arg=-fuse-ld=gold"]] {
        let mut command = Command::new(&rustc);
        command.current_dir(&folder.0).args(["--edition=2024", "main.rs", "-Lnative=."]);
        let output = match command.args(linker).arg("-ldylib=cuscope_cuda").output() {
            Ok(output) => output,
            Err(error) => {
                return skipped(
                    "a_program_links_with_a_link_to_libcuda",
                    format!("rustc: {error}"),
                );
            }
        };
        let message = String::from_utf8_lossy(&output.stderr);
        if message.contains("cannot find 'ld'") || message.contains("invalid linker name") {
            let why = format!("{linker:?} is missing");
            skipped("a_program_links_with_a_link_to_libcuda", why);
            continue;
        }
        assert!(output.status.success(), "{linker:?}: {message}");
        let program = folder.0.join("main");
        let needed = dynamic_strings(&fs::read(&program).unwrap(), elf::DT_NEEDED.0);
        assert!(needed.contains(&SONAME.to_owned()), "{linker:?}: {needed:?}");
        let output = start(&program, &folder.0.join("driver"));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "cuInit: 40\n", "{output:?}");
    }
}

const RUST_PROGRAM: &str = "\
    unsafe extern \"C\" { fn cuInit(flags: u32) -> u32; }\n\
    fn main() { println!(\"cuInit: {}\", unsafe { cuInit(0) }); }\n";

fn own_arch() -> Arch {
    if cfg!(target_arch = "aarch64") { Arch::Aarch64 } else { Arch::X86_64 }
}

/// Runs `cc` in a folder; none where there is no `cc`.
fn compiler() -> Option<impl Fn(&Folder, &[&str])> {
    Command::new("cc").arg("--version").output().ok().filter(|output| output.status.success())?;
    Some(|folder: &Folder, arguments: &[&str]| {
        let output = Command::new("cc").current_dir(&folder.0).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    })
}

fn start(program: &Path, libraries: &Path) -> Output {
    Command::new(program).env("LD_LIBRARY_PATH", libraries).output().unwrap()
}

/// A folder for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("build_script_{name}"));
        let _ = fs::remove_dir_all(&path); // of a run that was interrupted
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.0.join(file), text).unwrap();
    }

    fn stub(&self) -> PathBuf {
        self.0.join("libcuscope_cuda_stub.so")
    }

    fn write_stub(&self) -> PathBuf {
        let stub = elfstub::stub(own_arch().machine(), SONAME, &names());
        fs::write(self.stub(), stub).unwrap();
        self.stub()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // what remains is in the target folder
    }
}
