//! The order of events: which comes before which.

use std::collections::BTreeMap;

/// How far each queue has come, as somebody knows it: what is within that comes before him.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock(BTreeMap<u64, u64>);

impl Clock {
    /// Whether the piece of work at a position of a queue comes before.
    pub(crate) fn has(&self, queue: u64, position: u64) -> bool {
        self.0.get(&queue).is_some_and(|&known| known >= position)
    }

    /// Adds a position of a queue.
    pub(crate) fn add(&mut self, queue: u64, position: u64) {
        let known = self.0.entry(queue).or_default();
        *known = (*known).max(position);
    }

    /// Adds all of another.
    pub(crate) fn join(&mut self, other: &Self) {
        other.0.iter().for_each(|(&queue, &position)| self.add(queue, position));
    }

    /// Whether all of another comes before.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        other.0.iter().all(|(&queue, &position)| self.has(queue, position))
    }

    /// How many queues it knows of.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets the other queues.
    pub(crate) fn keep(&mut self, keep: impl Fn(u64) -> bool) {
        self.0.retain(|&queue, _| keep(queue));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_has_what_it_joined_and_all_before() {
        let (mut a, mut b) = (Clock::default(), Clock::default());
        a.add(1, 3);
        b.add(1, 5);
        b.add(2, 1);
        assert!(a.has(1, 2) && a.has(1, 3) && !a.has(1, 4) && !a.has(2, 1));
        assert!(b.covers(&a));
        assert!(!a.covers(&b));
        a.join(&b);
        a.add(1, 4);
        assert!(a.has(1, 5) && a.covers(&b));
        a.keep(|queue| queue == 2);
        assert_eq!(a.len(), 1);
    }
}
