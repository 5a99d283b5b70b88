//! `docs/traceability.md`: which invariant has which mechanism, tests and facts, and back; and `ui-tests/README.md`: the programs
//! that do not compile. What is written there is what SOUNDNESS.md, the sources, `tests/invariants.txt`, `ui-tests/`, the index
//! of errors and the table of facts say.

use crate::ui::{backquoted, codes, facts, rules};
use crate::{ROOT, files, read, tools};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

const PAGE: &str = "docs/traceability.md";
/// The tests of the invariants.
pub(crate) const TESTS: &str = "tests/invariants.txt";
const INDEX: &str = "ui-tests/README.md";
const BEGIN: &str = "<!-- the test `manual` writes these tables -->\n";
const END: &str = "<!-- their end -->\n";

/// Programs that show no invariant, each with the reason.
const OF_NO_INVARIANT: [(&str, &str); 1] =
    [("call_without_unsafe", "a call of the driver by hand is a known hole, and `unsafe`")];

/// Facts that a `// SAFETY:` comment cites and on which no invariant rests, each with the reason.
const OF_NO_CLAIM: [(u32, &str); 1] =
    [(274, "null would be followed; the pointer is that of a local variable")];

/// An entry of SOUNDNESS.md, with its tests.
struct Invariant<'t> {
    name: &'t str,
    /// The heading of its part, and the claims that this part serves.
    part: &'t str,
    serves: &'t str,
    /// The rule that must hold.
    requirement: String,
    text: &'t str,
    /// Programs of `ui-tests/` that do not compile.
    rules: BTreeSet<&'t str>,
    /// Tests that run, with their files.
    run: BTreeSet<&'t str>,
    /// Sources that enforce it.
    sources: BTreeSet<String>,
    /// Facts that it cites.
    cited: BTreeSet<u32>,
    /// Facts that the `// SAFETY:` comments of its sources cite, beside these.
    by_code: BTreeSet<u32>,
}

/// Where the name of a source or of a folder of sources leads.
fn sources_of<'a>(named: &'a str, all: &'a [String]) -> impl Iterator<Item = String> + 'a {
    let is_it =
        move |path: &&String| *path == named || (named.ends_with('/') && path.starts_with(named));
    all.iter().filter(is_it).cloned()
}

/// The facts that a text cites, also between the ends of `F13 to F15`.
fn cited(text: &str, known: &BTreeSet<u32>) -> BTreeSet<u32> {
    let mut found: BTreeSet<u32> = facts(text).collect();
    let words: Vec<_> = text.split_whitespace().collect();
    for ends in words.windows(3).filter(|ends| ends[1] == "to") {
        if let (Some(first), Some(last)) = (facts(ends[0]).next(), facts(ends[2]).next()) {
            found.extend(known.range(first..=last));
        }
    }
    found
}

/// The facts in the `// SAFETY:` comments of a source.
fn cited_for_safety(source: &str, known: &BTreeSet<u32>) -> BTreeSet<u32> {
    let mut is_safety = false;
    let lines = source.lines().map(str::trim_start).filter(|line| {
        is_safety = line.starts_with("// SAFETY:") || (is_safety && line.starts_with("//"));
        is_safety
    });
    cited(&lines.collect::<Vec<_>>().join("\n"), known)
}

/// Whether a source has a test with this name.
fn is_test(source: &str, name: &str) -> bool {
    let Some((before, _)) = source.split_once(&format!("fn {name}(")) else { return false };
    let lines = before.trim_end().lines().rev().map(str::trim);
    lines.take_while(|line| line.starts_with(['#', '/'])).any(|line| line == "#[test]")
}

/// The tests of each invariant, in the order of the list.
pub(crate) fn tests_of_invariants(list: &str) -> Vec<(&str, BTreeSet<&str>)> {
    let mut found = Vec::<(&str, BTreeSet<_>)>::new();
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix("    ") {
            None => found.push((line, BTreeSet::new())),
            Some(test) => {
                let (name, tests) = found.last_mut().expect("a name before its tests");
                assert!(tests.insert(test), "{TESTS}: `{name}` has `{test}` twice");
            }
        }
    }
    found
}

