//! Sets of addresses.

use std::ops::Range;

/// Ranges of addresses in order, none of which touch.
pub(super) type Ranges = Vec<Range<u64>>;

/// The set of ranges that are in order.
pub(super) fn joined(ordered: impl Iterator<Item = Range<u64>>) -> Ranges {
    let mut all = Ranges::new();
    for one in ordered {
        match all.last_mut() {
            Some(last) if last.end >= one.start => last.end = last.end.max(one.end),
            _ => all.push(one),
        }
    }
    all
}

/// A range that both have.
pub(super) fn overlap(a: &[Range<u64>], b: &[Range<u64>]) -> Option<Range<u64>> {
    let (mut i, mut j) = (0, 0);
    while let (Some(one), Some(other)) = (a.get(i), b.get(j)) {
        let both = one.start.max(other.start)..one.end.min(other.end);
        if !both.is_empty() {
            return Some(both);
        }
        if one.end <= other.end { i += 1 } else { j += 1 }
    }
    None
}

/// Whether all of `b` lies in `a`.
pub(super) fn contains(a: &[Range<u64>], b: &[Range<u64>]) -> bool {
    b.iter().all(|one| {
        let i = a.partition_point(|range| range.end < one.end);
        a.get(i).is_some_and(|range| range.start <= one.start)
    })
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "sets of one range")]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_are_one() {
        assert_eq!(joined([0..4, 8..12, 16..20].into_iter()), [0..4, 8..12, 16..20]);
        assert_eq!(joined([0..4, 4..8, 8..12].into_iter()), [0..12]);
        assert_eq!(joined([0..4, 6..8, 8..9].into_iter()), [0..4, 6..9]);
    }

    #[test]
    fn overlaps_and_contents() {
        let a = [0..4, 8..12];
        assert_eq!(overlap(&a, &[4..8, 12..20]), None);
        assert_eq!(overlap(&a, &[4..9]), Some(8..9));
        assert_eq!(overlap(&[3..10], &a), Some(3..4));
        assert!(contains(&a, &[1..3, 8..12]) && contains(&a, &[]));
        assert!(!contains(&a, &[3..5]) && !contains(&a, &[7..9]) && !contains(&a, &[12..13]));
    }
}
