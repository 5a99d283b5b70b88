//! Queues of work: each is served first in, first out, by a thread of its own, or by the scheduler of a
//! [seed](crate::schedule).

use crate::conditions;
use crate::domain::Domain;
use crate::entry::Answer;
use crate::label::{Class, Label};
use crate::model::attributes::Attributes;
use crate::order::Clock;
use crate::{order, print, schedule, sticky, sync, trace};
use cuscope_sys::*;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// How long a thread without work stays for more.
const IDLE: Duration = Duration::from_millis(500);
/// How often a thread that waits looks for a fault elsewhere.
const GLANCE: Duration = Duration::from_millis(10);

/// The completion of one piece of work.
#[derive(Default)]
pub(crate) struct Ticket {
    end: Mutex<Option<End>>,
    ended: Condvar,
    /// Of work that the scheduler has.
    number: Option<u64>,
    /// The events before whoever waits for it; of work that the scheduler had, once that has ended.
    clock: OnceLock<Arc<Clock>>,
    /// Whether it leaves host memory alone from now on. Held while it reads or changes some.
    called_off: Mutex<bool>,
}

/// How a piece of work ended.
#[derive(Clone, Copy)]
struct End {
    at: Instant,
    /// False if it faulted or was dropped after a fault.
    done: bool,
}

impl Ticket {
    /// The ticket of work that the scheduler has.
    pub(crate) fn numbered(number: u64) -> Self {
        Self { number: Some(number), ..Self::default() }
    }

    /// The number of the work, if the scheduler has it.
    pub(crate) fn number(&self) -> Option<u64> {
        self.number
    }

    /// Returns the events before whoever waits for it.
    pub(crate) fn clock(&self) -> Option<Arc<Clock>> {
        self.clock.get().cloned()
    }

    /// Says what comes before whoever waits for it.
    pub(crate) fn set_clock(&self, clock: Arc<Clock>) {
        let _first = self.clock.set(clock);
    }

    /// Notes that the caller knows of the end, and so comes after all that was before.
    pub(crate) fn seen(&self) {
        if let Some(clock) = self.clock.get() {
            order::join(clock);
        }
    }

    /// When the work ended, if it did.
    pub(crate) fn at(&self) -> Option<Instant> {
        sync::lock(&self.end).map(|end| end.at)
    }

    /// Whether the work is finished, or was dropped after a fault.
    pub(crate) fn done(&self) -> bool {
        sync::lock(&self.end).is_some()
    }

    /// Whether nothing has to wait for it any more, nor, with a seed, to know of it.
    pub(crate) fn over(&self) -> bool {
        self.done() && (!schedule::on() || order::knows(self.clock()))
    }

    /// Whether the work was done.
    fn well(&self) -> bool {
        sync::lock(&self.end).is_some_and(|end| end.done)
    }

    /// The code of the fault, if that ended the work and all other work of the context is over.
    pub(crate) fn check(&self) -> Answer {
        match *sync::lock(&self.end) {
            Some(End { done: false, .. }) => sticky::check(),
            _ => Ok(()),
        }
    }

    /// NOT_READY if the work has not ended; the code of the fault, if that ended it.
    pub(crate) fn query(&self) -> Answer {
        if let Some(number) = self.number
            && !self.done()
        {
            schedule::poll(self, number);
        }
        self.check()?;
        if !self.well() {
            return Err(CUDA_ERROR_NOT_READY);
        }
        self.seen();
        Ok(())
    }

    /// Waits for the work; a fault anywhere ends the wait with its code, once it is reported. The work
    /// may go on then.
    pub(crate) fn wait(&self) -> Answer {
        if !self.settle() {
            sticky::check()?;
        }
        print::flush();
        Ok(())
    }

    /// Waits for work with memory that the caller uses again as it likes: if a fault ends the wait, the
    /// work leaves host memory alone from then on (F331).
    pub(crate) fn wait_or_call_off(&self) -> Answer {
        self.wait().inspect_err(|_| self.call_off())
    }

    /// Has the work leave host memory alone.
    pub(crate) fn call_off(&self) {
        *sync::lock(&self.called_off) = true;
    }

    /// Runs `f`, which reads or changes host memory, unless the work was called off.
    pub(crate) fn unless_called_off(&self, f: impl FnOnce()) {
        let called_off = sync::lock(&self.called_off);
        if !*called_off {
            f();
        }
    }

    /// Runs what the scheduler has, until the work has ended or `given_up`.
    fn drive(&self, given_up: &dyn Fn() -> bool) {
        if let Some(number) = self.number
            && !self.done()
        {
            schedule::drive(self, number, given_up);
        }
    }

    fn complete(&self, done: bool) {
        *sync::lock(&self.end) = Some(End { at: Instant::now(), done });
        self.ended.notify_all();
    }

    /// Waits until the work is done, or a fault is reported, without giving its code; true if it was
    /// done.
    pub(crate) fn settle(&self) -> bool {
        self.drive(&sticky::faulted);
        let mut end = sync::lock(&self.end);
        while !end.is_some_and(|end| end.done) && !sticky::faulted() {
            end = sync::wait_for(&self.ended, end, GLANCE).0;
        }
        let done = end.is_some_and(|end| end.done);
        drop(end);
        self.seen();
        done
    }

