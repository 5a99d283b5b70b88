//! Each way to launch a kernel is `unsafe`, as nobody checks what a kernel does.
//!
//! **Why:** On a default stream, without a wait, in an ordered stream, and in a node of a graph or of a definition
//! that changes. It is a part of `arguments-lowered`.
//!
//! **Mend:** Write `unsafe`, and what the kernel does. See `ui-tests/mended/launches_without_unsafe.rs`.
//!
//! **Mistake** (E0133):

use cuscope::graph::{Graph, GraphDefinition, KernelNode};
use cuscope::{Function, LaunchConfig, OrderedStream, PushedGuard, Result, SyncDefaultStream, SyncStream};

fn on_a_default_stream<'ctx>(stream: &SyncDefaultStream<'_, 'ctx>, kernel: &Function<'ctx>) -> Result {
    stream.launch_unchecked(kernel, LaunchConfig::new(1, 16), ())
}

fn without_a_wait<'ctx>(stream: &SyncStream<'_, 'ctx>, kernel: &Function<'ctx>) -> Result {
    stream.launch_unscoped(kernel, LaunchConfig::new(1, 16), ())
}

fn in_an_ordered_stream<'ctx>(stream: &OrderedStream, kernel: &Function<'ctx>) -> Result {
    stream.launch_unchecked(kernel, LaunchConfig::new(1, 16), ())
}

fn in_a_node<'ctx>(
    gpu: &PushedGuard<'ctx>,
    graph: &mut Graph<'ctx>,
    node: KernelNode,
    kernel: &Function<'ctx>,
) -> Result {
    gpu.set_kernel_unchecked(graph, node, kernel, LaunchConfig::new(1, 16), ())
}

fn in_a_node_of_a_definition<'ctx>(
    gpu: &PushedGuard<'ctx>,
    definition: &mut GraphDefinition<'ctx>,
    node: KernelNode,
    kernel: &Function<'ctx>,
) -> Result {
    definition.set_kernel_unchecked(gpu, node, kernel, LaunchConfig::new(1, 16), ())
}

fn main() {}
