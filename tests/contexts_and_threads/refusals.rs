//! Each reason that the `# Errors` sections give for a code of the driver has an input here that gets a message with that
//! reason, or names the test that tries it. A new reason without a row fails.
#![allow(unsafe_code, reason = "launches kernels, and imports what is none")]

mod docs;
mod table;

use crate::common::gpu::with_gpu;
use crate::{common, skip, skip_under_miri};
use cuscope::{PushedGuard, Result};
use std::path::Path;
use table::TABLE;

/// A reason of the documentation, and an input for it.
struct Row {
    /// The file under `src/`, and the function.
    place: (&'static str, &'static str),
    /// The words of the documentation.
    reason: &'static str,
    /// Words in the message.
    says: &'static [&'static str],
    input: Input,
}

enum Input {
    /// A call that fails.
    Call(fn(&PushedGuard<'_>) -> Result),
    /// A test in this file under `tests/`, which has the words: it needs a process, a machine or code of its own.
    Test(&'static str),
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Between the reasons of a clause.
const BETWEEN: [&str; 12] =
    ["for", "if", "and", "or", "with", "is", "a", "an", "the", "it", "in", "where"];

#[test]
fn every_reason_of_the_documentation_has_a_row() {
    if !root().join("src").is_dir() {
        skip!("needs the sources");
    }
    skip_under_miri!("it reads the sources");
    let clauses = docs::clauses(&root().join("src"));
    assert!(clauses.len() > 100, "{}", clauses.len());
    let mut wrong = Vec::new();
    let mut found = vec![false; TABLE.len()];
    for (file, function, clause) in &clauses {
        let mut left = clause.clone();
        for (row, found) in TABLE.iter().zip(&mut found) {
            if row.place == (file.as_str(), function.as_str()) && left.contains(row.reason) {
                left = left.replacen(row.reason, " ", 1);
                *found = true;
            }
        }
        let words = left.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''));
        let more: Vec<_> = words
            .filter(|word| !word.is_empty() && !word.starts_with("CUDA_ERROR_"))
            .filter(|word| !BETWEEN.contains(word))
            .collect();
        if !more.is_empty() || left == *clause {
            wrong.push(format!("{file} {function}: no row for {more:?} of: {clause}"));
        }
    }
    for (row, found) in TABLE.iter().zip(found) {
        if !found {
            let (file, function) = row.place;
            wrong
                .push(format!("{file} {function}: the documentation does not say: {}", row.reason));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_input_gets_a_message_with_its_reason() {
    if !common::software() {
        skip!("needs the software driver, whose devices are known");
    }
    skip_under_miri!("it maps memory and reads files");
    with_gpu(|gpu| {
        let mut wrong = Vec::new();
        for Row { place: (file, function), reason, says, input } in TABLE {
            let text = match input {
                Input::Call(call) => match call(gpu) {
                    Ok(()) => "no error".to_owned(),
                    Err(error) => error.to_string(),
                },
                Input::Test(test) => std::fs::read_to_string(root().join("tests").join(test))
                    .unwrap_or_else(|error| format!("{test}: {error}")),
            };
            let lacks: Vec<_> = says.iter().filter(|words| !text.contains(**words)).collect();
            if !lacks.is_empty() {
                let text = &text[..text.len().min(400)];
                wrong.push(format!("{file} {function}, {reason}: {lacks:?} is not in: {text}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}