    /// The same for work that comes after it: waits until it has ended in some way, or no work of the
    /// domain begins any more.
    pub(crate) fn settle_before(&self, domain: &Domain) -> bool {
        self.drive(&|| domain.stopped());
        let mut end = sync::lock(&self.end);
        while end.is_none() && !domain.stopped() {
            end = sync::wait_for(&self.ended, end, GLANCE).0;
        }
        end.is_some_and(|end| end.done)
    }

    /// The same for a piece of work that has begun, and knows of the end then.
    pub(crate) fn settle_within(&self, domain: &Domain) -> bool {
        let done = self.settle_before(domain);
        self.seen();
        done
    }
}

/// The body of a piece of work; an error is a fault of the device and stays.
pub(crate) type Work = Box<dyn FnOnce() -> Answer + Send>;

/// A piece of work, and what must be complete before it.
pub(crate) struct Item {
    pub(crate) domain: Arc<Domain>,
    pub(crate) after: Vec<Arc<Ticket>>,
    pub(crate) work: Work,
    pub(crate) ticket: Arc<Ticket>,
    pub(crate) label: Label,
    /// The number of the queue.
    pub(crate) queue: u64,
}

/// How a queue relates to the others of its context (F52).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The legacy default stream.
    Null,
    /// In order with the default stream.
    Blocking,
    /// In no order with others.
    NonBlocking,
}

/// A queue.
pub(crate) struct Queue {
    /// Never used again.
    pub(crate) id: u64,
    pub(crate) kind: Kind,
    pub(crate) attributes: Mutex<Attributes>,
    domain: Arc<Domain>,
    inner: Mutex<Inner>,
    wake: Condvar,
}

#[derive(Default)]
struct Inner {
    items: VecDeque<Item>,
    /// The ticket of the item that came last.
    last: Option<Arc<Ticket>>,
    /// Whether a thread serves the queue.
    served: bool,
    /// Whether the thread ends as soon as there is no more work.
    closed: bool,
    /// How many pieces of work the scheduler was given.
    scheduled: u64,
}

/// A number that no queue had before.
pub(crate) fn new_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Queue {
    /// An empty queue; its thread starts with the first work.
    pub(crate) fn new(kind: Kind, domain: &Arc<Domain>) -> Arc<Self> {
        let id = new_id();
        let (attributes, inner) = Default::default();
        Arc::new(Self { id, kind, attributes, domain: domain.clone(), inner, wake: Condvar::new() })
    }

    /// The ticket of what came last, if it is not done or was dropped; with a seed always, as others
    /// come after it.
    pub(crate) fn last(&self) -> Option<Arc<Ticket>> {
        let mut inner = sync::lock(&self.inner);
        if !schedule::on() && inner.last.as_ref().is_some_and(|ticket| ticket.well()) {
            inner.last = None;
        }
        inner.last.clone()
    }

    /// Adds work, to be done after what is there and after the given tickets.
    pub(crate) fn push(
        self: &Arc<Self>,
        mut after: Vec<Arc<Ticket>>,
        label: Label,
        work: Work,
    ) -> Answer<Arc<Ticket>> {
        let mut inner = sync::lock(&self.inner);
        // If a fault drops that, what comes after is dropped too.
        after.extend(inner.last.iter().cloned());
        let domain = self.domain.clone();
        if schedule::on() {
            inner.scheduled += 1;
            let ticket = schedule::push(domain, self.id, inner.scheduled, after, label, work);
            inner.last = Some(ticket.clone());
            return Ok(ticket);
        }
        let ticket = Arc::new(Ticket::default());
        after.retain(|ticket| !ticket.well());
        if !inner.served {
            let queue = self.clone();
            let thread = thread::Builder::new().name("cuscope-stream".into());
            thread.spawn(move || queue.serve()).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
            inner.served = true;
        }
        let item = Item { domain, after, work, ticket: ticket.clone(), label, queue: self.id };
        inner.items.push_back(item);
        inner.last = Some(ticket.clone());
        drop(inner);
        self.wake.notify_one();
        Ok(ticket)
    }

    /// If there is nothing to wait for, takes the queue's turn for work that the caller runs
    /// itself, with [`Turn::run`]. Never with a seed.
    pub(crate) fn take_turn(&self, after: &[Arc<Ticket>]) -> Option<Turn> {
        if schedule::on() {
            return None;
        }
        let mut inner = sync::lock(&self.inner);
        let idle = inner.last.as_ref().is_none_or(|ticket| ticket.well());
        if !idle || !after.iter().all(|ticket| ticket.well()) {
            return None;
        }
        let ticket = Arc::new(Ticket::default());
        inner.last = Some(ticket.clone());
        Some(Turn { domain: self.domain.clone(), ticket, queue: self.id })
    }

    /// Whether nobody has to know it any more: it is closed, and what it did is done.
    pub(crate) fn over(&self) -> bool {
        let inner = sync::lock(&self.inner);
        inner.closed && inner.last.as_ref().is_none_or(|last| last.over())
    }

    /// Whether its stream is destroyed, or its context over.
    pub(crate) fn closed(&self) -> bool {
        sync::lock(&self.inner).closed
    }

    /// Lets the thread end when the work is done; more work may still come.
    pub(crate) fn close(&self) {
        sync::lock(&self.inner).closed = true;
        self.wake.notify_one();
    }

    /// The thread of the queue.
    fn serve(&self) {
        while let Some(item) = self.next() {
            item.run();
        }
    }

    /// Takes the next item, waiting for one; none if the thread should end.
    fn next(&self) -> Option<Item> {
        let mut inner = sync::lock(&self.inner);
        let mut late = false;
        loop {
            if let Some(item) = inner.items.pop_front() {
                return Some(item);
            }
            if inner.closed || late {
                inner.served = false;
                return None;
            }
            (inner, late) = sync::wait_for(&self.wake, inner, IDLE);
        }
    }
}

