//! Objects that a graph keeps when its nodes are changed: those that they use now, and those that copies use.

use super::ONE;
use crate::common::gpu::{filled, read, try_with_gpu, with_gpu};
use crate::common::kernels::STORE;
use crate::common::{self, UNWINDS, fewer};
use crate::{fresh, needs_unwinding, skip};
use cuscope::graph::{ChildGraphNode, EventRecordNode, EventWaitNode, HostNode, KernelNode};
use cuscope::graph::{GraphDefinition, ValueOperationsNode};
use cuscope::stream::Until;
use cuscope::{DeviceBuffer, Function, Graph, PushedGuard, Result, ffi};
use cuscope_softdriver::control::{Live, live};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// How often each node is changed.
const CHANGES: usize = fewer(1000, 3);

/// A function that holds a share in something.
fn holds(shared: &Arc<()>) -> impl FnMut() + Send + 'static {
    let shared = shared.clone();
    move || _ = &shared
}

/// The nodes of one graph: one of each kind that uses more than memory.
#[derive(Clone, Copy)]
struct Nodes {
    host: HostNode,
    record: EventRecordNode,
    wait: EventWaitNode,
    values: ValueOperationsNode,
    child: ChildGraphNode,
    kernel: KernelNode,
}

fn define<'ctx>(
    gpu: &PushedGuard<'ctx>,
    shared: &Arc<()>,
    x: &mut cuscope::DeviceBuffer<'ctx, u32>,
) -> Result<(GraphDefinition<'ctx>, Nodes)> {
    let (event, number) = (gpu.event()?, gpu.stream_value(0_u32)?);
    let store = gpu.load_ptx(STORE)?.function("store")?;
    let (inner, _) = gpu.build_graph(|g| g.host_function(&[], holds(shared)))?;
    gpu.define_graph(|g| {
        let mut x = g.hold(x);
        let host = g.host_function(&[], holds(shared))?;
        let record = g.record(&[host.id()], &event)?;
        let wait = g.wait(&[], &event)?;
        let values = g.value_operations(&[], &[number.wait(Until::AtLeast(0)), number.write(1)])?;
        let child = g.child(&[], &inner, ())?;
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        let kernel = unsafe { g.kernel_unchecked(&[], &store, ONE(), (&mut x, 1_u32)) }?;
        Ok(Nodes { host, record, wait, values, child, kernel })
    })
}

/// Changes each node once, to something that nothing else has.
macro_rules! change {
    ($gpu:ident, $graph:expr, $nodes:ident, $shared:expr, $x:expr, |$kernel:ident, $store:ident, $args:ident| $set_kernel:expr) => {{
        let (record, wait, number) = ($gpu.event()?, $gpu.event()?, $gpu.stream_value(0_u32)?);
        let $store = $gpu.load_ptx(STORE)?.function("store")?;
        let (inner, _) = $gpu.build_graph(|g| g.host_function(&[], holds($shared)))?;
        $graph.set_host_function($nodes.host, holds($shared))?;
        $graph.set_event_record($nodes.record, &record)?;
        $graph.set_event_wait($nodes.wait, &wait)?;
        $graph.set_value_operations(
            $nodes.values,
            &[number.wait(Until::AtLeast(0)), number.write(1)],
        )?;
        $graph.set_child($nodes.child, &inner, ())?;
        let ($kernel, $args) = ($nodes.kernel, (&mut *$x, 2_u32));
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        unsafe { $set_kernel }?;
    }};
}

/// Counts the objects that are alive, except for those that do not tell.
fn counted(shared: &Arc<()>) -> (usize, Live) {
    (Arc::strong_count(shared), if common::software() { live() } else { Live::default() })
}

