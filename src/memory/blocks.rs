//! The freed blocks that a stream keeps for its next allocations.

use ffi::CUdeviceptr;

/// The smallest size of a block in bytes. The driver aligns allocations to it.
const SMALLEST: usize = 512;
/// The number of sizes from one power of two to the next.
const STEPS: usize = 8;

/// The memory of an [`OrderedStream`](crate::OrderedStream), in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct OrderedUsage {
    /// Bytes of buffers that are alive. Sizes are rounded up while the stream [keeps](crate::OrderedStream::keep)
    /// freed blocks.
    pub used: usize,
    /// Bytes of freed blocks that the stream keeps.
    pub kept: usize,
    /// The most bytes that were used and kept together.
    pub high_water: usize,
}

/// The kept blocks, by size class.
pub(super) struct Blocks {
    /// Places by class. A class has one size, so any of its blocks will do.
    classes: Vec<Vec<CUdeviceptr>>,
    /// The most bytes to keep.
    limit: usize,
    usage: OrderedUsage,
}

/// Returns the class of a size, and the size of its blocks: 512 times 1 to 8, then eight steps to each power of two.
#[inline]
fn class(bytes: usize) -> Option<(usize, usize)> {
    let units = bytes.div_ceil(SMALLEST).max(1);
    // The step is the power of two that leaves 8 to 15 steps below the size.
    let shift = (units.ilog2() as usize).saturating_sub(STEPS.ilog2() as usize);
    let steps = units.div_ceil(1 << shift);
    let size = steps.checked_shl(shift as u32)?.checked_mul(SMALLEST)?;
    // 16 steps are 8 of the next shift.
    let class = shift * STEPS + steps;
    Some((class, size))
}

impl Blocks {
    #[inline]
    pub(super) fn new(limit: usize) -> Blocks {
        Blocks { classes: Vec::new(), limit, usage: OrderedUsage::default() }
    }

    /// Returns a kept block for so many bytes, and the size that a block for them has.
    #[inline]
    pub(super) fn take(&mut self, bytes: usize) -> (Option<CUdeviceptr>, usize) {
        let Some((class, size)) = class(bytes).filter(|_| self.limit > 0) else {
            return (None, bytes);
        };
        let kept = self.classes.get_mut(class).and_then(Vec::pop);
        if kept.is_some() {
            self.usage.kept -= size;
            self.usage.used += size;
        }
        (kept, size)
    }

    /// Counts a block that comes from somewhere else.
    #[inline]
    pub(super) fn has_taken(&mut self, bytes: usize) {
        self.usage.used += bytes;
        self.usage.high_water = self.usage.high_water.max(self.usage.used + self.usage.kept);
    }

    /// Counts a block that goes somewhere else.
    #[inline]
    pub(super) fn has_left(&mut self, bytes: usize) {
        // Nothing may panic in a destructor, whatever was counted.
        self.usage.used = self.usage.used.saturating_sub(bytes);
    }

    /// Takes a block back. Returns whether it is kept: if its size is one of a class, and the limit allows.
    #[inline]
    pub(super) fn give(&mut self, address: CUdeviceptr, bytes: usize) -> bool {
        self.has_left(bytes);
        if self.usage.kept.saturating_add(bytes) > self.limit {
            return false;
        }
        let Some((class, _)) = class(bytes).filter(|&(_, size)| size == bytes) else {
            return false;
        };
        if self.classes.len() <= class {
            self.classes.resize_with(class + 1, Vec::new);
        }
        self.classes[class].push(address);
        self.usage.kept += bytes;
        true
    }

    /// Removes kept blocks, the largest first, until at most so many bytes are kept.
    #[inline]
    pub(super) fn trim(&mut self, bytes: usize) -> Vec<CUdeviceptr> {
        let mut freed = Vec::new();
        for (index, blocks) in self.classes.iter_mut().enumerate().rev() {
            while self.usage.kept > bytes {
                let Some(address) = blocks.pop() else { break };
                self.usage.kept -= size_of_class(index);
                freed.push(address);
            }
        }
        freed
    }

    /// Sets the most bytes to keep.
    pub(super) fn limit(&mut self, bytes: usize) {
        self.limit = bytes;
    }

    pub(super) fn usage(&self) -> OrderedUsage {
        self.usage
    }
}

/// Returns the size of the blocks of a class.
#[inline]
fn size_of_class(class: usize) -> usize {
    // Classes 1 to 16 have shift 0; from then on there are eight to a shift, with 9 to 16 steps.
    let shift = class.saturating_sub(STEPS + 1) / STEPS;
    (class - shift * STEPS) << shift << SMALLEST.ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up_by_an_eighth_at_most() {
        let mut before = (0, 0);
        for bytes in (1..300_000).step_by(7).chain((0..40).map(|n| (1 << 24) + (n << 20))) {
            let (class, size) = class(bytes).unwrap();
            assert!(
                size >= bytes && size - bytes < SMALLEST.max(bytes / STEPS + 1),
                "{bytes}: {size}"
            );
            assert_eq!(size_of_class(class), size, "{bytes}");
            assert_eq!(super::class(size), Some((class, size)), "a size of a class is its own");
            assert!((class, size) >= before, "larger sizes have later classes");
            before = (class, size);
        }
        assert_eq!(class(usize::MAX), None);
    }

    #[test]
    fn a_block_is_kept_up_to_the_limit_and_found_again() {
        let mut blocks = Blocks::new(2048);
        assert_eq!(blocks.take(1000), (None, 1024));
        blocks.has_taken(1024);
        blocks.has_taken(1024);
        blocks.has_taken(1024);
        assert!(blocks.give(1, 1024) && blocks.give(2, 1024) && !blocks.give(3, 1024));
        assert_eq!(blocks.usage(), OrderedUsage { used: 0, kept: 2048, high_water: 3072 });
        assert_eq!(blocks.take(600), (Some(2), 1024));
        assert_eq!(blocks.usage(), OrderedUsage { used: 1024, kept: 1024, high_water: 3072 });
        assert_eq!(blocks.take(5000), (None, 5120), "another class");
        blocks.has_taken(5120);
        assert_eq!(blocks.usage(), OrderedUsage { used: 6144, kept: 1024, high_water: 7168 });
        blocks.has_left(5120);
        assert_eq!(blocks.trim(0), [1]);
        assert_eq!(blocks.trim(0), []);
    }

    #[test]
    fn without_a_limit_sizes_stay_as_they_are_and_nothing_is_kept() {
        let mut blocks = Blocks::new(0);
        assert_eq!(blocks.take(1000), (None, 1000));
        blocks.has_taken(1000);
        assert!(!blocks.give(1, 1000));
        assert_eq!(blocks.usage().used, 0);
    }

    #[test]
    fn the_largest_blocks_go_first() {
        let mut blocks = Blocks::new(1 << 20);
        for (address, bytes) in [(1, 512), (2, 8192), (3, 4096)] {
            blocks.has_taken(bytes);
            assert!(blocks.give(address, bytes));
        }
        assert_eq!(blocks.trim(4608), [2]);
        assert_eq!(blocks.usage().kept, 4608);
    }
}
