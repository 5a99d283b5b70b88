//! The mend of `ui-tests/stream_value_in_scope.rs`. Let it live longer, without `move`.

use cuscope::stream::{StreamValue, Until};
use cuscope::{PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &mut PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    value: StreamValue<u32>,
) -> Result {
    gpu.scope(|s| s.on(stream).value_operations(&[value.wait(Until::Equal(1))]))
}

fn main() {}