#[test]
fn a_definition_keeps_what_its_nodes_use_now() {
    fresh!(a_definition_keeps_what_its_nodes_use_now, {
        try_with_gpu(|gpu| {
            let (stream, mut x, shared) = (gpu.stream()?, filled(gpu, 4, 0), Arc::new(()));
            let (mut definition, nodes) = define(gpu, &shared, &mut x)?;
            let before = counted(&shared);
            for _ in 0..CHANGES {
                change!(gpu, definition, nodes, &shared, &mut x, |kernel, store, args| definition
                    .set_kernel_unchecked(gpu, kernel, &store, ONE(), args));
                // One event was recorded and waited for, and two are now.
                let (functions, mut now) = counted(&shared);
                now.events = before.1.events;
                assert_eq!((functions, now), before);
            }
            if common::software() {
                assert_eq!(live().events, before.1.events + 1);
            }
            // Its graphs keep what they use, and no more.
            let graph = definition.instantiate(gpu)?;
            change!(gpu, definition, nodes, &shared, &mut x, |kernel, store, args| definition
                .set_kernel_unchecked(gpu, kernel, &store, ONE(), args));
            assert_eq!(Arc::strong_count(&shared), before.0 + 2);
            gpu.on(&stream).replay(&graph, &mut x)?;
            assert_eq!(read(gpu, &x)[0], 2);
            drop(definition);
            assert_eq!(Arc::strong_count(&shared), before.0);
            gpu.on(&stream).replay(&graph, &mut x)?;
            drop(graph);
            assert_eq!(Arc::strong_count(&shared), 1);
            Ok(())
        });
    });
}

#[test]
fn a_graph_keeps_what_its_nodes_use_now_and_what_copies_use() {
    fresh!(a_graph_keeps_what_its_nodes_use_now_and_what_copies_use, {
        try_with_gpu(|gpu| {
            let (stream, mut x, shared) = (gpu.stream()?, filled(gpu, 4, 0), Arc::new(()));
            let (definition, nodes) = define(gpu, &shared, &mut x)?;
            let mut graph = definition.into_graph(gpu)?;
            let first = counted(&shared);
            let mut changed = None;
            for _ in 0..CHANGES {
                change!(gpu, graph, nodes, &shared, &mut x, |kernel, store, args| gpu
                    .set_kernel_unchecked(&mut graph, kernel, &store, ONE(), args));
                gpu.on(&stream).replay(&graph, &mut x)?;
                let now = counted(&shared);
                assert_eq!(*changed.get_or_insert(now), now);
            }
            assert_eq!(changed.map(|(functions, _)| functions), Some(first.0 + 2));
            // A copy is as the graph was built, and a parent has such a copy.
            let copy = graph.try_clone(gpu)?;
            let (parent, _) = gpu.build_graph(|g| g.child(&[], &graph, &mut g.hold(&mut x)))?;
            drop(graph);
            assert_eq!(Arc::strong_count(&shared), first.0);
            for graph in [&copy, &parent] {
                gpu.on(&stream).fill(&mut x, 0)?;
                gpu.on(&stream).replay(graph, &mut x)?;
                assert_eq!(read(gpu, &x)[0], 1);
            }
            drop(copy);
            assert_eq!(Arc::strong_count(&shared), first.0);
            drop(parent);
            assert_eq!(Arc::strong_count(&shared), 1);
            Ok(())
        });
    });
}

/// Kernels inside of conditional nodes, which cannot be copied.
#[test]
fn a_kernel_in_a_conditional_node_keeps_the_module_that_it_has_now() {
    if let Err(needs) = ffi::cuGraphConditionalHandleCreate() {
        skip!("{needs}");
    }
    fresh!(a_kernel_in_a_conditional_node_keeps_the_module_that_it_has_now, {
        try_with_gpu(|gpu| {
            let (stream, mut x) = (gpu.stream()?, filled(gpu, 4, 0));
            let (definition, node) = {
                let store = gpu.load_ptx(STORE)?.function("store")?;
                gpu.define_graph(|g| {
                    let (mut x, mut inside) = (g.hold(&mut x), None);
                    g.if_node(&[], g.condition(1)?, |_| {
                        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                        inside = Some(unsafe {
                            g.kernel_unchecked(&[], &store, ONE(), (&mut x, 1_u32))
                        }?);
                        Ok(())
                    })?;
                    Ok(inside.expect("the closure ran"))
                })?
            };
            let mut definition = definition;
            let loaded = |modules| {
                if common::software() {
                    assert_eq!(live().modules, modules);
                }
            };
            for value in 0..CHANGES as u32 {
                let store = gpu.load_ptx(STORE)?.function("store")?;
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe {
                    definition.set_kernel_unchecked(gpu, node, &store, ONE(), (&mut x, value))
                }?;
                loaded(1);
            }
            let mut graph = definition.into_graph(gpu)?;
            for value in 0..CHANGES as u32 {
                let store = gpu.load_ptx(STORE)?.function("store")?;
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe {
                    gpu.set_kernel_unchecked(&mut graph, node, &store, ONE(), (&mut x, value))
                }?;
                drop(store);
                gpu.on(&stream).replay(&graph, &mut x)?;
                assert_eq!(read(gpu, &x)[0], value);
                loaded(2);
            }
            Ok(())
        });
    });
}

