//! Misuse that must not compile, one file of `ui-tests/` a rule, and the tables that name the files.

use crate::manual::{TESTS, tests_of_invariants};
use crate::{ROOT, common, files, read};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn misuse_does_not_compile() {
    // The programs are built as programs of the package whose folder this variable names.
    let root = fs::canonicalize(ROOT).unwrap();
    let package = ("CARGO_MANIFEST_DIR", root.to_str().unwrap());
    // trybuild checks the libraries, and then the programs with one more flag, with which the libraries would be checked
    // again. This variable goes before the flags of both.
    let flags = ["--cfg", "trybuild", "--verbose", "-A", "dead_code", "--diagnostic-width=140"];
    let flags = ("CARGO_ENCODED_RUSTFLAGS", &*flags.join("\x1f"));
    match common::respawn_with(module_path!(), "misuse_does_not_compile", &[package, flags]) {
        Some(output) => {
            common::assert_success("misuse_does_not_compile", &output);
            let text = String::from_utf8_lossy(&output.stderr);
            for rule in rules("rs") {
                assert!(text.contains(&format!("ui-tests/{rule}.rs")), "{rule} was not compiled");
            }
        }
        None => {
            // Patterns are found from here. This process has no other test.
            std::env::set_current_dir(root).unwrap();
            trybuild::TestCases::new().compile_fail("ui-tests/*.rs");
        }
    }
}

/// The names of the files in `ui-tests/` that end in `.extension`, without it.
pub(crate) fn rules(extension: &str) -> BTreeSet<String> {
    let files = files("ui-tests", extension).into_iter();
    let beside = files.filter(|path| path.parent() == Some(Path::new("ui-tests")));
    beside.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

/// The parts of a text between backquotes, but for blocks of code.
pub(crate) fn backquoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).filter(|part| !part.is_empty())
}

/// The numbers of the driver facts that a text cites: 13 for `F13`.
pub(crate) fn facts(text: &str) -> impl Iterator<Item = u32> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter_map(|word| word.strip_prefix('F')?.parse().ok())
}

#[test]
fn every_rule_says_what_it_is_and_has_its_message() {
    assert_eq!(rules("rs"), rules("stderr"));
    for rule in rules("rs") {
        let source = read(format!("ui-tests/{rule}.rs"));
        let page: Vec<_> = source.lines().take_while(|line| line.starts_with("//!")).collect();
        let parts: Vec<_> = page.split(|line| *line == "//!").map(|part| part[0]).collect();
        let begins = |(part, mark): (&&str, &str)| part.starts_with(&format!("//! {mark}"));
        let marks = ["", "**Why:** ", "**Mend:** ", "**Mistake** ("];
        assert!(
            parts.len() == 4 && parts.iter().zip(marks).all(begins),
            "{rule} does not begin with its rule, why it is there, the mend and the mistake: {parts:?}"
        );
        let mend = format!("`ui-tests/mended/{rule}.rs`");
        assert!(page.join(" ").contains(&mend), "{rule} does not name {mend}");

        let message = read(format!("ui-tests/{rule}.stderr"));
        let points_to_the_user = format!("--> ui-tests/{rule}.rs:");
        assert!(message.contains(&points_to_the_user), "{rule}: the message points elsewhere");
        for unstable in ["$RUST", "$CARGO", "warning:"] {
            // Sources of the standard library and of other crates change, and are not everywhere.
            assert!(!message.contains(unstable), "{rule}: the message contains {unstable}");
        }
    }
}

/// The lines of a program, but for its page. The right program has another name for its functions.
fn lines_of(path: &str) -> Vec<String> {
    let source = read(path).replace("fn right", "fn misuse").replace("Right", "Misuse");
    let lines = source.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.filter(|line| !line.starts_with("//!")).map(str::to_owned).collect()
}

/// The first lines that the second lacks.
fn beside(some: &[String], others: &[String]) -> usize {
    let mut left = others.to_vec();
    let found = |line: &&String| match left.iter().position(|other| other == *line) {
        Some(at) => {
            left.swap_remove(at);
            true
        }
        None => false,
    };
    some.len() - some.iter().filter(found).count()
}

