//! The table and the tests agree: what a row names exists and cites it, what cites a row is named
//! there, and every row names something.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The rows that no test can ask of a driver, each with the reason.
const UNASKED: &[(u32, &str)] = &[
    (
        292,
        "the driver dies of it; `tests/memory_and_kernels/modules.rs` asks that it does not reach the driver",
    ),
    (
        293,
        "the driver dies of it, or does not answer; `tests/memory_and_kernels/images.rs` asks that it does not reach the driver",
    ),
    (294, "one random damage of 150; the linker takes machine code by an `unsafe` method alone"),
];

/// Where the tests are that ask for rows.
const SOURCES: &[&str] = &[
    "tests/driver_facts/arrays.rs",
    "tests/driver_facts/attach.rs",
    "tests/driver_facts/batches.rs",
    "tests/driver_facts/blocking.rs",
    "tests/driver_facts/callbacks.rs",
    "tests/driver_facts/capture.rs",
    "tests/driver_facts/capture_refusals.rs",
    "tests/driver_facts/captured_allocations.rs",
    "tests/driver_facts/captured_graphs.rs",
    "tests/driver_facts/captured_rows.rs",
    "tests/driver_facts/compiler.rs",
    "tests/driver_facts/conditionals.rs",
    "tests/driver_facts/context_creation.rs",
    "tests/driver_facts/context_events.rs",
    "tests/driver_facts/context_state.rs",
    "tests/driver_facts/contexts_and_calls.rs",
    "tests/driver_facts/cooperative.rs",
    "tests/driver_facts/deaths.rs",
    "tests/driver_facts/device_launches.rs",
    "tests/driver_facts/diagnostics.rs",
    "tests/driver_facts/dma_buf.rs",
    "tests/driver_facts/ends_after_faults.rs",
    "tests/driver_facts/errors.rs",
    "tests/driver_facts/external.rs",
    "tests/driver_facts/external_semaphores.rs",
    "tests/driver_facts/faults.rs",
    "tests/driver_facts/faults_elsewhere.rs",
    "tests/driver_facts/filters.rs",
    "tests/driver_facts/foreign_code.rs",
    "tests/driver_facts/graph_attributes.rs",
    "tests/driver_facts/graph_batches.rs",
    "tests/driver_facts/graph_captures.rs",
    "tests/driver_facts/graph_edges.rs",
    "tests/driver_facts/graph_nodes.rs",
    "tests/driver_facts/graph_rows.rs",
    "tests/driver_facts/graph_updates.rs",
    "tests/driver_facts/graph_values.rs",
    "tests/driver_facts/graphics.rs",
    "tests/driver_facts/graphs.rs",
    "tests/driver_facts/green_contexts.rs",
    "tests/driver_facts/host_pools.rs",
    "tests/driver_facts/images.rs",
    "tests/driver_facts/ipc.rs",
    "tests/driver_facts/kernels.rs",
    "tests/driver_facts/last_calls.rs",
    "tests/driver_facts/launches.rs",
    "tests/driver_facts/legacy.rs",
    "tests/driver_facts/libraries.rs",
    "tests/driver_facts/lookups.rs",
    "tests/driver_facts/managed.rs",
    "tests/driver_facts/modules.rs",
    "tests/driver_facts/notifications.rs",
    "tests/driver_facts/occupancy.rs",
    "tests/driver_facts/older_launches.rs",
    "tests/driver_facts/outside.rs",
    "tests/driver_facts/peer_memory.rs",
    "tests/driver_facts/peers.rs",
    "tests/driver_facts/pools.rs",
    "tests/driver_facts/ptx_texts.rs",
    "tests/driver_facts/registered_memory.rs",
    "tests/driver_facts/resources.rs",
    "tests/driver_facts/shared_pools.rs",
    "tests/driver_facts/stack.rs",
    "tests/driver_facts/stream_attributes.rs",
    "tests/driver_facts/tensor_maps.rs",
    "tests/driver_facts/textures.rs",
    "tests/driver_facts/times.rs",
    "tests/driver_facts/unified.rs",
    "tests/driver_facts/user_objects.rs",
    "tests/driver_facts/virtual_memory.rs",
    "tests/driver_facts/visible.rs",
];

