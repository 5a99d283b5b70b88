//! Graphs that take turns, and replays that overlap.

use crate::common::gpu::{filled, read, with_gpu};
use cuscope::graph::{Enqueue, GraphPool};
use cuscope::ordered::OrderedBuffer;
use cuscope::stream::{StreamValue, Until};
use cuscope::{Error, Graph, OrderedStream, PushedGuard, Result};
use std::thread;

/// A stream, its buffer, and a number that the graph sets when it begins.
type Lane<'ctx> = (OrderedStream, OrderedBuffer<u32>, StreamValue<u32>);

/// A graph that says that it runs, waits, and fills its buffer.
fn lane<'ctx>(gpu: &PushedGuard<'ctx>, go: &StreamValue<u32>) -> Result<(Graph<'ctx>, Lane<'ctx>)> {
    let (ordered, runs) = (gpu.ordered_stream()?, gpu.stream_value(0_u32)?);
    let mut x = ordered.zeroed::<u32>(4)?;
    let graph = gpu.capture(&mut gpu.stream()?, |c| {
        c.stream().value_operations(&[runs.write(1), go.wait(Until::AtLeast(1))])?;
        c.stream().fill(&mut c.hold_ordered(&mut x), 7)
    })?;
    Ok((graph, (ordered, x, runs)))
}

#[test]
fn graphs_of_a_pool_run_at_the_same_time_and_are_used_again() {
    with_gpu(|gpu| {
        let go = gpu.stream_value(0_u32).unwrap();
        let mut pool = GraphPool::new(2.try_into().unwrap());
        assert_eq!(format!("{pool:?}"), "GraphPool(0 of at most 2 graphs)");
        assert!(pool.get_free().unwrap().is_none());
        // Made before, as a driver may wait for work that runs when a graph is made ready, or memory is allocated.
        let mut lanes = vec![lane(gpu, &go).unwrap(), lane(gpu, &go).unwrap()];
        for _ in 0..2 {
            let (graph, (ordered, x, _)) =
                pool.get(|| Ok(lanes.pop().expect("two are made"))).unwrap();
            ordered.replay(graph, x).unwrap();
            assert_eq!(graph.is_idle(), Ok(false));
        }
        assert_eq!(pool.as_mut_slice().len(), 2);
        // Both run, before anybody lets them go on.
        for (_, (_, _, runs)) in pool.as_mut_slice() {
            while runs.load() == 0 {
                thread::yield_now();
            }
        }
        assert!(pool.get_free().unwrap().is_none());
        go.store(1);
        // No more are made: this waits for the first.
        let (graph, (ordered, x, _)) = pool.get(|| panic!("there are as many as may be")).unwrap();
        assert_eq!((graph.is_idle(), ordered.to_vec(x).unwrap()), (Ok(true), vec![7; 4]));
        for (graph, (ordered, x, _)) in pool.as_mut_slice() {
            ordered.replay(graph, &mut *x).unwrap();
            graph.wait_idle().unwrap();
            assert_eq!((graph.is_idle(), ordered.to_vec(x).unwrap()), (Ok(true), vec![7; 4]));
        }
        // The one that was used longest ago is the first to be used again.
        let next = |pool: &mut GraphPool<'_, Lane<'_>>| {
            pool.get_free().unwrap().map(|(_, (ordered, ..))| ordered.raw())
        };
        let (one, two) = (next(&mut pool), next(&mut pool));
        assert_ne!(one, two);
        assert_eq!((next(&mut pool), next(&mut pool)), (one, two));
    });
}

#[test]
fn a_graph_that_cannot_be_made_is_not_in_the_pool() {
    with_gpu(|gpu| {
        let mut pool = GraphPool::<()>::new(1.try_into().unwrap());
        assert_eq!(pool.get(|| Err(Error::StackTaken)).map(drop), Err(Error::StackTaken));
        assert!(pool.as_mut_slice().is_empty());
        let make = || Ok((gpu.build_graph(|_| Ok(()))?.0, ()));
        let (graph, ()) = pool.get(make).unwrap();
        gpu.on(&gpu.stream().unwrap()).replay(graph, ()).unwrap();
        assert!(pool.get_free().unwrap().is_some());
    });
}

#[test]
fn graphs_are_lent_to_a_stream_of_a_scope_each() {
    with_gpu(|gpu| {
        let streams = [gpu.stream().unwrap(), gpu.stream().unwrap()];
        let mut buffers = [filled(gpu, 4, 1), filled(gpu, 4, 2)];
        let fill = |buffer| gpu.build_graph(|g| g.fill(&[], &mut g.hold(buffer), 7)).unwrap().0;
        let mut graphs: Vec<_> = buffers.iter_mut().map(fill).collect();
        gpu.scope(|s| {
            let work = streams.iter().zip(&mut graphs).zip(&mut buffers);
            for ((stream, graph), buffer) in work {
                s.on(stream).replay_alone(graph, &mut s.hold(buffer))?;
            }
            Ok(())
        })
        .unwrap();
        assert_eq!((read(gpu, &buffers[0]), read(gpu, &buffers[1])), (vec![7; 4], vec![7; 4]));
    });
}
