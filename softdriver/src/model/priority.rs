//! The priorities of streams, and their numbers.

use core::ffi::c_int;

/// The least priority.
pub(crate) const LEAST: c_int = 0;
/// The greatest: lower numbers go first. Here every stream has a thread of its own, and none waits.
pub(crate) const GREATEST: c_int = -5;

/// The nearest priority that there is (F68).
pub(crate) fn clamped(priority: c_int) -> c_int {
    priority.clamp(GREATEST, LEAST)
}
