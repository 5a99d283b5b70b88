//! The keys of a map of handles outlive every guard, so they do not borrow.
//!
//! **Why:** A detached map may be kept for ever, and its keys are compared when it is attached again. By then the
//! borrowed text may be gone. It is a part of `detached-unusable`.
//!
//! **Mend:** Use `String`, or a number. See `ui-tests/mended/map_with_borrowed_keys.rs`.
//!
//! **Mistake** (E0521):

use cuscope::{Context, Detached, Result, Stream};
use std::collections::HashMap;

fn misuse(context: &Context, name: &str) -> Result {
    context.with(|gpu| {
        let streams: HashMap<&str, Stream<'_>> = HashMap::from([(name, gpu.stream()?)]);
        drop(Detached::new(streams));
        Ok(())
    })
}

fn main() {}
