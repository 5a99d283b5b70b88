//! Memory that one scope maps is no other scope's: `access` would not wait for the other's kernels. Use the
//! streams of the scope that maps it.

use cuscope::{Function, LaunchConfig, PinnedBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    host: &mut PinnedBuffer<f32>,
) -> Result {
    gpu.scope(|outer| {
        let mapped = outer.map(host);
        gpu.scope(|inner| unsafe {
            inner.on(stream).launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mapped,))
        })
    })
}

fn main() {}
