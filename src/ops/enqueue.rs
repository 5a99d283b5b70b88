//! What operations compare.

use crate::call::Answer;
use crate::error::{Error, Result};

/// The lengths of what a copy copies.
#[inline]
pub(crate) fn same_len(call: &'static str, from: usize, to: usize) -> Result {
    if from == to { Ok(()) } else { Err(Error::LengthMismatch { call, from, to }) }
}

/// The error of a call for which the driver compares the contexts itself, and answers as for a handle that is
/// none (F32, F36).
pub(crate) fn refused(answer: Answer, same: bool) -> Result {
    if answer.code == ffi::CUDA_ERROR_INVALID_HANDLE {
        same_context(answer.call, same)?;
    }
    answer.result()
}

/// Whether what an operation uses is of its context: brands can coincide where a guard's place is leaked,
/// handles cannot (invariant `own-context`).
#[inline]
pub(crate) fn same_context(call: &'static str, same: bool) -> Result {
    if same { Ok(()) } else { Err(Error::OtherContext { call }) }
}
