//! `COVERAGE.md`: every function of the driver, and what this project does with it.
//!
//! `UPDATE_COVERAGE=1` writes it; otherwise a difference fails. It says what the crates beside this
//! one do, so without them there is nothing to compare.

#[path = "headers/declarations.rs"]
#[allow(dead_code, reason = "the proof against the headers reads the rest")]
mod declarations;
#[path = "../../tests/common/skipped.rs"]
mod skipped;

use declarations::{Declarations, sources};
use skipped::skipped;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// The names after `prefix` in the sources of a folder.
fn names_behind(folder: &Path, prefix: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in sources(folder).unwrap().values() {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for part in code.flat_map(|line| line.split(prefix).skip(1)) {
            let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            found.insert(part[..end.unwrap_or(part.len())].to_owned());
        }
    }
    found
}

/// The functions that the software driver defines in `driver! { … }`.
fn answered(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in sources(folder).unwrap().values() {
        let mut inside = false;
        for line in text.lines() {
            match line {
                "driver! {" => inside = true,
                "}" => inside = false,
                _ => {}
            }
            let name = line.strip_prefix("    fn ").and_then(|rest| rest.split_once('('));
            found.extend(name.filter(|_| inside).map(|(name, _)| name.to_owned()));
        }
    }
    found
}

fn table(
    declarations: &Declarations,
    wrapped: &BTreeSet<String>,
    soft: &BTreeSet<String>,
) -> String {
    let mut functions: Vec<_> = declarations.functions.iter().collect();
    functions.sort_by_key(|function| &function.name);
    let count =
        |holds: &dyn Fn(&&&declarations::Function) -> bool| functions.iter().filter(holds).count();
    let newer = count(&|it| it.newer);
    let wrappers = count(&|it| wrapped.contains(&it.name));
    let answers = count(&|it| soft.contains(&it.name));

    let mut out = String::from("# The functions of the driver\n\n");
    let all = functions.len();
    writeln!(out, "{all} functions are declared: {} are linked, {newer} are newer than CUDA 12.0, or not in every driver, and looked up.", all - newer).unwrap();
    writeln!(out, "cuscope calls {wrappers} of them, and the software driver answers {answers}.")
        .unwrap();
    writeln!(
        out,
        "{} names are skipped, each with its reason at the end.\n",
        declarations.skipped.len()
    )
    .unwrap();
    writeln!(out, "The test `coverage` writes this file from the sources.\n").unwrap();
    writeln!(out, "| function | since | linked | in cuscope | in the software driver |").unwrap();
    writeln!(out, "|---|---|---|---|---|").unwrap();
    for function in functions {
        let name = &function.name;
        let (major, minor) = (function.since / 1000, function.since % 1000 / 10);
        let linked = if function.newer { "looked up" } else { "linked" };
        let yes = |holds: bool| if holds { "yes" } else { "" };
        let (here, soft) = (yes(wrapped.contains(name)), yes(soft.contains(name)));
        writeln!(out, "| `{name}` | {major}.{minor} | {linked} | {here} | {soft} |").unwrap();
    }
    writeln!(out, "\n| skipped | why |\n|---|---|").unwrap();
    for (name, reason) in &declarations.skipped {
        writeln!(out, "| `{name}` | {reason} |").unwrap();
    }
    out
}

#[test]
fn the_table_says_what_is_so() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (safe, soft) = (here.join("../src"), here.join("../softdriver/src"));
    if !safe.join("lib.rs").exists() || !soft.join("lib.rs").exists() {
        return skipped(
            "the_table_says_what_is_so",
            "the crates that the table is about are not here",
        );
    }
    let declarations = Declarations::read(sources(&here.join("src")).unwrap().values()).unwrap();
    // Looked-up functions are named by their path, the others by the macros of `src/core/call/`.
    let called = ["ffi::", "answer!(", "later!("].map(|before| names_behind(&safe, before));
    let table = table(&declarations, &called.into_iter().flatten().collect(), &answered(&soft));
    let file = here.join("COVERAGE.md");
    if env::var_os("UPDATE_COVERAGE").is_some() {
        fs::write(&file, &table).unwrap();
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    for (line, (is, says)) in table.lines().zip(written.lines()).enumerate() {
        assert_eq!(is, says, "line {} of COVERAGE.md; UPDATE_COVERAGE=1 writes it anew", line + 1);
    }
    assert!(table == written, "COVERAGE.md is not as long; UPDATE_COVERAGE=1 writes it anew");
}