/// The replay of an ordered stream goes on when the call that enqueued it is over.
#[test]
fn objects_of_a_replay_in_flight_are_kept_until_it_is_over() {
    with_gpu(|gpu| {
        /// How often it was called, and dropped.
        #[derive(Default)]
        struct Counts(AtomicU32, AtomicU32);
        struct Counted(Arc<Counts>);
        impl Drop for Counted {
            fn drop(&mut self) {
                self.0.1.fetch_add(1, Relaxed);
            }
        }
        let (ordered, go) = (gpu.ordered_stream().unwrap(), gpu.stream_value(0_u32).unwrap());
        let counts = Arc::new(Counts::default());
        let counted = Counted(counts.clone());
        let (mut graph, host) = gpu
            .build_graph(|g| {
                let wait = g.value_operations(&[], &[go.wait(Until::AtLeast(1))])?;
                g.host_function(&[wait.id()], || ())
            })
            .unwrap();
        graph
            .set_host_function(host, move || {
                counted.0.0.fetch_add(1, Relaxed);
            })
            .unwrap();
        ordered.replay(&graph, ()).unwrap();
        assert_eq!(graph.is_idle(), Ok(false));
        std::thread::scope(|threads| {
            threads.spawn(|| {
                for _ in 0..100 {
                    std::thread::yield_now();
                }
                let dropped = counts.1.load(Relaxed);
                go.store(1);
                assert_eq!(dropped, 0, "the replay uses it");
            });
            // Waits for the replay.
            graph.set_host_function(host, || ()).unwrap();
        });
        assert_eq!((counts.0.load(Relaxed), counts.1.load(Relaxed)), (1, 1));
        ordered.replay(&graph, ()).unwrap();
        graph.wait_idle().unwrap();
        assert_eq!(counts.0.load(Relaxed), 1);
    });
}

/// A failed call may have been made all the same.
#[test]
fn a_change_that_fails_keeps_the_old_and_the_new() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(a_change_that_fails_keeps_the_old_and_the_new, {
        try_with_gpu(|gpu| {
            const SET: &str = "cuGraphExecHostNodeSetParams";
            let (stream, calls) = (gpu.stream()?, Arc::new(AtomicU32::new(0)));
            let add = |number| {
                let calls = calls.clone();
                move || _ = calls.fetch_add(number, Relaxed)
            };
            let (mut graph, host) = gpu.build_graph(|g| g.host_function(&[], add(1)))?;
            graph.set_host_function(host, add(10))?;
            for (performed, code, kept, added) in [
                // The code proves that the node is as it was.
                (false, ffi::CUDA_ERROR_INVALID_VALUE, 2, 10),
                (false, ffi::CUDA_ERROR_UNKNOWN, 3, 10),
                (true, ffi::CUDA_ERROR_UNKNOWN, 4, 100),
            ] {
                let fault = Fault { which: Which::Named(SET), code, performed };
                let (failed, _) = with_fault(fault, || graph.set_host_function(host, add(100)));
                assert_eq!(failed.unwrap_err().code(), Some(code));
                assert_eq!(Arc::strong_count(&calls), 1 + kept);
                gpu.on(&stream).replay(&graph, ())?;
                assert_eq!(calls.swap(0, Relaxed), added);
            }
            // A change that succeeds lets all of them go, except for the first function.
            graph.set_host_function(host, || ())?;
            assert_eq!(Arc::strong_count(&calls), 2);
            Ok(())
        });
    });
}

