//! An access policy window covers memory of the device.
//!
//! **Why:** The L2 cache is there. It is a part of `launch-attributes`.
//!
//! **Mend:** Upload the memory to a buffer. See `ui-tests/mended/window_over_host_memory.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Result, Stream, memory::AccessPolicyWindow};

fn misuse(stream: &Stream<'_>, weights: &[f32]) -> Result {
    let window = AccessPolicyWindow::persisting(&weights, 0.5)?;
    stream.set_access_policy_window(Some(window))
}

fn main() {}
