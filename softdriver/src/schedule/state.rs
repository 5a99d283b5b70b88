//! The pending work, and the choice of the next piece.

use super::rng::Rng;
use crate::domain::Domain;
use crate::label::{Class, Label};
use crate::order::Submission;
use crate::queue::{Item, Ticket};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many pieces of work [`State::order`] remembers.
const REMEMBERED: usize = 1 << 20;

/// How long others let work of a class run alone.
pub(super) fn grace(class: Class) -> Duration {
    match class {
        Class::Quick => Duration::from_secs(3600),
        Class::Kernel => Duration::from_millis(500),
        Class::Host | Class::Wait => Duration::from_millis(100),
    }
}

/// A piece of work that stands in line.
pub(super) struct Pending {
    /// Never used again.
    pub(super) number: u64,
    pub(super) item: Item,
    pub(super) submission: Submission,
}

impl Pending {
    fn ready(&self) -> bool {
        self.item.domain.stopped() || self.item.after.iter().all(|ticket| ticket.done())
    }
}

/// The pending work of a queue; first in, first out.
struct Lane {
    queue: u64,
    /// The highest goes first, in most cases.
    priority: u64,
    items: VecDeque<Pending>,
}

/// Work that runs.
struct Running {
    number: u64,
    /// From then on others run beside it.
    until: Instant,
}

/// Whose turn it is.
pub(super) enum Turn {
    /// The caller's.
    Mine,
    /// That of work that runs alone for so long.
    Of(Duration),
}

/// How a seed treats work.
#[derive(Clone, Copy)]
struct Habits {
    /// In so many of eight calls something runs though nobody waits.
    eager: u64,
    /// In so many of eight cases something runs that nobody waits for, while somebody waits.
    stray: u64,
}

