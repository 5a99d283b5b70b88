//! Graphs that are changed, copied, and parts of others.

use super::{ONE, refused};
use crate::common::gpu::{LARGE, filled, kernel, read, with_gpu};
use crate::common::kernels::{SAXPY, STORE};
use crate::{common, fresh, skip};
use cuscope::{
    Error, EventFlags, LaunchConfig, ffi,
    graph::{KernelNode, MemcpyNode, MemsetNode},
};
use cuscope_softdriver::control::live;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

#[test]
fn single_nodes_change_from_the_next_replay_on() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let module = gpu.load_ptx(STORE).unwrap();
        let store = module.function("store").unwrap();
        let (mut x, mut y, mut z) = (filled(gpu, 4, 1), filled(gpu, 4, 2), filled(gpu, 4, 3));
        let (mut graph, (kernel, set, host)) = gpu
            .build_graph(|g| {
                let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
                let set = g.fill(&[], &mut x, 7)?;
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                let kernel = unsafe { g.kernel_unchecked(&[], &store, ONE(), (&mut x, 8_u32)) }?;
                g.copy(&[], &x, &mut y)?;
                Ok((kernel, set, g.host_function(&[], || {})?))
            })
            .unwrap();
        macro_rules! gives {
            ($($value:expr),*) => {{
                gpu.on(&stream).replay(&graph, (&mut x, &mut y)).unwrap();
                assert_eq!(read(gpu, &y), [$($value),*]);
            }};
        }
        gives!(8, 7, 7, 7);
        graph.set_fill(set, 5_u32).unwrap();
        gives!(8, 5, 5, 5);
        // SAFETY: as above.
        unsafe { gpu.set_kernel_unchecked(&mut graph, kernel, &store, ONE(), (&mut x, 6_u32)) }
            .unwrap();
        gives!(6, 5, 5, 5);
        // Off, and on again.
        graph.set_enabled(kernel, false).unwrap();
        assert_eq!((graph.is_enabled(kernel), graph.is_enabled(set)), (Ok(false), Ok(true)));
        gives!(5, 5, 5, 5);
        graph.set_enabled(set, false).unwrap();
        gpu.on(&stream).fill(&mut x, 4).unwrap();
        gives!(4, 4, 4, 4);
        graph.set_enabled(kernel.id(), true).unwrap();
        gives!(6, 4, 4, 4);
        let error = graph.set_enabled(host, false).unwrap_err();
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));

        // Only what the node is ordered for.
        const SET: &str = "cuGraphExecKernelNodeSetParams_v2";
        let one = ONE();
        // SAFETY: as above; this is refused, as are the next.
        refused(
            unsafe { gpu.set_kernel_unchecked(&mut graph, kernel, &store, one, (&mut y, 1_u32)) },
            SET,
        );
        // SAFETY: the same.
        refused(
            unsafe { gpu.set_kernel_unchecked(&mut graph, kernel, &store, one, (&mut z, 1_u32)) },
            SET,
        );
        // SAFETY: the same.
        refused(
            unsafe { gpu.set_kernel_unchecked(&mut graph, kernel, &store, one, (&y, 1_u32)) },
            SET,
        );
        let none = LaunchConfig::new(1, 0);
        // SAFETY: the same.
        unsafe { gpu.set_kernel_unchecked(&mut graph, kernel, &store, none, (&mut x, 1_u32)) }
            .unwrap_err();
        refused(graph.set_fill(set, 1_u8), "cuGraphExecMemsetNodeSetParams");
        gives!(6, 4, 4, 4);

        // The graph keeps what it launches now.
        drop((store, module));
        gives!(6, 4, 4, 4);
        // A captured node tells not what it uses.
        let store = common::gpu::kernel(gpu, STORE, "store");
        let mut side = gpu.stream().unwrap();
        let mut captured = gpu
            .capture(&mut side, |c| {
                let mut x = c.hold(&mut x);
                c.stream().fill(&mut x, 1)?;
                // SAFETY: as above.
                unsafe { c.stream().launch_unchecked(&store, ONE(), (&mut x, 8_u32)) }
            })
            .unwrap();
        let nodes = captured.list_nodes().unwrap();
        let set: MemsetNode = nodes[0].try_into().unwrap();
        let kernel: KernelNode = nodes[1].try_into().unwrap();
        assert_eq!(KernelNode::try_from(nodes[0]), Err(nodes[0]));
        // SAFETY: as above; it is refused.
        refused(
            unsafe {
                gpu.set_kernel_unchecked(&mut captured, kernel, &store, ONE(), (&mut x, 1_u32))
            },
            SET,
        );
        captured.set_fill(set, 3_u32).unwrap();
        gpu.on(&stream).replay(&captured, &mut x).unwrap();
        assert_eq!(read(gpu, &x), [8, 3, 3, 3]);
        captured.set_enabled(kernel, false).unwrap();
        gpu.on(&stream).replay(&captured, &mut x).unwrap();
        assert_eq!(read(gpu, &x), [3; 4]);
    });
}

