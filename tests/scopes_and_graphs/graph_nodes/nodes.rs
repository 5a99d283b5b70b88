//! Nodes of every kind: what they do, in which order, and what is refused.

use super::{ONE, fill, refused};
use crate::common::gpu::{LARGE, filled, kernel, read, with_gpu};
use crate::common::kernels::STORE;
use crate::common::{UNWINDS, fewer, panics};
use crate::{common, fresh, skip, skip_under_miri};
use cuscope::{
    Error, EventFlags, Graph, LaunchConfig, Result, ffi,
    graph::{DotFlags, NodeId, NodeKind},
};
use cuscope_softdriver::control::{live, take_races};
use cuscope_softdriver::schedule;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

#[test]
fn every_kind_of_node_runs() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let store = kernel(gpu, STORE, "store");
        let (mut x, mut y, z) = (filled(gpu, 4, 1), filled(gpu, 4, 2), filled(gpu, 4, 3));
        let event = gpu.event_with(EventFlags::DISABLE_TIMING).unwrap();
        let before = gpu.event().unwrap();
        let calls = Arc::new(AtomicU32::new(0));
        let (child, _) = fill(gpu, &mut y, 7);
        let called = calls.clone();
        let (graph, nodes) = gpu
            .build_graph(|g| {
                let (mut x, mut y) = (g.hold(&mut x), g.hold(&mut y));
                let start = g.empty(&[])?.id();
                let waited = g.wait(&[start], &before)?.id();
                let child = g.child(&[waited], &child, &mut y)?.id(); // y is 7
                let (mut between, alloc) = g.alloc::<u32>(&[], 4)?;
                let copied = g.copy(&[], &y, &mut between)?.id();
                let set = g.fill(&[], &mut x, 9)?.id();
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                let stored =
                    unsafe { g.kernel_unchecked(&[], &store, ONE(), (&mut between, 5_u32)) }?.id();
                let back = g.copy(&[], &between, &mut y)?.id(); // 5 7 7 7
                let zero = g.zero(&[], &mut x)?.id();
                let last = g.copy(&[], &z, &mut x)?.id(); // 3 3 3 3
                let host = g.host_function(&[back, last], move || {
                    called.fetch_add(1, Ordering::Relaxed);
                })?;
                let recorded = g.record(&[host.id()], &event)?.id();
                let free = g.free(&[], between)?.id();
                let (a, h) = (alloc.id(), host.id());
                Ok([
                    start, waited, child, a, copied, set, stored, back, zero, last, h, recorded,
                    free,
                ])
            })
            .unwrap();
        use NodeKind::*;
        let kinds = [
            Empty,
            EventWait,
            ChildGraph,
            Alloc,
            Memcpy,
            Memset,
            Kernel,
            Memcpy,
            Memset,
            Memcpy,
            Host,
            EventRecord,
            Free,
        ];
        assert_eq!(nodes.map(NodeId::kind), kinds);
        assert_eq!(graph.list_nodes().unwrap(), nodes);
        assert_eq!((graph.nodes().unwrap(), graph.buffers()), (13, 3));
        assert_eq!((read(gpu, &x), read(gpu, &y)), (vec![1; 4], vec![2; 4]), "nothing ran");
        for run in 1..4 {
            gpu.on(&stream).replay(&graph, (&mut x, &mut y, &z)).unwrap();
            assert_eq!((read(gpu, &x), read(gpu, &y)), (vec![3; 4], vec![5, 7, 7, 7]));
            assert_eq!(calls.load(Ordering::Relaxed), run);
            assert_eq!(event.query(), Ok(true));
        }
    });
}

/// Counts the nodes that each node comes after, by places in the list.
fn edges(graph: &Graph<'_>) -> usize {
    graph.edges().unwrap()
}

