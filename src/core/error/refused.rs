//! Calls that the driver refused for a reason that is known.

use super::driver::{DriverError, write_failed};
use std::fmt;

/// The driver refused a call, and cuscope knows the reason: which argument, its value, and the limit.
///
/// The reason is looked for after the driver has refused, so a call that succeeds costs nothing for it. Match on the
/// [code](DriverError::code) and not on the text.
#[derive(Clone, PartialEq, Eq)]
pub struct RefusedError {
    driver: DriverError,
    reason: String,
}

impl RefusedError {
    pub(crate) fn new(driver: DriverError, reason: String) -> Box<Self> {
        Box::new(RefusedError { driver, reason })
    }

    /// Returns the driver's error.
    #[must_use]
    pub fn driver(&self) -> DriverError {
        self.driver
    }

    /// Returns the reason, and how to fix the program.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for RefusedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_failed(f, self.driver)?;
        write!(f, "; {}", self.reason)
    }
}

super::debug_with_message!(RefusedError: driver reason);

impl std::error::Error for RefusedError {}