/// Copies, host functions and events, in a graph that can run and in a definition.
#[test]
fn copies_functions_and_events_change() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (mut x, mut y, mut z) = (filled(gpu, 4, 1), filled(gpu, 4, 2), filled(gpu, 4, 3));
        gpu.on(&stream).upload(&[10, 11, 12, 13], &mut x).unwrap();
        let flags = EventFlags::DISABLE_TIMING;
        let (first, second) = (gpu.event().unwrap(), gpu.event_with(flags).unwrap());
        let called = Arc::new(AtomicU32::new(0));
        let add = |number| {
            let called = called.clone();
            move || _ = called.fetch_add(number, Relaxed)
        };
        let (mut definition, (copy, host, record, wait)) = gpu
            .define_graph(|g| {
                let copy = g.copy(&[], &x, &mut g.hold(&mut y))?;
                let host = g.host_function(&[copy.id()], add(1))?;
                let record = g.record(&[host.id()], &first)?;
                Ok((copy, host, record, g.wait(&[], &first)?))
            })
            .unwrap();
        let before = definition.instantiate(gpu).unwrap();

        // In the definition: a copy may have another length there.
        definition
            .set_copy(copy, &x.slice(1..3).unwrap(), &mut y.slice_mut(0..2).unwrap())
            .unwrap();
        definition.set_host_function(host, add(10)).unwrap();
        definition.set_event_record(record, &second).unwrap();
        definition.set_event_wait(wait, &second).unwrap();
        let after = definition.instantiate(gpu).unwrap();
        macro_rules! gives {
            ($graph:expr => $values:expr, $calls:expr) => {{
                gpu.on(&stream).fill(&mut y, 0).unwrap();
                gpu.on(&stream).replay(&$graph, (&x, &mut y)).unwrap();
                assert_eq!((read(gpu, &y), called.swap(0, Relaxed)), ($values.to_vec(), $calls));
            }};
        }
        gives!(before => [10, 11, 12, 13], 1);
        gives!(after => [11, 12, 0, 0], 10);
        drop(before);

        // In a graph that can run.
        let mut graph = definition.into_graph(gpu).unwrap();
        graph.set_copy(copy, &x.slice(2..4).unwrap(), &mut y.slice_mut(1..3).unwrap()).unwrap();
        graph.set_host_function(host, add(100)).unwrap();
        gives!(graph => [0, 12, 13, 0], 100);
        graph.set_event_record(record, &first).unwrap();
        graph.set_event_wait(wait, &first).unwrap();
        drop((first, second)); // the graphs keep them
        gives!(graph => [0, 12, 13, 0], 100);
        gives!(after => [11, 12, 0, 0], 10);

        // Only what the node is ordered for.
        const COPY: &str = "cuGraphExecMemcpyNodeSetParams";
        refused(graph.set_copy(copy, &y, &mut x), COPY);
        refused(graph.set_copy(copy, &x, &mut z), COPY);
        refused(graph.set_copy(copy, &z, &mut y), COPY);
        refused(
            graph.set_copy(copy, &x.slice(0..0).unwrap(), &mut y.slice_mut(0..0).unwrap()),
            COPY,
        );
        let short = graph.set_copy(copy, &x, &mut y.slice_mut(0..2).unwrap()).unwrap_err();
        assert!(matches!(short, Error::LengthMismatch { call: COPY, .. }));
        gives!(graph => [0, 12, 13, 0], 100);
        // A captured node tells not what it uses.
        let mut captured = super::captured_copy(gpu, &x, &mut y);
        let node: MemcpyNode = captured.list_nodes().unwrap()[0].try_into().unwrap();
        refused(captured.set_copy(node, &x, &mut y), COPY);
        // Each function is dropped with the last graph that may call it.
        drop((graph, after));
        assert_eq!(Arc::strong_count(&called), 1);
    });
}

