//! The mend of `ui-tests/launches_without_unsafe.rs`. Write `unsafe`, and what the kernel does.

use cuscope::graph::{Graph, GraphDefinition, KernelNode};
use cuscope::{Function, LaunchConfig, OrderedStream, PushedGuard, Result, SyncDefaultStream, SyncStream};

fn on_a_default_stream<'ctx>(stream: &SyncDefaultStream<'_, 'ctx>, kernel: &Function<'ctx>) -> Result {
    // SAFETY: the kernel has no parameters, and uses no memory.
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 16), ()) }
}

fn without_a_wait<'ctx>(stream: &SyncStream<'_, 'ctx>, kernel: &Function<'ctx>) -> Result {
    // SAFETY: as above.
    unsafe { stream.launch_unscoped(kernel, LaunchConfig::new(1, 16), ()) }
}

fn in_an_ordered_stream<'ctx>(stream: &OrderedStream, kernel: &Function<'ctx>) -> Result {
    // SAFETY: as above.
    unsafe { stream.launch_unchecked(kernel, LaunchConfig::new(1, 16), ()) }
}

fn in_a_node<'ctx>(
    gpu: &PushedGuard<'ctx>,
    graph: &mut Graph<'ctx>,
    node: KernelNode,
    kernel: &Function<'ctx>,
) -> Result {
    // SAFETY: as above.
    unsafe { gpu.set_kernel_unchecked(graph, node, kernel, LaunchConfig::new(1, 16), ()) }
}

fn in_a_node_of_a_definition<'ctx>(
    gpu: &PushedGuard<'ctx>,
    definition: &mut GraphDefinition<'ctx>,
    node: KernelNode,
    kernel: &Function<'ctx>,
) -> Result {
    // SAFETY: as above.
    unsafe { definition.set_kernel_unchecked(gpu, node, kernel, LaunchConfig::new(1, 16), ()) }
}

fn main() {}
