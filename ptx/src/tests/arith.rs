//! Arithmetic, against the host's.

use super::super::ops::{fused, fused_f32};
use super::device::{Loaded, Value, body, params};

const PTX: &str = include_str!("../../../softdriver/tests/kernels/arith.ptx");

/// A short sequence of numbers that look random.
fn random(count: usize) -> impl Iterator<Item = u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    (0..count).map(move |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
}

/// All pairs of some values, then random ones.
fn pairs<T: Copy>(edges: &[T], of: impl Fn(u64) -> T) -> (Vec<T>, Vec<T>) {
    let mut a = Vec::new();
    let mut b = Vec::new();
    for &x in edges {
        for &y in edges {
            a.push(x);
            b.push(y);
        }
    }
    let extra: Vec<T> = random(400).map(of).collect();
    a.extend(&extra[..200]);
    b.extend(&extra[200..]);
    (a, b)
}

/// Runs a kernel of two inputs, and answers its rows.
fn rows<T: Value>(kernel: &str, a: &[T], b: Option<&[T]>, count: usize) -> Vec<Vec<T>> {
    let loaded = Loaded::new(PTX);
    let n = a.len() as u32;
    let (pa, pb) = (loaded.device.put(a), b.map(|b| loaded.device.put(b)));
    let out = loaded.device.room(a.len() * count * size_of::<T>());
    let grid = [n.div_ceil(128), 1, 1];
    let block = [128, 1, 1];
    match pb {
        Some(pb) => loaded.launch(kernel, grid, block, 0, params![n, pa, pb, out]),
        None => loaded.launch(kernel, grid, block, 0, params![n, pa, out]),
    }
    .unwrap();
    loaded.device.get(out, a.len() * count).chunks(a.len()).map(<[T]>::to_vec).collect()
}

fn byte_permute(a: u32, b: u32, selector: u32) -> u32 {
    let both = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |all, i| {
        let byte = (both >> ((selector >> (4 * i) & 7) * 8) & 0xff) as u32;
        all | byte << (8 * i)
    })
}

#[test]
fn i32() {
    let edges = [0, 1, -1, 2, 7, -7, 31, 100, -32768, 65535, i32::MAX, i32::MIN, 0x1234_5678];
    let (a, b) = pairs(&edges, |v| v as i32 >> (v >> 59));
    let rows = rows("arith_i32", &a, Some(&b), 29);
    for (i, (&x, &y)) in a.iter().zip(&b).enumerate() {
        let (ux, uy) = (x as u32, y as u32);
        let shift = uy & 31;
        let wide = i64::from(x) * i64::from(y);
        let low24 = |v: i32| v << 8 >> 8;
        let wanted: [i32; 29] = [
            x.wrapping_add(y),
            x.wrapping_sub(y),
            x.wrapping_mul(y),
            if y == 0 { -1 } else { x.wrapping_div(y) },
            if y == 0 { x } else { x.wrapping_rem(y) },
            ux.checked_div(uy).unwrap_or(u32::MAX) as i32,
            ux.checked_rem(uy).unwrap_or(ux) as i32,
            x >> shift,
            (ux >> shift) as i32,
            x << shift,
            (wide >> 32) as i32,
            ((u64::from(ux) * u64::from(uy)) >> 32) as i32,
            x.min(y),
            ux.max(uy) as i32,
            x.wrapping_abs(),
            ux.count_ones() as i32,
            ux.leading_zeros() as i32,
            ux.reverse_bits() as i32,
            byte_permute(ux, uy, 0x2541) as i32,
            (x.abs_diff(y).wrapping_add(7)) as i32,
            (x & y) ^ (!x | (y & 0x0f0f_0f0f)),
            (uy << 9 | ux >> 23) as i32,
            if x == 0 { 0 } else { x.trailing_zeros() as i32 + 1 },
            i32::from(x as i8).wrapping_add(i32::from(y as i16)),
            low24(x).wrapping_mul(low24(y)),
            (wide.wrapping_add(12345) >> 7) as i32,
            i32::from(x < y) * 4 + i32::from(ux < uy) * 2 + i32::from(x == y),
            x / 7,
            (ux % 10) as i32,
        ];
        for (row, &wanted) in wanted.iter().enumerate() {
            assert_eq!(rows[row][i], wanted, "row {row} of {x}, {y}");
        }
    }
}

