//! Why a graph was replaced instead of updated.

use crate::common::gpu::{filled, kernel, with_gpu};
use crate::common::kernels::STORE;
use cuscope::LaunchConfig;
use cuscope::graph::{Difference, Enqueue};
use cuscope_softdriver::control::record;

#[test]
fn a_graph_that_was_replaced_tells_why() {
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let (mut x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let (mut graph, _) = gpu.build_graph(|g| g.fill(&[], &mut g.hold(&mut x), 1)).unwrap();
        assert_eq!(graph.why_replaced(), Ok(None));

        // Another kind of node.
        let (in_place, copy) =
            gpu.rebuild_graph(&mut graph, |g| g.copy(&[], &x, &mut g.hold(&mut y))).unwrap();
        let why = graph.why_replaced().unwrap().unwrap();
        assert_eq!((in_place, why.difference()), (false, Difference::NodeType));
        assert_eq!((why.node(), why.dependency()), (Some(copy.id()), None));
        assert!(why.to_string().starts_with("a node of another kind"));

        // In place.
        let (in_place, _) =
            gpu.rebuild_graph(&mut graph, |g| g.copy(&[], &y, &mut g.hold(&mut x))).unwrap();
        assert_eq!((in_place, graph.why_replaced()), (true, Ok(None)));

        // Another number of nodes: none of them is named. Captured.
        let again = gpu.recapture(&mut graph, &mut stream, |c| {
            let (stream, mut y) = (c.stream(), c.hold(&mut y));
            stream.fill(&mut y, 8)?;
            stream.fill(&mut y, 9)
        });
        assert_eq!(again, Ok(false));
        let why = graph.why_replaced().unwrap().unwrap();
        assert_eq!((why.difference(), why.node()), (Difference::Topology, None));
        assert_eq!(why.to_string(), "other nodes or edges");

        // The same number of them, with other edges.
        let (_, _) = gpu
            .rebuild_graph(&mut graph, |g| {
                g.fill(&[], &mut g.hold(&mut x), 1)?;
                g.fill(&[], &mut g.hold(&mut y), 1)
            })
            .unwrap();
        let why = graph.why_replaced().unwrap().unwrap();
        assert_eq!(why.difference(), Difference::Topology);

        // Memory of nodes is not moved, and the driver is not asked.
        for allocates in [true, false] {
            let build = || {
                gpu.rebuild_graph(&mut graph, |g| match allocates {
                    true => g.alloc::<u32>(&[], 4).map(drop),
                    false => g.empty(&[]).map(drop),
                })
            };
            let (rebuilt, calls) = record(build);
            let (why, more) = record(|| graph.why_replaced().unwrap().unwrap());
            assert!(!calls.contains(&"cuGraphExecUpdate_v2") && more.is_empty());
            assert_eq!((rebuilt, why.difference()), (Ok((false, ())), Difference::Allocates));
            assert_eq!((why.node(), why.dependency()), (None, None));
        }
    });
}

#[test]
fn a_cooperative_kernel_in_the_place_of_another_is_named() {
    with_gpu(|gpu| {
        let (store, mut x) = (kernel(gpu, STORE, "store"), filled(gpu, 4, 1));
        let one = LaunchConfig::new(1, 1);
        let (mut graph, _) = gpu
            .build_graph(|g| {
                let mut x = g.hold(&mut x);
                g.fill(&[], &mut x, 1)?;
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe { g.kernel_unchecked(&[], &store, one, (&mut x, 9_u32)) }
            })
            .unwrap();
        let (in_place, node) = gpu
            .rebuild_graph(&mut graph, |g| {
                let mut x = g.hold(&mut x);
                g.fill(&[], &mut x, 1)?;
                // SAFETY: as above.
                unsafe {
                    g.kernel_unchecked(&[], &store, one.extended().cooperative(), (&mut x, 9_u32))
                }
            })
            .unwrap();
        let why = graph.why_replaced().unwrap().unwrap();
        assert_eq!((in_place, why.difference()), (false, Difference::Attributes));
        assert_eq!(why.node(), Some(node.id()));
    });
}
