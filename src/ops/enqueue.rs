//! The checks that operations make.

use crate::call::{Answer, same_context};
use crate::error::{Error, Result};
use crate::memory::access::Access;
use crate::memory::grid::Grid;

/// Checks that the two lengths of a copy are equal.
#[inline]
pub(crate) fn same_len(call: &'static str, from: usize, to: usize) -> Result {
    if from == to { Ok(()) } else { Err(Error::LengthMismatch { call, from, to }) }
}

/// Refuses an array, which only copies within its context, textures and surfaces reach.
#[cold]
pub(super) fn no_array(call: &'static str) -> Result {
    let reason = "no fill, and no copy between contexts, reaches an array: upload or copy to it within its \
                  context, or write it through a surface";
    Err(Error::InvalidArgument { call, reason: reason.into() })
}

/// Checks that the two ends of a copy on the device have the same length, and the same extent if both have rows.
#[inline]
pub(crate) fn same_extent(call: &'static str, from: &Access<'_>, to: &Access<'_>) -> Result {
    match (from.grid, to.grid) {
        (Some(from), Some(to)) if from.extent != to.extent => other_extent(call, from, to),
        _ => same_len(call, from.len, to.len),
    }
}

#[cold]
fn other_extent(call: &'static str, from: &Grid, to: &Grid) -> Result {
    let sizes = |grid: &Grid| [grid.extent.width, grid.extent.height, grid.extent.depth];
    Err(Error::ExtentMismatch { call, extents: Box::new([sizes(from), sizes(to)]) })
}

/// Returns the error of a call for which the driver itself compares the contexts. It then answers as for an
/// invalid handle ([F32](crate::driver_facts#F32), [F36](crate::driver_facts#F36)).
pub(crate) fn refused(answer: Answer, same: bool) -> Result {
    if answer.code == ffi::CUDA_ERROR_INVALID_HANDLE {
        same_context(answer.call, same)?;
    }
    answer.result()
}
