//! Video instructions: `vadd` to `vset`, and those of two and four parts of a word.

use super::super::code::{Op, Src};
use super::super::ops::{End, Select, Video, What};
use super::super::tree::Operand;
use super::super::types::Type;
use super::modifiers::Modifiers;
use super::{Body, Lowered, Refusal, refuse};

/// The digits after a selector's letter, if it has at most so many, below a limit: `b3210` of bytes.
fn digits(selector: &str, letter: char, most: usize, limit: u32) -> Option<Vec<u32>> {
    let text = selector.strip_prefix(letter)?;
    let list: Option<Vec<u32>> = text.chars().map(|one| one.to_digit(limit)).collect();
    list.filter(|list| (1..=most).contains(&list.len()))
}

/// A name, and the selector after its dot.
fn selected(name: &str) -> (&str, Option<&str>) {
    name.split_once('.').map_or((name, None), |(name, selector)| (name, Some(selector)))
}

/// The bits that a scalar form's selector stands for: the first, and how many.
fn scalar(selector: Option<&str>) -> Lowered<(u32, u32)> {
    let Some(selector) = selector else { return Ok((0, 32)) };
    match (digits(selector, 'b', 1, 4), digits(selector, 'h', 1, 2)) {
        (Some(byte), _) => Ok((8 * byte[0], 8)),
        (_, Some(half)) => Ok((16 * half[0], 16)),
        _ => refuse(format!("Unknown selector '.{selector}'")),
    }
}

/// The instruction of a name without its number of parts.
fn what(name: &str, m: &mut Modifiers<'_>) -> Lowered<What> {
    let wrap = |m: &mut Modifiers<'_>| match m.take_any(&["clamp", "wrap"]) {
        Some(mode) => Ok(mode == "wrap"),
        None => refuse("'.clamp' or '.wrap' is required"),
    };
    Ok(match name {
        "vadd" => What::Add,
        "vsub" => What::Sub,
        "vabsdiff" => What::Distance,
        "vmin" => What::Least,
        "vmax" => What::Most,
        "vavrg" => What::Average,
        "vshl" => What::ShiftLeft { wrap: wrap(m)? },
        "vshr" => What::ShiftRight { wrap: wrap(m)? },
        "vset" => What::Set(match m.take_any(&["eq", "ne", "lt", "le", "gt", "ge"]) {
            Some("eq") => [false, true, false],
            Some("ne") => [true, false, true],
            Some("lt") => [true, false, false],
            Some("le") => [true, true, false],
            Some("gt") => [false, false, true],
            Some(_) => [false, true, true],
            None => return Err(Refusal::Unsupported),
        }),
        _ => What::MulAdd { product: false, addend: false, more: m.take("po") },
    })
}

/// The types of the result and of both operands: whether they have a sign.
fn signs(what: What, m: &mut Modifiers<'_>) -> Lowered<[bool; 3]> {
    let one = |m: &mut Modifiers<'_>| match m.ty()? {
        Type::U32 => Ok(false),
        Type::S32 => Ok(true),
        _ => Err(Refusal::Unsupported),
    };
    let d = if matches!(what, What::Set(_)) { false } else { one(m)? };
    let signs = [d, one(m)?, one(m)?];
    let shift = matches!(what, What::ShiftLeft { .. } | What::ShiftRight { .. });
    if shift && signs[2] { Err(Refusal::Unsupported) } else { Ok(signs) }
}

