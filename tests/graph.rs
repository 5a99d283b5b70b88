//! Graphs: captured once, replayed on the memory that they own.
#![allow(unsafe_code, reason = "launches kernels")]

mod common;

use common::fewer;
use common::gpu::{LARGE, filled, kernel, new_context, read, with_gpu};
use common::kernels::{STORE, SUM12};
use cuscope::{
    Branded, ContextStack, Detached, DeviceBuffer, DeviceQueue, Error, Function, Graph, Held,
    LaunchConfig, PushedGuard, Result, ffi,
};
use cuscope_softdriver::control::{live, record};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

const SYNCHRONIZE: &str = "cuStreamSynchronize";
const LAUNCH: &str = "cuGraphLaunch";

/// A graph that copies `x` to `y`.
fn copy<'ctx>(
    gpu: &PushedGuard<'ctx>,
    x: &DeviceBuffer<'ctx, u32>,
    y: &mut DeviceBuffer<'ctx, u32>,
) -> Graph<'ctx> {
    gpu.capture(&mut gpu.stream().unwrap(), |c| c.queue().copy(x, &mut c.hold(y))).unwrap()
}

#[test]
fn what_is_captured_runs_at_each_replay_and_not_before() {
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let store = kernel(gpu, STORE, "store");
        let (mut x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let graph = gpu
            .capture(&mut stream, |c| {
                let (q, mut x, mut y) = (c.queue(), c.hold(&mut x), c.hold(&mut y));
                q.copy(&y, &mut x)?;
                q.fill(&mut y, 7)?;
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe { q.launch(&store, LaunchConfig::new(1, 1), (&mut y, 9_u32)) }
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
fn a_replay_names_the_buffers_of_the_graph() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let (mut x, mut y, mut z) = (filled(gpu, 4, 1), filled(gpu, 4, 2), filled(gpu, 4, 3));
        let graph = copy(gpu, &x, &mut y);
        let refused = |named| Error::GraphBuffers { call: LAUNCH, captured: 2, named };
        let (answers, calls) = record(|| {
            let on = gpu.on(&stream);
            [
                on.replay(&graph, ()),
                on.replay(&graph, &x),
                on.replay(&graph, (&mut y,)),
                on.replay(&graph, (&x, &y)),
                on.replay(&graph, (&mut x, &mut y)),
                on.replay(&graph, (&x, &x)),
                on.replay(&graph, (&x, &mut z)),
                on.replay(&graph, (&z, &mut y)),
                on.replay(&graph, (&x, &mut y, &x)),
                on.replay(&graph, (&x, &mut y, &mut z)),
            ]
        });
        let shown = [0, 1, 1, 2, 2, 2, 2, 2, 3, 3];
        for (answer, shown) in answers.into_iter().zip(shown) {
            assert_eq!(answer, Err(refused(shown)));
        }
        assert!(calls.is_empty() || !common::software(), "{calls:?}");
        assert!(refused(1).to_string().contains("`&mut y` for one that it writes"));

        // The same buffers, whatever they are called: in a scope, in slices, in nested tuples.
        gpu.scope(|s| {
            let q = s.on(&stream);
            assert_eq!(q.replay(&graph, ()), Err(refused(0)));
            let mut held = s.hold(&mut y);
            assert_eq!(q.replay(&graph, (&x, &held)), Err(refused(2)));
            q.replay(&graph, (&x, &mut held))?;
            q.replay(&graph, ((&x,), ((), &mut held)))
        })
        .unwrap();
        assert_eq!(read(gpu, &y), [1; 4]);
    });
}

/// Where a buffer was the last time is where it is looked for first.
#[test]
fn a_replay_names_its_buffers_in_another_order_each_time() {
    with_gpu(|gpu| {
        let (mut stream, x) = (gpu.stream().unwrap(), filled(gpu, 4, 1));
        let mut out: Vec<_> = (0..4).map(|_| filled(gpu, 4, 0)).collect();
        let refused = |captured, named| {
            let refused = Error::GraphBuffers { call: LAUNCH, captured, named };
            move |answer: Result| assert_eq!(answer, Err(refused.clone()))
        };
        let graph = gpu
            .capture(&mut stream, |c| {
                out.iter_mut().try_for_each(|out| c.queue().copy(&x, &mut c.hold(out)))
            })
            .unwrap();
        let on = gpu.on(&stream);
        for round in 0..8 {
            let [a, b, c, d] = &mut out[..] else { unreachable!() };
            match round % 4 {
                0 => on.replay(&graph, (&x, &mut *a, &mut *b, &mut *c, &mut *d)),
                1 => on.replay(&graph, (&mut *d, &mut *c, &x, &mut *b, &mut *a)),
                2 => on.replay(&graph, (&mut *b, &x, &mut *a, &mut *d, &mut *c)),
                _ => on.replay(&graph, (&mut *c, &mut *a, &mut *d, &mut *b, &x)),
            }
            .unwrap();
            refused(5, 5)(on.replay(&graph, (&x, &mut *a, &mut *b, &x, &mut *c)));
            refused(5, 5)(on.replay(&graph, (&mut *a, &x, &mut *b, &mut *c, &*d)));
            refused(5, 4)(on.replay(&graph, (&x, &mut *d, &mut *b, &mut *a)));
        }
        out.iter().for_each(|out| assert_eq!(read(gpu, out), [1; 4]));

        let mut y = filled(gpu, 4, 2);
        let one = gpu.capture(&mut stream, |c| c.queue().fill(&mut c.hold(&mut y), 7)).unwrap();
        let on = gpu.on(&stream);
        refused(1, 1)(on.replay(&one, &x));
        refused(1, 1)(on.replay(&one, &y));
        refused(1, 2)(on.replay(&one, (&mut y, &x)));
        refused(1, 2)(on.replay(&one, (&x, &mut y)));
        refused(1, 2)(on.replay(&one, (&y, &y)));
        on.replay(&one, &mut y).unwrap();
        assert_eq!(read(gpu, &y), [7; 4]);
    });
}

#[test]
fn slices_of_buffers_are_named_as_one() {
    const EACH: usize = fewer(20, 3);
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let from: Vec<_> = (0..EACH).map(|i| filled(gpu, 4, i as u32)).collect();
        let mut to: Vec<_> = (0..EACH).map(|_| filled(gpu, 4, 99)).collect();
        let graph = gpu
            .capture(&mut stream, |c| {
                from.iter().zip(&mut to).try_for_each(|(x, y)| c.queue().copy(x, &mut c.hold(y)))
            })
            .unwrap();
        assert_eq!(graph.buffers(), 2 * EACH);
        gpu.on(&stream).replay(&graph, (&from[..], &mut to[..])).unwrap();
        assert!((0..EACH).all(|i| read(gpu, &to[i]) == [i as u32; 4]));
        let short = gpu.on(&stream).replay(&graph, (&from[1..], &mut to[..])).unwrap_err();
        assert_eq!(
            short,
            Error::GraphBuffers { call: LAUNCH, captured: 2 * EACH, named: 2 * EACH - 1 }
        );
        gpu.scope(|s| s.on(&stream).replay(&graph, (&from[..], &mut to[..]))).unwrap();
    });
}

