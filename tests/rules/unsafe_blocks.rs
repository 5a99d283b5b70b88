//! `docs/unsafe.md`: the blocks of `unsafe` that touch the memory of Rust itself. It is written from the sources.

use crate::house::{Token, closed, tokens, without_tests};
use crate::{ROOT, files, read};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

const PAGE: &str = "docs/unsafe.md";
const BEGIN: &str = "<!-- the test `unsafe_blocks` writes this table -->\n";
const END: &str = "<!-- its end -->\n";

/// How the blocks of each kind are told apart: by the first of these words in them.
const KINDS: [(&str, &[&str]); 7] = [
    ("a function of the system", &["pthread_atfork"]),
    ("text of the driver", &["CStr"]),
    ("an owner made from a raw one", &["OwnedFd", "increment_strong_count", "ManuallyDrop"]),
    ("a value that the driver filled in", &["assume_init"]),
    ("a value of zeros", &["zeroed"]),
    (
        "memory at an address",
        &[
            "from_raw_parts",
            "from_raw_parts_mut",
            "alloc_zeroed",
            "dealloc",
            "write_bytes",
            "copy_nonoverlapping",
            "from_ptr",
            "as_mut",
            "as_ref",
            "cast",
            "*",
            "&",
        ],
    ),
    // A pointer to a function of the driver that was looked up, or the field of a union.
    ("a looked-up function", &["("]),
];

/// The words that stand for a call of the driver.
const CALLS: [&str; 2] = ["answer", "later"];

/// The names of the functions of the crate that are `unsafe`: their callers pass on what they demand, and their bodies
/// have blocks of their own.
fn unsafe_functions(all: &[Vec<Token>]) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for tokens in all {
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        for at in (0..tokens.len()).filter(|&at| text(at) == "unsafe") {
            // `unsafe fn f`, and `unsafe extern "C" fn f`.
            let function = if text(at + 1) == "extern" { at + 3 } else { at + 1 };
            // The type of a function has no name.
            if text(function) == "fn" && text(function + 1) != "(" {
                found.insert(text(function + 1));
            }
        }
    }
    found
}

/// Whether a block calls the driver, or a function in `names`.
fn only_calls(block: &[Token], names: &BTreeSet<&str>) -> bool {
    let text = |at: usize| block.get(at).map_or("", |token| token.text.as_str());
    (0..block.len()).any(|at| {
        let is_macro = CALLS.contains(&text(at)) && text(at + 1) == "!";
        let is_driver = text(at) == "ffi" && text(at + 2).starts_with("cu") && text(at + 3) == "(";
        let is_own = names.contains(text(at)) && matches!(text(at + 1), "(" | "::");
        is_macro || is_driver || is_own
    })
}

fn kind(block: &[Token]) -> &'static str {
    let has = |words: &[&str]| block.iter().any(|token| words.contains(&token.text.as_str()));
    KINDS.iter().find(|(_, words)| has(words)).map_or("a field of a union", |(kind, _)| kind)
}

/// The rows of the table: file, function, kind and code.
fn rows() -> BTreeSet<[String; 4]> {
    let paths = files("src", "rs");
    let sources: Vec<_> = paths.iter().map(read).collect();
    let all: Vec<_> = sources.iter().map(|source| without_tests(&tokens(source))).collect();
    let names = unsafe_functions(&all);
    assert!(names.len() > 50, "{} unsafe functions are seen", names.len());
    let (mut rows, mut blocks) = (BTreeSet::new(), 0);
    for ((path, source), tokens) in paths.iter().zip(&sources).zip(&all) {
        let mut function = "";
        for at in 0..tokens.len() {
            let next = tokens.get(at + 1).map_or("", |token| token.text.as_str());
            if tokens[at].text == "fn" && next != "(" {
                function = next;
            }
            if tokens[at].text != "unsafe" || next != "{" {
                continue;
            }
            blocks += 1;
            let end = closed(tokens, at + 1);
            let block = &tokens[at + 2..end];
            if only_calls(block, &names) {
                continue;
            }
            let code = source[tokens[at + 1].at + 1..tokens[end].at].trim();
            let code: Vec<_> = code.lines().map(str::trim).collect();
            let cells = [&path.display().to_string(), function, kind(block), &code.join(" ")];
            rows.insert(cells.map(str::to_owned));
        }
    }
    assert!(blocks > 400, "{blocks} blocks are seen");
    rows
}

#[test]
fn the_blocks_that_touch_the_memory_of_rust_are_listed() {
    let mut table = String::from("| file | function | what | code |\n|---|---|---|---|\n");
    for [file, function, kind, code] in rows() {
        let code = code.replace('|', "\\|");
        writeln!(table, "| `{file}` | `{function}` | {kind} | `{code}` |").unwrap();
    }
    let page = read(PAGE);
    let (before, rest) = page.split_once(BEGIN).expect("the page has the table");
    let (written, behind) = rest.split_once(END).expect("the table ends");
    if env::var_os("UPDATE_UNSAFE").is_some() {
        let page = [before, BEGIN, &table, END, behind].concat();
        return fs::write(Path::new(ROOT).join(PAGE), page).unwrap();
    }
    for (line, (is, says)) in table.lines().zip(written.lines()).enumerate() {
        assert_eq!(is, says, "row {} of {PAGE}; UPDATE_UNSAFE=1 writes it anew", line + 1);
    }
    assert!(table == written, "{PAGE} has more or fewer rows; UPDATE_UNSAFE=1 writes it anew");
}

#[test]
fn blocks_are_told_apart() {
    let names = BTreeSet::from(["view"]);
    let calls = |code: &str| only_calls(&tokens(code), &names);
    assert!(calls("answer!(cuInit(0))") && calls("ffi::cuInit(0)") && calls("self.view::<T>()"));
    assert!(!calls("slice::from_raw_parts(a, b)") && !calls("ffi::CUresult(0)") && !calls("view"));
    let kinds = [
        ("CStr::from_ptr(name)", "text of the driver"),
        ("slice::from_raw_parts(a, b)", "memory at an address"),
        ("*info", "memory at an address"),
        ("info.info.overBudget", "a field of a union"),
        ("create(to)", "a looked-up function"),
    ];
    for (code, expected) in kinds {
        assert_eq!(kind(&tokens(code)), expected, "{code}");
    }
}
