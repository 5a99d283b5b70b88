//! Checks PTX text, before the driver's compiler sees it, for contents that crash or hang the compiler
//! ([F293](crate::driver_facts#F293)): strings, numbers and names that are too long, extents, alignments and numbers of registers
//! that are too large, an initialiser of an array that is no list, an atomic operation that names a variable in local memory, a
//! third element of a register of two, a call with a constant for a result, a function within another, and a division by
//! something that is not a plain number.

use super::ImageProblem::{self, Refused};
use super::tokens::{Token, Tokens, number};
use std::collections::HashSet;

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
    let mut previous = Token::Mark(b' ');
    // Variables in local memory and registers of two elements, which of these a declaration is of, and whether the
    // tokens are of an atomic operation.
    let (mut locals, mut pairs) = (HashSet::new(), HashSet::new());
    let (mut declares, mut updates, mut depth) = (Declares::Others, false, 0_u64);
    loop {
        let begin = tokens.at();
        let Some(token) = tokens.next() else { return Ok(()) };
        let before = std::mem::replace(&mut previous, token);
        let refuse = |bad: bool, what| if bad { Err(Refused { what, at: begin }) } else { Ok(()) };
        match token {
            Token::Text(string) => refuse(string.len() > STRING, "a string of more than 4 KiB")?,
            Token::Word(word) if word[0].is_ascii_digit() => {
                refuse(word.len() > STRING, "a number of more than 4 KiB")?;
            }
            Token::Word(word) => {
                refuse(word.len() > NAME, "a name of more than 16 KiB")?;
                let modifies = match before {
                    // Its number was read with it.
                    Token::Word(b".align") => false,
                    Token::Word(word) => !word[0].is_ascii_digit(),
                    _ => false,
                };
                updates |= word == b"atom";
                let nested = word == b".func" && depth > 0;
                refuse(nested, "a function within a function")?;
                let constant = word == b"call" && gives_constant(tokens.clone());
                refuse(constant, "a call with a constant for a result")?;
                match (word, declares) {
                    (b".local", _) if !modifies => declares = Declares::Locals,
                    (b".reg", _) => declares = Declares::Registers,
                    (b".v2", Declares::Registers) => declares = Declares::Pairs,
                    ([b'.', ..], _) | (_, Declares::Others | Declares::Registers) => {}
                    (name, Declares::Locals) => _ = locals.insert(name),
                    (name, Declares::Pairs) => _ = pairs.insert(name),
                }
                let element = matches!(word, b".z" | b".w" | b".b" | b".a");
                let of_pair = element && matches!(before, Token::Word(name) if is_of(&pairs, name));
                refuse(of_pair, "a third element of a register of two")?;
                let of_local = updates && before == Token::Mark(b'[') && locals.contains(word);
                refuse(of_local, "an atomic operation on a variable in local memory by its name")?;
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
            // Parameters end with a parenthesis.
            Token::Mark(b';' | b')' | b'{' | b'}') => {
                declares = Declares::Others;
                updates &= token != Token::Mark(b';');
                match token {
                    Token::Mark(b'{') => depth += 1,
                    Token::Mark(b'}') => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            Token::Mark(b'=') if before == Token::Mark(b']') => {
                let list = tokens.peek() == Some(Token::Mark(b'{'));
                refuse(!list, "an initialiser of an array that is no list")?;
            }
            Token::Mark(b'/') => {
                let plain = matches!(tokens.peek(), Some(Token::Word([b'0'..=b'9', ..])));
                refuse(!plain, "a division by something that is not a plain number")?;
            }
            Token::Mark(_) => {}
        }
    }
}

/// The kind of a declaration.
#[derive(Clone, Copy)]
enum Declares {
    Locals,
    Registers,
    /// Registers of two elements.
    Pairs,
    Others,
}

/// Returns whether the first result of a call, after its `call`, is no name.
#[inline]
fn gives_constant(mut tokens: Tokens<'_>) -> bool {
    let first = match tokens.next() {
        Some(Token::Word(b".uni")) => tokens.next(),
        first => first,
    };
    let result = tokens.next();
    first == Some(Token::Mark(b'('))
        && match result {
            Some(Token::Word(word)) => word[0].is_ascii_digit() || word == b"WARP_SZ",
            result => result != Some(Token::Mark(b')')),
        }
}

/// Returns whether a name, or the name without its number, is one of these.
#[inline]
fn is_of(names: &HashSet<&[u8]>, name: &[u8]) -> bool {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    names.contains(name) || names.contains(&name[..name.len() - digits])
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
