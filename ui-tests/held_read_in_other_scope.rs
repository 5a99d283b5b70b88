//! What one scope holds is not read by another one, which would not wait for the writes.
//!
//! **Why:** The inner scope knows the order of its own streams alone. It would read the buffer while a kernel of the
//! outer one is writing it. It is a part of `scope-own`.
//!
//! **Mend:** Use the streams of the scope that holds it; this goes for slices and kernel arguments too. See
//! `ui-tests/mended/held_read_in_other_scope.rs`.
//!
//! **Mistake** (E0521):

use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
    host: &mut [f32],
) -> Result {
    gpu.scope(|outer| {
        let held = outer.hold(buffer);
        gpu.scope(|inner| inner.on(stream).download(&held, host))?;
        gpu.scope(|inner| inner.on(stream).copy(held.slice(..8)?, &mut inner.on(stream).scratch(8)?))?;
        let config = LaunchConfig::new(1, 1);
        gpu.scope(|inner| unsafe { inner.on(stream).launch_unchecked(kernel, config, (&held,)) })
    })
}

fn main() {}