#[test]
fn a_graph_keeps_its_memory_and_its_modules() {
    fresh!(a_graph_keeps_its_memory_and_its_modules, {
        with_gpu(|gpu| {
            let before = live();
            let mut stream = gpu.stream().unwrap();
            let mut out = filled(gpu, 4, 1);
            let mut dropped = filled(gpu, 4, 2);
            let (kernel, copied) = {
                let store = kernel(gpu, STORE, "store");
                let one = LaunchConfig::new(1, 1);
                let kernel = gpu
                    .capture(&mut stream, |c| {
                        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                        unsafe { c.queue().launch(&store, one, (&mut c.hold(&mut out), 9_u32)) }
                    })
                    .unwrap();
                (kernel, copy(gpu, &out, &mut dropped))
            };
            // The function and its module are gone, but for the graph.
            gpu.on(&stream).replay(&kernel, &mut out).unwrap();
            assert_eq!(read(gpu, &out), [9, 1, 1, 1]);

            drop(dropped);
            if common::software() {
                let now = live();
                assert_eq!(now.allocations, before.allocations + 2, "the graph keeps it");
                assert_eq!((now.modules, now.graphs, now.graph_execs), (1, 2, 2));
            }
            // The memory is not handed out again while the graph has it.
            let again = filled(gpu, 4, 5);
            gpu.on(&stream).replay(&copied, &out).unwrap_err();
            drop((copied, kernel));
            drop((again, out, stream));
            if common::software() {
                assert_eq!(live(), before);
            }
        });
    });
}

