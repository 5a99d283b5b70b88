//! Text to tokens.

use super::error::Diagnostic;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind<'s> {
    /// A name, register, or opcode with its modifiers: anything without a gap that starts with a letter, `_`, `$` or
    /// `%`. Or a directive, up to its next `.`.
    Word(&'s str),
    /// An integer.
    Int(u64),
    /// An integer with `U` after it.
    Unsigned(u64),
    /// `0f…`: the bits of an f32.
    F32(u32),
    /// A decimal fraction: the bits of an f64.
    F64(u64),
    /// `0d…`: the bits of an f64.
    Bits64(u64),
    /// A string, without its quotes.
    Text(&'s str),
    /// A character that stands for itself.
    Mark(char),
    /// An operator of two characters, of constant expressions.
    Operator(&'static str),
    /// After the last token.
    End,
}

/// A token and the line it is on.
#[derive(Clone, Copy, Debug)]
pub struct Token<'s> {
    /// The kind.
    pub kind: Kind<'s>,
    /// The line, from 1.
    pub line: u32,
}

/// Splits a source into tokens, the last of which is [`Kind::End`].
pub fn tokens(source: &str) -> Result<Vec<Token<'_>>, Diagnostic> {
    let mut lexer = Lexer { source, bytes: source.as_bytes(), len: source.len(), at: 0, line: 1 };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.token()?;
        tokens.push(token);
        if token.kind == Kind::End {
            return Ok(tokens);
        }
    }
}

struct Lexer<'s> {
    source: &'s str,
    /// Those of the source. Under Miri each call that takes the whole source costs as many steps as there are tokens, so one
    /// byte is read without a call.
    bytes: &'s [u8],
    len: usize,
    at: usize,
    line: u32,
}

/// Operators of two characters.
const OPERATORS: &[&str] = &["<<", ">>", "<=", ">=", "==", "!=", "&&", "||"];

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

impl<'s> Lexer<'s> {
    fn byte(&self, ahead: usize) -> u8 {
        let at = self.at + ahead;
        if at < self.len { self.bytes[at] } else { 0 }
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, Diagnostic> {
        Err(Diagnostic::new(self.line, message))
    }

    fn token(&mut self) -> Result<Token<'s>, Diagnostic> {
        self.skip_blanks()?;
        let line = self.line;
        let kind = if self.at >= self.len {
            Kind::End
        } else {
            let two = [self.byte(0), self.byte(1)];
            if let Some(operator) = OPERATORS.iter().find(|one| one.as_bytes() == two) {
                self.at += operator.len();
                return Ok(Token { kind: Kind::Operator(operator), line });
            }
            match self.byte(0) {
                b'.' if self.byte(1).is_ascii_digit() => self.number()?,
                b'%' if !in_word(self.byte(1)) => {
                    self.at += 1;
                    Kind::Mark('%')
                }
                b if starts_word(b) => self.word(),
                b if b.is_ascii_digit() => self.number()?,
                b'"' => self.text()?,
                b'{' | b'}' | b'[' | b']' | b'(' | b')' | b'<' | b'>' | b',' | b';' | b':'
                | b'=' | b'+' | b'-' | b'|' | b'@' | b'!' | b'*' | b'/' | b'~' | b'^' | b'&'
                | b'?' => {
                    let mark = char::from(self.byte(0));
                    self.at += 1;
                    Kind::Mark(mark)
                }
                _ => {
                    let bad = self.source[self.at..].chars().next().unwrap_or(' ');
                    return self.error(format!("Unexpected character {bad:?}"));
                }
            }
        };
        Ok(Token { kind, line })
    }

