//! The executable, with this test as the program: it looks libcuda up as other programs do.
#![cfg(target_os = "linux")]
#![allow(unsafe_code, reason = "the library is called by name, and signals are sent")]

use std::ffi::{CString, c_uint, c_void};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{env, fs, process, thread, time};

/// The variable that tells the program its task.
const ACT: &str = "CUSCOPE_TEST_ACT";
const TOOL: &str = env!("CARGO_BIN_EXE_cuscope-softcuda");

/// The address of a function of libcuda.so.1.
fn function(name: &str) -> *mut c_void {
    // SAFETY: a name that ends in NUL; the library's initialisation does nothing that could go wrong.
    let library = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW) };
    assert!(!library.is_null(), "there is no libcuda.so.1");
    let name = CString::new(name).unwrap();
    // SAFETY: an open library, and a name that ends in NUL.
    let function = unsafe { libc::dlsym(library, name.as_ptr()) };
    assert!(!function.is_null(), "no {name:?}");
    function
}

/// Calls a function with a number; the others that it takes are not looked at.
fn call(name: &str, argument: c_uint) -> c_uint {
    // SAFETY: the functions that the test names take a number, or look at no argument.
    let function: extern "C" fn(c_uint) -> c_uint = unsafe { std::mem::transmute(function(name)) };
    function(argument)
}

/// How many devices there are.
fn devices() -> i32 {
    // SAFETY: the function of this name takes a pointer to a number.
    let count: extern "C" fn(*mut i32) -> c_uint =
        unsafe { std::mem::transmute(function("cuDeviceGetCount")) };
    let mut devices = 0;
    assert_eq!(count(&raw mut devices), 0);
    devices
}

/// A new context, which is current.
fn context() -> *mut c_void {
    // SAFETY: the function of this name takes room for a handle, flags, and a device.
    let create: extern "C" fn(*mut *mut c_void, c_uint, i32) -> c_uint =
        unsafe { std::mem::transmute(function("cuCtxCreate_v2")) };
    let mut context = std::ptr::null_mut();
    assert_eq!(create(&raw mut context, 0, 0), 0);
    context
}

/// Destroys it.
fn end(context: *mut c_void) {
    // SAFETY: the function of this name takes a context.
    let destroy: extern "C" fn(*mut c_void) -> c_uint =
        unsafe { std::mem::transmute(function("cuCtxDestroy_v2")) };
    assert_eq!(destroy(context), 0);
}

/// The answer to a module of a text.
fn load(text: &std::ffi::CStr) -> c_uint {
    // SAFETY: the function of this name takes room for a handle, and an image.
    let load: extern "C" fn(*mut *mut c_void, *const std::ffi::c_char) -> c_uint =
        unsafe { std::mem::transmute(function("cuModuleLoadData")) };
    let mut module = std::ptr::null_mut();
    load(&raw mut module, text.as_ptr())
}

/// Allocates 128 bytes.
fn allocate() {
    // SAFETY: the function of this name takes room for an address, and a size.
    let allocate: extern "C" fn(*mut u64, usize) -> c_uint =
        unsafe { std::mem::transmute(function("cuMemAlloc_v2")) };
    let mut address = 0;
    assert_eq!(allocate(&raw mut address, 128), 0);
}

/// The program, as what the environment says; not a test of its own.
#[test]
fn program() {
    let Ok(act) = env::var(ACT) else { return };
    if act == "nothing" {
        return;
    }
    assert_eq!(call("cuInit", 0), 0);
    match act.as_str() {
        "devices" => println!("{} devices", devices()),
        "unsupported" => assert_eq!(call("cuCheckpointProcessLock", 0), 801),
        "failed call" => assert_eq!(call("cuDevicePrimaryCtxRelease_v2", 0), 201),
        "refused" => {
            let context = context();
            assert_eq!(load(c".version 8.0\n.target sm_90\n.address_size 64\n.strange\n"), 218);
            end(context);
        }
        "leak" => {
            let context = context();
            allocate();
            end(context);
        }
        "well" => end(context()),
        "status" => process::exit(7),
        "abort" => process::abort(),
        "wait" => {
            println!("waits");
            thread::sleep(time::Duration::from_secs(60));
        }
        "children" => {
            for act in ["devices", "unsupported"] {
                let mut child = Command::new(env::current_exe().unwrap());
                let child = child.args(["program", "--exact"]).env(ACT, act);
                assert!(child.output().unwrap().status.success());
            }
        }
        _ => panic!("{act}"),
    }
}

