//! Prefix sums, and what is made of them.

use super::super::case::{Case, Check, Input};

/// The sums so far, of every block.
fn inclusive(x: &[u32], block: usize) -> Vec<u32> {
    let sums = |block: &[u32]| {
        let mut sum = 0_u32;
        block
            .iter()
            .map(|x| {
                sum = sum.wrapping_add(*x);
                sum
            })
            .collect::<Vec<_>>()
    };
    x.chunks(block).flat_map(sums).collect()
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "scan_hillis",
            2,
            256,
            0,
            Input::Words(512),
            512,
            Check::Words(|x, _| inclusive(x, 256)),
        ),
        Case::new(
            "scan_blelloch",
            2,
            128,
            0,
            Input::Words(512),
            512,
            Check::Words(|x, _| {
                inclusive(x, 256).iter().zip(x).map(|(sum, x)| sum.wrapping_sub(*x)).collect()
            }),
        )
        .shared(1024),
        Case::new(
            "scan_warps",
            3,
            192,
            0,
            Input::Words(576),
            576,
            Check::Words(|x, _| inclusive(x, 192)),
        ),
        Case::new(
            "scan_segmented",
            2,
            256,
            0,
            Input::Words(512),
            512,
            Check::Words(|x, _| {
                let mut sum = 0_u32;
                let step = |(i, x): (usize, &u32)| {
                    sum =
                        if i % 256 == 0 || x & 7 == 0 { x >> 3 } else { sum.wrapping_add(x >> 3) };
                    sum
                };
                x.iter().enumerate().map(step).collect()
            }),
        ),
        Case::new(
            "compact",
            2,
            256,
            256,
            Input::Words(512),
            514,
            Check::Words(|x, n| {
                let odd = |block: &[u32]| {
                    let mut odd: Vec<u32> = block.iter().copied().filter(|x| x & 1 == 1).collect();
                    let count = odd.len() as u32;
                    odd.resize(n as usize, 0);
                    odd.push(count);
                    odd
                };
                x.chunks(n as usize).flat_map(odd).collect()
            }),
        ),
        Case::new(
            "scan_max",
            3,
            128,
            0,
            Input::Words(384),
            384,
            Check::Words(|x, _| {
                let most = |block: &[u32]| {
                    let mut most = i32::MIN;
                    block
                        .iter()
                        .map(|&x| {
                            most = most.max(x as i32);
                            most as u32
                        })
                        .collect::<Vec<_>>()
                };
                x.chunks(128).flat_map(most).collect()
            }),
        ),
    ]
}
