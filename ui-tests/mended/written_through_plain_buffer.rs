//! The mend of `ui-tests/written_through_plain_buffer.rs`. Hold it, and pass `&mut held` to each.

use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 1);
    gpu.scope(|s| {
        let mut held = s.hold(buffer);
        unsafe { s.on(stream).launch_unchecked(kernel, config, (&mut held,)) }?;
        unsafe { s.on(stream).launch_unchecked(kernel, config, (&mut held,)) }
    })
}

fn main() {}
