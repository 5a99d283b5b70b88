//! Constant expressions, with the types and the arithmetic that NVIDIA's assembler has for them.

use super::super::error::Diagnostic;
use super::super::lex::Kind;
use super::Parser;

/// The value of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Constant {
    /// `.s64`
    Signed(i64),
    /// `.u64`
    Unsigned(u64),
    /// `.f64`
    Real(f64),
}

use Constant::{Real, Signed, Unsigned};

/// How deep expressions may nest.
const DEEPEST: u32 = 100;
/// Operators with two operands, those that bind weakest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Constant {
    /// The bits of an integer.
    fn bits(self) -> Option<u64> {
        match self {
            Signed(value) => Some(value as u64),
            Unsigned(value) => Some(value),
            Real(_) => None,
        }
    }

    /// The same as a signed number or not, as `like` is.
    const fn as_of(bits: u64, signed: bool) -> Self {
        if signed { Signed(bits as i64) } else { Unsigned(bits) }
    }
}

/// Whether two operands are compared so.
fn compared<T: PartialOrd>(operator: &str, a: T, b: T) -> Option<bool> {
    Some(match operator {
        "==" => a == b,
        "!=" => a != b,
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        _ => return None,
    })
}

/// Sums, differences and products, of reals quotients too.
fn of_reals(operator: &str, a: f64, b: f64) -> Option<f64> {
    Some(match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        _ => return None,
    })
}

/// An operation on two operands.
fn binary(operator: &str, a: Constant, b: Constant) -> Result<Constant, &'static str> {
    if let (Real(a), Real(b)) = (a, b) {
        let test = compared(operator, a, b).map(|test| Signed(test.into()));
        return test
            .or(of_reals(operator, a, b).map(Real))
            .ok_or("Integer constant expression expected");
    }
    let (Some(x), Some(y)) = (a.bits(), b.bits()) else {
        return Err("Constant expression type mismatch");
    };
    let (first, both) = match (a, b) {
        (Signed(_), Signed(_)) => (true, true),
        (Signed(_), _) => (true, false),
        _ => (false, false),
    };
    let (xs, ys) = (x as i64, y as i64);
    let test = if both { compared(operator, xs, ys) } else { compared(operator, x, y) };
    if let Some(test) = test {
        return Ok(Signed(test.into()));
    }
    if matches!(operator, "/" | "%") && y == 0 {
        return Err("Constant expression has division by zero");
    }
    Ok(match operator {
        "||" => Signed((x != 0 || y != 0).into()),
        "&&" => Signed((x != 0 && y != 0).into()),
        "|" => Unsigned(x | y),
        "^" => Unsigned(x ^ y),
        "&" => Unsigned(x & y),
        "<<" => Constant::as_of(x.wrapping_shl(y as u32), first),
        ">>" if first => Signed(xs.wrapping_shr(y as u32)),
        ">>" => Unsigned(x.wrapping_shr(y as u32)),
        "+" => Constant::as_of(x.wrapping_add(y), both),
        "-" => Constant::as_of(x.wrapping_sub(y), both),
        "*" => Constant::as_of(x.wrapping_mul(y), both),
        "/" if both => Signed(xs.wrapping_div(ys)),
        "/" => Unsigned(x / y),
        _ => Signed((x % y) as i64),
    })
}

impl Parser<'_, '_> {
    /// Whether a constant expression is next, rather than a name.
    pub(super) fn is_constant(&self) -> bool {
        let operator = |kind| matches!(kind, Kind::Mark('+' | '-' | '!' | '~' | '('));
        let begins = |kind| {
            operator(kind)
                || matches!(
                    kind,
                    Kind::Int(_) | Kind::Unsigned(_) | Kind::F64(_) | Kind::Word("WARP_SZ")
                )
        };
        match self.peek(0) {
            // `!name` and `-name` are operands of their own.
            Kind::Mark('!' | '-') => begins(self.peek(1)),
            kind => begins(kind),
        }
    }

    /// A constant expression.
    pub(super) fn constant(&mut self) -> Result<Constant, Diagnostic> {
        self.conditional(0)
    }

