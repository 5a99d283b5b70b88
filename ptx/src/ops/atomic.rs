//! The updates of atomic operations.

use super::super::code::Update;
use super::super::types::{Kind, Type};
use super::float::least;
use super::real::{BF16, F16, Real};
use super::word::{Word, by_type};

/// A sum of two floats, and of two pairs of them.
fn sum<T: Real>(a: u64, b: u64) -> u64 {
    T::of(a).sum::<0>(T::of(b)).result()
}

fn sums<T: Real>(a: u64, b: u64) -> u64 {
    sum::<T>(a & 0xffff, b & 0xffff) | sum::<T>(a >> 16 & 0xffff, b >> 16 & 0xffff) << 16
}

/// The lesser of two floats, or the greater one, and those of two pairs.
fn lesser<T: Real, const GREATER: bool>(a: u64, b: u64) -> u64 {
    let (a, b) = (T::of(a), T::of(b));
    match GREATER {
        true => least(a.negated(), b.negated()).negated().result(),
        false => least(a, b).result(),
    }
}

fn lessers<T: Real, const GREATER: bool>(a: u64, b: u64) -> u64 {
    lesser::<T, GREATER>(a & 0xffff, b & 0xffff)
        | lesser::<T, GREATER>(a >> 16 & 0xffff, b >> 16 & 0xffff) << 16
}

/// The least or the greatest number of half precision.
fn extreme<const GREATER: bool>(ty: Type) -> Option<Update> {
    match ty {
        Type::F16 => Some(&|old: u64, b: u64, _: u64| lesser::<F16, GREATER>(old, b)),
        Type::BF16 => Some(&|old: u64, b: u64, _: u64| lesser::<BF16, GREATER>(old, b)),
        Type::F16X2 => Some(&|old: u64, b: u64, _: u64| lessers::<F16, GREATER>(old, b)),
        Type::BF16X2 => Some(&|old: u64, b: u64, _: u64| lessers::<BF16, GREATER>(old, b)),
        _ => None,
    }
}

/// The update of an operation, `b` and `c` being its operands.
pub(crate) fn atomic(opcode: &str, ty: Type) -> Option<Update> {
    let word = ty.bytes >= 4 && ty.kind == Kind::Bits;
    match opcode {
        "exch" if word => Some(&|_: u64, b: u64, _: u64| b),
        "cas" if ty.kind == Kind::Bits => {
            Some(&|old: u64, b: u64, c: u64| if old == b { c } else { old })
        }
        "and" if word => Some(&|old: u64, b: u64, _: u64| old & b),
        "or" if word => Some(&|old: u64, b: u64, _: u64| old | b),
        "xor" if word => Some(&|old: u64, b: u64, _: u64| old ^ b),
        "add" => match ty {
            Type::F16 => Some(&|old: u64, b: u64, _: u64| sum::<F16>(old, b)),
            Type::BF16 => Some(&|old: u64, b: u64, _: u64| sum::<BF16>(old, b)),
            Type::F16X2 => Some(&|old: u64, b: u64, _: u64| sums::<F16>(old, b)),
            Type::BF16X2 => Some(&|old: u64, b: u64, _: u64| sums::<BF16>(old, b)),
            Type::F32 => Some(&|old: u64, b: u64, _: u64| sum::<f32>(old, b)),
            Type::F64 => Some(&|old: u64, b: u64, _: u64| sum::<f64>(old, b)),
            Type::U32 | Type::S32 => {
                Some(&|old: u64, b: u64, _: u64| (old as u32).wrapping_add(b as u32).into())
            }
            Type::U64 => Some(&|old: u64, b: u64, _: u64| old.wrapping_add(b)),
            _ => None,
        },
        "inc" if ty == Type::U32 => {
            Some(&|old: u64, b: u64, _: u64| if old >= b { 0 } else { old + 1 })
        }
        "dec" if ty == Type::U32 => {
            Some(&|old: u64, b: u64, _: u64| if old == 0 || old > b { b } else { old - 1 })
        }
        "min" if ty.is_float() => extreme::<false>(ty),
        "max" if ty.is_float() => extreme::<true>(ty),
        "min" => by_type!(
            ty,
            [Unsigned 4 u32, Signed 4 i32, Unsigned 8 u64, Signed 8 i64],
            |a, b, c| {
                let _: T = c;
                a.min(b)
            }
        ),
        "max" => by_type!(
            ty,
            [Unsigned 4 u32, Signed 4 i32, Unsigned 8 u64, Signed 8 i64],
            |a, b, c| {
                let _: T = c;
                a.max(b)
            }
        ),
        _ => None,
    }
}
