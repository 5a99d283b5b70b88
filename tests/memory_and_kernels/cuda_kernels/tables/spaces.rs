//! The spaces of memory.

use super::super::case::{Case, Check, Input};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new("constant_memory", 2, 64, 0, Input::Words(128), 128, Check::Digest),
        Case::new(
            "globals",
            1,
            64,
            0,
            Input::Words(64),
            65,
            Check::Words(|x, _| {
                let value = |x: &u32| {
                    let word = ["alpha", "beta", "gamma"][(x % 3) as usize];
                    let sum = word
                        .bytes()
                        .fold(357_u32, |sum, b| sum.wrapping_mul(31).wrapping_add(b.into()));
                    sum.wrapping_add([10, 20, 30, 40][(x >> 30) as usize]).wrapping_add(314)
                };
                x.iter().map(value).chain([64]).collect()
            }),
        ),
        Case::new("struct_by_value", 2, 64, 0, Input::Words(128), 128, Check::Digest).with_struct(),
        Case::new("vectors", 1, 64, 0, Input::Words(256), 1024, Check::Digest),
        Case::new(
            "cache_hints",
            2,
            64,
            128,
            Input::Words(128),
            512,
            Check::Words(|x, n| {
                let n = n as usize;
                let sum = |i: usize| {
                    let terms =
                        [(i, 1), (n - 1 - i, 3), (i ^ 1, 5), (i ^ 2, 7), (i ^ 4, 11), (i ^ 8, 13)];
                    terms
                        .iter()
                        .fold(0_u32, |sum, &(at, by)| sum.wrapping_add(x[at].wrapping_mul(by)))
                };
                let (even, odd) = (|i: usize| x[i & !1], |i: usize| x[i | 1]);
                let mut out: Vec<u32> = (0..n).map(sum).collect();
                out.extend((0..n).map(|i| even(i) ^ odd(i)));
                out.extend((0..n).map(|i| sum(i) ^ even(i)));
                out.extend((0..n).map(|i| sum(i).wrapping_add(odd(i))));
                out
            }),
        ),
        Case::new("generic", 1, 64, 0, Input::Words(64), 128, Check::Digest),
        Case::new(
            "dynamic_shared",
            2,
            64,
            0,
            Input::Words(128),
            128,
            Check::Words(|x, _| {
                let value = |x: u32| {
                    let (quarter, half, byte) = (x / 4, x >> 3 & 0xffff, x >> 11 & 0xff);
                    quarter.wrapping_add(x).wrapping_add(half * 3 + byte * 5)
                };
                (0..128).map(|i| value(x[i / 64 * 64 + (i + 1) % 64])).collect()
            }),
        )
        .shared(64 * 15),
        Case::new(
            "local_array",
            1,
            64,
            30,
            Input::Words(64),
            64,
            Check::Words(|x, n| {
                let walk = |(i, x): (u32, &u32)| {
                    let (mut ring, mut at) = ([0_u32; 16], i % 16);
                    for step in 0..n {
                        at = (at + x % 13 + step) % 16;
                        let other = ring[(at as usize + 5) % 16];
                        ring[at as usize] = other.wrapping_mul(3).wrapping_add(step);
                    }
                    ring.iter().fold(0_u32, |sum, x| sum.wrapping_mul(5).wrapping_add(*x))
                };
                (0..).zip(x).map(walk).collect()
            }),
        ),
        Case::new("unions", 1, 64, 0, Input::F64(64), 64, Check::Digest),
        Case::new(
            "dimensions",
            (2, 3, 2),
            (4, 3, 5),
            0,
            Input::Words(1),
            720,
            Check::Words(|_, _| {
                let value = |i: u32| {
                    let (block, thread) = (i / 60, i % 60);
                    let place = (block % 2) | ((block / 2 % 3) << 4) | (block / 6) << 8;
                    place
                        | (thread % 4) << 12
                        | (thread / 4 % 3) << 16
                        | (thread / 12) << 20
                        | 10 << 24
                };
                (0..720).map(value).collect()
            }),
        ),
        Case::new(
            "named_barriers",
            1,
            64,
            4,
            Input::Words(128),
            128,
            Check::Words(|x, _| {
                (0..128).map(|i| x[i / 32 * 32 + 31 - i % 32].wrapping_mul(3)).collect()
            }),
        ),
    ]
}
