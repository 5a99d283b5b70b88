//! Integer arithmetic. Each function answers the one for an opcode and type,
//! or none where there is no such instruction.

use super::super::code::CarryKind;
use super::super::types::{Kind, Type};
use super::lanes::{Binary, Row, Ternary, Unary};
use super::word::{Word, any_integer, by_type};

/// Instructions of one operand.
pub(crate) fn unary(opcode: &str, ty: Type) -> Option<Unary> {
    match opcode {
        "mov" => Some(&|a: u64| a),
        "not" if ty == Type::PRED => Some(&|a: u64| a ^ 1),
        "not" if ty.kind == Kind::Bits => any_integer!(ty, |a| !a),
        "cnot" if ty.kind == Kind::Bits => any_integer!(ty, |a| T::from(a == 0)),
        "neg" => by_type!(ty, [Signed 2 i16, Signed 4 i32, Signed 8 i64], |a| a.wrapping_neg()),
        "abs" => by_type!(ty, [Signed 2 i16, Signed 4 i32, Signed 8 i64], |a| a.wrapping_abs()),
        "popc" => by_type!(ty, [Bits 4 u32, Bits 8 u64], |a| a.count_ones()),
        "clz" => by_type!(ty, [Bits 4 u32, Bits 8 u64], |a| a.leading_zeros()),
        "brev" => by_type!(ty, [Bits 4 u32, Bits 8 u64], |a| a.reverse_bits()),
        "bfind" => by_type!(
            ty,
            [Unsigned 4 u32, Signed 4 i32, Unsigned 8 u64, Signed 8 i64],
            |a| find(a, false)
        ),
        "bfind.shiftamt" => by_type!(
            ty,
            [Unsigned 4 u32, Signed 4 i32, Unsigned 8 u64, Signed 8 i64],
            |a| find(a, true)
        ),
        _ => None,
    }
}

/// The search of `bfind`: the highest bit that is not the sign's.
trait Find {
    /// The leading bits that are the sign's, and the number of bits.
    fn leading(self) -> (u32, u32);
}

macro_rules! find {
    ($($t:ty: |$a:ident| $body:expr),*) => {$(
        impl Find for $t {
            fn leading(self) -> (u32, u32) {
                let $a = self;
                ($body, <$t>::BITS)
            }
        }
    )*};
}

find!(
    u32: |a| a.leading_zeros(),
    u64: |a| a.leading_zeros(),
    i32: |a| (if a < 0 { !a } else { a }).leading_zeros(),
    i64: |a| (if a < 0 { !a } else { a }).leading_zeros()
);

fn find(a: impl Find, shift: bool) -> u32 {
    let (leading, bits) = a.leading();
    match () {
        () if leading == bits => u32::MAX,
        () if shift => leading,
        () => bits - 1 - leading,
    }
}

