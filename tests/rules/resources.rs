//! Statements of the safety manual about the standard library, locks and lists, compared with the sources.

use crate::{files, read};
use std::collections::BTreeSet;

/// The code of a source, without comments and its tests.
fn code(source: &str) -> String {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let source = source.split("#[cfg(all(test").next().unwrap_or_default();
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// A section of the manual.
fn section(heading: &str) -> String {
    let manual = read("docs/safety-manual.md");
    let (_, rest) = manual.split_once(&format!("\n## {heading}\n")).expect(heading);
    rest.split("\n## ").next().unwrap().to_owned()
}

/// Modules of the standard library that `core` has too.
const OF_CORE: &[&str] = &[
    "any",
    "array",
    "borrow",
    "cell",
    "cmp",
    "convert",
    "ffi",
    "fmt",
    "future",
    "hash",
    "iter",
    "marker",
    "mem",
    "num",
    "ops",
    "panic",
    "pin",
    "ptr",
    "result",
    "slice",
    "str",
    "task",
    "thread_local",
];

#[test]
fn the_parts_of_the_standard_library_are_listed() {
    let mut used = BTreeSet::new();
    for path in files("src", "rs") {
        let code = code(&read(path));
        for (at, _) in code.match_indices("std::") {
            // Not the end of another name, such as `ruzstd`.
            if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let rest = &code[at + "std::".len()..];
            let name: String =
                rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            used.insert(name);
        }
        // `use std::{env, fs};` and the like, also over several lines.
        for rest in code.split("use std::{").skip(1) {
            let list = rest.split(';').next().unwrap().replace(['}', '\n'], " ");
            let mut depth = 0;
            for part in list.split(',') {
                let name = part.trim().split("::").next().unwrap();
                if depth == 0 && name.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
                    used.insert(name.to_owned());
                }
                depth += part.matches('{').count();
                depth = depth.saturating_sub(part.matches('}').count());
            }
        }
    }
    used.retain(|name| !name.is_empty() && !OF_CORE.contains(&&**name));
    let section = section("The standard library");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let listed: BTreeSet<_> = rows.map(str::to_owned).collect();
    assert_eq!(listed, used, "the table of the manual, and what `src/` uses");
}

#[test]
fn the_packages_that_a_default_build_needs_are_listed() {
    let mut needed = BTreeSet::new();
    for manifest in ["Cargo.toml", "ffi/Cargo.toml"].map(read) {
        let (_, lines) = manifest.split_once("\n[dependencies]\n").unwrap();
        let lines = lines.split("\n[").next().unwrap().lines().filter(|line| {
            line.contains('=') && !line.contains("optional = true") && !line.contains("path = ")
        });
        needed.extend(lines.filter_map(|line| Some(line.split(['.', ' ']).next()?.to_owned())));
    }
    let section = section("Assumptions");
    let (_, listed) = section.split_once("A default build needs ").unwrap();
    let listed = listed.split(", and what").next().unwrap().replace(" and ", ", ");
    let listed: BTreeSet<_> = listed.split(", ").map(str::to_owned).collect();
    assert_eq!(listed, needed, "the row of the manual, and the manifests");
}

#[test]
fn every_lock_that_threads_share_is_listed() {
    let mut there = BTreeSet::new();
    for path in files("src", "rs") {
        for line in code(&read(&path)).lines() {
            let Some((_, declared)) = line.split_once("static ") else { continue };
            let Some((name, ty)) = declared.split_once(": ") else { continue };
            let ty = ty.split('=').next().unwrap();
            if ty.contains("Mutex<") || ty.contains("RwLock<") {
                there.insert(format!("`{name}` of `{}`", path.display()));
            }
        }
    }
    assert!(there.len() > 4, "{there:?}");
    let section = section("Resources");
    let rows =
        section.lines().filter_map(|line| line.trim().strip_prefix("| ")?.split(" |").next());
    let listed: BTreeSet<_> =
        rows.filter(|cell| cell.contains("` of `")).map(str::to_owned).collect();
    assert_eq!(listed, there, "the table of the manual, and what `src/` has");
    // A lock holds a list, but for the hook.
    let lists: BTreeSet<_> = section
        .lines()
        .filter_map(|line| line.trim().strip_prefix("| `src/")?.split('`').next())
        .collect();
    for (_, path) in there.iter().filter_map(|it| it.split_once("` of `src/")) {
        assert!(lists.contains(path.trim_end_matches('`')), "{path} is not in the table of lists");
    }
}