#[test]
fn nodes_are_ordered_by_the_memory_they_use() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (mut x, mut y, mut z) =
            (filled(gpu, LARGE, 1), filled(gpu, LARGE, 2), filled(gpu, LARGE, 3));
        let (graph, ()) = gpu
            .build_graph(|g| {
                let (mut x, mut y, mut z) = (g.hold(&mut x), g.hold(&mut y), g.hold(&mut z));
                g.fill(&[], &mut x, 5)?; // 0
                g.copy(&[], &x, &mut y)?; // 1, after 0
                g.copy(&[], &x, &mut z)?; // 2, after 0
                g.fill(&[], &mut x, 6)?; // 3, after 0 1 2
                g.copy(&[], &y, &mut x)?; // 4, after 1 3
                Ok(())
            })
            .unwrap();
        assert_eq!(edges(&graph), 7);
        for _ in 0..10 {
            gpu.on(&stream).replay(&graph, (&mut x, &mut y, &mut z)).unwrap();
            for buffer in [&x, &y, &z] {
                assert_eq!(read(gpu, buffer), vec![5; LARGE]);
            }
        }

        // Parts are ordered each by its own uses, and what is only read by nothing.
        let (graph, ()) = gpu
            .build_graph(|g| {
                let (mut first, mut second) = g.hold(&mut x).split_at(100)?;
                g.fill(&[], &mut first, 8)?;
                g.fill(&[], &mut second, 9)?;
                g.copy(&[], z.slice(..100)?, &mut first)?;
                Ok(())
            })
            .unwrap();
        assert_eq!((edges(&graph), graph.buffers()), (1, 2));
        gpu.on(&stream).replay(&graph, (&mut x, &z)).unwrap();
        assert_eq!(read(gpu, &x)[99..101], [5, 9]);

        // The edges that the program names come on top, each once.
        let (graph, ()) = gpu
            .build_graph(|g| {
                let mut x = g.hold(&mut x);
                let a = g.fill(&[], &mut x, 1)?.id();
                let b = g.empty(&[a, a])?.id();
                let _c = g.fill(&[a, b, b], &mut x, 2)?;
                Ok(())
            })
            .unwrap();
        assert_eq!(edges(&graph), 3);
    });
}

