//! Operations that the lanes of a warp do together.

use super::super::case::{Case, Check, Input};

/// A row of results for each lane, warp by warp.
fn warps(x: &[u32], lane: impl Fn(&[u32], usize) -> Vec<u32>) -> Vec<u32> {
    x.chunks(32).flat_map(|warp| (0..32).flat_map(|i| lane(warp, i)).collect::<Vec<_>>()).collect()
}

/// A bit for each lane.
fn ballot(warp: &[u32], vote: impl Fn(usize, u32) -> bool) -> u32 {
    warp.iter().enumerate().fold(0, |votes, (i, &x)| votes | u32::from(vote(i, x)) << i)
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "shuffles",
            1,
            64,
            0,
            Input::Words(64),
            1024,
            Check::Words(|x, _| {
                warps(x, |warp, i| {
                    let mut row = Vec::new();
                    for width in [32, 16, 8, 4] {
                        let start = i / width * width;
                        let up = if i >= start + 3 { i - 3 } else { i };
                        let down = if i + 2 < start + width { i + 2 } else { i };
                        let any = start + (warp[i] >> 16) as usize % width;
                        row.extend([warp[any], warp[up], warp[down], warp[i ^ (width - 1)]]);
                    }
                    row
                })
            }),
        ),
        Case::new(
            "shuffles_wide",
            1,
            64,
            0,
            Input::Words(64),
            512,
            Check::Words64(|x, _| {
                let words: &[u32] = bytemuck::cast_slice(x);
                let row = |i: usize| {
                    let warp = i / 32 * 32;
                    let other = words[warp + (i % 32 * 7 + 3) % 32];
                    let real = f64::from(words[i ^ 5]) * 0.5;
                    let next = words[if i % 32 == 31 { i } else { i + 1 }] as i32;
                    let up = if i % 16 >= 9 { i - 9 } else { i };
                    let single = ((f64::from(words[up]) * 0.5) as f32).to_bits();
                    [
                        u64::from(other) << 32 | u64::from(other),
                        real.to_bits(),
                        i64::from(next) as u64,
                        single.into(),
                    ]
                };
                (0..64).flat_map(row).collect()
            }),
        ),
        Case::new(
            "votes",
            1,
            64,
            0,
            Input::Words(64),
            384,
            Check::Words(|x, _| {
                warps(x, |warp, i| {
                    vec![
                        ballot(warp, |_, x| x & 1 == 1),
                        warp.iter().any(|x| x % 37 == 0).into(),
                        warp.iter().all(|x| x % 37 != 0).into(),
                        ballot(warp, |i, x| x >> 31 == 1 && i & 4 != 0),
                        if i < 16 {
                            ballot(warp, |i, x| i < 16 && x & 4 != 0)
                        } else {
                            ballot(warp, |i, x| i >= 16 && x & 2 != 0)
                        },
                        ballot(warp, |_, x| x >> 31 == 1).count_ones(),
                    ]
                })
            }),
        ),
        Case::new(
            "matches",
            1,
            64,
            0,
            Input::Words(64),
            320,
            Check::Words(|x, _| {
                warps(x, |warp, i| {
                    let same = ballot(warp, |_, x| x >> 29 == warp[i] >> 29);
                    let one = same == !0;
                    vec![same, same, !0, if one { !0 } else { 0 }, 2 + u32::from(one)]
                })
            }),
        ),
        Case::new(
            "reductions",
            1,
            64,
            0,
            Input::Words(64),
            512,
            Check::Words(|x, _| {
                warps(x, |warp, _| {
                    let all = || warp.iter().copied();
                    let signed = || warp.iter().map(|&x| x as i32);
                    vec![
                        all().fold(0, u32::wrapping_add),
                        all().min().unwrap(),
                        all().max().unwrap(),
                        all().fold(!0, |a, b| a & b) | 0xff,
                        all().fold(0, |a, b| a | b) & 0xf0f,
                        all().fold(0, |a, b| a ^ b),
                        signed().min().unwrap() as u32,
                        signed().max().unwrap() as u32,
                    ]
                })
            }),
        ),
        Case::new(
            "warp_sort",
            1,
            64,
            0,
            Input::Words(64),
            64,
            Check::Words(|x, _| {
                let mut x = x.to_vec();
                x.chunks_mut(32).for_each(<[u32]>::sort_unstable);
                x
            }),
        ),
        Case::new(
            "bit_transpose",
            1,
            64,
            0,
            Input::Words(64),
            64,
            Check::Words(|x, _| warps(x, |warp, i| vec![ballot(warp, |_, x| x >> i & 1 == 1)])),
        ),
        // Which lane gets which place is open: the places' sum and their number are not.
        Case::new(
            "aggregated",
            1,
            32,
            0,
            Input::Words(32),
            6,
            Check::Words(|x, _| {
                let mut out = vec![0; 6];
                for (place, x) in x.iter().filter(|x| **x % 3 == 0).enumerate() {
                    out[0] += 1;
                    out[1 + place % 4] ^= x;
                    out[5] += place as u32;
                }
                out
            }),
        ),
        Case::new(
            "lanes",
            1,
            64,
            0,
            Input::Words(1),
            384,
            Check::Words(|_, _| {
                let lane = |i: u32| {
                    let (equal, less) = (1 << (i % 32), (1_u32 << (i % 32)) - 1);
                    [i % 32, equal, less, less | equal, !(less | equal), !less]
                };
                (0..64).flat_map(lane).collect()
            }),
        ),
        Case::new("divergent", 1, 64, 0, Input::Words(64), 64, Check::Digest),
        Case::new(
            "partial_warp",
            1,
            50,
            0,
            Input::Words(50),
            100,
            Check::Words(|x, _| {
                let row = |warp: &[u32]| {
                    let votes = ballot(warp, |_, x| x & 1 == 1);
                    let mut sum = 0_u32;
                    warp.iter()
                        .flat_map(|x| {
                            sum = sum.wrapping_add(*x);
                            [votes, sum]
                        })
                        .collect::<Vec<_>>()
                };
                x.chunks(32).flat_map(row).collect()
            }),
        ),
    ]
}
