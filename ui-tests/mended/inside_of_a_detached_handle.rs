//! The mend of `ui-tests/inside_of_a_detached_handle.rs`. Bind or attach it.

use cuscope::{Detached, PushedGuard, Result, Stream};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, stream: Detached<Stream<'static>>) -> Result<Stream<'ctx>> {
    Ok(gpu.attach(stream)?)
}

fn main() {}
