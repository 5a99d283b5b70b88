//! Functions on all lanes at once, and accesses of all lanes at once, give what they give lane by lane.

use super::super::ops::wide::{Lie, Pattern, alike, held, lie, moved};
use super::super::ops::{self, Modifiers, Row};
use super::super::types::Type;

/// Numbers of all kinds, in no order.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        self.0 ^ self.0 >> 33
    }

    /// A value of a type: any bits, or bits that are special for it.
    fn value(&mut self, ty: Type) -> u64 {
        let (exponent, mantissa): (u64, u64) = match ty {
            Type::F64 => (0x7ff << 52, (1 << 52) - 1),
            Type::F32 => (0xff << 23, (1 << 23) - 1),
            _ => (0, u64::MAX),
        };
        let sign = self.next() & (exponent + (exponent & exponent.wrapping_neg()));
        let bits = match self.next() % 8 {
            0 => exponent | self.next() & mantissa,
            1 => exponent,
            2 => sign | self.next() & mantissa,
            3 => 0,
            4 => self.next() % 64,
            _ => self.next(),
        };
        bits & u64::MAX >> (64 - 8 * u32::from(ty.bytes))
    }

    fn row(&mut self, ty: Type) -> Row {
        std::array::from_fn(|_| self.value(ty))
    }
}

/// Compares what `all` makes of four rows, of which it sets the last or the first, with what `one` makes of a lane.
fn compare(
    name: &str,
    ty: Type,
    all: impl Fn(&mut [Row], usize),
    one: impl Fn(&[Row], u32, &mut Row),
) {
    let mut numbers = Numbers(7);
    for turn in 0..500 {
        let rows: [Row; 4] = std::array::from_fn(|_| numbers.row(ty));
        let mut expected = [0; 32];
        (0..32).for_each(|lane| one(&rows, 1 << lane, &mut expected));
        // Into a row of its own, and over an operand.
        for d in [3, turn % 3] {
            let mut got = rows;
            all(&mut got, d);
            for lane in 0..32 {
                let operands = [rows[0][lane], rows[1][lane], rows[2][lane]];
                assert_eq!(got[d][lane], expected[lane], "{name} {ty:?} of {operands:x?}");
            }
            let kept = (0..4).filter(|&row| row != d).all(|row| got[row] == rows[row]);
            assert!(kept, "{name} changed an operand");
        }
    }
}

#[test]
fn all_lanes_at_once_are_as_one_by_one() {
    let rounded = Modifiers { rounding: Some(ops::Rounding::Nearest), ..Modifiers::default() };
    for ty in [Type::F32, Type::F64] {
        for m in [rounded, Modifiers { rounding: Some(ops::Rounding::Zero), ..rounded }] {
            for name in ["add", "sub", "mul", "div", "min", "max"] {
                let Some(f) = ops::float_binary(name, ty, m) else { continue };
                compare(name, ty, |r, d| f.run(r, d, 0, 1), |r, m, o| f.eval(&r[0], &r[1], m, o));
            }
            for name in ["neg", "abs", "sqrt", "rcp"] {
                let Some(f) = ops::float_unary(name, ty, m) else { continue };
                compare(name, ty, |r, d| f.run(r, d, 0), |r, m, o| f.eval(&r[0], m, o));
            }
            let f = ops::float_ternary("fma", ty, m).unwrap();
            let one = |r: &[Row], m, o: &mut Row| f.eval(&r[0], &r[1], &r[2], m, o);
            compare("fma", ty, |r, d| f.run(r, d, 0, 1, 2), one);
        }
        for operator in ["eq", "lt", "geu", "nan"] {
            let f = ops::compare(operator, ty, false).unwrap();
            compare(operator, ty, |r, d| f.run(r, d, 0, 1), |r, m, o| f.eval(&r[0], &r[1], m, o));
        }
    }
    for ty in [Type::U32, Type::S64, Type::B32] {
        for name in
            ["add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max", "xor", "shl", "shr"]
        {
            let Some(f) = ops::integer_binary(name, ty) else { continue };
            compare(name, ty, |r, d| f.run(r, d, 0, 1), |r, m, o| f.eval(&r[0], &r[1], m, o));
        }
    }
}

