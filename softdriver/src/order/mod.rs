//! Which work comes before which.
//!
//! Every queue is a thread of its own, and the host is one. A piece of work knows what comes before it:
//! what it was ordered after, and all that the host knew when it was submitted, which is what the host
//! has waited for.
//!
//! A function of the host is the host: it knows what it was ordered after, and tells the host so.

mod clock;

use crate::label::{Class, Label};
use crate::sync;
use std::cell::RefCell;
use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

pub(crate) use clock::Clock;

/// What the host knows, and how far queues have come.
#[derive(Default)]
struct Known {
    /// The work that the host has waited for.
    host: Arc<Clock>,
    /// The last position of each queue.
    last: HashMap<u64, u64>,
    /// How many pieces of work may still be submitted before it is gone through again.
    room: usize,
}

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
/// Who else forgets what [`prune`] does, and tells how much it still knows.
static FORGETS: OnceLock<fn(&Clock) -> usize> = OnceLock::new();

impl Known {
    /// Notes a submission, and gives what the host knows.
    fn submitted(&mut self, queue: u64, position: u64) -> Arc<Clock> {
        self.last.insert(queue, position);
        self.room = self.room.saturating_sub(1);
        self.host.clone()
    }

    /// Forgets what everything knows.
    fn trim(&self, clock: &mut Clock) {
        clock.keep(|queue| self.last.contains_key(&queue));
    }

    /// The host comes after what has this clock.
    fn host_learns(&mut self, clock: &Clock) {
        if !self.host.covers(clock) {
            Arc::make_mut(&mut self.host).join(clock);
        }
    }
}

/// Has `forgets` called with all that the host knows whenever [`prune`] forgets it.
pub(crate) fn observe(forgets: fn(&Clock) -> usize) {
    let _first = FORGETS.set(forgets);
}

/// With nothing pending: forgets what the host knows, as all that comes will be after it.
pub(crate) fn prune() {
    let mut known = sync::lock(&KNOWN);
    let Known { host, last, room } = &mut *known;
    if *room > 0 {
        return;
    }
    let left = FORGETS.get().map_or(0, |forgets| forgets(host));
    last.retain(|&queue, &mut position| !host.has(queue, position));
    Arc::make_mut(host).keep(|queue| last.contains_key(&queue));
    *room = 2 * (host.len() + left) + 64;
}

/// Work as it was submitted.
pub(crate) struct Submission {
    pub(crate) queue: u64,
    pub(crate) position: u64,
    pub(crate) name: String,
    pub(crate) stream: u64,
    pub(crate) class: Class,
    /// The host's clock.
    host: Arc<Clock>,
}

impl Submission {
    /// Work at a position of a queue, submitted now.
    pub(crate) fn new(label: &Label, queue: u64, position: u64) -> Self {
        let name = label.name.clone().into_owned();
        let stream = label.stream.unwrap_or(queue);
        let host = sync::lock(&KNOWN).submitted(queue, position);
        Self { queue, position, name, stream, class: label.class, host }
    }
}

/// Work that a thread runs.
pub(crate) struct Running {
    number: u64,
    pub(crate) submission: Submission,
    pub(crate) clock: Clock,
}

impl Running {
    /// Whether it is a function of the host.
    pub(crate) fn is_host(&self) -> bool {
        self.submission.class == Class::Host
    }
}

thread_local! {
    /// The work that this thread runs: the last, for which those before wait. Without a destructor, as those of the
    /// program's values may run work when the thread ends. [`Entered::leave`] frees what it has.
    static RUNNING: RefCell<ManuallyDrop<Vec<Running>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// Runs `f` on the work that this thread runs, if any.
pub(crate) fn with_running<R>(f: impl FnOnce(Option<&mut Running>) -> R) -> R {
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
    let mut known = sync::lock(&KNOWN);
    known.trim(&mut clock);
    clock.add(submission.queue, submission.position);
    if submission.class == Class::Host {
        known.host_learns(&clock);
    }
    drop(known);
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
            clock.join(&sync::lock(&KNOWN).host);
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
    let _known = sync::lock(&KNOWN).submitted(queue, position);
    let name = label.name.clone().into_owned();
    let submission = Submission { queue, position, name, stream, class: label.class, host };
    let entered = enter(number, submission, after);
    let result = run();
    (result, entered.leave())
}

/// Notes that the caller has learnt of the end of work: the host, or the work that this thread runs.
pub(crate) fn join(theirs: &Clock) {
    with_running(|running| match running.filter(|one| !one.is_host()) {
        Some(one) => one.clock.join(theirs),
        None => sync::lock(&KNOWN).host_learns(theirs),
    });
}

/// Whether the host knows that work has ended.
pub(crate) fn knows(clock: Option<Arc<Clock>>) -> bool {
    clock.is_none_or(|clock| sync::lock(&KNOWN).host.covers(&clock))
}

/// Returns what the host knows.
pub(crate) fn host() -> Arc<Clock> {
    sync::lock(&KNOWN).host.clone()
}
