//! The rows of threads: so many of them launch at the same time, each on a stream of its own in the one context.
//!
//! The threads of all candidates live through a set of rounds, with what they made ready, and wait; in each round a
//! candidate's threads are woken, do an operation that does not count, meet, and do the others. What the driver made
//! for a thread, and in which order, changes from set to set.

use crate::bench::{Candidate, Operation, Turns};
use crate::timing::{Entry, cores, keep_on, summary};
use serde_json::{Map, Value};

/// A candidate's work on each of its threads, which share a function of a module of their own: makes ready what it launches with, and gives that to [`Turns::take`].
pub type Work<'a> = Box<dyn Fn(&Turns) + Sync + 'a>;

/// How often everything is made anew.
const SETS: usize = 2;

/// `threads_4` is 4, and so are `steps_4` and `kept_4`.
pub fn count(name: &str) -> Option<usize> {
    let (kind, count) = name.split_once('_')?;
    ["threads", "steps", "kept"].contains(&kind).then(|| count.parse().ok())?
}

pub fn measure(
    operation: &Operation,
    count: usize,
    candidates: &[&dyn Candidate],
    settle: &dyn Fn(),
    rounds: usize,
) -> Value {
    let (mut entries, mut none) = (Vec::<Entry>::new(), Map::new());
    for set in 0..SETS {
        let rounds = (rounds / SETS).max(2);
        let mut works = Vec::new();
        for candidate in candidates {
            let work = match operation.name {
                "steps_8" => candidate.steps_on_threads(false),
                "kept_8" => candidate.steps_on_threads(true),
                _ => candidate.on_threads(),
            };
            match work {
                Ok(work) => works.push(work),
                Err(why) => drop(none.insert(candidate.name().into(), why.into())),
            }
            settle();
        }
        if set == 0 {
            let able = candidates.iter().filter(|it| !none.contains_key(it.name()));
            entries.extend(able.map(|it| Entry { name: it.name(), times: Vec::new() }));
        }
        let all = Turns::of(works.len(), count, operation.n);
        std::thread::scope(|scope| {
            for at in 0..works.len() {
                let at = (at + set * works.len() / SETS) % works.len();
                for thread in 0..count {
                    let (work, turns) = (&works[at], &all[at]);
                    scope.spawn(move || {
                        // Of all cores, as far apart as can be.
                        let cores = cores();
                        keep_on(&[cores[((thread + 1) * cores.len()).div_ceil(count) - 1]]);
                        work(turns);
                    });
                }
                all[at].wait_until_ready();
            }
            for round in 0..rounds + 2 {
                for turn in 0..works.len() {
                    let turn = if round % 2 == 0 { turn } else { works.len() - 1 - turn };
                    let at = (turn + round / 2) % works.len();
                    let time = all[at].round();
                    settle();
                    if round >= 2 {
                        entries[at].times.push(time.as_nanos() as f64 / operation.n as f64);
                    }
                }
            }
            all.iter().for_each(Turns::end);
        });
        settle();
    }
    summary(operation, &entries, none)
}