#[test]
fn i64() {
    let edges = [0, 1, -1, 10, -77, 63, 1 << 40, -(1 << 33), i64::MAX, i64::MIN, (1 << 53) + 1];
    let (a, b) = pairs(&edges, |v| v as i64 >> (v >> 58));
    let rows = rows("arith_i64", &a, Some(&b), 23);
    for (i, (&x, &y)) in a.iter().zip(&b).enumerate() {
        let (ux, uy) = (x as u64, y as u64);
        let shift = uy & 63;
        let wanted: [i64; 23] = [
            x.wrapping_add(y),
            x.wrapping_sub(y),
            x.wrapping_mul(y),
            if y == 0 { -1 } else { x.wrapping_div(y) },
            if y == 0 { x } else { x.wrapping_rem(y) },
            ux.checked_div(uy).unwrap_or(u64::MAX) as i64,
            ux.checked_rem(uy).unwrap_or(ux) as i64,
            x >> shift,
            (ux >> shift) as i64,
            x << shift,
            ((i128::from(x) * i128::from(y)) >> 64) as i64,
            ((u128::from(ux) * u128::from(uy)) >> 64) as i64,
            x.min(y),
            ux.max(uy) as i64,
            i64::from(ux.count_ones()),
            i64::from(ux.leading_zeros()),
            ux.reverse_bits() as i64,
            x as f64 as i64,
            x as f32 as i64,
            ux as f64 as u64 as i64,
            x.wrapping_abs(),
            i64::from(x as i32),
            i64::from(x as u16),
        ];
        for (row, &wanted) in wanted.iter().enumerate() {
            assert_eq!(rows[row][i], wanted, "row {row} of {x}, {y}");
        }
    }
}

const FLOATS: [f32; 20] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.5,
    -2.5,
    3.999_999_8,
    1e-40,
    -1e-45,
    f32::MIN_POSITIVE,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    2_147_483_648.0,
    4_294_967_296.0,
    -2_147_483_904.0,
    0.1,
];

/// Equal bits, or both NaN.
fn same(got: f32, wanted: f32) -> bool {
    got.to_bits() == wanted.to_bits() || (got.is_nan() && wanted.is_nan())
}

fn least(x: f32, y: f32) -> f32 {
    match () {
        () if x.is_nan() => y,
        () if y.is_nan() => x,
        () if x == y => f32::from_bits(x.to_bits() | y.to_bits()),
        () => x.min(y),
    }
}

#[test]
fn f32() {
    let (a, b) = pairs(&FLOATS, |v| f32::from_bits(v as u32));
    let rows = rows("arith_f32", &a, Some(&b), 24);
    for (i, (&x, &y)) in a.iter().zip(&b).enumerate() {
        let tests = u8::from(x < y)
            + 2 * u8::from(x <= y)
            + 4 * u8::from(x == y)
            + 8 * u8::from(x != y)
            + 16 * u8::from(x < y || x.is_nan() || y.is_nan());
        let wanted: [f32; 24] = [
            x + y,
            x - y,
            x * y,
            x / y,
            fused_f32(x, y, 1.5),
            x.sqrt(),
            least(x, y),
            -least(-x, -y),
            x.abs(),
            -x,
            x.floor(),
            x.ceil(),
            x.trunc(),
            x.round_ties_even(),
            x.copysign(y),
            if x >= 0.0 { x.min(1.0).abs() } else { 0.0 },
            x as i32 as f32,
            x as u32 as f32,
            x.round_ties_even() as i32 as f32,
            x.floor() as i32 as f32,
            x.ceil() as i32 as f32,
            f32::from_bits(x.to_bits() ^ 1),
            f32::from(tests),
            1.0 / x,
        ];
        for (row, &wanted) in wanted.iter().enumerate() {
            let got = rows[row][i];
            assert!(same(got, wanted), "row {row} of {x}, {y}: {got}, not {wanted}");
        }
    }
}

