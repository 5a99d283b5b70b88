//! Replays: the buffers that they name, their order among other work, their calls.

use super::copy;
use crate::common::fewer;
use crate::common::gpu::{LARGE, filled, new_context, read, with_gpu};
use crate::{common, skip};
use cuscope::{
    ContextStack, Detached, DeviceBuffer, Error, Graph, Result, detached::Branded, graph::Enqueue,
};
use cuscope_softdriver::control::record;
use std::thread;

const SYNCHRONIZE: &str = "cuStreamSynchronize";
const LAUNCH: &str = "cuGraphLaunch";

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
                on.replay(&graph, (&mut x, &y)),
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
        assert!(refused(1).to_string().contains("`&mut y` if the graph writes it"));

        // The same buffers, whatever they are called: in a scope, in slices, in nested tuples.
        gpu.scope(|s| {
            let stream = s.on(&stream);
            assert_eq!(stream.replay(&graph, ()), Err(refused(0)));
            let mut held = s.hold(&mut y);
            assert_eq!(stream.replay(&graph, (&x, &held)), Err(refused(2)));
            stream.replay(&graph, (&x, &mut held))?;
            stream.replay(&graph, ((&x,), ((), &mut held)))
        })
        .unwrap();
        assert_eq!(read(gpu, &y), [1; 4]);
    });
}

/// An exclusive borrow proves more than a shared one. A scope then orders the replay as if it wrote the memory.
#[test]
fn memory_that_a_graph_reads_may_be_lent_exclusively() {
    with_gpu(|gpu| {
        let (mut stream, other) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let (mut x, mut y, mut z) = (filled(gpu, 4, 1), filled(gpu, 4, 2), filled(gpu, 4, 3));
        let graph = copy(gpu, &x, &mut y);
        gpu.on(&stream).replay(&graph, (&mut x, &mut y)).unwrap();
        assert_eq!([read(gpu, &x), read(gpu, &y)], [[1; 4]; 2]);
        gpu.scope(|s| {
            let (one, two) = (s.on(&stream), s.on(&other));
            let (mut x, mut y) = (s.hold(&mut x), s.hold(&mut y));
            two.fill(&mut x, 5)?;
            one.replay(&graph, (&mut x, &mut y))?; // after the fill
            two.fill(&mut x, 6) // after the replay
        })
        .unwrap();
        assert_eq!([read(gpu, &x), read(gpu, &y)], [[6; 4], [5; 4]]);

        // A graph with one buffer, which it reads and writes: only an exclusive borrow will do.
        let fill = gpu.capture(&mut stream, |c| c.stream().fill(&mut c.hold(&mut z), 7)).unwrap();
        assert!(matches!(gpu.on(&stream).replay(&fill, &z), Err(Error::GraphBuffers { .. })));
        // A graph with one buffer, which it reads.
        let reads = gpu.capture(&mut stream, |c| {
            let mut scratch = c.scratch(4)?;
            c.stream().copy(&z, &mut scratch)
        });
        let reads = reads.unwrap();
        gpu.on(&stream).replay(&reads, &z).unwrap();
        gpu.on(&stream).replay(&reads, &mut z).unwrap();
    });
}

/// Its earlier uses are ordered already in a scope of one stream.
#[test]
fn a_scope_of_one_stream_replays_behind_what_it_did_with_the_buffer() {
    with_gpu(|gpu| {
        let (stream, mut captured) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let mut x = filled(gpu, 4, 1);
        let graph = gpu.capture(&mut captured, |c| {
            let (mut low, mut high) = c.hold(&mut x).split_at(2)?;
            c.stream().copy(&low, &mut high)?;
            c.stream().fill(&mut low, 7)
        });
        let (graph, mut host) = (graph.unwrap(), [[0; 4]; 2]);
        let [first, second] = &mut host;
        gpu.scope(|s| {
            let (run, mut x) = (s.on(&stream), s.hold(&mut x));
            run.fill(&mut x, 5)?;
            run.replay(&graph, &mut x)?;
            run.download(&x, first)?;
            run.replay(&graph, &mut x)?;
            run.download(&x, second)
        })
        .unwrap();
        assert_eq!(host, [[7, 7, 5, 5], [7; 4]]);
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
                out.iter_mut().try_for_each(|out| c.stream().copy(&x, &mut c.hold(out)))
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
        let one = gpu.capture(&mut stream, |c| c.stream().fill(&mut c.hold(&mut y), 7)).unwrap();
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
                from.iter().zip(&mut to).try_for_each(|(x, y)| c.stream().copy(x, &mut c.hold(y)))
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
        // Of buffers that lie apart, too.
        to.iter_mut().for_each(|to| gpu.on(&stream).fill(to, 99).unwrap());
        let apart: Vec<_> = to.iter_mut().collect();
        gpu.on(&stream).replay(&graph, (&from[..], apart)).unwrap();
        assert!((0..EACH).all(|i| read(gpu, &to[i]) == [i as u32; 4]));
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
                b.replay(&graph, (&x, &mut y))?; // after the fill
                a.download(&y, seen)?; // after the replay
            }
            Ok(())
        })
        .unwrap();
        for (i, seen) in seen.iter().enumerate() {
            assert_eq!(*seen, vec![i as u32; LARGE]);
        }
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
                c.stream().copy(x.slice(1..3)?, &mut first)
            })
            .unwrap();
        gpu.scope(|s| {
            let (mut first, mut second) = s.hold(&mut y).split_at(2)?;
            let stream = s.on(&stream);
            for part in [&mut first, &mut second] {
                let refused = Error::GraphBuffers { call: LAUNCH, captured: 2, named: 2 };
                assert_eq!(stream.replay(&graph, (&x, part)), Err(refused));
            }
            Ok(())
        })
        .unwrap();
        gpu.scope(|s| s.on(&stream).replay(&graph, (&x, &mut s.hold(&mut y)))).unwrap();
        assert_eq!(read(gpu, &y), [1, 1, 2, 2]);
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
            gpu.capture(&mut stream, |c| c.stream().copy(&x, &mut c.hold(&mut y))).unwrap()
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
                let (stream, mut y) = (s.on(&stream), s.hold(&mut y));
                (0..3).try_for_each(|_| stream.replay(&graph, (&x, &mut y)))
            })
            .unwrap();
        });
        assert_eq!(calls, [LAUNCH, LAUNCH, LAUNCH, SYNCHRONIZE]);
        let ((), calls) = record(|| drop(graph));
        assert_eq!(calls, ["cuGraphExecDestroy", "cuGraphDestroy"]);
    });
}