#[test]
fn a_scope_orders_replays_like_launches() {
    with_gpu(|gpu| {
        let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let (mut x, mut y) = (filled(gpu, LARGE, 1), filled(gpu, LARGE, 2));
        let graph = copy(gpu, &x, &mut y);
        let mut seen = vec![vec![0; LARGE]; fewer(20, 5)];
        gpu.scope(|s| {
            let (a, b, mut x, mut y) = (s.on(&a), s.on(&b), s.hold(&mut x), s.hold(&mut y));
            for (i, seen) in seen.iter_mut().enumerate() {
                a.fill(&mut x, i as u32)?;
                b.replay(&graph, (&x, &mut y))?; // behind the fill
                a.download(&y, seen)?; // behind the replay
            }
            Ok(())
        })
        .unwrap();
        for (i, seen) in seen.iter().enumerate() {
            assert_eq!(*seen, vec![i as u32; LARGE]);
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
                let (q, mut x, mut y, mut z) =
                    (c.queue(), c.hold(&mut x), c.hold(&mut y), c.hold(&mut z));
                q.fill(&mut x, 5)?;
                let side = c.fork(&mut side)?;
                let _idle = c.fork(&mut idle)?;
                side.fill(&mut y, 6)?;
                q.copy(&y, &mut z)?; // behind the other branch
                side.copy(&x, &mut y) // behind the copy
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
                let (q, mut x, mut y) = (c.queue(), c.hold(&mut x), c.hold(&mut y));
                let mut between = c.scratch(4)?;
                q.copy(&x, &mut between)?;
                q.copy(&y, &mut x)?;
                q.copy(&between, &mut y)
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
                c.queue().fill(&mut c.hold(&mut x), 3)?;
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
                    gpu.capture(&mut third, |c| c.queue().fill(&mut c.hold(&mut inner), 8))?;
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
                    c.queue().zero(&mut c.hold(&mut x))?;
                    c.fork(&mut side)?.zero(&mut c.scratch::<u32>(4)?)?;
                    Err(Error::StackTaken)
                })
                .unwrap_err();
            assert_eq!(error, Error::StackTaken);

            let panicked = catch_unwind(AssertUnwindSafe(|| {
                gpu.capture(&mut stream, |c| {
                    c.queue().zero(&mut c.hold(&mut x))?;
                    c.fork(&mut side)?.zero(&mut c.scratch::<u32>(4)?)?;
                    panic!("in the middle")
                })
            }));
            assert!(panicked.is_err());

            // An operation that failed is not left out in silence.
            let error = gpu
                .capture(&mut stream, |c| {
                    let refused = c.queue().copy(&y, &mut c.hold(&mut x));
                    assert!(matches!(refused, Err(Error::LengthMismatch { .. })), "{refused:?}");
                    Ok(())
                })
                .unwrap_err();
            assert!(matches!(error, Error::LengthMismatch { .. }), "{error}");

            // To wait for the context spoils it (F151).
            let error = gpu
                .capture(&mut stream, |c| {
                    c.queue().zero(&mut c.hold(&mut x))?;
                    gpu.synchronize().unwrap_err();
                    Ok(())
                })
                .unwrap_err();
            assert_eq!(error.code(), Some(ffi::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));

            // An impossible launch too (F146).
            let store = kernel(gpu, STORE, "store");
            let error = gpu
                .capture(&mut stream, |c| {
                    let (q, none) = (c.queue(), LaunchConfig::new(0, 1));
                    // SAFETY: the kernel is store(u32 *, u32); it never runs.
                    unsafe { q.launch(&store, none, (&mut c.hold(&mut x), 1_u32)) }
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

#[test]
fn a_graph_that_is_captured_again_names_the_new_buffers() {
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let (x, mut y, mut z) = (filled(gpu, 4, 1), filled(gpu, 4, 2), filled(gpu, 4, 3));
        let mut graph = copy(gpu, &x, &mut y);

        // The same operation on other memory: in place.
        let again = gpu.recapture(&mut graph, &mut stream, |c| {
            c.queue().copy(&x, &mut c.hold(&mut z)) //
        });
        assert_eq!(again, Ok(true));
        gpu.on(&stream).replay(&graph, (&x, &mut y)).unwrap_err();
        gpu.on(&stream).upload_graph(&graph).unwrap();
        gpu.on(&stream).replay(&graph, (&x, &mut z)).unwrap();
        assert_eq!((read(gpu, &y), read(gpu, &z)), (vec![2; 4], vec![1; 4]));

        // Other operations: a new one.
        let again = gpu.recapture(&mut graph, &mut stream, |c| {
            let (q, mut y) = (c.queue(), c.hold(&mut y));
            q.fill(&mut y, 8)?;
            q.copy(&y, &mut c.hold(&mut z))
        });
        assert_eq!(again, Ok(false));
        assert_eq!((graph.nodes().unwrap(), graph.buffers()), (2, 2));

        // A capture that fails leaves the graph as it was.
        let again = gpu.recapture(&mut graph, &mut stream, |_| Err(Error::StackTaken));
        assert_eq!(again, Err(Error::StackTaken));
        gpu.on(&stream).replay(&graph, (&mut y, &mut z)).unwrap();
        assert_eq!((read(gpu, &y), read(gpu, &z)), (vec![8; 4], vec![8; 4]));
    });
}

#[test]
fn an_update_gives_up_what_the_graph_kept() {
    if !common::software() {
        skip!("only the software driver counts what is alive and fails on demand");
    }
    fresh!(an_update_gives_up_what_the_graph_kept, {
        with_gpu(|gpu| {
            let mut stream = gpu.stream().unwrap();
            let (x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
            let mut graph = copy(gpu, &x, &mut filled(gpu, 4, 3));
            assert_eq!(live().allocations, 3, "the graph keeps one");
            let fault = |call| Fault {
                which: Which::Named(call),
                code: ffi::CUDA_ERROR_OUT_OF_MEMORY,
                performed: false,
            };
            let mut again = || {
                gpu.recapture(&mut graph, &mut stream, |c| c.queue().copy(&x, &mut c.hold(&mut y)))
            };
            // Nothing is known of what is left of it: it is lost, and keeps its memory.
            let (failed, _) = with_fault(fault("cuGraphExecUpdate_v2"), &mut again);
            assert_eq!(failed.unwrap_err().call(), Some("cuGraphExecUpdate_v2"));
            assert_eq!((live().allocations, live().graph_execs, live().graphs), (3, 0, 1));

            // It is made anew.
            let (failed, _) = with_fault(fault("cuGraphInstantiateWithFlags"), &mut again);
            assert_eq!(failed.unwrap_err().call(), Some("cuGraphInstantiateWithFlags"));
            assert_eq!(again(), Ok(false));
            assert_eq!((live().allocations, live().graph_execs, live().graphs), (2, 1, 1));
            gpu.on(&stream).replay(&graph, (&x, &mut y)).unwrap();
            assert_eq!(read(gpu, &y), [1; 4]);
        });
    });
}

#[test]
fn a_graph_that_was_lost_is_not_replayed() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let mut graph = gpu.capture(&mut stream, |_| Ok(())).unwrap();
        let fault = Fault {
            which: Which::Named("cuGraphExecUpdate_v2"),
            code: ffi::CUDA_ERROR_OUT_OF_MEMORY,
            performed: false,
        };
        let (failed, _) = with_fault(fault, || gpu.recapture(&mut graph, &mut stream, |_| Ok(())));
        failed.unwrap_err();
        let (answers, calls) = record(|| {
            let on = gpu.on(&stream);
            [on.replay(&graph, ()), on.upload_graph(&graph)]
        });
        assert!(calls.is_empty(), "{calls:?}");
        for answer in answers {
            let error = answer.unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
        }
        gpu.scope(|s| s.on(&stream).replay(&graph, ())).unwrap_err();
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
                    c.queue().fill(&mut y, 3)?;
                    c.fork(&mut side)?.copy(&x, &mut y)
                })
                .unwrap();
            gpu.on(&stream).upload_graph(&graph).unwrap();
            gpu.on(&stream).replay(&graph, (&x, &mut y)).unwrap();
            let again = gpu.recapture(&mut graph, &mut stream, |c| {
                c.queue().copy(&x, &mut c.hold(&mut y)) //
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
fn one_function_runs_captures_and_builds() {
    fn step<'s, 'ctx>(
        q: impl DeviceQueue<'s, 'ctx>,
        store: &Function<'ctx>,
        x: &'s DeviceBuffer<'ctx, u32>,
        (y, z): (&mut Held<'s, u32>, &mut Held<'s, u32>),
    ) -> Result {
        q.copy(x, y)?;
        q.zero(z)?;
        q.fill(&mut *z, 7)?;
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        unsafe { q.launch(store, LaunchConfig::new(1, 1), (&mut *y, 9_u32)) }
    }
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let store = kernel(gpu, STORE, "store");
        let (x, mut y, mut z) = (filled(gpu, 4, 1), filled(gpu, 4, 2), filled(gpu, 4, 3));
        let done = (vec![9, 1, 1, 1], vec![7; 4]);
        gpu.scope(|s| step(s.on(&stream), &store, &x, (&mut s.hold(&mut y), &mut s.hold(&mut z))))
            .unwrap();
        assert_eq!((read(gpu, &y), read(gpu, &z)), done);
        let graph = gpu
            .capture(&mut stream, |c| {
                step(c.queue(), &store, &x, (&mut c.hold(&mut y), &mut c.hold(&mut z)))
            })
            .unwrap();
        let (built, ()) = gpu
            .build_graph(|g| step(g, &store, &x, (&mut g.hold(&mut y), &mut g.hold(&mut z))))
            .unwrap();
        for graph in [&graph, &built] {
            gpu.on(&stream).fill(&mut y, 0).unwrap();
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
                    c.queue().fill(&mut c.hold(&mut x), 3)?;
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
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                gpu.capture(&mut stream, |c| {
                    c.queue().fill(&mut c.hold(&mut x), 4)?;
                    panic!("in the closure")
                })
            }));
            assert!(panicked.is_err());
            assert!(!common::software() || live().streams == before.streams);
            gpu.on(&stream).fill(&mut x, 5).unwrap();
        });
    });
}

