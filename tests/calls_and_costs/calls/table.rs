//! The table of `docs/cost.md`: what is written there is what was counted here.

use cuscope_softdriver::control::record;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

const CURRENT: &str = "cuCtxGetCurrent";
const EXCHANGE: &str = "cuThreadExchangeStreamCaptureMode";
const BEGIN: &str = "<!-- the test `calls` writes this table -->\n";
const END: &str = "<!-- its end -->\n";

/// Rows, as they were counted.
#[derive(Default)]
pub(crate) struct Table {
    text: String,
    named: BTreeSet<&'static str>,
    /// Rows that make other calls than those by hand.
    wrong: Vec<String>,
}

impl Table {
    pub(crate) fn heading(&mut self, heading: &str) {
        writeln!(self.text, "\n### {heading}\n").unwrap();
        self.text += "| operation | by hand | calls by hand | calls here | more |\n|---|---|---:|---:|---|\n";
    }

    /// Does an operation, and holds it to the calls by hand: more are only a look at the current context
    /// before them, and exchanges of the capture mode around them.
    pub(crate) fn row<R>(
        &mut self,
        operation: &'static str,
        by_hand: &[&'static str],
        run: impl FnOnce() -> R,
    ) -> R {
        self.unlike(operation, by_hand, by_hand, "", run)
    }

    /// The same of an operation that makes other calls than those by hand: `here`, with the reason.
    pub(crate) fn unlike<R>(
        &mut self,
        operation: &'static str,
        by_hand: &[&'static str],
        here: &[&'static str],
        why: &'static str,
        run: impl FnOnce() -> R,
    ) -> R {
        let (value, calls) = record(run);
        self.count(operation, by_hand, here, why, &calls);
        value
    }

    /// Writes the row, and holds the calls to it. Compiled once, and not for each operation.
    fn count(
        &mut self,
        operation: &'static str,
        by_hand: &[&'static str],
        here: &[&'static str],
        why: &'static str,
        calls: &[&'static str],
    ) {
        let more = |call: &&str| [CURRENT, EXCHANGE].contains(call) && !here.contains(call);
        let rest: Vec<&str> = calls.iter().copied().filter(|call| !more(call)).collect();
        if rest != here {
            self.wrong.push(format!("{operation}: {calls:?}, expected {here:?}"));
        }
        let count = |name| calls.iter().filter(|call| **call == name && more(call)).count();
        let looks = match operation {
            // A handle that is taken over is looked at with care.
            from if from.contains("from_raw") => 3,
            // Once for each of two events, and for what is instantiated.
            "PushedGuard::time_nodes, 1 kernel" => 3,
            // Once for each of two calls of `here`.
            "Context::load"
            | "Context::load_ptx"
            | "PushedGuard::pinned"
            | "PushedGuard::pinned_from"
            | "PushedGuard::stream_value"
            | "PushedGuard::capture, on a stream with a buffer" => 2,
            _ => 1,
        };
        if count(CURRENT) > looks || count(EXCHANGE) % 2 != 0 {
            self.wrong.push(format!("{operation}: {calls:?}"));
        }
        let mut said: Vec<String> = [(CURRENT, "current"), (EXCHANGE, "mode")]
            .iter()
            .filter(|(name, _)| count(name) > 0)
            .map(|(name, word)| match count(name) {
                1 => (*word).to_owned(),
                n => format!("{n} × {word}"),
            })
            .collect();
        if here != by_hand {
            let mut left = by_hand.to_vec();
            let mut over = here.to_vec();
            over.retain(|call| match left.iter().position(|by_hand| by_hand == call) {
                Some(place) => {
                    left.remove(place);
                    false
                }
                None => true,
            });
            let fewer = shortened(&left).into_iter().map(|call| format!("not {call}"));
            let all: Vec<String> = shortened(&over).into_iter().chain(fewer).collect();
            said.push(format!("{}: {why}", all.join(", ")));
        }
        let hand: Vec<String> = shortened(by_hand);
        writeln!(
            self.text,
            "| `{operation}` | {} | {} | {} | {} |",
            hand.join(", "),
            by_hand.len(),
            calls.len(),
            said.join(", ")
        )
        .unwrap();
        self.named.insert(operation.split([' ', ',']).next().unwrap());
    }

    /// Puts the rows of another one after these.
    pub(crate) fn append(&mut self, other: Table) {
        self.text += &other.text;
        self.named.extend(other.named);
        self.wrong.extend(other.wrong);
    }

    /// The page has this table; with `UPDATE_COST` it is written there. Every public operation is in it.
    pub(crate) fn is_in_the_docs(&self) {
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
        if !cfg!(target_os = "linux") {
            return; // the page is that of Linux, where the software driver shares memory with other processes
        }
        let missing: Vec<_> = operations()
            .into_iter()
            .filter(|operation| !self.named.contains(operation.as_str()))
            .collect();
        assert!(missing.is_empty(), "without a row: {missing:?}");

        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/cost.md");
        let page = fs::read_to_string(&file).unwrap();
        let (head, rest) = page.split_once(BEGIN).expect("the page has the mark");
        let (table, tail) = rest.split_once(END).expect("the page has the other mark");
        if env::var_os("UPDATE_COST").is_some() {
            fs::write(&file, [head, BEGIN, &self.text, "\n", END, tail].concat()).unwrap();
            return;
        }
        for (says, is) in table.trim_end().lines().zip(self.text.trim_end().lines()) {
            assert_eq!(says, is, "UPDATE_COST=1 writes docs/cost.md anew");
        }
        assert!(table.trim_end() == self.text.trim_end(), "UPDATE_COST=1 writes docs/cost.md anew");
    }
}

/// Calls for a cell, a run of the same one as `3 × cuX`.
fn shortened(calls: &[&str]) -> Vec<String> {
    calls
        .chunk_by(|a, b| a == b)
        .map(|run| match run {
            [one] => format!("`{one}`"),
            many => format!("{} × `{}`", many.len(), many[0]),
        })
        .collect()
}

/// The public functions whose documentation names a function of the driver, as `Type::function`.
fn operations() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                in_file(&fs::read_to_string(&path).unwrap(), &mut found);
            }
        }
    }
    assert!(found.len() > 100, "{found:?}");
    found
}

fn in_file(text: &str, found: &mut BTreeSet<String>) {
    let (mut of, mut named) = (String::new(), false);
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("impl") {
            // The type: after `for` if there is one, else after the generics.
            let rest = rest.rsplit_once(" for ").map_or(rest, |(_, of)| of);
            let start = rest.find(|c: char| c.is_ascii_uppercase());
            let rest = match rest.split_once("> ") {
                Some((_, of)) if rest.starts_with('<') => of,
                _ => &rest[start.unwrap_or(0)..],
            };
            of = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        }
        // A function of the driver, not one of the runtime.
        let alias = line.trim_start().strip_prefix("#[doc(alias = \"cu");
        named |= alias.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
        let inside = line.starts_with(' ');
        let Some(rest) = line.trim_start().strip_prefix("pub ") else { continue };
        let rest = rest.strip_prefix("unsafe ").unwrap_or(rest);
        if let Some(rest) = rest.strip_prefix("fn ") {
            let name: String =
                rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            if named {
                found.insert(if inside { format!("{of}::{name}") } else { name });
            }
        }
        named = false;
    }
}
