//! The mend of `ui-tests/window_over_host_memory.rs`. Upload the memory to a buffer.

use cuscope::{DeviceBuffer, Result, Stream, memory::AccessPolicyWindow};

fn right<'ctx>(stream: &Stream<'ctx>, weights: &DeviceBuffer<'ctx, f32>) -> Result {
    let window = AccessPolicyWindow::persisting(weights, 0.5)?;
    stream.set_access_policy_window(Some(window))
}

fn main() {}
