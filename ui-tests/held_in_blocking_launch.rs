//! What a scope holds is no argument of a launch outside of its streams, which would race with them.
//!
//! **Why:** The streams of the scope may be using the buffer at that moment. A launch on another stream waits for
//! none of them. It is a part of `scope-ordered`.
//!
//! **Mend:** Launch on a stream of the scope. See `ui-tests/mended/held_in_blocking_launch.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    gpu.scope(|s| {
        let mut held = s.hold(buffer);
        unsafe { gpu.on(stream).launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut held,)) }
    })
}

fn main() {}
