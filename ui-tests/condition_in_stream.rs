//! A condition is an argument of kernels in its graph alone.
//!
//! **Why:** A stream runs them at some other time. It is a part of `nodes-ordered`.
//!
//! **Mend:** Set the condition by a kernel of the graph. See `ui-tests/mended/condition_in_stream.rs`.
//!
//! **Mistake** (E0277):

use cuscope::{Function, LaunchConfig, PushedGuard, Result, Stream};

fn misuse(gpu: &PushedGuard<'_>, stream: &Stream<'_>, kernel: &Function<'_>) -> Result {
    gpu.build_graph(|g| {
        let mut condition = g.condition(1)?;
        // SAFETY: the kernel sets the condition.
        unsafe { gpu.on(stream).launch_unchecked(kernel, LaunchConfig::new(1, 1), (&mut condition,)) }?;
        g.if_node(&[], condition, |_| Ok(()))
    })
    .map(drop)
}

fn main() {}
