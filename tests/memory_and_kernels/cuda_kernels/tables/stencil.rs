//! Neighbourhoods on grids.

use super::super::case::{Case, Check, Input, packed};

/// The nine around a place of a torus of n x n, row by row.
fn around(x: &[u32], n: usize, place: usize) -> [u32; 9] {
    let at = |i: usize| x[(place / n + i / 3 + n - 1) % n * n + (place % n + i % 3 + n - 1) % n];
    std::array::from_fn(at)
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "stencil_1d",
            3,
            128,
            350,
            Input::Words(350),
            350,
            Check::Words(|x, n| {
                let at = |i: i64| if (0..i64::from(n)).contains(&i) { x[i as usize] } else { 0 };
                let sum = |i: i64| {
                    (-3..=3_i64).fold(0_u32, |sum, k| {
                        sum.wrapping_add(at(i + k).wrapping_mul(4 - k.unsigned_abs() as u32))
                    })
                };
                (0..n.into()).map(sum).collect()
            }),
        ),
        Case::new(
            "heat_2d",
            1,
            (16, 16),
            16,
            Input::F32(256),
            256,
            Check::F32(|x, _| {
                let mut a = x.to_vec();
                for _ in 0..4 {
                    let b = a.clone();
                    for i in (0..256)
                        .filter(|i| (1..15).contains(&(i / 16)) && (1..15).contains(&(i % 16)))
                    {
                        let sum = (b[i - 16] + b[i + 16]) + (b[i - 1] + b[i + 1]) - 4.0 * b[i];
                        a[i] = 0.2_f32.mul_add(sum, b[i]);
                    }
                }
                a
            }),
        ),
        Case::new(
            "laplace_3d",
            (1, 2, 4),
            (8, 4, 2),
            8,
            Input::F64(512),
            1024,
            Check::F64(|a, _| {
                let at = |x: usize, y: usize, z: usize| {
                    let inside = x < 8 && y < 8 && z < 8;
                    if inside { a[(z * 8 + y) * 8 + x] } else { 0.0 }
                };
                let value = |i: usize| {
                    let (x, y, z) = (i % 8, i / 8 % 8, i / 64);
                    let before = |x: usize| x.wrapping_sub(1);
                    at(before(x), y, z)
                        + at(x + 1, y, z)
                        + at(x, before(y), z)
                        + at(x, y + 1, z)
                        + at(x, y, before(z))
                        + at(x, y, z + 1)
                        - 6.0 * at(x, y, z)
                };
                (0..512).map(value).collect()
            }),
        ),
        Case::new(
            "game_of_life",
            (2, 4),
            (16, 8),
            32,
            Input::Words(1024),
            1024,
            Check::Words(|x, n| {
                let alive = |i: usize| {
                    let cells = around(x, n as usize, i).map(|x| x >> 31);
                    let others = cells.iter().sum::<u32>() - cells[4];
                    u32::from(others == 3 || cells[4] == 1 && others == 2)
                };
                (0..1024).map(alive).collect()
            }),
        ),
        Case::new(
            "convolve",
            (2, 4),
            (16, 8),
            32,
            Input::F32(1024),
            1024,
            Check::F32(|x, n| {
                let weights = [1.0_f32, 4.0, 6.0, 4.0, 1.0];
                let at = |i: usize, d: usize| (i + d).saturating_sub(2).min(n as usize - 1);
                let blur = |i: usize| {
                    let mut sum = 0.0_f32;
                    for k in 0..25 {
                        let place = at(i / 32, k / 5) * 32 + at(i % 32, k % 5);
                        sum = (weights[k / 5] * weights[k % 5]).mul_add(x[place], sum);
                    }
                    sum * (1.0 / 256.0)
                };
                (0..1024).map(blur).collect()
            }),
        ),
        Case::new(
            "sobel",
            (2, 4),
            (16, 8),
            32,
            Input::Words(1024),
            256,
            Check::Words(|x, n| {
                let edge = |i: usize| {
                    let a = around(x, n as usize, i).map(|x| (x >> 24) as i32);
                    let across = a[2] + 2 * a[5] + a[8] - a[0] - 2 * a[3] - a[6];
                    let down = a[6] + 2 * a[7] + a[8] - a[0] - 2 * a[1] - a[2];
                    (across.abs() + down.abs()).min(255) as u8
                };
                let bytes: Vec<u8> = (0..1024).map(edge).collect();
                packed(&bytes)
            }),
        ),
        Case::new(
            "median",
            (1, 2),
            (16, 8),
            16,
            Input::Words(256),
            256,
            Check::Words(|x, n| {
                let middle = |i: usize| {
                    let mut nine = around(x, n as usize, i).map(|x| x as i32);
                    nine.sort_unstable();
                    nine[4] as u32
                };
                (0..256).map(middle).collect()
            }),
        ),
        Case::new(
            "box_blur",
            1,
            32,
            40,
            Input::Words(1280),
            640,
            Check::Words(|x, n| {
                let n = n as usize;
                let blur = |i: usize| {
                    let (row, i) = (&x[i / n * n..][..n], i % n);
                    let sum: u32 =
                        row[i.saturating_sub(4)..n.min(i + 5)].iter().map(|x| x >> 20).sum();
                    (sum / 9) as u16
                };
                let blurred: Vec<u16> = (0..x.len()).map(blur).collect();
                packed(&blurred)
            }),
        ),
    ]
}
