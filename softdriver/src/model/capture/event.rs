//! Events in captures: they draw other streams in.

use crate::entry::Answer;
use crate::model::capture::list::with;
use crate::model::capture::{check_unsafe, list};
use crate::model::event::{Event, Mark, Recorded};
use crate::model::stream::Target;
use crate::sync;
use cuscope_sys::*;

/// The mark for an event that is recorded in a stream, if that is under capture; 901 if that was
/// invalidated.
fn mark(target: &Target) -> Answer<Option<Mark>> {
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

/// Refuses to ask an event for its work: in a capture (F144), and where one forbids it.
pub(crate) fn check_event(event: &Event) -> Answer {
    event.mark().map_or(Ok(()), |mark| Err(captured_event(&mark, true)))?;
    check_unsafe()
}

/// Records an event in a stream, which was found to be of its context.
pub(crate) fn record_in(target: &Target, event: &Event) -> Answer {
    if let Some(mark) = mark(target)? {
        *sync::lock(&event.recorded) = Recorded::Captured(mark);
        return Ok(());
    }
    let Some(counts) = event.counts.clone() else {
        return event.record(|| target.submit_short(|| Ok(())));
    };
    event.record(|| {
        let record = counts.begin();
        target.submit_short(move || {
            counts.end(record);
            Ok(())
        })
    })
}
