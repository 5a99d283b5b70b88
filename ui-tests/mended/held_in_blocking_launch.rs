//! The mend of `ui-tests/held_in_blocking_launch.rs`. Launch on a stream of the scope.

use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        let mut held = s.hold(buffer);
        unsafe { s.on(stream).launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut held,)) }
    })
}

fn main() {}
