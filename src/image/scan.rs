//! Checks PTX text, before the driver's compiler sees it, for contents that crash or hang the compiler
//! ([F293](crate::driver_facts#F293)).

use super::ImageProblem::{self, Refused};
use super::tokens::{Token, Tokens, number};

/// The maximum size of a string or a number in bytes. The compiler writes a file name of 16 KiB past the end of
/// a buffer; paths are no longer than this.
const STRING: usize = 4 << 10;
/// The maximum size of a name in bytes: those of C++ templates have several KiB.
const NAME: usize = 16 << 10;
/// The maximum that a directive may request: threads of a block, blocks, registers, an alignment. No device has
/// as many, and the compiler's arithmetic has 32 bits: it divides by 0 if they overflow.
pub(crate) const MOST: u64 = 1 << 20;

/// Directives with up to three numbers, whose product counts.
const EXTENTS: [&[u8]; 8] = [
    b".maxntid",
    b".reqntid",
    b".minnctapersm",
    b".maxnctapersm",
    b".maxnreg",
    b".maxclusterrank",
    b".reqnctapercluster",
    b".align",
];

/// Refuses text with a character outside of ASCII, which the driver's compiler takes nowhere
/// ([F638](crate::driver_facts#F638)). In a fatbin the driver may not need the text.
#[inline]
pub(super) fn ascii(text: &[u8]) -> Result<(), ImageProblem> {
    let Some(at) = text.iter().position(|byte| !byte.is_ascii()) else { return Ok(()) };
    let line = 1 + text[..at].iter().filter(|&&byte| byte == b'\n').count();
    Err(ImageProblem::NotAscii { line })
}

/// Refuses text that is known to crash the driver's compiler, in one pass.
#[inline]
pub(super) fn check(text: &[u8]) -> Result<(), ImageProblem> {
    let mut tokens = Tokens::new(text);
    // All registers: the compiler creates each of them, while a text names each register that it uses.
    let mut registers = 0_u64;
    loop {
        let begin = tokens.at();
        let Some(token) = tokens.next() else { return Ok(()) };
        let refuse = |bad: bool, what| if bad { Err(Refused { what, at: begin }) } else { Ok(()) };
        match token {
            Token::Text(string) => refuse(string.len() > STRING, "a string of more than 4 KiB")?,
            Token::Word(word) if word[0].is_ascii_digit() => {
                refuse(word.len() > STRING, "a number of more than 4 KiB")?;
            }
            Token::Word(word) => {
                refuse(word.len() > NAME, "a name of more than 16 KiB")?;
                if EXTENTS.contains(&word) {
                    let most = extents(&mut tokens);
                    refuse(most > MOST, "an extent of more than 2^20")?;
                }
            }
            Token::Mark(b'<') => {
                let count = match tokens.peek() {
                    Some(Token::Word(word)) => number(word).unwrap_or(0),
                    _ => 0,
                };
                registers = registers.saturating_add(count);
                let many = registers > MOST.saturating_add(text.len() as u64);
                refuse(count > MOST || many, "more than 2^20 registers")?;
            }
            Token::Mark(b'/') => {
                let plain = matches!(tokens.peek(), Some(Token::Word([b'0'..=b'9', ..])));
                refuse(!plain, "a division by something that is not a plain number")?;
            }
            Token::Mark(_) => {}
        }
    }
}

/// Returns the product of the numbers that follow, or the largest of them if that is more.
#[inline]
fn extents(tokens: &mut Tokens<'_>) -> u64 {
    let (mut product, mut largest) = (1_u64, 0);
    while let Some(Token::Word(word)) = tokens.peek() {
        let Some(extent) = number(word) else { break };
        tokens.next();
        (product, largest) = (product.saturating_mul(extent), extent.max(largest));
        if !tokens.skip_mark(b',') {
            break;
        }
    }
    product.max(largest)
}