/// What is captured in its place has the stream's attributes (`src/graph/taken.rs` compares them), for the calls of
/// C, which another stream takes no more.
#[test]
fn a_stream_that_nothing_else_has_is_captured_itself() {
    with_gpu(|gpu| {
        let (mut stream, mut x) = (gpu.stream().unwrap(), filled(gpu, 4, 1));
        drop(gpu.on(&stream).alloc::<u32>(4).unwrap());
        let (graph, calls) = record(|| {
            gpu.capture(&mut stream, |c| c.queue().fill(&mut c.hold(&mut x), 3)).unwrap()
        });
        assert!(!calls.contains(&"cuStreamCreate"), "{calls:?}");
        gpu.on(&stream).replay(&graph, &mut x).unwrap();
        assert_eq!(read(gpu, &x), [3; 4]);
    });
}

/// Parts may be in use elsewhere, so that one does not stand for the whole.
#[test]
fn a_replay_names_whole_buffers_also_where_parts_were_captured() {
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let (x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let graph = gpu
            .capture(&mut stream, |c| {
                let (mut first, _second) = c.hold(&mut y).split_at(2)?;
                c.queue().copy(x.slice(1..3)?, &mut first)
            })
            .unwrap();
        gpu.scope(|s| {
            let (mut first, mut second) = s.hold(&mut y).split_at(2)?;
            let q = s.on(&stream);
            for part in [&mut first, &mut second] {
                let refused = Error::GraphBuffers { call: LAUNCH, captured: 2, named: 2 };
                assert_eq!(q.replay(&graph, (&x, part)), Err(refused));
            }
            Ok(())
        })
        .unwrap();
        gpu.scope(|s| s.on(&stream).replay(&graph, (&x, &mut s.hold(&mut y)))).unwrap();
        assert_eq!(read(gpu, &y), [1, 1, 2, 2]);
    });
}

