//! A host function is called on a thread of the driver, so that what it owns must be `Send`.
//!
//! **Why:** A closure that the driver calls exists while the driver may call it. No panic of the closure, of its
//! payload or of a destructor enters the driver. A hook's own actions do not call the hook. This is `called-back`.
//!
//! **Mend:** Use an atomic, or a mutex. See `ui-tests/mended/host_function_not_sent.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Result, SyncStream};
use std::cell::Cell;

fn misuse(stream: &SyncStream<'_, '_>, count: &'static Cell<u32>) -> Result {
    stream.host_function(|| count.set(count.get() + 1))
}

fn main() {}
