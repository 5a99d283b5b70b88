//! The cost of an operation in a graph of many: no more than in one of few, in this crate and in the software
//! driver.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{kernel, with_gpu};
use crate::common::kernels::STORE;
use crate::common::system::processor_time;
use crate::{common, fresh, skip};
use cuscope::{DeviceBuffer, Graph, LaunchConfig, PushedGuard, graph::GraphBuffers};
use std::time::Duration;

/// How long each step took.
type Times = Vec<(&'static str, Duration)>;

/// Makes a graph with so many operations and uses it up.
type Case = fn(&PushedGuard<'_>, usize, &mut Times);

const CASES: [(&str, Case); 9] = [
    ("capture that writes", capture_that_writes),
    ("capture that reads", capture_that_reads),
    ("capture of two streams", capture_of_two_streams),
    ("chain of copies", chain_of_copies),
    ("reads of one buffer", reads_of_one_buffer),
    ("fills", fills),
    ("kernels", kernels),
    ("allocations", allocations),
    ("child graphs", child_graphs),
];

fn timed<R>(times: &mut Times, what: &'static str, f: impl FnOnce() -> R) -> R {
    let start = processor_time();
    let result = f();
    times.push((what, processor_time() - start));
    result
}

fn buffers<'ctx>(gpu: &PushedGuard<'ctx>, n: usize) -> Vec<DeviceBuffer<'ctx, u32>> {
    (0..n).map(|_| gpu.alloc(1).unwrap()).collect()
}

/// All that is done with a graph but for changes.
fn use_up<'ctx>(
    gpu: &PushedGuard<'ctx>,
    graph: Graph<'ctx>,
    names: impl GraphBuffers<'ctx>,
    times: &mut Times,
) {
    let stream = gpu.stream().unwrap();
    timed(times, "replay", || gpu.on(&stream).replay(&graph, names)).unwrap();
    timed(times, "edges", || graph.edges()).unwrap();
    timed(times, "list", || graph.list_nodes()).unwrap();
    // A graph whose nodes allocate has no copy.
    if let Ok(copy) = timed(times, "clone", || graph.try_clone(gpu)) {
        drop(copy);
    }
    timed(times, "drop", || drop(graph));
}

fn capture_that_writes(gpu: &PushedGuard<'_>, n: usize, times: &mut Times) {
    let (mut stream, mut all) = (gpu.stream().unwrap(), buffers(gpu, n));
    let graph = timed(times, "make", || {
        gpu.capture(&mut stream, |c| {
            all.iter_mut().try_for_each(|one| c.stream().fill(&mut c.hold(one), 1))
        })
    });
    let mut graph = graph.unwrap();
    let again = timed(times, "update", || {
        gpu.recapture(&mut graph, &mut stream, |c| {
            all.iter_mut().try_for_each(|one| c.stream().fill(&mut c.hold(one), 2))
        })
    });
    assert!(again.unwrap());
    use_up(gpu, graph, &mut all[..], times);
}

fn capture_that_reads(gpu: &PushedGuard<'_>, n: usize, times: &mut Times) {
    let (mut stream, all) = (gpu.stream().unwrap(), buffers(gpu, n));
    let mut to = gpu.alloc::<u32>(1).unwrap();
    let graph = timed(times, "make", || {
        gpu.capture(&mut stream, |c| {
            let mut to = c.hold(&mut to);
            all.iter().try_for_each(|one| c.stream().copy(one, &mut to))
        })
    });
    use_up(gpu, graph.unwrap(), (&all[..], &mut to), times);
}

fn capture_of_two_streams(gpu: &PushedGuard<'_>, n: usize, times: &mut Times) {
    let (mut stream, mut fork) = (gpu.stream().unwrap(), gpu.stream().unwrap());
    let mut all = buffers(gpu, n);
    let graph = timed(times, "make", || {
        gpu.capture(&mut stream, |c| {
            let (a, b) = (c.stream(), c.fork(&mut fork)?);
            for one in &mut all {
                let mut one = c.hold(one);
                a.fill(&mut one, 1)?;
                b.fill(&mut one, 2)?;
            }
            Ok(())
        })
    });
    use_up(gpu, graph.unwrap(), &mut all[..], times);
}

fn chain_of_copies(gpu: &PushedGuard<'_>, n: usize, times: &mut Times) {
    let (mut first, mut all) = (gpu.alloc::<u32>(1).unwrap(), buffers(gpu, n));
    let graph = timed(times, "make", || {
        gpu.build_graph(|g| {
            let mut from = g.hold(&mut first);
            g.fill(&[], &mut from, 1)?;
            for one in &mut all {
                let mut to = g.hold(one);
                g.copy(&[], &from, &mut to)?;
                from = to;
            }
            Ok(())
        })
    });
    use_up(gpu, graph.unwrap().0, (&mut first, &mut all[..]), times);
}

fn reads_of_one_buffer(gpu: &PushedGuard<'_>, n: usize, times: &mut Times) {
    let (mut from, mut all) = (gpu.alloc::<u32>(1).unwrap(), buffers(gpu, n));
    let graph = timed(times, "make", || {
        gpu.build_graph(|g| {
            let mut from = g.hold(&mut from);
            all.iter_mut().try_for_each(|one| g.copy(&[], &from, &mut g.hold(one)).map(drop))?;
            g.fill(&[], &mut from, 1)
        })
    });
    use_up(gpu, graph.unwrap().0, (&mut from, &mut all[..]), times);
}

