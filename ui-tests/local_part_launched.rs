//! A kernel of a scope may run until the scope ends, so a part that is lent to it is taken outside of the closure.
//!
//! **Why:** The borrow of the buffer ends with the part. The program could use the buffer behind the closure, while
//! the kernel is still at it. It is a part of `scope-borrows`.
//!
//! **Mend:** Take the part above the scope. See `ui-tests/mended/local_part_launched.rs`.
//!
//! **Mistake** (E0597):

use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result, Stream};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    stream: &Stream<'ctx>,
    kernel: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, f32>,
    y: &mut DeviceBuffer<'ctx, f32>,
) -> Result {
    let config = LaunchConfig::new(1, 1);
    gpu.scope(|s| {
        let stream = s.on(stream);
        let (read, mut written) = (x.slice_mut(..)?, y.slice_mut(..)?);
        unsafe { stream.launch_unchecked(kernel, config, (&read,)) }?;
        unsafe { stream.launch_unchecked(kernel, config, (&mut written,)) }
    })
}

fn main() {}
