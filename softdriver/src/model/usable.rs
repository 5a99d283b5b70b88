//! Streams as calls use them: a capture may forbid the legacy stream.

use crate::entry::Answer;
use crate::model::stream::Target;
use crate::model::{capture, stream};
use cuscope_sys::*;
use std::ptr;

/// Returns the target of a stream handle, to use it: as [`look_up`](stream::look_up), and 906 if a capture forbids that
/// (F143).
pub(crate) fn target(handle: CUstream) -> Answer<Target> {
    let target = stream::look_up(handle)?;
    if stream::is_legacy(handle) {
        capture::refuse_legacy(&target.life)?;
    }
    Ok(target)
}

/// The default stream of the current context, to use it.
pub(crate) fn null() -> Answer<Target> {
    target(ptr::null_mut())
}
