//! The mend of `ui-tests/stream_of_other_guard_in_scope.rs`. Make them under it.

use cuscope::{PushedGuard, Result, Stream};

fn right<'a>(gpu: &PushedGuard<'a>, stream: &Stream<'a>) -> Result {
    gpu.scope(|s| s.on(stream).synchronize())
}

fn main() {}
