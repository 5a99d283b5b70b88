//! Rounding in a direction other than to nearest.
//!
//! An exact result is held as the nearest f64 and the side of it on which the
//! exact value lies.

use std::cmp::Ordering;

use super::convert::Rounding;
use super::soft;

/// An exact value: `near`, and how the exact value compares with it.
#[derive(Clone, Copy)]
pub(crate) struct Exact {
    near: f64,
    side: Ordering,
}

fn sign(value: f64) -> Ordering {
    value.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
}

/// A value that f64 holds.
pub(crate) fn exactly(value: f64) -> Exact {
    Exact { near: value, side: Ordering::Equal }
}

/// The sum of two numbers (Knuth's two-sum gives its error).
pub(crate) fn sum(a: f64, b: f64) -> Exact {
    let near = a + b;
    let from_b = near - a;
    let error = (a - (near - from_b)) + (b - from_b);
    Exact { near, side: sign(error) }
}

/// The quotient of two f32.
pub(crate) fn quotient(a: f32, b: f32) -> Exact {
    let (a, b) = (f64::from(a), f64::from(b));
    let near = a / b;
    let rest = soft::fused(-near, b, a);
    let side = if b < 0.0 { sign(rest).reverse() } else { sign(rest) };
    Exact { near, side }
}

/// The root of an f32.
pub(crate) fn root(a: f32) -> Exact {
    let a = f64::from(a);
    let near = a.sqrt();
    let side = sign(soft::fused(-near, near, a));
    Exact { near, side }
}

/// Rounds to f32 in a direction.
pub(crate) fn to_f32(exact: Exact, rounding: Rounding) -> f32 {
    let near = exact.near as f32;
    if !exact.near.is_finite() {
        return near;
    }
    // How the f32 compares with the exact value.
    let over = match f64::from(near).partial_cmp(&exact.near) {
        Some(Ordering::Equal) | None => exact.side.reverse(),
        Some(other) => other,
    };
    step(near, over, rounding, exact.near < 0.0, f32::next_down, f32::next_up)
}

/// Moves the nearest value one step where it lies on the wrong side.
pub(crate) fn step<T>(
    near: T,
    over: Ordering,
    rounding: Rounding,
    negative: bool,
    down: fn(T) -> T,
    up: fn(T) -> T,
) -> T {
    let rounding = match rounding {
        Rounding::Zero if negative => Rounding::Up,
        Rounding::Zero => Rounding::Down,
        other => other,
    };
    match (rounding, over) {
        (Rounding::Down, Ordering::Greater) => down(near),
        (Rounding::Up, Ordering::Less) => up(near),
        _ => near,
    }
}

/// The exact value itself, or the one of its two neighbours among f64 whose
/// last bit is odd: what is rounded to fewer bits after that is rounded as the
/// exact value is.
#[inline]
pub(crate) fn odd(exact: Exact) -> f64 {
    let near = exact.near;
    let even = near.to_bits() & 1 == 0;
    match exact.side {
        Ordering::Less if even && near.is_finite() => near.next_down(),
        Ordering::Greater if even && near.is_finite() => near.next_up(),
        _ => near,
    }
}
