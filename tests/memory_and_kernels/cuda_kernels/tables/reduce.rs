//! Many values become few.

use super::super::case::{Case, Check, Input};
use super::blas::tree;

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "reduce_sum_u32",
            3,
            128,
            1000,
            Input::Words(1000),
            1,
            Check::Words(|x, _| vec![x.iter().fold(0, |sum, x| sum.wrapping_add(*x))]),
        ),
        Case::new(
            "reduce_tree_f32",
            4,
            128,
            0,
            Input::F32(512),
            4,
            Check::F32(|x, _| x.chunks(128).map(tree).collect()),
        ),
        Case::new(
            "reduce_minmax_i32",
            4,
            128,
            0,
            Input::Words(512),
            8,
            Check::Words(|x, _| {
                let signed = |block: &[u32]| block.iter().map(|&x| x as i32).collect::<Vec<_>>();
                x.chunks(128)
                    .map(signed)
                    .flat_map(|x| {
                        [*x.iter().min().unwrap() as u32, *x.iter().max().unwrap() as u32]
                    })
                    .collect()
            }),
        ),
        Case::new(
            "reduce_warp_f64",
            3,
            128,
            0,
            Input::F64(384),
            6,
            Check::F64(|x, _| {
                let half = |x: Vec<f64>| {
                    let (a, b) = x.split_at(x.len() / 2);
                    a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<_>>()
                };
                let warp = |x: &[f64]| half(half(half(half(half(x.to_vec())))))[0];
                let sum = |x: Vec<f64>| (x[0] + x[1]) + (x[2] + x[3]);
                x.chunks(128).map(|block| sum(block.chunks(32).map(warp).collect())).collect()
            }),
        ),
        Case::new(
            "kahan_f32",
            1,
            64,
            30,
            Input::F32(1920),
            64,
            Check::F32(|x, n| {
                let kahan = |(sum, lost): (f32, f32), x: &f32| {
                    let y = x - lost;
                    let t = sum + y;
                    (t, (t - sum) - y)
                };
                x.chunks(n as usize).map(|row| row.iter().fold((0.0, 0.0), kahan).0).collect()
            }),
        ),
        Case::new(
            "reduce_atomic_u64",
            4,
            128,
            500,
            Input::Words(500),
            6,
            Check::Words(|x, _| {
                let wide = || x.iter().map(|&x| u64::from(x));
                let sum = wide().fold(0_u64, |sum, x| sum.wrapping_add(x * x));
                let most = wide().map(|x| x << 7).max().unwrap();
                let odd = wide().zip(0..).fold(0, |odd, (x, i)| odd ^ x << (i % 33));
                [sum, most, odd].iter().flat_map(|&x| [x as u32, (x >> 32) as u32]).collect()
            }),
        ),
        Case::new(
            "mean_variance",
            1,
            64,
            10,
            Input::F64(640),
            256,
            Check::F64(|x, n| {
                let welford = |row: &[f64]| {
                    let (mut mean, mut squares) = (0.0, 0.0);
                    for (i, x) in (1..).zip(row) {
                        let delta = x - mean;
                        mean += delta / f64::from(i);
                        squares += delta * (x - mean);
                    }
                    [mean, squares / f64::from(n - 1)]
                };
                x.chunks(n as usize).flat_map(welford).collect()
            }),
        ),
    ]
}
