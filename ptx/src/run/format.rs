//! The text that `vprintf` writes for its format and arguments.

use super::block::Shared;
use super::warp::Warp;
use super::{Fault, access};

/// The most characters that a width or a precision asks for.
const WIDEST: usize = 1 << 12;
/// The most bytes of a text argument.
const LONGEST: usize = 1 << 12;

/// The buffer of arguments, each aligned to its size.
pub(super) struct Arguments<'w, 'a> {
    pub(super) warp: &'w Warp,
    pub(super) shared: &'w Shared<'a>,
    pub(super) lane: usize,
    /// The address of the next one.
    pub(super) at: u64,
}

impl Arguments<'_, '_> {
    fn next(&mut self, size: u64) -> Result<u64, Fault> {
        self.at = self.at.checked_next_multiple_of(size).ok_or(Fault::IllegalAddress)?;
        let value = access::generic(self.warp, self.shared, self.lane, self.at, size as usize)?;
        self.at = self.at.wrapping_add(size);
        Ok(value)
    }

    fn text(&mut self) -> Result<Vec<u8>, Fault> {
        match self.next(8)? {
            0 => Ok(b"(null)".to_vec()),
            at => access::text(self.warp, self.shared, self.lane, at, LONGEST),
        }
    }
}

/// A conversion of a format.
#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    long: bool,
    /// Bits of an integer that is shorter than its argument.
    short: u32,
}

/// The text, and the number of arguments.
pub(super) fn format(
    text: &[u8],
    mut arguments: Arguments<'_, '_>,
) -> Result<(Vec<u8>, u64), Fault> {
    let (mut out, mut count) = (Vec::new(), 0);
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        if let Some(after) = rest.strip_prefix(b"%") {
            rest = after;
            out.push(b'%');
            continue;
        }
        let whole = rest;
        let mut spec = Spec::default();
        rest = flags(&mut spec, rest);
        let (width, after) = number(rest, &mut arguments)?;
        rest = after;
        if let Some(width) = width {
            spec.left |= width < 0;
            spec.width = (width.unsigned_abs() as usize).min(WIDEST);
        }
        if let Some(after) = rest.strip_prefix(b".") {
            let (precision, after) = number(after, &mut arguments)?;
            rest = after;
            spec.precision = Some((precision.unwrap_or(0).max(0) as usize).min(WIDEST));
        }
        let letter = rest;
        while let Some((&length @ (b'h' | b'l' | b'j' | b'z' | b't' | b'L'), after)) =
            rest.split_first()
        {
            rest = after;
            match length {
                b'h' => spec.short = if spec.short == 16 { 8 } else { 16 },
                _ => spec.long = true,
            }
        }
        let Some((&conversion, after)) = rest.split_first() else {
            out.push(b'%');
            out.extend_from_slice(whole);
            break;
        };
        rest = after;
        if conversion == b'%' {
            out.push(b'%');
            continue;
        }
        let Some(one) = convert(conversion, &spec, &mut arguments)? else {
            out.push(b'%');
            out.extend_from_slice(whole.strip_suffix(letter).unwrap_or_default());
            rest = no_conversion(letter);
            continue;
        };
        count += 1;
        out.extend_from_slice(&one);
    }
    Ok((out, count))
}

/// Returns the part to write of a text that begins with the letter of no conversion (F242): all, but that letter if
/// there is more before another conversion.
fn no_conversion(text: &[u8]) -> &[u8] {
    let length = text.iter().position(|&byte| byte == b'%').unwrap_or(text.len());
    let next = text[length..].strip_prefix(b"%");
    let another = next.is_some_and(|next| !next.starts_with(b"%"));
    if length > 1 && another { &text[1..] } else { text }
}

fn flags<'t>(spec: &mut Spec, mut text: &'t [u8]) -> &'t [u8] {
    while let Some((&flag, after)) = text.split_first() {
        match flag {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alternate = true,
            b'0' => spec.zero = true,
            _ => break,
        }
        text = after;
    }
    text
}

/// A number, or an argument for `*`.
fn number<'t>(
    text: &'t [u8],
    arguments: &mut Arguments<'_, '_>,
) -> Result<(Option<i64>, &'t [u8]), Fault> {
    if let Some(after) = text.strip_prefix(b"*") {
        return Ok((Some(i64::from(arguments.next(4)? as i32)), after));
    }
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = text[..digits]
        .iter()
        .fold(0i64, |all, byte| all.saturating_mul(10).saturating_add(i64::from(byte - b'0')));
    Ok(((digits > 0).then_some(value), &text[digits..]))
}

