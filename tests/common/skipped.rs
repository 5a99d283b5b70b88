//! Tests that do not run. A file of its own, for the packages that have no use for the rest of `tests/common`.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write as _;

/// Says which test does not run and why: on stderr, and in the file that the variable `CUSCOPE_SKIPPED` names. `.ci/run`
/// names one, prints it at its end, and fails at a reason that is not in `.ci/skips.txt` (`.ci/other-skips`).
pub(crate) fn skipped(test: &str, why: impl Display) {
    let why = why.to_string().replace('\n', " ");
    eprintln!("SKIPPED {test}: {why}");
    if let Some(list) = std::env::var_os("CUSCOPE_SKIPPED") {
        let mut list = OpenOptions::new().append(true).create(true).open(list).expect("the list");
        list.write_all(format!("{test}: {why}\n").as_bytes()).expect("room for a line");
    }
}
