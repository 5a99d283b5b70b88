//! Tokens of PTX text, as the driver's compiler splits it.

/// A token of PTX text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// A name, a number, or a directive or modifier with its dot: `%rd1`, `0x10`, `.entry`. `add.u32` is two.
    Word(&'t [u8]),
    /// The text between two quotes. There are no escapes, and line breaks are ordinary bytes.
    Text(&'t [u8]),
    /// A byte that stands for itself.
    Mark(u8),
}

/// The tokens of PTX text, without blanks and comments: one pass over the text.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'t> {
    text: &'t [u8],
    at: usize,
}

#[inline]
fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%')
}

impl<'t> Tokens<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Self {
        Tokens { text, at: 0 }
    }

    /// Returns the position after the last token, in bytes.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Returns the next token without consuming it.
    #[inline]
    pub(crate) fn peek(&self) -> Option<Token<'t>> {
        self.clone().next()
    }

    /// Consumes the mark if it is next.
    #[inline]
    pub(crate) fn skip_mark(&mut self, mark: u8) -> bool {
        let mut ahead = self.clone();
        let found = ahead.next() == Some(Token::Mark(mark));
        if found {
            *self = ahead;
        }
        found
    }

    fn rest(&self) -> &'t [u8] {
        &self.text[self.at..]
    }

    /// Continues after the first occurrence of `end`, or at the end of the text.
    #[inline]
    fn skip_behind(&mut self, end: &[u8]) {
        let found = self.rest().windows(end.len()).position(|bytes| bytes == end);
        self.at = found.map_or(self.text.len(), |found| self.at + found + end.len());
    }

    #[inline]
    fn skip_blanks(&mut self) {
        loop {
            let blanks = self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            self.at += blanks;
            if self.rest().starts_with(b"//") {
                self.skip_behind(b"\n");
            } else if self.rest().starts_with(b"/*") {
                self.at += 2;
                self.skip_behind(b"*/");
            } else {
                return;
            }
        }
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    #[inline]
    fn next(&mut self) -> Option<Token<'t>> {
        self.skip_blanks();
        let rest = self.rest();
        let (&first, behind) = rest.split_first()?;
        if first == b'"' {
            self.at += 1;
            let begin = self.at;
            self.skip_behind(b"\"");
            let end = self.at - usize::from(self.at > begin && self.text[self.at - 1] == b'"');
            return Some(Token::Text(&self.text[begin..end]));
        }
        if first != b'.' && !in_word(first) {
            self.at += 1;
            return Some(Token::Mark(first));
        }
        let len = 1 + behind.iter().take_while(|&&byte| in_word(byte)).count();
        self.at += len;
        Some(Token::Word(&rest[..len]))
    }
}

/// Returns the value of a whole number, as PTX writes it: the largest value if it does not fit, `None` for a
/// word that is not a number.
#[inline]
pub(crate) fn number(word: &[u8]) -> Option<u64> {
    let word = std::str::from_utf8(word).ok()?;
    let word = word.strip_suffix(['U', 'u']).unwrap_or(word);
    let (digits, radix) = match word.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&word[2..], 16),
        [b'0', b'b' | b'B', ..] => (&word[2..], 2),
        [b'0', _, ..] => (&word[1..], 8),
        _ => (word, 10),
    };
    let right = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    right.then(|| u64::from_str_radix(digits, radix).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        let show = |token| match token {
            Token::Word(word) => String::from_utf8_lossy(word).into_owned(),
            Token::Text(text) => format!("'{}'", String::from_utf8_lossy(text)),
            Token::Mark(mark) => char::from(mark).to_string(),
        };
        Tokens::new(text.as_bytes()).map(show).collect()
    }

    #[test]
    fn text_is_split_as_the_compiler_splits_it() {
        let glued = ".visible.entry k(.param.u32 n){add.u32 %r1,%r<0x10>;}";
        let parts = ".visible .entry k ( .param .u32 n ) { add .u32 %r1 , %r < 0x10 > ; }";
        assert_eq!(split(glued), parts.split(' ').collect::<Vec<_>>());
        // Comments do not nest and do not continue after a line break; strings have no escapes.
        assert_eq!(split("a/* \" /* */b // .entry \\\n c"), ["a", "b", "c"]);
        assert_eq!(split("a /*/ no */ b"), ["a", "b"]);
        assert_eq!(split("\"a // \n.entry\\\"b/c"), ["'a // \n.entry\\'", "b", "/", "c"]);
        for (open, parts) in [("a /* b", 1), ("a // b", 1), ("a \"b", 2), ("a \"", 2), ("/", 1)] {
            assert_eq!(split(open).len(), parts, "{open}");
        }
    }

    #[test]
    fn numbers_are_read_as_the_compiler_reads_them() {
        let read = ["12", "0x1f", "0b101", "010", "7U", "0", "99999999999999999999"];
        let values = [12, 31, 5, 8, 7, 0, u64::MAX];
        assert_eq!(read.map(|word| number(word.as_bytes())), values.map(Some));
        assert_eq!(
            ["", "x", "0f3F800000", "U", "0x"].map(|word| number(word.as_bytes())),
            [None; 5]
        );
    }
}
