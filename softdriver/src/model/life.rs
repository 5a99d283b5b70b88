//! The life of a context: from its creation, or a primary context's activation, to its end.

use crate::domain::Domain;
use crate::entry::Answer;
use crate::label::Label;
use crate::queue::{Kind, Queue, Ticket, Work};
use crate::settings::Settings;
use crate::{print, schedule, sticky, sync};
use cuscope_sys::*;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread::{self, ThreadId};

/// One life. What belongs to a context belongs to a life of it, so that what an earlier life of a
/// primary context left behind is known as dead (F18, F42, F89).
pub(crate) struct Life {
    /// Never used again: 1, 2, 3 … (F98). 0 where it is no context's.
    pub(crate) id: u64,
    /// The ordinal of the device.
    pub(crate) device: usize,
    /// The handle of the context.
    pub(crate) context: usize,
    alive: AtomicBool,
    /// The work that a fault ends at once: shared with its home.
    pub(crate) domain: Arc<Domain>,
    /// Limits and preferences; those of its home count.
    pub(crate) settings: Mutex<Settings>,
    /// Of a green context: the life of the primary one, to which all that it makes belongs but its
    /// streams (F130).
    home: Option<Arc<Life>>,
    /// The green contexts whose home it is; the ended ones are here as long as they have work.
    parts: Mutex<Vec<Weak<Life>>>,
    /// The work that everything enqueued later waits for (F124).
    barrier: Mutex<Vec<Arc<Ticket>>>,
    /// Held while work is submitted, so that the order between queues is one order.
    queues: Mutex<Queues>,
}

/// The queues of a life.
struct Queues {
    null: Arc<Queue>,
    per_thread: HashMap<ThreadId, Arc<Queue>>,
    /// Queues of streams. Those of destroyed streams are here as long as they have work.
    streams: Vec<Weak<Queue>>,
    /// With a seed, those too that have no work, as what they did is still known.
    kept: Vec<Arc<Queue>>,
}

impl Queues {
    /// The queues that exist.
    fn all(&self) -> impl Iterator<Item = Arc<Queue>> {
        let streams = self.streams.iter().filter_map(Weak::upgrade);
        [&self.null].into_iter().chain(self.per_thread.values()).cloned().chain(streams)
    }

    /// Adds what work of a queue of this kind has to wait for.
    fn order(&self, kind: Kind, after: &mut Vec<Arc<Ticket>>) {
        match kind {
            Kind::Null => {
                let blocking = self.all().filter(|one| one.kind == Kind::Blocking);
                after.extend(blocking.filter_map(|one| one.last()));
            }
            Kind::Blocking => after.extend(self.null.last()),
            Kind::NonBlocking => {}
        }
    }
}

impl Life {
    /// A new life of the context with the handle.
    pub(crate) fn new(device: usize, context: usize) -> Arc<Self> {
        Self::with_home(Self::next_id(), device, context, None)
    }

    /// In whose name a device has what belongs to no context.
    pub(crate) fn of_device(device: usize) -> Arc<Self> {
        Self::with_home(0, device, 0, None)
    }