/// Child graphs, in a graph that can run and in a definition.
#[test]
fn a_child_graph_changes_to_another_one() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let module = gpu.load_ptx(STORE).unwrap();
        let store = module.function("store").unwrap();
        let (mut x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        // A fill, and a kernel that stores to the first element.
        macro_rules! part {
            ($buffer:expr, $value:expr, $first:expr) => {{
                let built = gpu.build_graph(|g| {
                    let mut buffer = g.hold($buffer);
                    g.fill(&[], &mut buffer, $value)?;
                    // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                    unsafe { g.kernel_unchecked(&[], &store, ONE(), (&mut buffer, $first)) }
                });
                built.unwrap().0
            }};
        }
        let (first, second) = (part!(&mut x, 7_u32, 8_u32), part!(&mut x, 5_u32, 6_u32));
        let third = part!(&mut x, 3_u32, 4_u32);
        let of_y = part!(&mut y, 5_u32, 6_u32);
        let (longer, _) = gpu
            .build_graph(|g| {
                let mut x = g.hold(&mut x);
                g.child(&[], &third, &mut x)?;
                g.fill(&[], &mut x, 9)
            })
            .unwrap();
        let (mut definition, child) = gpu
            .define_graph(|g| {
                let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
                let child = g.child(&[], &first, &mut x)?;
                g.copy(&[], &x, &mut y)?;
                Ok(child)
            })
            .unwrap();
        let before = definition.instantiate(gpu).unwrap();
        macro_rules! gives {
            ($graph:expr => $values:expr) => {{
                gpu.on(&stream).replay(&$graph, (&mut x, &mut y)).unwrap();
                assert_eq!(read(gpu, &y), $values);
            }};
        }
        definition.set_child(child, &second, &mut x).unwrap();
        let after = definition.instantiate(gpu).unwrap();
        gives!(before => [8, 7, 7, 7]);
        gives!(after => [6, 5, 5, 5]);
        // In a definition it may have other nodes.
        definition.set_child(child, &longer, &mut x).unwrap();
        gives!(definition.instantiate(gpu).unwrap() => [9; 4]);
        definition.set_child(child, &second, &mut x).unwrap();

        let mut graph = definition.into_graph(gpu).unwrap();
        gives!(graph => [6, 5, 5, 5]);
        graph.set_child(child, &third, &mut x).unwrap();
        gives!(graph => [4, 3, 3, 3]);
        // The graph keeps what its nodes use now.
        drop((first, second, store, module));
        gives!(graph => [4, 3, 3, 3]);
        gives!(after => [6, 5, 5, 5]);

        const SET: &str = "cuGraphExecChildGraphNodeSetParams";
        let refused_by_driver = graph.set_child(child, &longer, &mut x).unwrap_err();
        assert_eq!(refused_by_driver.code(), Some(ffi::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE));
        assert_eq!(refused_by_driver.call(), Some(SET));
        // Only the buffers of the other graph, and only those that the node is ordered for.
        for error in [
            graph.set_child(child, &third, (&mut x, &y)),
            graph.set_child(child, &third, &x),
            graph.set_child(child, &third, ()),
        ] {
            assert!(matches!(error, Err(Error::GraphBuffers { call: SET, captured: 1, .. })));
        }
        refused(graph.set_child(child, &of_y, &mut y), SET);
        let own = after.copy_of(child).unwrap();
        refused(graph.set_child(own, &third, &mut x), SET);
        let (scratch, ()) = gpu.build_graph(|g| g.scratch::<u32>(4).map(drop)).unwrap();
        refused(graph.set_child(child, &scratch, ()), SET);
        gives!(graph => [4, 3, 3, 3]);
    });
}

