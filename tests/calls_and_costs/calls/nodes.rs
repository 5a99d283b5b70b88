//! Graphs that are built node by node, and changes of single nodes.

use super::table::Table;
use crate::common::gpu::kernel;
use crate::common::kernels::STORE;
use cuscope::{LaunchConfig, Out, PushedGuard, TrustedKernel, ffi, graph::DotFlags};

pub(crate) fn nodes(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Graphs, node by node");
    let (create, instantiate) = ("cuGraphCreate", "cuGraphInstantiateWithFlags");
    let (memset, one) = ("cuGraphAddMemsetNode", LaunchConfig::new(1, 1));
    let store = kernel(gpu, STORE, "store");
    let trusted = trusted(gpu);
    let (mut x, mut y) = (gpu.alloc::<u32>(16).unwrap(), gpu.alloc::<u32>(16).unwrap());
    let event = gpu.event().unwrap();
    let number = gpu.stream_value(0_u32).unwrap();
    let (child, ()) = t
        .row("PushedGuard::build_graph, empty", &[create, instantiate], || {
            gpu.build_graph(|_| Ok(()))
        })
        .unwrap();
    let (mut graph, (fill, kernel, write, copy, host, record, wait, part)) = gpu
        .build_graph(|g| {
            let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
            t.row("GraphBuilder::empty", &["cuGraphAddEmptyNode"], || g.empty(&[]))?;
            let fill = t.row("GraphBuilder::fill", &[memset], || g.fill(&[], &mut x, 1))?;
            t.row("GraphBuilder::zero", &[memset], || g.zero(&[], &mut y))?;
            let copy = &["cuGraphAddMemcpyNode"];
            let copy = t.row("GraphBuilder::copy", copy, || g.copy(&[], &x, &mut y))?;
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            let kernel =
                t.row("GraphBuilder::kernel_unchecked", &["cuGraphAddKernelNode_v2"], || unsafe {
                    g.kernel_unchecked(&[], &store, one, (&mut y, 9_u32))
                })?;
            let host = t.row("GraphBuilder::host_function", &["cuGraphAddHostNode"], || {
                g.host_function(&[], || ())
            })?;
            let record = t.row("GraphBuilder::record", &["cuGraphAddEventRecordNode"], || {
                g.record(&[], &event)
            })?;
            let wait = &["cuGraphAddEventWaitNode"];
            let wait = t.row("GraphBuilder::wait", wait, || g.wait(&[], &event))?;
            let write =
                t.row("GraphBuilder::value_operations", &["cuGraphAddBatchMemOpNode"], || {
                    g.value_operations(&[], &[number.write(1)])
                })?;
            let attributed = &["cuGraphAddKernelNode_v2", "cuGraphKernelNodeSetAttribute"];
            // SAFETY: as above.
            t.row("GraphBuilder::kernel_unchecked, an attribute", attributed, || unsafe {
                g.kernel_unchecked(&[], &store, one.extended().priority(0), (&mut y, 9_u32))
            })?;
            let part = t.row("GraphBuilder::child", &["cuGraphAddChildGraphNode"], || {
                g.child(&[], &child, ())
            })?;
            Ok((fill, kernel, write, copy, host, record, wait, part))
        })
        .unwrap();
    if ffi::cuGraphConditionalHandleCreate().is_ok() {
        let (create, add) = ("cuGraphConditionalHandleCreate", "cuGraphAddNode_v2");
        let _graph = gpu
            .build_graph(|g| {
                let condition = t.row("GraphBuilder::condition", &[create], || g.condition(1))?;
                t.row("GraphBuilder::if_node", &[add], || g.if_node(&[], condition, |_| Ok(())))?;
                let condition = g.condition(0)?;
                let mut x = g.hold(&mut x);
                g.zero(&[], &mut x)?;
                let body = [add, "cuGraphAddDependencies", memset];
                t.row("GraphBuilder::while_node, a fill of memory used before", &body, || {
                    g.while_node(&[], condition, |_| g.fill(&[], &mut x, 1).map(drop))
                })
            })
            .unwrap();
    }
    let _graph = gpu
        .build_graph(|g| {
            let (memory, _) = t.row("GraphBuilder::alloc", &["cuGraphAddMemAllocNode"], || {
                g.alloc::<u32>(&[], 16)
            })?;
            t.row("GraphBuilder::free", &["cuGraphAddMemFreeNode"], || g.free(&[], memory))?;
            t.row("GraphBuilder::scratch", &["cuMemAlloc_v2"], || g.scratch::<u32>(16).map(drop))
        })
        .unwrap();

    let (device, get) = (gpu.device(), "cuDeviceGetGraphMemAttribute");
    t.row("Device::graph_memory", &[get; 4], || device.graph_memory()).unwrap();
    let row = "Device::reset_graph_memory_high_marks";
    let reset = || device.reset_graph_memory_high_marks();
    t.row(row, &["cuDeviceSetGraphMemAttribute"; 2], reset).unwrap();
    let trim = || device.trim_graph_memory();
    t.row("Device::trim_graph_memory", &["cuDeviceGraphMemTrim"], trim).unwrap();

    let (read, set) = ("cuGraphMemsetNodeGetParams", "cuGraphExecMemsetNodeSetParams");
    let why = "reads the address and the element size, once";
    t.unlike("Graph::set_fill, first", &[set], &[read, set], why, || graph.set_fill(fill, 2_u32))
        .unwrap();
    t.row("Graph::set_fill", &[set], || graph.set_fill(fill, 3_u32)).unwrap();
    let set = "cuGraphExecKernelNodeSetParams_v2";
    // SAFETY: the kernel is store(u32 *, u32) and writes one element.
    t.row("PushedGuard::set_kernel_unchecked", &[set], || unsafe {
        gpu.set_kernel_unchecked(&mut graph, kernel, &store, one, (&mut y, 8_u32))
    })
    .unwrap();
    let (mut trusting, safe) = gpu
        .build_graph(|g| {
            let (mut y, add) = (g.hold(&mut y), &["cuGraphAddKernelNode_v2"]);
            t.row("GraphBuilder::kernel, of a TrustedKernel", add, || {
                g.kernel(&[], &trusted, one, (&mut y, 9_u32))
            })
        })
        .unwrap();
    t.row("PushedGuard::set_kernel, of a TrustedKernel", &[set], || {
        gpu.set_kernel(&mut trusting, safe, &trusted, one, (&mut y, 8_u32))
    })
    .unwrap();
    let set = "cuGraphExecBatchMemOpNodeSetParams";
    t.row("Graph::set_value_operations", &[set], || {
        graph.set_value_operations(write, &[number.write(2)])
    })
    .unwrap();
    let set = "cuGraphExecMemcpyNodeSetParams";
    t.row("Graph::set_copy", &[set], || graph.set_copy(copy, &x, &mut y)).unwrap();
    let set = "cuGraphExecHostNodeSetParams";
    t.row("Graph::set_host_function", &[set], || graph.set_host_function(host, || ())).unwrap();
    let set = "cuGraphExecEventRecordNodeSetEvent";
    t.row("Graph::set_event_record", &[set], || graph.set_event_record(record, &event)).unwrap();
    let set = "cuGraphExecEventWaitNodeSetEvent";
    t.row("Graph::set_event_wait", &[set], || graph.set_event_wait(wait, &event)).unwrap();
    let set = "cuGraphExecChildGraphNodeSetParams";
    t.row("Graph::set_child", &[set], || graph.set_child(part, &child, ())).unwrap();
    t.row("Graph::set_enabled", &["cuGraphNodeSetEnabled"], || graph.set_enabled(kernel, false))
        .unwrap();
    t.row("Graph::is_enabled", &["cuGraphNodeGetEnabled"], || graph.is_enabled(kernel)).unwrap();
    t.row("Graph::dot", &["cuGraphDebugDotPrint"], || graph.dot(DotFlags::empty())).unwrap();

    // In a copy all nodes are found at once, and `copy_of` asks no more.
    let find = "cuGraphNodeFindInClone";
    let (small, node) = gpu.build_graph(|g| g.empty(&[])).unwrap();
    let copied = ["cuGraphClone", find, instantiate];
    let by_hand = ["cuGraphClone", instantiate];
    let copy = t
        .unlike("Graph::try_clone, 1 node", &by_hand, &copied, "for `copy_of`", || {
            small.try_clone(gpu)
        })
        .unwrap();
    let why = "called by `try_clone`";
    t.unlike("Graph::copy_of", &[find], &[], why, || copy.copy_of(node)).unwrap();
    let define = [create, "cuGraphAddEmptyNode"];
    let (definition, _) = t
        .row("PushedGuard::define_graph, 1 node", &define, || gpu.define_graph(|g| g.empty(&[])))
        .unwrap();
    let why = "the builder knows them";
    t.unlike("GraphDefinition::nodes", &["cuGraphGetNodes"], &[], why, || definition.nodes())
        .unwrap();
    t.row("GraphDefinition::edges", &["cuGraphGetEdges"], || definition.edges()).unwrap();
    let dot = &["cuGraphDebugDotPrint"];
    t.row("GraphDefinition::dot", dot, || definition.dot(DotFlags::empty())).unwrap();
    let kind = &["cuGraphNodeGetType"];
    t.row("GraphDefinition::list_nodes, 1 node", kind, || definition.list_nodes()).unwrap();
    let _graph = t
        .unlike(
            "GraphDefinition::instantiate, 1 node",
            &[instantiate],
            &copied,
            "each graph has its own nodes, for `copy_of`",
            || definition.instantiate(gpu),
        )
        .unwrap();
    let (definition, _) = t
        .row("GraphDefinition::extend, 1 node", &["cuGraphAddEmptyNode"], || {
            definition.extend(gpu, |g| g.empty(&[]))
        })
        .unwrap();
    drop(definition);
    definitions(t, gpu);
    timed(t, gpu);
    let again = [create, "cuGraphExecUpdate_v2", "cuGraphDestroy"];
    let (mut small, _) = gpu.build_graph(|g| g.empty(&[])).unwrap();
    let by_hand = [create, "cuGraphAddEmptyNode", again[1], again[2]];
    let (in_place, _) = t
        .row("PushedGuard::rebuild_graph, 1 node, in place", &by_hand, || {
            gpu.rebuild_graph(&mut small, |g| g.empty(&[]))
        })
        .unwrap();
    assert!(in_place);
}