/// The numbers of the rows, with the tests that each names.
fn rows() -> BTreeMap<u32, Vec<String>> {
    let mut rows = BTreeMap::new();
    for line in read("docs/driver-facts.md").lines() {
        let inside = line.strip_prefix('|').and_then(|rest| rest.strip_suffix('|'));
        let Some((first, rest)) = inside.and_then(|row| row.split_once('|')) else { continue };
        let Some(number) = anchored(first.trim()) else { continue };
        let last = rest.rsplit('|').next().expect("a row has cells").trim();
        let tests: Vec<_> = last.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        assert!(last == "—" || !tests.is_empty(), "F{number} ends in neither a test nor a dash");
        assert!(rows.insert(number, tests).is_none(), "F{number} is there twice");
    }
    rows
}

/// The number of `<a id="F12"></a>F12`, the first cell of a row, which links lead to.
fn anchored(cell: &str) -> Option<u32> {
    let number = row_number(cell.rsplit('>').next()?)?;
    assert_eq!(cell, format!("<a id=\"F{number}\"></a>F{number}"), "links lead to an anchor");
    Some(number)
}

/// The number of `F12`.
fn row_number(word: &str) -> Option<u32> {
    word.strip_prefix('F')?.parse().ok()
}

/// The tests of a file, each with the rows that the comment above it cites.
fn tests(file: &str) -> BTreeMap<String, Vec<u32>> {
    let source = read(file);
    let mut tests = BTreeMap::new();
    let mut above = "";
    for part in source.split("#[test]\nfn ") {
        // The part ends in the comment of the next test and begins with the name of this one.
        if let Some((name, _)) = part.split_once('(').filter(|_| !above.is_empty()) {
            let above = above.lines().rev().skip_while(|line| line.starts_with("#[cfg("));
            let comment = above.take_while(|line| line.starts_with("///"));
            let words = comment.flat_map(|line| line.split(|c: char| !c.is_alphanumeric()));
            tests.insert(format!("{file}::{name}"), words.filter_map(row_number).collect());
        }
        above = part;
    }
    tests
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn rows_and_tests_name_each_other() {
    let rows = rows();
    let tests: BTreeMap<_, _> = SOURCES.iter().copied().flat_map(tests).collect();
    for (number, named) in &rows {
        for test in named {
            let Some(cited) = tests.get(test) else { panic!("F{number} names {test}: no test") };
            assert!(cited.contains(number), "{test} does not cite F{number}");
        }
    }
    for (test, cited) in &tests {
        assert!(!cited.is_empty(), "{test} cites no row");
        for number in cited {
            let named = rows.get(number).unwrap_or_else(|| panic!("{test}: no row F{number}"));
            assert!(named.contains(test), "F{number} does not name {test}");
        }
    }
}

#[test]
fn every_row_has_a_test() {
    let rows = rows();
    assert!(rows.len() > 200, "{} rows", rows.len());
    for (number, tests) in &rows {
        match UNASKED.iter().find(|(unasked, _)| unasked == number) {
            None => assert!(!tests.is_empty(), "F{number} names no test"),
            Some((_, reason)) => assert!(tests.is_empty(), "F{number} has a test: {reason}"),
        }
    }
    for (number, _) in UNASKED {
        assert!(rows.contains_key(number), "F{number} is missing");
    }
}

#[test]
fn every_file_of_tests_is_looked_at() {
    let main = read("tests/driver_facts/main.rs");
    let modules = main.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    for module in modules.filter(|module| !["common", "gl", "raw", "table"].contains(module)) {
        let file = format!("tests/driver_facts/{module}.rs");
        assert!(SOURCES.contains(&file.as_str()), "{file} is not among the sources");
    }
}

/// A capture of this mode refuses calls of every thread of the process, and calls of other threads spoil it (F141).
#[test]
fn a_capture_that_concerns_other_threads_has_a_process_of_its_own() {
    let begins =
        ["_MODE_GLOBAL", " GLOBAL", "[GLOBAL", "MODES", "in_capture(", "assert_spoils_captures("];
    let apart = ["fresh!(", "dangling!(", "aborts!("];
    let mut found = 0;
    for file in SOURCES {
        let source = read(file);
        for part in source.split("#[test]\nfn ").skip(1) {
            let body = part.split_once("\n}\n").expect("a test ends").0;
            if begins.iter().any(|begin| body.contains(begin)) {
                found += 1;
                let name = body.split('(').next().unwrap_or_default();
                assert!(
                    apart.iter().any(|way| body.contains(way)),
                    "{file}::{name} needs `fresh!`"
                );
            }
        }
    }
    assert!(found > 10, "{found} tests begin such a capture");
}