/// A changed definition gives changed graphs, and its earlier graphs stay as they are.
#[test]
fn kernels_fills_and_numbers_change_in_a_definition() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let store = common::gpu::kernel(gpu, STORE, "store");
        let number = gpu.stream_value(0_u32).unwrap();
        let (mut x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let (mut definition, (fill, kernel, write)) = gpu
            .define_graph(|g| {
                let mut x = g.hold(&mut x);
                let fill = g.fill(&[], &mut x, 7)?;
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                let kernel = unsafe { g.kernel_unchecked(&[], &store, ONE(), (&mut x, 8_u32)) }?;
                Ok((fill, kernel, g.value_operations(&[], &[number.write(1)])?))
            })
            .unwrap();
        let before = definition.instantiate(gpu).unwrap();
        definition.set_fill(fill, 5_u32).unwrap();
        // SAFETY: as above.
        unsafe { definition.set_kernel_unchecked(gpu, kernel, &store, ONE(), (&mut x, 6_u32)) }
            .unwrap();
        definition.set_value_operations(write, &[number.write(3), number.write(4)]).unwrap();
        let after = definition.instantiate(gpu).unwrap();
        for (graph, first, others, last) in [(&before, 8, 7, 1), (&after, 6, 5, 4)] {
            gpu.on(&stream).replay(graph, &mut x).unwrap();
            assert_eq!(read(gpu, &x), [first, others, others, others]);
            assert_eq!(number.load(), last);
        }

        const KERNEL: &str = "cuGraphKernelNodeSetParams_v2";
        // SAFETY: as above; this is refused, as is the next.
        refused(
            unsafe { definition.set_kernel_unchecked(gpu, kernel, &store, ONE(), (&mut y, 6_u32)) },
            KERNEL,
        );
        // SAFETY: the same.
        refused(
            unsafe { definition.set_kernel_unchecked(gpu, kernel, &store, ONE(), (&y, 6_u32)) },
            KERNEL,
        );
        refused(definition.set_fill(fill, 1_u8), "cuGraphMemsetNodeSetParams");
        let own = after.copy_of(fill).unwrap();
        refused(definition.set_fill(own, 1_u32), "cuGraphMemsetNodeSetParams");
        let mut none = gpu.alloc::<u32>(0).unwrap();
        let (mut nothing, empty) =
            gpu.define_graph(|g| g.fill(&[], &mut g.hold(&mut none), 1)).unwrap();
        let error = nothing.set_fill(empty, 2).unwrap_err().to_string();
        assert!(error.contains("does nothing"), "{error}");
        definition.set_value_operations(write, &[]).unwrap();
        // The definition keeps what its nodes launch now.
        drop(store);
        gpu.on(&stream).replay(&definition.into_graph(gpu).unwrap(), &mut x).unwrap();
        assert_eq!((read(gpu, &x), number.load()), (vec![6, 5, 5, 5], 4));
    });
}

#[test]
fn a_kernel_is_changed_to_what_its_node_is_ordered_for() {
    const SET: &str = "cuGraphExecKernelNodeSetParams_v2";
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let saxpy = common::gpu::kernel(gpu, SAXPY, "saxpy");
        let two = || LaunchConfig::new(1, 2);
        let [mut x, mut y] =
            [1_f32, 2.0].map(|value| gpu.on(&stream).from_slice(&[value; 8]).unwrap());
        let (mut graph, node) = gpu
            .build_graph(|g| {
                let mut y = g.hold(&mut y);
                let (from, mut to) = (x.slice(2..6)?, y.slice_mut(2..6)?);
                // SAFETY: the kernel is saxpy(unsigned n, float a, const float *x, float *y) over two elements.
                unsafe { g.kernel_unchecked(&[], &saxpy, two(), (2_u32, 1_f32, from, &mut to)) }
            })
            .unwrap();
        macro_rules! set {
            ($a:expr, $from:expr, $to:expr) => {{
                let (from, mut to) = (x.slice($from).unwrap(), y.slice_mut($to).unwrap());
                // SAFETY: as above, or it is refused.
                unsafe {
                    gpu.set_kernel_unchecked(
                        &mut graph,
                        node,
                        &saxpy,
                        two(),
                        (2_u32, $a, &from, &mut to),
                    )
                }
            }};
        }
        set!(10_f32, 4..6, 2..4).unwrap();
        for (from, to) in [(1..3, 2..4), (5..7, 2..4), (2..4, 1..3), (2..4, 5..7)] {
            refused(set!(5_f32, from, to), SET);
        }
        // Memory that it read it may not write.
        // SAFETY: it is refused.
        let writes = unsafe {
            gpu.set_kernel_unchecked(
                &mut graph,
                node,
                &saxpy,
                two(),
                (2_u32, 1_f32, &mut x, &mut y),
            )
        };
        refused(writes, SET);
        gpu.on(&stream).replay(&graph, (&x, &mut y)).unwrap();
        let expected = [2.0, 2.0, 12.0, 12.0, 2.0, 2.0, 2.0, 2.0];
        assert_eq!(gpu.on(&stream).to_vec(&y).unwrap(), expected);
    });
}