/// The scheduler.
pub(super) struct State {
    rng: Rng,
    habits: Habits,
    lanes: Vec<Lane>,
    /// The last one runs; those before it wait in a driver call of theirs.
    running: Vec<Running>,
    next: u64,
    /// The number of the first piece of work of this seed.
    first: u64,
    pub(super) order: Vec<u64>,
    /// When the program last called the driver.
    pub(super) active: Instant,
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            rng: Rng::new(0),
            habits: Habits { eager: 0, stray: 0 },
            lanes: Vec::new(),
            running: Vec::new(),
            next: 0,
            first: 0,
            order: Vec::new(),
            active: Instant::now(),
        }
    }

    /// A number below `count`, which is not 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.rng.below(count)
    }

    /// Starts anew with a seed; what is pending stays.
    pub(super) fn begin(&mut self, seed: u64) {
        self.rng = Rng::new(seed);
        let eager = [0, 1, 3, 6][self.rng.below(4)];
        let stray = [0, 2, 5][self.rng.below(3)];
        self.habits = Habits { eager, stray };
        self.first = self.next;
        self.order.clear();
    }

    /// Whether nothing is pending or running.
    pub(super) fn idle(&self) -> bool {
        self.lanes.is_empty() && self.running.is_empty()
    }

    /// A number for new work.
    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// Adds work of a queue.
    pub(super) fn push(&mut self, queue: u64, pending: Pending) {
        if let Some(lane) = self.lanes.iter_mut().find(|lane| lane.queue == queue) {
            return lane.items.push_back(pending);
        }
        let priority = self.rng.next();
        self.lanes.push(Lane { queue, priority, items: [pending].into() });
    }

    /// The numbers of what has to be done for a piece of work, itself included.
    pub(super) fn needed(&self, number: u64) -> HashSet<u64> {
        let all = self.lanes.iter().flat_map(|lane| &lane.items);
        let all: HashMap<u64, &Pending> = all.map(|one| (one.number, one)).collect();
        let mut needed = HashSet::new();
        let mut next = vec![number];
        while let Some(number) = next.pop() {
            if let Some(one) = all.get(&number)
                && needed.insert(number)
            {
                next.extend(one.item.after.iter().filter_map(|ticket| ticket.number()));
            }
        }
        needed
    }

    /// Whether the seed lets something run though nobody waits.
    pub(super) fn eager(&mut self) -> bool {
        !self.lanes.is_empty() && self.rng.eighths(self.habits.eager)
    }

    /// True in half of all cases.
    pub(super) fn coin(&mut self) -> bool {
        self.rng.eighths(4)
    }

    /// Takes a piece of work that can run; mostly one that is needed, if somebody needs some.
    pub(super) fn choose(&mut self, needed: Option<&HashSet<u64>>) -> Option<Pending> {
        let head = |lane: &Lane| lane.items.front().filter(|one| one.ready()).map(|one| one.number);
        let numbers: Vec<_> = self.lanes.iter().map(head).collect();
        let mut ready: Vec<_> = (0..numbers.len()).filter(|&i| numbers[i].is_some()).collect();
        if ready.is_empty() {
            return None;
        }
        if let Some(needed) = needed
            && !self.rng.eighths(self.habits.stray)
        {
            let is_needed = |i: &usize| numbers[*i].is_some_and(|number| needed.contains(&number));
            let wanted: Vec<_> = ready.iter().copied().filter(is_needed).collect();
            if !wanted.is_empty() {
                ready = wanted;
            }
        }
        let index = match self.rng.below(4) {
            0 => ready[self.rng.below(ready.len())],
            1 => ready.iter().copied().max_by_key(|&i| numbers[i])?,
            _ => ready.iter().copied().max_by_key(|&i| self.lanes[i].priority)?,
        };
        if self.rng.eighths(2) {
            self.lanes[index].priority = self.rng.next();
        }
        let taken = self.lanes[index].items.pop_front();
        if self.lanes[index].items.is_empty() {
            self.lanes.remove(index);
        }
        taken
    }

    /// Takes a piece of work of a context in which none begins any more.
    pub(super) fn take_stopped(&mut self) -> Option<Pending> {
        let stopped = |lane: &Lane| lane.items.front().is_some_and(|one| one.item.domain.stopped());
        let index = self.lanes.iter().position(stopped)?;
        let taken = self.lanes[index].items.pop_front();
        if self.lanes[index].items.is_empty() {
            self.lanes.remove(index);
        }
        taken
    }

    /// Notes that work begins, which has its time alone.
    pub(super) fn start(&mut self, one: &Pending) {
        let until = Instant::now() + grace(one.item.label.class);
        self.running.push(Running { number: one.number, until });
        if let Some(number) = one.number.checked_sub(self.first)
            && self.order.len() < REMEMBERED
        {
            self.order.push(number);
        }
    }

    /// Notes that work has ended.
    pub(super) fn end(&mut self, number: u64) {
        self.running.retain(|one| one.number != number);
    }

    /// Whether others still have to let it run alone.
    pub(super) fn alone(&self, number: u64) -> bool {
        self.running.iter().any(|one| one.number == number)
    }

    /// Whose turn it is, if the caller is the work `me` or none; work whose time is over loses its.
    pub(super) fn turn(&mut self, me: Option<u64>) -> Turn {
        let now = Instant::now();
        while let Some(last) = self.running.last() {
            if Some(last.number) == me {
                break;
            }
            let rest = last.until.saturating_duration_since(now);
            if !rest.is_zero() {
                return Turn::Of(rest);
            }
            self.running.pop();
        }
        Turn::Mine
    }

    /// Gives the work `me` its time again, which has let others run.
    pub(super) fn go_on(&mut self, me: Option<u64>, grace: Duration) {
        if let Some(last) = self.running.last_mut().filter(|last| Some(last.number) == me) {
            last.until = Instant::now() + grace;
        }
    }
}

/// Returns the ticket of a new piece of work, and the work as it is pending.
pub(super) fn pending(
    domain: Arc<Domain>,
    number: u64,
    queue: u64,
    after: Vec<Arc<Ticket>>,
    work: crate::queue::Work,
    label: Label,
    submission: Submission,
) -> (Arc<Ticket>, Pending) {
    let ticket = Arc::new(Ticket::numbered(number));
    let queue = label.stream.unwrap_or(queue);
    let item = Item { domain, after, work, ticket: ticket.clone(), label, queue };
    (ticket, Pending { number, item, submission })
}