    /// Passes over blanks and comments.
    fn skip_blanks(&mut self) -> Result<(), Diagnostic> {
        while self.at < self.len {
            match self.byte(0) {
                b'\n' => {
                    self.line = self.line.saturating_add(1);
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0c => self.at += 1,
                b'/' if self.byte(1) == b'/' => {
                    let rest = &self.source[self.at..];
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                b'/' if self.byte(1) == b'*' => {
                    let rest = &self.source[self.at + 2..];
                    let Some(length) = rest.find("*/") else {
                        return self.error("Unterminated comment");
                    };
                    let lines = rest[..length].bytes().filter(|&b| b == b'\n').count();
                    self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
                    self.at += length + 4;
                }
                // A terminating NUL, as of a C string.
                0 if self.source[self.at..].bytes().all(|b| b == 0) => {
                    self.at = self.len;
                }
                _ => break,
            }
        }
        Ok(())
    }

    fn word(&mut self) -> Kind<'s> {
        let start = self.at;
        // `.reg.v2.b32` is three words, `ld.v2.b32` one.
        let directive = self.byte(0) == b'.';
        self.at += 1;
        loop {
            if in_word(self.byte(0)) && !(directive && self.byte(0) == b'.') {
                self.at += 1;
            } else if self.byte(0) == b':' && self.byte(1) == b':' && in_word(self.byte(2)) {
                self.at += 2;
            } else {
                break;
            }
        }
        Kind::Word(&self.source[start..self.at])
    }

    fn text(&mut self) -> Result<Kind<'s>, Diagnostic> {
        let rest = &self.source[self.at + 1..];
        match rest.find(['"', '\n']) {
            Some(length) if rest.as_bytes()[length] == b'"' => {
                self.at += length + 2;
                Ok(Kind::Text(&rest[..length]))
            }
            _ => self.error("Unterminated string"),
        }
    }

    fn number(&mut self) -> Result<Kind<'s>, Diagnostic> {
        let start = self.at;
        while self.byte(0).is_ascii_alphanumeric()
            || self.byte(0) == b'.'
            || (matches!(self.byte(0), b'+' | b'-') && self.in_exponent(start))
        {
            self.at += 1;
        }
        let text = &self.source[start..self.at];
        match value(text) {
            Some(kind) => Ok(kind),
            None => self.error(format!("Invalid number '{text}'")),
        }
    }

    /// Whether the sign here follows the `e` of a decimal fraction.
    fn in_exponent(&self, start: usize) -> bool {
        let text = &self.source[start..self.at];
        text.ends_with(['e', 'E']) && text[..text.len() - 1].parse::<f64>().is_ok()
    }
}

/// The value of a number's text.
fn value<'s>(text: &str) -> Option<Kind<'s>> {
    let hexadecimal = |digits: &str, count: usize| {
        let right = digits.len() == count && digits.bytes().all(|b| b.is_ascii_hexdigit());
        right.then(|| u64::from_str_radix(digits, 16).ok()).flatten()
    };
    match text.get(..2) {
        Some("0f" | "0F") => {
            let bits = hexadecimal(&text[2..], 8)?;
            return u32::try_from(bits).ok().map(Kind::F32);
        }
        Some("0d" | "0D") => return hexadecimal(&text[2..], 16).map(Kind::Bits64),
        _ => {}
    }
    if text.contains('.')
        || (text.contains(['e', 'E']) && !text.starts_with("0x") && !text.starts_with("0X"))
    {
        return text.parse::<f64>().ok().map(|v| Kind::F64(v.to_bits()));
    }
    let unsigned = text.ends_with('U');
    let digits = text.strip_suffix('U').unwrap_or(text);
    let (digits, radix) = match digits.get(..2) {
        Some("0x" | "0X") => (&digits[2..], 16),
        Some("0b" | "0B") => (&digits[2..], 2),
        _ if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        _ => (digits, 10),
    };
    let value = integer(digits, radix)?;
    Some(if unsigned { Kind::Unsigned(value) } else { Kind::Int(value) })
}

/// The value of digits. NVIDIA's assembler sees that they are too many if a further one makes the value smaller.
fn integer(digits: &str, radix: u32) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0u64, |value, digit| {
        let next = value.wrapping_mul(radix.into()).wrapping_add(digit.to_digit(radix)?.into());
        (next >= value).then_some(next)
    })
}
