//! The lines of the program that a module was compiled from, as its `.file` and `.loc` tell them.

use cuscope_ptx_syntax::lex::{self, Kind, Token};

/// A line of the program that a module was compiled from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The name of the file, as the compiler wrote it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// The numbers that begin some tokens.
fn numbers<const N: usize>(tokens: &[Token<'_>]) -> Option<[u64; N]> {
    let mut numbers = [0; N];
    for (number, token) in numbers.iter_mut().zip(tokens.get(..N)?) {
        let Kind::Int(value) = token.kind else { return None };
        *number = value;
    }
    Some(numbers)
}

/// The name of the file of a number.
fn file(tokens: &[Token<'_>], number: u64) -> Option<String> {
    tokens.windows(3).find_map(|three| match [three[0].kind, three[1].kind, three[2].kind] {
        [Kind::Word(".file"), Kind::Int(of), Kind::Text(name)] if of == number => {
            Some(name.to_owned())
        }
        _ => None,
    })
}

/// What the last `.loc` of the same function says of a line of PTX: the line of the program, and the one that the compiler
/// put it into, if it did. Nothing if the text does not say.
pub(crate) fn lines(text: &str, number: u32) -> Vec<SourceLine> {
    let Ok(tokens) = lex::tokens(text) else { return Vec::new() };
    let before = tokens.partition_point(|token| token.line <= number);
    let is_place =
        |token: &Token<'_>| matches!(token.kind, Kind::Word(".loc" | ".entry" | ".func"));
    let Some(at) = tokens[..before].iter().rposition(is_place) else { return Vec::new() };
    if tokens[at].kind != Kind::Word(".loc") {
        return Vec::new();
    }
    let behind = tokens[at + 1..].iter().take_while(|token| token.line == tokens[at].line);
    let behind: Vec<_> = behind.copied().collect();
    let inlined = behind.iter().position(|token| token.kind == Kind::Word("inlined_at"));
    let places = [Some(&behind[..]), inlined.map(|at| &behind[at + 1..])];
    let told = places.into_iter().flatten().map_while(|place| {
        let [of, line] = numbers(place)?;
        let line = u32::try_from(line).ok().filter(|&line| line != 0)?;
        Some(SourceLine { file: file(&tokens, of)?, line })
    });
    told.collect()
}