    fn next_id() -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        NEXT.fetch_add(1, Ordering::Relaxed)
    }

    /// The life of a green context, at home in that of the primary context.
    pub(crate) fn part(home: &Arc<Self>, context: usize) -> Arc<Self> {
        let part = Self::with_home(Self::next_id(), home.device, context, Some(home.clone()));
        let mut parts = sync::lock(&home.parts);
        parts.retain(|part| {
            part.upgrade().is_some_and(|part| part.alive() || !part.own_unfinished().is_empty())
        });
        parts.push(Arc::downgrade(&part));
        drop(parts);
        part
    }

    fn with_home(id: u64, device: usize, context: usize, home: Option<Arc<Self>>) -> Arc<Self> {
        // In a green context no stream is in order with the default one (F133).
        let null = if home.is_some() { Kind::NonBlocking } else { Kind::Null };
        let domain = home.as_ref().map_or_else(Arc::default, |home| home.domain.clone());
        Arc::new(Self {
            id,
            device,
            context,
            alive: AtomicBool::new(true),
            settings: Mutex::default(),
            home,
            parts: Mutex::default(),
            barrier: Mutex::default(),
            queues: Mutex::new(Queues {
                null: Queue::new(null, &domain),
                per_thread: HashMap::new(),
                streams: Vec::new(),
                kept: Vec::new(),
            }),
            domain,
        })
    }

    /// Whether it goes on.
    #[inline]
    pub(crate) fn alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    /// 709 if it is over.
    #[inline]
    pub(crate) fn check(&self) -> Answer {
        if self.alive() { Ok(()) } else { Err(CUDA_ERROR_CONTEXT_IS_DESTROYED) }
    }

    /// The life to which memory, modules and events of it belong: its own, or that of the primary
    /// context if it is a green one's.
    pub(crate) fn home(self: &Arc<Self>) -> Arc<Self> {
        self.home.as_ref().unwrap_or(self).clone()
    }

    /// Whether it is that of a green context.
    pub(crate) fn is_green(&self) -> bool {
        self.home.is_some()
    }

    /// Whether what belongs to `other` can be used in it.
    pub(crate) fn shares(&self, other: &Life) -> bool {
        self.home.as_deref().unwrap_or(self).is(other)
    }

    /// The handle of its context.
    pub(crate) fn context_handle(&self) -> CUcontext {
        std::ptr::without_provenance_mut(self.context)
    }

    /// The queue of the legacy default stream.
    pub(crate) fn null_queue(&self) -> Arc<Queue> {
        sync::lock(&self.queues).null.clone()
    }

    /// The queue of the calling thread's default stream.
    pub(crate) fn thread_queue(&self) -> Arc<Queue> {
        let mut queues = sync::lock(&self.queues);
        let new = || Queue::new(Kind::Blocking, &self.domain);
        queues.per_thread.entry(thread::current().id()).or_insert_with(new).clone()
    }

    /// A queue for a stream.
    pub(crate) fn new_queue(&self, kind: Kind) -> Arc<Queue> {
        let kind = if self.is_green() { Kind::NonBlocking } else { kind };
        let queue = Queue::new(kind, &self.domain);
        let mut queues = sync::lock(&self.queues);
        queues.streams.retain(|queue| queue.strong_count() > 0);
        queues.streams.push(Arc::downgrade(&queue));
        if schedule::on() {
            queues.kept.retain(|queue| !queue.over());
            queues.kept.push(queue.clone());
        }
        queue
    }

    /// Adds work to one of its queues, after the given tickets and what the rules of the default
    /// stream ask for (F52).
    pub(crate) fn submit(
        &self,
        queue: &Arc<Queue>,
        mut after: Vec<Arc<Ticket>>,
        label: Label,
        work: Work,
    ) -> Answer<Arc<Ticket>> {
        let queues = sync::lock(&self.queues);
        self.check()?;
        queues.order(queue.kind, &mut after);
        self.held(&mut after);
        queue.push(after, label, work)
    }

    /// Adds short work; the caller does it itself if nothing is before it, as a device that is
    /// idle would have done it before anybody looks.
    pub(crate) fn submit_short(&self, queue: &Arc<Queue>, work: Work) -> Answer<Arc<Ticket>> {
        let queues = sync::lock(&self.queues);
        self.check()?;
        let mut after = Vec::new();
        queues.order(queue.kind, &mut after);
        self.held(&mut after);
        match queue.take_turn(&after) {
            None => queue.push(after, Label::of_call(), work),
            Some(turn) => {
                drop(queues);
                Ok(turn.run(work))
            }
        }
    }

    /// Adds pieces of work that run side by side in the place of one, for the scheduler: each is after
    /// those with the given indices. The ticket is that of all.
    pub(crate) fn submit_branches(
        &self,
        queue: &Arc<Queue>,
        mut after: Vec<Arc<Ticket>>,
        branches: Vec<(Vec<usize>, Label, Work)>,
    ) -> Answer<Arc<Ticket>> {
        let queues = sync::lock(&self.queues);
        self.check()?;
        queues.order(queue.kind, &mut after);
        self.held(&mut after);
        let nothing = || -> Work { Box::new(|| Ok(())) };
        let start = queue.push(after, Label::of_call(), nothing())?;
        let mut tickets = Vec::new();
        for (before, mut label, work) in branches {
            label.stream = Some(queue.id);
            let before = before.iter().filter_map(|&index| tickets.get(index));
            let before = before.chain([&start]).cloned().collect();
            let branch = Queue::new(Kind::NonBlocking, &self.domain);
            tickets.push(branch.push(before, label, work)?);
        }
        queue.push(tickets, Label::of_call(), nothing())
    }

    /// Returns the work that a stream with this queue still has to do; the null stream's work is that of the
    /// blocking streams too.
    pub(crate) fn pending(&self, queue: &Queue) -> Vec<Arc<Ticket>> {
        let mut pending: Vec<_> = queue.last().into_iter().collect();
        if queue.kind == Kind::Null {
            sync::lock(&self.queues).order(Kind::Null, &mut pending);
        }
        pending
    }

    /// Returns all unfinished work, in green contexts at home here too (F131).
    fn unfinished(&self) -> Vec<Arc<Ticket>> {
        let mut unfinished = self.own_unfinished();
        let parts: Vec<_> = sync::lock(&self.parts).iter().filter_map(Weak::upgrade).collect();
        unfinished.extend(parts.iter().flat_map(|part| part.own_unfinished()));
        unfinished
    }

    /// Returns the unfinished work in its own queues.
    fn own_unfinished(&self) -> Vec<Arc<Ticket>> {
        sync::lock(&self.queues).all().filter_map(|queue| queue.last()).collect()
    }

    /// The completion of all that is there now (F123).
    pub(crate) fn mark(&self) -> Answer<Arc<Ticket>> {
        self.check()?;
        let after = self.unfinished();
        // A queue of its own, which a synchronize knows of until the work is done.
        let queue = self.new_queue(Kind::NonBlocking);
        let work: Work = Box::new(|| Ok(()));
        let ticket = match queue.take_turn(&after) {
            Some(turn) => turn.run(work),
            None => queue.push(after, Label::of_call(), work)?,
        };
        queue.close();
        Ok(ticket)
    }

    /// Makes all that comes next wait, in streams made later too (F124).
    pub(crate) fn hold_for(&self, ticket: Arc<Ticket>) -> Answer {
        self.check()?;
        let mut barrier = sync::lock(&self.barrier);
        barrier.retain(|ticket| !ticket.over());
        barrier.push(ticket);
        Ok(())
    }

    /// Adds what everything waits for, here and at home.
    fn held(&self, after: &mut Vec<Arc<Ticket>>) {
        let waiting = sync::lock(&self.barrier);
        after.extend(waiting.iter().filter(|ticket| !ticket.over()).cloned());
        drop(waiting);
        if let Some(home) = &self.home {
            home.held(after);
        }
    }

    /// Waits until all work is finished.
    pub(crate) fn synchronize(&self) -> Answer {
        self.unfinished().iter().try_for_each(|ticket| ticket.wait())?;
        // Work that ended before anybody waited has printed too.
        print::flush();
        Ok(())
    }

    /// The code of a fault that ended work of it; the caller gives it.
    pub(crate) fn check_work(&self) -> Answer {
        if sticky::faulted() {
            self.unfinished().iter().try_for_each(|ticket| ticket.check())?;
        }
        Ok(())
    }

    /// Waits until all work is done, or a fault is reported.
    pub(crate) fn settle(&self) {
        for ticket in self.unfinished() {
            ticket.settle();
        }
    }

    /// Waits until all work has ended, without the host knowing of it.
    pub(crate) fn quiesce(&self) {
        for ticket in self.unfinished() {
            ticket.settle_before(&self.domain);
        }
    }

    /// No new work from now on. False if it was over already.
    pub(crate) fn stop(&self) -> bool {
        // Under the lock, so that nothing is submitted any more.
        let _queues = sync::lock(&self.queues);
        self.alive.swap(false, Ordering::AcqRel)
    }

    /// Its queues take no more work.
    pub(crate) fn close(&self) {
        sync::lock(&self.queues).all().for_each(|queue| queue.close());
    }

    /// Cuts its work off, and drops what has not begun.
    pub(crate) fn cut_off(&self) {
        self.domain.cut();
        schedule::drop_stopped();
        self.domain.wait_for_device();
        self.unfinished().iter().for_each(|ticket| ticket.seen());
    }

    /// Whether two are the same.
    pub(crate) fn is(&self, other: &Life) -> bool {
        std::ptr::eq(self, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// Work that waits until the sender is dropped or sends.
    fn gate() -> (mpsc::Sender<()>, Work) {
        let (open, gate) = mpsc::channel::<()>();
        let work = move || {
            let _ = gate.recv();
            Ok(())
        };
        (open, Box::new(work))
    }

    fn nothing() -> Work {
        Box::new(|| Ok(()))
    }

    #[test]
    fn the_null_stream_orders_with_blocking_streams_only() {
        let life = Life::new(0, 0x10);
        let blocking = life.new_queue(Kind::Blocking);
        let free = life.new_queue(Kind::NonBlocking);
        let null = life.null_queue();

        let (open, work) = gate();
        let busy = life.submit(&free, Vec::new(), Label::of_call(), work).unwrap();
        // F52: the null stream overtakes a non-blocking stream.
        life.submit(&null, Vec::new(), Label::of_call(), nothing()).unwrap().wait().unwrap();
        assert!(!busy.done());
        open.send(()).unwrap();
        busy.wait().unwrap();

        let (open, work) = gate();
        let first = life.submit(&blocking, Vec::new(), Label::of_call(), work).unwrap();
        let second = life.submit(&null, Vec::new(), Label::of_call(), nothing()).unwrap();
        let third = life.submit(&blocking, Vec::new(), Label::of_call(), nothing()).unwrap();
        life.submit(&free, Vec::new(), Label::of_call(), nothing()).unwrap().wait().unwrap();
        assert!(!second.done() && !third.done());
        open.send(()).unwrap();
        life.synchronize().unwrap();
        assert!(first.at() <= second.at() && second.at() <= third.at());
    }

    #[test]
    fn a_stream_destroyed_with_work_is_still_waited_for() {
        let life = Life::new(0, 0x10);
        let queue = life.new_queue(Kind::NonBlocking);
        let (open, work) = gate();
        let ticket = life.submit(&queue, Vec::new(), Label::of_call(), work).unwrap();
        queue.close();
        drop(queue);
        assert_eq!(life.unfinished().len(), 1);
        drop(open);
        life.synchronize().unwrap();
        assert!(ticket.done());
    }
}
