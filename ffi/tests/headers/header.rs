//! The contents of a folder of NVIDIA's headers.

use crate::skipped::skipped;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::{env, fs, iter};

/// One version of `cuda.h`, and of the headers for graphics beside it.
pub(crate) struct Header {
    pub(crate) folder: PathBuf,
    /// `CUDA_VERSION`.
    pub(crate) version: u32,
    /// The newest of those at hand: it has everything.
    pub(crate) newest: bool,
    /// Every identifier outside comments.
    identifiers: BTreeSet<String>,
    /// The functions that a program gets which names them without a version.
    pub(crate) current: BTreeSet<String>,
    /// All functions, those of earlier versions included.
    pub(crate) functions: BTreeSet<String>,
    /// The constants of all enumerations, and those that are macros.
    pub(crate) constants: BTreeSet<String>,
    /// The types that are given a name.
    pub(crate) types: BTreeSet<String>,
    /// The members of a struct or union, by its name.
    members: BTreeMap<String, BTreeSet<String>>,
    /// The versions in the names of `cudaTypedefs.h` and those for graphics, by the function's name without one.
    pub(crate) since: BTreeMap<String, BTreeSet<u32>>,
}

/// The folders that `CUDA_INCLUDE` names, from the oldest header to the newest; none if it is not set. Whoever sets it
/// has a C compiler.
pub(crate) fn headers() -> Option<&'static [Header]> {
    static HEADERS: OnceLock<Option<Vec<Header>>> = OnceLock::new();
    HEADERS.get_or_init(read_all).as_deref()
}

fn read_all() -> Option<Vec<Header>> {
    let Some(folders) = env::var_os("CUDA_INCLUDE").filter(|value| !value.is_empty()) else {
        skipped("headers", "CUDA_INCLUDE does not name folders of cuda.h, separated by colons");
        return None;
    };
    let mut headers: Vec<Header> = env::split_paths(&folders).map(Header::read).collect();
    headers.sort_by_key(|header| header.version);
    headers.last_mut().expect("CUDA_INCLUDE names no folder").newest = true;
    Some(headers)
}

fn compiler() -> String {
    env::var("CC").unwrap_or_else(|_| "cc".to_owned())
}

/// Runs the C compiler over `text`, which is kept as `file`.
pub(crate) fn compile(folder: &Path, file: &str, text: &str, arguments: &[&str]) -> Output {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    fs::write(&file, text).unwrap();
    let mut command = Command::new(compiler());
    command.args(["-std=gnu11", "-w", "-fmax-errors=0"]).args(arguments);
    // Headers of graphics that are installed go before those here.
    command.arg("-I").arg(folder).arg("-idirafter").arg(interfaces());
    command.arg("-DEGL_NO_X11").arg(&file).env("LC_ALL", "C");
    command.output().expect("CUDA_INCLUDE is set, so there is a C compiler, which CC may name")
}

/// Types of the headers of Windows, which that for OpenGL includes there.
const OF_WINDOWS: [&str; 4] = ["CURRENCY", "CURRENCYFMT", "CUSTDATA", "CUSTDATAITEM"];

/// The headers with NVIDIA's declarations of functions for graphics. That of VDPAU includes nothing.
const GRAPHICS: &[(&str, &str)] = &[("GL", ""), ("EGL", ""), ("VDPAU", "vdpau/vdpau.h")];

/// Declarations that NVIDIA's headers take from those of OpenGL, EGL and VDPAU, as the manuals of these say.
const INTERFACES: &[(&str, &str)] = &[
    ("GL/gl.h", "typedef unsigned int GLuint, GLenum;"),
    ("EGL/egl.h", "typedef int EGLint;"),
    ("EGL/eglext.h", "typedef void *EGLImageKHR, *EGLStreamKHR, *EGLSyncKHR;"),
    (
        "vdpau/vdpau.h",
        "typedef unsigned int VdpDevice, VdpVideoSurface, VdpOutputSurface;\n\
        typedef unsigned int VdpGetProcAddress(VdpDevice, unsigned int, void **);",
    ),
];

/// The folder of [`INTERFACES`].
fn interfaces() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interfaces");
        for (name, text) in INTERFACES {
            let file = folder.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, format!("#pragma once\n{text}\n")).unwrap();
        }
        folder
    })
}

/// Includes all headers that declare functions of the driver, or their types by version.
pub(crate) fn includes(kind: &str) -> String {
    let mut all = format!("#include <cuda{kind}.h>\n");
    for (name, needed) in GRAPHICS {
        if !needed.is_empty() {
            all += &format!("#include <{needed}>\n");
        }
        all += &format!("#include <cuda{name}{kind}.h>\n");
    }
    all
}

