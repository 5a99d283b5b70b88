//! Which bytes of memory were written, for [`check`](crate::check).

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Whether that is noted of new allocations.
static ON: AtomicBool = AtomicBool::new(false);

/// Has it noted from now on.
pub(crate) fn begin() {
    ON.store(true, Ordering::Relaxed);
}

/// The bytes of an allocation that were written: a bit each.
pub(crate) struct Written(Box<[AtomicU64]>);

impl Written {
    /// None of so many bytes, if it is noted.
    pub(crate) fn of_new(bytes: usize) -> Option<Self> {
        ON.load(Ordering::Relaxed).then(|| Self::nothing(bytes))
    }

    /// None of so many bytes.
    fn nothing(bytes: usize) -> Self {
        Self((0..bytes.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    /// The words of a range of bytes, each with the bits that are in the range.
    fn words(range: Range<usize>) -> impl Iterator<Item = (usize, u64)> {
        let Range { start, end } = range;
        // No bytes lie in no word.
        let words = if start < end { start / 64..end.div_ceil(64) } else { 0..0 };
        words.map(move |word| {
            let (low, high) = (word * 64, word * 64 + 64);
            let (from, to) = (start.max(low) - low, end.min(high) - low);
            (word, (u64::MAX >> (64 - (to - from))) << from)
        })
    }

    /// Notes that bytes are written.
    pub(crate) fn write(&self, range: Range<usize>) {
        for (word, bits) in Self::words(range) {
            self.0[word].fetch_or(bits, Ordering::Relaxed);
        }
    }

    /// Forgets that anything was written.
    pub(crate) fn forget(&self) {
        self.0.iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }

    /// The first byte of a range that was not written.
    pub(crate) fn first_unwritten(&self, range: Range<usize>) -> Option<usize> {
        Self::words(range).find_map(|(word, bits)| {
            let unwritten = bits & !self.0[word].load(Ordering::Relaxed);
            (unwritten != 0).then(|| word * 64 + unwritten.trailing_zeros() as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_one_by_one() {
        let written = Written::nothing(200);
        assert_eq!(written.first_unwritten(3..3), None);
        for range in [0..1, 60..70, 64..128, 199..200] {
            assert_eq!(
                written.first_unwritten(range.clone()),
                Some(range.start.max(if range.start == 64 { 70 } else { 0 }))
            );
            written.write(range.clone());
            assert_eq!(written.first_unwritten(range.clone()), None);
        }
        assert_eq!(written.first_unwritten(0..200), Some(1));
        assert_eq!(written.first_unwritten(60..200), Some(128));
        written.forget();
        assert_eq!(written.first_unwritten(64..128), Some(64));
    }
}