    /// One that is an integer.
    pub(super) fn whole(&mut self) -> Result<u64, Diagnostic> {
        let value = self.constant()?;
        value.bits().map_or_else(|| self.error("Integer constant expression expected"), Ok)
    }

    fn deeper(&self, depth: u32) -> Result<u32, Diagnostic> {
        if depth >= DEEPEST {
            return self.error("A constant expression is nested too deep");
        }
        Ok(depth + 1)
    }

    fn conditional(&mut self, depth: u32) -> Result<Constant, Diagnostic> {
        let depth = self.deeper(depth)?;
        let condition = self.operation(0, depth)?;
        if !self.take('?') {
            return Ok(condition);
        }
        let yes = self.conditional(depth)?;
        self.expect(':')?;
        let no = self.conditional(depth)?;
        let Some(condition) = condition.bits() else {
            return self.error("Integer constant expression expected");
        };
        let chosen = if condition != 0 { yes } else { no };
        match (yes, no) {
            (Real(_), Real(_)) | (Signed(_), Signed(_)) => Ok(chosen),
            _ => match (yes.bits(), no.bits(), chosen.bits()) {
                (Some(_), Some(_), Some(chosen)) => Ok(Unsigned(chosen)),
                _ => self.error("Constant expression type mismatch"),
            },
        }
    }

    /// Operators of a level and of those that bind more.
    fn operation(&mut self, level: usize, depth: u32) -> Result<Constant, Diagnostic> {
        let Some(operators) = LEVELS.get(level) else { return self.unary(depth) };
        let mut value = self.operation(level + 1, depth)?;
        loop {
            let next = |one: &&&str| match self.peek(0) {
                Kind::Mark(mark) => one.len() == 1 && one.starts_with(mark),
                Kind::Operator(operator) => **one == operator,
                _ => false,
            };
            let Some(operator) = operators.iter().find(next) else { return Ok(value) };
            self.at += 1;
            let other = self.operation(level + 1, depth)?;
            value = binary(operator, value, other).or_else(|why| self.error(why))?;
        }
    }

    fn unary(&mut self, depth: u32) -> Result<Constant, Diagnostic> {
        let depth = self.deeper(depth)?;
        let next = self.peek(0);
        if let Kind::Mark(sign @ ('+' | '-' | '!' | '~')) = next {
            self.at += 1;
            let value = self.unary(depth)?;
            return match (sign, value) {
                ('+', value) => Ok(value),
                ('-', Real(value)) => Ok(Real(-value)),
                ('-', Signed(value)) => Ok(Signed(value.wrapping_neg())),
                ('-', Unsigned(value)) => Ok(Unsigned(value.wrapping_neg())),
                (_, value) => match value.bits() {
                    Some(bits) if sign == '!' => Ok(Signed((bits == 0).into())),
                    Some(bits) => Ok(Unsigned(!bits)),
                    None => self.error("Integer constant expression expected"),
                },
            };
        }
        let value = match next {
            Kind::Int(value) => i64::try_from(value).map_or(Unsigned(value), Signed),
            Kind::Unsigned(value) => Unsigned(value),
            Kind::F64(bits) => Real(f64::from_bits(bits)),
            Kind::Word("WARP_SZ") => Signed(32),
            Kind::Mark('(') => {
                self.at += 1;
                let cast = match self.peek(0) {
                    Kind::Word(word) if word.starts_with('.') => Some(word),
                    _ => None,
                };
                if let Some(cast) = cast {
                    self.at += 1;
                    self.expect(')')?;
                    let value = self.unary(depth)?;
                    return match (cast, value.bits()) {
                        (".s64", Some(bits)) => Ok(Signed(bits as i64)),
                        (".u64", Some(bits)) => Ok(Unsigned(bits)),
                        _ => self.error("Unsupported cast operation"),
                    };
                }
                let value = self.conditional(depth)?;
                self.expect(')')?;
                return Ok(value);
            }
            _ => return self.unexpected("a constant"),
        };
        self.at += 1;
        Ok(value)
    }
}
