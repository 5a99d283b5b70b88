//! A kernel sets a condition of the graph that it is added to.
//!
//! **Why:** The number of another graph's means nothing there. It is a part of `graph-owns`.
//!
//! **Mend:** Give the condition the lifetime of its builder. See `ui-tests/mended/condition_of_any_graph.rs`.
//!
//! **Mistake** (a lifetime that may not live long enough):

use cuscope::graph::{Condition, GraphBuilder};
use cuscope::{Function, LaunchConfig, Result};

fn misuse<'s, 'other, 'env, 'ctx>(
    g: &'s GraphBuilder<'s, 'env, 'ctx>,
    kernel: &Function<'ctx>,
    condition: &mut Condition<'other>,
) -> Result {
    unsafe { g.kernel_unchecked(&[], kernel, LaunchConfig::new(1, 1), (condition,)) }.map(drop)
}

fn main() {}
