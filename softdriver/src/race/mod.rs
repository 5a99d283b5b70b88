//! Who touched which memory, and whether something orders them.
//!
//! Every queue is a thread of its own, and the host is one. A piece of work knows what comes before it:
//! what it was ordered after, and all that the host knew when it was submitted, which is what the host
//! has waited for. Two pieces of work that touch the same bytes, not both only reading, while neither is
//! known to the other, are a race, in whichever order they ran.
//!
//! A function of the host is the host: it knows what it was ordered after, and tells the host so.

mod clock;
mod ranges;
mod record;
mod report;
mod touched;
use crate::model::memory::space::Allocation;
use crate::schedule::{self, Class, Label};
use crate::{check, sync};
use record::{RECORD, Record};
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) use clock::Clock;
pub(crate) use record::prune;
pub use report::{Access, Operation, Race};
pub(crate) use touched::Noted;

/// Whether reports go to stderr too.
static PRINT: AtomicBool = AtomicBool::new(false);

/// Makes reports go to stderr too.
pub(crate) fn print_reports() {
    PRINT.store(true, Ordering::Relaxed);
}

/// Work as it was submitted.
pub(crate) struct Submission {
    queue: u64,
    position: u64,
    name: String,
    stream: u64,
    class: Class,
    /// The host's clock.
    host: Arc<Clock>,
}

impl Submission {
    /// Work at a position of a queue, submitted now.
    pub(crate) fn new(label: &Label, queue: u64, position: u64) -> Self {
        let name = label.name.clone().into_owned();
        let stream = label.stream.unwrap_or(queue);
        let host = sync::lock(&RECORD).submitted(queue, position);
        Self { queue, position, name, stream, class: label.class, host }
    }
}

/// Work that a thread runs.
struct Running {
    number: u64,
    submission: Submission,
    clock: Clock,
}

thread_local! {
    /// The work that this thread runs: the last, for which those before wait. Without a destructor, as those of the
    /// program's values may run work when the thread ends. [`Entered::leave`] frees what it has.
    static RUNNING: RefCell<ManuallyDrop<Vec<Running>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// Runs `f` on the work that this thread runs, if any.
fn with_running<R>(f: impl FnOnce(Option<&mut Running>) -> R) -> R {
    RUNNING.with_borrow_mut(|running| f(running.last_mut()))
}

/// The number of the work that this thread runs, if any.
pub(crate) fn running() -> Option<u64> {
    with_running(|running| running.map(|one| one.number))
}

/// Held by a thread that runs work.
pub(crate) struct Entered(());

/// Notes that this thread runs work from now on, after others with these clocks.
pub(crate) fn enter(number: u64, submission: Submission, after: &[Arc<Clock>]) -> Entered {
    let mut clock = (*submission.host).clone();
    after.iter().for_each(|one| clock.join(one));
    let mut record = sync::lock(&RECORD);
    record.trim(&mut clock);
    clock.add(submission.queue, submission.position);
    if submission.class == Class::Host {
        record.host_learns(&clock);
    }
    drop(record);
    RUNNING.with_borrow_mut(|running| running.push(Running { number, submission, clock }));
    Entered(())
}

impl Entered {
    /// Notes the end of the work; what comes before whoever waits for it.
    pub(crate) fn leave(&self) -> Arc<Clock> {
        let left = RUNNING.with_borrow_mut(|running| {
            let left = running.pop();
            if running.is_empty() {
                **running = Vec::new();
            }
            left
        });
        let Some(Running { submission, mut clock, .. }) = left else { return Arc::default() };
        if submission.class == Class::Host {
            clock.join(&sync::lock(&RECORD).host);
        }
        Arc::new(clock)
    }
}

/// Does a part of the work that this thread runs, at a position of a queue of its own: after what comes before the work,
/// and other parts with these clocks. Gives the result, and what comes before whoever waits for the part.
pub(crate) fn part<R>(
    label: &Label,
    (queue, position): (u64, u64),
    after: &[Arc<Clock>],
    run: impl FnOnce() -> R,
) -> (R, Arc<Clock>) {
    let whole = with_running(|running| {
        running.map(|one| (one.number, one.submission.stream, Arc::new(one.clock.clone())))
    });
    let Some((number, stream, host)) = whole else { return (run(), Arc::default()) };
    let _known = sync::lock(&RECORD).submitted(queue, position);
    let name = label.name.clone().into_owned();
    let submission = Submission { queue, position, name, stream, class: label.class, host };
    let entered = enter(number, submission, after);
    let result = run();
    (result, entered.leave())
}

/// Notes that the caller has learnt of the end of work: the host, or the work that this thread runs.
pub(crate) fn join(theirs: &Clock) {
    with_running(|running| match running.filter(|one| one.submission.class != Class::Host) {
        Some(one) => one.clock.join(theirs),
        None => sync::lock(&RECORD).host_learns(theirs),
    });
}

/// Whether the host knows that work has ended; without a seed nobody has to.
pub(crate) fn knows(clock: Option<Arc<Clock>>) -> bool {
    !schedule::on() || clock.is_none_or(|clock| sync::lock(&RECORD).host.covers(&clock))
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
pub(crate) fn allocated(allocation: &Allocation) {
    if schedule::on() {
        let end = allocation.base + allocation.size as u64;
        sync::lock(&RECORD).begin(allocation.base, end);
    }
}

/// Notes the end of an allocation, by the work of this thread or the host.
pub(crate) fn freed(allocation: &Allocation) {
    if !schedule::on() {
        return;
    }
    let range = allocation.base..allocation.base + allocation.size as u64;
    with_running(|running| {
        let mut record = sync::lock(&RECORD);
        match running.filter(|one| one.submission.class != Class::Host) {
            Some(one) => {
                let free = Record::new(&one.submission, single(range), Access::Free);
                record.free(allocation.base, free, Some(&one.clock));
            }
            None => record.free(allocation.base, Record::of_host(range), None),
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
