//! Every declaration against NVIDIA's `cuda.h`.
//!
//! `CUDA_INCLUDE` names the folders of several versions, separated by colons; without it nothing is
//! checked. The declarations are written as C that compiles only if the header says the same.

mod c;
mod declarations;
mod figures;
mod header;
mod planted;
#[path = "../../../tests/common/skipped.rs"]
mod skipped;

use declarations::{Declarations, sources};
use header::headers;
use std::collections::BTreeSet;
use std::path::Path;

fn declared() -> Declarations {
    let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    Declarations::read(sources.values()).unwrap()
}

#[test]
fn every_declaration_is_that_of_every_header() {
    let Some(headers) = headers() else { return };
    let declarations = declared();
    let mut wrong = Vec::new();
    for header in headers {
        let outcome = c::check(&declarations, header, &format!("check-{}.c", header.version));
        eprintln!("CUDA {}: {:?}", header.version, outcome.checks);
        wrong.extend(outcome.wrong.into_iter().map(|what| format!("{}: {what}", header.version)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A name that no header has would not be checked.
#[test]
fn every_declared_name_is_in_the_newest_header() {
    let Some(headers) = headers() else { return };
    let newest = headers.last().unwrap();
    let declarations = declared();
    let unknown = unknown(&declarations, newest);
    assert!(unknown.is_empty(), "not in CUDA {}: {unknown:?}", newest.version);
}

/// Returns the declared names that the header lacks.
fn unknown(declarations: &Declarations, header: &header::Header) -> Vec<String> {
    let layouts = &declarations.layouts;
    let names: BTreeSet<&str> = layouts.iter().map(|layout| layout.name.as_str()).collect();
    let of_another = |name: &str| {
        let mut outer = name;
        while let Some((shorter, _)) = outer.rsplit_once('_') {
            outer = shorter;
            if names.contains(outer) {
                return true;
            }
        }
        false
    };
    let types = layouts.iter().map(|it| &it.name).filter(|name| !of_another(name));
    let types = types.chain(declarations.enums.iter().map(|it| &it.name));
    let types = types.chain(declarations.aliases.iter().map(|it| &it.name));
    let types = types.chain(declarations.handles.iter().map(|it| &it.name));
    let functions = declarations.functions.iter().map(|it| &it.name);
    let constants = declarations.constants.iter().map(|it| &it.name);
    let mut unknown: Vec<String> = Vec::new();
    unknown.extend(types.filter(|it| !header.types.contains(*it)).cloned());
    unknown.extend(functions.filter(|it| !header.functions.contains(*it)).cloned());
    unknown.extend(constants.filter(|it| !header.constants.contains(*it)).cloned());
    unknown
}

/// Everything that a program written for the newest header can name is declared, or is named with
/// the reason why it is not: `// skipped cuName: reason`.
#[test]
fn nothing_of_the_newest_header_is_forgotten() {
    let Some(headers) = headers() else { return };
    let newest = headers.last().unwrap();
    let declarations = declared();
    let skipped: BTreeSet<&String> = declarations.skipped.keys().collect();
    let functions: BTreeSet<&String> = declarations.functions.iter().map(|it| &it.name).collect();
    let constants: BTreeSet<&String> = declarations.constants.iter().map(|it| &it.name).collect();
    let mut types: BTreeSet<&String> = declarations.layouts.iter().map(|it| &it.name).collect();
    types.extend(declarations.enums.iter().map(|it| &it.name));
    types.extend(declarations.aliases.iter().map(|it| &it.name));
    types.extend(declarations.handles.iter().map(|it| &it.name));

    let mut forgotten = Vec::new();
    for (known, names) in
        [(&functions, &newest.current), (&constants, &newest.constants), (&types, &newest.types)]
    {
        forgotten.extend(names.iter().filter(|it| !known.contains(it) && !skipped.contains(it)));
    }
    assert!(forgotten.is_empty(), "in CUDA {}: {forgotten:#?}", newest.version);

    let both: Vec<&&String> = skipped.iter().filter(|it| functions.contains(**it)).collect();
    assert!(both.is_empty(), "declared, and named as skipped: {both:?}");
}

/// A function is in a header from the version on that it is said to be from, and not before. What
/// is linked is in CUDA 12.0, what is looked up is not.
#[test]
fn every_function_came_with_the_version_that_it_says() {
    let Some(headers) = headers() else { return };
    let declarations = declared();
    let wrong = ages(&declarations, headers);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// `UPDATE_FIGURES=1` writes the table.
#[test]
#[cfg(unix)] // where this system's programs are those of the compiler
fn the_table_of_figures_is_that_of_the_newest_header() {
    let Some(headers) = headers() else { return };
    let table = figures::table(&declared(), headers.last().unwrap());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/figures/table.rs");
    if std::env::var_os("UPDATE_FIGURES").is_some() {
        std::fs::write(file, table).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(file).unwrap();
    for (kept, printed) in kept.lines().zip(table.lines()) {
        assert_eq!(kept, printed, "UPDATE_FIGURES=1 writes it anew");
    }
    assert!(kept == table, "UPDATE_FIGURES=1 writes the table anew");
}

/// The oldest driver that is supported.
const OLDEST: u32 = 12000;

/// Functions that came with an update of a version, whose first header does not have them.
const LATE: &[&str] = &["cuGreenCtxGetId", "cuMemBatchDecompressAsync"];

/// Functions that not every driver has, although they are as old.
const ELSEWHERE: &[&str] = &["cuEventCreateFromEGLSync"];

fn ages(declarations: &Declarations, headers: &[header::Header]) -> Vec<String> {
    let mut wrong = Vec::new();
    for function in &declarations.functions {
        let (name, since) = (&function.name, function.since);
        if function.newer != (since > OLDEST || ELSEWHERE.contains(&name.as_str())) {
            wrong.push(format!("{name} ({since}) is in the wrong list"));
        }
        for header in headers {
            let late = LATE.contains(&name.as_str()) && header.version == since;
            if !late && header.functions.contains(name) != (header.version >= since) {
                let version = header.version;
                wrong.push(format!("{name} ({since}): what CUDA {version} has says otherwise"));
            }
        }
        let base = c::without_version(name);
        if let Some(newest) = headers.last() {
            let versions = newest.since.get(base);
            if !versions.is_some_and(|versions| versions.contains(&since)) {
                wrong.push(format!("{name} ({since}): cudaTypedefs.h has {versions:?}"));
            }
        }
    }
    wrong
}