/// Changes of definitions.
fn definitions(t: &mut Table, gpu: &PushedGuard<'_>) {
    let (store, event) = (kernel(gpu, STORE, "store"), gpu.event().unwrap());
    let number = gpu.stream_value(0_u32).unwrap();
    let (mut x, mut y) = (gpu.alloc::<u32>(16).unwrap(), gpu.alloc::<u32>(16).unwrap());
    let (one, numbers) = (LaunchConfig::new(1, 1), [number.write(2)]);
    let (mut definition, (fill, copy, kernel, host, record, wait, write)) = gpu
        .define_graph(|g| {
            let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
            Ok((
                g.fill(&[], &mut x, 1)?,
                g.copy(&[], &x, &mut y)?,
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe { g.kernel_unchecked(&[], &store, one, (&mut y, 9_u32)) }?,
                g.host_function(&[], || ())?,
                g.record(&[], &event)?,
                g.wait(&[], &event)?,
                g.value_operations(&[], &numbers)?,
            ))
        })
        .unwrap();
    if ffi::cuGraphNodeSetParams().is_ok() {
        let (part, ()) = gpu.build_graph(|_| Ok(())).unwrap();
        let (mut whole, child) = gpu.define_graph(|g| g.child(&[], &part, ())).unwrap();
        let set = "cuGraphNodeSetParams";
        t.row("GraphDefinition::set_child", &[set], || whole.set_child(child, &part, ())).unwrap();
    }
    let (read, set) = ("cuGraphMemsetNodeGetParams", "cuGraphMemsetNodeSetParams");
    let why = "reads the address and the element size, once";
    t.unlike("GraphDefinition::set_fill, first", &[set], &[read, set], why, || {
        definition.set_fill(fill, 2_u32)
    })
    .unwrap();
    t.row("GraphDefinition::set_fill", &[set], || definition.set_fill(fill, 3_u32)).unwrap();
    let set = "cuGraphMemcpyNodeSetParams";
    t.row("GraphDefinition::set_copy", &[set], || definition.set_copy(copy, &x, &mut y)).unwrap();
    let set = "cuGraphKernelNodeSetParams_v2";
    // SAFETY: as above.
    t.row("GraphDefinition::set_kernel_unchecked", &[set], || unsafe {
        definition.set_kernel_unchecked(gpu, kernel, &store, one, (&mut y, 8_u32))
    })
    .unwrap();
    let trusted = trusted(gpu);
    t.row("GraphDefinition::set_kernel, of a TrustedKernel", &[set], || {
        definition.set_kernel(gpu, kernel, &trusted, one, (&mut y, 8_u32))
    })
    .unwrap();
    let set = "cuGraphHostNodeSetParams";
    t.row("GraphDefinition::set_host_function", &[set], || {
        definition.set_host_function(host, || ())
    })
    .unwrap();
    let set = "cuGraphEventRecordNodeSetEvent";
    t.row("GraphDefinition::set_event_record", &[set], || {
        definition.set_event_record(record, &event)
    })
    .unwrap();
    let set = "cuGraphEventWaitNodeSetEvent";
    t.row("GraphDefinition::set_event_wait", &[set], || definition.set_event_wait(wait, &event))
        .unwrap();
    let set = "cuGraphBatchMemOpNodeSetParams";
    t.row("GraphDefinition::set_value_operations", &[set], || {
        definition.set_value_operations(write, &numbers)
    })
    .unwrap();
}

