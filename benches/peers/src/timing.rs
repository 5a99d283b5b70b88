//! Times of all candidates, in turn, round by round.

use crate::bench::{Candidate, OPERATIONS, Operation, Run};
use serde_json::{Map, Value, json};

struct Entry<'a> {
    name: &'static str,
    run: Run<'a>,
    /// Nanoseconds of one operation, a round each.
    times: Vec<f64>,
}

fn quartiles(values: &[f64]) -> [f64; 3] {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| sorted[(sorted.len() - 1) * quarter / 4])
}

/// Keeps this thread, and those it starts, on one core, or on all.
fn on_cores(all: &libc::cpu_set_t, one: bool) {
    let mut set = *all;
    if one {
        let core =
            (0..libc::CPU_SETSIZE as usize).rfind(|&core| unsafe { libc::CPU_ISSET(core, all) });
        unsafe { libc::CPU_ZERO(&mut set) };
        unsafe { libc::CPU_SET(core.expect("a core"), &mut set) };
    }
    unsafe { libc::sched_setaffinity(0, size_of_val(&set), &set) };
}

pub fn of(candidates: &[&dyn Candidate], settle: &dyn Fn(), share: usize, only: &str) -> Value {
    let mut all: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    unsafe { libc::sched_getaffinity(0, size_of_val(&all), &mut all) };
    let mut results = Map::new();
    for operation in OPERATIONS.iter().filter(|operation| operation.name.contains(only)) {
        let one = !operation.name.starts_with("threads");
        on_cores(&all, one);
        let value = measure(operation, candidates, settle, (operation.rounds / share).max(3));
        results.insert(operation.name.into(), value);
        on_cores(&all, false);
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
    for candidate in candidates {
        match candidate.operation(operation.name) {
            Ok(run) => entries.push(Entry { name: candidate.name(), run, times: Vec::new() }),
            Err(why) => drop(none.insert(candidate.name().into(), why.into())),
        }
        settle();
    }
    for round in 0..rounds + 3 {
        // Each goes first as often as the others, and follows each of them: forwards, backwards.
        let (count, warm) = (entries.len(), round < 3);
        for turn in 0..count {
            let turn = if round % 2 == 0 { turn } else { count - 1 - turn };
            let entry = &mut entries[(turn + round / 2) % count];
            let time = (entry.run)(operation.n);
            settle();
            if !warm {
                entry.times.push(time.as_nanos() as f64 / operation.n as f64);
            }
        }
    }
    let base = entries[0].times.clone(); // by hand
    let mut values = Map::new();
    for entry in &entries {
        let ratios: Vec<f64> =
            entry.times.iter().zip(&base).map(|(time, base)| time / base).collect();
        values.insert(
            entry.name.into(),
            json!({ "ns": quartiles(&entry.times), "ratio": quartiles(&ratios) }),
        );
        eprintln!(
            "{:18} {:24} {:?} {:?}",
            operation.name,
            entry.name,
            quartiles(&entry.times),
            quartiles(&ratios)
        );
    }
    drop(entries);
    settle(); // some leave a context current that they have destroyed
    json!({ "title": operation.title, "n": operation.n, "rounds": rounds, "values": values, "none": none })
}
