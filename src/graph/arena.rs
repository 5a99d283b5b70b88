//! Memory that a capture or a builder lends for its whole life, while it makes more.

use std::cell::{Cell, OnceCell};

/// Values that stay where they are until all are dropped, so that a shared borrow can add one.
pub(super) struct Arena<T> {
    len: Cell<usize>,
    /// Chunks that are made when they are first needed, each of twice as many values as the one before.
    chunks: [OnceCell<Box<[OnceCell<T>]>>; usize::BITS as usize],
}

impl<T> Arena<T> {
    /// Creates an empty arena, which has allocated nothing.
    pub(super) const fn new() -> Self {
        Arena { len: Cell::new(0), chunks: [const { OnceCell::new() }; usize::BITS as usize] }
    }

    /// Adds a value, and lends it.
    pub(super) fn add(&self, value: T) -> &T {
        let number = self.len.get() + 1;
        self.len.set(number);
        let chunk = number.ilog2();
        let slots = self.chunks[chunk as usize]
            .get_or_init(|| (0..1_usize << chunk).map(|_| OnceCell::new()).collect());
        slots[number - (1 << chunk)].get_or_init(|| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn values_stay_where_they_are_and_are_dropped_once() {
        let (arena, shared) = (Arena::new(), Rc::new(()));
        let lent: Vec<_> = (0..100).map(|number| arena.add((number, shared.clone()))).collect();
        assert!(lent.iter().enumerate().all(|(number, value)| value.0 == number));
        assert_eq!(Rc::strong_count(&shared), 101);
        drop(arena);
        assert_eq!(Rc::strong_count(&shared), 1);
    }
}