/// The invariants, in the order of the page.
fn invariants<'t>(
    text: &'t str,
    tests: &[(&'t str, BTreeSet<&'t str>)],
    sources: &[String],
    safety: &BTreeMap<String, BTreeSet<u32>>,
    known: &BTreeSet<u32>,
) -> Vec<Invariant<'t>> {
    let mut found = Vec::new();
    for part in text.split("\n## ").filter_map(|part| part.strip_prefix("Invariants: ")) {
        let (heading, rest) = part.split_once('\n').unwrap();
        let mut entries = rest.split("\n### `");
        let serves = entries.next().unwrap().trim();
        assert!(serves.contains("(#the-claim)"), "{heading}: say which claims it serves");
        for entry in entries {
            let (name, text) = entry.split_once('`').unwrap();
            let (requirement, _) = text.split_once("\n- *If broken*: ").expect(name);
            assert!(text.contains("\n- *Enforced by*:"), "{name} says nothing that enforces it");
            let tests = tests.iter().find(|(one, _)| *one == name);
            let (_, tests) = tests.unwrap_or_else(|| panic!("{TESTS} does not have {name}"));
            let named: BTreeSet<_> = backquoted(text).chain(tests.iter().copied()).collect();
            let rule = |path: &&'t str| path.strip_prefix("ui-tests/")?.strip_suffix(".rs");
            let enforced = named.iter().flat_map(|path| sources_of(path, sources));
            let enforced: BTreeSet<_> = enforced.collect();
            let cited = cited(text, known);
            let by_code = enforced.iter().filter_map(|path| safety.get(path)).flatten().copied();
            found.push(Invariant {
                name,
                part: heading,
                serves,
                requirement: requirement
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ")
                    .replace("](#", "](../SOUNDNESS.md#"),
                text,
                rules: named.iter().filter_map(rule).collect(),
                run: named.iter().copied().filter(|path| path.contains(".rs::")).collect(),
                by_code: by_code.filter(|fact| !cited.contains(fact)).collect(),
                sources: enforced,
                cited,
            });
        }
    }
    found
}

/// The codes of the compiler in the message of a program, or what it has instead of one.
fn answer(rule: &str) -> BTreeSet<String> {
    let message = read(format!("ui-tests/{rule}.stderr"));
    let errors = message.split("error[").skip(1).filter_map(|rest| codes(&rest[..6]).pop_first());
    let mut found: BTreeSet<String> = errors.map(str::to_owned).collect();
    if message.contains("error: lifetime may not live long enough") {
        found.insert("lifetime".to_owned());
    }
    if found.is_empty() {
        let is_lint = message.contains("the lint level is defined here");
        found.insert(if is_lint { "lint" } else { "error" }.to_owned());
    }
    found
}

/// The text of a column, or a dash.
fn cell(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<_> = parts.into_iter().collect();
    if parts.is_empty() { "—".to_owned() } else { parts.join(", ") }
}

/// A link to a fact.
fn linked(fact: &u32) -> String {
    format!("[F{fact}](driver-facts.md#F{fact})")
}

/// A link to an invariant.
fn invariant(name: &str) -> String {
    format!("[`{name}`](../SOUNDNESS.md#{name})")
}

/// How an invariant holds: by types, by code that runs, and by obligations of `unsafe` functions.
fn mechanism(it: &Invariant<'_>) -> String {
    let mut codes: BTreeSet<String> = it.rules.iter().flat_map(|rule| answer(rule)).collect();
    let is_documented = codes.remove("E0133");
    let mut kinds = Vec::new();
    if !codes.is_empty() {
        kinds.push(format!("type ({})", cell(codes)));
    }
    if !it.run.is_empty() {
        kinds.push("run time".to_owned());
    }
    if is_documented {
        kinds.push("documentation (obligations of an `unsafe` function: E0133)".to_owned());
    }
    let sources = cell(it.sources.iter().map(|path| format!("`{path}`")));
    format!("{}. {sources}", kinds.join("; "))
}

/// The page of a program, in one line. Its parts have no space between them.
fn page_of(program: &str) -> String {
    let source = read(format!("ui-tests/{program}.rs"));
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    lines.collect::<String>().trim_start().to_owned()
}

