//! What a scope writes more than once is held.
//!
//! **Why:** `&mut buffer` itself is an argument of one launch, and is then lent until the scope ends. It is a part
//! of `scope-ordered`.
//!
//! **Mend:** Hold it, and pass `&mut held` to each. See `ui-tests/mended/written_through_plain_buffer.rs`.
//!
//! **Mistake** (E0499):

use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    buffer: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 1);
    gpu.scope(|s| {
        unsafe { s.on(stream).launch_unchecked(kernel, config, (&mut *buffer,)) }?;
        unsafe { s.on(stream).launch_unchecked(kernel, config, (&mut *buffer,)) }
    })
}

fn main() {}
