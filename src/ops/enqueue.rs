//! The checks that operations make.

use crate::call::Answer;
use crate::error::{Error, Result};

/// Checks that the two lengths of a copy are equal.
#[inline]
pub(crate) fn same_len(call: &'static str, from: usize, to: usize) -> Result {
    if from == to { Ok(()) } else { Err(Error::LengthMismatch { call, from, to }) }
}

/// Returns the error of a call for which the driver itself compares the contexts. It then answers as for an
/// invalid handle ([F32](crate::driver_facts#F32), [F36](crate::driver_facts#F36)).
pub(crate) fn refused(answer: Answer, same: bool) -> Result {
    if answer.code == ffi::CUDA_ERROR_INVALID_HANDLE {
        same_context(answer.call, same)?;
    }
    answer.result()
}

/// Checks that everything an operation uses belongs to its context. Brands can coincide if a guard's place is
/// leaked, handles cannot (invariant [`own-context`](crate::soundness#own-context)).
#[inline]
pub(crate) fn same_context(call: &'static str, same: bool) -> Result {
    if same { Ok(()) } else { Err(Error::OtherContext { call }) }
}
