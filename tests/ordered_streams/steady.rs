//! Work without end takes no more memory of the host or the device than some of it.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::gpu::{kernel, new_context};
use crate::common::kernels::STORE;
use crate::common::{assert_success, fewer, respawn};
use crate::ordered_growth::{bytes, step};
use crate::{alone_under_miri, common, skip};
use cuscope::{Context, ContextStack, LaunchConfig};
use cuscope_softdriver::control::{Live, live};
use std::env::var;
use std::time::Instant;

const LEN: usize = 16;

/// Work whose steps make so many operations, and what runs some steps of it.
type Work =
    (&'static str, usize, fn(&mut ContextStack, &[Context; 2], &mut dyn FnMut(&mut dyn FnMut())));

/// A program that pushes and pops.
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
        unsafe { stream.launch_unchecked(&store, one, (&mut y, 3_u32)) }.unwrap();
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

/// Ordered streams that hand memory to each other, as much in each direction: so neither keeps more and more freed blocks.
fn ordered(stack: &mut ContextStack, [a, _]: &[Context; 2], run: &mut dyn FnMut(&mut dyn FnMut())) {
    let gpu = stack.push(a).unwrap();
    let (one, two) = (gpu.ordered_stream().unwrap(), gpu.ordered_stream().unwrap());
    let mut pinned = Some(gpu.pinned::<u32>(LEN).unwrap());
    run(&mut || {
        let there = pinned.take().map(|pinned| step([&one, &two], pinned));
        pinned = there.map(|pinned| step([&two, &one], pinned));
    });
    assert_eq!(pinned.unwrap()[..2], [1, 2]);
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

const WORK: [Work; 6] = [
    ("pushes and pops", 8, pushes),
    ("handles", 8, handles),
    ("operations that wait", 6, blocking),
    ("scopes", 5, scopes),
    ("ordered streams", 20, ordered),
    ("graphs", 10, graphs),
];

/// How much of the host's memory is in use, and how much of the driver's.
fn used() -> (isize, Live) {
    let live = live(); // before the bytes, as its first call takes some
    (bytes(), live)
}

/// How many KiB of the process are in the host's memory, where the system tells.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// `CUSCOPE_DRIVER=software CUSCOPE_OPERATIONS=10000000 cargo test --release --test ordered_streams steady:: -- --nocapture`
/// makes more of each, and says how much memory they took.
#[test]
fn repeated_work_takes_no_more_memory() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    let test = "repeated_work_takes_no_more_memory";
    alone_under_miri!(test);
    if let Some(output) = respawn(module_path!(), test) {
        assert_success(test, &output);
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let operations = var("CUSCOPE_OPERATIONS")
        .map_or(fewer(common::thorough(100_000), 100), |count| count.parse().expect("a number"));
    let contexts = [new_context(), new_context()];
    let mut stack = ContextStack::current_thread().unwrap();
    for (name, in_a_step, work) in WORK {
        work(&mut stack, &contexts, &mut |step| {
            let mut steps = |count| (0..count).for_each(|_| step());
            steps(fewer(1_000, 10));
            let (resident_before, start) = (resident(), Instant::now());
            let (before, live_before) = used();
            steps(operations / in_a_step);
            let (after, live_after) = used();
            let (resident_after, seconds) = (resident(), start.elapsed().as_secs_f64());
            eprintln!(
                "{name}: {operations} operations in {seconds:.1} s; heap {before} B, then {after} B; resident \
                 {resident_before} KiB, then {resident_after} KiB; {} B of the device, then {} B",
                live_before.bytes, live_after.bytes,
            );
            assert_eq!(live_before, live_after, "{name}");
            assert!(after - before < 16 << 10, "{name}: {} bytes more", after - before);
            // The allocator of the system and that of Miri take pages as they like, but not without end.
            assert!(resident_after < resident_before + fewer(4 << 10, 1 << 20), "{name}");
        });
    }
}
