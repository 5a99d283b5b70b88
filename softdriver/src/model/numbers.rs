//! The numbers that kernels of a graph set, and by which its conditional nodes choose (F520 to F526).

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The numbers of a graph that can run: each as it is, and as it is at the beginning of each run.
#[derive(Default)]
pub(crate) struct Numbers(Vec<(Arc<AtomicU32>, Option<u32>)>);

impl Numbers {
    /// Numbers by their first values, and whether each is that again at the beginning of each run.
    pub(crate) fn new(all: impl Iterator<Item = (u32, bool)>) -> Self {
        let number =
            |(first, again): (u32, bool)| (Arc::new(AtomicU32::new(first)), again.then_some(first));
        Self(all.map(number).collect())
    }

    /// Those of a new run.
    pub(crate) fn of_run(&self) -> Arc<Self> {
        let number = |(now, first): &(Arc<AtomicU32>, Option<u32>)| {
            let now = first.map_or_else(|| now.clone(), |first| Arc::new(AtomicU32::new(first)));
            (now, *first)
        };
        Arc::new(Self(self.0.iter().map(number).collect()))
    }

    /// A number by its handle, 0 if there is none.
    pub(crate) fn get(&self, handle: u64) -> u32 {
        let one = self.0.get((handle as usize).wrapping_sub(1));
        one.map_or(0, |(now, _)| now.load(Ordering::Acquire))
    }

    /// A kernel sets a number. Whether the graph has one with the handle.
    pub(crate) fn set(&self, handle: u64, value: u32) -> bool {
        let one = self.0.get((handle as usize).wrapping_sub(1));
        one.iter().for_each(|(now, _)| now.store(value, Ordering::Release));
        one.is_some()
    }
}
