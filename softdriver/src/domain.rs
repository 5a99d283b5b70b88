//! The work that a fault ends at once: that of one context, with the green ones at home there. Work of other
//! contexts goes on until these end (F326 to F329).

use crate::queue::Ticket;
use crate::{sticky, sync};
use cuscope_sys::CUresult;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, RwLock};

/// The work of a context and of the green ones at home there.
#[derive(Default)]
pub(crate) struct Domain {
    now: Mutex<Now>,
    /// Fewer pieces of work run.
    fewer: Condvar,
    /// Whether no work begins any more.
    stopped: AtomicBool,
    /// Whether what still runs was cut off. Held for reading by whoever reads or changes host memory for
    /// the device, a piece at a time: once it is set, host memory stays as it is.
    cut: RwLock<bool>,
}

#[derive(Default)]
struct Now {
    /// How many pieces of work run on the device.
    device: usize,
    /// How many of them are in a function of the host instead.
    host: usize,
    /// The code of a fault, which is reported when nothing runs any more.
    fault: Option<CUresult>,
}

impl Now {
    /// Reports the fault, if there was one and all other work is over (F327).
    fn report(&self) {
        if let Some(code) = self.fault.filter(|_| self.device + self.host == 0) {
            sticky::set(code);
        }
    }
}

/// A piece of work that a thread runs.
#[derive(Clone)]
struct Running {
    domain: Arc<Domain>,
    ticket: Arc<Ticket>,
}

thread_local! {
    /// The work that this thread runs; none while it is in a function of the host.
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

/// Replaces what this thread runs. A thread that is ending runs nothing.
fn exchange(running: Option<Running>) -> Option<Running> {
    RUNNING.try_with(|now| now.replace(running)).ok().flatten()
}

/// The work that this thread runs.
fn running() -> Option<Running> {
    RUNNING.try_with(|now| now.borrow().clone()).ok().flatten()
}

/// Held while a piece of work runs.
pub(crate) struct Entered {
    domain: Arc<Domain>,
    before: Option<Running>,
}

impl Entered {
    /// This thread runs what was counted.
    fn new(running: Running) -> Self {
        Self { domain: running.domain.clone(), before: exchange(Some(running)) }
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        exchange(self.before.take());
        let mut now = sync::lock(&self.domain.now);
        now.device -= 1;
        now.report();
        self.domain.fewer.notify_all();
    }
}

impl Domain {
    /// Whether no work begins any more: after a fault in it, or as its context has ended.
    #[inline]
    pub(crate) fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Begins a piece of work on this thread, unless no work begins any more.
    pub(crate) fn enter(self: &Arc<Self>, ticket: &Arc<Ticket>) -> Option<Entered> {
        let mut now = sync::lock(&self.now);
        if self.stopped() {
            return None;
        }
        now.device += 1;
        drop(now);
        Some(Entered::new(Running { domain: self.clone(), ticket: ticket.clone() }))
    }

    /// A fault: no other work begins. The first code counts, and is reported when nothing runs any more.
    pub(crate) fn fault(&self, code: CUresult) {
        let mut now = sync::lock(&self.now);
        now.fault.get_or_insert(code);
        self.stopped.store(true, Ordering::Release);
        now.report();
    }

    /// The code of the fault that stopped it, reported or not; none if its end did.
    pub(crate) fn code(&self) -> Option<CUresult> {
        sync::lock(&self.now).fault
    }

    /// Cuts off what runs: from now on it neither reads nor changes host memory, and it ends soon.
    pub(crate) fn cut(&self) {
        *sync::write(&self.cut) = true;
        self.stopped.store(true, Ordering::Release);
    }

    /// Whether what runs was cut off.
    #[inline]
    pub(crate) fn is_cut(&self) -> bool {
        self.stopped() && *sync::read(&self.cut)
    }

    /// Waits until nothing runs on the device any more, which was cut off. Functions of the host that run
    /// go on.
    pub(crate) fn wait_for_device(&self) {
        let mut now = sync::lock(&self.now);
        while now.device > 0 {
            now = sync::wait(&self.fewer, now);
        }
    }

    /// Reads or changes host memory for the device, unless that was cut off; what `f` gave.
    pub(crate) fn with_host_memory<R>(&self, f: impl FnOnce() -> R) -> Option<R> {
        let cut = sync::read(&self.cut);
        if *cut { None } else { Some(f()) }
    }
}

/// Reads or changes host memory for the work that this thread runs, unless that was cut off or called off.
/// A call that does so itself runs no work.
pub(crate) fn with_host_memory(f: impl FnOnce()) {
    match running() {
        None => f(),
        Some(Running { domain, ticket }) => {
            domain.with_host_memory(|| ticket.unless_called_off(f));
        }
    }
}

/// The domain of the work that this thread runs.
pub(crate) fn current() -> Option<Arc<Domain>> {
    running().map(|running| running.domain)
}

/// Whether the work that this thread runs should end: no work of its context begins any more.
pub(crate) fn should_end() -> bool {
    current().is_some_and(|domain| domain.stopped())
}

/// Work whose parts other threads run.
pub(crate) struct Parts(Option<Running>);

impl Parts {
    /// Runs a part on this thread.
    pub(crate) fn run<R>(&self, part: impl FnOnce() -> R) -> R {
        let _entered = self.0.clone().map(|running| {
            sync::lock(&running.domain.now).device += 1;
            Entered::new(running)
        });
        part()
    }
}

/// Runs `f`, which has other threads run the parts of what this one runs, and waits for them.
pub(crate) fn in_parts<R>(f: impl FnOnce(&Parts) -> R) -> R {
    let parts = Parts(running());
    off_device(|| f(&parts))
}

/// Runs a function of the host, or waits for other threads: it is no work of the device, and nothing
/// cuts it off.
pub(crate) fn off_device<R>(f: impl FnOnce() -> R) -> R {
    let Some(running) = exchange(None) else { return f() };
    let count = |from: fn(&mut Now) -> &mut usize, to: fn(&mut Now) -> &mut usize| {
        let mut now = sync::lock(&running.domain.now);
        *from(&mut now) -= 1;
        *to(&mut now) += 1;
        running.domain.fewer.notify_all();
    };
    count(|now| &mut now.device, |now| &mut now.host);
    let result = f();
    count(|now| &mut now.host, |now| &mut now.device);
    exchange(Some(running));
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn work_that_was_cut_off_or_called_off_reaches_no_host_memory() {
        let (domain, ticket) = (Arc::new(Domain::default()), Arc::new(Ticket::default()));
        let reached = || {
            let mut reached = false;
            with_host_memory(|| reached = true);
            reached
        };
        assert!(reached());
        let first = domain.enter(&ticket).unwrap();
        assert!(reached());
        in_parts(|parts| {
            thread::scope(|scope| {
                scope.spawn(|| assert!(parts.run(reached)));
                // Nobody waits for a function of the host, in a part or not.
                scope.spawn(|| parts.run(|| off_device(|| domain.wait_for_device())));
            });
        });
        off_device(|| domain.wait_for_device());
        ticket.call_off();
        assert!(!reached() && !in_parts(|parts| parts.run(reached)));
        let other = Arc::new(Ticket::default());
        let second = domain.enter(&other).unwrap();
        assert!(reached());
        domain.cut();
        assert!(!reached() && should_end() && domain.enter(&other).is_none());
        drop(second);
        assert!(!reached());
        drop(first);
        assert!(reached() && !should_end());
        domain.wait_for_device();
    }
}
