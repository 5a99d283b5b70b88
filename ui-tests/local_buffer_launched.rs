//! A kernel of a scope may run until the scope ends.
//!
//! **Why:** The buffers were moved in, so they are freed when the closure returns, while the kernels may still run on
//! them. It is a part of `scope-borrows`.
//!
//! **Mend:** Lend it memory that lives longer. See `ui-tests/mended/local_buffer_launched.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    [x, mut y, z]: [DeviceBuffer<'ctx, f32>; 3],
) -> Result {
    let config = LaunchConfig::new(1, 1);
    gpu.scope(move |s| {
        let stream = s.on(stream);
        unsafe { stream.launch_unchecked(kernel, config, (&x,)) }?;
        unsafe { stream.launch_unchecked(kernel, config, (&mut y,)) }?;
        unsafe { stream.launch_unchecked(kernel, config, (z.slice(..)?,)) }
    })
}

fn main() {}
