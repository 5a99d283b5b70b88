//! Sorting, in a block or a thread.

use super::super::case::{Case, Check, Input};

/// Every part of so many elements in the order of a key.
fn sorted<K: Ord>(x: &[u32], part: usize, key: impl Fn(u32) -> K) -> Vec<u32> {
    let mut x = x.to_vec();
    x.chunks_mut(part).for_each(|part| part.sort_by_key(|&x| key(x)));
    x
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "sort_bitonic",
            2,
            256,
            0,
            Input::Words(512),
            512,
            Check::Words(|x, _| sorted(x, 256, |x| x)),
        ),
        Case::new(
            "sort_odd_even",
            1,
            48,
            96,
            Input::Words(96),
            96,
            Check::Words(|x, n| sorted(x, n as usize, |x| x as i32)),
        )
        .shared(384),
        Case::new(
            "sort_radix",
            1,
            256,
            0,
            Input::Words(256),
            256,
            Check::Words(|x, _| {
                let keyed: Vec<u32> = x.iter().zip(0..).map(|(x, i)| x & 0xffff_0000 | i).collect();
                sorted(&keyed, 256, |x| x >> 16)
            }),
        ),
        Case::new(
            "sort_network",
            2,
            32,
            0,
            Input::Words(512),
            512,
            Check::Words(|x, _| sorted(x, 8, |x| x as i32)),
        ),
        Case::new(
            "sort_rank",
            2,
            64,
            100,
            Input::F32(100),
            100,
            Check::F32(|x, _| {
                let mut x = x.to_vec();
                x.sort_by(f32::total_cmp);
                x
            }),
        ),
        Case::new(
            "merge",
            1,
            32,
            20,
            Input::Words(1280),
            1280,
            Check::Words(|x, n| sorted(x, 2 * n as usize, |x| x)),
        ),
        Case::new(
            "sort_heap",
            1,
            32,
            30,
            Input::Words(960),
            960,
            Check::Words(|x, n| sorted(x, n as usize, |x| x)),
        ),
    ]
}
