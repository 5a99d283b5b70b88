//! Errors of loading PTX, in the form of the assembler's log.

use std::fmt::{self, Write as _};

/// The kind of error that a module was refused for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The text is not PTX, or uses something that this driver lacks.
    InvalidPtx,
    /// `.version` is newer than `NEWEST_VERSION`, or older than 1.0.
    UnsupportedVersion,
}

/// Why a module was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The kind, which decides the driver's result code.
    pub kind: ParseErrorKind,
    /// A log of the form that `ptxas` writes, one error on a line.
    pub log: String,
    /// The errors in it.
    pub errors: Vec<Diagnostic>,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.log.trim_end())
    }
}

impl std::error::Error for ParseError {}

/// One error at a line of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The line, from 1.
    pub line: u32,
    /// The description of the mistake.
    pub message: String,
}

impl Diagnostic {
    /// An error at a line.
    pub fn new(line: u32, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// The most errors that a log lists.
const LISTED: usize = 100;

/// The error of a text with a character outside of ASCII, which NVIDIA's assembler finds before all others.
pub fn not_ascii(line: u32) -> ParseError {
    let message = format!("Unexpected non-ASCII character encountered on line {line}");
    let log =
        format!("ptxas fatal   : {message}\nptxas fatal   : Ptx assembly aborted due to errors\n");
    ParseError {
        kind: ParseErrorKind::InvalidPtx,
        log,
        errors: vec![Diagnostic::new(line, message)],
    }
}

/// Gathers errors into the one that the caller is handed.
pub fn report(kind: ParseErrorKind, diagnostics: &[Diagnostic]) -> ParseError {
    let mut log = String::new();
    for one in diagnostics.iter().take(LISTED) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            log,
            "ptxas application ptx input, line {}; error   : {}",
            one.line, one.message
        );
    }
    log.push_str("ptxas fatal   : Ptx assembly aborted due to errors\n");
    ParseError { kind, log, errors: diagnostics.to_vec() }
}
