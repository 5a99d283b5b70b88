//! Tables of what was measured.

use crate::bench::OPERATIONS;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The columns, as the measurement names them.
pub const COLUMNS: [&str; 12] = [
    "C",
    "C, again",
    "cuscope",
    "cuscope, in a scope",
    "cust",
    "RustaCUDA",
    "cudarc",
    "cudarc, untracked",
    "cudarc, default stream",
    "cuda-core",
    "oxicuda",
    "singe-cuda",
];

pub fn read(path: &Path) -> Value {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub fn row(text: &mut String, cells: impl IntoIterator<Item = String>) {
    writeln!(text, "| {} |", cells.into_iter().collect::<Vec<_>>().join(" | ")).unwrap();
}

pub fn table(text: &mut String, first: &str, columns: &[&str]) {
    row(
        text,
        std::iter::once(first.to_owned()).chain(columns.iter().map(|name| (*name).to_owned())),
    );
    row(text, (0..=columns.len()).map(|at| if at == 0 { "---".into() } else { "---:".into() }));
}

/// The driver calls of each operation.
pub fn calls(counted: &Value) -> String {
    let mut text = String::new();
    let columns: Vec<&str> =
        COLUMNS.into_iter().filter(|name| counted[*name].is_object()).collect();
    table(&mut text, "operation", &columns);
    for operation in OPERATIONS.iter().filter(|operation| counted["C"][operation.name].is_object())
    {
        let cell = |name: &&str| match &counted[*name][operation.name]["total"] {
            Value::Null => "–".into(),
            total => total.to_string(),
        };
        row(&mut text, std::iter::once(title(operation)).chain(columns.iter().map(cell)));
    }
    text
}

/// Without the size, which calls do not depend on.
fn title(operation: &crate::bench::Operation) -> String {
    operation.title.replace(" of 64 B", "")
}

/// `peers page COUNTED PAGE`: the page has the table of what was counted; with `UPDATE_COST` it is written there.
pub fn check(counted: &str, page: &str) {
    const BEGIN: &str = "<!-- .ci/peers writes this table -->\n";
    const END: &str = "<!-- its end -->\n";
    let is = calls(&read(Path::new(counted))["measured"]);
    let text = fs::read_to_string(page).expect("the page");
    let (head, rest) = text.split_once(BEGIN).expect("the page has the mark");
    let (says, tail) = rest.split_once(END).expect("the page has the other mark");
    if std::env::var_os("UPDATE_COST").is_some() {
        return fs::write(page, [head, BEGIN, "\n", &is, "\n", END, tail].concat())
            .expect("the page");
    }
    for (says, is) in says.trim().lines().zip(is.trim().lines()) {
        assert_eq!(says, is, "UPDATE_COST=1 .ci/peers writes {page} anew");
    }
    assert!(says.trim() == is.trim(), "UPDATE_COST=1 .ci/peers writes {page} anew");
}
