//! The mend of `ui-tests/ordered_takes_plain_buffer.rs`. Let the stream adopt the buffer.

use cuscope::{DeviceBuffer, Function, LaunchConfig, OrderedStream, Result};

fn right<'ctx>(
    ordered: &OrderedStream,
    kernel: &Function<'ctx>,
    x: DeviceBuffer<'ctx, f32>,
) -> Result {
    let mut x = ordered.adopt(x)?;
    ordered.copy(&x, &mut ordered.alloc(8)?)?;
    unsafe { ordered.launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut x,)) }
}

fn main() {}
