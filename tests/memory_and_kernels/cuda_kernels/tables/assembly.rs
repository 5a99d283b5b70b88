//! Instructions that the compiler seldom chooses.

use super::super::case::{Case, Check, Input};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new("rare_integer", 2, 64, 0, Input::Words(256), 3840, Check::Digest),
        Case::new("rare_float", 4, 64, 0, Input::Words(512), 5888, Check::Digest),
        Case::new(
            "barrier_votes",
            2,
            64,
            0,
            Input::Words(128),
            640,
            Check::Words(|x, _| {
                let row = |i: usize| {
                    let (block, warp) = (&x[i / 64 * 64..][..64], &x[i / 32 * 32..][..32]);
                    [
                        block.iter().filter(|x| **x & 1 == 1).count() as u32,
                        block.iter().all(|x| x % 50 != 0).into(),
                        block.iter().any(|x| x % 50 == 0).into(),
                        block.iter().filter(|x| **x > 0x8000_0000).count() as u32,
                        warp.iter().any(|x| x & 0xf800_0000 != 0).into(),
                    ]
                };
                (0..128).flat_map(row).collect()
            }),
        ),
        Case::new(
            "memory_order",
            2,
            64,
            0,
            Input::Words(128),
            136,
            Check::Words(|x, _| {
                let sum = |x: &[u32]| x.iter().fold(0, |sum: u32, x| sum.wrapping_add(*x));
                let most = x.iter().map(|&x| x as i32).max().unwrap() as u32;
                let single: f32 = x.iter().map(|x| (x >> 28) as f32).sum();
                let mut out =
                    vec![sum(x), most, x.iter().fold(0, |all, x| all ^ x), single.to_bits()];
                out.extend([x.iter().fold(0, |all, x| all | x & 0xff), 0, 0, 0]);
                out.extend((0..128).map(|i| (x[i] ^ sum(&x[i / 64 * 64..][..64])).wrapping_add(1)));
                out
            }),
        ),
        Case::new(
            "async_copy",
            1,
            32,
            0,
            Input::Words(384),
            128,
            Check::Words(|x, _| {
                let third = |i: usize| match i % 8 {
                    4 | 5 => x[256 + i],
                    0 | 1 => 0,
                    _ => 7,
                };
                let value = |i: usize| {
                    let (t, k) = (i / 4, i % 4);
                    let second = x[128 + (4 * t + 31 + k) % 128].wrapping_mul(3);
                    x[127 - i].wrapping_add(second).wrapping_add(third(i).wrapping_mul(5))
                };
                (0..128).map(value).collect()
            }),
        ),
        Case::new(
            "jump_table",
            1,
            64,
            0,
            Input::Words(64),
            64,
            Check::Words(|x, _| {
                let jump = |&x: &u32| match x & 3 {
                    0 => x.wrapping_add(5) ^ 12345,
                    1 => 5 ^ 12345,
                    2 => x.wrapping_mul(17).wrapping_sub(1),
                    _ => 4,
                };
                x.iter().map(jump).collect()
            }),
        ),
    ]
}
