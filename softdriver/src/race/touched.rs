//! The bytes that a kernel touches, as the interpreter touches them.

use super::ranges::Ranges;
use crate::model::memory::watched::{Access, Watch};
use crate::sync;
use cuscope_ptx::run::Fault;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The bytes of a page.
const PAGE: u64 = 4096;

/// A bit for each byte of a page.
type Bits = [u64; PAGE as usize / 64];

/// The bytes of a page that are read, written and changed atomically.
struct Page([Bits; 3]);

/// The kinds of access that a kernel has, in the order of a page's bits.
const KINDS: [Access; 3] = [Access::Read, Access::Write, Access::Atomic];

/// The bytes that were touched.
#[derive(Default)]
struct Touched {
    pages: BTreeMap<u64, Box<Page>>,
    /// The address of the first access that missed all memory.
    missed: Option<u64>,
}

impl Touched {
    /// Notes an access, which lies in one page and one word of its bits: it is aligned.
    fn add(&mut self, kind: usize, address: u64, len: usize) {
        let empty = || Box::new(Page([[0; PAGE as usize / 64]; 3]));
        let page = self.pages.entry(address / PAGE).or_insert_with(empty);
        let at = (address % PAGE) as usize;
        page.0[kind][at / 64] |= ((1_u64 << len) - 1) << (at % 64);
    }

    /// The ranges of a kind.
    fn ranges(&self, kind: usize) -> Ranges {
        let mut ranges = Ranges::new();
        for (number, page) in &self.pages {
            for (i, &word) in page.0[kind].iter().enumerate() {
                let base = number * PAGE + i as u64 * 64;
                let mut rest = word;
                let mut from = 0;
                while rest != 0 {
                    let gap = rest.trailing_zeros();
                    rest >>= gap;
                    let len = rest.trailing_ones();
                    let start = base + from + u64::from(gap);
                    let end = start + u64::from(len);
                    match ranges.last_mut().filter(|last| last.end == start) {
                        Some(last) => last.end = end,
                        None => ranges.push(start..end),
                    }
                    from += u64::from(gap + len);
                    rest = rest.checked_shr(len).unwrap_or(0);
                }
            }
        }
        ranges
    }
}

/// Notes what a kernel does to memory.
#[derive(Default)]
pub(crate) struct Noted(Mutex<Touched>);

impl Noted {
    /// Gives what was noted: the ranges of each kind, and the first address that missed.
    pub(crate) fn finish(self) -> ([(Access, Ranges); 3], Option<u64>) {
        let touched = self.0.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        let ranges = [0, 1, 2].map(|kind| (KINDS[kind], touched.ranges(kind)));
        (ranges, touched.missed)
    }
}

impl Watch for Noted {
    fn saw(&self, access: Access, address: u64, bytes: usize, made: Result<(), Fault>) {
        let mut touched = sync::lock(&self.0);
        match made {
            Ok(()) => {
                // Kernels have these kinds only.
                let kind = KINDS.iter().position(|&kind| kind == access);
                kind.into_iter().for_each(|kind| touched.add(kind, address, bytes));
            }
            Err(Fault::IllegalAddress) => drop(touched.missed.get_or_insert(address)),
            Err(_) => {}
        }
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "sets of one range")]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_ranges() {
        let mut touched = Touched::default();
        for i in 0..40 {
            touched.add(0, PAGE - 64 + 4 * i, 4);
        }
        touched.add(0, 16, 1);
        touched.add(0, 48, 16);
        touched.add(1, 63, 1);
        touched.add(1, 64, 8);
        assert_eq!(touched.ranges(0), [16..17, 48..64, PAGE - 64..PAGE + 96]);
        assert_eq!(touched.ranges(1), [63..72]);
        assert_eq!(touched.ranges(2), []);
    }
}
