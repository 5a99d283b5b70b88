//! PTX text, in the driver's form.

use super::LOAD;
use crate::error::{Error, Result};
use crate::name::sealed::Written;
use std::borrow::Cow;
use std::ffi::{CStr, CString};

/// Returns PTX text with its NUL.
pub(super) fn with_nul(text: Written<'_>) -> Result<Cow<'_, CStr>> {
    let mut text = match text {
        Written::Plain(text) => text.into_owned(),
        Written::WithNul(text) => return Ok(text),
    };
    // The output of a compiler may already end in NUL.
    text.truncate(text.trim_end_matches('\0').len());
    let text = CString::new(text).map_err(|error| {
        let reason = format!(
            "the PTX text contains a NUL byte, at byte {}, at which the driver would stop reading: remove it",
            error.nul_position()
        );
        Error::InvalidArgument { call: LOAD, reason: reason.into() }
    })?;
    Ok(Cow::Owned(text))
}