/// The right programs are modules of these tests, in `tests/rules/mended.rs`, so the compiler takes them.
#[test]
fn every_mistake_has_its_mend_beside_it() {
    let mended = files("ui-tests/mended", "rs").into_iter();
    let mended: BTreeSet<_> =
        mended.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(mended, rules("rs"));
    let modules = read("tests/rules/mended.rs");
    let modules = modules.split("\nmod ").skip(1).map(|rest| rest.split(';').next().unwrap());
    assert_eq!(modules.map(str::to_owned).collect::<BTreeSet<_>>(), mended);
    for rule in mended {
        let of = format!("//! The mend of `ui-tests/{rule}.rs`. ");
        assert!(read(format!("ui-tests/mended/{rule}.rs")).starts_with(&of), "{rule}");
        let [mistake, mend] =
            ["", "mended/"].map(|at| lines_of(&format!("ui-tests/{at}{rule}.rs")));
        let (lost, new) = (beside(&mistake, &mend), beside(&mend, &mistake));
        assert_ne!(mistake, mend, "{rule}: the mend is the mistake");
        assert!(lost <= 12 && new <= 12, "{rule}: the mend is another program: -{lost} +{new}");
    }
}

/// Asserts that every path and test that a text names exists, and gives the rules among them.
pub(crate) fn named_and_there(text: &str) -> BTreeSet<String> {
    all_there(backquoted(text))
}

/// The same for names that are at hand.
fn all_there<'t>(names: impl Iterator<Item = &'t str>) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    let folders = read("Cargo.toml");
    let folders = folders.split_once("\nmembers = [").unwrap().1.split(']').next().unwrap();
    let folders: BTreeSet<_> = folders
        .split('"')
        .skip(1)
        .step_by(2)
        .filter_map(|member| member.split('/').next())
        .chain([".ci", ".github", "docs", "fuzz", "src", "ui-tests"])
        .collect();
    for path in names {
        // Of a command its first word.
        let path = path.split(' ').next().unwrap();
        let (file, test) = path.split_once("::").unwrap_or((path, ""));
        if !file.split_once('/').is_some_and(|(folder, _)| folders.contains(folder)) {
            continue;
        }
        assert!(Path::new(ROOT).join(file).exists(), "`{path}` is named and does not exist");
        if !test.is_empty() {
            let source = read(file);
            assert!(source.contains(&format!("fn {test}(")), "`{path}`: no such test");
        }
        if let Some(rule) = file.strip_prefix("ui-tests/").and_then(|f| f.strip_suffix(".rs")) {
            named.insert(rule.to_owned());
        }
    }
    named
}

/// Sources, tests and scripts that are on a page. The guide names those of a reader's program too.
#[test]
fn what_the_pages_name_is_there() {
    let pages = files("docs", "md").into_iter().filter(|page| !page.starts_with("docs/guide"));
    let pages: Vec<_> = pages.chain([PathBuf::from("SECURITY.md")]).collect();
    assert!(pages.len() > 10, "{pages:?}");
    pages.iter().for_each(|page| drop(named_and_there(&read(page))));
    // The table of lines that no test runs has its files without `src/`.
    let assurance = read("docs/assurance.md");
    let rows = assurance.split("<!-- not covered -->").nth(1).unwrap();
    let rows = rows.split("<!-- end of not covered -->").next().unwrap();
    let sources: Vec<_> =
        rows.lines().filter_map(|row| row.strip_prefix("| `")?.split('`').next()).collect();
    assert!(sources.len() > 20, "{sources:?}");
    all_there(
        sources.iter().map(|path| format!("src/{path}")).collect::<Vec<_>>().iter().map(|it| &**it),
    );
}

#[test]
fn soundness_and_its_list_of_tests_name_every_rule_and_only_what_exists() {
    let (text, list) = (read("SOUNDNESS.md"), read(TESTS));
    let listed = tests_of_invariants(&list).into_iter().flat_map(|(_, tests)| tests);
    assert_eq!(all_there(backquoted(&text).chain(listed)), rules("rs"));
    named_and_there(&read("tests/contexts_and_threads/attacks.rs"));
}

/// The details of a mechanism are in the comments of its sources.
#[test]
fn the_safety_case_is_read_in_one_sitting() {
    let text = read("SOUNDNESS.md");
    // Neither paths nor the bars of tables.
    let is_read = |word: &&str| word.contains(char::is_alphanumeric) && !word.contains('/');
    let words = text.split_whitespace().filter(is_read).count();
    assert!(words < 10_700, "{words} words: fifty minutes are 10,500");
}

