//! The mend of `ui-tests/pinned_read_in_flight.rs`. Read it afterwards, or map it, `s.map(&mut pinned)`, and ask for
//! it with `access`.

use cuscope::{Function, LaunchConfig, PinnedBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    mut pinned: PinnedBuffer<f32>,
) -> Result<f32> {
    gpu.scope(|s| {
        unsafe { s.on(stream).launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut pinned,)) }
    })?;
    Ok(pinned[0])
}

fn main() {}
