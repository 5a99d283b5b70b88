//! Integers and their bits.

use super::super::case::{Case, Check, Input};

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "bits_u32",
            2,
            128,
            0,
            Input::Words(512),
            4096,
            Check::Words(|x, _| {
                let row = |x: &[u32]| {
                    let (a, b) = (x[0], x[1]);
                    let (both, shift) = (u64::from(b) << 32 | u64::from(a), b & 31);
                    let first = (a << shift).trailing_zeros();
                    let bytes: [u8; 8] = both.to_le_bytes();
                    let chosen = |i: u32| bytes[(b >> (16 + 4 * i) & 7) as usize];
                    [
                        a.count_ones(),
                        (a >> shift).leading_zeros(),
                        if first == 32 { 0 } else { first + 1 },
                        a.reverse_bits(),
                        u32::from_le_bytes([0, 1, 2, 3].map(chosen)),
                        (both << (a >> 27) >> 32) as u32,
                        (both >> (b >> 27)) as u32,
                        (both << (a & 63).min(32) >> 32) as u32,
                        (both >> (b & 63).min(32)) as u32,
                        a << shift | a >> ((32 - shift) % 32),
                        a & b ^ !a & (a >> 3 | b),
                        a & a.wrapping_neg(),
                        (a as i32 >> shift) as u32,
                        a ^ a >> 1,
                        a >> 5 & 0x3ff,
                        a & !0xff00 | (b & 0xff) << 8,
                    ]
                };
                x.chunks(2).flat_map(row).collect()
            }),
        ),
        Case::new(
            "bits_u64",
            2,
            64,
            0,
            Input::Words(512),
            2560,
            Check::Words64(|x, _| {
                let row = |x: &[u64]| {
                    let (a, b) = (x[0], x[1]);
                    let shift = b & 63;
                    let first = u64::from((a << shift).trailing_zeros());
                    [
                        a.count_ones().into(),
                        (a >> shift).leading_zeros().into(),
                        if first == 64 { 0 } else { first + 1 },
                        a.reverse_bits(),
                        a << shift,
                        a >> shift,
                        (a as i64 >> shift) as u64,
                        (a ^ b) & !(a | b >> 9),
                        a.rotate_left(17),
                        a >> 12 & 0xfffff | (b & 0xfff) << 20,
                    ]
                };
                x.chunks(2).flat_map(row).collect()
            }),
        ),
        Case::new("arithmetic_i32", 2, 128, 0, Input::Words(512), 4096, Check::Digest),
        Case::new("arithmetic_i64", 2, 64, 0, Input::Words(512), 3584, Check::Digest),
        Case::new(
            "arithmetic_128",
            2,
            64,
            0,
            Input::Words(1024),
            3072,
            Check::Words64(|x, _| {
                let row = |(i, x): (usize, &[u64])| {
                    let wide = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
                    let (a, b) = (wide(x[0], x[1]), wide(x[2], x[3]) >> (i % 128));
                    let results = [
                        a.wrapping_add(b),
                        a.wrapping_sub(b),
                        a.wrapping_mul(b),
                        a.checked_div(b).unwrap_or(0),
                        a.checked_rem(b).unwrap_or(0),
                        a << (x[1] & 127),
                    ];
                    results.into_iter().flat_map(|x| [(x >> 64) as u64, x as u64])
                };
                x.chunks(4).enumerate().flat_map(row).collect()
            }),
        ),
        Case::new(
            "carries",
            2,
            64,
            0,
            Input::Words(1024),
            1536,
            Check::Words(|x, _| {
                let wide =
                    |x: &[u32]| x.iter().rev().fold(0_u128, |wide, &x| wide << 32 | u128::from(x));
                let row = |x: &[u32]| {
                    let (a, b) = (wide(&x[..4]), wide(&x[4..]));
                    let product = u128::from(a as u64) * u128::from(b as u64);
                    let results = [a.wrapping_add(b), a.wrapping_sub(b), product];
                    results
                        .into_iter()
                        .flat_map(|x| [0, 32, 64, 96].map(|shift| (x >> shift) as u32))
                };
                x.chunks(8).flat_map(row).collect()
            }),
        ),
        Case::new(
            "carry_flag",
            2,
            64,
            0,
            Input::Words(256),
            768,
            Check::Words(|x, _| {
                let row = |x: &[u32]| {
                    let (a, b) = (x[0], x[1]);
                    let (kept, carry) = (u32::from(a >= b), u32::from(a.checked_add(b).is_none()));
                    let product = u32::from(a.wrapping_mul(b).checked_add(a).is_none());
                    let twice = u32::from(u64::from(b) >= u64::from(a) + u64::from(1 - kept));
                    [kept, kept.wrapping_sub(1), carry, carry.wrapping_sub(1), product, twice]
                };
                x.chunks(2).flat_map(row).collect()
            }),
        ),
        Case::new("dot_products", 2, 64, 0, Input::Words(256), 768, Check::Digest),
        Case::new("simd_in_a_word", 2, 64, 0, Input::Words(256), 2304, Check::Digest),
        Case::new("narrow", 2, 64, 0, Input::Words(256), 1280, Check::Digest),
        Case::new(
            "square_root",
            1,
            128,
            0,
            Input::Words(128),
            128,
            Check::Words(|x, _| x.iter().map(|x| x.isqrt()).collect()),
        ),
        Case::new(
            "gcd",
            1,
            128,
            0,
            Input::Words(256),
            128,
            Check::Words(|x, _| {
                fn gcd(a: u32, b: u32) -> u32 {
                    if b == 0 { a } else { gcd(b, a % b) }
                }
                x.chunks(2).map(|x| gcd(x[0], x[1] >> 8)).collect()
            }),
        ),
        Case::new(
            "power_mod",
            1,
            64,
            0,
            Input::Words(192),
            64,
            Check::Words(|x, _| {
                let power = |x: &[u32]| {
                    let m = u64::from(x[2] | 1);
                    let bits = (0..32).rev().map(|bit| x[1] >> bit & 1 == 1);
                    bits.fold(1, |p, bit| p * p % m * if bit { u64::from(x[0]) % m } else { 1 } % m)
                        as u32
                };
                x.chunks(3).map(power).collect()
            }),
        ),
        Case::new(
            "collatz",
            1,
            64,
            200,
            Input::Words(64),
            64,
            Check::Words(|x, n| {
                let steps = |x: &u32| {
                    let next = |x: &u64| Some(if x % 2 == 1 { 3 * x + 1 } else { x / 2 });
                    std::iter::successors(Some(u64::from(x >> 12 | 1)), next)
                        .position(|x| x == 1)
                        .unwrap()
                };
                x.iter().map(|x| (steps(x) as u32).min(n)).collect()
            }),
        ),
        Case::new(
            "morton",
            1,
            64,
            0,
            Input::Words(128),
            128,
            Check::Words(|x, _| {
                let mixed = |x: &[u32]| {
                    let bit = |word: u32, i: u32| u64::from(word >> i & 1);
                    let all = (0..32).fold(0, |all, i| {
                        all | bit(x[0], i) << (2 * i) | bit(x[1], i) << (2 * i + 1)
                    });
                    [all as u32, (all >> 32) as u32]
                };
                x.chunks(2).flat_map(mixed).collect()
            }),
        ),
        Case::new(
            "is_prime",
            1,
            128,
            0,
            Input::Words(128),
            128,
            Check::Words(|x, _| {
                let prime =
                    |p: u32| p > 2 && (3..=p.isqrt()).step_by(2).all(|d| !p.is_multiple_of(d));
                x.iter().zip(0..).map(|(x, i)| prime(x >> (i % 24) | 1).into()).collect()
            }),
        ),
        Case::new("bit_fields", 2, 64, 0, Input::Words(256), 896, Check::Digest),
    ]
}
