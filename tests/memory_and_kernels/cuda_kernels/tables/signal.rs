//! Transforms and filters.

use super::super::case::{Case, Check, Input};
use std::f64::consts::PI;

const P: u64 = 998_244_353;

fn power(mut a: u64, mut e: u64) -> u64 {
    let mut result = 1;
    while e > 0 {
        if e & 1 == 1 {
            result = result * a % P;
        }
        a = a * a % P;
        e /= 2;
    }
    result
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "fft",
            2,
            64,
            0,
            Input::F32(512),
            512,
            Check::Near(2e-5, |x, _| {
                let transform = |x: &[f32]| {
                    let point = |k: usize| {
                        (0..128).fold([0.0, 0.0], |[re, im]: [f64; 2], i| {
                            let (sine, cosine) =
                                (-2.0 * PI * (i * k % 128) as f64 / 128.0).sin_cos();
                            let (a, b) = (f64::from(x[2 * i]), f64::from(x[2 * i + 1]));
                            [re + a * cosine - b * sine, im + a * sine + b * cosine]
                        })
                    };
                    (0..128).flat_map(point).collect::<Vec<_>>()
                };
                x.chunks(256).flat_map(transform).collect()
            }),
        ),
        Case::new(
            "ntt",
            2,
            32,
            0,
            Input::Words(128),
            128,
            Check::Words(|x, _| {
                let root = power(3, (P - 1) / 64);
                let transform = |x: &[u32]| {
                    let point = |k: u64| {
                        let terms = (0..)
                            .zip(x)
                            .map(|(i, &x)| u64::from(x) % P * power(root, i * k % 64) % P);
                        (terms.sum::<u64>() % P) as u32
                    };
                    (0..64).map(point).collect::<Vec<_>>()
                };
                x.chunks(64).flat_map(transform).collect()
            }),
        ),
        Case::new(
            "walsh_hadamard",
            2,
            64,
            0,
            Input::Words(128),
            128,
            Check::Words(|x, _| {
                let transform = |x: &[u32]| {
                    let point = |k: u32| {
                        let sign =
                            |i: u32| if (i & k).count_ones().is_multiple_of(2) { 1 } else { -1 };
                        (0..).zip(x).map(|(i, &x)| sign(i) * (x as i32 >> 8)).sum::<i32>() as u32
                    };
                    (0..32).map(point).collect::<Vec<_>>()
                };
                x.chunks(32).flat_map(transform).collect()
            }),
        ),
        Case::new(
            "fir",
            3,
            128,
            300,
            Input::F32(300),
            300,
            Check::F32(|x, _| {
                let taps = [0.5_f32, -0.25, 0.125, 1.0, -1.0, 0.0625, 0.75, -0.5];
                let point =
                    |i: usize| (0..=i.min(7)).fold(0.0, |sum, k| taps[k].mul_add(x[i - k], sum));
                (0..x.len()).map(point).collect()
            }),
        ),
        Case::new(
            "iir",
            1,
            32,
            20,
            Input::F64(640),
            1280,
            Check::F64(|x, n| {
                let filter = |row: &[f64]| {
                    let (mut x1, mut x2, mut y1, mut y2) = (0.0, 0.0, 0.0, 0.0);
                    let mut step = |x: f64| {
                        let y = 0.25 * x + 0.5 * x1 + 0.25 * x2 + 0.5 * y1 - 0.25 * y2;
                        (x2, x1, y2, y1) = (x1, x, y1, y);
                        y
                    };
                    row.iter().map(|&x| step(x)).collect::<Vec<_>>()
                };
                x.chunks(n as usize).flat_map(filter).collect()
            }),
        ),
        Case::new("dct8", 2, 32, 0, Input::Words(512), 512, Check::Digest),
        Case::new(
            "wavelet",
            3,
            32,
            0,
            Input::Words(192),
            192,
            Check::Words(|x, _| {
                let lifted = |row: &[u32]| {
                    let a: Vec<i32> = row.iter().map(|&x| x as i32 >> 16).collect();
                    let high = |t: usize| a[2 * t + 1] - ((a[2 * t] + a[(2 * t + 2).min(62)]) >> 1);
                    let low =
                        |t: usize| a[2 * t] + ((high(t.saturating_sub(1)) + high(t) + 2) >> 2);
                    (0..32).map(low).chain((0..32).map(high)).map(|x| x as u32).collect::<Vec<_>>()
                };
                x.chunks(64).flat_map(lifted).collect()
            }),
        ),
    ]
}