/// The rule of a program: the first part of its page.
fn rule_of(program: &str) -> String {
    let source = read(format!("ui-tests/{program}.rs"));
    let lines = source.lines().map_while(|line| line.strip_prefix("//! "));
    lines.collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// The tables of both pages, and what is wrong with what they are made from.
fn tables() -> (String, String, Vec<String>) {
    let (soundness, index, rows) =
        (read("SOUNDNESS.md"), read("src/error_index.rs"), read("docs/driver-facts.md"));
    let anchors = rows.lines().filter_map(|line| line.strip_prefix("| <a id=\"F")?.split_once('"'));
    let known: BTreeSet<u32> = anchors.map(|(number, _)| number.parse().unwrap()).collect();
    let sources =
        ["src", "nvrtc/safe/src", "guard/src"].into_iter().flat_map(|folder| files(folder, "rs"));
    let sources: Vec<_> = sources.map(|path| path.to_str().unwrap().to_owned()).collect();
    let safety: BTreeMap<_, _> =
        sources.iter().map(|path| (path.clone(), cited_for_safety(&read(path), &known))).collect();
    let list = read(TESTS);
    let tests = tests_of_invariants(&list);
    let all = invariants(&soundness, &tests, &sources, &safety, &known);
    let mut wrong = Vec::new();
    // In one order, so that a name stands where it is looked for.
    if !tests.iter().map(|(name, _)| *name).eq(all.iter().map(|it| it.name)) {
        wrong.push(format!("{TESTS} does not have the invariants of SOUNDNESS.md in their order"));
    }

    // From an invariant to what it has.
    let (mut text, mut part) = (String::from("\n## Invariants\n"), "");
    for it in &all {
        if it.part != part {
            part = it.part;
            let serves = it.serves.replace("(#", "(../SOUNDNESS.md#");
            writeln!(text, "\n### {}\n\n{serves}\n", upper(part)).unwrap();
            text +=
                "| invariant | requirement | mechanism | tests | facts |\n|---|---|---|---|---|\n";
        }
        if it.rules.is_empty() && it.run.is_empty() {
            wrong.push(format!("`{}` has no test", it.name));
        }
        if it.sources.is_empty() {
            wrong.push(format!("`{}` names no source that enforces it", it.name));
        }
        for test in &it.run {
            let (file, name) = test.split_once("::").unwrap();
            if !is_test(&read(file), name) {
                wrong.push(format!("`{}` names `{test}`, which is no test", it.name));
            }
        }
        // A code that the entry claims is in the message of one of its programs.
        let answers: BTreeSet<String> = it.rules.iter().flat_map(|rule| answer(rule)).collect();
        for code in codes(it.text).into_iter().filter(|code| !answers.contains(*code)) {
            wrong.push(format!("`{}` claims {code}, which none of its programs gets", it.name));
        }
        let rules = it.rules.iter().map(|rule| format!("`ui-tests/{rule}.rs`"));
        let run = it.run.iter().map(|test| format!("`{test}`"));
        let mut facts = vec![cell(it.cited.iter().map(linked))];
        if !it.by_code.is_empty() {
            facts.push(format!("in its sources: {}", cell(it.by_code.iter().map(linked))));
        }
        writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            invariant(it.name),
            it.requirement,
            mechanism(it),
            cell(rules.chain(run)),
            facts.join("; ")
        )
        .unwrap();
    }

    // From a program that does not compile to its invariant.
    let mut index_of = BTreeMap::<&str, String>::new();
    let sections: Vec<_> = index.split("\n//!\n//! # ").skip(1).collect();
    for rule in rules("rs") {
        let named = format!("ui-tests/{rule}.rs`");
        let shown = all.iter().filter(|it| it.rules.contains(rule.as_str()));
        // What must hold is no reason why it must.
        let page = page_of(&rule);
        if shown.clone().any(|it| page.contains(&it.requirement)) {
            wrong.push(format!("`ui-tests/{rule}.rs` repeats its invariant as the reason"));
        }
        let shown: Vec<_> =
            shown.map(|it| format!("[`{0}`](crate::soundness#{0})", it.name)).collect();
        let reason = OF_NO_INVARIANT.iter().find(|(other, _)| *other == rule);
        if shown.is_empty() == reason.is_none() {
            wrong.push(format!("`ui-tests/{rule}.rs`: {shown:?}, {reason:?}"));
        }
        let headings = sections.iter().filter(|section| section.contains(&named));
        let headings = headings.map(|section| section.lines().next().unwrap().to_owned());
        let headings =
            headings.map(|heading| format!("[{heading}](crate::error_index#{})", anchor(&heading)));
        let why = reason.map(|(_, reason)| format!("none: {reason}"));
        let cells = [
            rule_of(&rule),
            cell(answer(&rule)),
            why.unwrap_or_else(|| cell(shown)),
            cell(headings),
        ];
        let part = all.iter().find(|it| it.rules.contains(rule.as_str()));
        let part = part.map_or("calls of the driver by hand", |it| it.part);
        let row = format!("| `{rule}` | {} |\n", cells.join(" | "));
        *index_of.entry(part).or_default() += &row;
    }
    let mut index = String::new();
    let parts: BTreeMap<_, _> =
        all.iter().rev().enumerate().map(|(at, it)| (it.part, at)).collect();
    let mut index_of: Vec<_> = index_of.into_iter().collect();
    index_of.sort_by_key(|(part, _)| std::cmp::Reverse(parts.get(part)));
    for (part, rows) in index_of {
        let head = "| program | rule | message | invariant | in the index of errors |\n|---|---|---|---|---|\n";
        write!(index, "\n## {}\n\n{head}{rows}", upper(part)).unwrap();
    }

    // From a fact to what rests on it.
    text += "\n## Facts\n\nThe facts on which an invariant rests, or the argument of an `unsafe` block.\n\n";
    text +=
        "| fact | invariants that cite it | invariants whose sources cite it |\n|---|---|---|\n";
    let used: BTreeSet<u32> = safety.values().flatten().copied().collect();
    let rests = |fact, in_code: bool| {
        let has = move |it: &&Invariant<'_>| {
            if in_code { it.by_code.contains(&fact) } else { it.cited.contains(&fact) }
        };
        all.iter().filter(has).map(|it| invariant(it.name)).collect::<Vec<_>>()
    };
    let mut unused = 0;
    for fact in &known {
        let (cites, in_code) = (rests(*fact, false), rests(*fact, true));
        let reason = OF_NO_CLAIM.iter().find(|(other, _)| other == fact);
        if cites.is_empty() && in_code.is_empty() {
            match reason {
                Some((_, reason)) => {
                    writeln!(text, "| {} | none: {reason} | — |", linked(fact)).unwrap()
                }
                None if used.contains(fact) => {
                    let of = safety.iter().filter(|(_, facts)| facts.contains(fact));
                    let of: Vec<_> = of.map(|(path, _)| path).collect();
                    wrong.push(format!("F{fact} belongs to no invariant, and {of:?} rests on it"));
                }
                None => unused += 1,
            }
            continue;
        }
        if reason.is_some() {
            wrong.push(format!("F{fact} belongs to an invariant: {cites:?}, {in_code:?}"));
        }
        writeln!(text, "| {} | {} | {} |", linked(fact), cell(cites), cell(in_code)).unwrap();
    }
    writeln!(
        text,
        "\nThe other {unused} of {} facts are for the errors, the documentation and the software driver.",
        known.len()
    )
    .unwrap();
    text += &noticed(&all, &mut wrong);
    text += &tools::runs(&mut wrong);
    (text, index, wrong)
}

