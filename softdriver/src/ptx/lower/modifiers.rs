//! An opcode's modifiers, taken from left to right.

use super::super::ops::{self, Rounding};
use super::super::types::Type;
use super::{Lowered, Refusal};

/// The parts of an opcode such as `ld.global.v2.f32`.
pub(super) struct Modifiers<'s> {
    /// The first part.
    pub(super) head: &'s str,
    rest: Vec<&'s str>,
    at: usize,
}

impl<'s> Modifiers<'s> {
    /// Splits an opcode.
    pub(super) fn new(opcode: &'s str) -> Self {
        let mut parts = opcode.split('.');
        let head = parts.next().unwrap_or_default();
        Self { head, rest: parts.collect(), at: 0 }
    }

    /// The next modifier.
    pub(super) fn peek(&self) -> &'s str {
        self.rest.get(self.at).copied().unwrap_or_default()
    }

    /// The next modifier, taken.
    pub(super) fn next(&mut self) -> &'s str {
        let next = self.peek();
        self.at += 1;
        next
    }

    /// Takes a modifier if it is next.
    pub(super) fn take(&mut self, name: &str) -> bool {
        let there = self.peek() == name;
        self.at += usize::from(there);
        there
    }

    /// Takes whichever of some modifiers is next.
    pub(super) fn take_any(&mut self, names: &[&'static str]) -> Option<&'static str> {
        let next = self.peek();
        let found = names.iter().copied().find(|&name| name == next)?;
        self.at += 1;
        Some(found)
    }

    /// Whether a modifier is anywhere.
    pub(super) fn has(&self, name: &str) -> bool {
        self.rest.contains(&name)
    }

    /// The type that is next.
    pub(super) fn ty(&mut self) -> Lowered<Type> {
        Type::named(self.next()).ok_or(Refusal::Unsupported)
    }

    /// The type that is last, without taking it.
    pub(super) fn last_type(&self) -> Option<Type> {
        self.rest.last().and_then(|name| Type::named(name))
    }

    /// All have been taken.
    pub(super) fn end(&self) -> Lowered<()> {
        if self.at >= self.rest.len() { Ok(()) } else { Err(Refusal::Unsupported) }
    }

    /// The last type, with nothing after it.
    pub(super) fn end_type(&mut self) -> Lowered<Type> {
        let ty = self.ty()?;
        self.end()?;
        Ok(ty)
    }

    /// A rounding of floats, if it is next.
    pub(super) fn rounding(&mut self) -> Option<Rounding> {
        let rounding = match self.peek() {
            "rn" => Rounding::Nearest,
            "rz" => Rounding::Zero,
            "rm" => Rounding::Down,
            "rp" => Rounding::Up,
            _ => return None,
        };
        self.at += 1;
        Some(rounding)
    }

    /// A rounding to whole numbers, if it is next.
    pub(super) fn integral(&mut self) -> Option<Rounding> {
        let rounding = match self.peek() {
            "rni" => Rounding::Nearest,
            "rzi" => Rounding::Zero,
            "rmi" => Rounding::Down,
            "rpi" => Rounding::Up,
            _ => return None,
        };
        self.at += 1;
        Some(rounding)
    }

    /// The modifiers of floating-point arithmetic.
    pub(super) fn float(&mut self) -> ops::Modifiers {
        let approximate = self.take("approx") || (self.head == "div" && self.take("full"));
        ops::Modifiers {
            approximate,
            rounding: self.rounding(),
            ftz: self.take("ftz"),
            nan: self.take("NaN"),
            sat: self.take("sat"),
            relu: self.take("relu"),
        }
    }
}