/// Instructions of two operands.
pub(crate) fn binary(opcode: &str, ty: Type) -> Option<Binary> {
    let logical = ty.kind == Kind::Bits;
    if matches!(ty.kind, Kind::UnsignedPair | Kind::SignedPair) {
        return pairs(opcode, ty);
    }
    match opcode {
        "and" if logical || ty == Type::PRED => Some(&|a: u64, b: u64| a & b),
        "or" if logical || ty == Type::PRED => Some(&|a: u64, b: u64| a | b),
        "xor" if logical || ty == Type::PRED => Some(&|a: u64, b: u64| a ^ b),
        "shl" if logical && ty.bytes > 1 => Some(shl(ty)),
        "shr" => shr(ty),
        "bmsk.clamp" if ty == Type::B32 => Some(&|a: u64, b: u64| match a {
            0..32 => (((1 << b.min(32)) - 1) << a) & 0xffff_ffff,
            _ => 0,
        }),
        "bmsk.wrap" if ty == Type::B32 => {
            Some(&|a: u64, b: u64| (((1 << (b & 31)) - 1) << (a & 31)) & 0xffff_ffff)
        }
        _ if logical => None,
        "szext.clamp" => by_type!(ty, [Unsigned 4 u32, Signed 4 i32], |a, b| {
            low_bits(i64::from(a), b as u32, T::MIN != 0) as T
        }),
        "szext.wrap" => by_type!(ty, [Unsigned 4 u32, Signed 4 i32], |a, b| {
            low_bits(i64::from(a), b as u32 & 31, T::MIN != 0) as T
        }),
        "add" => any_integer!(ty, |a, b| a.wrapping_add(b)),
        "add.sat" => by_type!(ty, [Signed 4 i32], |a, b| a.saturating_add(b)),
        "sub" => any_integer!(ty, |a, b| a.wrapping_sub(b)),
        "sub.sat" => by_type!(ty, [Signed 4 i32], |a, b| a.saturating_sub(b)),
        "mul.lo" => any_integer!(ty, |a, b| a.wrapping_mul(b)),
        "mul.hi" => any_integer!(ty, |a, b| {
            ((i128::from(a).wrapping_mul(i128::from(b))) >> T::BITS) as T
        }),
        "mul.wide" => wide(ty),
        "mul24.lo" => by_type!(ty, [Unsigned 4 u32, Signed 4 i32], |a, b| {
            (low24(i64::from(a), T::MIN != 0) * low24(i64::from(b), T::MIN != 0)) as T
        }),
        "mul24.hi" => by_type!(ty, [Unsigned 4 u32, Signed 4 i32], |a, b| {
            ((low24(i64::from(a), T::MIN != 0) * low24(i64::from(b), T::MIN != 0)) >> 16) as T
        }),
        "div" => any_integer!(ty, |a, b| if b == 0 { !0 } else { a.wrapping_div(b) }),
        "rem" => any_integer!(ty, |a, b| if b == 0 { a } else { a.wrapping_rem(b) }),
        "min" => any_integer!(ty, |a, b| a.min(b)),
        "max" => any_integer!(ty, |a, b| a.max(b)),
        "min.relu" => by_type!(ty, [Signed 4 i32], |a, b| a.min(b).max(0)),
        "max.relu" => by_type!(ty, [Signed 4 i32], |a, b| a.max(b).max(0)),
        _ => None,
    }
}

/// The low bits of a number of 32, extended by their sign.
fn low_bits(a: i64, count: u32, signed: bool) -> i64 {
    match count {
        0 => 0,
        32.. => a,
        _ if signed => a << (64 - count) >> (64 - count),
        _ => a & ((1 << count) - 1),
    }
}

/// Instructions on two numbers of 16 bits.
fn pairs(opcode: &str, ty: Type) -> Option<Binary> {
    macro_rules! both {
        ($t:ty, |$x:ident, $y:ident| $body:expr) => {
            &|a: u64, b: u64| {
                let half = |a: u64, b: u64| {
                    let ($x, $y) = (<$t>::of(a), <$t>::of(b));
                    Word::bits($body)
                };
                half(a, b) | half(a >> 16, b >> 16) << 16
            }
        };
    }
    let f: Binary = match (opcode, ty.kind) {
        ("add", _) => both!(u16, |a, b| a.wrapping_add(b)),
        ("min", Kind::UnsignedPair) => both!(u16, |a, b| a.min(b)),
        ("max", Kind::UnsignedPair) => both!(u16, |a, b| a.max(b)),
        ("min", _) => both!(i16, |a, b| a.min(b)),
        ("max", _) => both!(i16, |a, b| a.max(b)),
        ("min.relu", Kind::SignedPair) => both!(i16, |a, b| a.min(b).max(0)),
        ("max.relu", Kind::SignedPair) => both!(i16, |a, b| a.max(b).max(0)),
        _ => return None,
    };
    Some(f)
}

/// The low 24 bits of a factor, extended by its sign.
fn low24(a: i64, signed: bool) -> i64 {
    if signed { a << 40 >> 40 } else { a & 0xff_ffff }
}

/// `shl`: the amount is 32 bits without sign, and clamped.
fn shl(ty: Type) -> Binary {
    match ty.bytes {
        2 => &|a: u64, b: u64| if b > 15 { 0 } else { (a << b) & 0xffff },
        4 => &|a: u64, b: u64| if b > 31 { 0 } else { (a << b) & 0xffff_ffff },
        _ => &|a: u64, b: u64| if b > 63 { 0 } else { a << b },
    }
}