#[test]
fn an_empty_capture_is_an_empty_graph() {
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let graph = gpu.capture(&mut stream, |_| Ok(())).unwrap();
        assert_eq!((graph.nodes().unwrap(), graph.edges().unwrap(), graph.buffers()), (0, 0, 0));
        gpu.on(&stream).replay(&graph, ()).unwrap();
    });
}

#[test]
fn a_graph_goes_to_another_thread_with_its_buffers() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let (x, mut y) = (filled(&gpu, 4, 1), filled(&gpu, 4, 2));
    let model = (copy(&gpu, &x, &mut y), x, y).detach();
    gpu.pop().unwrap();
    type Model = (Graph<'static>, DeviceBuffer<'static, u32>, DeviceBuffer<'static, u32>);
    let run = |model: Detached<Model>| -> Result {
        let mut stack = ContextStack::current_thread()?;
        let gpu = stack.push(&context)?;
        let (graph, x, mut y) = gpu.attach(model)?;
        let stream = gpu.stream()?;
        gpu.on(&stream).replay(&graph, (&x, &mut y))?;
        assert_eq!(read(&gpu, &y), [1; 4]);
        Ok(())
    };
    thread::scope(|s| s.spawn(move || run(model)).join().unwrap()).unwrap();
}

#[test]
fn graphs_and_streams_of_another_context_are_refused() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&a).unwrap();
    let graph = gpu.capture(&mut gpu.stream().unwrap(), |_| Ok(())).unwrap().detach();
    gpu.pop().unwrap();
    let gpu = stack.push(&b).unwrap();
    assert_eq!(
        gpu.bind(&graph).err().and_then(|e| e.call()),
        Some("PushedGuard::bind"),
        "compared before it is lent"
    );
}

#[test]
fn a_replay_is_one_call_and_the_wait() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let (x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let (graph, calls) = record(|| {
            gpu.capture(&mut stream, |c| c.queue().copy(&x, &mut c.hold(&mut y))).unwrap()
        });
        assert_eq!(
            calls,
            [
                "cuStreamBeginCapture_v2",
                "cuMemcpyDtoDAsync_v2",
                "cuStreamEndCapture",
                "cuCtxGetCurrent",
                "cuGraphInstantiateWithFlags"
            ]
        );
        let ((), calls) = record(|| gpu.on(&stream).replay(&graph, (&x, &mut y)).unwrap());
        assert_eq!(calls, [LAUNCH, SYNCHRONIZE]);
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let (q, mut y) = (s.on(&stream), s.hold(&mut y));
                (0..3).try_for_each(|_| q.replay(&graph, (&x, &mut y)))
            })
            .unwrap();
        });
        assert_eq!(calls, [LAUNCH, LAUNCH, LAUNCH, SYNCHRONIZE]);
        let ((), calls) = record(|| drop(graph));
        assert_eq!(calls, ["cuGraphExecDestroy", "cuGraphDestroy"]);
    });
}