#[test]
fn a_copy_runs_beside_its_original() {
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let (x, mut y) = (filled(gpu, LARGE, 1), filled(gpu, LARGE, 2));
        let (graph, node) = gpu.build_graph(|g| g.copy(&[], &x, &mut g.hold(&mut y))).unwrap();
        let copy = graph.try_clone(gpu).unwrap();
        assert_eq!(copy.copy_of(node).unwrap().id(), copy.list_nodes().unwrap()[0]);
        assert_eq!((copy.nodes().unwrap(), copy.buffers()), (1, 2));
        let mut seen = vec![vec![0; LARGE]; 10];
        gpu.scope(|s| {
            let (a, b, mut y) = (s.on(&a), s.on(&b), s.hold(&mut y));
            for seen in &mut seen {
                a.fill(&mut y, 9)?;
                b.replay(&copy, (&x, &mut y))?;
                a.replay(&graph, (&x, &mut y))?;
                b.download(&y, seen)?;
            }
            Ok(())
        })
        .unwrap();
        assert!(seen.iter().all(|seen| *seen == vec![1; LARGE]));
        // It keeps what the original kept.
        drop(graph);
        gpu.on(&a).replay(&copy, (&x, &mut y)).unwrap();

        // Memory of a graph's own is used by one run at a time.
        let (scratch, _) = gpu
            .build_graph(|g| {
                let mut own = g.scratch(LARGE)?;
                g.copy(&[], &x, &mut own)?;
                g.copy(&[], &own, &mut g.hold(&mut y))
            })
            .unwrap();
        refused(scratch.try_clone(gpu).map(drop), "cuGraphClone");
        let parent = gpu.build_graph(|g| g.child(&[], &scratch, (&x, &mut g.hold(&mut y))));
        refused(parent.map(drop), "cuGraphAddChildGraphNode");
        gpu.on(&a).replay(&scratch, (&x, &mut y)).unwrap();
        let (allocates, ()) = gpu.build_graph(|g| g.alloc::<u32>(&[], 4).map(drop)).unwrap();
        refused(allocates.try_clone(gpu).map(drop), "cuGraphClone");
        let parent = gpu.build_graph(|g| g.child(&[], &allocates, ()));
        refused(parent.map(drop), "cuGraphAddChildGraphNode");
        gpu.on(&a).replay(&allocates, ()).unwrap();
    });
}

