//! Green contexts: a share of the multiprocessors, in the world of the primary context (F129–F136).

use crate::model::context::Context;
use crate::model::resource::Resource;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The part of a context that green ones have.
pub(crate) struct Green {
    /// The primary context, to which all belongs that is made in it but its streams (F130).
    pub(crate) primary: Arc<Context>,
    /// Its multiprocessors.
    pub(crate) resource: Resource,
    /// Whether its context was asked for: before, the handle is none of a context (F129).
    pub(crate) asked_for: AtomicBool,
}

impl Green {
    /// Whether its handle is that of a context too.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.asked_for.load(Ordering::Acquire)
    }
}