/// Whether a source calls code of the program: what ends or hands on a panic of it, hooks, wakers, subscribers,
/// and public functions that take a closure or an iterator.
fn runs_code_of_the_program(source: &str) -> bool {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let source = source.split("#[cfg(all(test").next().unwrap_or_default();
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let marks = [
        "contained(",
        "catch_unwind(",
        "resume_unwind(",
        "report_drop(",
        "tracing::",
        "Waker",
        "BuildHasher",
    ];
    let takes_code = |rest: &str| {
        let signature = rest.split(['{', ';']).next().unwrap_or_default();
        ["Fn(", "FnMut(", "FnOnce(", "IntoIterator<"].iter().any(|kind| signature.contains(kind))
    };
    let public = |keyword| code.split(keyword).skip(1).any(takes_code);
    marks.iter().any(|mark| code.contains(mark)) || public("pub fn ") || public("pub unsafe fn ")
}

#[test]
fn every_point_where_code_of_the_program_runs_is_listed() {
    let text = read("SOUNDNESS.md");
    let (_, behind) = text.split_once("### `re-entered`").unwrap();
    let section = behind.split("\n## ").next().unwrap();
    // The first cell of a row has the files.
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    let listed = cells.flat_map(|files| files.split('`').step_by(2));
    let listed: BTreeSet<_> = listed.map(str::to_owned).collect();
    let runs = |path: &PathBuf| runs_code_of_the_program(&read(path));
    let there: BTreeSet<_> = ["src", "nvrtc/safe/src"]
        .into_iter()
        .flat_map(|folder| files(folder, "rs"))
        .filter(runs)
        .map(|path| path.to_str().unwrap().to_owned())
        .collect();
    assert_eq!(listed, there, "the table of `re-entered`, and what the sources have");
}

/// The string literals of a source, each with its line, but for the aliases of documentation.
fn literals(source: &str) -> Vec<(usize, &str)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        let is_in_word = source[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let hashes = rest[1.min(rest.len())..].bytes().take_while(|&b| b == b'#').count();
        let is_raw = |rest: &str| rest.starts_with('r') && rest[1 + hashes..].starts_with('"');
        // How far the token goes, and where the text begins if it is a literal.
        let (len, text) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), None)
        } else if rest.starts_with("/*") {
            (block_comment(rest), None)
        } else if is_raw(rest) && (!is_in_word || source[..at].ends_with(['b', 'c'])) {
            let (begin, end) = (hashes + 2, format!("\"{}", "#".repeat(hashes)));
            let len = rest[begin..].find(&end).expect("a raw literal ends");
            (begin + len + end.len(), Some(&rest[begin..begin + len]))
        } else if c == '"' {
            let escaped =
                |len: usize| rest[1..len].bytes().rev().take_while(|&b| b == b'\\').count();
            let mut quotes = rest.match_indices('"').map(|(len, _)| len).skip(1);
            let len = quotes.find(|&len| escaped(len) % 2 == 0).expect("a literal ends");
            (len + 1, Some(&rest[1..len]))
        } else if c == '\'' {
            (quote(rest), None)
        } else {
            (c.len_utf8(), None)
        };
        let is_alias = source[..at].trim_end().ends_with("doc(alias =");
        if let (Some(text), false) = (text, is_alias) {
            found.push((source[..at].matches('\n').count() + 1, text));
        }
        at += len;
    }
    found
}

/// How long a comment between `/*` and `*/` is, which may have others inside.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        let step = match rest.get(at..at + 2) {
            Some("/*") => 1,
            Some("*/") => -1,
            _ => 0,
        };
        depth += step;
        at += if step == 0 {
            rest[at..].chars().next().expect("a comment ends").len_utf8()
        } else {
            2
        };
        if depth == 0 {
            return at;
        }
    }
}

/// How long what begins with `'` is: a character, or the mark of a lifetime.
fn quote(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        // The character after the backslash may be a quote itself.
        Some((_, '\\')) => 3 + rest[3..].find('\'').expect("a character ends") + 1,
        _ => match chars.next() {
            Some((at, '\'')) => at + 1,
            _ => 1,
        },
    }
}