fn fills(gpu: &PushedGuard<'_>, n: usize, times: &mut Times) {
    let mut all = buffers(gpu, n);
    let graph = timed(times, "make", || {
        gpu.build_graph(|g| {
            all.iter_mut()
                .map(|one| g.fill(&[], &mut g.hold(one), 1))
                .collect::<Result<Vec<_>, _>>()
        })
    });
    let (mut graph, nodes) = graph.unwrap();
    let set =
        timed(times, "set", || nodes.iter().try_for_each(|&node| graph.set_fill(node, 2_u32)));
    set.unwrap();
    let switched = timed(times, "switch", || {
        nodes.iter().try_for_each(|&node| graph.set_enabled(node, false))
    });
    switched.unwrap();
    let again = timed(times, "update", || {
        gpu.rebuild_graph(&mut graph, |g| {
            all.iter_mut().try_for_each(|one| g.fill(&[], &mut g.hold(one), 1).map(drop))
        })
    });
    assert!(again.unwrap().0);
    use_up(gpu, graph, &mut all[..], times);
}

fn kernels(gpu: &PushedGuard<'_>, n: usize, times: &mut Times) {
    let store = kernel(gpu, STORE, "store");
    let (one, mut all) = (LaunchConfig::new(1, 1), buffers(gpu, n));
    let graph = timed(times, "make", || {
        gpu.build_graph(|g| {
            let node = |x| {
                // SAFETY: the kernel is store(u32 *, u32) and writes one element.
                unsafe { g.kernel_unchecked(&[], &store, one, (&mut g.hold(x), 1_u32)) }
            };
            all.iter_mut().map(node).collect::<Result<Vec<_>, _>>()
        })
    });
    let (mut graph, nodes) = graph.unwrap();
    let set = timed(times, "set", || {
        nodes.iter().zip(&mut all).try_for_each(|(&node, x)| {
            // SAFETY: as above.
            unsafe { gpu.set_kernel_unchecked(&mut graph, node, &store, one, (x, 2_u32)) }
        })
    });
    set.unwrap();
    use_up(gpu, graph, &mut all[..], times);
}

fn allocations(gpu: &PushedGuard<'_>, n: usize, times: &mut Times) {
    let graph = timed(times, "make", || {
        gpu.build_graph(|g| {
            let mut all = Vec::new();
            for _ in 0..n {
                let (mut memory, _) = g.alloc::<u32>(&[], 1)?;
                g.fill(&[], &mut memory, 1)?;
                all.push(memory);
            }
            // The others are freed at the end.
            all.drain(n / 2..).try_for_each(|memory| g.free(&[], memory).map(drop))
        })
    });
    use_up(gpu, graph.unwrap().0, (), times);
}

fn child_graphs(gpu: &PushedGuard<'_>, n: usize, times: &mut Times) {
    let mut x = gpu.alloc::<u32>(1).unwrap();
    let (child, _) = gpu.build_graph(|g| g.fill(&[], &mut g.hold(&mut x), 1)).unwrap();
    let graph = timed(times, "make", || {
        gpu.build_graph(|g| {
            let mut x = g.hold(&mut x);
            (0..n).try_for_each(|_| g.child(&[], &child, &mut x).map(drop))
        })
    });
    use_up(gpu, graph.unwrap().0, &mut x, times);
}

/// How long each step of a case takes with so many operations.
fn run(case: Case, n: usize) -> Times {
    let mut times = Times::new();
    with_gpu(|gpu| case(gpu, n, &mut times));
    times
}

fn micros_each(time: Duration, n: usize) -> f64 {
    time.as_secs_f64() * 1e6 / n as f64
}

/// Where an operation looks through what was there before, it costs 20 times as much, or is on the way there.
#[test]
fn an_operation_costs_the_same_in_a_large_graph() {
    fresh!(an_operation_costs_the_same_in_a_large_graph, {
        const FEW: usize = 1_000;
        const MANY: usize = 20_000;
        /// The caches of the processor hold the small graph alone, and other processes run too.
        const MOST: f64 = 8.0;
        /// Below that the caches are all that is seen.
        const LEAST: f64 = 3.0;
        if !common::software() {
            skip!("measures the software driver too, not a GPU's");
        }
        for (name, case) in CASES {
            let (mut few, mut many) = (run(case, FEW), run(case, MANY));
            let mut again = 0;
            let slow = loop {
                let slow = few.iter().zip(&many).find_map(|(&(step, few), &(_, many))| {
                    let (few, many) = (micros_each(few, FEW), micros_each(many, MANY));
                    (many > MOST * few.max(LEAST)).then_some((step, few, many))
                });
                if slow.is_none() || again == 4 {
                    break slow;
                }
                // The shortest of each counts.
                for (best, n) in [(&mut few, FEW), (&mut many, MANY)] {
                    best.iter_mut()
                        .zip(run(case, n))
                        .for_each(|(best, now)| best.1 = best.1.min(now.1));
                }
                again += 1;
            };
            if let Some((step, few, many)) = slow {
                panic!("{name}, {step}: {few:.2} us each of {FEW}, {many:.2} us each of {MANY}");
            }
        }
    });
}

/// `cargo test --release --test scopes_and_graphs growth:: -- --ignored --nocapture`
#[test]
#[ignore = "prints what an operation costs in graphs of 1000 to 100000"]
fn measure() {
    const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
    for (name, case) in CASES {
        eprintln!("{name}: microseconds for each of {SIZES:?}");
        let times = SIZES.map(|n| run(case, n));
        for (i, (step, _)) in times[0].iter().enumerate() {
            eprint!("  {step:>8}");
            for (times, n) in times.iter().zip(SIZES) {
                eprint!("{:>12.2}", micros_each(times[i].1, n));
            }
            eprintln!();
        }
    }
}
