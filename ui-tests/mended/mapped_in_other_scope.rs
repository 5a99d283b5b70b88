//! The mend of `ui-tests/mapped_in_other_scope.rs`. Use the streams of the scope that maps it.

use cuscope::{Function, LaunchConfig, PinnedBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    host: &mut PinnedBuffer<f32>,
) -> Result {
    gpu.scope(|outer| {
        let mapped = outer.map(host);
        unsafe { outer.on(stream).launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mapped,)) }
    })
}

fn main() {}