/// The turn of a queue, in the hands of a caller.
pub(crate) struct Turn {
    domain: Arc<Domain>,
    ticket: Arc<Ticket>,
    queue: u64,
}

impl Turn {
    /// Does the work and ends the turn.
    pub(crate) fn run(self, work: Work) -> Arc<Ticket> {
        let Self { domain, queue, .. } = self;
        let (after, ticket, label) = (Vec::new(), self.ticket.clone(), Label::of_call());
        Item { domain, after, work, ticket, label, queue }.run();
        self.ticket
    }
}

impl Item {
    /// Waits for its turn, does the work unless something before it was dropped or no work begins any
    /// more, and completes the ticket.
    fn run(self) {
        self.run_with(|| {});
    }

    /// The same; `at_end` comes before the completion.
    pub(crate) fn run_with(self, at_end: impl FnOnce()) {
        let ready = self.after.iter().all(|ticket| ticket.settle_before(&self.domain));
        let entered = if ready { self.domain.enter(&self.ticket) } else { None };
        let Some(entered) = entered else {
            at_end();
            return self.ticket.complete(false);
        };
        let watched = Watched::new(&self.label, &self.domain);
        let traced = trace::work(&self.label, self.queue);
        self.label.begins();
        let result = catch_unwind(AssertUnwindSafe(self.work));
        let result = result.unwrap_or(Err(CUDA_ERROR_LAUNCH_FAILED));
        drop(traced);
        drop(watched);
        let cut = self.domain.is_cut();
        if let Err(code) = result
            && !cut
        {
            self.domain.fault(code);
        }
        at_end();
        self.ticket.complete(result.is_ok() && !cut);
        drop(entered);
    }
}

/// A kernel that has a time to run in, if there is one: from then on the launch has timed out.
struct Watched {
    over: Option<mpsc::Sender<()>>,
}

impl Watched {
    fn new(label: &Label, domain: &Arc<Domain>) -> Self {
        let timeout = conditions::timeout().filter(|_| label.class == Class::Kernel);
        let over = timeout.and_then(|timeout| {
            let (over, ended) = mpsc::channel::<()>();
            let domain = domain.clone();
            let watch = move || {
                if ended.recv_timeout(timeout) == Err(mpsc::RecvTimeoutError::Timeout) {
                    domain.fault(CUDA_ERROR_LAUNCH_TIMEOUT);
                    domain.cut();
                }
            };
            let thread = thread::Builder::new().name("cuscope-timeout".into());
            thread.spawn(watch).ok().map(|_| over)
        });
        Self { over }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // The thread ends when nobody can tell it any more.
        self.over.take();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_in_order_and_after_its_tickets() {
        let (send, received) = mpsc::channel();
        let (release, gate) = mpsc::channel::<()>();
        let domain = Arc::default();
        let first = Queue::new(Kind::NonBlocking, &domain);
        let second = Queue::new(Kind::NonBlocking, &domain);
        let log = send.clone();
        let ticket = first
            .push(
                Vec::new(),
                Label::of_call(),
                Box::new(move || {
                    gate.recv().ok();
                    log.send(1).ok();
                    Ok(())
                }),
            )
            .unwrap();
        let mut last = None;
        for (i, after) in [(2, vec![ticket.clone()]), (3, Vec::new())] {
            let log = send.clone();
            let work: Work = Box::new(move || {
                log.send(i).ok();
                Ok(())
            });
            last = Some(second.push(after, Label::of_call(), work).unwrap());
        }
        assert!(!ticket.done());
        assert!(second.last().is_some());
        release.send(()).unwrap();
        let last = last.unwrap();
        last.wait().unwrap();
        assert!(first.last().is_none() && second.last().is_none());
        assert!(ticket.at() <= last.at());
        drop(send);
        first.close();
        second.close();
        assert_eq!(received.iter().collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn a_closed_queue_still_works() {
        let queue = Queue::new(Kind::Blocking, &Arc::default());
        let push = || queue.push(Vec::new(), Label::of_call(), Box::new(|| Ok(()))).unwrap();
        push();
        queue.close();
        push().wait().unwrap();
    }
}
