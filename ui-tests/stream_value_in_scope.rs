//! A scope ends with a wait for its streams, so a number that they wait for lives longer than the scope.
//!
//! **Why:** The number would be freed when the closure returns, and the stream would wait for a change of memory that
//! is something else by now. It is a part of `values-atomic`.
//!
//! **Mend:** Let it live longer, without `move`. See `ui-tests/mended/stream_value_in_scope.rs`.
//!
//! **Mistake** (E0597):

use cuscope::stream::{StreamValue, Until};
use cuscope::{PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &mut PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    value: StreamValue<u32>,
) -> Result {
    gpu.scope(move |s| s.on(stream).value_operations(&[value.wait(Until::Equal(1))]))
}

fn main() {}
