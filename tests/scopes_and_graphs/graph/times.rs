//! Times of the nodes of graphs.

use crate::common::gpu::{filled, kernel, read, with_gpu};
use crate::common::kernels::SPIN;
use crate::needs_unwinding;
use cuscope::graph::NodeKind;
use cuscope::{Error, LaunchConfig};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

const LONG: Duration = Duration::from_millis(5);

#[test]
fn each_node_of_a_graph_is_timed_with_its_kernel() {
    with_gpu(|gpu| {
        let (stream, spin) = (gpu.stream().unwrap(), kernel(gpu, SPIN, "spin"));
        let (mut x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let one = LaunchConfig::new(1, 1);
        let (mut graph, ids) = gpu
            .build_graph(|g| {
                let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
                // SAFETY: the kernel is spin(u64), and uses no memory.
                let short = unsafe { g.kernel_unchecked(&[], &spin, one, (0_u64,)) }?;
                let fill = g.fill(&[short.id()], &mut x, 7)?;
                // SAFETY: as above.
                let long =
                    unsafe { g.kernel_unchecked(&[], &spin, one, (LONG.as_nanos() as u64,)) }?;
                let copy = g.copy(&[], &x, &mut y)?;
                Ok([short.id(), fill.id(), long.id(), copy.id()])
            })
            .unwrap();
        let (nodes, edges) = (graph.nodes(), graph.edges());
        let times = gpu.time_nodes(&stream, &mut graph, (&mut x, &mut y)).unwrap();
        // It was a replay, and the graph is as it was.
        assert_eq!((read(gpu, &y), graph.nodes(), graph.edges()), (vec![7; 4], nodes, edges));
        assert_eq!(times.iter().map(|time| time.node).collect::<Vec<_>>(), ids);
        let spins = Some("spin".to_owned());
        let kernels: Vec<_> = times.iter().map(|time| time.kernel.clone()).collect();
        assert_eq!(kernels, [spins.clone(), None, spins, None]);
        // The clocks of the kernel and of the events are not the same.
        assert!(times[2].time > LONG * 9 / 10, "{times:?}");
        assert!(times.total() >= times[2].time);
        assert_eq!(times[3].node.kind(), NodeKind::Memcpy);

        let text = times.to_string();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!((lines.len(), lines[0]), (5, "node       µs      %  kind"));
        assert!(lines[3].ends_with("Kernel spin") && lines[4].ends_with("Memcpy"), "{text}");
        for (line, node) in lines[1..].iter().zip(&times) {
            let part = 100.0 * node.time.as_secs_f64() / times.total().as_secs_f64();
            assert_eq!(line.split_whitespace().nth(2), Some(&*format!("{part:.1}")), "{text}");
        }
    });
}

#[test]
fn a_graph_is_timed_with_its_buffers_only_and_not_if_it_cannot_be_copied() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        // Memory of its own is used by one run at a time.
        let (mut graph, _) = gpu
            .build_graph(|g| {
                let mut own = g.scratch(4)?;
                g.copy(&[], &x, &mut own)?;
                g.copy(&[], &own, &mut g.hold(&mut y))
            })
            .unwrap();
        let refused = gpu.time_nodes(&stream, &mut graph, &x).unwrap_err();
        assert!(matches!(refused, Error::GraphBuffers { captured: 2, named: 1, .. }));
        assert_eq!(gpu.time_nodes(&stream, &mut graph, (&x, &mut y)).unwrap().len(), 2);
        assert_eq!(read(gpu, &y), [1; 4]);

        let (mut empty, ()) = gpu.build_graph(|_| Ok(())).unwrap();
        let times = gpu.time_nodes(&stream, &mut empty, ()).unwrap();
        assert_eq!((times.len(), times.total()), (0, Duration::ZERO));
        let (mut allocates, ()) = gpu.build_graph(|g| g.alloc::<u32>(&[], 4).map(drop)).unwrap();
        let refused = gpu.time_nodes(&stream, &mut allocates, ()).unwrap_err();
        assert!(matches!(refused, Error::InvalidArgument { call: "cuGraphClone", .. }));
    });
}

#[test]
fn the_panic_of_a_function_in_a_timed_graph_goes_on() {
    needs_unwinding!("the payload comes up in the caller");
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (mut graph, _) = gpu.build_graph(|g| g.host_function(&[], || panic!("mine"))).unwrap();
        let timed = || gpu.time_nodes(&stream, &mut graph, ()).map(drop);
        let panic = catch_unwind(AssertUnwindSafe(timed)).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"mine"));
    });
}
