//! Code that the driver refused.

use super::DriverError;
use std::fmt;

/// The driver refused code. Contains the log of its compiler or linker, and the line of PTX that the log names.
#[derive(Clone, PartialEq, Eq)]
pub struct LoadError {
    driver: DriverError,
    log: String,
    line: Option<(usize, String)>,
}

impl LoadError {
    /// `ptx` is the text that was compiled, if it was text.
    pub(crate) fn new(driver: DriverError, log: String, ptx: Option<&[u8]>) -> Self {
        let line = line_of(&log).zip(ptx).and_then(|(number, ptx)| {
            let line = ptx.split(|&byte| byte == b'\n').nth(number.checked_sub(1)?)?;
            Some((number, String::from_utf8_lossy(line.trim_ascii()).into_owned()))
        });
        LoadError { driver, log, line }
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
        write!(f, "{}", self.driver)?;
        if !self.log.is_empty() {
            write!(f, "\n{}", self.log)?;
        }
        match self.ptx_line() {
            Some((number, text)) => write!(f, "\n{number:>5} | {text}"),
            None => Ok(()),
        }
    }
}

super::debug_with_message!(LoadError: driver log line);

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
        assert!(error.to_string().ends_with("    2 | frob;"), "{error}");
        assert_eq!(LoadError::new(driver, log.to_owned(), Some(b"one line")).ptx_line(), None);
        assert_eq!(LoadError::new(driver, "no number".to_owned(), Some(b"x")).ptx_line(), None);
        assert_eq!(line_of("in line x, line 12: an inline 7"), Some(12));
        assert_eq!(line_of("line"), None);
        assert_eq!(LoadError::new(driver, String::new(), None).to_string(), driver.to_string());
    }
}