impl Header {
    fn read(folder: PathBuf) -> Self {
        let read = |kind: &str| {
            let names = iter::once("").chain(GRAPHICS.iter().map(|(name, _)| *name));
            let files = names.map(|name| folder.join(format!("cuda{name}{kind}.h")));
            let read = |file: PathBuf| {
                fs::read_to_string(&file)
                    .unwrap_or_else(|error| panic!("{}: {error}", file.display()))
            };
            files.map(read).collect::<Vec<_>>().join("\n")
        };
        let text = without_comments(&read(""));
        let version = after(&text, "#define CUDA_VERSION").unwrap().parse().unwrap();
        let typedefs = read("Typedefs");

        let name = format!("cuda-{version}.c");
        let expand = |arguments: &[&str]| {
            let output = compile(&folder, &name, &includes(""), arguments);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap().replace("( *", "(*")
        };
        let expanded = expand(&["-E", "-P"]);
        let all = expand(&["-E", "-P", "-D__CUDA_API_VERSION_INTERNAL"]);

        let mut constants: BTreeSet<String> = macros(&text).map(str::to_owned).collect();
        let mut types = BTreeSet::new();
        let mut members = BTreeMap::new();
        for typedef in statements(&expanded) {
            let Some(definition) = typedef.strip_prefix("typedef ") else { continue };
            let Some(name) = declared(definition) else { continue };
            // those of the C library and of other interfaces stand before
            let prefixes = ["CU", "cuuint", "cl_"];
            if !prefixes.iter().any(|it| name.starts_with(it)) || OF_WINDOWS.contains(&name) {
                continue;
            }
            types.insert(name.to_owned());
            if definition.starts_with("enum") {
                constants.extend(enumerators(body(definition)).map(str::to_owned));
            } else if definition.contains('{') {
                members.insert(name.to_owned(), members_of(body(definition)));
            }
        }
        Self {
            version,
            newest: false,
            identifiers: identifiers(&all).chain(identifiers(&text)).map(str::to_owned).collect(),
            current: functions(&expanded),
            functions: functions(&all),
            constants,
            types,
            members,
            since: since(&typedefs),
            folder,
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.identifiers.contains(name)
    }

    /// The members of a struct or union, those of structs and unions without a name within it as
    /// well; none if it is not known by that name.
    pub(crate) fn members(&self, name: &str) -> Option<&BTreeSet<String>> {
        self.members.get(name)
    }
}

fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        out.push_str(before);
        out.push(' ');
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}

/// The word after `what`.
fn after<'a>(text: &'a str, what: &str) -> Option<&'a str> {
    text.split_once(what)?.1.split_whitespace().next()
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The names of macros that stand for a value of the interface.
fn macros(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (name, value) =
            line.trim().strip_prefix("#define ")?.split_once(char::is_whitespace)?;
        let constant = name.starts_with("CU") && name != "CUDA_VERSION" && name != "CUDAAPI";
        (constant && !name.contains('(') && name != "CUDA_CB" && !value.trim().is_empty())
            .then_some(name)
            .filter(|name| !name.ends_with("_HAS_BEEN_DEFINED"))
    })
}

/// The parts of `text` that end in a semicolon outside braces.
fn statements(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    text.split(move |c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ';' && depth == 0
    })
    .map(|statement| {
        // past directives that the preprocessor leaves
        statement.trim()
    })
}

/// The name that a declaration gives, without what follows it.
fn declared(definition: &str) -> Option<&str> {
    let end = match (definition.rfind('}'), definition.find("(*")) {
        (Some(brace), _) => return identifiers(&definition[brace..]).last(),
        (None, Some(pointer)) => return identifiers(&definition[pointer..]).next(),
        (None, None) => definition.find(['[', ':']).unwrap_or(definition.len()),
    };
    identifiers(&definition[..end]).last()
}

/// Returns the text between the braces.
fn body(definition: &str) -> &str {
    match (definition.find('{'), definition.rfind('}')) {
        (Some(open), Some(close)) => &definition[open + 1..close],
        _ => "",
    }
}

fn enumerators(body: &str) -> impl Iterator<Item = &str> {
    body.split(',').filter_map(|part| identifiers(part).next())
}

/// Paths of members, `a` and `a.b`; a struct or union without a name adds nothing to a path.
fn members_of(body: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for member in statements(body).filter(|member| !member.is_empty()) {
        let Some(close) = member.rfind('}') else {
            found.extend(declared(member).map(str::to_owned));
            continue;
        };
        let inner = members_of(self::body(member));
        let end = member[close..].find('[').map_or(member.len(), |at| close + at);
        match identifiers(&member[close..end]).last() {
            Some(name) => {
                found.extend(inner.iter().map(|inner| format!("{name}.{inner}")));
                found.insert(name.to_owned());
            }
            None => found.extend(inner),
        }
    }
    found
}

/// The names of the functions that expanded text declares.
fn functions(expanded: &str) -> BTreeSet<String> {
    let declaration = |statement: &str| {
        let (before, _) = statement.split_once('(')?;
        let words: Vec<&str> = identifiers(before).collect();
        match words.as_slice() {
            [.., "CUresult", name] if name.starts_with("cu") => Some((*name).to_owned()),
            // after an attribute
            _ => None,
        }
    };
    let plain = expanded.replace("__attribute__((deprecated))", " ");
    statements(&plain).filter(|it| !it.starts_with("typedef")).filter_map(declaration).collect()
}

/// The versions of each function, from names like `PFN_cuInit_v2000`.
fn since(typedefs: &str) -> BTreeMap<String, BTreeSet<u32>> {
    let mut found = BTreeMap::<String, BTreeSet<u32>>::new();
    for word in identifiers(typedefs) {
        let Some((name, version)) =
            word.strip_prefix("PFN_").and_then(|name| name.rsplit_once("_v"))
        else {
            continue;
        };
        if let Ok(version) = version.parse() {
            found.entry(name.to_owned()).or_default().insert(version);
        }
    }
    found
}