/// A destructor of the program runs in the call, and may use everything but the graph.
#[test]
fn the_destructor_of_a_function_makes_calls_and_its_panic_goes_nowhere() {
    with_gpu(|gpu| {
        struct Asks<F: FnMut()>(F);
        impl<F: FnMut()> Drop for Asks<F> {
            fn drop(&mut self) {
                (self.0)();
            }
        }
        let (context, dropped) = (gpu.context().clone(), Arc::new(AtomicU32::new(0)));
        let again = dropped.clone();
        let asks = Asks(move || {
            context
                .with(|gpu| {
                    let (mut other, host) = gpu.build_graph(|g| g.host_function(&[], || ()))?;
                    other.set_host_function(host, || ())?;
                    gpu.on(&gpu.stream()?).replay(&other, ())
                })
                .unwrap();
            again.fetch_add(1, Relaxed);
            if UNWINDS {
                panic!("contained")
            }
        });
        let stream = gpu.stream().unwrap();
        let (mut graph, host) = gpu.build_graph(|g| g.host_function(&[], || ())).unwrap();
        graph.set_host_function(host, move || _ = &asks).unwrap();
        gpu.on(&stream).replay(&graph, ()).unwrap();
        assert_eq!(dropped.load(Relaxed), 0);
        graph.set_host_function(host, || ()).unwrap();
        assert_eq!(dropped.load(Relaxed), 1);
        gpu.on(&stream).replay(&graph, ()).unwrap();
    });
}

#[test]
fn the_panic_of_a_function_outlives_its_place_in_the_graph() {
    needs_unwinding!("the payload comes up in a later replay");
    fresh!(the_panic_of_a_function_outlives_its_place_in_the_graph, {
        try_with_gpu(|gpu| {
            let ordered = gpu.ordered_stream()?;
            let stream = gpu.stream()?;
            let (mut graph, host) = gpu.build_graph(|g| g.host_function(&[], || ()))?;
            graph.set_host_function(host, || panic!("the first"))?;
            ordered.replay(&graph, ())?;
            // Both wait for the replay; neither is a wait of the program.
            graph.set_host_function(host, || panic!("the second"))?;
            ordered.replay(&graph, ())?;
            graph.set_host_function(host, || ())?;
            let replay = || gpu.on(&stream).replay(&graph, ());
            let panic = catch_unwind(AssertUnwindSafe(replay)).unwrap_err();
            assert_eq!(panic.downcast_ref::<&str>(), Some(&"the first"));
            replay()
        });
    });
}

/// The graph that a node was changed to may change, too.
#[test]
fn a_child_graph_uses_what_the_other_graph_was_built_with() {
    with_gpu(|gpu| {
        let (stream, shared) = (gpu.stream().unwrap(), Arc::new(()));
        let build = || gpu.build_graph(|g| g.host_function(&[], holds(&shared))).unwrap();
        let ((mut inner, host), (other, _)) = (build(), build());
        let (mut graph, child): (Graph<'_>, _) =
            gpu.build_graph(|g| g.child(&[], &other, ())).unwrap();
        inner.set_host_function(host, holds(&shared)).unwrap();
        assert_eq!(Arc::strong_count(&shared), 4);
        graph.set_child(child, &inner, ()).unwrap();
        drop((inner, other));
        assert_eq!(Arc::strong_count(&shared), 3, "not the one that it was changed to");
        gpu.on(&stream).replay(&graph, ()).unwrap();
        // A graph with other nodes is refused, and leaves nothing here.
        let (longer, _) = gpu
            .build_graph(|g| {
                let first = g.host_function(&[], holds(&shared))?;
                g.host_function(&[first.id()], holds(&shared))
            })
            .unwrap();
        let refused = graph.set_child(child, &longer, ()).unwrap_err();
        assert!(refused.code() == Some(ffi::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE), "{refused}");
        drop(longer);
        assert_eq!(Arc::strong_count(&shared), 3);
    });
}

/// A graph of a kernel that stores 1, and the node.
fn stores<'ctx>(
    gpu: &PushedGuard<'ctx>,
    x: &mut DeviceBuffer<'ctx, u32>,
) -> Result<(Graph<'ctx>, KernelNode)> {
    let store = gpu.load_ptx(STORE)?.function("store")?;
    // SAFETY: the kernel is store(u32 *, u32) and writes one element.
    gpu.build_graph(|g| unsafe { g.kernel_unchecked(&[], &store, ONE(), (&mut g.hold(x), 1_u32)) })
}

