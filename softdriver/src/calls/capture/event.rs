//! The driver functions about [`event`](crate::model::capture::event).

use crate::entry::Answer;
use crate::model::capture::list::with;
use crate::model::event::Mark;
use crate::model::stream::Target;
use crate::queue::Kind;
use cuscope_sys::*;

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
