//! The log of the driver.

use core::ffi::{c_char, c_uint, c_void};

enumeration! {
    /// How bad a message of the log is.
    pub enum CUlogLevel: c_uint {
        /// An error.
        CU_LOG_LEVEL_ERROR = 0,
        /// A warning.
        CU_LOG_LEVEL_WARNING = 1,
    }
}

/// Is told each message of the log.
pub type CUlogsCallback = Option<
    unsafe extern "C" fn(
        data: *mut c_void,
        logLevel: CUlogLevel,
        message: *mut c_char,
        length: usize,
    ),
>;

/// A position in the log.
pub type CUlogIterator = c_uint;
