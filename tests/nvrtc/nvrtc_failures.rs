//! Every function of NVRTC fails in turn: the error names it, nothing panics, no program is left. A library
//! of our own answers for NVRTC, so this needs a build that looks it up, and a C compiler.

use crate::{common, skip};
use cuscope::nvrtc::{self, Arch, CompileOptions, NvrtcError, Program, ffi};
use std::cell::RefCell;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Which function is to fail, for the library and the test in a child process.
const FAILS: &str = "CUSCOPE_TEST_NVRTC_FAILS";

/// The functions that the safe layer calls, each failing if it is named.
const LIBRARY: &str = r#"
#include <stdlib.h>
#include <string.h>
#define CODE (getenv("CUSCOPE_TEST_NVRTC_FAILS") && !strcmp(getenv("CUSCOPE_TEST_NVRTC_FAILS"), __func__) ? 11 : 0)
#define OUTPUT(name, text) \
    int nvrtcGet##name##Size(void *p, size_t *n) { if (CODE) return CODE; *n = sizeof text; return 0; } \
    int nvrtcGet##name(void *p, char *out) { if (CODE) return CODE; memcpy(out, text, sizeof text); return 0; }
static int alive;
int nvrtcVersion(int *major, int *minor) { if (CODE) return CODE; *major = 42; *minor = 1; return 0; }
// as many as there are programs, so that the test can ask
int nvrtcGetNumSupportedArchs(int *n) { if (CODE) return CODE; *n = alive; return 0; }
int nvrtcGetSupportedArchs(int *archs) { if (CODE) return CODE; memset(archs, 0, alive * sizeof *archs); return 0; }
int nvrtcCreateProgram(void **p, const char *s, const char *n, int c, char **h, char **i) {
    if (CODE) return CODE;
    ++alive;
    *p = &alive;
    return 0;
}
int nvrtcDestroyProgram(void **p) { --alive; *p = 0; return CODE; }
int nvrtcCompileProgram(void *p, int n, char **options) { return CODE; }
int nvrtcAddNameExpression(void *p, const char *name) { return CODE; }
int nvrtcGetLoweredName(void *p, const char *name, const char **out) { if (CODE) return CODE; *out = "lowered"; return 0; }
OUTPUT(PTX, "ptx") OUTPUT(CUBIN, "cubin") OUTPUT(LTOIR, "lto") OUTPUT(OptiXIR, "optix")
OUTPUT(ProgramLog, "k.cu(1): warning: from a library of our own")
"#;

const FUNCTIONS: [&str; 19] = [
    "none",
    "nvrtcVersion",
    "nvrtcGetNumSupportedArchs",
    "nvrtcGetSupportedArchs",
    "nvrtcCreateProgram",
    "nvrtcDestroyProgram",
    "nvrtcAddNameExpression",
    "nvrtcCompileProgram",
    "nvrtcGetLoweredName",
    "nvrtcGetPTXSize",
    "nvrtcGetPTX",
    "nvrtcGetCUBINSize",
    "nvrtcGetCUBIN",
    "nvrtcGetLTOIRSize",
    "nvrtcGetLTOIR",
    "nvrtcGetOptiXIRSize",
    "nvrtcGetOptiXIR",
    "nvrtcGetProgramLogSize",
    "nvrtcGetProgramLog",
];

#[test]
fn whatever_fails_the_error_names_it_and_no_program_is_left() {
    if ffi::LINKED {
        skip!("the program is linked with libnvrtc");
    }
    if let Ok(fails) = env::var(FAILS) {
        return in_child(&fails);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nvrtc_failures");
    fs::create_dir_all(&folder).unwrap();
    let (source, library) = (folder.join("nvrtc.c"), folder.join("libnvrtc.so.13"));
    fs::write(&source, LIBRARY).unwrap();
    let mut compiler = Command::new(env::var_os("CC").unwrap_or("cc".into()));
    let Ok(status) =
        compiler.args(["-shared", "-fPIC", "-w", "-o"]).args([&library, &source]).status()
    else {
        skip!("no C compiler; the variable CC names one")
    };
    assert!(status.success());

    let test = "whatever_fails_the_error_names_it_and_no_program_is_left";
    for function in FUNCTIONS {
        let variables = [(FAILS, function), ("LD_LIBRARY_PATH", folder.to_str().unwrap())];
        let output = common::respawn_with(module_path!(), test, &variables);
        common::assert_success(function, &output.expect("this is not the child"));
    }
}

/// Every operation once; what fails is noted.
fn in_child(fails: &str) {
    let errors = RefCell::new(Vec::<NvrtcError>::new());
    fn noted<T>(errors: &RefCell<Vec<NvrtcError>>, result: Result<T, NvrtcError>) -> Option<T> {
        result.map_err(|error| errors.borrow_mut().push(error)).ok()
    }
    let (send, dropped) = std::sync::mpsc::channel();
    cuscope::on_release_error(move |error| send.send(error.clone()).unwrap());

    if let Some(version) = noted(&errors, nvrtc::version()) {
        assert_eq!(version.to_string(), "42.1");
    }
    let program = Program::new("k.cu", "the source").name_expression("name").header("a.h", "");
    let options = CompileOptions::new().arch(Arch::sm(90));
    if let Some(compiled) = noted(&errors, program.compile(&options)) {
        let outputs = [
            noted(&errors, compiled.ptx().map(|ptx| ptx.into_bytes())).map(|it| (it, "ptx")),
            noted(&errors, compiled.cubin()).map(|it| (it, "cubin\0")),
            noted(&errors, compiled.lto_ir()).map(|it| (it, "lto\0")),
            noted(&errors, compiled.optix_ir()).map(|it| (it, "optix\0")),
        ];
        for (bytes, expected) in outputs.into_iter().flatten() {
            assert_eq!(bytes, expected.as_bytes());
        }
        if let Some(name) = noted(&errors, compiled.lowered_name("name")) {
            assert_eq!(name, "lowered");
        }
        let shown = "k.cu(1): warning: from a library of our own\n  the source\n  ^";
        assert_eq!(compiled.log().text(), shown);
        if fails == "none" {
            assert_eq!(nvrtc::supported_archs(), Ok(vec![0])); // one program is alive
        }
    }
    if let Some(alive) = noted(&errors, nvrtc::supported_archs()) {
        assert_eq!(alive.len(), 0, "{fails}: a program is left");
    }

    let errors = errors.into_inner();
    let dropped: Vec<cuscope::Error> = dropped.try_iter().collect();
    if fails == "nvrtcDestroyProgram" {
        let [error] = &*dropped else { panic!("{dropped:?}") };
        assert_eq!(error.call(), Some(fails));
        assert_eq!(errors, []);
        return;
    }
    assert_eq!(dropped, []);
    let names: Vec<&str> = errors.iter().map(NvrtcError::call).collect();
    if fails == "none" {
        assert_eq!(names, [""; 0]);
        return;
    }
    assert_eq!(names, [fails]);
    assert_eq!(errors[0].code(), Some(ffi::NVRTC_ERROR_INTERNAL_ERROR));
    let text = errors[0].to_string();
    for part in [fails, "NVRTC_ERROR_INTERNAL_ERROR (11)", "the compiler has a bug"] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    let has_log = fails == "nvrtcCompileProgram";
    assert_eq!(errors[0].log().is_some_and(|it| !it.is_empty()), has_log, "{text}");
}
