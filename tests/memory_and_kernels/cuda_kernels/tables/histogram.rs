//! Counting.

use super::super::case::{Case, Check, Input};

fn counted(bins: usize, of: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut counts = vec![0; bins];
    of.for_each(|bin| counts[bin as usize] += 1);
    counts
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "histogram_global",
            2,
            128,
            1000,
            Input::Words(1000),
            64,
            Check::Words(|x, _| counted(64, x.iter().map(|x| x >> 26))),
        ),
        Case::new(
            "histogram_shared",
            2,
            128,
            1000,
            Input::Words(1000),
            256,
            Check::Words(|x, _| {
                counted(256, x.iter().flat_map(|x| x.to_le_bytes().map(u32::from)))
            }),
        ),
        Case::new(
            "histogram_match",
            4,
            128,
            0,
            Input::Words(512),
            16,
            Check::Words(|x, _| counted(16, x.iter().map(|x| x >> 28))),
        ),
        Case::new(
            "histogram_private",
            1,
            64,
            20,
            Input::Words(1280),
            32,
            Check::Words(|x, _| counted(32, x.iter().map(|x| x >> 27))),
        ),
        Case::new(
            "equalise",
            1,
            128,
            1000,
            Input::Words(1000),
            1000,
            Check::Words(|x, n| {
                let counts = counted(64, x.iter().map(|x| x >> 26));
                let up_to = |bin: u32| counts[..=bin as usize].iter().sum::<u32>();
                x.iter().map(|x| up_to(x >> 26) * 63 / n).collect()
            }),
        ),
    ]
}