#[test]
fn a_child_graph_names_its_buffers_in_the_whole() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (x, mut y, mut z) = (filled(gpu, 4, 1), filled(gpu, 4, 2), filled(gpu, 4, 3));
        let (child, _) = gpu.build_graph(|g| g.copy(&[], &x, &mut g.hold(&mut y))).unwrap();
        let (wrong, ()) = gpu.build_graph(|_| Ok(())).unwrap();
        let named = gpu.build_graph(|g| g.child(&[], &child, &x)).map(drop);
        let expected =
            Error::GraphBuffers { call: "cuGraphAddChildGraphNode", captured: 2, named: 1 };
        assert_eq!(named, Err(expected));
        gpu.on(&stream).replay(&wrong, ()).unwrap();
        let (graph, ()) = gpu
            .build_graph(|g| {
                let (mut y, mut z) = (g.hold(&mut y), g.hold(&mut z));
                g.child(&[], &child, (&x, &mut y))?;
                g.copy(&[], &y, &mut z)?; // after the child
                g.fill(&[], &mut y, 8)?; // after the copy
                g.child(&[], &child, (&x, &mut y))?; // after the fill
                Ok(())
            })
            .unwrap();
        assert_eq!((graph.nodes().unwrap(), graph.edges().unwrap(), graph.buffers()), (4, 4, 3));
        drop(child);
        gpu.on(&stream).replay(&graph, (&x, &mut z)).unwrap_err();
        gpu.on(&stream).replay(&graph, (&x, &mut y, &mut z)).unwrap();
        assert_eq!((read(gpu, &y), read(gpu, &z)), (vec![1; 4], vec![1; 4]));
        let copy = graph.try_clone(gpu).unwrap();
        drop(graph);
        gpu.on(&stream).replay(&copy, (&x, &mut y, &mut z)).unwrap();
    });
}

/// A node of each kind that can be changed, of a graph of its own.
macro_rules! nodes {
    ($gpu:ident, $store:expr, $x:expr, $y:expr, $event:expr, $number:expr, $inner:expr) => {
        $gpu.define_graph(|g| {
            let (mut x, mut y) = (g.hold(&mut *$x), g.hold(&mut *$y));
            let fill = g.fill(&[], &mut x, 1)?;
            let copy = g.copy(&[], &x, &mut y)?;
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            let kernel = unsafe { g.kernel_unchecked(&[], $store, ONE(), (&mut x, 1_u32)) }?;
            let child = g.child(&[], $inner, ())?;
            let host = g.host_function(&[], || ())?;
            let (record, wait) = (g.record(&[], $event)?, g.wait(&[], $event)?);
            let values = g.value_operations(&[], &[$number.write(1)])?;
            Ok((fill, copy, kernel, child, host, record, wait, values))
        })
    };
}

#[test]
fn a_refused_change_names_the_call_that_it_would_have_made() {
    with_gpu(|gpu| {
        let store = &gpu.load_ptx(STORE).unwrap().function("store").unwrap();
        let (x, y) = (&mut filled(gpu, 4, 1), &mut filled(gpu, 4, 2));
        let (event, number) = (&gpu.event().unwrap(), &gpu.stream_value(0_u32).unwrap());
        let (inner, _) = &gpu.build_graph(|g| g.empty(&[])).unwrap();
        let (mut definition, _) = nodes!(gpu, store, x, y, event, number, inner).unwrap();
        let (other, of_other) = nodes!(gpu, store, x, y, event, number, inner).unwrap();
        let (fill, copy, kernel, child, host, record, wait, values) = of_other;
        refused(definition.set_fill(fill, 2_u32), "cuGraphMemsetNodeSetParams");
        refused(definition.set_copy(copy, &*x, y), "cuGraphMemcpyNodeSetParams");
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        let set =
            unsafe { definition.set_kernel_unchecked(gpu, kernel, store, ONE(), (&mut *x, 2_u32)) };
        refused(set, "cuGraphKernelNodeSetParams_v2");
        refused(definition.set_child(child, inner, ()), "cuGraphNodeSetParams");
        refused(definition.set_host_function(host, || ()), "cuGraphHostNodeSetParams");
        refused(definition.set_event_record(record, event), "cuGraphEventRecordNodeSetEvent");
        refused(definition.set_event_wait(wait, event), "cuGraphEventWaitNodeSetEvent");
        let set = definition.set_value_operations(values, &[number.write(2)]);
        refused(set, "cuGraphBatchMemOpNodeSetParams");

        let mut graph = definition.into_graph(gpu).unwrap();
        refused(graph.set_fill(fill, 2_u32), "cuGraphExecMemsetNodeSetParams");
        refused(graph.set_copy(copy, &*x, y), "cuGraphExecMemcpyNodeSetParams");
        // SAFETY: as above.
        let set =
            unsafe { gpu.set_kernel_unchecked(&mut graph, kernel, store, ONE(), (&mut *x, 2_u32)) };
        refused(set, "cuGraphExecKernelNodeSetParams_v2");
        refused(graph.set_child(child, inner, ()), "cuGraphExecChildGraphNodeSetParams");
        refused(graph.set_host_function(host, || ()), "cuGraphExecHostNodeSetParams");
        refused(graph.set_event_record(record, event), "cuGraphExecEventRecordNodeSetEvent");
        refused(graph.set_event_wait(wait, event), "cuGraphExecEventWaitNodeSetEvent");
        let set = graph.set_value_operations(values, &[number.write(2)]);
        refused(set, "cuGraphExecBatchMemOpNodeSetParams");
        drop(other);
    });
}

