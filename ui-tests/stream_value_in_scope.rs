//! A scope ends with a wait for its streams, so a number that they wait for lives longer than the scope.

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
