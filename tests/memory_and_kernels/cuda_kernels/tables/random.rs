//! Random numbers.

use super::super::case::{Case, Check, Input};

/// `n` numbers of each seed.
fn streams<S: Copy, T>(
    seeds: impl Iterator<Item = S>,
    n: u32,
    step: impl Fn(&mut S) -> T,
) -> Vec<T> {
    seeds.flat_map(|mut seed| (0..n).map(|_| step(&mut seed)).collect::<Vec<_>>()).collect()
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "lcg",
            1,
            64,
            8,
            Input::Words(64),
            512,
            Check::Words(|x, n| {
                streams(x.iter().copied(), n, |s| {
                    *s = s.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    *s
                })
            }),
        ),
        Case::new(
            "xorshift32",
            1,
            64,
            8,
            Input::Words(64),
            512,
            Check::Words(|x, n| {
                streams(x.iter().map(|x| x | 1), n, |s| {
                    *s ^= *s << 13;
                    *s ^= *s >> 17;
                    *s ^= *s << 5;
                    *s
                })
            }),
        ),
        Case::new(
            "xorshift128p",
            1,
            64,
            8,
            Input::Words(256),
            1024,
            Check::Words64(|x, n| {
                streams(x.chunks(2).map(|x| (x[0], x[1] | 1)), n, |(a, b)| {
                    let mut t = *a;
                    *a = *b;
                    t ^= t << 23;
                    *b = t ^ *a ^ (t >> 18) ^ (*a >> 5);
                    a.wrapping_add(*b)
                })
            }),
        ),
        Case::new("splitmix64", 1, 64, 8, Input::Words(64), 1024, Check::Digest),
        Case::new(
            "pcg32",
            1,
            64,
            8,
            Input::Words(64),
            512,
            Check::Words(|x, n| {
                streams(x.iter().map(|&x| u64::from(x)), n, |s| {
                    let (word, turn) = (((*s >> 18 ^ *s) >> 27) as u32, (*s >> 59) as u32);
                    *s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(2_891_336_453);
                    word.rotate_right(turn)
                })
            }),
        ),
        Case::new(
            "philox",
            2,
            32,
            3,
            Input::Words(2),
            768,
            Check::Words(|key, n| {
                let block = |i: u32| {
                    let mut c = [i / n, i % n, 0x1234_5678, 0x9abc_def0_u32];
                    let mut k = [key[0], key[1]];
                    for _ in 0..10 {
                        let p = u64::from(c[0]) * 0xd251_1f53;
                        let q = u64::from(c[2]) * 0xcd9e_8d57;
                        c = [
                            (q >> 32) as u32 ^ c[1] ^ k[0],
                            q as u32,
                            (p >> 32) as u32 ^ c[3] ^ k[1],
                            p as u32,
                        ];
                        k = [k[0].wrapping_add(0x9e37_79b9), k[1].wrapping_add(0xbb67_ae85)];
                    }
                    c
                };
                (0..64 * n).flat_map(block).collect()
            }),
        ),
        Case::new(
            "mersenne",
            1,
            256,
            2,
            Input::Words(1),
            1248,
            Check::Words(|x, n| {
                let mut mt = vec![x[0]];
                for i in 1..624_u32 {
                    let last = mt[i as usize - 1];
                    mt.push(1_812_433_253_u32.wrapping_mul(last ^ last >> 30).wrapping_add(i));
                }
                let mut out = Vec::new();
                for i in 0..624 * n as usize {
                    let y = mt[i] & 0x8000_0000 | mt[i + 1] & 0x7fff_ffff;
                    let mut y = mt[i + 397] ^ y >> 1 ^ if y & 1 == 1 { 0x9908_b0df } else { 0 };
                    mt.push(y);
                    y ^= y >> 11;
                    y ^= y << 7 & 0x9d2c_5680;
                    y ^= y << 15 & 0xefc6_0000;
                    out.push(y ^ y >> 18);
                }
                out
            }),
        ),
        Case::new(
            "monte_carlo_pi",
            1,
            128,
            30,
            Input::Words(128),
            1,
            Check::Words(|x, n| {
                let part = |s: &mut u32| {
                    *s = s.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
                    (*s >> 8) as f32 * (1.0 / 16_777_216.0)
                };
                let inside = streams(x.iter().copied(), n, |s| {
                    let (x, y) = (part(s), part(s));
                    u32::from(x.mul_add(x, y * y) < 1.0)
                });
                vec![inside.iter().sum()]
            }),
        ),
        Case::new(
            "box_muller",
            1,
            64,
            0,
            Input::F32(128),
            128,
            Check::Near(5e-6, |x, _| {
                let pair = |x: &[f32]| {
                    let radius = (-2.0 * f64::from(x[0].abs() * 0.99 + 0.005).ln()).sqrt();
                    let (sine, cosine) = f64::from(std::f32::consts::PI * x[1]).sin_cos();
                    [radius * cosine, radius * sine]
                };
                x.chunks(2).flat_map(pair).collect()
            }),
        ),
    ]
}