/// Whether a literal is the name of a function of the driver, and nothing else.
fn is_name_of_a_function(literal: &str) -> bool {
    let name = literal.strip_suffix("\\0").unwrap_or(literal);
    let behind = name.strip_prefix("cu").unwrap_or_default();
    behind.starts_with(|c: char| c.is_ascii_uppercase())
        && behind.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[test]
fn a_literal_is_seen_wherever_it_stands() {
    let source = r##"
        // "cuInComment" /* "
        /// "cuInDocumentation"
        /* /* "cuNested" */ "cuInBlock" */
        #[doc(alias = "cuAlias")]
        let quote = ('"', '\'', '\\', "\"cuEscaped");
        fn lifetime<'a>(call: &'a str) { check("cuOne", 0) }
        check(
            "cuTwo",
            r#"cu"Raw"#,
        );
        let (bytes, text) = (b"cuThree", cr"cuFour\0"); "cuFive and more"
    "##;
    let seen = literals(source);
    let of = |line| seen.iter().filter(|(at, _)| *at == line).map(|(_, text)| *text).collect();
    let lines: Vec<Vec<&str>> = [6, 7, 9, 10, 12].map(of).into();
    assert_eq!(lines[0], ["\\\"cuEscaped"]);
    assert_eq!(lines[1], ["cuOne"]);
    assert_eq!(lines[2], ["cuTwo"]);
    assert_eq!(lines[3], ["cu\"Raw"]);
    assert_eq!(lines[4], ["cuThree", "cuFour\\0", "cuFive and more"]);
    assert_eq!(seen.len(), 7, "{seen:?}");
    let names = seen.iter().map(|(_, text)| *text).filter(|text| is_name_of_a_function(text));
    assert_eq!(names.collect::<Vec<_>>(), ["cuOne", "cuTwo", "cuThree", "cuFour\\0"]);
}

/// The name of a driver function stands where it is called, as `answer!` or `name!` has it.
#[test]
fn no_literal_names_a_function_of_the_driver() {
    let mut beside = Vec::new();
    for path in files("src", "rs").iter().filter(|path| !path.ends_with("src/core/call/mod.rs")) {
        let source = read(path);
        let names = literals(&source).into_iter().filter(|(_, text)| is_name_of_a_function(text));
        beside.extend(names.map(|(line, text)| format!("{}:{line}: \"{text}\"", path.display())));
    }
    let list = beside.join("\n");
    assert!(
        beside.is_empty(),
        "write `name!(…)` of src/core/call/mod.rs, or call by `answer!`:\n{list}"
    );
}

#[test]
fn every_context_function_of_the_driver_has_its_place() {
    let text = read("docs/contexts.md");
    let named: BTreeSet<_> = backquoted(&text).collect();
    for group in ["ffi/src/context.rs", "ffi/src/primary_context.rs"] {
        let source = read(group);
        let functions = source.split(" fn ").skip(1).filter_map(|rest| rest.split('(').next());
        let missing: Vec<_> = functions.filter(|function| !named.contains(function)).collect();
        assert!(missing.is_empty(), "{missing:?} of {group} are not in docs/contexts.md");
    }
}

#[test]
fn names_of_other_crates_are_found_here_and_tested() {
    let text = read("docs/guide/11-coming-from.md");
    named_and_there(&text);
    let rows =
        text.lines().filter(|line| line.starts_with("| ") && *line != "| there | here | test |");
    for row in rows.clone() {
        let test = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        assert!(test.starts_with("`tests/"), "a row without a test: {row}");
    }
    // The names that each is known for.
    let theirs: Vec<_> = rows.filter_map(|row| row.split(" | ").next()).collect();
    for name in [
        "Module::load_from_string",
        "launch!(",
        "Linker::new",
        "ModuleJitOption",
        "suggested_launch_configuration",
        "compile_ptx",
        "load_ptx",
        "get_func",
        "LaunchConfig::for_num_elems",
        "load_module_with_options",
        "load_nvrtc_module",
        "load_library_with_options",
        "load_library_from_file",
        "load_nvrtc_library",
        "JitLog",
        "launch_kernel_ex",
        "begin_capture",
        "from_slice",
        "elapsed_ms",
        "bind_to_thread",
    ] {
        assert!(
            theirs.iter().any(|cell| cell.contains(name)),
            "{name} is not in docs/guide/11-coming-from.md"
        );
    }
}