impl<'s> Body<'_, 's> {
    pub(super) fn video(&mut self, m: &mut Modifiers<'_>, operands: &[Operand<'s>]) -> Lowered<()> {
        let (name, parts) = match m.head.as_bytes() {
            [.., b'2'] => (&m.head[..m.head.len() - 1], 2),
            [.., b'4'] => (&m.head[..m.head.len() - 1], 4),
            _ => (m.head, 1),
        };
        let what = what(name, m)?;
        let signed = signs(what, m)?;
        let saturates = !matches!(what, What::Set(_)) && m.take("sat");
        if parts == 1 {
            self.video_scalar((what, signed, saturates), m, operands)
        } else {
            self.video_parts((what, signed, saturates), parts, m, operands)
        }
    }

    /// An operand that may be negated or a constant: what is read, its selector, and whether it is negated.
    fn scalar_operand(&mut self, operand: &Operand<'s>) -> Lowered<(Src, (u32, u32), bool)> {
        let (name, negated) = match *operand {
            Operand::Name(name) => (name, false),
            Operand::Minus(name) => (name, true),
            _ => return Ok((self.src(operand, Type::U32)?, (0, 32), false)),
        };
        let (name, selector) = selected(name);
        let slot = self.register(name, Type::U32)?;
        Ok((Src::register(slot), scalar(selector)?, negated))
    }

    fn video_scalar(
        &mut self,
        (mut what, signed, saturates): (What, [bool; 3], bool),
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        let multiplies = matches!(what, What::MulAdd { .. });
        let adds = !multiplies && m.take("add");
        m.end()?;
        // Of other forms, GPUs do not give what PTX specifies.
        let inexact = matches!(what, What::Distance | What::ShiftLeft { .. } | What::MulAdd { .. });
        if saturates && inexact {
            return Err(Refusal::Unsupported);
        }
        let [d, a, b, c @ ..] = operands else {
            return refuse("Incorrect number of operands");
        };
        let d = self.d(d, Type::U32)?;
        let ((a, a_bits, a_minus), (b, b_bits, b_minus)) =
            (self.scalar_operand(a)?, self.scalar_operand(b)?);
        let (c, whole, c_minus) = match c {
            [] if !adds && !multiplies => (self.constant(0), (0, 32), false),
            // Without a use for it, it is ignored.
            [c] => self.scalar_operand(c)?,
            _ => return refuse("Incorrect number of operands"),
        };
        let end = if adds { End::Sum(1) } else { End::Whole };
        if let What::MulAdd { product, addend, more } = &mut what {
            (*product, *addend) = (a_minus != b_minus, c_minus);
            if *product && *addend || *more && (a_minus || b_minus || c_minus) {
                return refuse("Arguments mismatch: too much is negated");
            }
        } else if a_minus || b_minus || c_minus {
            return refuse("Arguments mismatch: only factors and addends are negated");
        }
        if whole != (0, 32) {
            return refuse("Arguments mismatch: a whole word is expected");
        }
        let select = [(a_bits, 0), (b_bits, 32)]
            .map(|((at, bits), word)| Select { bits, at: [at + word, 0, 0, 0] });
        let how = Video { what, signed, select, parts: 1, saturates, end };
        self.push(Op::Video { how: Box::new(how), d, a, b, c });
        Ok(())
    }

    fn video_parts(
        &mut self,
        (what, signed, saturates): (What, [bool; 3], bool),
        parts: u32,
        m: &mut Modifiers<'_>,
        operands: &[Operand<'s>],
    ) -> Lowered<()> {
        let adds = m.take("add");
        m.end()?;
        let single =
            matches!(what, What::ShiftLeft { .. } | What::ShiftRight { .. } | What::MulAdd { .. });
        if single || adds && saturates {
            return Err(Refusal::Unsupported);
        }
        let &[Operand::Name(d), Operand::Name(a), Operand::Name(b), Operand::Name(c)] = operands
        else {
            return refuse("Arguments mismatch: four registers are expected");
        };
        let (letter, count) = if parts == 2 { ('h', 2) } else { ('b', 4) };
        let unknown = |one: &str| Refusal::Message(format!("Unknown selector '.{one}'"));
        let (d, mask) = selected(d);
        let mask = match mask {
            None => (1 << parts) - 1,
            Some(one) => match digits(one, letter, count, parts) {
                // The parts are named from the highest down.
                Some(list) if list.is_sorted_by(|a, b| a > b) => {
                    list.iter().fold(0, |mask, part| mask | 1 << part)
                }
                _ => return Err(unknown(one)),
            },
        };
        let mut read = |name: &'s str, first: u32| {
            let (name, selector) = selected(name);
            let list = match selector {
                None => (0..parts).map(|part| first + part).collect(),
                Some(one) => match digits(one, letter, count, 2 * parts) {
                    Some(list) if list.len() == count => list.into_iter().rev().collect(),
                    _ => return Err(unknown(one)),
                },
            };
            let bits = 32 / parts;
            let mut at = [0; 4];
            at.iter_mut().zip::<Vec<u32>>(list).for_each(|(at, part)| *at = part * bits);
            Ok((Src::register(self.register(name, Type::U32)?), Select { bits, at }))
        };
        let ((a, first), (b, other)) = (read(a, 0)?, read(b, parts)?);
        let c = Src::register(self.register(c, Type::U32)?);
        let d = self.register(d, Type::U32)?;
        let end = if adds { End::Sum(mask) } else { End::Parts(mask) };
        let how = Video { what, signed, select: [first, other], parts, saturates, end };
        self.push(Op::Video { how: Box::new(how), d, a, b, c });
        Ok(())
    }
}
