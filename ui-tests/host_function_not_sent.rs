//! A host function is called on a thread of the driver, so that what it owns must be `Send`.
//!
//! **Why:** Two threads would change a `Cell` at the same time, and updates would be lost. For an `Rc` it would be a
//! count that frees the value too early. It is a part of `called-back`.
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
