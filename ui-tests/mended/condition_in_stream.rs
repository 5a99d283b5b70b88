//! The mend of `ui-tests/condition_in_stream.rs`. Set the condition by a kernel of the graph.

use cuscope::{Function, LaunchConfig, PushedGuard, Result};

fn right<'ctx>(gpu: &PushedGuard<'ctx>, kernel: &Function<'ctx>) -> Result {
    gpu.build_graph(|g| {
        let mut condition = g.condition(1)?;
        // SAFETY: the kernel sets the condition.
        let set = unsafe { g.kernel_unchecked(&[], kernel, LaunchConfig::new(1, 1), (&mut condition,)) }?;
        g.if_node(&[set.into()], condition, |_| Ok(()))
    })
    .map(drop)
}

fn main() {}
