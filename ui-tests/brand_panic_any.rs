//! A handle does not lose its brand by being thrown or put in a `dyn Any`, which must be `'static`.
//!
//! **Why:** Whoever catches it might have another context current (F34). It is a part of `own-context`.
//!
//! **Mend:** Throw it detached. See `ui-tests/mended/brand_panic_any.rs`.
//!
//! **Mistake** (E0521):

use cuscope::Stream;
use std::any::Any;

fn throw<T: Any + Send>(_: T) {}

fn misuse(stream: Stream<'_>) {
    throw(stream);
}

fn main() {}
