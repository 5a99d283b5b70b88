//! CUDA C++ compiled by NVRTC: what it gives, every option, and every mistake with the line that it is on.
//! Needs libnvrtc and no GPU. Where it is looked up and missing, one test says that everything says so,
//! and the others skip.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::skip;
use cuscope::nvrtc::{
    self, Arch, CompileError, CompileOptions, CppStandard, NvrtcError, NvrtcVersion, Program,
    Severity, ffi,
};
use cuscope::{Context, ContextFlags, ContextStack, Device, LaunchConfig, Library, driver_version};
use std::path::{Path, PathBuf};
use std::{fs, thread};

/// The version of NVRTC; leaves the test where there is none.
macro_rules! version {
    () => {
        match nvrtc::version() {
            Ok(version) => version,
            Err(NvrtcError::NotLoaded { .. }) => skip!("there is no libnvrtc"),
            Err(error) => panic!("{error}"),
        }
    };
}

const V12_0: NvrtcVersion = NvrtcVersion { major: 12, minor: 0 };
const V12_4: NvrtcVersion = NvrtcVersion { major: 12, minor: 4 };

const NOTHING: &str = "extern \"C\" __global__ void nothing() {}";

fn options() -> CompileOptions {
    CompileOptions::new().arch(Arch::compute(80))
}

fn ptx(source: &str, options: &CompileOptions) -> String {
    let compiled = Program::new("k.cu", source).compile(options).unwrap_or_else(|e| panic!("{e}"));
    compiled.ptx().unwrap().into_string().unwrap()
}

