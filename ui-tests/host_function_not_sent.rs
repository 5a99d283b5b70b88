//! A host function is called on a thread of the driver, so that what it owns must be `Send`.

use cuscope::{Result, SyncStream};
use std::cell::Cell;

fn misuse(stream: &SyncStream<'_, '_>, count: &'static Cell<u32>) -> Result {
    stream.host_function(|| count.set(count.get() + 1))
}

fn main() {}
