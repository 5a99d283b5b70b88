//! Every declaration against NVIDIA's `nvrtc.h`.
//!
//! `NVRTC_INCLUDE` names the folders of several versions, each behind its version, as in
//! `11080=/a/include:13050=/b/include`: the header does not say which it is. Without the variable
//! nothing is checked. The declarations are written as C that compiles only if the header says the same.

#[path = "../../tests/common/skipped.rs"]
mod skipped;

use skipped::skipped;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

struct Function {
    name: &'static str,
    since: u32,
    until: Option<u32>,
    /// `-> T` first, then the parameters, as Rust writes them.
    types: Vec<&'static str>,
    linked: bool,
}

/// What is declared, from the lists of the crate.
fn functions() -> Vec<Function> {
    let mut all = Vec::new();
    let mut linked = true;
    macro_rules! collect {
        ($($(#[$meta:meta])* $since:literal $(until $until:literal)? fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty;)*) => {
            $(
                let until = None::<u32>;
                $(let until = until.or(Some($until));)?
                let types = vec![stringify!($ret), $(stringify!($ty)),*];
                all.push(Function { name: stringify!($name), since: $since, until, types, linked });
            )*
        };
    }
    cuscope_nvrtc_sys::nvrtc_functions!(collect);
    linked = false;
    cuscope_nvrtc_sys::nvrtc_newer_functions!(collect);
    cuscope_nvrtc_sys::nvrtc_dropped_functions!(collect);
    all
}

/// The codes, from the list of the crate, and the flags.
fn constants() -> Vec<(&'static str, u32)> {
    let mut all = Vec::new();
    macro_rules! collect {
        ($($(#[$meta:meta])* $name:ident = $number:literal,)*) => {
            $(all.push((stringify!($name), $number));)*
        };
    }
    cuscope_nvrtc_sys::nvrtc_results!(collect);
    macro_rules! flags { ($($name:ident)*) => { [$((stringify!($name), cuscope_nvrtc_sys::$name)),*] } }
    all.extend(flags!(
        NVRTC_INSTALL_HEADERS_SKIP_IF_EXISTS NVRTC_INSTALL_HEADERS_FORCE_OVERWRITE
        NVRTC_INSTALL_HEADERS_NO_WAIT
    ));
    all
}

struct Header {
    version: u32,
    folder: PathBuf,
    /// The text without comments.
    text: String,
}

impl Header {
    fn has(&self, word: &str) -> bool {
        words(&self.text).any(|it| it == word)
    }

    /// The functions of the C part.
    fn functions(&self) -> BTreeSet<&str> {
        let c_part = self.text.split("NVRTC_GET_TYPE_NAME").next().unwrap();
        let calls = c_part.split('(').filter_map(|before| words(before).last());
        calls
            .filter(|it| it.starts_with("nvrtc") && it.as_bytes()[5].is_ascii_uppercase())
            .collect()
    }

    /// The constants: the codes and the flags.
    fn constants(&self) -> BTreeSet<&str> {
        let named = |word: &&str| {
            ["NVRTC_SUCCESS", "NVRTC_ERROR_", "NVRTC_INSTALL_"]
                .iter()
                .any(|it| word.starts_with(it))
        };
        words(self.text.split("NVRTC_GET_TYPE_NAME").next().unwrap()).filter(named).collect()
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

fn compiler() -> String {
    env::var("CC").unwrap_or_else(|_| "cc".to_owned())
}

/// The headers from the oldest to the newest; none if they are not named.
fn headers() -> Option<Vec<Header>> {
    let Some(value) = env::var("NVRTC_INCLUDE").ok().filter(|value| !value.is_empty()) else {
        skipped("headers", "NVRTC_INCLUDE does not name folders of nvrtc.h, as 13000=/folder");
        return None;
    };
    let mut headers: Vec<Header> = value.split(':').map(read).collect();
    headers.sort_by_key(|header| header.version);
    Some(headers)
}

fn read(entry: &str) -> Header {
    let (version, folder) = entry.split_once('=').expect("version=folder");
    let folder = PathBuf::from(folder);
    let text = fs::read_to_string(folder.join("nvrtc.h")).unwrap();
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some((before, comment)) = rest.split_once("/*") {
        plain.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    Header { version: version.parse().unwrap(), folder, text: plain }
}

/// A Rust type as C.
fn c(ty: &str) -> String {
    let ty = ty.replace("* ", "*"); // `stringify!` writes a space there
    if let Some(to) = ty.strip_prefix("*mut ") {
        return format!("{} *", c(to));
    }
    if let Some(to) = ty.strip_prefix("*const ") {
        return match c(to) {
            // of a pointer, the pointer itself is constant
            to if to.ends_with('*') => format!("{to} const *"),
            to => format!("const {to} *"),
        };
    }
    match ty.as_str() {
        "c_char" => "char",
        "c_int" => "int",
        "c_uint" => "unsigned",
        "usize" => "size_t",
        "c_void" => "void",
        "nvrtcFlowCallback" => "rust_callback",
        other => other,
    }
    .to_owned()
}

/// What disagrees with a header.
fn wrong(header: &Header, functions: &[Function], constants: &[(&str, u32)]) -> BTreeSet<String> {
    let mut out = String::from(
        "#include <stddef.h>\n#include <nvrtc.h>\ntypedef int (*rust_callback)(void *, void *);\n\
        #define SAME(what, a, ...) \
        _Static_assert(__builtin_types_compatible_p(__typeof__(a), __typeof__(__VA_ARGS__)), what)\n\
        _Static_assert(sizeof(nvrtcResult) == 4 && (nvrtcResult)-1 > 0, \"nvrtcResult\");\n\
        SAME(\"nvrtcProgram\", nvrtcProgram, struct _nvrtcProgram *);\n",
    );
    for function in functions.iter().filter(|it| header.has(it.name)) {
        let Function { name, types, .. } = function;
        let arguments: Vec<String> = types[1..].iter().map(|ty| c(ty)).collect();
        let (returns, arguments) = (c(types[0]), arguments.join(", "));
        writeln!(out, "SAME(\"{name}\", &{name}, {returns} (*)({arguments}));").unwrap();
    }
    for (name, value) in constants.iter().filter(|(name, _)| header.has(name)) {
        writeln!(out, "_Static_assert({name} == {value}, \"{name}\");").unwrap();
    }
    if header.has("nvrtcBundledHeadersInfo") {
        layout(&mut out);
    }
    compile(header, &out)
}

/// The one struct: its fields and its size.
fn layout(out: &mut String) {
    use core::mem::offset_of;
    use cuscope_nvrtc_sys::nvrtcBundledHeadersInfo as Info;
    macro_rules! fields {
        ($($field:ident: $ty:literal)*) => { $(
            writeln!(
                out,
                "_Static_assert(offsetof(nvrtcBundledHeadersInfo, {0}) == {1}, \"offset of {0}\");\
                SAME(\"type of {0}\", ((nvrtcBundledHeadersInfo *)0)->{0}, {2});",
                stringify!($field), offset_of!(Info, $field), $ty,
            ).unwrap();
        )* };
    }
    fields!(available: "int" compressedSize: "size_t" uncompressedSize: "size_t"
        cudaVersionMajor: "int" cudaVersionMinor: "int" numFiles: "unsigned");
    let size = size_of::<Info>();
    writeln!(out, "_Static_assert(sizeof(nvrtcBundledHeadersInfo) == {size}, \"size\");").unwrap();
}

fn compile(header: &Header, text: &str) -> BTreeSet<String> {
    let name = format!("nvrtc-{}-{:?}.c", header.version, std::thread::current().id());
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&file, text).unwrap();
    let mut command = Command::new(compiler());
    command.args(["-std=gnu11", "-w", "-fmax-errors=0", "-fsyntax-only", "-I"]);
    let output = command.arg(&header.folder).arg(&file).env("LC_ALL", "C").output().unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    let mut wrong = BTreeSet::new();
    for line in messages.lines().filter(|line| line.contains("error:")) {
        let what = line.split_once("static assertion failed: \"").map(|(_, what)| what);
        wrong.insert(what.unwrap_or(line).trim_end_matches('"').to_owned());
    }
    assert!(output.status.success() || !wrong.is_empty(), "{messages}");
    wrong
}

#[test]
fn every_declaration_is_that_of_every_header() {
    for header in headers().unwrap_or_default() {
        let wrong = wrong(&header, &functions(), &constants());
        assert!(wrong.is_empty(), "{}: {wrong:?}", header.version);
        let checked = functions().iter().filter(|it| header.has(it.name)).count();
        assert!(checked >= 17, "{}: only {checked} functions were checked", header.version);
        eprintln!("NVRTC {}: {checked} functions", header.version);
    }
}

/// Nothing of the headers is forgotten, but for what is not C: `nvrtcGetTypeName`.
#[test]
fn everything_in_the_headers_is_declared() {
    let (functions, constants) = (functions(), constants());
    for header in headers().unwrap_or_default() {
        let declared: BTreeSet<&str> = functions.iter().map(|it| it.name).collect();
        let forgotten: Vec<_> = header.functions().difference(&declared).copied().collect();
        assert!(forgotten.is_empty(), "{}: {forgotten:?}", header.version);
        let declared: BTreeSet<&str> = constants.iter().map(|it| it.0).collect();
        let forgotten: Vec<_> = header.constants().difference(&declared).copied().collect();
        assert!(forgotten.is_empty(), "{}: {forgotten:?}", header.version);
    }
}

/// A function is in a header from the version on that it is said to be from, and not before. What is
/// linked is in all of them.
#[test]
fn every_function_came_with_the_version_that_it_says() {
    for header in headers().unwrap_or_default() {
        for Function { name, since, until, linked, .. } in functions() {
            let there = (since..until.unwrap_or(u32::MAX)).contains(&header.version);
            assert_eq!(header.has(name), there, "{name} in {}", header.version);
            assert!(there || !linked, "{name} is linked, and not in {}", header.version);
        }
    }
}

/// The proof sees what is wrong.
#[test]
fn planted_mistakes_are_found() {
    for header in headers().unwrap_or_default() {
        let planted = |name, types| Function { name, since: 0, until: None, types, linked: true };
        let functions = [
            planted("nvrtcVersion", vec!["nvrtcResult", "*mut c_int", "*mut c_uint"]),
            planted("nvrtcGetPTXSize", vec!["nvrtcResult", "nvrtcProgram", "*mut c_int"]),
            planted("nvrtcGetErrorString", vec!["*mut c_char", "nvrtcResult"]),
            planted("nvrtcDestroyProgram", vec!["nvrtcResult", "*mut nvrtcProgram"]),
        ];
        let wrong = wrong(&header, &functions, &[("NVRTC_ERROR_COMPILATION", 7)]);
        let expected =
            ["NVRTC_ERROR_COMPILATION", "nvrtcGetErrorString", "nvrtcGetPTXSize", "nvrtcVersion"];
        assert_eq!(wrong, expected.map(str::to_owned).into(), "{}", header.version);
    }
}
