//! A kernel of a scope may use page-locked memory until the scope ends: lend it memory that lives longer.

use cuscope::{Function, LaunchConfig, PinnedBuffer, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    [read, mut written]: [PinnedBuffer<f32>; 2],
) -> Result {
    let config = LaunchConfig::new(1, 1);
    gpu.scope(move |s| {
        let stream = s.on(stream);
        unsafe { stream.launch_unchecked(kernel, config, (&read,)) }?;
        unsafe { stream.launch_unchecked(kernel, config, (&mut written,)) }
    })
}

fn main() {}