/// Lets the node store 2, by this kernel.
fn set<'ctx>(
    gpu: &PushedGuard<'ctx>,
    graph: &mut Graph<'ctx>,
    node: KernelNode,
    store: &Function<'ctx>,
    x: &mut DeviceBuffer<'ctx, u32>,
) -> Result {
    // SAFETY: as above.
    unsafe { gpu.set_kernel_unchecked(graph, node, store, ONE(), (x, 2_u32)) }
}

/// A kernel that stays the same costs no look at what else the node keeps, and what is known of that stays true.
#[test]
fn a_kernel_keeps_one_module_after_a_failed_change() {
    if !common::software() {
        skip!("only the software driver counts what is alive and fails on demand");
    }
    fresh!(a_kernel_keeps_one_module_after_a_failed_change, {
        try_with_gpu(|gpu| {
            let mut x = filled(gpu, 4, 0);
            let load = || gpu.load_ptx(STORE)?.function("store");
            let (first, second) = (load()?, load()?);
            let (mut graph, node) = stores(gpu, &mut x)?;
            set(gpu, &mut graph, node, &first, &mut x)?;
            let (which, performed) = (Which::Named("cuGraphExecKernelNodeSetParams_v2"), true);
            let fault = Fault { which, code: ffi::CUDA_ERROR_UNKNOWN, performed };
            with_fault(fault, || set(gpu, &mut graph, node, &second, &mut x)).0.unwrap_err();
            drop(second);
            assert_eq!(live().modules, 3, "the node may have either");
            set(gpu, &mut graph, node, &first, &mut x)?;
            assert_eq!(live().modules, 2, "that of copies, and that of the node");
            set(gpu, &mut graph, node, &first, &mut x)?;
            drop(first);
            assert_eq!(live().modules, 2);
            Ok(())
        });
    });
}

/// A copy begins as the graph was built: it uses what the nodes had then, and keeps what its own nodes get.
#[test]
fn a_copy_keeps_the_module_that_its_own_node_gets() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(a_copy_keeps_the_module_that_its_own_node_gets, {
        try_with_gpu(|gpu| {
            let stream = gpu.stream()?;
            let mut x = filled(gpu, 4, 0);
            let load = || gpu.load_ptx(STORE)?.function("store");
            let (first, second) = (load()?, load()?);
            let (mut graph, node) = stores(gpu, &mut x)?;
            set(gpu, &mut graph, node, &second, &mut x)?;
            let plain = graph.try_clone(gpu)?;
            set(gpu, &mut graph, node, &first, &mut x)?;
            drop(second);
            assert_eq!(live().modules, 2, "that of copies, and that of the node");
            let mut copy = graph.try_clone(gpu)?;
            let copied = copy.copy_of(node)?;
            set(gpu, &mut copy, copied, &first, &mut x)?;
            drop((graph, plain, first));
            assert_eq!(live().modules, 2, "that of copies, and that of the copy's node");
            gpu.on(&stream).replay(&copy, &mut x)?;
            assert_eq!(gpu.on(&stream).to_vec(&x)?[0], 2);
            drop(copy);
            assert_eq!(live().modules, 0);
            Ok(())
        });
    });
}