/// Mutants that the tests of each invariant notice: mutants of its sources, as `.ci/noticed.txt` has them, and mutants of the
/// types, as `docs/assurance.md` has them.
fn noticed(all: &[Invariant<'_>], wrong: &mut Vec<String>) -> String {
    let (list, reasons) = (read(".ci/noticed.txt"), read(".ci/mutants.txt"));
    let reasons: BTreeSet<_> = reasons.lines().collect();
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let known: BTreeMap<_, _> = lines.filter_map(|line| line.split_once(": ")).collect();
    let named: BTreeSet<_> = all.iter().flat_map(|it| &it.run).copied().collect();
    for test in known.keys().filter(|test| !named.contains(*test)) {
        wrong.push(format!(".ci/noticed.txt: `{test}` is named by no invariant"));
    }
    for (test, how) in &known {
        if (*how == "none") != reasons.contains(test) {
            wrong.push(format!(
                "`{test}` notices: {how}. .ci/mutants.txt has those that notice none"
            ));
        }
    }
    let assurance = read("docs/assurance.md");
    let (_, types) = assurance.split_once("<!-- type mutants: ").expect("the table is there");
    let of_types = |name: &str| {
        let rows = types.lines().filter(|line| line.starts_with("| "));
        let cells = rows.filter_map(|row| row.split(" | ").nth(1));
        cells.filter(|cell| cell.contains(&format!("`{name}`"))).count()
    };
    let mut text = String::from(
        "\n## Mutants that the tests notice\n\nMutants of the sources that an invariant names, of which one of its tests was the \
         first to fail, and mutants of the types that one of its programs notices. \"Of others\" are tests that are known to notice \
         a mutant of another source. \"None\" are tests that can notice none, for a reason in `.ci/mutants.txt`. \"Not asked\" are \
         tests of which no run has said more yet than that another test fails first.\n\n\
         | invariant | mutants of the types | mutants of its sources | run-time tests | of them notice these | of others | \
         none | not asked |\n|---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut sums = [0; 7];
    for it in all {
        let how = |kind: &str| {
            it.run
                .iter()
                .filter(|test| known.get(*test).is_some_and(|how| how.starts_with(kind)))
                .count()
        };
        let mutants: usize = it
            .run
            .iter()
            .filter_map(|test| {
                known.get(test)?.strip_prefix("own ")?.split(':').next()?.parse::<usize>().ok()
            })
            .sum();
        let (own, other) = (how("own"), how("other"));
        let none = it.run.iter().filter(|test| reasons.contains(*test)).count();
        let types = of_types(it.name);
        let row =
            [types, mutants, it.run.len(), own, other, none, it.run.len() - own - other - none];
        if types + own + other == 0 && none < it.run.len() {
            wrong.push(format!("no test and no program of `{}` notices a mutant", it.name));
        }
        for (sum, one) in sums.iter_mut().zip(row) {
            *sum += one;
        }
        writeln!(
            text,
            "| {} | {} |",
            invariant(it.name),
            row.map(|one| one.to_string()).join(" | ")
        )
        .unwrap();
    }
    writeln!(
        text,
        "| all, some more than once | {} |",
        sums.map(|one| one.to_string()).join(" | ")
    )
    .unwrap();
    text
}

/// A heading, with a capital.
fn upper(heading: &str) -> String {
    heading[..1].to_uppercase() + &heading[1..]
}

/// `UPDATE_MANUAL=1` writes the tables.
#[test]
fn the_tables_of_the_manual_are_those_of_the_sources() {
    let (text, index, wrong) = tables();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    written(PAGE, &text);
    written(INDEX, &index);
}

/// Asserts that a page has this between its marks, or writes it there.
pub(crate) fn written(path: &str, text: &str) {
    let page = read(path);
    let (head, rest) = page.split_once(BEGIN).expect("the page has the mark");
    let (tables, tail) = rest.split_once(END).expect("the page has the other mark");
    if env::var_os("UPDATE_MANUAL").is_some() {
        let page = [head, BEGIN, text, "\n", END, tail].concat();
        fs::write(Path::new(ROOT).join(path), page).unwrap();
        return;
    }
    for (says, is) in tables.trim_end().lines().zip(text.trim_end().lines()) {
        assert_eq!(says, is, "UPDATE_MANUAL=1 writes {path} anew");
    }
    assert!(tables.trim_end() == text.trim_end(), "UPDATE_MANUAL=1 writes {path} anew");
}

#[test]
fn a_range_of_facts_is_all_of_it_a_test_has_its_mark_and_an_invariant_its_tests() {
    let known = BTreeSet::from([1, 4, 5, 7, 9]);
    let found: Vec<_> = cited("F1, (F4 to\n F7) but F9.", &known).into_iter().collect();
    assert_eq!(found, [1, 4, 5, 7, 9]);
    let source = "// F1\n// SAFETY: a (F4)\n// and F5\nf(); // F7\n";
    assert_eq!(cited_for_safety(source, &known), BTreeSet::from([4, 5]));
    let list = "# a\n\none\n    x\n    y\n\ntwo\n";
    let of = tests_of_invariants(list);
    assert_eq!(of, [("one", BTreeSet::from(["x", "y"])), ("two", BTreeSet::new())]);
    let source = "#[test]\n#[ignore = \"long\"]\nfn one() {}\n\nfn two() {}\n";
    assert_eq!([is_test(source, "one"), is_test(source, "two")], [true, false]);
}

/// Where a heading is found, as sites that show Markdown do.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// Whether a page has a heading or a mark of this name.
fn has(page: &str, name: &str) -> bool {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    page.contains(&format!("<a id=\"{name}\">"))
        || headings.map(|line| anchor(line.trim_start_matches('#').trim())).any(|it| it == name)
}

#[test]
fn every_link_between_pages_leads_somewhere() {
    assert!(has("## What `a_b` is, and why", "what-a_b-is-and-why"));
    let mut pages = files("docs", "md");
    pages.extend(["README.md", "SECURITY.md", "CONTRIBUTING.md"].map(Into::into));
    let mut links = 0;
    for page in pages {
        let text = read(&page);
        let inline = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let below = text.lines().filter_map(|line| line.strip_prefix('[')?.split_once("]: "));
        for link in inline.chain(below.map(|(_, link)| link)) {
            // To a site, or an item of the documentation, which rustdoc checks.
            if link.starts_with("https://") || link.contains("::") || link.contains(".html") {
                continue;
            }
            links += 1;
            let (file, name) = link.split_once('#').unwrap_or((link, ""));
            let at = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            assert!(Path::new(ROOT).join(&at).exists(), "{}: no {link}", page.display());
            assert!(name.is_empty() || has(&read(at), name), "{}: no {link}", page.display());
        }
    }
    assert!(links > 900, "{links}");
}