/// The NaN of a fused operation is that of the first factor's fellow, as x86-64's instruction has it.
#[test]
fn a_fused_sum_of_f64_keeps_the_same_nan_wherever_it_is_computed() {
    let m = Modifiers { rounding: Some(ops::Rounding::Nearest), ..Modifiers::default() };
    let f = ops::float_ternary("fma", Type::F64, m).unwrap();
    let (a, b, c) = (0x7ff8_0000_0000_0001, 0xfff0_0000_0000_0002, 0x7ff8_0000_0000_0003);
    let (one, inf) = (1f64.to_bits(), f64::INFINITY.to_bits());
    for (operands, expected) in [
        ([a, b, c], b | 1 << 51),
        ([a, one, c], a),
        ([one, one, c], c),
        ([inf, 0, one], 0xfff8 << 48),
        ([inf, 0, c], c),
    ] {
        let mut rows: [Row; 4] = [0, 1, 2, 0].map(|i| [operands[i]; 32]);
        f.run(&mut rows, 3, 0, 1, 2);
        assert_eq!(rows[3], [expected; 32], "{operands:x?}");
    }
}

#[test]
fn predicates_and_patterns_of_all_lanes() {
    let mut numbers = Numbers(3);
    for _ in 0..1000 {
        let row: Row = std::array::from_fn(|_| numbers.next());
        let expected =
            (0..32).filter(|&lane| row[lane] & 1 == 1).fold(0, |all, lane| all | 1 << lane);
        assert_eq!(held(&row), expected);
        let by = numbers.next();
        let mut to = [0; 32];
        let (bits, pattern) = moved(&row, by, 4, &mut to);
        assert_eq!(pattern, Pattern::Other);
        assert_eq!(to, row.map(|value| value.wrapping_add(by)));
        assert_eq!(bits, to.iter().fold(0, |all, value| all | value));
        let mut row: Row = std::array::from_fn(|lane| by.wrapping_add(lane as u64 * 4));
        assert_eq!(moved(&row, 64, 4, &mut to).1, Pattern::Run);
        assert_eq!(moved(&row, 64, 8, &mut to).1, Pattern::Other);
        row[(by % 32) as usize] += 1;
        assert_eq!(moved(&row, 64, 4, &mut to).1, Pattern::Other);
        row = [by; 32];
        assert_eq!(moved(&row, 64, 4, &mut to).1, Pattern::Same);
        row[(by % 31) as usize + 1] ^= 1 << (by % 64);
        assert_eq!(moved(&row, 64, 4, &mut to).1, Pattern::Other);
    }
    let mut values = [5; 32];
    assert!(alike(&values));
    values[31] = 4;
    assert!(!alike(&values));
}

#[test]
fn how_addresses_lie() {
    const BASE: u64 = 1 << 48;
    for size in [1, 2, 4, 8] {
        let run: Row = std::array::from_fn(|lane| BASE + 16 + lane as u64 * size);
        let last = 16 + 31 * size;
        assert_eq!(lie(&run, BASE, last, size), Lie::Run);
        assert_eq!(lie(&run, BASE, last - 1, size), Lie::Beyond);
        assert_eq!(lie(&run, BASE + 17, u64::MAX >> 1, size), Lie::Beyond);
        assert_eq!(lie(&[BASE; 32], BASE, 0, size), Lie::Within);
        for lane in 0..32 {
            let mut other = run;
            other[lane] = BASE;
            assert_eq!(lie(&other, BASE, last, size), Lie::Within);
            other[lane] = u64::MAX - 7;
            assert_eq!(lie(&other, BASE, last, size), Lie::Beyond);
            other[lane] = BASE + size - 1;
            let aligned = if size == 1 { Lie::Within } else { Lie::Beyond };
            assert_eq!(lie(&other, BASE, last, size), aligned);
        }
    }
}
