//! Dense and sparse matrices.

use super::super::case::{Case, Check, Input};

fn transposed(x: &[u32], n: u32) -> Vec<u32> {
    let n = n as usize;
    (0..n * n).map(|i| x[i % n * n + i / n]).collect()
}

fn product(x: &[f32], n: u32) -> Vec<f32> {
    let n = n as usize;
    let (a, b) = x.split_at(n * n);
    let element =
        |i: usize| (0..n).fold(0.0_f32, |sum, k| a[i / n * n + k].mul_add(b[k * n + i % n], sum));
    (0..n * n).map(element).collect()
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "transpose_naive",
            (3, 5),
            (16, 8),
            40,
            Input::Words(1600),
            1600,
            Check::Words(transposed),
        ),
        Case::new(
            "transpose_tiled",
            (3, 3),
            (16, 4),
            40,
            Input::Words(1600),
            1600,
            Check::Words(transposed),
        ),
        Case::new("matmul_naive", (2, 4), (16, 8), 28, Input::F32(1568), 784, Check::F32(product)),
        Case::new("matmul_tiled", (2, 2), (16, 16), 28, Input::F32(1568), 784, Check::F32(product)),
        Case::new(
            "matmul_f64",
            (3, 3),
            (8, 8),
            20,
            Input::F64(800),
            800,
            Check::F64(|x, n| {
                let n = n as usize;
                let (a, b) = x.split_at(n * n);
                let element = |i: usize| {
                    (0..n).fold(0.0_f64, |sum, k| a[i / n * n + k].mul_add(b[k * n + i % n], sum))
                };
                (0..n * n).map(element).collect()
            }),
        ),
        Case::new(
            "matmul_registers",
            (2, 2),
            (4, 8),
            32,
            Input::F32(2048),
            1024,
            Check::F32(product),
        ),
        Case::new(
            "matmul_dp4a",
            1,
            (16, 16),
            8,
            Input::Words(256),
            256,
            Check::Words(|x, n| {
                let bytes: &[i8] = bytemuck::cast_slice(x);
                let row = 4 * n as usize;
                let (a, b) = bytes.split_at(16 * row);
                let element = |i: usize| {
                    let (a, b) = (&a[i / 16 * row..][..row], &b[i % 16 * row..][..row]);
                    a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum::<i32>() as u32
                };
                (0..256).map(element).collect()
            }),
        ),
        Case::new(
            "lu",
            1,
            (12, 12),
            12,
            Input::F64(144),
            288,
            Check::F64(|x, n| {
                let n = n as usize;
                let mut a = x.to_vec();
                (0..n).for_each(|i| a[i * n + i] += 20.0);
                for k in 0..n - 1 {
                    for y in k + 1..n {
                        a[y * n + k] /= a[k * n + k];
                        for x in k + 1..n {
                            a[y * n + x] = (-a[y * n + k]).mul_add(a[k * n + x], a[y * n + x]);
                        }
                    }
                }
                a
            }),
        ),
        Case::new(
            "cholesky",
            1,
            32,
            0,
            Input::F32(2048),
            2048,
            Check::F32(|x, _| {
                let factor = |a: &[f32]| {
                    let mut l = [0.0_f32; 64];
                    for i in 0..8 {
                        for j in 0..=i {
                            let mut sum = if i == j { 4.0 } else { 0.0 };
                            sum =
                                (0..8).fold(sum, |sum, k| a[i * 8 + k].mul_add(a[j * 8 + k], sum));
                            sum = (0..j)
                                .fold(sum, |sum, k| (-l[i * 8 + k]).mul_add(l[j * 8 + k], sum));
                            l[i * 8 + j] = if i == j { sum.sqrt() } else { sum / l[j * 8 + j] };
                        }
                    }
                    l
                };
                x.chunks(64).flat_map(factor).collect()
            }),
        ),
        Case::new(
            "inverse_3x3",
            1,
            64,
            50,
            Input::F64(450),
            900,
            Check::F64(|x, _| {
                let inverse = |m: &[f64]| {
                    let mut c = [0.0; 9];
                    for i in 0..3 {
                        for j in 0..3 {
                            let (a, b, p, q) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
                            c[j * 3 + i] =
                                m[a * 3 + p] * m[b * 3 + q] - m[a * 3 + q] * m[b * 3 + p];
                        }
                    }
                    let determinant = (0..3).fold(0.0, |sum, j| m[j].mul_add(c[j * 3], sum));
                    c.map(|c| c / determinant)
                };
                x.chunks(9).flat_map(inverse).collect()
            }),
        ),
        Case::new(
            "spmv_csr",
            2,
            64,
            100,
            Input::F32(100),
            100,
            Check::F32(|x, n| {
                let row = |row: u32| {
                    let end = 3 * row + if row.is_multiple_of(4) { 1 } else { 3 };
                    (3 * row..end).fold(0.0_f32, |sum, k| {
                        let column = (k.wrapping_mul(2_654_435_761) >> 8) % n;
                        x[(k % n) as usize].mul_add(x[column as usize], sum)
                    })
                };
                (0..n).map(row).collect()
            }),
        ),
        Case::new(
            "spmv_ell",
            4,
            64,
            256,
            Input::Words(256),
            64,
            Check::Words(|x, n| {
                let product =
                    |word: &u32| (word & 0xff).wrapping_mul(x[((word >> 8) % n) as usize]);
                x.chunks(4).map(|row| row.iter().map(product).fold(0, u32::wrapping_add)).collect()
            }),
        ),
        Case::new(
            "jacobi",
            1,
            24,
            24,
            Input::F64(600),
            48,
            Check::F64(|a, n| {
                let n = n as usize;
                let mut x = vec![0.0; n];
                for _ in 0..8 {
                    let row = |row: usize| {
                        let others = (0..n).filter(|&k| k != row);
                        others.fold(a[n * n + row], |sum, k| sum - a[row * n + k] * x[k]) / 40.0
                    };
                    x = (0..n).map(row).collect();
                }
                x
            }),
        ),
        Case::new(
            "matrix_power",
            1,
            64,
            0,
            Input::Words(64),
            64,
            Check::Words(|x, _| {
                // Fibonacci's numbers, by doubling.
                const M: u64 = 1_000_000_007;
                fn pair(n: u32) -> (u64, u64) {
                    if n == 0 {
                        return (0, 1);
                    }
                    let (a, b) = pair(n / 2);
                    let c = a * ((2 * b + M - a) % M) % M;
                    let d = (a * a + b * b) % M;
                    if n.is_multiple_of(2) { (c, d) } else { (d, (c + d) % M) }
                }
                x.iter().map(|&n| pair(n).0 as u32).collect()
            }),
        ),
    ]
}
