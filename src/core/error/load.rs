//! Code that the driver refused.

use super::driver::{DriverError, write_failed};
use std::fmt;

/// The driver refused code. Contains the log of its compiler or linker, and the line of PTX that the log names.
#[derive(Clone, PartialEq, Eq)]
pub struct LoadError {
    driver: DriverError,
    reason: Option<String>,
    log: String,
    line: Option<(usize, String)>,
}

impl LoadError {
    /// `ptx` is the text that was compiled, if it was text.
    pub(crate) fn new(driver: DriverError, log: String, ptx: Option<&[u8]>) -> Self {
        let line = ptx.and_then(|ptx| wrong_line(&log, ptx));
        LoadError { driver, reason: None, log, line }
    }

    /// Adds the reason, if it is known.
    pub(crate) fn because(self, reason: Option<String>) -> Self {
        LoadError { reason, ..self }
    }

    /// Returns the reason, and how to fix the program, if cuscope knows it besides the log.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Returns the driver's error.
    #[must_use]
    pub fn driver(&self) -> DriverError {
        self.driver
    }

    /// Returns the log of the PTX compiler or the linker, with line numbers of the PTX. It may be empty.
    #[must_use]
    pub fn log(&self) -> &str {
        &self.log
    }

    /// Returns the line of PTX that the log names first: its number, counted from 1, and its text.
    #[must_use]
    pub fn ptx_line(&self) -> Option<(usize, &str)> {
        self.line.as_ref().map(|(number, text)| (*number, text.as_str()))
    }
}

/// The words of the compiler about the first lines of a text, and the directive that they are about. It names a later
/// line, or none.
const HEADER: [(&str, &[u8]); 4] = [
    ("Unsupported .version", b".version"),
    ("Unsupported .target", b".target"),
    ("does not support .target", b".target"),
    ("specified by .target", b".target"),
];

/// Returns the line of PTX that the log is about: its number, and its text.
fn wrong_line(log: &str, ptx: &[u8]) -> Option<(usize, String)> {
    let lines = || ptx.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let about = HEADER.iter().find(|(words, _)| log.contains(words));
    let directive = about.and_then(|(_, word)| lines().position(|line| line.starts_with(word)));
    let index = directive.or_else(|| line_of(log)?.checked_sub(1))?;
    Some((index + 1, String::from_utf8_lossy(lines().nth(index)?).into_owned()))
}

/// Returns the first line number in a log: `line 5;`
fn line_of(log: &str) -> Option<usize> {
    let mut is_number = false;
    for word in log.split(' ') {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        if let (true, Ok(number)) = (is_number, word[..digits].parse()) {
            return Some(number);
        }
        is_number = word.ends_with("line");
    }
    None
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Some(reason) => {
                write_failed(f, self.driver)?;
                write!(f, "; {reason}")?;
            }
            None => write!(f, "{}", self.driver)?,
        }
        if !self.log.is_empty() {
            write!(f, "\n{}", self.log)?;
        }
        match self.ptx_line() {
            Some((number, text)) => write!(f, "\n{number:>5} | {text}"),
            None => Ok(()),
        }
    }
}

super::debug_with_message!(LoadError: driver reason log line);

impl std::error::Error for LoadError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::name;

    #[test]
    fn the_line_that_the_log_names_is_shown() {
        let driver = DriverError::new(name!(cuModuleLoadDataEx), ffi::CUDA_ERROR_INVALID_PTX);
        let log = "ptxas application ptx input, line 2; error   : Not a name: 'frob'";
        let error = LoadError::new(driver, log.to_owned(), Some(b".version 7.0\n  frob;\n"));
        assert_eq!(error.ptx_line(), Some((2, "frob;")));
        let header = b"// a comment\n.version 7.0\n .target sm_90\n\n.address_size 64";
        for (log, line) in [
            (
                "line 5; error   : PTX .version 7.0 does not support .target sm_90",
                (3, ".target sm_90"),
            ),
            ("SM version specified by .target is higher than default", (3, ".target sm_90")),
            ("line 1; error   : Unsupported .version 9.3; current", (2, ".version 7.0")),
            ("line 5; error   : Syntax error", (5, ".address_size 64")),
            ("line 5; error   : 'x' requires .target sm_90 or higher", (5, ".address_size 64")),
        ] {
            let error = LoadError::new(driver, log.to_owned(), Some(header));
            assert_eq!(error.ptx_line(), Some(line), "{log}");
        }
        assert!(error.to_string().ends_with("    2 | frob;"), "{error}");
        assert_eq!(LoadError::new(driver, log.to_owned(), Some(b"one line")).ptx_line(), None);
        assert_eq!(LoadError::new(driver, "no number".to_owned(), Some(b"x")).ptx_line(), None);
        assert_eq!(line_of("in line x, line 12: an inline 7"), Some(12));
        assert_eq!(line_of("line"), None);
        assert_eq!(LoadError::new(driver, String::new(), None).to_string(), driver.to_string());
    }
}
