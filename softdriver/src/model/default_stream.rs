//! Which default stream a null stream means: the legacy one, or in the forms of functions that
//! [`per_thread`](crate::per_thread) has, that of the calling thread.

use std::cell::Cell;

thread_local! {
    /// Whether the thread is in a form for its own default stream.
    static ON: Cell<bool> = const { Cell::new(false) };
}

/// Whether a null stream means the calling thread's default stream.
pub(crate) fn is_of_thread() -> bool {
    // A thread that is ending makes no such call.
    ON.try_with(Cell::get).unwrap_or(false)
}

/// Runs a driver function with null meaning the calling thread's default stream.
pub(crate) fn of_thread<R>(f: impl FnOnce() -> R) -> R {
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            let _ending = ON.try_with(|on| on.set(self.0));
        }
    }
    let _reset = Reset(ON.try_with(|on| on.replace(true)).unwrap_or(false));
    f()
}
