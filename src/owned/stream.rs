//! The owner of a stream.
#![allow(unsafe_code, reason = "calls the driver, and says that a stream may be shared")]

use crate::call::answer;
use crate::context::Context;
use crate::driver::release::release;
use crate::owned::Keep;
use ffi::CUstream;

/// A stream, shared with the buffers that are freed in its order.
pub(crate) struct StreamInner {
    pub(crate) raw: CUstream,
    pub(crate) context: Context,
    /// Whether it synchronises with the legacy stream.
    pub(crate) blocking: bool,
    /// Set for a stream of other code, which destroys it.
    pub(crate) keep: Option<Box<Keep>>,
}

// SAFETY: a stream is not tied to a thread: any may enqueue, query, wait and destroy, and none of
// these needs a current context (F30, F34, F37, F40). The handle is never changed.
unsafe impl Send for StreamInner {}
// SAFETY: as for `Send`; the driver orders concurrent calls on one stream (CUDA driver API, "API
// thread safety": calls from several threads may be made to one stream).
unsafe impl Sync for StreamInner {}

impl Drop for StreamInner {
    #[inline]
    fn drop(&mut self) {
        if self.keep.is_some() {
            return; // dropped with the fields
        }
        // SAFETY: this is the only owner of the handle, which was created and not destroyed; its
        // context is alive. Work in flight still finishes (F51).
        release(
            || unsafe { answer!(cuStreamDestroy_v2(self.raw)) },
            || StreamInner { context: self.context.clone(), keep: None, ..*self },
        );
    }
}
