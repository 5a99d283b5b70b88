//! Functions that not every driver has.
#![allow(unsafe_code, reason = "calls the driver")]
#![cfg(not(feature = "software"))] // there the symbols come with cuscope, which is not linked here

use cuscope_sys::{DRIVER, NeedsDriver, cuGreenCtxDestroy};

/// Without a driver, every function answers that there is none.
#[cfg(feature = "load")]
#[test]
fn a_program_runs_without_a_driver() {
    use cuscope_sys::{
        CUDA_ERROR_SHARED_OBJECT_INIT_FAILED as NONE, cuDriverGetVersion, cuInit, load,
    };
    let mut version = 0;
    // SAFETY: cuInit has no obligations; the version is written to an integer that is valid for it
    let codes = unsafe { [cuInit(0), cuDriverGetVersion(&raw mut version)] };
    match load() {
        Ok(()) => assert!(version > 0 && !codes.contains(&NONE), "{codes:?}"),
        Err(missing) => {
            assert_eq!((codes, version), ([NONE; 2], 0));
            assert!(missing.to_string().contains("install NVIDIA's driver"), "{missing}");
            assert!(format!("{missing:?}").contains("install NVIDIA's driver"), "{missing:?}");
        }
    }
}

/// A file of the name that is no driver is told from none. Each is tried in a process of its own, which looks there first.
#[cfg(all(feature = "load", target_os = "linux"))]
#[test]
fn a_file_that_is_no_driver_is_not_reported_as_missing() {
    use std::{env, fs, os::unix::fs::PermissionsExt, process::Command};
    const TOLD: &str = "CUSCOPE_TEST_TELLS_WHAT_IS_LOADED";
    if env::var_os(TOLD).is_some() {
        println!("{}", cuscope_sys::load().unwrap_err());
        return;
    }
    // A library that is loaded here, and no driver.
    let maps = fs::read_to_string("/proc/self/maps").expect("the libraries of this process");
    let other = maps.lines().filter_map(|line| Some(&line[line.find('/')?..]));
    let other = other.filter(|path| path.contains("libgcc_s")).map(fs::read).next();
    // Of 32 bits, by the byte behind the name of the format.
    let mut small = fs::read(env::current_exe().expect("this program")).expect("its file");
    small[4] = 1;
    small.truncate(4096);
    let cases: [(&str, Option<Vec<u8>>, &str); 6] = [
        ("text", Some(b"no library".repeat(1000)), "it is damaged"),
        ("cut", Some(b"\x7fELF".to_vec()), "file too short"),
        ("small", Some(small), "another kind of processor"),
        ("locked", Some(Vec::new()), "make it readable"),
        ("folder", None, "directory"),
        ("another", other.map(|read| read.expect("a library")), "without the function `cuInit`"),
    ];
    for (name, contents, words) in cases {
        let folder = env::temp_dir().join(format!("cuscope-{name}-{}", std::process::id()));
        let library = folder.join("libcuda.so.1");
        fs::create_dir_all(&folder).expect("a folder");
        match contents {
            Some(contents) => fs::write(&library, contents).expect("a file"),
            None if name == "another" => continue, // this process has no such library
            None => fs::create_dir_all(&library).expect("a folder"),
        }
        if name == "locked" {
            fs::set_permissions(&library, fs::Permissions::from_mode(0)).expect("its mode");
            if fs::read(&library).is_ok() {
                continue; // this user may read every file
            }
        }
        let test = "a_file_that_is_no_driver_is_not_reported_as_missing";
        let program = env::current_exe().expect("this program");
        let output = Command::new(program)
            .args([test, "--exact", "--nocapture"])
            .envs([(TOLD, "1".as_ref()), ("LD_LIBRARY_PATH", folder.as_os_str())])
            .output()
            .expect("a process");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let _gone = fs::remove_dir_all(&folder);
        assert!(text.contains(words), "{name}: {words}: {text}");
        assert!(!text.contains("cannot find"), "{name}: {text}");
    }
}

#[test]
fn the_error_says_what_is_needed() {
    let needs = NeedsDriver { function: "cuGreenCtxDestroy", since: 12040 };
    assert_eq!(needs.to_string(), "cuGreenCtxDestroy needs a driver of CUDA 12.4 or later");
    let needs = NeedsDriver { function: "cuX", since: 13050 };
    assert_eq!(needs.to_string(), "cuX needs a driver of CUDA 13.5 or later");
}

/// With a driver, that driver's answer; without one, none. Twice the same.
#[test]
fn a_function_is_found_once_and_for_all() {
    if DRIVER != "native" {
        return; // a reference, which the software driver has to have
    }
    let found = cuGreenCtxDestroy().map(|function| function as usize);
    assert_eq!(found, cuGreenCtxDestroy().map(|function| function as usize));
    if let Err(needs) = found {
        assert_eq!(needs, NeedsDriver { function: "cuGreenCtxDestroy", since: 12040 });
    }
}
