//! The mend of `ui-tests/kernel_node_without_unsafe.rs`. Write `unsafe` where the node is added.

use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result};

fn right<'ctx>(
    gpu: &PushedGuard<'ctx>,
    store: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, u32>,
) -> Result {
    gpu.build_graph(|g| unsafe { g.kernel_unchecked(&[], store, LaunchConfig::new(1, 1), (&mut g.hold(x), 9_u32)) })
        .map(drop)
}

fn main() {}
