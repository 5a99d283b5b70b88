//! The driver functions about [`capture`](crate::model::capture).

pub(crate) mod event;
pub(crate) mod streams;

pub(crate) use event::wait;

use crate::entry::Answer;
use crate::model::capture::invalidate;
use crate::model::capture::list::with;
use crate::model::life::Life;
use crate::model::stream::Target;
use cuscope_sys::*;

/// Refuses the calls that no stream under capture allows, in any mode (F103).
pub(crate) fn refuse(target: &Target) -> Answer {
    if invalidate(target) { Err(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) } else { Ok(()) }
}

/// Refuses the calls that no context with a stream under capture allows, in any mode (F101).
pub(crate) fn refuse_in(life: &Life) -> Answer {
    let hit = !crate::model::capture::list::none()
        && with(|list| list.invalidate(|one| one.in_life(life)));
    if hit { Err(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) } else { Ok(()) }
}