fn shr(ty: Type) -> Option<Binary> {
    let f: Binary = match (ty.kind, ty.bytes) {
        (Kind::Unsigned | Kind::Bits, 2) => {
            &|a: u64, b: u64| if b > 15 { 0 } else { (a & 0xffff) >> b }
        }
        (Kind::Unsigned | Kind::Bits, 4) => {
            &|a: u64, b: u64| if b > 31 { 0 } else { (a & 0xffff_ffff) >> b }
        }
        (Kind::Unsigned | Kind::Bits, 8) => &|a: u64, b: u64| if b > 63 { 0 } else { a >> b },
        (Kind::Signed, 2) => &|a: u64, b: u64| (i16::of(a) >> b.min(15)).bits(),
        (Kind::Signed, 4) => &|a: u64, b: u64| (i32::of(a) >> b.min(31)).bits(),
        (Kind::Signed, 8) => &|a: u64, b: u64| (i64::of(a) >> b.min(63)).bits(),
        _ => return None,
    };
    Some(f)
}

fn wide(ty: Type) -> Option<Binary> {
    let f: Binary = match (ty.kind, ty.bytes) {
        (Kind::Unsigned, 2) => &|a: u64, b: u64| (a & 0xffff) * (b & 0xffff),
        (Kind::Unsigned, 4) => &|a: u64, b: u64| (a & 0xffff_ffff) * (b & 0xffff_ffff),
        (Kind::Signed, 2) => {
            &|a: u64, b: u64| (i32::from(i16::of(a)) * i32::from(i16::of(b))).bits()
        }
        (Kind::Signed, 4) => {
            &|a: u64, b: u64| (i64::from(i32::of(a)) * i64::from(i32::of(b))).bits()
        }
        _ => return None,
    };
    Some(f)
}