#[test]
fn approximations() {
    let a: Vec<f32> = (1..300).map(|i| i as f32 * 0.0371).collect();
    let rows = rows("approx_f32", &a, None, 11);
    for (i, &x) in a.iter().enumerate() {
        let wide = f64::from(x);
        let wanted: [f64; 11] = [
            wide.sin(),
            wide.cos(),
            wide.exp(),
            wide.ln(),
            1.0 / wide.sqrt(),
            wide / 3.0,
            wide.exp(),
            wide.ln(),
            wide.powf(1.5),
            wide.sin(),
            wide.tanh(),
        ];
        for (row, &wanted) in wanted.iter().enumerate() {
            let got = f64::from(rows[row][i]);
            let error = (got - wanted).abs();
            assert!(error <= 2e-6 * wanted.abs() + 1e-6, "row {row} of {x}: {got}, not {wanted}");
        }
    }
}

#[test]
fn f64() {
    let edges: Vec<f64> = FLOATS
        .iter()
        .map(|&x| f64::from(x))
        .chain([1e-310, f64::MAX, 9.3e18, 0.1, 1.0 + f64::EPSILON])
        .collect();
    let (a, b) = pairs(&edges, f64::from_bits);
    let rows = rows("arith_f64", &a, Some(&b), 18);
    for (i, (&x, &y)) in a.iter().zip(&b).enumerate() {
        let least = |x: f64, y: f64| match () {
            () if x.is_nan() => y,
            () if y.is_nan() => x,
            () if x == y => f64::from_bits(x.to_bits() | y.to_bits()),
            () => x.min(y),
        };
        // NaN to an integer, from or to 64 bits, is the highest bit.
        let nan = x.is_nan();
        let wanted: [f64; 16] = [
            x + y,
            x - y,
            x * y,
            x / y,
            fused(x, y, 1.5),
            x.sqrt(),
            least(x, y),
            -least(-x, -y),
            x.abs(),
            f64::from(x as f32),
            if nan { -9_223_372_036_854_775_808.0 } else { x as i64 as f64 },
            x.floor(),
            x.round_ties_even(),
            if nan { -2_147_483_648.0 } else { f64::from(x as i32) },
            if nan { 2_147_483_648.0 } else { f64::from(x as u32) },
            f64::from(u8::from(x < y) + 2 * u8::from(x == y)) + if x > y { 0.0 } else { 4.0 },
        ];
        for (row, &wanted) in wanted.iter().enumerate() {
            let got = rows[row][i];
            let same = got.to_bits() == wanted.to_bits() || (got.is_nan() && wanted.is_nan());
            assert!(same, "row {row} of {x}, {y}: {got}, not {wanted}");
        }
        if x.abs() < 700.0 {
            let error = (rows[16][i] - x.exp()).abs();
            assert!(error <= 1e-14 * x.exp(), "exp of {x}");
            assert!((rows[17][i] - x.sin()).abs() <= 1e-14, "sin of {x}");
        }
    }
}

