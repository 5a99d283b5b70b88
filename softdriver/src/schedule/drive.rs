//! Running what was chosen: on the thread that waits or calls, or beside it if it may wait itself.

use super::state::{self, Pending, State, Turn, grace};
use crate::domain::Domain;
use crate::label::{Class, Label};
use crate::order::Submission;
use crate::queue::{Ticket, Work};
use crate::{order, sticky, sync};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, Once};
use std::thread;
use std::time::Duration;

/// How often a thread that waits looks for what nobody tells it.
const GLANCE: Duration = Duration::from_millis(10);
/// After so long without a call the program is taken to wait for work in its own way.
const QUIET: Duration = Duration::from_millis(200);

static STATE: LazyLock<Mutex<State>> = LazyLock::new(|| Mutex::new(State::new()));
/// Work has ended.
static CHANGED: Condvar = Condvar::new();

/// Starts anew with a seed.
pub(super) fn begin(seed: u64) {
    static WATCH: Once = Once::new();
    sync::lock(&STATE).begin(seed);
    // Without the thread, a program that waits in its own way waits for good.
    WATCH.call_once(|| drop(thread::Builder::new().name("cuscope-watch".into()).spawn(watch)));
}

/// The order in which work began.
pub(super) fn begun() -> Vec<u64> {
    sync::lock(&STATE).order.clone()
}

/// A number below `count`, which is not 0.
pub(crate) fn below(count: usize) -> usize {
    sync::lock(&STATE).below(count)
}

/// Adds work of a queue, after the given tickets.
pub(crate) fn push(
    domain: Arc<Domain>,
    queue: u64,
    position: u64,
    after: Vec<Arc<Ticket>>,
    label: Label,
    work: Work,
) -> Arc<Ticket> {
    let mut state = sync::lock(&STATE);
    if state.idle() {
        order::prune();
    }
    let submission = Submission::new(&label, queue, position);
    let number = state.number();
    let (ticket, pending) = state::pending(domain, number, queue, after, work, label, submission);
    state.push(queue, pending);
    ticket
}

/// Runs work until that of the ticket has ended, or the caller has given up.
pub(crate) fn drive(ticket: &Ticket, number: u64, given_up: &dyn Fn() -> bool) {
    let me = order::running();
    let mut state = sync::lock(&STATE);
    let needed = state.needed(number);
    while !ticket.done() && !given_up() {
        state.active = std::time::Instant::now();
        state = match state.turn(me) {
            Turn::Of(rest) => sync::wait_for(&CHANGED, state, rest.min(GLANCE)).0,
            Turn::Mine => match state.choose(Some(&needed)) {
                Some(pending) => run(state, pending, me),
                None => sync::wait_for(&CHANGED, state, GLANCE).0,
            },
        };
    }
}

/// Runs some work that the ticket waits for: who asks again and again gets it done.
pub(crate) fn poll(ticket: &Ticket, number: u64) {
    let me = order::running();
    let mut state = sync::lock(&STATE);
    let needed = state.needed(number);
    while !ticket.done() && matches!(state.turn(me), Turn::Mine) && state.coin() {
        let Some(pending) = state.choose(Some(&needed)) else { return };
        state = run(state, pending, me);
    }
}

/// Drops the work of contexts in which none begins any more.
pub(crate) fn drop_stopped() {
    loop {
        let stopped = sync::lock(&STATE).take_stopped();
        let Some(pending) = stopped else { return };
        pending.execute();
    }
}

/// Runs as much as the seed wants at this call; after a fault, first drops what that has stopped.
pub(super) fn tick() {
    if sticky::faulted() {
        drop_stopped();
    }
    let me = order::running();
    let mut state = sync::lock(&STATE);
    state.active = std::time::Instant::now();
    while matches!(state.turn(me), Turn::Mine) && state.eager() {
        let Some(pending) = state.choose(None) else { return };
        state = run(state, pending, me);
    }
}

/// The thread that goes on with the work while the program does not call.
fn watch() {
    loop {
        thread::sleep(QUIET / 4);
        let mut state = sync::lock(&STATE);
        while state.active.elapsed() >= QUIET && matches!(state.turn(None), Turn::Mine) {
            let Some(pending) = state.choose(None) else { break };
            state = run(state, pending, None);
        }
    }
}

/// Runs work that was chosen by the work `me`, or none, until it ends or its time alone is over.
fn run(
    mut state: MutexGuard<'static, State>,
    pending: Pending,
    me: Option<u64>,
) -> MutexGuard<'static, State> {
    let number = pending.number;
    state.start(&pending);
    drop(state);
    if pending.item.label.class == Class::Quick {
        pending.execute();
    } else {
        let cell = Arc::new(Mutex::new(Some(pending)));
        let theirs = cell.clone();
        let thread = thread::Builder::new().name("cuscope-work".into());
        if thread.spawn(move || execute(&theirs)).is_err() {
            // No thread to be had: here, then.
            execute(&cell);
        }
    }
    let mut state = sync::lock(&STATE);
    while state.alone(number)
        && let Turn::Of(rest) = state.turn(me)
    {
        state = sync::wait_for(&CHANGED, state, rest.min(GLANCE)).0;
    }
    state.go_on(me, grace(Class::Host));
    state
}

/// Does the work that is there.
fn execute(cell: &Mutex<Option<Pending>>) {
    let pending = sync::lock(cell).take();
    if let Some(pending) = pending {
        pending.execute();
    }
}

impl Pending {
    /// Does the work, and says so.
    fn execute(self) {
        let Self { number, item, submission } = self;
        let after: Vec<_> = item.after.iter().filter_map(|ticket| ticket.clock()).collect();
        let ticket = item.ticket.clone();
        let running = order::enter(number, submission, &after);
        item.run_with(|| ticket.set_clock(running.leave()));
        sync::lock(&STATE).end(number);
        CHANGED.notify_all();
    }
}
