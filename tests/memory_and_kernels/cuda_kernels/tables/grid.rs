//! Barriers of the whole grid.

use super::super::case::{Case, Check, Input};

fn steps(x: &[u32], n: u32) -> [Vec<u32>; 2] {
    let size = x.len();
    let mut now = [x.to_vec(), vec![0; size]];
    for step in 0..n as usize {
        let from = now[step % 2].clone();
        let next = |i: usize| {
            from[(i + 1) % size].wrapping_mul(3).wrapping_add(from[(i + size - 37) % size])
        };
        now[1 - step % 2] = (0..size).map(next).collect();
    }
    now
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "grid_steps",
            4,
            64,
            5,
            Input::Words(256),
            512,
            Check::Words(|x, n| steps(x, n).concat()),
        )
        .cooperative(),
        Case::new(
            "grid_by_hand",
            4,
            64,
            5,
            Input::Words(256),
            514,
            Check::Words(|x, n| {
                let mut out = steps(x, n).concat();
                out.extend([0, n + 1]);
                out
            }),
        )
        .cooperative(),
        Case::new(
            "groups",
            2,
            64,
            0,
            Input::Words(128),
            128,
            Check::Words(|x, _| {
                let value = |i: usize| {
                    let (eight, warp) = (&x[i / 8 * 8..][..8], &x[i / 32 * 32..][..32]);
                    let sum = eight.iter().fold(0, |sum: u32, x| sum.wrapping_add(*x));
                    let votes = eight.iter().zip(0..).fold(0, |votes, (x, k)| votes | (x & 1) << k);
                    let any = u32::from(warp.iter().any(|x| x % 61 == 0));
                    sum.wrapping_mul(3)
                        .wrapping_add(votes * 5 + any + (i % 64) as u32 + (i % 64 / 8) as u32)
                };
                (0..128).map(value).collect()
            }),
        ),
    ]
}