/// The times of a kernel.
fn timed(t: &mut Table, gpu: &PushedGuard<'_>) {
    let (stream, store) = (gpu.stream().unwrap(), kernel(gpu, STORE, "store"));
    let mut x = gpu.alloc::<u32>(16).unwrap();
    let (mut graph, _) = gpu
        .build_graph(|g| {
            let mut x = g.hold(&mut x);
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            unsafe { g.kernel_unchecked(&[], &store, LaunchConfig::new(1, 1), (&mut x, 9_u32)) }
        })
        .unwrap();
    let calls = [
        "cuGraphNodeGetType",
        "cuGraphKernelNodeGetParams_v2",
        "cuFuncGetName",
        "cuGraphClone",
        "cuGraphNodeFindInClone",
        "cuEventCreate",
        "cuGraphAddEventRecordNode",
        "cuEventCreate",
        "cuGraphAddEventRecordNode",
        "cuGraphAddDependencies",
        "cuGraphInstantiateWithFlags",
        "cuGraphLaunch",
        "cuStreamSynchronize",
        "cuEventElapsedTime",
        "cuGraphExecDestroy",
        "cuGraphDestroy",
        "cuEventDestroy_v2",
        "cuEventDestroy_v2",
    ];
    t.row("PushedGuard::time_nodes, 1 kernel", &calls, || {
        gpu.time_nodes(&stream, &mut graph, &mut x)
    })
    .unwrap();
}

/// A kernel that is launched without `unsafe`.
fn trusted(gpu: &PushedGuard<'_>) -> TrustedKernel<(Out<u32>, u32)> {
    let store = gpu.load_ptx(STORE).unwrap().kernel("store").unwrap();
    // SAFETY: store(u32 *, u32) writes one element, and the memory has one.
    unsafe { store.trust(|_, (memory, _)| !memory.is_empty()) }
}
