//! The mend of `ui-tests/staged_in_other_scope.rs`. Use the streams of the scope that stages it.

use cuscope::{DeviceBuffer, PushedGuard, Result, Stream};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    gpu.scope(|outer| {
        let staged = outer.stage(host);
        outer.on(stream).upload_staged(&staged, &mut outer.hold(buffer))
    })
}

fn main() {}
