//! A launch is `unsafe` where its node is added, for all replays.

use cuscope::{DeviceBuffer, Function, LaunchConfig, PushedGuard, Result};

fn misuse<'ctx>(
    gpu: &PushedGuard<'ctx>,
    store: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, u32>,
) -> Result {
    gpu.build_graph(|g| g.kernel_unchecked(&[], store, LaunchConfig::new(1, 1), (&mut g.hold(x), 9_u32)))
        .map(drop)
}

fn main() {}