/// Returns the error of a refused program.
fn refused(program: &Program<'_>, options: &CompileOptions) -> Box<CompileError> {
    match program.compile(options) {
        Err(NvrtcError::Compile(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn without_a_library_everything_says_so() {
    let Err(error) = nvrtc::version() else { skip!("there is a libnvrtc") };
    let errors = [
        error,
        nvrtc::supported_archs().unwrap_err(),
        Program::new("k.cu", NOTHING).compile(&options()).unwrap_err(),
    ];
    let calls = ["nvrtcVersion", "nvrtcGetNumSupportedArchs", "nvrtcCreateProgram"];
    for (error, call) in errors.into_iter().zip(calls) {
        assert!(matches!(error, NvrtcError::NotLoaded { .. }), "{error}");
        assert_eq!((error.call(), error.code()), (call, None));
        let text = cuscope::Error::from(error).to_string();
        for part in [call, "libnvrtc.so.13", "LD_LIBRARY_PATH"] {
            assert!(text.contains(part), "{part} is not in: {text}");
        }
    }
    let device = Device::get(0).unwrap();
    assert!(nvrtc::options_for(device).is_err());
    assert!(nvrtc::compile_ptx(NOTHING, device).is_err());
}

#[test]
fn the_version_and_the_architectures_are_plausible() {
    let version = version!();
    assert!(version >= NvrtcVersion { major: 11, minor: 8 }, "{version}");
    let archs = nvrtc::supported_archs().unwrap();
    assert!(archs.is_sorted() && archs.contains(&80) && archs.contains(&90), "{archs:?}");
}

#[test]
fn source_becomes_a_kernel_that_runs() {
    let (version, driver) = (version!(), driver_version().unwrap());
    if (version.major, version.minor) > (driver.major, driver.minor) {
        skip!("the driver, of CUDA {driver}, does not know the PTX of NVRTC {version}");
    }
    let device = Device::get(0).unwrap();
    let source = "extern \"C\" __global__ void square(unsigned n, int *x) {\n\
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n if (i < n) x[i] *= x[i];\n}\n";
    let ptx = nvrtc::compile_ptx(source, device).unwrap();
    let library = Library::load(&ptx).unwrap();

    let context = Context::create(device, ContextFlags::default()).unwrap();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let stream = gpu.stream().unwrap();
    let square = gpu.load(&ptx).unwrap().function("square").unwrap();
    let mut values: Vec<i32> = (-500..500).collect();
    let expected: Vec<i32> = values.iter().map(|x| x * x).collect();
    let mut x = gpu.alloc(values.len()).unwrap();
    gpu.on(&stream).upload(&values, &mut x).unwrap();
    // SAFETY: the kernel's parameters are (unsigned n, int *x), and `x` has `n` elements.
    unsafe {
        gpu.on(&stream).launch_unchecked(
            &square,
            LaunchConfig::for_num_elems(1000).unwrap(),
            (1000_u32, &mut x),
        )
    }
    .unwrap();
    gpu.on(&stream).download(&x, &mut values).unwrap();
    assert_eq!(values, expected);
    // As a library, for this context as for any other.
    let square = library.kernel("square").unwrap().typed::<(u32, &mut [i32])>(&gpu).unwrap();
    gpu.on(&stream).fill(&mut x, -3).unwrap();
    // SAFETY: as above.
    unsafe {
        gpu.on(&stream).launch_unchecked(
            &square,
            LaunchConfig::for_num_elems(10).unwrap(),
            (10, &mut x),
        )
    }
    .unwrap();
    assert_eq!(gpu.on(&stream).to_vec(&x).unwrap()[..11], [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, -3]);
}

#[test]
fn templates_are_instantiated_and_variables_found_by_name_expression() {
    version!();
    let source = "namespace a { template <class T, int N> __global__ void k(T *x) { *x = N; } }\n\
        __constant__ int c = 1; __device__ float d;\n";
    let names = ["a::k<float, 3>", "a::k<unsigned long long, -1>", "&c", "&d"];
    let program = names.iter().fold(Program::new("k.cu", source), |it, n| it.name_expression(*n));
    let compiled = program.compile(&options()).unwrap();
    let ptx = compiled.ptx().unwrap().into_string().unwrap();
    let lowered: Vec<&str> = names.iter().map(|it| compiled.lowered_name(it).unwrap()).collect();
    assert_eq!(lowered[..2], ["_ZN1a1kIfLi3EEEvPT_", "_ZN1a1kIyLin1EEEvPT_"]);
    for name in lowered {
        assert!(ptx.contains(name), "{name} is not in: {ptx}");
    }

    let error = compiled.lowered_name("a::k<int, 3>").unwrap_err();
    assert_eq!(error.code(), Some(ffi::NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID));
    assert!(error.to_string().contains("`Program::name_expression`"), "{error}");
}

#[test]
fn a_name_expression_that_does_not_exist_is_in_the_error() {
    version!();
    let error = refused(&Program::new("k.cu", NOTHING).name_expression("nope<int>"), &options());
    assert_eq!(error.code(), ffi::NVRTC_ERROR_COMPILATION);
    let found = &error.log().diagnostics()[0];
    assert_eq!(found.file.as_deref(), Some("__nv_name_map"));
    assert!(found.message.contains("\"nope\""), "{found:?}");
    assert!(found.source.as_deref().is_some_and(|it| it.contains("nope<int>")), "{found:?}");
}

#[test]
fn an_error_shows_the_line_and_marks_the_place() {
    let version = version!();
    let source = "extern \"C\" __global__ void k(float *y) {\n    int i = threadIdx.x;\n    y[i] = foo;\n}\n";
    let error = refused(&Program::new("dir/k.cu", source), &options());
    assert_eq!(error.code(), ffi::NVRTC_ERROR_COMPILATION);
    let [found] = error.log().diagnostics() else { panic!("{error}") };
    assert_eq!((found.file.as_deref(), found.line), (Some("dir/k.cu"), Some(3)));
    assert_eq!(found.severity, Severity::Error);
    assert_eq!(found.source.as_deref(), Some("    y[i] = foo;"));
    let text = error.to_string();
    if version < V12_4 {
        // older ones show nothing: the line is from the source, and its first word is marked
        assert_eq!(found.column, None);
        let shown =
            "dir/k.cu(3): error: identifier \"foo\" is undefined\n      y[i] = foo;\n      ^";
        assert!(text.contains(shown), "{text}");
        return;
    }
    assert_eq!(found.column, Some(12));
    let shown =
        "dir/k.cu(3): error: identifier \"foo\" is undefined\n      y[i] = foo;\n             ^";
    for part in ["`nvrtcCompileProgram` failed: NVRTC_ERROR_COMPILATION (6)", shown] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
}

#[test]
fn errors_in_headers_name_the_header_and_a_missing_one_is_named() {
    version!();
    let program = Program::new("k.cu", "#include \"a.h\"\nint b = ;\n");
    let error = refused(&program.clone().header("a.h", "\n\n__device__ int x = ;\n"), &options());
    let found = &error.log().diagnostics()[0];
    assert_eq!((found.file.as_deref(), found.line), (Some("a.h"), Some(3)), "{error}");
    assert_eq!(found.source.as_deref(), Some("__device__ int x = ;"));

    let error = refused(&program.header("b.h", ""), &options());
    let found = &error.log().diagnostics()[0];
    assert_eq!((found.severity, found.line), (Severity::Fatal, Some(1)));
    assert!(found.message.contains("\"a.h\""), "{found:?}");
}

/// Where the compiler leaves the line out, and where it knows the PTX alone.
#[test]
fn lines_that_the_compiler_does_not_show_are_shown() {
    let version = version!();
    let brief =
        if version >= V12_4 { options().raw("--brief-diagnostics=true") } else { options() };
    let program =
        Program::new("k.cu", "#include \"a.h\"\n  int x = ;").header("a.h", "\n\tint y = ;");
    let text = refused(&program, &brief).to_string();
    for part in ["\n    int x = ;\n    ^", "\n  \tint y = ;\n  \t^"] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    let source = "extern \"C\" __global__ void k() { asm(\"bogus.op %0;\" :: \"r\"(1)); }";
    let error = refused(&Program::new("k.cu", source), &options().arch(Arch::sm(80)));
    let found = &error.log().diagnostics()[0];
    assert_eq!(found.file.as_deref(), Some("PTX"), "{error}");
    assert!(found.source.as_deref().is_some_and(|line| line.contains("bogus.op")), "{error}");
    let line = found.source.as_deref().unwrap().trim();
    assert!(error.to_string().contains(line), "{error}");
}

#[test]
fn an_unknown_option_or_architecture_is_named_and_so_is_what_there_is() {
    version!();
    let program = Program::new("k.cu", NOTHING);
    let error = refused(&program, &options().raw("--nonsense"));
    assert_eq!(error.code(), ffi::NVRTC_ERROR_INVALID_OPTION);
    assert!(error.log().diagnostics()[0].message.contains("--nonsense"), "{error}");

    let error = refused(&program, &CompileOptions::new().arch(Arch::compute(42)));
    assert_eq!(error.code(), ffi::NVRTC_ERROR_INVALID_OPTION);
    let text = error.to_string();
    for part in ["--gpu-architecture", "compute_42", "architectures: ", "80, "] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
    let error = cuscope::Error::from(NvrtcError::Compile(error));
    assert_eq!((error.call(), error.code()), (Some("nvrtcCompileProgram"), None));
}

#[test]
fn a_nul_is_refused_wherever_it_is() {
    version!();
    let new = || Program::new("k.cu", NOTHING);
    let programs = [
        (
            Program::new("k.cu", "int x;\0int y;"),
            "nvrtcCreateProgram",
            "the source contains a NUL byte at 6",
        ),
        (Program::new("k\0.cu", ""), "nvrtcCreateProgram", "the name of the program"),
        (new().header("a\0.h", ""), "nvrtcCreateProgram", "the name of a header"),
        (new().header("a.h", "\0"), "nvrtcCreateProgram", "the header \"a.h\""),
        (new().name_expression("k<\0>"), "nvrtcAddNameExpression", "a name expression"),
    ];
    for (program, call, part) in programs {
        let error = program.compile(&options()).unwrap_err();
        assert!(matches!(error, NvrtcError::InvalidArgument { .. }), "{error}");
        assert_eq!(error.call(), call);
        assert!(error.to_string().contains(part), "{part} is not in: {error}");
    }
    let error = new().compile(&options().raw("-DA=\0")).unwrap_err();
    assert!(matches!(error, NvrtcError::InvalidArgument { .. }), "{error}");
    let error = new().compile(&options()).unwrap().lowered_name("a\0").unwrap_err();
    assert_eq!(error.call(), "nvrtcGetLoweredName");
}

#[test]
fn an_empty_source_is_a_program_without_kernels() {
    version!();
    let text = ptx("", &options());
    assert!(text.contains(".version") && !text.contains(".entry"), "{text}");
    // a name may be empty, and strings need not be ASCII
    let compiled = Program::new("", "// gr\u{fc}n\n").compile(&options()).unwrap();
    assert!(compiled.log().is_empty() && compiled.ptx().is_ok());
    let error = refused(&Program::new("gr\u{fc}n.cu", "int x = ;"), &options());
    assert_eq!(error.log().diagnostics()[0].file.as_deref(), Some("gr\u{fc}n.cu"), "{error}");
}

#[test]
fn warnings_are_in_the_log_of_a_success() {
    version!();
    let source = "extern \"C\" __global__ void k() { int unused; }";
    let compiled = Program::new("k.cu", source).compile(&options()).unwrap();
    let [found] = compiled.log().diagnostics() else { panic!("{}", compiled.log()) };
    assert_eq!((found.severity, found.number, found.line), (Severity::Warning, Some(177), Some(1)));
    let quiet = Program::new("k.cu", source).compile(&options().disable_warnings(true)).unwrap();
    assert!(quiet.log().is_empty(), "{}", quiet.log());
}

#[test]
fn each_output_is_there_for_the_options_that_ask_for_it() {
    let version = version!();
    let program = Program::new("k.cu", NOTHING);

    let compiled = program.compile(&options()).unwrap();
    let error = compiled.cubin().unwrap_err();
    assert!(error.to_string().contains("Arch::sm(90)"), "{error}");
    let compiled = program.compile(&options().arch(Arch::sm(80))).unwrap();
    assert!(compiled.cubin().unwrap().starts_with(b"\x7fELF"));
    assert!(compiled.ptx().unwrap().to_str().unwrap().contains(".entry nothing"));

    if version < V12_0 {
        let error = compiled.lto_ir().unwrap_err();
        assert_eq!(
            error.to_string(),
            "`nvrtcGetLTOIRSize` was not called: nvrtcGetLTOIRSize needs NVRTC 12.0 or later; use another NVRTC"
        );
        assert!(matches!(compiled.optix_ir(), Err(NvrtcError::NeedsNvrtc { .. })));
        return;
    }
    assert!(matches!(compiled.lto_ir(), Err(NvrtcError::NoOutput { call: "nvrtcGetLTOIR", .. })));
    assert!(matches!(
        compiled.optix_ir(),
        Err(NvrtcError::NoOutput { call: "nvrtcGetOptiXIR", .. })
    ));
    let compiled = program.compile(&options().arch(Arch::sm(80)).lto(true)).unwrap();
    assert!(!compiled.lto_ir().unwrap().is_empty());
    assert!(matches!(compiled.ptx(), Err(NvrtcError::NoOutput { call: "nvrtcGetPTX", .. })));
    let error = compiled.cubin().unwrap_err();
    assert!(error.to_string().contains("LTO-IR"), "{error}");
    let compiled = program.compile(&options().optix_ir(true)).unwrap();
    assert!(!compiled.optix_ir().unwrap().is_empty());
}

/// How many registers a thread of a kernel uses, as the assembler says.
fn registers(options: &CompileOptions) -> u32 {
    let source = "extern \"C\" __global__ void k(float *x) { float v[64];\n\
        for (int i = 0; i < 64; ++i) v[i] = x[i * 7];\n\
        for (int j = 1; j < 9; ++j) for (int i = 0; i < 64; ++i) v[i] = v[i] * v[(i * j) % 64] + v[j];\n\
        for (int i = 0; i < 64; ++i) x[i * 5] = v[i]; }";
    let options = options.clone().raw("--ptxas-options=-v");
    let compiled = Program::new("k.cu", source).compile(&options).unwrap_or_else(|e| panic!("{e}"));
    let text = compiled.log().text();
    let used = text.split("Used ").nth(1).unwrap_or_else(|| panic!("{text}"));
    used.split(' ').next().unwrap().parse().unwrap()
}

/// Every option does what it says, as far as PTX shows.
#[test]
fn options_change_the_code() {
    version!();
    let source = "extern \"C\" __global__ void k(float *x, float *y) { x[0] = x[0] * y[0] + x[1];\n\
        x[2] /= y[1]; x[3] = sqrtf(y[2]); }";
    let plain = ptx(source, &options());
    for (options, without, with) in [
        (options().fmad(false), "fma.rn.f32", "mul.f32"),
        (options().flush_denormals(true), "fma.rn.f32", "fma.rn.ftz.f32"),
        (options().precise_division(false), "div.rn.f32", "div.full.f32"),
        (options().precise_sqrt(false), "sqrt.rn.f32", "sqrt.approx.f32"),
        (options().fast_math(true), "div.rn.f32", "sqrt.approx.ftz.f32"),
    ] {
        let changed = ptx(source, &options);
        let mul = |text: &str| text.replace("mul.rn.f32", "mul.f32").contains(with);
        assert!(plain.contains(without) && !mul(&plain), "{without}, {with}: {plain}");
        assert!(!changed.contains(without) && mul(&changed), "{options}: {changed}");
    }
    let sm = options().arch(Arch::sm(80));
    assert!(registers(&sm) > 24 && registers(&sm.max_registers(24)) <= 24);
    assert!(ptx(source, &options().line_info(true)).contains(".loc"));
    assert!(!plain.contains(".loc"));
    assert!(ptx(source, &options().debug(true)).contains(".debug"));
    let unused = "extern \"C\" __device__ int unused() { return 1; }";
    assert!(!ptx(unused, &options()).contains(".func"));
    assert!(ptx(unused, &options().relocatable(true)).contains(".func"));
    assert!(
        ptx(
            "int f() { return 1; } __global__ void k(int *x) { *x = f(); }",
            &options().device_by_default(true)
        )
        .contains(".entry")
    );
    let loads =
        "extern \"C\" __global__ void k(const int *x, int *y) { y[0] = x[0]; y[1] = x[0]; }";
    assert!(!ptx(loads, &options()).contains("ld.global.nc"));
    assert!(ptx(loads, &options().restrict(true)).contains("ld.global.nc"));
}

#[test]
fn the_preprocessor_gets_what_it_is_told() {
    let version = version!();
    let folder = Folder::new("nvrtc_include");
    folder.write("in the folder.h", "#define B 3\n");
    let source = "#include \"in the folder.h\"\n\
        static_assert(A == 2 && B == 3 && C == 4, \"\");\n\
        #ifdef D\n#error it is defined\n#endif\n\
        #ifndef EMPTY\n#error it is not\n#endif\n__device__ int EMPTY f();\n";
    let options = options()
        .define("A", 2)
        .define("EMPTY", "")
        .define("D", 1)
        .undefine("D")
        .include(&folder.0)
        .pre_include("c.h")
        .std(CppStandard::Cpp11);
    let program = Program::new("k.cu", source).header("c.h", "#define C 4\n");
    program.compile(&options).unwrap_or_else(|e| panic!("{e}"));

    // a header of the program goes before one of a folder
    let program = program.header("in the folder.h", "#define B 5\n");
    assert_eq!(refused(&program, &options).log().diagnostics()[0].line, Some(2));

    // the folder in the program's name is searched too
    let name = folder.0.join("k.cu");
    let program = Program::new(name.to_str().unwrap(), "#include \"in the folder.h\"\n");
    program.compile(&self::options()).unwrap_or_else(|e| panic!("{e}"));

    let mut standards = vec![
        (CppStandard::Cpp03, "199711L"),
        (CppStandard::Cpp11, "201103L"),
        (CppStandard::Cpp14, "201402L"),
        (CppStandard::Cpp17, "201703L"),
    ];
    if version >= V12_0 {
        standards.push((CppStandard::Cpp20, "202002L"));
    }
    if version >= (NvrtcVersion { major: 13, minor: 3 }) {
        standards.push((CppStandard::Cpp23, "202302L"));
    }
    for (standard, expected) in standards {
        let source = format!("#if __cplusplus != {expected}\n#error another\n#endif\n");
        let options = self::options().std(standard);
        Program::new("k.cu", source).compile(&options).unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn times_are_written_and_a_file_that_cannot_be_is_an_error() {
    let version = version!();
    if version < (NvrtcVersion { major: 12, minor: 1 }) {
        skip!("NVRTC {version} does not write times");
    }
    let folder = Folder::new("nvrtc_time");
    let file = folder.0.join("times.csv");
    let program = Program::new("k.cu", NOTHING);
    let mut options = options().time(&file);
    if version >= V12_4 {
        options = options.minimal(true);
    }
    program.compile(&options).unwrap_or_else(|e| panic!("{e}"));
    assert!(!fs::read_to_string(&file).unwrap().is_empty());
    let error = refused(&program, &options.time("/no such folder/times.csv"));
    assert_eq!(error.code(), ffi::NVRTC_ERROR_TIME_FILE_WRITE_FAILED, "{error}");
}

#[test]
fn options_for_a_device_are_for_that_device() {
    version!();
    let device = Device::get(0).unwrap();
    let (major, minor) = device.compute_capability().unwrap();
    let capability = u32::try_from(major * 10 + minor).unwrap();
    let options = nvrtc::options_for(device).unwrap();
    let arch = options.chosen_arch().unwrap();
    assert!(!arch.is_real() && arch.capability() <= capability, "{arch}");
    assert!(nvrtc::supported_archs().unwrap().contains(&arch.capability()), "{arch}");
    let arch = nvrtc::code_options_for(device).unwrap().chosen_arch().unwrap();
    assert_eq!(arch, Arch::sm(capability));
}

/// Programs are compiled by several threads at once, and one that is compiled is read by several.
#[test]
fn threads_compile_and_share() {
    version!();
    thread::scope(|scope| {
        for thread in 0..4_u32 {
            scope.spawn(move || {
                for round in 0..5_u32 {
                    let n = thread * 100 + round;
                    let source =
                        format!("template <int N> __global__ void k{n}(int *x) {{ *x = N; }}");
                    let name = format!("k{n}<7>");
                    let program = Program::new("k.cu", source).name_expression(&*name);
                    let compiled = program.compile(&options()).unwrap();
                    let lowered = compiled.lowered_name(&name).unwrap();
                    let ptx = compiled.ptx().unwrap().into_string().unwrap();
                    assert!(lowered.contains(&format!("k{n}")) && ptx.contains(lowered), "{ptx}");
                    let error = refused(&Program::new("k.cu", format!("int k{n} = ;")), &options());
                    assert!(error.to_string().contains(&format!("int k{n} = ;")), "{error}");
                }
            });
        }
    });
    let compiled = Program::new("k.cu", "template <int N> __global__ void k() {}")
        .name_expression("k<1>")
        .compile(&options())
        .unwrap();
    let first = compiled.ptx().unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    assert_eq!(compiled.ptx().unwrap(), first);
                    assert_eq!(compiled.lowered_name("k<1>").unwrap(), "_Z1kILi1EEvv");
                }
            });
        }
    });
    // freed by another thread than the one that compiled it
    thread::spawn(move || drop(compiled)).join().unwrap();
}

/// The recipe is what the crate in `.ci` runs.
#[test]
fn the_build_scripts_in_the_docs_are_those_that_are_run() {
    let docs = include_str!("../../docs/kernels-at-build-time.md");
    for script in [
        include_str!("../../.ci/kernels-at-build-time/build/nvrtc.rs"),
        include_str!("../../.ci/kernels-at-build-time/build/nvcc.rs"),
    ] {
        assert!(
            docs.contains(&format!("```rust,ignore\n{script}```\n")),
            "not in the docs: {script}"
        );
    }
    let program = include_str!("../../.ci/kernels-at-build-time/src/main.rs");
    for line in docs.lines().filter(|line| line.contains("SAXPY")) {
        let line = line.trim();
        assert!(program.lines().any(|it| it.trim() == line), "not in the program: {line}");
    }
}

/// A folder for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path); // of a run that was interrupted
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.0.join(file), text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // what remains is in the target folder
    }
}
