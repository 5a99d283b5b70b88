//! A launch is `unsafe` where its node is added, for all replays.
//!
//! **Why:** Nobody sees what the kernel does with its pointers. If it writes behind the buffer, each replay does, and
//! no replay is marked as `unsafe`. It is a part of `nodes-ordered`.
//!
//! **Mend:** Write `unsafe` where the node is added. See `ui-tests/mended/kernel_node_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

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