/// Each page answers one question, with code, in ten minutes. Tables to look things up in take longer.
#[test]
fn the_guide_is_complete() {
    let (modules, index, readme) =
        (read("src/guide.rs"), read("docs/guide/README.md"), read("README.md"));
    let mut pages = files("docs/guide", "md");
    pages.retain(|page| !page.ends_with("README.md"));
    for page in &pages {
        let (name, text) = (page.to_str().unwrap(), read(page));
        let included = format!("#[doc = include_str!(\"../{name}\")]\npub mod ");
        let (_, rest) =
            modules.split_once(&included).unwrap_or_else(|| panic!("{name}: no module"));
        let module = rest.split(' ').next().unwrap();
        let entry = format!("](crate::guide::{module})");
        assert!(index.contains(&entry), "{name} is not in docs/guide/README.md");
        let host = format!("https://docs.rs/cuscope/latest/cuscope/guide/{module}/index.html");
        assert!(readme.contains(&host), "{name} is not in README.md");

        let mut lines = text.lines();
        assert!(lines.next().unwrap().starts_with("# "), "{name} has no title");
        let question = lines.nth(1).unwrap();
        assert!(question.starts_with('*') && question.ends_with("?*"), "{name} has no question");
        assert!(text.contains("```rust"), "{name} has no code");
        let words = text.split_whitespace().count();
        assert!(words < 2000 || module == "coming_from", "{name} has {words} words");
    }
    assert!(pages.len() >= 12, "{pages:?}");
}

