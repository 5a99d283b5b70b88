//! Memory that a graph allocates and frees.

use super::refused;
use crate::common::fewer;
use crate::common::gpu::{filled, new_context_on, read, with_gpu};
use crate::{fresh, skip};
use cuscope::graph::{DotFlags, NodeKind};
use cuscope::{ContextStack, Device};

const LEN: usize = fewer(1000, 8);

/// The driver may have the second be where the first was.
#[test]
fn memory_of_a_node_that_follows_a_free_is_another_one() {
    with_gpu(|gpu| {
        let (stream, mut y) = (gpu.stream().unwrap(), filled(gpu, LEN, 2));
        let (graph, ()) = gpu
            .build_graph(|g| {
                let mut y = g.hold(&mut y);
                let (mut first, _) = g.alloc::<u32>(&[], LEN)?;
                let filled = g.fill(&[], &mut first, 1)?;
                let freed = g.free(&[filled.id()], first)?;
                let (mut second, _) = g.alloc::<u32>(&[freed.id()], LEN)?;
                g.fill(&[], &mut second, 3)?;
                g.copy(&[], &second, &mut y)?;
                g.free(&[], second).map(drop)
            })
            .unwrap();
        // The second is freed after all that use it: the allocation, the fill and the copy.
        assert_eq!((graph.nodes().unwrap(), graph.edges().unwrap()), (7, 9));
        gpu.on(&stream).replay(&graph, &mut y).unwrap();
        assert_eq!(read(gpu, &y), vec![3; LEN]);
    });
}

#[test]
fn memory_of_a_node_is_there_for_one_replay_after_the_other() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (x, mut y) = (filled(gpu, LEN, 6), filled(gpu, LEN, 2));
        let (graph, address) = gpu
            .build_graph(|g| {
                let (mut a, _) = g.alloc::<u32>(&[], LEN)?;
                g.copy(&[], &x, &mut a)?;
                let (mut first, second) = g.alloc::<u32>(&[], LEN)?.0.split_at(LEN / 2)?;
                g.copy(&[], a.slice(..LEN / 2)?, &mut first)?;
                let mut y = g.hold(&mut y);
                g.copy(&[], &a, &mut y)?;
                let address = a.address();
                g.free(&[], a)?;
                refused(g.free(&[], second).map(drop), "cuGraphAddMemFreeNode");
                Ok(address)
            })
            .map(|(graph, address)| (Some(graph), address))
            .unwrap_or((None, 0));
        assert!(graph.is_none() && address == 0, "a part is no buffer, which fails the graph");
        let (graph, ()) = gpu
            .build_graph(|g| {
                let (mut a, _) = g.alloc::<u32>(&[], LEN)?;
                g.copy(&[], &x, &mut a)?;
                let (mut first, second) = g.alloc::<u32>(&[], LEN)?.0.split_at(LEN / 2)?;
                g.copy(&[], a.slice(..LEN / 2)?, &mut first)?;
                let mut y = g.hold(&mut y);
                g.copy(&[], &a, &mut y)?;
                g.free(&[], a)?;
                drop(second);
                Ok(())
            })
            .unwrap();
        // Two allocations, three copies, two frees.
        let kinds: Vec<_> = graph.list_nodes().unwrap().iter().map(|node| node.kind()).collect();
        assert_eq!(kinds.iter().filter(|kind| **kind == NodeKind::Free).count(), 2);
        assert_eq!((kinds.len(), graph.buffers()), (7, 2));
        for _ in 0..5 {
            gpu.on(&stream).zero(&mut y).unwrap();
            gpu.on(&stream).replay(&graph, (&x, &mut y)).unwrap();
            assert_eq!(read(gpu, &y), vec![6; LEN]);
        }
        gpu.on(&stream).upload_graph(&graph).unwrap();
        let too_much = gpu.build_graph(|g| g.alloc::<u32>(&[], usize::MAX).map(drop));
        refused(too_much, "cuGraphAddMemAllocNode");
        let mut z = filled(gpu, 4, 1);
        refused(
            gpu.build_graph(|g| g.free(&[], g.hold(&mut z))).map(drop),
            "cuGraphAddMemFreeNode",
        );
        // Built again, with memory elsewhere: never in place.
        let mut graph = graph;
        let again = gpu.rebuild_graph(&mut graph, |g| {
            let (mut a, _) = g.alloc::<u32>(&[], LEN)?;
            g.fill(&[], &mut a, 5)?;
            g.copy(&[], &a, &mut g.hold(&mut y)).map(drop)
        });
        assert_eq!(again, Ok((false, ())));
        gpu.on(&stream).replay(&graph, &mut y).unwrap();
        assert_eq!(read(gpu, &y), vec![5; LEN]);
    });
}

/// A graph that is built twice has its nodes in the same order.
#[test]
fn what_nobody_frees_is_freed_in_the_order_of_its_allocations() {
    with_gpu(|gpu| {
        let (graph, ()) =
            gpu.build_graph(|g| (0..8).try_for_each(|_| g.alloc::<u32>(&[], 4).map(drop))).unwrap();
        let text = graph.dot(DotFlags::empty()).unwrap();
        let node = |name: &str| {
            let name = name.trim().trim_end_matches(';').trim_matches('"');
            name.rsplit('_').next().unwrap().parse::<usize>().unwrap()
        };
        let edges = text.lines().filter_map(|line| line.split_once("->"));
        let mut edges: Vec<_> = edges.map(|(from, to)| (node(from), node(to))).collect();
        edges.sort_unstable();
        assert_eq!(edges.len(), 8, "{text}");
        assert!(edges.is_sorted_by_key(|(_, free)| *free), "{text}");
    });
}

#[test]
fn memory_of_a_node_is_on_the_device_of_its_context() {
    let devices = Device::all().unwrap();
    let [_, second, ..] = devices[..] else { skip!("there is one device") };
    fresh!(memory_of_a_node_is_on_the_device_of_its_context, {
        let (context, first) = (new_context_on(second), devices[0]);
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&context).unwrap();
        let (stream, mut y) = (gpu.stream().unwrap(), filled(&gpu, LEN, 2));
        let (graph, ()) = gpu
            .build_graph(|g| {
                let mut y = g.hold(&mut y);
                let (mut memory, _) = g.alloc::<u32>(&[], LEN)?;
                g.fill(&[], &mut memory, 3)?;
                g.copy(&[], &memory, &mut y)?;
                g.free(&[], memory).map(drop)
            })
            .unwrap();
        gpu.on(&stream).replay(&graph, &mut y).unwrap();
        assert_eq!(read(&gpu, &y), vec![3; LEN]);
        let used = |device: Device| device.graph_memory().unwrap().used_high;
        assert!(used(second) > 0 && used(first) == 0, "{} of the first", used(first));
    });
}