/// Instructions of three operands.
pub(crate) fn ternary(opcode: &str, ty: Type) -> Option<Ternary> {
    match opcode {
        "mad.wide" => match (ty.kind, ty.bytes) {
            (Kind::Unsigned, 2) => Some(&|a: u64, b: u64, c: u64| {
                u32::of((a & 0xffff) * (b & 0xffff)).wrapping_add(u32::of(c)).bits()
            }),
            (Kind::Unsigned, 4) => Some(&|a: u64, b: u64, c: u64| {
                ((a & 0xffff_ffff) * (b & 0xffff_ffff)).wrapping_add(c)
            }),
            (Kind::Signed, 2) => Some(&|a: u64, b: u64, c: u64| {
                (i32::from(i16::of(a)) * i32::from(i16::of(b))).wrapping_add(i32::of(c)).bits()
            }),
            (Kind::Signed, 4) => Some(&|a: u64, b: u64, c: u64| {
                (i64::from(i32::of(a)) * i64::from(i32::of(b))).wrapping_add(i64::of(c)).bits()
            }),
            _ => None,
        },
        "shf.l.wrap" if ty == Type::B32 => {
            Some(&|a: u64, b: u64, c: u64| ((b << 32 | a) << (c & 31)) >> 32)
        }
        "shf.l.clamp" if ty == Type::B32 => {
            Some(&|a: u64, b: u64, c: u64| (((b << 32 | a) << c.min(32)) >> 32) & 0xffff_ffff)
        }
        "shf.r.wrap" if ty == Type::B32 => {
            Some(&|a: u64, b: u64, c: u64| ((b << 32 | a) >> (c & 31)) & 0xffff_ffff)
        }
        "shf.r.clamp" if ty == Type::B32 => {
            Some(&|a: u64, b: u64, c: u64| ((b << 32 | a) >> c.min(32)) & 0xffff_ffff)
        }
        "bfe" => bfe(ty),
        "fns" if ty == Type::B32 => Some(&|a: u64, b: u64, c: u64| find_nth(a, b, c).into()),
        _ if ty.kind == Kind::Bits => None,
        "mad.lo" => any_integer!(ty, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        "mad.hi" => any_integer!(ty, |a, b, c| {
            (((i128::from(a).wrapping_mul(i128::from(b))) >> T::BITS) as T).wrapping_add(c)
        }),
        "mad.hi.sat" => by_type!(ty, [Signed 4 i32], |a, b, c| {
            (((i64::from(a) * i64::from(b)) >> 32) as T).saturating_add(c)
        }),
        "mad24.lo" => by_type!(ty, [Unsigned 4 u32, Signed 4 i32], |a, b, c| {
            ((low24(i64::from(a), T::MIN != 0) * low24(i64::from(b), T::MIN != 0)) as T)
                .wrapping_add(c)
        }),
        "mad24.hi" => by_type!(ty, [Unsigned 4 u32, Signed 4 i32], |a, b, c| {
            (((low24(i64::from(a), T::MIN != 0) * low24(i64::from(b), T::MIN != 0)) >> 16) as T)
                .wrapping_add(c)
        }),
        "mad24.hi.sat" => by_type!(ty, [Signed 4 i32], |a, b, c| {
            (((low24(i64::from(a), true) * low24(i64::from(b), true)) >> 16) as T).saturating_add(c)
        }),
        "sad" => any_integer!(ty, |a, b, c| {
            c.wrapping_add(if a < b { b.wrapping_sub(a) } else { a.wrapping_sub(b) })
        }),
        _ => None,
    }
}

/// `fns`: the position of the n-th set bit of `mask` from `base` on, downwards
/// if n is negative.
fn find_nth(mask: u64, base: u64, n: u64) -> u32 {
    let n = i64::from(n as u32 as i32);
    let set = |bit: &u64| mask >> bit & 1 == 1;
    let base = base & 31;
    let found = match n {
        0 => Some(base).filter(set),
        1.. => (base..32).filter(set).nth(n as usize - 1),
        _ => (0..=base).rev().filter(set).nth(n.unsigned_abs() as usize - 1),
    };
    found.map_or(u32::MAX, |bit| bit as u32)
}

/// `dp4a` and `dp2a`: the types are those of the factors.
pub(crate) fn dot(opcode: &str, a: Type, b: Type) -> Option<Ternary> {
    fn part(value: u64, index: u32, bits: u32, signed: bool) -> i64 {
        let value = (value >> (index * bits) & ((1 << bits) - 1)).cast_signed();
        if signed { value << (64 - bits) >> (64 - bits) } else { value }
    }
    fn sum<const BITS: u32, const FIRST: u32, const A: bool, const B: bool>(
        a: u64,
        b: u64,
        c: u64,
    ) -> u64 {
        let products = (0..32 / BITS)
            .map(|i| part(a, i, BITS, A).wrapping_mul(part(b, FIRST + i, 8, B)))
            .sum::<i64>();
        u64::from((c as u32).wrapping_add(products as u32))
    }
    let signed = |ty: Type| match ty {
        Type::U32 => Some(false),
        Type::S32 => Some(true),
        _ => None,
    };
    macro_rules! forms {
        ($bits:literal, $first:literal) => {
            match (signed(a)?, signed(b)?) {
                (false, false) => {
                    &|a: u64, b: u64, c: u64| sum::<$bits, $first, false, false>(a, b, c)
                }
                (false, true) => {
                    &|a: u64, b: u64, c: u64| sum::<$bits, $first, false, true>(a, b, c)
                }
                (true, false) => {
                    &|a: u64, b: u64, c: u64| sum::<$bits, $first, true, false>(a, b, c)
                }
                (true, true) => &|a: u64, b: u64, c: u64| sum::<$bits, $first, true, true>(a, b, c),
            }
        };
    }
    let f: Ternary = match opcode {
        "dp4a" => forms!(8, 0),
        "dp2a.lo" => forms!(16, 0),
        "dp2a.hi" => forms!(16, 2),
        _ => return None,
    };
    Some(f)
}

/// `bfe`: position and length are the low bytes of b and c.
fn bfe(ty: Type) -> Option<Ternary> {
    fn field(a: u64, position: u64, length: u64, bits: u32, signed: bool) -> u64 {
        let position = (position & 0xff) as u32;
        let length = (length & 0xff) as u32;
        let top = a >> (bits - 1) & 1;
        // Bits past the top of a are copies of its sign, or 0.
        let wide =
            if signed && top == 1 { u128::from(a) | u128::MAX << bits } else { u128::from(a) };
        let shifted = (wide.cast_signed() >> position.min(127)).cast_unsigned();
        if length == 0 {
            return 0;
        }
        let length = length.min(bits);
        let kept = shifted & (u128::MAX >> (128 - length));
        let last = kept >> (length - 1) & 1;
        let filled = if signed && last == 1 { kept | u128::MAX << length } else { kept };
        filled as u64 & Type::new(Kind::Bits, (bits / 8) as u8).mask()
    }
    let f: Ternary = match (ty.kind, ty.bytes) {
        (Kind::Unsigned, 4) => &|a: u64, b: u64, c: u64| field(a, b, c, 32, false),
        (Kind::Unsigned, 8) => &|a: u64, b: u64, c: u64| field(a, b, c, 64, false),
        (Kind::Signed, 4) => &|a: u64, b: u64, c: u64| field(a, b, c, 32, true),
        (Kind::Signed, 8) => &|a: u64, b: u64, c: u64| field(a, b, c, 64, true),
        _ => return None,
    };
    Some(f)
}

/// `bfi`: the low `length` bits of a, put into b at `position`.
pub(crate) fn bfi(a: u64, b: u64, position: u64, length: u64, bits: u32) -> u64 {
    let position = (position & 0xff) as u32;
    let length = ((length & 0xff) as u32).min(bits);
    if length == 0 || position >= bits {
        return b;
    }
    let mask = (u64::MAX >> (64 - length)) << position;
    (b & !mask) | (a << position & mask)
}

/// `lop3`: each bit of the result is the table's entry for the three bits.
pub(crate) fn table(a: &Row, b: &Row, c: &Row, table: u8, out: &mut Row) {
    let rows: [u64; 8] =
        std::array::from_fn(|row| if table >> row & 1 == 1 { 0xffff_ffff } else { 0 });
    for lane in 0..32 {
        let (a, b, c) = (a[lane], b[lane], c[lane]);
        let of_a = |b: u64, high: usize| {
            b & (c & rows[high + 1] | !c & rows[high])
                | !b & (c & rows[high - 1] | !c & rows[high - 2])
        };
        out[lane] = a & of_a(b, 6) | !a & of_a(b, 2);
    }
}

/// `prmt` in one of its modes, the default being none.
pub(crate) fn prmt(mode: &str) -> Option<Ternary> {
    fn select(a: u64, b: u64, nibbles: [u64; 4]) -> u64 {
        let both = b << 32 | a & 0xffff_ffff;
        nibbles.iter().rev().fold(0, |all, nibble| {
            let byte = both >> ((nibble & 7) * 8) & 0xff;
            let byte = match (nibble & 8, byte & 0x80) {
                (0, _) => byte,
                (_, 0) => 0,
                _ => 0xff,
            };
            all << 8 | byte
        })
    }
    let f: Ternary = match mode {
        "" => {
            &|a: u64, b: u64, c: u64| select(a, b, [c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15])
        }
        "f4e" => &|a: u64, b: u64, c: u64| select(a, b, [0, 1, 2, 3].map(|i| (c & 3) + i)),
        "b4e" => &|a: u64, b: u64, c: u64| select(a, b, [8, 7, 6, 5].map(|i| ((c & 3) + i) & 7)),
        "rc8" => &|a: u64, b: u64, c: u64| select(a, b, [c & 3; 4]),
        "ecl" => &|a: u64, b: u64, c: u64| select(a, b, [0, 1, 2, 3].map(|i: u64| i.max(c & 3))),
        "ecr" => &|a: u64, b: u64, c: u64| select(a, b, [0, 1, 2, 3].map(|i: u64| i.min(c & 3))),
        "rc16" => &|a: u64, b: u64, c: u64| select(a, b, [0, 1, 0, 1].map(|i| (c & 1) * 2 + i)),
        _ => return None,
    };
    Some(f)
}

/// An instruction that reads or writes the carry: the result and the new carry.
pub(crate) fn carry(kind: CarryKind, bits: u32, a: u64, b: u64, c: u64, cin: u64) -> (u64, u64) {
    let mask = u128::MAX >> (128 - bits);
    let (a, b, c, cin) = (u128::from(a), u128::from(b), u128::from(c), u128::from(cin));
    let wide = match kind {
        CarryKind::Add => a + b + cin,
        // The carry of a difference is set where nothing is borrowed.
        CarryKind::Sub => a + (!b & mask) + cin,
        CarryKind::MadLo => ((a * b) & mask) + c + cin,
        CarryKind::MadHi => ((a * b) >> bits) + c + cin,
        CarryKind::MadHiSigned => {
            let extend = |v: u128| (v << (128 - bits)).cast_signed() >> (128 - bits);
            ((extend(a) * extend(b)) >> bits).cast_unsigned() & mask
        }
        .wrapping_add(c + cin),
    };
    ((wide & mask) as u64, (wide >> bits & 1) as u64)
}
