//! Work that a capture takes into its graph, and work that it leaves outside.

use crate::common::gpu::{filled, kernel, new_context, read, with_gpu};
use crate::common::kernels::{STORE, SUM12};
use crate::common::panics;
use crate::{common, fresh, skip};
use cuscope::graph::{Enqueue, EventRecordNode, EventWaitNode, NodeKind};
use cuscope::stream::Until;
use cuscope::{
    ContextStack, DeviceBuffer, Error, Function, LaunchConfig, Result, ScopedBuffer, ffi,
};
use cuscope_softdriver::control::{live, record};
use cuscope_softdriver::faults::{Fault, Which, with_fault};

#[test]
fn captured_work_runs_at_each_replay_and_not_before() {
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let store = kernel(gpu, STORE, "store");
        let (mut x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let graph = gpu
            .capture(&mut stream, |c| {
                let (stream, mut x, mut y) = (c.stream(), c.hold(&mut x), c.hold(&mut y));
                stream.copy(&y, &mut x)?;
                stream.fill(&mut y, 7)?;
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe { stream.launch_unchecked(&store, LaunchConfig::new(1, 1), (&mut y, 9_u32)) }
            })
            .unwrap();
        assert_eq!((graph.nodes().unwrap(), graph.edges().unwrap(), graph.buffers()), (3, 2, 2));
        assert_eq!((read(gpu, &x), read(gpu, &y)), (vec![1; 4], vec![2; 4]), "nothing ran");
        for _ in 0..3 {
            gpu.on(&stream).zero(&mut x).unwrap();
            gpu.on(&stream).fill(&mut y, 2).unwrap();
            gpu.on(&stream).replay(&graph, (&mut y, &mut x)).unwrap(); // in any order
            assert_eq!((read(gpu, &x), read(gpu, &y)), (vec![2; 4], vec![9, 7, 7, 7]));
        }
    });
}

#[test]
fn branches_are_ordered_by_the_memory_they_share() {
    with_gpu(|gpu| {
        let (mut main, mut side, mut idle) =
            (gpu.stream().unwrap(), gpu.stream().unwrap(), gpu.stream().unwrap());
        let (mut x, mut y, mut z) = (filled(gpu, 4, 1), filled(gpu, 4, 2), filled(gpu, 4, 3));
        let graph = gpu
            .capture(&mut main, |c| {
                let (stream, mut x, mut y, mut z) =
                    (c.stream(), c.hold(&mut x), c.hold(&mut y), c.hold(&mut z));
                stream.fill(&mut x, 5)?;
                let side = c.fork(&mut side)?;
                let _idle = c.fork(&mut idle)?;
                side.fill(&mut y, 6)?;
                stream.copy(&y, &mut z)?; // after the other branch
                side.copy(&x, &mut y) // after the copy
            })
            .unwrap();
        assert_eq!(graph.nodes().unwrap(), 4);
        for stream in [&main, &side, &idle] {
            gpu.on(stream).fill(&mut x, 0).unwrap(); // free again
            gpu.on(stream).replay(&graph, (&mut x, &mut y, &mut z)).unwrap();
            assert_eq!(read(gpu, &x), [5; 4]);
            assert_eq!((read(gpu, &y), read(gpu, &z)), (vec![5; 4], vec![6; 4]));
        }
    });
}

#[test]
fn scratch_is_of_the_graph() {
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let (mut x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let graph = gpu
            .capture(&mut stream, |c| {
                let (stream, mut x, mut y) = (c.stream(), c.hold(&mut x), c.hold(&mut y));
                let mut between = c.scratch(4)?;
                stream.copy(&x, &mut between)?;
                stream.copy(&y, &mut x)?;
                stream.copy(&between, &mut y)
            })
            .unwrap();
        assert_eq!(graph.buffers(), 2, "scratch is not named");
        gpu.on(&stream).replay(&graph, (&mut x, &mut y)).unwrap();
        assert_eq!((read(gpu, &x), read(gpu, &y)), (vec![2; 4], vec![1; 4]));
    });
}

