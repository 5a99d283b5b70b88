//! Where a failed release goes: a `Drop` can return nothing.

use super::Error;
use ffi::CUresult;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock};

type Hook = Arc<dyn Fn(&Error) + Send + Sync>;
static HOOK: RwLock<Option<Hook>> = RwLock::new(None);

/// Calls `hook` with what a `Drop` of this crate could not return: a free, unload, destroy or pop
/// that failed. Replaces the hook before it. Without one such errors are ignored: a resource that the
/// driver refuses to release is gone in every case that was measured (F42, F60), and a context that
/// could not be popped is kept alive.
///
/// If the hook panics, the panic ends there.
///
/// # Examples
/// ```
/// cuscope::on_release_error(|error| eprintln!("not released: {error}"));
/// ```
pub fn on_release_error(hook: impl Fn(&Error) + Send + Sync + 'static) {
    *HOOK.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(hook));
}

/// Takes the answer of a releasing call. Never panics: it runs in destructors.
#[inline]
pub(crate) fn released(call: &'static str, code: CUresult) {
    if let Err(error) = super::check(call, code) {
        report_drop(error.into());
    }
}

/// As [`released`], for what is an error already.
#[cold]
pub(crate) fn report_drop(error: Error) {
    // Not held during the call: the hook may drop handles or set another hook.
    let hook = HOOK.read().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(hook) = hook
        && let Err(payload) = catch_unwind(AssertUnwindSafe(|| hook(&error)))
    {
        std::mem::forget(payload); // its own drop could panic
    }
}
