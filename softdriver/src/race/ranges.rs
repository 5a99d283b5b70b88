//! Sets of addresses.

use std::ops::Range;

/// Ranges of addresses in order, none of which touch.
pub(super) type Ranges = Vec<Range<u64>>;

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
    fn overlaps_and_contents() {
        let a = [0..4, 8..12];
        assert_eq!(overlap(&a, &[4..8, 12..20]), None);
        assert_eq!(overlap(&a, &[4..9]), Some(8..9));
        assert_eq!(overlap(&[3..10], &a), Some(3..4));
        assert!(contains(&a, &[1..3, 8..12]) && contains(&a, &[]));
        assert!(!contains(&a, &[3..5]) && !contains(&a, &[7..9]) && !contains(&a, &[12..13]));
    }
}