#[test]
fn other_work_of_the_closure_is_done_at_once() {
    with_gpu(|gpu| {
        let (mut stream, other) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let mut x = filled(gpu, 4, 1);
        let graph = gpu
            .capture(&mut stream, |c| {
                c.stream().fill(&mut c.hold(&mut x), 3)?;
                let mut made = gpu.alloc::<u32>(4)?;
                let sum = gpu.load_ptx(SUM12)?.function("sum12")?;
                gpu.on(&other).upload(&[1, 2, 3, 4], &mut made)?;
                let mut host = [0; 4];
                gpu.scope(|s| s.on(&other).download(&made, &mut host))?;
                assert_eq!(host, [1, 2, 3, 4]);
                other.synchronize()?;
                drop((made, sum));
                // A capture in a capture.
                let mut inner = gpu.alloc::<u32>(4)?;
                let mut third = gpu.stream()?;
                let graph =
                    gpu.capture(&mut third, |c| c.stream().fill(&mut c.hold(&mut inner), 8))?;
                gpu.on(&other).replay(&graph, &mut inner)
            })
            .unwrap();
        assert_eq!(graph.nodes().unwrap(), 1);
        assert_eq!(read(gpu, &x), [1; 4]);
    });
}

#[test]
fn a_capture_ends_with_its_closure_whatever_happens() {
    fresh!(a_capture_ends_with_its_closure_whatever_happens, {
        with_gpu(|gpu| {
            let (mut stream, mut side) = (gpu.stream().unwrap(), gpu.stream().unwrap());
            let (mut x, y) = (filled(gpu, 4, 1), filled(gpu, 5, 2));
            let before = live();

            let error = gpu
                .capture(&mut stream, |c| {
                    c.stream().zero(&mut c.hold(&mut x))?;
                    c.fork(&mut side)?.zero(&mut c.scratch::<u32>(4)?)?;
                    Err(Error::StackTaken)
                })
                .unwrap_err();
            assert_eq!(error, Error::StackTaken);

            assert!(panics(|| {
                gpu.capture(&mut stream, |c| -> Result {
                    c.stream().zero(&mut c.hold(&mut x))?;
                    c.fork(&mut side)?.zero(&mut c.scratch::<u32>(4)?)?;
                    panic!("in the middle")
                })
            }));

            // An operation that failed is not left out in silence.
            let error = gpu
                .capture(&mut stream, |c| {
                    let refused = c.stream().copy(&y, &mut c.hold(&mut x));
                    assert!(matches!(refused, Err(Error::LengthMismatch { .. })), "{refused:?}");
                    Ok(())
                })
                .unwrap_err();
            assert!(matches!(error, Error::LengthMismatch { .. }), "{error}");

            // To wait for the context spoils it (F151).
            let error = gpu
                .capture(&mut stream, |c| {
                    c.stream().zero(&mut c.hold(&mut x))?;
                    gpu.synchronize().unwrap_err();
                    Ok(())
                })
                .unwrap_err();
            assert_eq!(error.code(), Some(ffi::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));

            // An impossible launch too (F146).
            let store = kernel(gpu, STORE, "store");
            let error = gpu
                .capture(&mut stream, |c| {
                    let (stream, none) = (c.stream(), LaunchConfig::new(0, 1));
                    // SAFETY: the kernel is store(u32 *, u32); it never runs.
                    unsafe { stream.launch_unchecked(&store, none, (&mut c.hold(&mut x), 1_u32)) }
                })
                .unwrap_err();
            assert_eq!(error.code(), Some(ffi::CUDA_ERROR_INVALID_VALUE));
            drop(store);

            if common::software() {
                assert_eq!(live(), before, "nothing is left");
            }
            for stream in [&stream, &side] {
                gpu.on(stream).fill(&mut x, 4).unwrap();
                assert_eq!(read(gpu, &x), [4; 4], "the streams are free");
            }
        });
    });
}

/// A capture in GLOBAL mode, of this thread or another one, is not spoiled by ours, and refuses it nothing.
#[test]
fn graphs_are_made_replayed_and_dropped_beside_a_foreign_capture() {
    fresh!(graphs_are_made_replayed_and_dropped_beside_a_foreign_capture, {
        with_gpu(|gpu| {
            let (foreign, mut side) = (gpu.stream().unwrap(), gpu.stream().unwrap());
            let (mut stream, x, mut y) =
                (gpu.stream().unwrap(), filled(gpu, 4, 1), filled(gpu, 4, 2));
            // SAFETY: the stream is alive; its capture is ended below.
            let code = unsafe {
                ffi::cuStreamBeginCapture_v2(foreign.raw(), ffi::CU_STREAM_CAPTURE_MODE_GLOBAL)
            };
            assert_eq!(code, ffi::CUDA_SUCCESS);
            let mut graph = gpu
                .capture(&mut stream, |c| {
                    let mut y = c.hold(&mut y);
                    c.stream().fill(&mut y, 3)?;
                    c.fork(&mut side)?.copy(&x, &mut y)
                })
                .unwrap();
            gpu.on(&stream).upload_graph(&graph).unwrap();
            gpu.on(&stream).replay(&graph, (&x, &mut y)).unwrap();
            let again = gpu.recapture(&mut graph, &mut stream, |c| {
                c.stream().copy(&x, &mut c.hold(&mut y)) //
            });
            assert_eq!(again, Ok(false));
            gpu.scope(|s| s.on(&stream).replay(&graph, (&x, &mut s.hold(&mut y)))).unwrap();
            drop((graph, x));
            let mut none = std::ptr::null_mut();
            // SAFETY: the stream is alive; writes one handle to `none`.
            let code = unsafe { ffi::cuStreamEndCapture(foreign.raw(), &raw mut none) };
            assert_eq!(code, ffi::CUDA_SUCCESS, "not spoiled");
            // SAFETY: made above, and not used again.
            assert_eq!(unsafe { ffi::cuGraphDestroy(none) }, ffi::CUDA_SUCCESS);
            assert_eq!(read(gpu, &y), [1; 4]);
        });
    });
}