#[test]
fn holes_and_hazards_have_ids_that_stay() {
    let soundness = read("SOUNDNESS.md");
    let (_, holes) = soundness.split_once("\n## Known holes\n").unwrap();
    let (table, closed) = holes.split_once("\nClosed holes: ").unwrap();
    let rows: Vec<_> = table.lines().filter(|line| line.starts_with("| <a id")).collect();
    let mut ids = BTreeSet::new();
    for row in &rows {
        let (_, rest) = row.split_once("<a id=\"hole-").expect("a row begins with its id");
        let (id, rest) = rest.split_once("\"></a>hole ").expect("a row begins with its id");
        assert!(rest.starts_with(&format!("{id} |")), "{row}");
        assert!(ids.insert(id.parse::<u32>().unwrap()), "hole {id} is there twice");
        assert_eq!(row.matches(" | ").count(), 3, "{row}");
    }
    let open = table.lines().filter(|line| line.starts_with("| ")).count() - 1;
    assert_eq!(rows.len(), open, "a row without an id");
    // An id that is gone is among the closed ones.
    for id in 1..=*ids.last().unwrap() {
        let is_closed = closed.contains(&format!("hole {id}"));
        assert!(ids.contains(&id) != is_closed, "hole {id} is open or closed, and not both");
    }

    let section = section("Hazards");
    let rows: Vec<_> = section.lines().filter(|line| line.starts_with("| hazard ")).collect();
    for (at, row) in rows.iter().enumerate() {
        assert!(row.starts_with(&format!("| hazard {} |", at + 1)), "{row}");
        assert_eq!(
            row.matches(" | ").count(),
            4,
            "each hazard has its failure, detection and containment: {row}"
        );
    }
    assert!(rows.len() >= 10);
}

/// The files of a folder, without those of its folders.
fn entries(folder: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(std::path::Path::new(crate::ROOT).join(folder)).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn every_script_is_described_and_scheduled() {
    let contributing = read("CONTRIBUTING.md");
    let (_, table) = contributing.split_once("\n## The scripts\n").unwrap();
    let table = table.split("\n## ").next().unwrap();
    let named: BTreeSet<_> = crate::ui::backquoted(table)
        .map(|name| name.trim_start_matches(".ci/").to_owned())
        .filter(|name| !name.ends_with(".yml") && !name.contains([' ', '=']))
        .collect();
    let mut scripts = entries(".ci");
    scripts.remove("__pycache__");
    let missing: Vec<_> = scripts.difference(&named).collect();
    assert!(missing.is_empty(), "CONTRIBUTING.md does not describe {missing:?}");

    // The runs: the workflows, and the scripts that they run.
    let workflows = entries(".github/workflows");
    assert_eq!(
        workflows.iter().map(|it| &**it).collect::<Vec<_>>(),
        ["change.yml", "night.yml", "release.yml"]
    );
    let mut texts: Vec<_> =
        workflows.iter().map(|it| read(format!(".github/workflows/{it}"))).collect();
    texts.push(read("benches/instructions/run.sh"));
    let (mut run, mut at) = (BTreeSet::new(), 0);
    while let Some(text) = texts.get(at).cloned() {
        at += 1;
        for script in &scripts {
            let is_named = text.contains(&format!(".ci/{script}"))
                || script.ends_with(".py") && text.contains(script.trim_end_matches(".py"));
            if is_named && run.insert(script.clone()) && !script.ends_with(".txt") {
                let path = std::path::Path::new(crate::ROOT).join(".ci").join(script);
                if path.is_file() {
                    texts.push(read(format!(".ci/{script}")));
                }
            }
        }
    }
    let never: Vec<_> = scripts.difference(&run).filter(|it| !it.ends_with(".supp")).collect();
    assert!(never.is_empty(), "no workflow runs {never:?}");
}
