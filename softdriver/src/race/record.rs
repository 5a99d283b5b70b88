//! The accesses that something may still race with, by allocation.

use super::ranges::{self, Ranges};
use super::report::{Operation, Race};
use super::{Access, PRINT};
use crate::label;
use crate::order::{Clock, Submission};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{LazyLock, Mutex};

/// In place of a base: memory of the host that is not page-locked.
pub(super) const PAGEABLE: u64 = 0;
/// How many races are kept.
const MOST_RACES: usize = 1000;
/// How many ends of allocations are kept.
const MOST_FREED: usize = 1 << 16;

/// The accesses of the process.
pub(super) static RECORD: LazyLock<Mutex<All>> = LazyLock::new(Mutex::default);

/// An access.
pub(super) struct Record {
    queue: u64,
    position: u64,
    operation: Operation,
    ranges: Ranges,
}

impl Record {
    pub(super) fn new(submission: &Submission, ranges: Ranges, access: Access) -> Self {
        let (queue, position) = (submission.queue, submission.position);
        let name = submission.name.clone();
        let operation = Operation { name, stream: Some(submission.stream), access };
        Self { queue, position, operation, ranges }
    }

    /// A free by the driver call that the thread is in.
    pub(super) fn of_host(range: Range<u64>) -> Self {
        let name = label::call().to_owned();
        let operation = Operation { name, stream: None, access: Access::Free };
        Self { queue: 0, position: 0, operation, ranges: vec![range] }
    }

    fn access(&self) -> Access {
        self.operation.access
    }
}

/// All accesses.
#[derive(Default)]
pub(super) struct All {
    pub(super) races: Vec<Race>,
    /// Accesses by the base of the allocation.
    memory: BTreeMap<u64, Vec<Record>>,
    /// The operations that freed allocations, by their bases.
    freed: BTreeMap<u64, (u64, Operation)>,
}

impl All {
    /// Adds an access by what has this clock, and looks for races with it.
    pub(super) fn add(&mut self, base: u64, record: Record, clock: &Clock) {
        if let Some((_, free)) = self.freed.get(&base) {
            let range = record.ranges.first().cloned().unwrap_or_default();
            report(&mut self.races, free, &record.operation, range);
            return;
        }
        let records = self.memory.entry(base).or_default();
        for one in &*records {
            check(&mut self.races, one, &record, clock);
        }
        records.retain(|one| {
            !(clock.has(one.queue, one.position)
                && record.access().stands_for(one.access())
                && ranges::contains(&record.ranges, &one.ranges))
        });
        records.push(record);
    }

    /// The end of an allocation, by what has this clock.
    pub(super) fn free(&mut self, base: u64, record: Record, clock: &Clock) {
        for one in self.memory.remove(&base).unwrap_or_default() {
            check(&mut self.races, &one, &record, clock);
        }
        let end = record.ranges.first().map_or(base, |range| range.end);
        self.freed.insert(base, (end, record.operation));
        if self.freed.len() > MOST_FREED {
            self.freed.pop_first();
        }
    }

    /// An allocation begins where an earlier one may have ended.
    pub(super) fn begin(&mut self, base: u64, end: u64) {
        let old = self.freed.range(..end).rev().take_while(|(_, (old, _))| *old > base);
        for base in old.map(|(&base, _)| base).collect::<Vec<_>>() {
            self.freed.remove(&base);
        }
    }

    /// An access that missed all memory, by a kernel.
    pub(super) fn missed(&mut self, address: u64, record: &Record) {
        let before = self.freed.range(..=address).next_back();
        if let Some((_, (_, free))) = before.filter(|(_, (end, _))| address < *end) {
            report(&mut self.races, free, &record.operation, address..address + 1);
        }
    }

    /// Takes the races.
    pub(super) fn take(&mut self) -> Vec<Race> {
        std::mem::take(&mut self.races)
    }

    /// Forgets what nothing can race with any more: what the host knows, with nothing pending. Tells of how many
    /// allocations it still knows accesses.
    pub(super) fn forget(&mut self, host: &Clock) -> usize {
        self.memory.retain(|_, records| {
            records.retain(|one| !host.has(one.queue, one.position));
            !records.is_empty()
        });
        self.memory.len()
    }
}

/// Reports a race of an earlier access with one by what has this clock.
fn check(races: &mut Vec<Race>, earlier: &Record, later: &Record, clock: &Clock) {
    if !earlier.access().conflicts(later.access()) || clock.has(earlier.queue, earlier.position) {
        return;
    }
    if let Some(range) = ranges::overlap(&earlier.ranges, &later.ranges) {
        report(races, &earlier.operation, &later.operation, range);
    }
}

/// Reports a race, each pair of operations once.
fn report(races: &mut Vec<Race>, first: &Operation, second: &Operation, range: Range<u64>) {
    let known = races.iter().any(|race| race.first == *first && race.second == *second);
    if known || races.len() >= MOST_RACES {
        return;
    }
    let (first, second) = (first.clone(), second.clone());
    let race = Race { first, second, address: range.start, bytes: range.end - range.start };
    if PRINT.load(Ordering::Relaxed) {
        eprintln!("cuscope: {race}");
    }
    if std::env::var_os("CUSCOPE_SOFT_RACES").is_some_and(|what| what == "abort") {
        eprintln!("cuscope: {race}");
        std::process::abort();
    }
    races.push(race);
}