#[test]
fn a_capture_whose_end_fails_once_leaves_no_graph() {
    if !common::software() {
        skip!("only the software driver counts what is alive and fails on demand");
    }
    fresh!(a_capture_whose_end_fails_once_leaves_no_graph, {
        with_gpu(|gpu| {
            let mut stream = gpu.stream().unwrap();
            let (graph, calls) = record(|| gpu.capture(&mut stream, |_| Ok(())));
            drop(graph);
            let end = calls.iter().position(|call| *call == "cuStreamEndCapture").unwrap();
            let code = ffi::CUDA_ERROR_UNKNOWN;
            let fault = Fault { which: Which::Nth(end), code, performed: false };
            let (failed, calls) = with_fault(fault, || gpu.capture(&mut stream, |_| Ok(())));
            assert_eq!(
                (failed.unwrap_err().code(), calls),
                (Some(code), vec!["cuStreamEndCapture"])
            );
            assert_eq!(live().graphs, 0);
            drop(gpu.capture(&mut stream, |_| Ok(())).unwrap());
        });
    });
}

/// A stream that could not come back to the captured one is told of, not the end of the capture, which fails too.
#[test]
fn a_stream_that_cannot_come_back_fails_the_capture() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(a_stream_that_cannot_come_back_fails_the_capture, {
        with_gpu(|gpu| {
            let (mut stream, mut side) = (gpu.stream().unwrap(), gpu.stream().unwrap());
            let mut captured = || gpu.capture(&mut stream, |c| c.fork(&mut side).map(drop));
            let (graph, calls) = record(&mut captured);
            drop(graph);
            let join = calls.iter().rposition(|call| *call == "cuStreamWaitEvent").unwrap();
            let code = ffi::CUDA_ERROR_UNKNOWN;
            let fault = Fault { which: Which::Nth(join), code, performed: false };
            let (failed, _) = with_fault(fault, captured);
            let failed = failed.unwrap_err();
            assert_eq!((failed.call(), failed.code()), (Some("cuStreamWaitEvent"), Some(code)));
        });
    });
}

#[test]
fn one_function_runs_captures_and_builds() {
    fn step<'s, 'ctx>(
        stream: impl Enqueue<'s, 'ctx>,
        store: &Function<'ctx>,
        x: &'s DeviceBuffer<'ctx, u32>,
        (y, z): (&mut ScopedBuffer<'s, u32>, &mut ScopedBuffer<'s, u32>),
    ) -> Result {
        stream.copy(x, y)?;
        stream.zero(z)?;
        stream.fill(&mut z.slice_mut(1..)?, 7)?;
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        unsafe { stream.launch_unchecked(store, LaunchConfig::new(1, 1), (&mut *y, 9_u32)) }
    }
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let store = kernel(gpu, STORE, "store");
        let (x, mut y, mut z) = (filled(gpu, 4, 1), filled(gpu, 4, 2), filled(gpu, 4, 3));
        let done = (vec![9, 1, 1, 1], vec![0, 7, 7, 7]);
        gpu.scope(|s| step(s.on(&stream), &store, &x, (&mut s.hold(&mut y), &mut s.hold(&mut z))))
            .unwrap();
        assert_eq!((read(gpu, &y), read(gpu, &z)), done);
        let graph = gpu
            .capture(&mut stream, |c| {
                step(c.stream(), &store, &x, (&mut c.hold(&mut y), &mut c.hold(&mut z)))
            })
            .unwrap();
        let (built, ()) = gpu
            .build_graph(|g| step(g, &store, &x, (&mut g.hold(&mut y), &mut g.hold(&mut z))))
            .unwrap();
        for graph in [&graph, &built] {
            gpu.on(&stream).fill(&mut y, 0).unwrap();
            gpu.on(&stream).fill(&mut z, 5).unwrap();
            gpu.on(&stream).replay(graph, (&x, &mut y, &mut z)).unwrap();
            assert_eq!((read(gpu, &y), read(gpu, &z)), done);
        }
    });
}

