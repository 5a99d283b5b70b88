//! The first lines of PTX text: the version of the language, and the architecture that the text is for.

use super::{Token, Tokens};

/// The versions of CUDA whose drivers compile more of PTX than those before them, each with its version of PTX.
const VERSIONS: [((u32, u32), (u32, u32)); 13] = [
    ((12, 0), (8, 0)),
    ((12, 1), (8, 1)),
    ((12, 2), (8, 2)),
    ((12, 3), (8, 3)),
    ((12, 4), (8, 4)),
    ((12, 5), (8, 5)),
    ((12, 7), (8, 6)),
    ((12, 8), (8, 7)),
    ((12, 9), (8, 8)),
    ((13, 0), (9, 0)),
    ((13, 1), (9, 1)),
    ((13, 2), (9, 2)),
    ((13, 3), (9, 3)),
];

/// The architectures, each with the version of PTX that first has it (the manual of PTX, "Release Notes").
const TARGETS: [(u32, (u32, u32)); 21] = [
    (50, (4, 0)),
    (52, (4, 1)),
    (53, (4, 2)),
    (60, (5, 0)),
    (61, (5, 0)),
    (62, (5, 0)),
    (70, (6, 0)),
    (72, (6, 1)),
    (75, (6, 3)),
    (80, (7, 0)),
    (86, (7, 1)),
    (87, (7, 4)),
    (88, (9, 0)),
    (89, (7, 8)),
    (90, (7, 8)),
    (100, (8, 6)),
    (101, (8, 6)),
    (103, (8, 8)),
    (110, (9, 0)),
    (120, (8, 7)),
    (121, (8, 8)),
];

/// `.version 8.7` and `.target sm_100a`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PtxHeader {
    /// Major and minor.
    pub(crate) version: (u32, u32),
    /// The architecture as the text writes it.
    pub(crate) target: String,
}

impl PtxHeader {
    /// Returns the header of a text, if it has one.
    #[inline]
    pub(crate) fn of(text: &[u8]) -> Option<PtxHeader> {
        let mut tokens = Tokens::new(text);
        let version = after(&mut tokens, b".version")?;
        // `8.7` is two words, `8` and `.7`.
        let minor = match tokens.next()? {
            Token::Word(minor) => plain_number(minor.strip_prefix(b".")?)?,
            _ => return None,
        };
        let target = after(&mut tokens, b".target")?;
        Some(PtxHeader { version: (plain_number(version)?, minor), target: text_of(target) })
    }

    /// Returns the number of the architecture, 100 for `sm_100a`, and its suffix.
    #[inline]
    pub(crate) fn architecture(&self) -> Option<(u32, &str)> {
        let name = self.target.strip_prefix("sm_")?;
        let digits = name.len() - name.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, suffix) = name.split_at(digits);
        Some((number.parse().ok()?, suffix))
    }
}

/// Returns the version of PTX that a driver of this version of CUDA compiles, unless it is newer than those that are
/// known.
#[inline]
pub(crate) fn newest_ptx(cuda: (u32, u32)) -> Option<(u32, u32)> {
    let (newest, _) = VERSIONS[VERSIONS.len() - 1];
    let known = || VERSIONS.iter().rev().find(|(since, _)| cuda >= *since);
    (cuda <= newest).then(|| known().map(|(_, ptx)| *ptx))?
}

/// Returns the version of PTX that first has an architecture, unless the architecture is not known.
#[inline]
pub(crate) fn first_ptx(architecture: u32, suffix: &str) -> Option<(u32, u32)> {
    let known = TARGETS.iter().find(|(number, _)| *number == architecture);
    match (architecture, suffix) {
        (90, "a") => Some((8, 0)),
        (_, "f") => known.map(|(_, first)| (*first).max((8, 8))),
        _ => known.map(|(_, first)| *first),
    }
}

/// Returns the word behind a directive.
#[inline]
fn after<'t>(tokens: &mut Tokens<'t>, directive: &[u8]) -> Option<&'t [u8]> {
    tokens.by_ref().find(|token| *token == Token::Word(directive))?;
    match tokens.next()? {
        Token::Word(word) => Some(word),
        _ => None,
    }
}

#[inline]
fn text_of(word: &[u8]) -> String {
    String::from_utf8_lossy(word).into_owned()
}

#[inline]
fn plain_number(digits: &[u8]) -> Option<u32> {
    text_of(digits).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_behind_comments() {
        let text = b"// .version 1.0\n.version 8.7\n/* .target sm_1 */ .target sm_100a, debug";
        let header = PtxHeader::of(text).unwrap();
        assert_eq!(header, PtxHeader { version: (8, 7), target: "sm_100a".to_owned() });
        assert_eq!(header.architecture(), Some((100, "a")));
        for (target, architecture) in
            [("sm_90", Some((90, ""))), ("sm_", None), ("compute_90", None), ("sm_x", None)]
        {
            let header = PtxHeader { version: (8, 0), target: target.to_owned() };
            assert_eq!(header.architecture(), architecture, "{target}");
        }
        for none in [
            "",
            ".version",
            ".version 8",
            ".version 8; .target sm_90",
            ".version 8.x .target sm_90",
            ".version 8.0",
            ".version 8.0 .target; sm_90",
        ] {
            assert_eq!(PtxHeader::of(none.as_bytes()), None, "{none}");
        }
    }

    #[test]
    fn versions_are_those_of_the_manual() {
        assert_eq!(newest_ptx((12, 6)), Some((8, 5)));
        assert_eq!(newest_ptx((13, 0)), Some((9, 0)));
        assert_eq!(newest_ptx((11, 8)), None);
        assert_eq!(newest_ptx((99, 0)), None);
        assert_eq!(first_ptx(90, ""), Some((7, 8)));
        assert_eq!(first_ptx(90, "a"), Some((8, 0)));
        assert_eq!(first_ptx(100, "f"), Some((8, 8)));
        assert_eq!(first_ptx(800, ""), None);
    }
}
