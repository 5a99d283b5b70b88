//! Events in captures: they draw other streams in.

use super::list::{self, with};
use crate::entry::Answer;
use crate::queue::Kind;
use crate::stream::Target;
use cuscope_sys::*;

/// What a record in a stream under capture leaves in the event.
#[derive(Clone)]
pub(crate) struct Mark {
    /// The id of the capture.
    capture: u64,
    /// The nodes that whoever waits comes behind.
    after: Vec<usize>,
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

/// Makes what comes next in a stream depend on an event of a capture, which draws the stream in
/// (F106); what cannot be invalidates (F144).
pub(crate) fn wait(target: &Target, mark: &Mark) -> Answer {
    with(|list| {
        let own = list.of(&target.queue).map(|one| one.id);
        let open = list.with_id(mark.capture).is_some_and(|one| one.valid);
        let code = match own {
            Some(own) if own == mark.capture && open => None,
            _ if !open => Some(CUDA_ERROR_INVALID_VALUE),
            Some(_) => Some(CUDA_ERROR_STREAM_CAPTURE_MERGE),
            None if target.queue.kind == Kind::Null => Some(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT),
            None => None,
        };
        if let Some(code) = code {
            list.invalidate(|one| Some(one.id) == own || one.id == mark.capture);
            return Err(code);
        }
        if let Some(one) = list.with_id(mark.capture) {
            one.join(target, &mark.after);
        }
        Ok(())
    })
}
