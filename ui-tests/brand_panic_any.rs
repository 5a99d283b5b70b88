//! A handle does not lose its brand by being thrown or put in a `dyn Any`, which must be `'static`:
//! whoever catches it might have another context current (F34). Throw it detached.

use cuscope::Stream;
use std::any::Any;

fn throw<T: Any + Send>(_: T) {}

fn misuse(stream: Stream<'_>) {
    throw(stream);
}

fn main() {}
