//! `docs/software-driver.md` names every function that is not answered, and none for nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
}

/// The functions that are defined in `driver! { … }`.
fn answered() -> BTreeSet<String> {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let mut found = BTreeSet::new();
    for file in files {
        let mut inside = false;
        for line in fs::read_to_string(file).unwrap().lines() {
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

/// The functions that there are.
fn declared() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    macro_rules! each {
        ($($(#[$meta:meta])* $since:literal fn $name:ident($($rest:tt)*) -> $ret:ty;)*) => {
            $(all.insert(stringify!($name).to_owned());)*
        };
    }
    cuscope_sys::driver_functions!(each);
    cuscope_sys::newer_functions!(each);
    all
}

#[test]
fn the_table_names_what_is_not_answered() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/software-driver.md");
    // Only the repository has it.
    let Ok(text) = fs::read_to_string(path) else { return };
    let table = text.split("## What is not modelled").nth(1).unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(" | "));
    let patterns: Vec<_> = rows.flat_map(|(names, _)| names.split(',')).collect();
    let patterns: Vec<_> = patterns.iter().map(|name| name.trim().trim_matches('`')).collect();
    assert!(!patterns.is_empty());
    let answered = answered();
    let missing: BTreeSet<_> =
        declared().into_iter().filter(|one| !answered.contains(one)).collect();
    let means = |pattern: &str, name: &str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    };
    for name in &missing {
        assert!(patterns.iter().any(|pattern| means(pattern, name)), "{name} is in no row");
    }
    for pattern in patterns {
        assert!(missing.iter().any(|name| means(pattern, name)), "{pattern}: all are answered");
    }
}
