//! The tables of `docs/failure-modes.md`: what the caller sees of each driver call that fails, and what is left, as it
//! was found here.

use crate::common::UNWINDS;
use cuscope::ffi;
use cuscope_softdriver::control::Live;
use cuscope_softdriver::faults::{Fault, Which};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// The effect of a failure that the caller sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Seen {
    Err,
    Hook,
    MadeAgain,
    OtherWay,
    Abort,
}

impl Seen {
    const ALL: [Seen; 5] = [Seen::Err, Seen::Hook, Seen::MadeAgain, Seen::OtherWay, Seen::Abort];

    fn words(self) -> &'static str {
        match self {
            Seen::Err => "`Err`",
            Seen::Hook => "hook",
            Seen::MadeAgain => "made again",
            Seen::OtherWay => "another way",
            Seen::Abort => "abort",
        }
    }
}

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Refused,
    Performed,
    Fault,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Refused, Kind::Performed, Kind::Fault];

    fn of(fault: Fault) -> Kind {
        match fault {
            Fault { code: ffi::CUDA_ERROR_LAUNCH_FAILED, .. } => Kind::Fault,
            Fault { performed: true, .. } => Kind::Performed,
            _ => Kind::Refused,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Kind::Refused => "refused",
            Kind::Performed => "performed",
            Kind::Fault => "fault",
        }
    }
}

/// The findings about one driver call.
#[derive(Default)]
struct Effects {
    operations: BTreeSet<String>,
    failures: usize,
    seen: BTreeMap<Seen, usize>,
    left: BTreeMap<Kind, BTreeSet<String>>,
}

/// A failure: the call and the operation, what the caller saw, and what was left.
struct Failure {
    call: String,
    operation: String,
    kind: Kind,
    seen: Vec<Seen>,
    left: BTreeSet<String>,
}

/// The findings.
#[derive(Default)]
pub(crate) struct Table {
    failures: Vec<Failure>,
}

/// How much of each kind is alive.
fn counts(live: Live) -> Vec<(String, usize)> {
    let text = format!("{live:?}");
    let (_, fields) = text.trim_end_matches(" }").split_once("{ ").expect("a struct has fields");
    let pairs =
        fields.split(", ").map(|field| field.split_once(": ").expect("a field has a value"));
    pairs.map(|(name, value)| (name.replace('_', " "), value.parse().unwrap())).collect()
}

/// The kinds of which more is alive after than before.
pub(crate) fn left(before: Live, after: Live) -> BTreeSet<String> {
    let both = counts(before).into_iter().zip(counts(after));
    let more = both.filter(|((_, before), (_, after))| after > before);
    more.map(|(_, (name, _))| name).filter(|name| name != "bytes").collect()
}

impl Table {
    /// Notes a failure.
    pub(crate) fn note(
        &mut self,
        call: &str,
        operation: &str,
        fault: Fault,
        seen: &[Seen],
        left: BTreeSet<String>,
    ) {
        let (call, operation, seen) = (call.to_owned(), operation.to_owned(), seen.to_vec());
        self.failures.push(Failure { call, operation, kind: Kind::of(fault), seen, left });
    }

