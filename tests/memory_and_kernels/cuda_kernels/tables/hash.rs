//! Digests, check sums, ciphers and strings.

use super::super::case::{Case, Check, Input};

/// CRC-32 of the `n` bytes that each thread has.
fn crc32(x: &[u32], n: u32) -> Vec<u32> {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    };
    let bytes: &[u8] = bytemuck::cast_slice(x);
    bytes.chunks(n as usize).map(|part| !part.iter().fold(!0, step)).collect()
}

/// The first 32 bits of the fractions of the cube roots of the first 64 primes.
fn sha256_constants() -> Vec<u32> {
    let prime = |p: &u128| (2..*p).all(|d| !p.is_multiple_of(d));
    let root = |p: u128| {
        // The greatest r with r^3 <= p * 2^96.
        (0..40).rev().fold(0_u128, |r, bit| {
            let next = r | 1 << bit;
            if next * next * next <= p << 96 { next } else { r }
        }) as u32
    };
    (2..312).filter(prime).map(root).collect()
}

fn sha256(x: &[u32], n: u32) -> Vec<u32> {
    let k = sha256_constants();
    let one = |message: &[u32]| {
        let start = [
            0x6a09_e667,
            0xbb67_ae85,
            0x3c6e_f372,
            0xa54f_f53a,
            0x510e_527f,
            0x9b05_688c,
            0x1f83_d9ab,
            0x5be0_cd19_u32,
        ];
        let mut w = message.to_vec();
        w.push(0x8000_0000);
        w.resize(15, 0);
        w.push(32 * n);
        for i in 16..64 {
            let (a, b) = (w[i - 15], w[i - 2]);
            let a = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
            let b = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
            w.push(w[i - 16].wrapping_add(w[i - 7]).wrapping_add(a).wrapping_add(b));
        }
        let mut s = start;
        for i in 0..64 {
            let [a, b, c, d, e, f, g, h] = s;
            let t1 = h
                .wrapping_add(e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25))
                .wrapping_add(e & f ^ !e & g)
                .wrapping_add(k[i])
                .wrapping_add(w[i]);
            let t2 = (a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22))
                .wrapping_add(a & b ^ a & c ^ b & c);
            s = [t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g];
        }
        std::array::from_fn::<u32, 8, _>(|i| start[i].wrapping_add(s[i]))
    };
    x.chunks(n as usize).flat_map(one).collect()
}

fn md5(x: &[u32], n: u32) -> Vec<u32> {
    let k: Vec<u32> =
        (1..=64).map(|i| (f64::from(i).sin().abs() * 4_294_967_296.0) as u32).collect();
    let turns = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let one = |message: &[u32]| {
        let mut w = message.to_vec();
        w.push(0x80);
        w.resize(14, 0);
        w.extend([32 * n, 0]);
        let start = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476_u32];
        let [mut a, mut b, mut c, mut d] = start;
        for i in 0..64 {
            let (f, g) = match i / 16 {
                0 => (b & c | !b & d, i),
                1 => (d & b | !d & c, 5 * i + 1),
                2 => (b ^ c ^ d, 3 * i + 5),
                _ => (c ^ (b | !d), 7 * i),
            };
            let sum = a.wrapping_add(f).wrapping_add(k[i]).wrapping_add(w[g % 16]);
            (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(turns[i / 16][i % 4])));
        }
        [a, b, c, d].iter().zip(start).map(|(x, y)| x.wrapping_add(y)).collect::<Vec<_>>()
    };
    x.chunks(n as usize).flat_map(one).collect()
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case::new("sha256", 1, 64, 10, Input::Words(640), 512, Check::Words(sha256)),
        Case::new("md5", 1, 64, 12, Input::Words(768), 256, Check::Words(md5)),
        Case::new("crc32", 1, 64, 20, Input::Words(320), 64, Check::Words(crc32)),
        Case::new("crc32_table", 1, 64, 20, Input::Words(320), 64, Check::Words(crc32)),
        Case::new(
            "adler32",
            1,
            64,
            20,
            Input::Words(320),
            64,
            Check::Words(|x, n| {
                let bytes: &[u8] = bytemuck::cast_slice(x);
                let sums = |part: &[u8]| {
                    let (a, b) = part.iter().fold((1, 0), |(a, b), byte| {
                        let a = (a + u32::from(*byte)) % 65521;
                        (a, (b + a) % 65521)
                    });
                    b << 16 | a
                };
                bytes.chunks(n as usize).map(sums).collect()
            }),
        ),
        Case::new("murmur3", 1, 64, 10, Input::Words(640), 64, Check::Digest),
        Case::new("siphash", 1, 64, 0, Input::Words(132), 128, Check::Digest),
        Case::new(
            "chacha20",
            1,
            32,
            0,
            Input::Words(11),
            512,
            Check::Words(|x, _| {
                let block = |i: u32| {
                    let mut start = vec![0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];
                    start.extend_from_slice(&x[..8]);
                    start.push(i);
                    start.extend_from_slice(&x[8..]);
                    let mut s = start.clone();
                    for round in 0..80 {
                        let (column, turned) = (round % 4, round / 4 % 2);
                        let [a, b, c, d] =
                            std::array::from_fn(|row| row * 4 + (column + row * turned) % 4);
                        for (to, from, other, by) in
                            [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)]
                        {
                            s[to] = s[to].wrapping_add(s[from]);
                            s[other] = (s[other] ^ s[to]).rotate_left(by);
                        }
                    }
                    s.iter().zip(start).map(|(x, y)| x.wrapping_add(y)).collect::<Vec<_>>()
                };
                (0..32).flat_map(block).collect()
            }),
        ),
        Case::new("aes_sbox", 2, 128, 0, Input::Words(1), 64, Check::Digest),
        Case::new(
            "base64",
            1,
            64,
            0,
            Input::Words(48),
            64,
            Check::Words(|x, _| {
                let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
                let bytes: &[u8] = bytemuck::cast_slice(x);
                let four = |p: &[u8]| {
                    let word = u32::from_be_bytes([0, p[0], p[1], p[2]]);
                    u32::from_le_bytes(
                        [18, 12, 6, 0].map(|shift| letters[(word >> shift & 63) as usize]),
                    )
                };
                bytes.chunks(3).map(four).collect()
            }),
        ),
        Case::new(
            "string_search",
            4,
            128,
            512,
            Input::Words(128),
            513,
            Check::Words(|x, _| {
                let text: Vec<u8> =
                    bytemuck::cast_slice::<u32, u8>(x).iter().map(|x| b'a' + x % 4).collect();
                let found = |i: usize| u32::from(text[i..].starts_with(b"abad"));
                let all: Vec<u32> = (0..text.len()).map(found).collect();
                let blocks = all.chunks(128).filter(|block| block.contains(&1)).count() as u32;
                [&[blocks << 16 | all.iter().sum::<u32>()], &all[..]].concat()
            }),
        ),
    ]
}