/// Its free would be captured as well: another stream is captured in the place of its own.
#[test]
fn memory_of_the_captured_stream_is_freed_during_the_capture() {
    fresh!(memory_of_the_captured_stream_is_freed_during_the_capture, {
        with_gpu(|gpu| {
            let (mut stream, mut side) = (gpu.stream().unwrap(), gpu.stream().unwrap());
            let ordered = gpu.on(&stream).alloc::<u32>(4).unwrap();
            let beside = gpu.on(&side).alloc::<u32>(4).unwrap();
            let later = gpu.on(&stream).alloc::<u32>(4).unwrap();
            let mut x = filled(gpu, 4, 1);
            let before = live();
            let (graph, calls) = record(|| {
                gpu.capture(&mut stream, |c| {
                    c.stream().fill(&mut c.hold(&mut x), 3)?;
                    drop(ordered);
                    let side = c.fork(&mut side)?;
                    drop(beside);
                    side.fill(&mut c.scratch::<u32>(4)?, 3)?;
                    assert!(!common::software() || live().streams == before.streams + 2);
                    Ok(())
                })
                .unwrap()
            });
            assert_eq!(graph.nodes().unwrap(), 2);
            if common::software() {
                let frees = calls.iter().filter(|call| **call == "cuMemFreeAsync").count();
                assert_eq!(frees, 2, "in the order of their streams: {calls:?}");
                assert_eq!(live().allocations, before.allocations - 1, "two less, one more");
                assert_eq!(live().streams, before.streams, "those of the capture are gone");
            }
            let ((), calls) = record(|| drop(later));
            assert!(!common::software() || calls.contains(&"cuMemFreeAsync"), "{calls:?}");
            gpu.on(&stream).replay(&graph, &mut x).unwrap();
            assert_eq!(read(gpu, &x), [3; 4]);

            // And however the capture ends.
            let _alive = gpu.on(&stream).alloc::<u32>(4).unwrap();
            assert!(panics(|| {
                gpu.capture(&mut stream, |c| -> Result {
                    c.stream().fill(&mut c.hold(&mut x), 4)?;
                    panic!("in the closure")
                })
            }));
            assert!(!common::software() || live().streams == before.streams);
            gpu.on(&stream).fill(&mut x, 5).unwrap();
        });
    });
}

/// The stream that is captured in its place has the stream's attributes (`src/graph/captured_stream.rs` compares them),
/// for the calls of C, which another stream takes no more.
#[test]
fn a_stream_that_nothing_else_has_is_captured_itself() {
    with_gpu(|gpu| {
        let (mut stream, mut x) = (gpu.stream().unwrap(), filled(gpu, 4, 1));
        drop(gpu.on(&stream).alloc::<u32>(4).unwrap());
        let (graph, calls) = record(|| {
            gpu.capture(&mut stream, |c| c.stream().fill(&mut c.hold(&mut x), 3)).unwrap()
        });
        assert!(!calls.contains(&"cuStreamCreate"), "{calls:?}");
        gpu.on(&stream).replay(&graph, &mut x).unwrap();
        assert_eq!(read(gpu, &x), [3; 4]);
    });
}

#[test]
fn an_empty_capture_is_an_empty_graph() {
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let graph = gpu.capture(&mut stream, |_| Ok(())).unwrap();
        assert_eq!((graph.nodes().unwrap(), graph.edges().unwrap(), graph.buffers()), (0, 0, 0));
        assert_eq!(graph.list_nodes().unwrap(), []);
        gpu.on(&stream).replay(&graph, ()).unwrap();
    });
}

