//! Events in captures: they draw other streams in.

use crate::entry::Answer;
use crate::model::capture::list;
use crate::model::capture::list::with;
use crate::model::stream::Target;
use cuscope_sys::*;

/// The mark that a record in a stream under capture leaves in the event.
#[derive(Clone)]
pub(crate) struct Mark {
    /// The id of the capture.
    pub(crate) capture: u64,
    /// The nodes that whoever waits comes after.
    pub(crate) after: Vec<usize>,
}

/// The mark for an event that is recorded in a stream, if that is under capture; 901 if that was
/// invalidated.
pub(crate) fn mark(target: &Target) -> Answer<Option<Mark>> {
    if list::none() {
        return Ok(None);
    }
    with(|list| {
        let Some(one) = list.of(&target.queue) else { return Ok(None) };
        if !one.valid {
            return Err(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        }
        let capture = one.id;
        Ok(one.member(&target.queue).map(|member| Mark { capture, after: member.after.clone() }))
    })
}

/// The code for a question about an event of a capture: 907, which invalidates the capture if
/// `spoils`; INVALID_VALUE if that was over or invalid already (F144).
pub(crate) fn captured_event(mark: &Mark, spoils: bool) -> CUresult {
    with(|list| match list.with_id(mark.capture).filter(|one| one.valid) {
        None => CUDA_ERROR_INVALID_VALUE,
        Some(one) => {
            one.valid = !spoils;
            CUDA_ERROR_CAPTURED_EVENT
        }
    })
}
