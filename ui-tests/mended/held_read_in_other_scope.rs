//! The mend of `ui-tests/held_read_in_other_scope.rs`. Use the streams of the scope that holds it; this goes for
//! slices and kernel arguments too.

use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    gpu.scope(|outer| {
        let held = outer.hold(buffer);
        outer.on(stream).download(&held, host)?;
        outer.on(stream).copy(held.slice(..8)?, &mut outer.on(stream).scratch(8)?)?;
        let config = LaunchConfig::new(1, 1);
        unsafe { outer.on(stream).launch_unchecked(kernel, config, (&held,)) }
    })
}

fn main() {}
