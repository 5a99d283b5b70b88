//! Which tests run under the sanitizers and under Miri: the last table of `docs/traceability.md`. The scripts in `.ci` run all
//! modules of tests but those that they list with a reason. A test of another package has to be in a command of a script,
//! or in its list.

use crate::package::members;
use crate::{ROOT, files, read};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A tool that a script runs tests under.
struct Tool {
    script: &'static str,
    /// Its commands, with a space behind each word.
    text: String,
    /// The binaries, and the modules of binaries, that do not run, each with its reason.
    without: BTreeMap<String, String>,
}

impl Tool {
    fn new(script: &'static str, lists: &[&str]) -> Tool {
        let text = read(format!(".ci/{script}")).replace("\\\n", " ");
        let mut without = BTreeMap::new();
        for list in lists {
            let (_, list) = text.split_once(&format!("declare -A {list}=(\n")).expect("the list");
            for line in list.split_once("\n)").expect("its end").0.lines() {
                let parts = line.trim().strip_prefix('[').and_then(|it| it.split_once("]='"));
                let (key, why) = parts.unwrap_or_else(|| panic!(".ci/{script}: {line}"));
                let why = why.strip_suffix('\'').expect("the end of a reason");
                let twice = without.insert(key.to_owned(), why.to_owned());
                assert_eq!(twice, None, ".ci/{script} lists {key} twice");
            }
        }
        Tool { script, text: text.replace([')', '"', '\n'], " "), without }
    }

    /// Whether the commands have a binary of a package other than the one in `tests/`.
    fn names(&self, package: &str, binary: &str) -> bool {
        let test = format!("--test {binary} ");
        let argument = if binary == "unit" { "--lib" } else { &test };
        self.text.contains(argument) && self.text.contains(&format!("-p {package} "))
    }

    /// Why a binary, or a module of it, does not run.
    fn why(&self, binary: &str, key: &str) -> Option<&str> {
        self.without.get(binary).or_else(|| self.without.get(key)).map(String::as_str)
    }
}

/// The binaries of a package's tests: `unit`, and those in its folder `tests`.
fn binaries(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let has_test = |path: &Path| read(path).contains("#[test]");
    if files(&format!("{folder}src"), "rs").iter().any(|path| has_test(path)) {
        found.push("unit".to_owned());
    }
    let Ok(entries) = fs::read_dir(Path::new(ROOT).join(folder).join("tests")) else {
        return found;
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_binary = |path: &Path| {
        path.extension().is_some_and(|it| it == "rs") || path.join("main.rs").exists()
    };
    let names = paths
        .filter(|path| is_binary(path))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    let names: BTreeSet<_> = names.collect();
    found.extend(names);
    found
}

/// The binaries in `tests/`, each with its modules, but for those that tests share.
fn behaviour() -> Vec<(String, Vec<String>)> {
    let manifest = read("tests/Cargo.toml");
    let parts = manifest.split("[[test]]").skip(1);
    parts
        .map(|part| {
            let value = |key: &str| {
                let (_, rest) =
                    part.split_once(&format!("\n{key} = \"")).expect("a binary has both");
                rest.split_once('"').unwrap().0
            };
            let source = read(format!("tests/{}", value("path")));
            let modules =
                source.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
            let modules = modules.filter(|name| !["common", "gl"].contains(name));
            (value("name").to_owned(), modules.map(str::to_owned).collect())
        })
        .collect()
}

/// The table, and what the scripts say wrongly.
pub(crate) fn runs(wrong: &mut Vec<String>) -> String {
    let tools = [
        Tool::new("sanitizers", &["without"]),
        Tool::new("sanitizers", &["without", "leaking"]),
        Tool::new("thread-sanitizer", &["without"]),
        Tool::new("miri", &["without"]),
    ];
    let mut text = String::from(
        "\n## Where the tests run\n\nAll run in `.ci/run`, but for what needs NVRTC, another processor or another system. \
         These tests run under other tools besides, by `.ci/sanitizers`, `.ci/thread-sanitizer` and `.ci/miri`. A single test may \
         be left out as well: it says so when it runs, with its reason.\n\n\
         | binary | module | address sanitizer | leak sanitizer | thread sanitizer | Miri |\n|---|---|---|---|---|---|\n",
    );
    let mut known = BTreeSet::new();
    let mut row = |binary: &str, module: &str, key: &str| {
        let under = |tool: &Tool| match tool.why(binary, key) {
            Some(why) => format!("no: it {why}"),
            None => "yes".to_owned(),
        };
        let cells = tools.each_ref().map(under).join(" | ");
        writeln!(text, "| `{binary}` | {module} | {cells} |").unwrap();
    };
    for folder in members().iter().filter(|folder| *folder != "tests/") {
        let manifest = read(format!("{folder}Cargo.toml"));
        let (_, name) = manifest.split_once("\nname = \"").unwrap();
        let package = name.split('"').next().unwrap();
        // The folder `tests` of the root is a package of its own.
        let binaries = binaries(folder).into_iter();
        for binary in binaries.filter(|binary| !folder.is_empty() || binary == "unit") {
            let key = format!("{package}/{binary}");
            let runs =
                |tool: &&Tool| tool.names(package, &binary) || tool.without.contains_key(&key);
            let neither = tools.iter().filter(|tool| !runs(tool));
            wrong.extend(neither.map(|tool| format!(".ci/{}: no {key}", tool.script)));
            row(package, &format!("`{binary}`"), &key);
            known.insert(key);
        }
    }
    for (binary, modules) in behaviour() {
        let mut all = "all";
        for module in &modules {
            let key = format!("{binary}::{module}");
            let lists = tools.iter().filter(|tool| tool.without.contains_key(&key));
            let lists: Vec<_> = lists.map(|tool| tool.script).collect();
            if !lists.is_empty() {
                row(&binary, &format!("`{module}`"), &key);
                all = "all others";
            }
            // A filter of a test binary is a part of a name. Miri runs each module alone.
            if lists.iter().any(|script| *script != "miri") {
                let longer = |other: &&String| *other != module && other.ends_with(module.as_str());
                let others = modules.iter().filter(longer);
                wrong.extend(others.map(|other| format!("`--skip {module}::` leaves out {other}")));
            }
            known.insert(key);
        }
        row(&binary, all, "");
        known.insert(binary);
    }
    for tool in &tools {
        let gone = tool.without.keys().filter(|key| !known.contains(*key));
        wrong.extend(gone.map(|key| format!(".ci/{}: there is no {key}", tool.script)));
    }
    text
}
