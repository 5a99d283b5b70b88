//! An access policy window covers memory of the device: the L2 cache is there.

use cuscope::{Result, Stream, memory::AccessPolicyWindow};

fn misuse(stream: &Stream<'_>, weights: &[f32]) -> Result {
    let window = AccessPolicyWindow::persisting(&weights, 0.5)?;
    stream.set_access_policy_window(Some(window))
}

fn main() {}