    /// The failures, each as a line.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.failures.iter().map(|Failure { call, operation, kind, seen, left }| {
            let seen: Vec<_> = seen.iter().map(|seen| seen.words()).collect();
            let left: Vec<_> = left.iter().map(String::as_str).collect();
            [call, operation, kind.words(), &seen.join(","), &left.join(",")].join("\t")
        })
    }

    /// Adds a failure that [`Self::lines`] gave.
    pub(crate) fn add(&mut self, line: &str) {
        let parts: Vec<_> = line.split('\t').collect();
        let &[call, operation, kind, seen, left] = parts.as_slice() else { panic!("{line}") };
        let words = |list: &str| -> Vec<String> {
            list.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let seen_of = |words: String| Seen::ALL.into_iter().find(|seen| seen.words() == words);
        let (call, operation) = (call.to_owned(), operation.to_owned());
        let kind = Kind::ALL.into_iter().find(|its| its.words() == kind).expect("a kind");
        let seen = words(seen).into_iter().map(|seen| seen_of(seen).expect("a way")).collect();
        let left = words(left).into_iter().collect();
        self.failures.push(Failure { call, operation, kind, seen, left });
    }

    fn text(&self) -> String {
        let mut rows: BTreeMap<&str, Effects> = BTreeMap::new();
        for Failure { call, operation, kind, seen, left } in &self.failures {
            let row = rows.entry(call).or_default();
            row.operations.insert(operation.clone());
            row.failures += 1;
            for &seen in seen {
                *row.seen.entry(seen).or_default() += 1;
            }
            row.left.entry(*kind).or_default().extend(left.iter().cloned());
        }
        let mut text = String::from(
            "\n| driver call | reached by | failures | the caller sees | left |\n|---|---|---:|---|---|\n",
        );
        for (call, row) in &rows {
            let seen: Vec<_> =
                row.seen.iter().map(|(seen, count)| format!("{} {count}", seen.words())).collect();
            let cells = [named(&row.operations), row.failures.to_string(), seen.join(", ")];
            writeln!(text, "| `{call}` | {} | {} |", cells.join(" | "), kept(&row.left)).unwrap();
        }
        text
    }

    /// The page has this table after the mark of its name; with `UPDATE_FAILURES` it is written there.
    pub(crate) fn is_in_the_docs(&self, name: &str) {
        // The page is that of Linux, where the software driver shares memory with other processes, and one of its
        // operations panics.
        if !cfg!(target_os = "linux") || !UNWINDS {
            return;
        }
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/failure-modes.md");
        let page = fs::read_to_string(&file).unwrap();
        let begin = format!("<!-- the test `failures` writes this table: {name} -->\n");
        let end = "<!-- its end -->\n";
        let (head, rest) = page.split_once(&begin).expect("the page has the mark");
        let (table, tail) = rest.split_once(end).expect("the page has the other mark");
        let text = self.text();
        if env::var_os("UPDATE_FAILURES").is_some() {
            fs::write(&file, [head, &begin, &text, "\n", end, tail].concat()).unwrap();
            return;
        }
        for (says, is) in table.trim_end().lines().zip(text.trim_end().lines()) {
            assert_eq!(says, is, "UPDATE_FAILURES=1 writes docs/failure-modes.md anew");
        }
        assert!(
            table.trim_end() == text.trim_end(),
            "UPDATE_FAILURES=1 writes docs/failure-modes.md anew"
        );
    }
}

/// The operations for a cell: all of few, and the first of many.
fn named(operations: &BTreeSet<String>) -> String {
    const ALL: usize = 6;
    let first: Vec<_> = operations.iter().take(ALL).map(String::as_str).collect();
    match operations.len().saturating_sub(ALL) {
        0 => first.join("; "),
        more => format!("{}; {more} more", first.join("; ")),
    }
}

/// The objects that are left, for a cell: kinds of failures that leave the same stand together.
fn kept(left: &BTreeMap<Kind, BTreeSet<String>>) -> String {
    if left.values().all(BTreeSet::is_empty) {
        return "nothing".to_owned();
    }
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (kind, what) in left {
        let what: Vec<_> = what.iter().map(String::as_str).collect();
        let what = if what.is_empty() { "nothing".to_owned() } else { what.join(", ") };
        groups.entry(what).or_default().push(kind.words());
    }
    let parts = groups.into_iter().map(|(what, kinds)| format!("{}: {what}", kinds.join(", ")));
    parts.collect::<Vec<_>>().join("; ")
}

#[test]
fn the_objects_left_are_those_added() {
    let before = Live { contexts: 1, streams: 2, bytes: 3, ..Live::default() };
    let after = Live { contexts: 2, streams: 1, bytes: 9, graph_execs: 1, ..Live::default() };
    let found: Vec<_> = left(before, after).into_iter().collect();
    assert_eq!(found, ["contexts", "graph execs"]);
}

#[test]
fn a_failure_is_read_as_it_was_printed() {
    let mut first = Table::default();
    for (code, performed) in
        [(ffi::CUDA_ERROR_UNKNOWN, true), (ffi::CUDA_ERROR_LAUNCH_FAILED, false)]
    {
        let fault = Fault { which: Which::Nth(0), code, performed };
        first.note("cuOne", "an operation", fault, &Seen::ALL, BTreeSet::new());
        first.note("cuTwo", "another", fault, &[], BTreeSet::from(["a".into(), "b c".into()]));
    }
    let mut second = Table::default();
    first.lines().for_each(|line| second.add(&line));
    assert_eq!(first.lines().count(), 4);
    assert_eq!(second.text(), first.text());
}
