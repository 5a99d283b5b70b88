//! Work without end takes no more memory of the host or the device than some of it.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::fewer;
use crate::common::gpu::{kernel, new_context};
use crate::common::kernels::STORE;
use crate::ordered_growth::bytes;
use crate::{common, fresh, skip};
use cuscope::{Context, ContextStack, LaunchConfig};
use cuscope_softdriver::control::{Live, live};
use std::env::var;

const LEN: usize = 16;

/// Work whose steps make so many operations, and what runs some steps of it.
type Work =
    (&'static str, usize, fn(&mut ContextStack, &[Context; 2], &mut dyn FnMut(&mut dyn FnMut())));

/// What pushes and pops.
fn pushes(stack: &mut ContextStack, [a, b]: &[Context; 2], run: &mut dyn FnMut(&mut dyn FnMut())) {
    run(&mut || {
        let mut gpu = stack.push(a).unwrap();
        gpu.push(b).unwrap().pop().unwrap();
        drop(gpu.push(a).unwrap());
        b.with(|gpu| gpu.synchronize()).unwrap();
        gpu.pop().unwrap();
    });
}

/// Handles and memory that come and go, also detached.
fn handles(stack: &mut ContextStack, [a, _]: &[Context; 2], run: &mut dyn FnMut(&mut dyn FnMut())) {
    let gpu = stack.push(a).unwrap();
    run(&mut || {
        let stream = gpu.attach(gpu.stream().unwrap().detach()).unwrap();
        let buffer = gpu.on(&stream).zeroed::<u32>(LEN).unwrap();
        drop(gpu.attach(gpu.event().unwrap().detach()).unwrap());
        drop((gpu.alloc::<u32>(LEN).unwrap(), gpu.pinned::<u32>(LEN).unwrap()));
        drop((stream, buffer));
        drop(kernel(&gpu, STORE, "store"));
    });
}

/// Operations that wait.
fn blocking(
    stack: &mut ContextStack,
    [a, _]: &[Context; 2],
    run: &mut dyn FnMut(&mut dyn FnMut()),
) {
    let gpu = stack.push(a).unwrap();
    let (stream, event, store) =
        (gpu.stream().unwrap(), gpu.event().unwrap(), kernel(&gpu, STORE, "store"));
    let (mut x, mut y) = (gpu.alloc::<u32>(LEN).unwrap(), gpu.alloc::<u32>(LEN).unwrap());
    let (mut host, one) = ([1; LEN], LaunchConfig::new(1, 1));
    run(&mut || {
        let stream = gpu.on(&stream);
        stream.upload(&host, &mut x).unwrap();
        stream.copy(&x, &mut y).unwrap();
        stream.fill(&mut y, 2).unwrap();
        // SAFETY: the kernel is store(unsigned *, unsigned), and writes one element.
        unsafe { stream.launch(&store, one, (&mut y, 3_u32)) }.unwrap();
        stream.record(&event).unwrap();
        stream.download(&y, &mut host).unwrap();
    });
    assert_eq!(host[..2], [3, 2]);
}

/// Scopes of two streams.
fn scopes(stack: &mut ContextStack, [a, _]: &[Context; 2], run: &mut dyn FnMut(&mut dyn FnMut())) {
    let gpu = stack.push(a).unwrap();
    let [one, two] = [(); 2].map(|()| gpu.stream().unwrap());
    let (mut x, mut y) = (gpu.alloc::<u32>(LEN).unwrap(), gpu.alloc::<u32>(LEN).unwrap());
    let mut host = [0; LEN];
    run(&mut || {
        let (x, y, host) = (&mut x, &mut y, &mut host);
        gpu.scope(|scope| {
            let (one, two) = (scope.on(&one), scope.on(&two));
            let (mut x, mut y) = (scope.hold(x), scope.hold(y));
            one.fill(&mut x, 4)?;
            two.copy(&x, &mut y)?;
            one.fill(&mut x, 5)?;
            two.download(&y, host)
        })
        .unwrap();
    });
    assert_eq!(host, [4; LEN]);
}

/// Replays, changes of a node, and graphs that are built and dropped.
fn graphs(stack: &mut ContextStack, [a, _]: &[Context; 2], run: &mut dyn FnMut(&mut dyn FnMut())) {
    let gpu = stack.push(a).unwrap();
    let (mut captured, stream) = (gpu.stream().unwrap(), gpu.stream().unwrap());
    let mut x = gpu.alloc::<u32>(LEN).unwrap();
    run(&mut || {
        let fill = |value, x: &mut _, captured: &mut _| {
            gpu.capture(captured, |c| c.stream().fill(&mut c.hold(x), value)).unwrap()
        };
        let graph = fill(6, &mut x, &mut captured);
        for _ in 0..8 {
            gpu.on(&stream).replay(&graph, (&mut x,)).unwrap();
        }
        drop(gpu.build_graph(|g| g.host_function(&[], || {})).unwrap());
    });
    assert_eq!(gpu.on(&stream).to_vec(&x).unwrap(), [6; LEN]);
}

const WORK: [Work; 5] = [
    ("pushes and pops", 8, pushes),
    ("handles", 8, handles),
    ("operations that wait", 6, blocking),
    ("scopes", 5, scopes),
    ("graphs", 10, graphs),
];

/// How much of the host's and the device's memory is in use.
fn used() -> (isize, Live) {
    (bytes(), live())
}

/// `CUSCOPE_OPERATIONS=10000000 cargo test --release --test ordered_streams steady::` makes more.
#[test]
fn what_is_done_again_and_again_takes_no_more_memory() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(what_is_done_again_and_again_takes_no_more_memory, {
        let operations = var("CUSCOPE_OPERATIONS")
            .map_or(fewer(100_000, 100), |count| count.parse().expect("a number"));
        let contexts = [new_context(), new_context()];
        let mut stack = ContextStack::current_thread().unwrap();
        for (name, in_a_step, work) in WORK {
            work(&mut stack, &contexts, &mut |step| {
                let mut steps = |count| (0..count).for_each(|_| step());
                steps(fewer(1_000, 10));
                let (before, live_before) = used();
                steps(operations / in_a_step);
                let (after, live_after) = used();
                assert_eq!(live_before, live_after, "{name}");
                assert!(after - before < 64 << 10, "{name}: {} bytes more", after - before);
            });
        }
    });
}