/// Single instructions on constants: the low word of the result.
#[test]
fn single_instructions() {
    for (instruction, wanted) in [
        ("shl.b32 %r1, 1, 32;", 0),
        ("shl.b32 %r1, 1, 31;", 1 << 31),
        ("shr.u32 %r1, 0x80000000, 40;", 0),
        ("shr.s32 %r1, 0x80000000, 40;", u32::MAX),
        ("bfe.u32 %r1, 0xabcd1234, 8, 12;", 0xd12),
        ("bfe.s32 %r1, 0xabcd1234, 8, 12;", 0xffff_fd12),
        ("bfe.s32 %r1, 0x80000000, 28, 16;", 0xffff_fff8),
        ("bfe.u32 %r1, 0x80000000, 28, 16;", 8),
        ("bfe.s32 %r1, 0x80000000, 200, 4;", u32::MAX),
        ("bfe.u32 %r1, 0xffffffff, 3, 0;", 0),
        ("bfi.b32 %r1, 0xff, 0, 4, 8;", 0xff0),
        ("bfi.b32 %r1, 0xff, 7, 40, 8;", 7),
        ("bfind.u32 %r1, 0x00010000;", 16),
        ("bfind.s32 %r1, -1;", u32::MAX),
        ("bfind.shiftamt.u32 %r1, 0x00010000;", 15),
        ("prmt.b32 %r1, 0x33221100, 0x77665544, 0x7531;", 0x7755_3311),
        ("prmt.b32 %r1, 0x80, 0, 0x8888;", u32::MAX),
        ("prmt.b32.f4e %r1, 0x33221100, 0x77665544, 1;", 0x4433_2211),
        ("prmt.b32.b4e %r1, 0x33221100, 0x77665544, 1;", 0x6677_0011),
        ("prmt.b32.rc8 %r1, 0x33221100, 0, 2;", 0x2222_2222),
        ("prmt.b32.ecl %r1, 0x33221100, 0, 2;", 0x3322_2222),
        ("prmt.b32.ecr %r1, 0x33221100, 0, 1;", 0x1111_1100),
        ("prmt.b32.rc16 %r1, 0x33221100, 0, 1;", 0x3322_3322),
        ("lop3.b32 %r1, 0xff00ff00, 0x0ff00ff0, 0x00ff00ff, 0x96;", 0xf00f_f00f),
        ("lop3.b32 %r1, 0xf0, 0xcc, 0xaa, 0xe8;", 0xe8),
        ("mad.hi.u32 %r1, 0x80000000, 6, 1;", 4),
        ("add.sat.s32 %r1, 0x7fffffff, 5;", 0x7fff_ffff),
        ("add.cc.u32 %r1, 0xffffffff, 1; addc.u32 %r1, 5, 6;", 12),
        ("sub.cc.u32 %r1, 0, 1; subc.u32 %r1, 5, 1;", 3),
        // The carry is set where nothing was borrowed.
        ("sub.cc.u32 %r1, 5, 3; addc.u32 %r1, 0, 0;", 1),
        ("sub.cc.u32 %r1, 3, 5; addc.u32 %r1, 0, 0;", 0),
        ("add.cc.u32 %r1, 3, 5; subc.u32 %r1, 0, 0;", 0xffff_ffff),
        ("bmsk.clamp.b32 %r1, 4, 8;", 0xff0),
        ("bmsk.clamp.b32 %r1, 32, 8;", 0),
        ("bmsk.wrap.b32 %r1, 36, 40;", 0xff0),
        ("szext.clamp.u32 %r1, 0xffff, 40;", 0xffff),
        ("szext.wrap.s32 %r1, 0xf8, 4;", 0xffff_fff8),
        ("szext.wrap.s32 %r1, 0xf8, 32;", 0),
        ("mad.lo.cc.u32 %r1, 0x10000, 0x10000, 0xffffffff; madc.hi.u32 %r1, 2, 3, 4;", 4),
        ("div.u32 %r1, 5, 0;", u32::MAX),
        ("rem.u32 %r1, 5, 0;", 5),
        ("div.s32 %r1, 0x80000000, -1;", 0x8000_0000),
        ("cnot.b32 %r1, 0;", 1),
        ("sad.u32 %r1, 3, 10, 100;", 107),
        ("mul.wide.s16 %r1, 0xffff, 3;", 0xffff_fffd),
        ("shf.r.clamp.b32 %r1, 0x12345678, 0x9abcdef0, 32;", 0x9abc_def0),
        ("shf.l.clamp.b32 %r1, 0x12345678, 0x9abcdef0, 40;", 0x1234_5678),
        ("cvt.sat.u8.s32 %r1, 300;", 255),
        ("cvt.sat.s8.s32 %r1, -300;", (-128i32) as u32),
        ("cvt.s8.s32 %r1, 0x80;", 0xffff_ff80),
        ("cvt.u8.s32 %r1, 0x1ff;", 0xff),
        ("cvt.rzi.u32.f32 %r1, 0fBF800000;", 0),
        ("cvt.rzi.s32.f32 %r1, 0f7FC00000;", 0),
        ("cvt.rzi.s32.f32 %r1, 0f7F800000;", i32::MAX as u32),
        ("cvt.rni.s32.f32 %r1, 0f40200000;", 2),
        ("cvt.rpi.s32.f32 %r1, 0f40200000;", 3),
        ("slct.u32.s32 %r1, 5, 6, -1;", 6),
        ("slct.u32.f32 %r1, 5, 6, 0f80000000;", 5),
        ("slct.u32.f32 %r1, 5, 6, 0f7FC00000;", 6),
        ("set.lt.u32.s32 %r1, -1, 0;", u32::MAX),
        ("set.lt.f32.s32 %f1, -1, 0; mov.b32 %r1, %f1;", 0x3f80_0000),
        ("setp.lt.and.s32 %p1|%p2, 1, 2, !%p3; selp.u32 %r1, 1, 2, %p1;", 1),
        ("setp.lt.or.s32 %p1|%p2, 1, 2, %p3; selp.u32 %r1, 1, 2, %p2;", 2),
        ("setp.nan.f32 %p1, 0f7FC00000, 0f00000000; selp.u32 %r1, 1, 2, %p1;", 1),
        ("setp.eq.ftz.f32 %p1, 0f00000001, 0f00000000; selp.u32 %r1, 1, 2, %p1;", 1),
        ("setp.ls.u32 %p1, 3, 3; selp.u32 %r1, 1, 2, %p1;", 1),
        ("testp.subnormal.f32 %p1, 0f00000001; selp.u32 %r1, 1, 2, %p1;", 1),
        ("mov.b64 %rd1, {0x11, 0x22}; mov.b64 {_, %r1}, %rd1;", 0x22),
        ("mov.u32 %r1, WARP_SZ;", 32),
        ("mov.u32 %r1, 0b101; add.u32 %r1, %r1, 017;", 20),
        ("mov.u32 %r1, 0xffU;", 255),
        ("mad24.hi.sat.s32 %r1, 0x7fffff, 0x7fffff, 0x7fffffff;", 0x7fff_ffff),
        ("mad24.hi.sat.s32 %r1, 0x7fffff, 0x800000, 0x80000001;", 0x8000_0000),
        ("mad24.hi.sat.s32 %r1, 0x10000, 5, -7;", u32::MAX - 1),
    ] {
        let text = format!("{instruction}\nst.global.u32 [%out], %r1;");
        assert_eq!(body(&text, &[0]), Ok(vec![wanted]), "{instruction}");
    }
}