fn convert(
    conversion: u8,
    spec: &Spec,
    arguments: &mut Arguments<'_, '_>,
) -> Result<Option<Vec<u8>>, Fault> {
    Ok(Some(match conversion {
        b'd' | b'i' => {
            let raw = arguments.next(if spec.long { 8 } else { 4 })?;
            let value = match (spec.long, spec.short) {
                (true, _) => raw.cast_signed(),
                (_, 8) => i64::from(raw as i8),
                (_, 16) => i64::from(raw as i16),
                _ => i64::from(raw as i32),
            };
            integer(spec, value < 0, value.unsigned_abs().to_string(), true)
        }
        b'u' | b'x' | b'X' | b'o' => {
            let raw = arguments.next(if spec.long { 8 } else { 4 })?;
            let value = if spec.short > 0 { raw & ((1 << spec.short) - 1) } else { raw };
            let digits = match conversion {
                b'u' => value.to_string(),
                b'x' if spec.alternate && value != 0 => format!("0x{value:x}"),
                b'X' if spec.alternate && value != 0 => format!("0X{value:X}"),
                b'o' if spec.alternate && value != 0 => format!("0{value:o}"),
                b'x' => format!("{value:x}"),
                b'X' => format!("{value:X}"),
                _ => format!("{value:o}"),
            };
            integer(spec, false, digits, false)
        }
        b'p' => integer(spec, false, format!("0x{:x}", arguments.next(8)?), false),
        b'c' => pad(spec, vec![arguments.next(4)? as u8], false),
        b's' => {
            let mut text = arguments.text()?;
            text.truncate(spec.precision.unwrap_or(usize::MAX));
            pad(spec, text, false)
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let value = f64::from_bits(arguments.next(8)?);
            let magnitude = value.abs();
            let mut text = match conversion.to_ascii_lowercase() {
                _ if magnitude.is_nan() => "nan".to_owned(),
                _ if magnitude.is_infinite() => "inf".to_owned(),
                b'f' => format!("{magnitude:.*}", spec.precision.unwrap_or(6)),
                b'e' => exponential(magnitude, spec.precision.unwrap_or(6)),
                b'g' => shortest(magnitude, spec.precision.unwrap_or(6).max(1), spec.alternate),
                _ => hexadecimal(magnitude),
            };
            if conversion.is_ascii_uppercase() {
                text.make_ascii_uppercase();
            }
            let sign = sign(spec, value.is_sign_negative());
            pad(spec, format!("{sign}{text}").into_bytes(), value.is_finite())
        }
        _ => return Ok(None),
    }))
}

fn sign(spec: &Spec, negative: bool) -> &'static str {
    match () {
        () if negative => "-",
        () if spec.plus => "+",
        () if spec.space => " ",
        () => "",
    }
}

fn integer(spec: &Spec, negative: bool, digits: String, signed: bool) -> Vec<u8> {
    let least = spec.precision.unwrap_or(0);
    let sign = if signed { sign(spec, negative) } else { "" };
    pad(spec, format!("{sign}{digits:0>least$}").into_bytes(), spec.precision.is_none())
}

/// Fills up to the width: on the left with blanks, or with zeros after the
/// sign where that is asked for and allowed.
fn pad(spec: &Spec, text: Vec<u8>, zeros: bool) -> Vec<u8> {
    let missing = spec.width.saturating_sub(text.len());
    if missing == 0 {
        return text;
    }
    if spec.left {
        return [text, vec![b' '; missing]].concat();
    }
    if spec.zero && zeros {
        let hexadecimal = text.starts_with(b"0x") || text.starts_with(b"0X");
        let front = match text.first() {
            Some(b'-' | b'+' | b' ') => 1,
            _ if hexadecimal => 2,
            _ => 0,
        };
        let (front, rest) = text.split_at(front);
        return [front, &vec![b'0'; missing], rest].concat();
    }
    [vec![b' '; missing], text].concat()
}

/// `%e`: the exponent has a sign and at least two digits.
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = match exponent.strip_prefix('-') {
                Some(exponent) => ('-', exponent),
                None => ('+', exponent),
            };
            format!("{digits}e{sign}{exponent:0>2}")
        }
        None => text,
    }
}

/// `%g`
fn shortest(value: f64, precision: usize, keep_zeros: bool) -> String {
    let rounded = format!("{value:.*e}", precision - 1);
    let exponent: i32 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trim = |text: &str| match text.contains('.') && !keep_zeros {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= precision as i32 {
        let text = exponential(value, precision - 1);
        return match text.split_once('e') {
            Some((digits, exponent)) => format!("{}e{exponent}", trim(digits)),
            None => text,
        };
    }
    trim(&format!("{value:.*}", (precision as i32 - 1 - exponent).max(0) as usize))
}

/// `%a`
fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let (field, fraction) = (bits >> 52, bits & ((1 << 52) - 1));
    let exponent = match (field, fraction) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => field as i64 - 1023,
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{}{point}{digits}p{exponent:+}", u8::from(field != 0))
}
