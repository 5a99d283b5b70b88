//! The mend of `ui-tests/condition_of_any_graph.rs`. Give the condition the lifetime of its builder.

use cuscope::graph::{Condition, GraphBuilder};
use cuscope::{Function, LaunchConfig, Result};

fn right<'s, 'env, 'ctx>(
    g: &'s GraphBuilder<'s, 'env, 'ctx>,
    kernel: &Function<'ctx>,
    condition: &mut Condition<'s>,
) -> Result {
    unsafe { g.kernel_unchecked(&[], kernel, LaunchConfig::new(1, 1), (condition,)) }.map(drop)
}

fn main() {}
