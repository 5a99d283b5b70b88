//! The approximate instructions, within the error that PTX allows them.

use super::super::case::{Case, Check, Input};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "fast_exponentials",
            1,
            128,
            0,
            Input::F32(128),
            768,
            Check::Near(2e-5, |x, _| {
                let row = |&x: &f32| {
                    let positive = f64::from(x.abs() * 8.0 + 0.125);
                    let x = f64::from(x);
                    [
                        (x * 8.0).exp2(),
                        (x * 5.0).exp(),
                        positive.log2(),
                        positive.ln(),
                        positive.powf(x),
                        10_f64.powf(x),
                    ]
                };
                x.iter().flat_map(row).collect()
            }),
        ),
        Case::new(
            "fast_roots",
            1,
            128,
            0,
            Input::F32(128),
            640,
            Check::Near(1e-6, |x, _| {
                let row = |&x: &f32| {
                    let positive = f64::from(x.abs() * 100.0 + 0.01);
                    let quotient = f64::from(x) / positive;
                    [1.0 / positive.sqrt(), positive.sqrt(), 1.0 / positive, quotient, quotient]
                };
                x.iter().flat_map(row).collect()
            }),
        ),
        // tanh.approx: 2^-11 of the result.
        Case::new(
            "fast_circle",
            1,
            128,
            0,
            Input::F32(128),
            384,
            Check::Near(5e-4, |x, _| {
                x.iter()
                    .map(|&x| f64::from(x * 3.0))
                    .flat_map(|x| [x.sin(), x.cos(), x.tanh()])
                    .collect()
            }),
        ),
        Case::new(
            "fast_tanh",
            1,
            128,
            0,
            Input::F32(128),
            128,
            Check::Near(5e-4, |x, _| x.iter().map(|&x| f64::from(x * 4.0).tanh()).collect()),
        ),
        Case::new(
            "neurons",
            1,
            32,
            0,
            Input::F32(256),
            256,
            Check::Near(1e-5, |x, _| {
                let layers: [[&[f64]; 8]; 2] = [
                    [
                        &[0.1, -0.4, 0.3, 0.9],
                        &[0.7],
                        &[-0.2, 0.5, 0.5],
                        &[1.0, 1.0, -1.0],
                        &[0.25],
                        &[-0.75, 0.5],
                        &[0.0, 0.0, 0.0, 2.0],
                        &[0.0, 1.5],
                    ],
                    [
                        &[1.0, 0.2, -0.3, 0.4, -0.5, 0.6, -0.7, 0.8],
                        &[0.5, 0.5],
                        &[-1.0],
                        &[0.0, -1.0],
                        &[0.0, 0.0, 1.0],
                        &[0.0, 0.0, 0.0, 1.0],
                        &[0.3, 0.3, 0.3],
                        &[2.0],
                    ],
                ];
                let run = |x: &[f32]| {
                    let start: Vec<f64> = x.iter().map(|&x| x.into()).collect();
                    layers.iter().fold(start, |x, layer| {
                        let sum = |row: &[f64]| row.iter().zip(&x).map(|(a, b)| a * b).sum::<f64>();
                        layer.iter().map(|row| 1.0 / (1.0 + (-sum(row)).exp())).collect()
                    })
                };
                x.chunks(8).flat_map(run).collect()
            }),
        ),
        Case::new(
            "softmax",
            2,
            64,
            0,
            Input::F32(128),
            128,
            Check::Near(2e-6, |x, _| {
                let share = |x: &[f32]| {
                    let weights: Vec<f64> = x.iter().map(|&x| (f64::from(x) * 4.0).exp()).collect();
                    let sum: f64 = weights.iter().sum();
                    weights.into_iter().map(move |x| x / sum)
                };
                x.chunks(32).flat_map(share).collect()
            }),
        ),
    ]
}
