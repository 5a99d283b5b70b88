//! Atomics of all kinds.

use super::super::case::{Case, Check, Input};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "atomics_u32",
            2,
            64,
            0,
            Input::Words(128),
            44,
            Check::Words(|x, _| {
                let mut out = vec![0_u32; 44];
                for (i, &x) in x.iter().enumerate() {
                    let (i, cell) = (i % 4, |k: usize| 4 * k + i % 4);
                    out[cell(0)] = out[cell(0)].wrapping_add(x);
                    out[cell(1)] = out[cell(1)].wrapping_sub(x);
                    out[cell(3)] = out[cell(3)].max(x);
                    out[cell(5)] |= x & 0x1111_1111 << i;
                    out[cell(6)] ^= x;
                    out[cell(7)] = if out[cell(7)] >= 40 { 0 } else { out[cell(7)] + 1 };
                    out[cell(8)] = if out[cell(8)] == 0 { 25 } else { out[cell(8)] - 1 };
                    out[cell(9)] = 7 + i as u32;
                    out[cell(10)] = 3 * i as u32;
                }
                out
            }),
        ),
        Case::new(
            "atomics_i32",
            2,
            64,
            0,
            Input::Words(128),
            28,
            Check::Words(|x, _| {
                let mut out = [0_i32; 28];
                for (i, &x) in x.iter().enumerate() {
                    let (x, cell) = (x as i32, |k: usize| 4 * k + i % 4);
                    out[cell(0)] = out[cell(0)].wrapping_add(x);
                    out[cell(1)] = out[cell(1)].wrapping_sub(x);
                    out[cell(2)] = out[cell(2)].min(x);
                    out[cell(3)] = out[cell(3)].max(x);
                    out[cell(5)] |= x;
                    out[cell(6)] ^= x;
                }
                out.map(|x| x as u32).to_vec()
            }),
        ),
        Case::new(
            "atomics_u64",
            2,
            64,
            0,
            Input::Words(256),
            40,
            Check::Words64(|x, _| {
                let mut out = vec![0_u64; 20];
                for (i, &x) in x.iter().enumerate() {
                    let cell = |k: usize| 2 * k + i % 2;
                    out[cell(0)] = out[cell(0)].wrapping_add(x);
                    out[cell(2)] = out[cell(2)].max(x);
                    out[cell(4)] |= x & 0x0101_0101_0101_0101;
                    out[cell(5)] ^= x;
                    out[cell(6)] = 5 << 40;
                    out[cell(7)] = !0;
                    out[cell(8)] = (out[cell(8)] as i64).min(x as i64) as u64;
                    out[cell(9)] = (out[cell(9)] as i64).max(x as i64) as u64;
                }
                out
            }),
        ),
        Case::new(
            "atomics_float",
            2,
            64,
            0,
            Input::Words(128),
            12,
            Check::Words(|x, _| {
                let (mut single, mut real) = ([0.0_f32; 4], [0.0_f64; 2]);
                for (i, &x) in x.iter().enumerate() {
                    single[i % 4] += (x >> 24) as f32;
                    real[i % 2] += f64::from(x >> 8) * 0.5;
                }
                let mut out: Vec<u32> = single.iter().map(|x| x.to_bits()).collect();
                out.extend(bytemuck::cast_slice::<f64, u32>(&real));
                out.extend([2.5_f32.to_bits(), 0, 0, 0]);
                out
            }),
        ),
        Case::new("atomics_shared", 2, 64, 0, Input::Words(128), 40, Check::Digest),
        Case::new(
            "atomics_cas_loop",
            2,
            64,
            0,
            Input::F32(128),
            4,
            Check::Words(|x, _| {
                let most = x.iter().map(|&x| f32::from_bits(x)).fold(0.0, f32::max);
                let product = (0..128).fold(1_u64, |product, i| product.wrapping_mul(2 * i + 1));
                vec![most.to_bits(), 0, product as u32, (product >> 32) as u32]
            }),
        ),
        Case::new(
            "atomics_16",
            2,
            64,
            0,
            Input::Words(1),
            2,
            Check::Words(|_, _| vec![0x60_0060; 2]),
        ),
        Case::new("atomics_scoped", 4, 64, 0, Input::Words(256), 21, Check::Digest),
        Case::new(
            "spin_lock",
            4,
            32,
            10,
            Input::Words(40),
            2,
            Check::Words(|x, _| vec![0, x.iter().fold(0, |sum, x| sum.wrapping_add(*x))]),
        ),
        Case::new(
            "last_block",
            4,
            64,
            0,
            Input::Words(256),
            6,
            Check::Words(|x, _| {
                let sum = |block: &[u32]| block.iter().fold(0, |sum: u32, x| sum.wrapping_add(*x));
                let sums: Vec<u32> = x.chunks(64).map(sum).collect();
                let all =
                    sums.iter().fold(0_u32, |all, sum| all.wrapping_mul(31).wrapping_add(*sum));
                [&[0, all], &sums[..]].concat()
            }),
        ),
    ]
}
