//! Objects that a graph keeps, gives up when it is captured again, and loses.

use super::copy;
use crate::common::gpu::{filled, kernel, read, with_gpu};
use crate::common::kernels::STORE;
use crate::{common, fresh, skip};
use cuscope::{Error, LaunchConfig, ffi, graph::Difference, graph::Enqueue, memory::PoolUsage};
use cuscope_softdriver::control::{live, record};
use cuscope_softdriver::faults::{Fault, Which, with_fault};

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
                        unsafe {
                            c.stream().launch_unchecked(&store, one, (&mut c.hold(&mut out), 9_u32))
                        }
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
fn a_graph_that_is_captured_again_names_the_new_buffers() {
    with_gpu(|gpu| {
        let mut stream = gpu.stream().unwrap();
        let (x, mut y, mut z) = (filled(gpu, 4, 1), filled(gpu, 4, 2), filled(gpu, 4, 3));
        let mut graph = copy(gpu, &x, &mut y);

        // The same operation on other memory: in place.
        let again = gpu.recapture(&mut graph, &mut stream, |c| {
            c.stream().copy(&x, &mut c.hold(&mut z)) //
        });
        assert_eq!(again, Ok(true));
        gpu.on(&stream).replay(&graph, (&x, &mut y)).unwrap_err();
        gpu.on(&stream).upload_graph(&graph).unwrap();
        gpu.on(&stream).replay(&graph, (&x, &mut z)).unwrap();
        assert_eq!((read(gpu, &y), read(gpu, &z)), (vec![2; 4], vec![1; 4]));

        // Other operations: a new one.
        let again = gpu.recapture(&mut graph, &mut stream, |c| {
            let (stream, mut y) = (c.stream(), c.hold(&mut y));
            stream.fill(&mut y, 8)?;
            stream.copy(&y, &mut c.hold(&mut z))
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
                gpu.recapture(&mut graph, &mut stream, |c| c.stream().copy(&x, &mut c.hold(&mut y)))
            };
            // Nothing is known of what is left of it: it is lost, and keeps its memory.
            let (failed, _) = with_fault(fault("cuGraphExecUpdate_v2"), &mut again);
            assert_eq!(failed.unwrap_err().call(), Some("cuGraphExecUpdate_v2"));
            assert_eq!((live().allocations, live().graph_execs, live().graphs), (3, 0, 1));

            // It is made anew.
            let (failed, _) = with_fault(fault("cuGraphInstantiateWithFlags"), &mut again);
            assert_eq!(failed.unwrap_err().call(), Some("cuGraphInstantiateWithFlags"));
            assert_eq!(again(), Ok(false));
            let why = graph.why_replaced().unwrap().unwrap();
            assert_eq!(why.difference(), Difference::Lost);
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

#[test]
fn memory_of_graphs_is_told_and_given_back() {
    fresh!(memory_of_graphs_is_told_and_given_back, {
        with_gpu(|gpu| {
            let device = gpu.device();
            assert_eq!(device.graph_memory(), Ok(PoolUsage::default()));
            let mut out = filled(gpu, 4, 1);
            let graph = gpu.build_graph(|g| {
                let (mut memory, _) = g.alloc::<u32>(&[], 4)?;
                let mut out = g.hold(&mut out);
                g.fill(&[], &mut memory, 6)?;
                g.copy(&[], &memory, &mut out)?;
                g.free(&[], memory)
            });
            let (graph, _) = graph.unwrap();
            let stream = gpu.stream().unwrap();
            gpu.on(&stream).replay(&graph, &mut out).unwrap();
            assert_eq!(read(gpu, &out), [6; 4]);
            let usage = device.graph_memory().unwrap();
            assert!(usage.used >= 16 && usage.used_high >= 16, "{usage:?}");
            assert!(usage.reserved >= usage.used, "{usage:?}");
            drop(graph);
            device.trim_graph_memory().unwrap();
            let high = device.graph_memory().unwrap();
            assert_eq!((high.reserved, high.used), (0, 0));
            let before = (usage.reserved_high, usage.used_high);
            assert_eq!((high.reserved_high, high.used_high), before);
            assert!(high.reserved_high >= high.used_high && high.used_high >= 16, "{high:?}");
            device.reset_graph_memory_high_marks().unwrap();
            assert_eq!(device.graph_memory(), Ok(PoolUsage::default()));
        });
    });
}