#[test]
fn parts_are_held_and_replays_pass_the_buffer() {
    with_gpu(|gpu| {
        let (mut stream, mut x) = (gpu.stream().unwrap(), filled(gpu, 4, 1));
        let graph = {
            let (mut low, mut high) = x.split_at_mut(2).unwrap();
            gpu.capture(&mut stream, |c| {
                let (run, mut low, mut high) = (c.stream(), c.hold(&mut low), c.hold(&mut high));
                run.fill(&mut low, 2)?;
                run.copy(&low, &mut high)?;
                run.zero(&mut low)
            })
            .unwrap()
        };
        let part = gpu.on(&stream).replay(&graph, ());
        assert!(matches!(part, Err(Error::GraphBuffers { captured: 1, .. })), "{part:?}");
        gpu.on(&stream).replay(&graph, &mut x).unwrap();
        assert_eq!(read(gpu, &x), [0, 0, 2, 2]);
        let (built, _) = {
            let mut high = x.slice_mut(2..).unwrap();
            gpu.build_graph(|g| g.fill(&[], &mut g.hold(&mut high), 7)).unwrap()
        };
        gpu.on(&stream).replay(&built, &mut x).unwrap();
        assert_eq!(read(gpu, &x), [0, 0, 7, 7]);
    });
}

/// Records and waits are nodes, as those of a graph that is built, and can be changed.
#[test]
fn events_are_recorded_and_waited_for_in_each_replay() {
    with_gpu(|gpu| {
        let (mut stream, mut side) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let (go, mut x) = (gpu.stream_value(0_u32).unwrap(), filled(gpu, 4, 1));
        let (before, after) = (gpu.event().unwrap(), gpu.event().unwrap());
        let mut graph = gpu
            .capture(&mut stream, |c| {
                let mut x = c.hold(&mut x);
                c.stream().wait(&before)?;
                c.stream().fill(&mut x, 7)?;
                // The memory orders the two streams, and not the event.
                let side = c.fork(&mut side)?;
                side.fill(&mut x, 8)?;
                side.record(&after)?;
                // It is no event of the capture: the host may ask for it.
                assert_eq!(after.query(), Ok(true));
                Ok(())
            })
            .unwrap();
        let kinds: Vec<_> = graph.list_nodes().unwrap().iter().map(|node| node.kind()).collect();
        use NodeKind::{EventRecord, EventWait, Memset};
        assert_eq!(kinds, [EventWait, Memset, Memset, EventRecord]);
        assert!(after.elapsed_since(&after).is_err(), "nothing has recorded it");

        // A replay waits for the record before it, of a stream that waits for the host.
        gpu.scope(|s| {
            let (run, held) = (s.on(&stream), s.on(&side));
            held.value_operations(&[go.wait(Until::AtLeast(1))])?;
            held.record(&before)?;
            run.replay(&graph, &mut s.hold(&mut x))?;
            assert_eq!((run.query()?, after.query()?), (false, false));
            go.store(1);
            after.synchronize()
        })
        .unwrap();
        assert_eq!(read(gpu, &x), [8; 4]);

        // The nodes are changed, and the graph keeps the events.
        let nodes = graph.list_nodes().unwrap();
        let wait: EventWaitNode = nodes[0].try_into().unwrap();
        let record: EventRecordNode = nodes[3].try_into().unwrap();
        let other = gpu.event().unwrap();
        graph.set_event_record(record, &other).unwrap();
        graph.set_event_wait(wait, &other).unwrap();
        drop((before, after));
        gpu.on(&stream).replay(&graph, &mut x).unwrap();
        other.synchronize().unwrap();
        other.elapsed_since(&other).unwrap();
        let copy = graph.try_clone(gpu).unwrap();
        drop(graph);
        gpu.on(&stream).replay(&copy, &mut x).unwrap();
    });
}

#[test]
fn a_captured_graph_keeps_the_events_that_it_uses() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(a_captured_graph_keeps_the_events_that_it_uses, {
        with_gpu(|gpu| {
            let mut stream = gpu.stream().unwrap();
            let before = live().events;
            let graph = {
                let (waited, recorded) = (gpu.event().unwrap(), gpu.event().unwrap());
                let capture = gpu.capture(&mut stream, |c| {
                    c.stream().wait(&waited)?;
                    c.stream().record(&recorded)
                });
                capture.unwrap()
            };
            assert_eq!(live().events, before + 2);
            gpu.on(&stream).replay(&graph, ()).unwrap();
            drop(graph);
            assert_eq!(live().events, before);
        });
    });
}

#[test]
fn an_event_of_another_context_is_waited_for() {
    let (context, other) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&other).unwrap();
    let event = outer.event().unwrap();
    let gpu = outer.push(&context).unwrap();
    let mut stream = gpu.stream().unwrap();
    let graph = gpu.capture(&mut stream, |c| c.stream().wait(&event)).unwrap();
    assert_eq!(graph.nodes(), Ok(1));
    gpu.on(&stream).replay(&graph, ()).unwrap();
}