#[test]
fn a_refused_node_names_the_call_that_would_have_added_it() {
    with_gpu(|gpu| {
        let store = &gpu.load_ptx(STORE).unwrap().function("store").unwrap();
        let (mut x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let (event, number) = (&gpu.event().unwrap(), &gpu.stream_value(0_u32).unwrap());
        let (inner, node) = &gpu.build_graph(|g| g.empty(&[])).unwrap();
        let after = &[node.id()];
        macro_rules! refused_node {
            ($call:literal, |$g:ident, $x:ident, $y:ident| $add:expr) => {
                let built = gpu.build_graph(|$g| {
                    let (mut $x, mut $y) = ($g.hold(&mut x), $g.hold(&mut y));
                    let _ = (&mut $x, &mut $y);
                    $add.map(drop)
                });
                refused(built, $call);
            };
        }
        refused_node!("cuGraphAddMemsetNode", |g, x, y| g.fill(after, &mut x, 1));
        refused_node!("cuGraphAddMemsetNode", |g, x, y| g.zero(after, &mut x));
        refused_node!("cuGraphAddMemcpyNode", |g, x, y| g.copy(after, &x, &mut y));
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        refused_node!("cuGraphAddKernelNode_v2", |g, x, y| unsafe {
            g.kernel_unchecked(after, store, ONE(), (&mut x, 1_u32))
        });
        refused_node!("cuGraphAddChildGraphNode", |g, x, y| g.child(after, inner, ()));
        refused_node!("cuGraphAddHostNode", |g, x, y| g.host_function(after, || ()));
        refused_node!("cuGraphAddEmptyNode", |g, x, y| g.empty(after));
        refused_node!("cuGraphAddEventRecordNode", |g, x, y| g.record(after, event));
        refused_node!("cuGraphAddEventWaitNode", |g, x, y| g.wait(after, event));
        refused_node!("cuGraphAddBatchMemOpNode", |g, x, y| g
            .value_operations(after, &[number.write(1)]));
        refused_node!("cuGraphAddMemAllocNode", |g, x, y| g.alloc::<u32>(after, 4));
    });
}

/// Whatever was its kernel before, also this one, a node keeps the code of the one that it has.
#[test]
fn a_node_that_was_changed_back_and_forth_keeps_the_code_of_its_kernel() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(a_node_that_was_changed_back_and_forth_keeps_the_code_of_its_kernel, {
        with_gpu(|gpu| {
            let (stream, mut y) = (gpu.stream().unwrap(), gpu.alloc::<u32>(1).unwrap());
            let (first, second, one) =
                (kernel(gpu, STORE, "store"), kernel(gpu, STORE, "store"), LaunchConfig::new(1, 1));
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            let built = gpu.build_graph(|g| unsafe {
                g.kernel_unchecked(&[], &first, one, (&mut g.hold(&mut y), 1_u32))
            });
            let (mut graph, node) = built.unwrap();
            for (value, function) in [&second, &first, &second].into_iter().enumerate() {
                // SAFETY: as above.
                unsafe {
                    gpu.set_kernel_unchecked(
                        &mut graph,
                        node,
                        function,
                        one,
                        (&mut y, value as u32),
                    )
                }
                .unwrap();
            }
            let before = live().modules;
            drop(second);
            assert_eq!(live().modules, before, "the graph has it");
            gpu.on(&stream).replay(&graph, &mut y).unwrap();
            assert_eq!(read(gpu, &y), [2]);
            drop((graph, first));
            assert_eq!(live().modules, before - 2);
        });
    });
}