/// `rustdoc` compiles all examples as one program, where the path of a file that one includes leads nowhere. If that
/// does not compile, each is compiled alone, which takes ten times as long, and no one is told.
#[test]
fn an_example_that_includes_a_file_is_a_crate_of_its_own() {
    let mut paths = vec![PathBuf::from("README.md")];
    paths.extend(files("docs", "md"));
    paths.extend(files("src", "rs"));
    let mut seen = 0;
    for path in paths {
        let text = read(&path);
        let lines = text.lines().map(|line| line.trim_start_matches([' ', '/', '!']));
        let mut fence = None;
        for (number, line) in lines.enumerate() {
            match (line.strip_prefix("```"), fence) {
                (Some(info), None) => fence = Some(info),
                (Some(_), Some(_)) => fence = None,
                (None, Some(info)) if line.contains("include_str!(\"") => {
                    let alone = info.contains("standalone_crate") || info.contains("ignore");
                    assert!(alone, "{}:{}: write ```standalone_crate", path.display(), number + 1);
                    seen += 1;
                }
                _ => {}
            }
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn the_error_index_names_every_rule() {
    let text = read("src/error_index.rs");
    let paths = backquoted(&text).filter_map(|part| part.strip_prefix("ui-tests/"));
    let named: BTreeSet<_> = paths.map(|file| file.trim_end_matches(".rs").to_owned()).collect();
    assert_eq!(named, rules("rs"));
}

/// The codes of the compiler in a text: `E0277`.
pub(crate) fn codes(text: &str) -> BTreeSet<&str> {
    let is_code = |word: &&str| {
        word.len() == 5 && word.starts_with('E') && word[1..].bytes().all(|b| b.is_ascii_digit())
    };
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_code).collect()
}

/// An error of lifetimes has no code but these words.
const LIFETIME: &str = "lifetime may not live long enough";

/// Whoever has a message finds its code in the table, in a row that leads to the section that names the program.
#[test]
fn the_error_index_leads_from_the_code_of_a_message_to_its_section() {
    let text = read("src/error_index.rs");
    let heading = "\n//!\n//! # ";
    let (table, sections) = text.split_once(heading).unwrap();
    let rows: Vec<_> =
        table.lines().filter_map(|line| line.strip_prefix("//! | ")?.rsplit_once(" | [")).collect();
    assert!(rows.len() > 40, "{rows:?}");
    let mut lost = Vec::new();
    for rule in rules("stderr") {
        let message = read(format!("ui-tests/{rule}.stderr"));
        let first = message.split("error[").nth(1).map(|rest| &rest[..5]);
        let first =
            if message.starts_with(&format!("error: {LIFETIME}")) { Some(LIFETIME) } else { first };
        let named = format!("ui-tests/{rule}.rs`");
        let anchors =
            sections.split(heading).filter(|section| section.contains(&named)).map(|section| {
                let heading = section.lines().next().unwrap().to_lowercase().replace(' ', "-");
                format!("](#{})", heading.replace(|c: char| !c.is_alphanumeric() && c != '-', ""))
            });
        let anchors: Vec<_> = anchors.collect();
        let leads = |code| {
            rows.iter().any(|(headline, entry)| {
                headline.contains(code) && anchors.iter().any(|anchor| entry.contains(anchor))
            })
        };
        if first.is_some_and(|code| !leads(code)) {
            lost.push((rule, first.map(str::to_owned), anchors));
        }
    }
    assert!(lost.is_empty(), "no row of the table leads to: {lost:#?}");
}

#[test]
fn every_driver_fact_that_is_cited_is_in_the_table() {
    let table = read("docs/driver-facts.md");
    let known: BTreeSet<_> =
        table.lines().filter_map(|line| facts(line.strip_prefix("| ")?).next()).collect();
    let mut texts = vec!["SOUNDNESS.md".to_owned(), "src/error_index.rs".to_owned()];
    texts.extend(rules("rs").iter().map(|rule| format!("ui-tests/{rule}.rs")));
    let pages = files("docs/guide", "md").into_iter();
    texts.extend(pages.map(|page| page.to_str().unwrap().to_owned()));
    for path in texts {
        for fact in facts(&read(&path)) {
            assert!(known.contains(&fact), "{path} cites F{fact}, which is not in the table");
        }
    }
}

/// The lines of documentation in a source, without its blocks of code, each with its number.
fn documentation(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    source.lines().enumerate().filter_map(move |(line, text)| {
        let text = text.trim_start();
        let text = text.strip_prefix("///").or_else(|| text.strip_prefix("//!"));
        let is_fence = text.is_some_and(|text| text.trim_start().starts_with("```"));
        // A block of code ends with its comment.
        is_code = text.is_some() && is_code != is_fence;
        text.filter(|_| !is_code && !is_fence).map(|text| (line + 1, text))
    })
}

/// Splits the links to a page of the documentation off a line: the text and the target of each, and the rest.
fn split_links<'t>(line: &'t str, page: &str) -> (Vec<(&'t str, &'t str)>, String) {
    let (mut links, mut rest, mut left) = (Vec::new(), String::new(), line);
    while let Some((before, behind)) = left.split_once(&format!("](crate::{page}#")) {
        let (text, target) = (before.rsplit_once('['), behind.split_once(')'));
        let (Some((before, text)), Some((target, behind))) = (text, target) else { break };
        links.push((text, target));
        rest.push_str(before);
        left = behind;
    }
    (links, rest + left)
}

#[test]
fn documentation_links_the_facts_and_the_invariants_that_it_cites() {
    let table = read("docs/driver-facts.md");
    let anchors =
        table.lines().filter_map(|line| line.strip_prefix("| <a id=\"")?.split('"').next());
    let rows: BTreeSet<_> = anchors.collect();
    let text = read("SOUNDNESS.md");
    let headings = text.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'));
    let invariants: BTreeSet<_> = headings.collect();
    let mut seen = [0, 0];
    for path in files("src", "rs") {
        let source = read(&path);
        for (number, line) in documentation(&source) {
            let at = format!("{}:{number}", path.display());
            let (links, rest) = split_links(line, "driver_facts");
            assert_eq!(facts(&rest).next(), None, "{at}: write [F…](crate::driver_facts#F…)");
            for (text, row) in links {
                assert!(text == row && rows.contains(row), "{at}: [{text}] leads to {row}");
                seen[0] += 1;
            }
            let (links, rest) = split_links(&rest, "soundness");
            for (text, invariant) in links {
                let is_there =
                    text.trim_matches('`') == invariant && invariants.contains(invariant);
                assert!(is_there, "{at}: [{text}] leads to {invariant}");
                seen[1] += 1;
            }
            let cited = backquoted(&rest).find(|part| invariants.contains(part));
            assert_eq!(cited, None, "{at}: write [`…`](crate::soundness#…)");
        }
    }
    assert!(seen[0] > 200 && seen[1] > 20, "{seen:?}");
}

#[test]
fn links_are_told_from_mere_citations() {
    let (links, rest) = split_links(" a ([F1](crate::driver_facts#F1), F2).", "driver_facts");
    assert_eq!((links, rest.as_str()), (vec![("F1", "F1")], " a (, F2)."));
    let source = "/// a\n/// ```\n/// b // F3\n/// ```\n/// c\nlet d; // e\n//! f\n";
    let lines: Vec<_> = documentation(source).collect();
    assert_eq!(lines, [(1, " a"), (5, " c"), (7, " f")]);
}
