//! The lists are in order, complete and in the documentation.

use std::fmt::Write as _;
use std::path::Path;

use crate::rules::{MEANINGS, REFUSED, RULES, SPECIAL, is_special};

const PAGE: &str = "docs/guarded-instructions.md";

fn file(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path))
        .unwrap_or_default()
}

#[test]
fn rows_are_in_order() {
    assert!(RULES.windows(2).all(|two| two[0].0 < two[1].0));
    assert!(REFUSED.windows(2).all(|two| two[0].0 < two[1].0));
    assert!(REFUSED.iter().all(|one| RULES.iter().all(|other| other.0 != one.0)));
    assert!(SPECIAL.windows(2).all(|two| two[0] < two[1]));
    for (_, rule) in RULES {
        assert!(MEANINGS.iter().any(|one| one.0 == *rule), "{rule:?} has no meaning");
    }
}

#[test]
fn special_registers_are_those_of_the_list() {
    for listed in ["%tid", "%tid.x", "%envreg3", "%envreg31", "%pm7", "WARP_SZ"] {
        assert!(is_special(listed), "{listed}");
    }
    for other in ["%tid.v", "%tix", "%envreg", "%envregx", "%envreg3210", "%whatever", ""] {
        assert!(!is_special(other), "{other}");
    }
}

#[test]
fn every_instruction_of_the_interpreter_is_in_a_list() {
    let page = file("docs/ptx.md");
    let names =
        page.lines().filter_map(|line| line.strip_prefix("| `")?.split(['`', '.', '{']).next());
    let all: Vec<&str> = names
        .filter(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric()))
        .collect();
    assert!(all.len() > 100, "{all:?}");
    for name in all {
        let known =
            RULES.iter().any(|one| one.0 == name) || REFUSED.iter().any(|one| one.0 == name);
        assert!(known, "{name} is in no list");
    }
}

/// The page of what is let through and refused.
fn page() -> String {
    let mut page = String::from(
        "# Instructions of guarded kernels\n\nWhat `cuscope-guard` does with each instruction, by the first part of its name. A kernel with an\n\
         instruction that is not in this list is refused, with the line of the instruction. A test writes this page from the list\n\
         that the rewriter uses (`UPDATE_GUARD=1 cargo test -p cuscope-guard lists`).\n\n| instructions | |\n|---|---|\n",
    );
    for (rule, meaning) in MEANINGS {
        let names: Vec<String> =
            RULES.iter().filter(|one| one.1 == *rule).map(|one| format!("`{}`", one.0)).collect();
        let _ = writeln!(page, "| {} | {meaning} |", names.join(", "));
    }
    page.push_str("\n## Refused\n\n| instruction | because |\n|---|---|\n");
    for (name, reason) in REFUSED {
        let _ = writeln!(page, "| `{name}` | {reason} |");
    }
    page.push_str(
        "\nRefused as well: calls of functions that are not in the module (`vprintf`, `malloc`, launches from the device), indirect\n\
         calls and addresses of functions, `cp.async.bulk` and `cp.reduce`, `wmma.load` and `wmma.store` outside of shared memory,\n\
         `mbarrier` whose name does not say `.shared`, handles of textures and surfaces that do not come from one parameter, samplers of\n\
         their own, addresses that are constants, registers that are vectors, and parameters that are read beyond their end.\n\n## Special registers\n\n",
    );
    let names: Vec<String> =
        SPECIAL.iter().map(|name| format!("`{}`", name.replace('*', "0"))).collect();
    let _ = writeln!(page, "{}. Where one ends in a number, any will do.", names.join(", "));
    page
}

#[test]
fn the_page_says_what_the_list_says() {
    let page = page();
    if std::env::var_os("UPDATE_GUARD").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(PAGE);
        std::fs::write(path, &page).unwrap();
    }
    assert_eq!(file(PAGE), page, "UPDATE_GUARD=1 cargo test -p cuscope-guard lists writes {PAGE}");
}
