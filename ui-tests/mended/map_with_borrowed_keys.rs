//! The mend of `ui-tests/map_with_borrowed_keys.rs`. Use `String`, or a number.

use cuscope::{Context, Detached, Result, Stream};
use std::collections::HashMap;

fn right(context: &Context, name: &str) -> Result {
    context.with(|gpu| {
        let streams: HashMap<String, Stream<'_>> = HashMap::from([(name.to_owned(), gpu.stream()?)]);
        drop(Detached::new(streams));
        Ok(())
    })
}

fn main() {}
