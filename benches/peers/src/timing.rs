//! Times of all candidates, in turn, round by round.

use crate::bench::{Candidate, OPERATIONS, Operation, Run};
use crate::threads;
use serde_json::{Map, Value, json};

pub struct Entry {
    pub name: &'static str,
    /// Nanoseconds of one operation, a round each.
    pub times: Vec<f64>,
}

/// The lower one, the median, the upper one.
pub fn quartiles(values: &[f64]) -> [f64; 3] {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| sorted[(sorted.len() - 1) * quarter / 4])
}

/// The cores that this process may use.
pub fn cores() -> Vec<usize> {
    // SAFETY: a set of bits, none of them set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: writes a set of that size. The first thread's is that of the process.
    unsafe { libc::sched_getaffinity(std::process::id() as i32, size_of_val(&set), &mut set) };
    // SAFETY: reads a bit of a set that has so many.
    (0..libc::CPU_SETSIZE as usize).filter(|&core| unsafe { libc::CPU_ISSET(core, &set) }).collect()
}

/// Keeps this thread on these cores.
pub fn keep_on(cores: &[usize]) {
    // SAFETY: a set of bits, none of them set.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for &core in cores {
        // SAFETY: sets a bit of a set that has so many: `cores` is a part of `self::cores`.
        unsafe { libc::CPU_SET(core, &mut set) };
    }
    // SAFETY: reads a set of that size.
    unsafe { libc::sched_setaffinity(0, size_of_val(&set), &set) };
}

pub fn of(candidates: &[&dyn Candidate], settle: &dyn Fn(), share: usize, only: &str) -> Value {
    let all = cores();
    let mut results = Map::new();
    for operation in OPERATIONS.iter().filter(|operation| operation.name.contains(only)) {
        let rounds = (operation.rounds / share).max(3);
        let value = if let Some(count) = threads::count(operation.name) {
            threads::measure(operation, count, candidates, settle, rounds)
        } else {
            keep_on(&all[all.len() - 1..]);
            let value = measure(operation, candidates, settle, rounds);
            keep_on(&all);
            value
        };
        results.insert(operation.name.into(), value);
    }
    Value::Object(results)
}

fn measure(
    operation: &Operation,
    candidates: &[&dyn Candidate],
    settle: &dyn Fn(),
    rounds: usize,
) -> Value {
    let (mut entries, mut none) = (Vec::new(), Map::new());
    let mut runs: Vec<Run<'_>> = Vec::new();
    for candidate in candidates {
        match candidate.operation(operation.name) {
            Ok(run) => {
                runs.push(run);
                entries.push(Entry { name: candidate.name(), times: Vec::new() });
            }
            Err(why) => drop(none.insert(candidate.name().into(), why.into())),
        }
        settle();
    }
    for round in 0..rounds + 3 {
        // Each goes first as often as the others, and follows each of them: forwards, backwards.
        let (count, warm) = (entries.len(), round < 3);
        for turn in 0..count {
            let turn = if round % 2 == 0 { turn } else { count - 1 - turn };
            let at = (turn + round / 2) % count;
            let time = runs[at](operation.n);
            settle();
            if !warm {
                entries[at].times.push(time.as_nanos() as f64 / operation.n as f64);
            }
        }
    }
    drop(runs);
    settle(); // some leave a context current that they have destroyed
    summary(operation, &entries, none)
}

/// Whole picoseconds, a round each; to be read from the log, the quartiles of these in nanoseconds.
pub fn summary(operation: &Operation, entries: &[Entry], none: Map<String, Value>) -> Value {
    let mut rounds = Map::new();
    for entry in entries {
        eprintln!("{:26} {:24} {:.1?}", operation.name, entry.name, quartiles(&entry.times));
        let times: Vec<u64> = entry.times.iter().map(|ns| (ns * 1e3).round() as u64).collect();
        rounds.insert(entry.name.into(), times.into());
    }
    json!({ "rounds": rounds, "none": none })
}