/// Directed rounding, flushing and saturation of f32.
#[test]
fn rounding() {
    let third_down = 0x3eaa_aaaau32;
    for (instruction, wanted) in [
        ("div.rn.f32 %f1, 0f3F800000, 0f40400000;", third_down + 1),
        ("div.rz.f32 %f1, 0f3F800000, 0f40400000;", third_down),
        ("div.rm.f32 %f1, 0f3F800000, 0f40400000;", third_down),
        ("div.rp.f32 %f1, 0f3F800000, 0f40400000;", third_down + 1),
        ("div.rp.f32 %f1, 0fBF800000, 0f40400000;", 0x8000_0000 | third_down),
        ("rcp.rz.f32 %f1, 0f40400000;", third_down),
        ("add.rp.f32 %f1, 0f3F800000, 0f00000001;", 0x3f80_0001),
        ("add.rm.f32 %f1, 0f3F800000, 0f80000001;", 0x3f7f_ffff),
        ("add.rz.f32 %f1, 0f3F800000, 0f80000001;", 0x3f7f_ffff),
        ("add.rn.f32 %f1, 0f3F800000, 0f80000001;", 0x3f80_0000),
        ("add.rm.f32 %f1, 0f3F800000, 0fBF800000;", 0x8000_0000),
        ("mul.rz.f32 %f1, 0f7F7FFFFF, 0f40000000;", 0x7f7f_ffff),
        ("mul.rp.f32 %f1, 0f00000001, 0f00000001;", 1),
        ("mul.rp.f32 %f1, 0f00000001, 0f80000001;", 0x8000_0000),
        ("fma.rm.f32 %f1, 0f3F800001, 0f3F800001, 0f80000001;", 0x3f80_0002),
        ("sqrt.rm.f32 %f1, 0f40000000;", 0x3fb5_04f3),
        ("sqrt.rp.f32 %f1, 0f40000000;", 0x3fb5_04f4),
        ("add.ftz.f32 %f1, 0f00000001, 0f80000000;", 0),
        ("add.sat.f32 %f1, 0f3F800000, 0f3F800000;", 0x3f80_0000),
        ("mul.ftz.f32 %f1, 0f00800000, 0f3F000000;", 0),
        ("min.NaN.f32 %f1, 0f3F800000, 0f7FC00000;", 0x7fff_ffff),
        ("cvt.rz.f32.u32 %f1, 0xffffffff;", 0x4f7f_ffff),
        ("cvt.rp.f32.u32 %f1, 0x1000001;", 0x4b80_0001),
        ("cvt.rm.f32.s32 %f1, 0xfeffffff;", 0xcb80_0001),
        ("mov.f64 %fd1, 0.1; cvt.rm.f32.f64 %f1, %fd1;", 0x3dcc_cccc),
        ("mov.f32 %f1, 0.1;", 0x3dcc_cccd),
        ("copysign.f32 %f1, 0fBF800000, 0f40000000;", 0xc000_0000),
    ] {
        let text = format!("{instruction}\nst.global.f32 [%out], %f1;");
        assert_eq!(body(&text, &[7]), Ok(vec![wanted]), "{instruction}");
    }
}

