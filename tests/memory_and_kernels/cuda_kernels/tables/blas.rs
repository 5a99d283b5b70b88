//! Vectors and matrices times vectors.

use super::super::case::{Case, Check, Input};

/// A row of a matrix times a vector, from the left to the right.
fn product<'a>(row: impl Iterator<Item = &'a f32>, x: &[f32]) -> f32 {
    row.zip(x).fold(0.0, |sum, (a, x)| a.mul_add(*x, sum))
}

/// The sum of a power of two of elements, half on half.
pub(crate) fn tree(values: &[f32]) -> f32 {
    let mut values = values.to_vec();
    while values.len() > 1 {
        let (low, high) = values.split_at(values.len() / 2);
        values = low.iter().zip(high).map(|(a, b)| a + b).collect();
    }
    values[0]
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "saxpy",
            8,
            128,
            1000,
            Input::F32(2000),
            1000,
            Check::F32(|x, n| {
                let (x, y) = x.split_at(n as usize);
                x.iter().zip(y).map(|(x, y)| 3.0_f32.mul_add(*x, *y)).collect()
            }),
        ),
        Case::new(
            "daxpy",
            2,
            96,
            500,
            Input::F64(1000),
            1000,
            Check::F64(|x, n| {
                let (x, y) = x.split_at(n as usize);
                x.iter().zip(y).map(|(x, y)| (-0.75_f64).mul_add(*x, *y)).collect()
            }),
        ),
        Case::new(
            "sdot",
            5,
            128,
            600,
            Input::F32(1200),
            5,
            Check::F32(|x, n| {
                let (x, y) = x.split_at(n as usize);
                let mut products: Vec<f32> = x.iter().zip(y).map(|(x, y)| x * y).collect();
                products.resize(640, 0.0);
                products.chunks(128).map(tree).collect()
            }),
        ),
        Case::new(
            "sscal_stride",
            4,
            128,
            500,
            Input::F32(500),
            500,
            Check::F32(|x, _| {
                x.iter().enumerate().map(|(i, x)| if i % 3 == 0 { x * -2.5 } else { *x }).collect()
            }),
        ),
        Case::new(
            "srot",
            4,
            128,
            500,
            Input::F32(1000),
            1000,
            Check::F32(|x, n| {
                let (x, y) = x.split_at(n as usize);
                let first = x.iter().zip(y).map(|(x, y)| 0.8 * x + 0.6 * y);
                first.chain(x.iter().zip(y).map(|(x, y)| 0.8 * y - 0.6 * x)).collect()
            }),
        ),
        Case::new(
            "isamax",
            1,
            128,
            1000,
            Input::F32(1000),
            1,
            Check::Words(|x, _| {
                let size = |i: usize| f32::from_bits(x[i]).abs();
                let best = (0..x.len()).reduce(|a, b| if size(b) > size(a) { b } else { a });
                vec![best.unwrap() as u32]
            }),
        ),
        Case::new(
            "snrm2",
            2,
            32,
            20,
            Input::F32(1280),
            64,
            Check::F32(|x, n| {
                x.chunks(n as usize).map(|row| product(row.iter(), row).sqrt()).collect()
            }),
        ),
        Case::new(
            "sgemv",
            2,
            32,
            50,
            Input::F32(2550),
            50,
            Check::F32(|a, n| {
                let (a, x) = a.split_at((n * n) as usize);
                a.chunks(n as usize).map(|row| product(row.iter(), x)).collect()
            }),
        ),
        Case::new(
            "sgemv_t",
            2,
            32,
            50,
            Input::F32(2550),
            50,
            Check::F32(|a, n| {
                let (a, x) = a.split_at((n * n) as usize);
                (0..n as usize).map(|i| product(a[i..].iter().step_by(n as usize), x)).collect()
            }),
        )
        .shared(200),
        Case::new(
            "sger",
            (3, 5),
            (16, 8),
            40,
            Input::F32(1680),
            1600,
            Check::F32(|a, n| {
                let n = n as usize;
                let (x, y) = a[n * n..].split_at(n);
                (0..n * n).map(|i| (2.0 * x[i / n]).mul_add(y[i % n], a[i])).collect()
            }),
        ),
        Case::new(
            "strsv",
            1,
            48,
            48,
            Input::F64(48 * 49),
            96,
            Check::F64(|a, n| {
                let n = n as usize;
                let mut x = a[n * n..].to_vec();
                for k in 0..n {
                    for row in k + 1..n {
                        x[row] = (-a[row * n + k]).mul_add(x[k], x[row]);
                    }
                }
                x
            }),
        ),
    ]
}