/// The executable with options, and this program that is to act so.
fn tool(options: &[&str], act: &str) -> Command {
    let mut command = Command::new(TOOL);
    command.arg("run").args(options).arg("--").arg(env::current_exe().unwrap());
    command.args(["program", "--exact", "--nocapture"]).env(ACT, act);
    command
}

fn run(options: &[&str], act: &str) -> (Output, String, String) {
    let output = tool(options, act).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    (output, out, err)
}

#[test]
fn a_program_finds_the_library_and_its_options() {
    let (output, out, err) = run(&["--devices", "3"], "devices");
    assert!(output.status.success() && out.contains("3 devices"), "{out}\n{err}");
    assert!(
        err.contains("2 calls of 2 functions, 0 failed") && err.contains("ERROR SUMMARY: 0 errors")
    );
    let (.., err) = run(&["--quiet"], "devices");
    assert_eq!(err, "");
}

#[test]
fn the_end_is_that_of_the_program() {
    for (act, code, signal) in [("status", Some(7), None), ("abort", None, Some(libc::SIGABRT))] {
        let (output, _, err) = run(&[], act);
        assert_eq!((output.status.code(), output.status.signal()), (code, signal), "{err}");
        assert_eq!(err.contains("did not come to its end"), signal.is_some(), "{err}");
    }
    let status = Command::new(TOOL).args(["run", "/no/such/program"]).output().unwrap().status;
    assert_eq!(status.code(), Some(127));
    let status = Command::new(TOOL).args(["run", "--no-such-option"]).output().unwrap().status;
    assert_eq!(status.code(), Some(2));
}

#[test]
fn a_failure_fails_the_job_unless_it_is_allowed() {
    for (act, allowed, says) in [
        ("unsupported", "unsupported", "Not supported"),
        ("failed call", "calls", "Program hit: CUDA_ERROR_INVALID_CONTEXT (error 201)"),
        ("refused", "refused,calls", "PTX was refused: line 4"),
        ("leak", "leaks", "LEAK SUMMARY: 128 bytes leaked in 1 allocation"),
    ] {
        let (output, _, err) = run(&["--error-exitcode", "9", "--quiet"], act);
        assert_eq!(output.status.code(), Some(9), "{act}: {err}");
        assert!(err.contains(says), "{act}: {err}");
        let (output, _, err) = run(&["--error-exitcode", "9", "--allow", allowed], act);
        assert_eq!(output.status.code(), Some(0), "{act}: {err}");
    }
    let (output, _, err) = run(&["--error-exitcode", "9", "--quiet"], "well");
    assert_eq!((output.status.code(), &*err), (Some(0), ""));
}

#[test]
fn signals_reach_the_program() {
    let mut child =
        tool(&[], "wait").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("waits")));
    // SAFETY: sends a signal to a child whose end nobody has waited for.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) }, 0);
    assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGTERM));
}

#[test]
fn every_process_is_told_of() {
    let file = env::temp_dir().join(format!("cuscope-report-{}", process::id()));
    let (output, _, err) = run(&["--output", file.to_str().unwrap()], "children");
    assert!(output.status.success() && err.is_empty(), "{err}");
    let text = fs::read_to_string(&file).unwrap();
    fs::remove_file(file).unwrap();
    assert_eq!(text.matches("SOFTWARE DRIVER: process ").count(), 3, "{text}");
    assert_eq!(text.matches("on 1 call of cuCheckpointProcessLock").count(), 1, "{text}");
    // Of those with which all is well, nothing.
    let (.., err) = run(&["--quiet"], "children");
    assert_eq!(err.matches("SOFTWARE DRIVER: process ").count(), 1, "{err}");
    // Nobody used it.
    let (output, _, err) = run(&[], "nothing");
    assert!(output.status.success() && err.contains("no process called cuInit"), "{err}");
}

#[test]
fn the_library_is_written_to_a_folder() {
    let folder: PathBuf = env::temp_dir().join(format!("cuscope-library-{}", process::id()));
    for _again in 0..2 {
        let output = Command::new(TOOL).arg("library").arg(&folder).output().unwrap();
        assert!(output.status.success());
        assert_eq!(Path::new(String::from_utf8(output.stdout).unwrap().trim_end()), folder);
    }
    let mut program = Command::new(env::current_exe().unwrap());
    program.args(["program", "--exact", "--nocapture"]).env(ACT, "devices");
    let output = program.env("LD_LIBRARY_PATH", &folder).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("2 devices"));
    assert!(folder.join("libcuda.so").is_symlink());
    fs::remove_dir_all(folder).unwrap();
}