#[test]
fn a_node_of_another_graph_is_refused() {
    with_gpu(|gpu| {
        let (mut x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let (mut graph, set) = fill(gpu, &mut x, 1);
        let (mut other, theirs) = fill(gpu, &mut y, 1);
        assert_ne!(set, theirs);
        refused(graph.set_fill(theirs, 2_u32), "cuGraphExecMemsetNodeSetParams");
        refused(graph.set_enabled(theirs, false), "cuGraphNodeSetEnabled");
        refused(graph.is_enabled(theirs), "cuGraphNodeGetEnabled");
        refused(graph.copy_of(theirs), "cuGraphNodeFindInClone");
        refused(gpu.build_graph(|g| g.empty(&[set.id()])), "cuGraphAddEmptyNode");
        // It is the same one in a copy, by another name.
        let mut copy = graph.try_clone(gpu).unwrap();
        refused(copy.set_fill(set, 2_u32), "cuGraphExecMemsetNodeSetParams");
        let copied = copy.copy_of(set).unwrap();
        copy.set_fill(copied, 2_u32).unwrap();
        refused(graph.set_fill(copied, 2_u32), "cuGraphExecMemsetNodeSetParams");
        // A graph that was built again is another one.
        let again = gpu.rebuild_graph(&mut other, |g| g.fill(&[], &mut g.hold(&mut y), 3)).unwrap();
        assert!(again.0, "in place");
        refused(other.set_fill(theirs, 4_u32), "cuGraphExecMemsetNodeSetParams");
        refused(other.set_fill(again.1, 4_u32), "cuGraphExecMemsetNodeSetParams");
        let stream = gpu.stream().unwrap();
        gpu.on(&stream).replay(&other, &mut y).unwrap();
        assert_eq!(read(gpu, &y), [3; 4]);
        // And its nodes work again once it is a new one.
        let (in_place, two) = gpu
            .rebuild_graph(&mut other, |g| {
                g.empty(&[])?;
                g.fill(&[], &mut g.hold(&mut y), 3)
            })
            .unwrap();
        assert!(!in_place);
        other.set_fill(two, 5_u32).unwrap();
        gpu.on(&stream).replay(&other, &mut y).unwrap();
        assert_eq!(read(gpu, &y), [5; 4]);
    });
}

#[test]
fn a_function_of_a_graph_is_called_at_each_replay_and_its_panic_goes_on() {
    fresh!(a_function_of_a_graph_is_called_at_each_replay_and_its_panic_goes_on, {
        with_gpu(|gpu| {
            struct Dropped(Arc<AtomicU32>);
            impl Drop for Dropped {
                fn drop(&mut self) {
                    self.0.fetch_add(100, Ordering::Relaxed);
                }
            }
            let stream = gpu.stream().unwrap();
            let calls = Arc::new(AtomicU32::new(0));
            let own = Dropped(calls.clone());
            let mut odd = false;
            let (graph, _) = gpu
                .build_graph(|g| {
                    g.host_function(&[], move || {
                        own.0.fetch_add(1, Ordering::Relaxed);
                        odd = !odd;
                        assert!(odd || !UNWINDS, "every second time");
                    })
                })
                .unwrap();
            let copy = graph.try_clone(gpu).unwrap();
            let (parent, _) = gpu.build_graph(|g| g.child(&[], &graph, ())).unwrap();
            gpu.on(&stream).replay(&graph, ()).unwrap();
            let panicked = |f: &dyn Fn()| {
                if !UNWINDS {
                    return f();
                }
                let panic = catch_unwind(AssertUnwindSafe(f)).unwrap_err();
                assert!(panic.downcast_ref::<&str>().is_some_and(|text| text.contains("second")));
            };
            panicked(&|| gpu.on(&stream).replay(&graph, ()).unwrap());
            gpu.on(&stream).replay(&copy, ()).unwrap();
            panicked(&|| gpu.scope(|s| s.on(&stream).replay(&copy, ())).unwrap());
            gpu.on(&stream).replay(&parent, ()).unwrap();
            panicked(&|| gpu.on(&stream).replay(&parent, ()).unwrap());
            drop(graph);
            drop(copy);
            assert_eq!(calls.load(Ordering::Relaxed), 6, "kept");
            gpu.on(&stream).replay(&parent, ()).unwrap();
            drop(parent);
            assert_eq!(calls.load(Ordering::Relaxed), 107);
        });
    });
}

#[test]
fn a_graph_keeps_its_events() {
    with_gpu(|gpu| {
        let (stream, other) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let (x, mut y) = (filled(gpu, LARGE, 4), filled(gpu, LARGE, 2));
        let before = gpu.event_with(EventFlags::DISABLE_TIMING).unwrap();
        let after = gpu.event().unwrap();
        let (graph, _) = gpu
            .build_graph(|g| {
                let waited = g.wait(&[], &before)?;
                let copied = g.copy(&[waited.id()], &x, &mut g.hold(&mut y))?;
                g.record(&[copied.id()], &after)
            })
            .unwrap();
        gpu.on(&other).record(&before).unwrap();
        gpu.scope(|s| {
            s.on(&stream).replay(&graph, (&x, &mut s.hold(&mut y)))?;
            after.synchronize()
        })
        .unwrap();
        assert_eq!(read(gpu, &y)[0], 4);
        drop((before, after));
        let copy = graph.try_clone(gpu).unwrap();
        gpu.on(&stream).replay(&copy, (&x, &mut y)).unwrap();
        gpu.on(&stream).replay(&graph, (&x, &mut y)).unwrap();
    });
}

#[test]
fn a_node_that_cannot_be_added_fails_the_graph() {
    fresh!(a_node_that_cannot_be_added_fails_the_graph, {
        with_gpu(|gpu| {
            let (x, mut y) = (filled(gpu, 4, 1), filled(gpu, 5, 2));
            let store = kernel(gpu, STORE, "store");
            let before = live();
            let failed = gpu.build_graph(|g| {
                let mut y = g.hold(&mut y);
                let refused = g.copy(&[], &x, &mut y).unwrap_err();
                assert!(matches!(refused, Error::LengthMismatch { .. }));
                assert_eq!(g.fill(&[], &mut y, 1).unwrap_err(), refused, "nothing more is added");
                Ok(())
            });
            assert!(matches!(failed, Err(Error::LengthMismatch { .. })));
            let failed = gpu.build_graph(|g| {
                let mut own = g.scratch::<u32>(4)?;
                let (_held, _) = g.alloc::<u32>(&[], 4)?;
                // SAFETY: it never runs.
                unsafe {
                    g.kernel_unchecked(&[], &store, LaunchConfig::new(0, 1), (&mut own, 1_u32))
                }
            });
            assert_eq!(failed.unwrap_err().code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
            assert!(panics(|| {
                gpu.build_graph(|g| -> Result {
                    g.alloc::<u32>(&[], 4)?;
                    g.fill(&[], &mut g.scratch(4)?, 1_u32)?;
                    panic!("in the middle")
                })
            }));
            if common::software() {
                assert_eq!(live(), before, "nothing is left");
            }
        });
    });
}

#[test]
fn a_graph_is_drawn() {
    with_gpu(|gpu| {
        let mut x = filled(gpu, 4, 1);
        let (graph, ()) = gpu
            .build_graph(|g| {
                let mut x = g.hold(&mut x);
                g.fill(&[], &mut x, 1)?;
                g.zero(&[], &mut x)?;
                Ok(())
            })
            .unwrap();
        let text = graph.dot(DotFlags::empty()).unwrap();
        assert!(text.starts_with("digraph"), "{text}");
        assert_eq!((text.matches("MEMSET").count(), text.matches("->").count()), (2, 1), "{text}");
        assert!(graph.dot(DotFlags::VERBOSE).unwrap().len() >= text.len());
    });
}

#[test]
fn nodes_have_hashes_of_their_own() {
    with_gpu(|gpu| {
        let mut x = filled(gpu, 4, 1);
        let (_graph, nodes) = gpu
            .build_graph(|g| {
                let mut x = g.hold(&mut x);
                [g.fill(&[], &mut x, 1_u32), g.fill(&[], &mut x, 2), g.fill(&[], &mut x, 3)]
                    .into_iter()
                    .collect::<Result<Vec<_>>>()
            })
            .unwrap();
        let (hashes, first) = (RandomState::new(), nodes[0]);
        // That all are the same by chance does not happen.
        assert!(nodes.iter().any(|node| hashes.hash_one(node) != hashes.hash_one(first)));
        assert_eq!(hashes.hash_one(nodes[0]), hashes.hash_one(first));
        fn again<T: Clone>(one: &T) -> T {
            one.clone()
        }
        assert_eq!(again(&first), first);
    });
}

/// The directory for temporary files is another one in the process that draws.
#[test]
fn the_file_of_a_drawing_is_a_new_one_and_removed() {
    const NAME: &str = "the_file_of_a_drawing_is_a_new_one_and_removed";
    skip_under_miri!("Miri starts no processes");
    let name = format!("cuscope dot {} größer 図", std::process::id());
    let directory = std::env::temp_dir().join(name);
    let path = directory.to_str().expect("it has a name of characters");
    let variables = [(if cfg!(windows) { "TMP" } else { "TMPDIR" }, path)];
    if let Some(output) = common::respawn_with(module_path!(), NAME, &variables) {
        common::assert_success(NAME, &output);
        return;
    }
    let directory = std::env::temp_dir();
    with_gpu(|gpu| {
        let (graph, ()) = gpu.build_graph(|_| Ok(())).unwrap();
        let drawn = || graph.dot(DotFlags::empty());
        let none = drawn().unwrap_err();
        assert!(matches!(none, Error::File { kind: ErrorKind::NotFound, .. }), "{none}");
        fs::create_dir(&directory).unwrap();
        let others: Vec<_> = (0..8)
            .map(|number| {
                directory.join(format!("cuscope-graph-{}-{number}.dot", std::process::id()))
            })
            .collect();
        others.iter().for_each(|path| fs::write(path, "theirs").unwrap());
        assert!(drawn().unwrap().starts_with("digraph"));
        assert_eq!(fs::read_dir(&directory).unwrap().count(), others.len(), "its own is gone");
        assert!(others.iter().all(|path| fs::read(path).unwrap() == b"theirs"));
        fs::remove_dir_all(&directory).unwrap();
    });
}

/// Fills and copies of parts, added in random order with random edges: what they leave is what they would in
/// the order of the program, in any order that a device may run them in.
#[test]
fn random_nodes_race_in_no_schedule() {
    if !common::software() {
        skip!("only the software driver has schedules");
    }
    const LEN: usize = 8;
    fresh!(random_nodes_race_in_no_schedule, {
        with_gpu(|gpu| {
            let stream = gpu.stream().unwrap();
            let mut random = 1_u64;
            let mut below = move |count: usize| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (random >> 33) as usize % count
            };
            for seed in 0..fewer(200, 2) as u64 {
                let (mut x, mut y) = (filled(gpu, 2 * LEN, 1), filled(gpu, LEN, 2));
                let mut model = vec![vec![5; LEN]; 4];
                let (graph, ()) = gpu
                    .build_graph(|g| {
                        let (first, second) = g.hold(&mut x).split_at(LEN)?;
                        let own = g.alloc::<u32>(&[], LEN)?.0;
                        let mut held = [first, second, g.hold(&mut y), own];
                        held.iter_mut().try_for_each(|one| g.fill(&[], one, 5).map(drop))?;
                        let mut nodes: Vec<NodeId> = Vec::new();
                        for value in 0..12 {
                            let after: Vec<_> =
                                nodes.iter().filter(|_| below(6) == 0).copied().collect();
                            let (from, to) = (below(4), below(4));
                            let node = if from == to {
                                model[to] = vec![value; LEN];
                                g.fill(&after, &mut held[to], value)?.id()
                            } else {
                                model[to] = model[from].clone();
                                let [from, to] = held.get_disjoint_mut([from, to]).unwrap();
                                g.copy(&after, &*from, to)?.id()
                            };
                            nodes.push(node);
                        }
                        Ok(())
                    })
                    .unwrap();
                schedule::seed(seed);
                gpu.on(&stream).replay(&graph, (&mut x, &mut y)).unwrap();
                schedule::stop();
                assert_eq!(take_races(), [], "seed {seed}");
                assert_eq!(read(gpu, &x), [&model[0][..], &model[1][..]].concat(), "seed {seed}");
                assert_eq!(read(gpu, &y), model[2], "seed {seed}");
            }
        });
    });
}
