//! `examples/README.md`: what each example shows and how it is run, as its first lines say.

use crate::manual::written;
use crate::{files, read};
use std::fmt::Write as _;

/// An example, as the first paragraph of its documentation has it.
struct Example {
    name: String,
    shows: String,
    command: String,
}

impl Example {
    fn new(name: &str, source: &str) -> Example {
        let lines = source.lines().map_while(|line| line.strip_prefix("//! "));
        let text = lines.collect::<Vec<_>>().join(" ");
        let command = text.split('`').skip(1).step_by(2).find(|code| code.contains("cargo run"));
        let command = command.unwrap_or_else(|| panic!("{name} does not say how to run it"));
        let shows = text.replace(&format!("`{command}`"), "").replace(" .", "");
        let shows = shows.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shows.ends_with('.'), "{name}: {shows}");
        Example { name: name.to_owned(), shows, command: command.to_owned() }
    }
}

/// Asserts that the commands of examples name them, and the features if their manifest requires any.
fn check(examples: &[Example], kind: &str, manifest: &str) {
    for Example { name, command, .. } in examples {
        assert!(command.contains(&format!("--{kind} {name}")), "{name} is run by `{command}`");
        let (_, target) =
            manifest.split_once(&format!("[[{kind}]]\nname = \"{name}\"\n")).unwrap_or_default();
        let needs = target.split("\n\n").next().unwrap_or_default().contains("required-features");
        assert_eq!(command.contains("--features"), needs, "{name}: {command}");
    }
}

fn table(examples: &[Example]) -> String {
    let mut text = String::from("| program | it shows | run it |\n|---|---|---|\n");
    for Example { name, shows, command } in examples {
        writeln!(text, "| `{name}` | {shows} | `{command}` |").unwrap();
    }
    text
}

/// The examples in a folder: files, and the folders of files named `main.rs`.
fn examples(folder: &str) -> Vec<Example> {
    let paths = files(folder, "rs").into_iter();
    let mut found: Vec<_> = paths
        .filter_map(|path| {
            let inside = path.strip_prefix(folder).unwrap().to_str().unwrap();
            let name = inside.strip_suffix("/main.rs").or_else(|| inside.strip_suffix(".rs"))?;
            (!name.contains('/')).then(|| Example::new(name, &read(&path)))
        })
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// `UPDATE_MANUAL=1` writes the tables.
#[test]
fn the_index_has_every_example() {
    let (alone, others) = (examples("examples"), examples("examples/programs/src/bin"));
    check(&alone, "example", &read("Cargo.toml"));
    check(&others, "bin", &read("examples/programs/Cargo.toml"));
    assert!(alone.len() > 20 && others.len() > 6);
    let text = format!(
        "\n## With cuscope alone\n\n{}\n## With other crates\n\n{}",
        table(&alone),
        table(&others)
    );
    written("examples/README.md", &text);
}

#[test]
fn an_example_is_told_by_its_first_paragraph() {
    let one = Example::new(
        "a",
        "//! It adds\n//! one. `cargo run --example a`. Skipped at times.\n//!\n//! More.\n",
    );
    assert_eq!(one.shows, "It adds one. Skipped at times.");
    assert_eq!(one.command, "cargo run --example a");
}
