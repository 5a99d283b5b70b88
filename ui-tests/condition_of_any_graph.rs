//! A kernel sets a condition of the graph that it is added to: the number of another graph's means nothing there.

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
