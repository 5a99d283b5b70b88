//! The mend of `ui-tests/local_pinned_launched.rs`. Lend it memory that lives longer.

use cuscope::{Function, LaunchConfig, PinnedBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    [read, mut written]: [PinnedBuffer<f32>; 2],
) -> Result {
    let config = LaunchConfig::new(1, 1);
    gpu.scope(|s| {
        let stream = s.on(stream);
        unsafe { stream.launch_unchecked(kernel, config, (&read,)) }?;
        unsafe { stream.launch_unchecked(kernel, config, (&mut written,)) }
    })
}

fn main() {}