/// The other memory is in use as the graph would use it, so that nothing has to be ordered.
#[test]
fn a_scope_replays_no_graph_with_other_memory_that_it_has_used() {
    with_gpu(|gpu| {
        let (mut captured, stream) = (gpu.stream().unwrap(), gpu.stream().unwrap());
        let (mut x, mut y) = (filled(gpu, 4, 1), filled(gpu, 4, 2));
        let graph =
            gpu.capture(&mut captured, |c| c.stream().fill(&mut c.hold(&mut x), 7)).unwrap();
        gpu.scope(|s| {
            let (run, mut y) = (s.on(&stream), s.hold(&mut y));
            run.fill(&mut y, 5)?;
            let refused = run.replay(&graph, &mut y).unwrap_err();
            assert!(matches!(refused, Error::GraphBuffers { .. }), "{refused}");
            Ok(())
        })
        .unwrap();
        assert_eq!(read(gpu, &y), [5; 4]);
    });
}

#[test]
fn all_memory_of_a_replay_is_ordered_behind_it() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    with_gpu(|gpu| {
        let (mut captured, a, b) =
            (gpu.stream().unwrap(), gpu.stream().unwrap(), gpu.stream().unwrap());
        let [mut x, mut y, mut z] = [1, 2, 3].map(|value| filled(gpu, 4, value));
        let graph = gpu
            .capture(&mut captured, |c| {
                let (mut x, mut y) = (c.hold(&mut x), c.hold(&mut y));
                c.stream().fill(&mut x, 7)?;
                c.stream().copy(&x, &mut y)
            })
            .unwrap();
        // The other stream comes before the replay, or after it.
        for before in [true, false] {
            let ((), calls) = record(|| {
                gpu.scope(|s| {
                    let [mut x, mut y, mut z] = [&mut x, &mut y, &mut z].map(|one| s.hold(one));
                    let (run, _other) = (s.on(&a), before.then(|| s.on(&b)));
                    run.replay(&graph, (&mut x, &mut y))?;
                    s.on(&b).copy(&x, &mut z)?;
                    s.on(&b).fill(&mut y, 9)
                })
                .unwrap();
            });
            let order = ["cuGraphLaunch", "cuEventRecord", "cuStreamWaitEvent"];
            let ordered: Vec<_> = calls.iter().filter(|call| order.contains(call)).collect();
            // The copy is waited for by nobody here, but its event is recorded.
            assert_eq!(ordered[..3], [&order[0], &order[1], &order[2]], "{before}");
            assert!(!ordered[3..].contains(&&order[2]), "the fill waits again: {ordered:?}");
            assert_eq!((read(gpu, &y), read(gpu, &z)), (vec![9; 4], vec![7; 4]));
        }
    });
}

/// Memory that the scope has not used yet is noted, so that another stream waits for the replay.
#[test]
fn a_replay_that_is_the_first_use_of_its_buffer_is_noted() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    with_gpu(|gpu| {
        let (mut captured, a, b) =
            (gpu.stream().unwrap(), gpu.stream().unwrap(), gpu.stream().unwrap());
        let mut x = filled(gpu, 4, 1);
        let graph =
            gpu.capture(&mut captured, |c| c.stream().fill(&mut c.hold(&mut x), 7)).unwrap();
        let ((), calls) = record(|| {
            gpu.scope(|s| {
                let mut x = s.hold(&mut x);
                s.on(&a).replay(&graph, &mut x)?;
                s.on(&b).fill(&mut x, 9)
            })
            .unwrap();
        });
        let at = |name| calls.iter().position(|call| *call == name);
        let (wait, fill) = (at("cuStreamWaitEvent"), at("cuMemsetD32Async"));
        assert!(wait.is_some() && wait < fill, "{calls:?}");
    });
}
