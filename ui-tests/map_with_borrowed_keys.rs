//! The keys of a map of handles outlive every guard, so they do not borrow. Use `String`, or a number.

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
