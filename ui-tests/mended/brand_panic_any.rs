//! The mend of `ui-tests/brand_panic_any.rs`. Throw it detached.

use cuscope::Stream;
use std::any::Any;

fn throw<T: Any + Send>(_: T) {}

fn right(stream: Stream<'_>) {
    throw(stream.detach());
}

fn main() {}