/// The NaN that f64 arithmetic gives does not depend on the rounding: the first operand's, or one with its sign set.
#[test]
fn no_numbers_of_every_rounding() {
    let (plus, minus) = ("0d7FF8000000001234", "0dFFF8000000001234");
    for rounding in ["rn", "rz", "rm", "rp"] {
        for (operation, wanted) in [
            (format!("sub.{rounding}.f64 %fd1, 0d3FF0000000000000, {plus}"), 0x7ff8_0000),
            (format!("sub.{rounding}.f64 %fd1, 0d3FF0000000000000, {minus}"), 0xfff8_0000),
            (format!("sub.{rounding}.f64 %fd1, {plus}, {minus}"), 0x7ff8_0000),
            (format!("add.{rounding}.f64 %fd1, {minus}, {plus}"), 0xfff8_0000),
            (format!("mul.{rounding}.f64 %fd1, 0d3FF0000000000000, {minus}"), 0xfff8_0000),
            (format!("div.{rounding}.f64 %fd1, {plus}, {minus}"), 0x7ff8_0000),
            (format!("fma.{rounding}.f64 %fd1, 0d3FF0000000000000, {plus}, {minus}"), 0x7ff8_0000),
            (format!("sqrt.{rounding}.f64 %fd1, {plus}"), 0x7ff8_0000),
            (format!("sqrt.{rounding}.f64 %fd1, 0dBFF0000000000000"), 0xfff8_0000),
            (
                format!("sub.{rounding}.f64 %fd1, 0d7FF0000000000000, 0d7FF0000000000000"),
                0xfff8_0000,
            ),
        ] {
            let text =
                format!("{operation}; mov.b64 {{%r2, %r1}}, %fd1;\nst.global.u32 [%out], %r1;");
            assert_eq!(body(&text, &[0]), Ok(vec![wanted]), "{operation}");
        }
    }
}
