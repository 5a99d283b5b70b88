//! Who touched which memory, and whether something orders them.
//!
//! Two pieces of work that touch the same bytes, not both only reading, while neither is
//! [known](crate::order) to the other, are a race, in whichever order they ran.

mod ranges;
mod record;
mod report;
mod touched;

use crate::model::memory::allocation;
use crate::model::memory::allocation::{Allocation, Event};
use crate::order::{self, with_running};
use crate::{check, schedule, sync};
use record::{RECORD, Record};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

pub use crate::model::memory::watched::Access;
pub use report::{Operation, Race};
pub(crate) use touched::Noted;

/// Whether reports go to stderr too.
static PRINT: AtomicBool = AtomicBool::new(false);

/// Makes reports go to stderr too.
pub(crate) fn print_reports() {
    PRINT.store(true, Ordering::Relaxed);
}

/// Sees allocations begin and end from now on.
pub(crate) fn begin() {
    allocation::observe(|allocation, event| match event {
        Event::Allocated => allocated(allocation),
        Event::Freed => freed(allocation),
    });
    order::observe(|host| sync::lock(&RECORD).forget(host));
}

/// Notes that the work of this thread touches bytes of an allocation.
#[inline]
pub(crate) fn touch(allocation: &Allocation, offset: usize, len: usize, access: Access) {
    check::touch(allocation, offset, len, access);
    if schedule::on() {
        let start = allocation.base + offset as u64;
        note_in(Some(allocation), single(start..start + len as u64), access);
    }
}

/// Notes that the work of this thread touches memory of the host that is not page-locked.
#[inline]
pub(crate) fn touch_pageable(address: usize, len: usize, access: Access) {
    if schedule::on() {
        note(record::PAGEABLE, single(address as u64..(address + len) as u64), access);
    }
}

/// Notes that the work of this thread touches rows, in the order of their addresses: of an allocation, or of memory
/// of the host that is not page-locked. They are one access, and the bytes between them are none.
pub(crate) fn touch_rows(
    allocation: Option<&Allocation>,
    rows: impl Iterator<Item = Range<u64>>,
    access: Access,
) {
    let rows = rows.inspect(|row| {
        if let Some(allocation) = allocation {
            let (offset, len) = (allocation.offset(row.start), row.end - row.start);
            check::touch(allocation, offset, len as usize, access);
        }
    });
    if schedule::on() {
        note_in(allocation, ranges::joined(rows), access);
    } else if check::on() {
        rows.for_each(drop);
    }
}

/// Notes ranges of an allocation, of each mapping by itself if it is several, or of memory of the host.
fn note_in(allocation: Option<&Allocation>, ranges: Vec<Range<u64>>, access: Access) {
    let Some(allocation) = allocation else { return note(record::PAGEABLE, ranges, access) };
    if allocation.pieces.is_empty() {
        return note(allocation.base, ranges, access);
    }
    for &(start, end) in &allocation.pieces {
        let inside = ranges.iter().map(|range| range.start.max(start)..range.end.min(end));
        let inside: Vec<_> = inside.filter(|range| !range.is_empty()).collect();
        if !inside.is_empty() {
            note(start, inside, access);
        }
    }
}

/// Notes accesses of a kernel to an allocation.
pub(crate) fn touch_ranges(base: u64, ranges: Vec<Range<u64>>, access: Access) {
    note(base, ranges, access);
}

/// A set of one range.
fn single(range: Range<u64>) -> Vec<Range<u64>> {
    Vec::from([range])
}

fn note(base: u64, ranges: Vec<Range<u64>>, access: Access) {
    with_running(|running| {
        if let Some(one) = running {
            let record = Record::new(&one.submission, ranges, access);
            sync::lock(&RECORD).add(base, record, &one.clock);
        }
    });
}

/// Notes that a kernel of this thread missed all memory at an address.
pub(crate) fn missed(address: u64) {
    with_running(|running| {
        if let Some(one) = running {
            let range = single(address..address + 1);
            let record = Record::new(&one.submission, range, Access::Write);
            sync::lock(&RECORD).missed(address, &record);
        }
    });
}

/// Notes a new allocation, where an earlier one may have been.
fn allocated(allocation: &Allocation) {
    if schedule::on() {
        let end = allocation.base + allocation.size as u64;
        sync::lock(&RECORD).begin(allocation.base, end);
    }
}

/// Notes the end of an allocation, by the work of this thread or the host.
fn freed(allocation: &Allocation) {
    if !schedule::on() {
        return;
    }
    let range = allocation.base..allocation.base + allocation.size as u64;
    with_running(|running| match running.filter(|one| !one.is_host()) {
        Some(one) => {
            let free = Record::new(&one.submission, single(range), Access::Free);
            sync::lock(&RECORD).free(allocation.base, free, &one.clock);
        }
        None => {
            let host = order::host();
            sync::lock(&RECORD).free(allocation.base, Record::of_host(range), &host);
        }
    });
}

/// The races so far.
pub(crate) fn races() -> Vec<Race> {
    sync::lock(&RECORD).races.clone()
}

/// The races so far, which are forgotten.
pub(crate) fn take_races() -> Vec<Race> {
    sync::lock(&RECORD).take()
}
