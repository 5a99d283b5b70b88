//! Ordered streams that live shortly, and what they have read, replayed or signalled, which lives on: it lets go of them.
#![allow(unsafe_code, reason = "launches kernels")]

use crate::common::fewer;
use crate::common::gpu::{kernel, new_context, new_context_on, with_gpu};
use crate::common::random::scheduled;
use crate::{common, fresh, skip};
use cuscope::texture::{ArrayFlags, ArrayShape, Sampling, SharedTexture};
use cuscope::{
    ContextStack, Device, Graph, LaunchConfig, OrderedBuffer, OrderedStream, PushedGuard, Result,
    SharedBuffer, ffi,
};
use cuscope_softdriver::control::{live, record, take_races};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use cuscope_softdriver::schedule;
use std::sync::mpsc::{Sender, channel};
use std::thread;

const LEN: usize = 16;
/// As much as a stream keeps of a block that is freed.
const KEPT: usize = 1 << 20;

/// Takes two parameters, and uses neither.
const NOTHING: &str = "
.version 7.0
.target sm_60
.address_size 64
.visible .entry nothing(.param .u64 image, .param .u64 out) { ret; }
";

/// The objects that short-lived streams use.
struct Lasting<'ctx> {
    shared: SharedBuffer<u32>,
    texture: SharedTexture,
    nothing: cuscope::Function<'ctx>,
    graph: Graph<'ctx>,
    /// The buffer that the graph writes, which goes from stream to stream.
    named: Option<OrderedBuffer<u32>>,
    _loader: OrderedStream,
}

fn lasting<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<Lasting<'ctx>> {
    let (loader, mut stream) = (gpu.ordered_stream()?, gpu.stream()?);
    let shared = loader.from_slice(&[7; LEN])?.share();
    let array = gpu.alloc_array::<f32>(ArrayShape::D1 { width: LEN }, ArrayFlags::empty())?;
    let texture = gpu.texture(array, Sampling::default())?.share();
    let mut named = loader.zeroed::<u32>(LEN)?;
    let graph =
        gpu.capture(&mut stream, |c| c.stream().fill(&mut c.hold_ordered(&mut named), 3))?;
    let nothing = kernel(gpu, NOTHING, "nothing");
    Ok(Lasting { shared, texture, nothing, graph, named: Some(named), _loader: loader })
}

/// A use of something by a stream.
type Use = for<'ctx> fn(&OrderedStream, &mut Lasting<'ctx>) -> Result;

const USES: [(&str, Use); 4] = [
    ("shared memory", |ordered, lasting| ordered.copy(&lasting.shared, &mut ordered.alloc(LEN)?)),
    ("shared memory, as a peer", |ordered, lasting| {
        ordered.copy_from_peer(&lasting.shared, &mut ordered.alloc(LEN)?)
    }),
    ("a shared texture", |ordered, lasting| {
        let mut out = ordered.alloc::<f32>(1)?;
        let args = (&lasting.texture, &mut out);
        // SAFETY: the kernel is nothing(texture, float *).
        unsafe { ordered.launch_unchecked(&lasting.nothing, LaunchConfig::new(1, 1), args) }
    }),
    ("a graph", |ordered, lasting| {
        let named = lasting.named.take().expect("it comes back");
        let mut named = ordered.hand_over(named)?;
        ordered.replay(&lasting.graph, &mut named)?;
        lasting.named = Some(lasting._loader.hand_over(named)?);
        Ok(())
    }),
];

/// A stream that lives shortly: it frees a large block, which it keeps, and uses what lasts.
fn visit<'ctx>(ordered: OrderedStream, lasting: &mut Lasting<'ctx>, uses: Use) -> Result {
    drop(ordered.alloc::<u8>(KEPT)?);
    uses(&ordered, lasting)?;
    assert!(ordered.usage().kept >= KEPT);
    ordered.synchronize()
}

/// Constant from the second stream on: the last one stays until the next one comes, without what it kept.
#[test]
fn streams_that_come_and_go_leave_nothing_with_what_they_use() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(streams_that_come_and_go_leave_nothing_with_what_they_use, {
        with_gpu(|gpu| {
            for (what, uses) in USES {
                let mut lasting = lasting(gpu).unwrap();
                let start = live();
                visit(gpu.ordered_stream().unwrap(), &mut lasting, uses).unwrap();
                let before = live();
                assert!(before.bytes < start.bytes + KEPT, "{what}: what was kept is freed");
                assert_eq!(before.streams, start.streams + 1, "{what}");
                for _ in 0..fewer(400, 5) {
                    visit(gpu.ordered_stream().unwrap(), &mut lasting, uses).unwrap();
                    assert_eq!(live(), before, "{what}");
                }
                // Many at once. The next one that comes makes them go.
                for _ in 0..2 {
                    let all: Vec<_> =
                        (0..fewer(20, 3)).map(|_| gpu.ordered_stream().unwrap()).collect();
                    all.iter().for_each(|ordered| uses(ordered, &mut lasting).unwrap());
                    all.iter().for_each(|ordered| ordered.synchronize().unwrap());
                    drop(all);
                    visit(gpu.ordered_stream().unwrap(), &mut lasting, uses).unwrap();
                    assert_eq!(live(), before, "{what}, many at once");
                }
            }
        });
    });
}

/// Streams of another context, of another device if there is one, which copy shared memory.
#[test]
fn streams_of_another_context_that_come_and_go_leave_nothing() {
    if !common::software() {
        skip!("only the software driver counts what is alive");
    }
    fresh!(streams_of_another_context_that_come_and_go_leave_nothing, {
        let devices = Device::all().unwrap();
        let contexts = [devices[0], devices[devices.len() - 1]].map(new_context_on);
        let mut stack = ContextStack::current_thread().unwrap();
        let mut outer = stack.push(&contexts[0]).unwrap();
        let loader = outer.ordered_stream().unwrap();
        let shared = loader.from_slice(&[7_u32; LEN]).unwrap().share();
        let gpu = outer.push(&contexts[1]).unwrap();
        let visit = || {
            let ordered = gpu.ordered_stream().unwrap();
            drop(ordered.alloc::<u8>(KEPT).unwrap());
            let mut copy = ordered.alloc(LEN).unwrap();
            ordered.copy_from_peer(&shared, &mut copy).unwrap();
            assert_eq!(ordered.to_vec(&copy).unwrap(), [7; LEN]);
        };
        visit();
        let before = live();
        for _ in 0..fewer(400, 5) {
            visit();
            assert_eq!(live(), before);
        }
        drop(shared);
        assert_eq!(live().streams, before.streams - 1, "the last owner lets go of all");
    });
}

/// Keeps a stream busy until something is sent or the sender is gone.
fn gate(ordered: &OrderedStream) -> Sender<()> {
    let (open, opened) = channel::<()>();
    ordered.host_function(move || opened.recv().unwrap_or_default()).unwrap();
    open
}

/// A stream that waits for nothing when it is dropped: the end of page-locked memory waits for its context.
fn without_staging<'ctx>(gpu: &PushedGuard<'ctx>) -> OrderedStream {
    let options = cuscope::ordered::OrderedOptions::new().staging(0);
    gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap()
}

/// A stream that is dropped while it is busy stays until it is idle, and the one that comes meanwhile does not wait. One
/// that cannot be asked stays, too.
#[test]
fn a_stream_that_is_dropped_while_it_is_busy_stays_until_it_is_idle() {
    if !common::software() {
        skip!("only the software driver counts what is alive, and fails on demand");
    }
    fresh!(a_stream_that_is_dropped_while_it_is_busy_stays_until_it_is_idle, {
        with_gpu(|gpu| {
            for (what, uses) in USES {
                // A graph is replayed in one stream after the other: the next run waits for this one.
                if what == "a graph" {
                    continue;
                }
                let mut lasting = lasting(gpu).unwrap();
                let start = live().streams;
                let busy = without_staging(gpu);
                let open = gate(&busy);
                uses(&busy, &mut lasting).unwrap();
                drop(busy);
                for _ in 0..3 {
                    visit(without_staging(gpu), &mut lasting, uses).unwrap();
                    assert_eq!(live().streams, start + 2, "{what}: the busy one, and the last");
                }
                drop(open);
                lasting._loader.synchronize().unwrap();
                let code = ffi::CUDA_ERROR_UNKNOWN;
                let fault = Fault { which: Which::Named("cuStreamQuery"), code, performed: false };
                let (visited, _) =
                    with_fault(fault, || visit(without_staging(gpu), &mut lasting, uses));
                assert_eq!(visited, Ok(()), "{what}: the use does not fail with the question");
                assert_eq!(live().streams, start + 3, "{what}: who cannot be asked stays");
                while live().streams > start + 1 {
                    visit(without_staging(gpu), &mut lasting, uses).unwrap();
                }
            }
        });
    });
}

/// The stream that is gone may still run the graph when the graph ends: it is waited for.
#[test]
fn a_graph_waits_for_a_dropped_stream_that_runs_it() {
    with_gpu(|gpu| {
        let mut lasting = lasting(gpu).unwrap();
        let busy = without_staging(gpu);
        let open = gate(&busy);
        let mut named = busy.hand_over(lasting.named.take().unwrap()).unwrap();
        busy.replay(&lasting.graph, &mut named).unwrap();
        drop(busy);
        assert_eq!(lasting.graph.is_idle(), Ok(false));
        // Another stream replays it after that one.
        let other = without_staging(gpu);
        let mut named = other.hand_over(named).unwrap();
        other.replay(&lasting.graph, &mut named).unwrap();
        assert_eq!(lasting.graph.is_idle(), Ok(false));
        drop(open);
        lasting.graph.wait_idle().unwrap();
        assert_eq!(lasting.graph.is_idle(), Ok(true));
        assert_eq!(other.to_vec(&named).unwrap(), [3; LEN]);
    });
}

/// A wait that fails proves nothing: the graph still knows the streams that run it.
#[test]
fn a_wait_that_failed_forgets_no_stream_that_runs_a_graph() {
    if !common::software() {
        skip!("only the software driver fails on demand");
    }
    fresh!(a_wait_that_failed_forgets_no_stream_that_runs_a_graph, {
        with_gpu(|gpu| {
            let streams = [without_staging(gpu), without_staging(gpu)];
            let mut captured = gpu.stream().unwrap();
            let mut scratch = streams[0].zeroed::<u32>(LEN).unwrap();
            let graph = gpu
                .capture(&mut captured, |c| c.stream().fill(&mut c.hold_ordered(&mut scratch), 3));
            let mut graph = graph.unwrap();
            let node = graph.list_nodes().unwrap()[0];
            let opens = streams.each_ref().map(gate);
            streams[0].replay(&graph, &mut scratch).unwrap();
            let mut scratch = streams[1].hand_over(scratch).unwrap();
            streams[1].replay(&graph, &mut scratch).unwrap();
            let failing = |call| {
                let code = ffi::CUDA_ERROR_UNKNOWN;
                Fault { which: Which::Named(call), code, performed: false }
            };
            let wait = failing("cuStreamSynchronize");
            for _ in 0..2 {
                let (waited, calls) = with_fault(wait, || graph.wait_idle());
                assert_eq!((waited.is_err(), calls.len()), (true, 1));
                assert_eq!(graph.is_idle(), Ok(false));
                let (changed, _) = with_fault(wait, || graph.set_enabled(node, false));
                assert!(changed.is_err());
                assert_eq!(graph.is_idle(), Ok(false));
                let (asked, _) = with_fault(failing("cuStreamQuery"), || graph.is_idle());
                assert!(asked.is_err());
                assert_eq!(graph.is_idle(), Ok(false));
            }
            drop(opens);
            // Each of the two is waited for, and then no more.
            let (waited, calls) = record(|| graph.wait_idle());
            assert_eq!((waited, calls), (Ok(()), vec!["cuStreamSynchronize"; 2]));
            let (idle, calls) = record(|| graph.is_idle());
            assert_eq!((idle, calls), (Ok(true), vec![]));
            assert_eq!(streams[1].to_vec(&scratch).unwrap(), [3; LEN]);
        });
    });
}

/// Threads whose streams come and go read what other threads drop, in orders that the software driver chooses: no use
/// races with the free.
#[test]
fn threads_come_and_go_with_streams_that_read_what_others_drop() {
    fresh!(threads_come_and_go_with_streams_that_read_what_others_drop, {
        let contexts = [new_context(), new_context()];
        for seed in 0..fewer(common::thorough(50), 2) as u64 {
            scheduled(seed);
            let before = common::software().then(live);
            {
                let mut stack = ContextStack::current_thread().unwrap();
                let gpu = stack.push(&contexts[0]).unwrap();
                let loader = without_staging(&gpu);
                let shared = loader.from_slice(&[7_u32; LEN]).unwrap().share();
                thread::scope(|threads| {
                    for number in 0..3 {
                        let (shared, context) = (shared.clone(), &contexts[number % 2]);
                        threads.spawn(move || {
                            scheduled(seed);
                            let mut stack = ContextStack::current_thread().unwrap();
                            let gpu = stack.push(context).unwrap();
                            for _ in 0..fewer(6, 2) {
                                let ordered = without_staging(&gpu);
                                let mut copy = ordered.alloc(LEN).unwrap();
                                ordered.copy_from_peer(&shared, &mut copy).unwrap();
                                assert_eq!(ordered.to_vec(&copy).unwrap(), [7; LEN]);
                                // In flight when the stream ends.
                                ordered.copy_from_peer(&shared, &mut copy).unwrap();
                            }
                        });
                    }
                    drop(shared);
                });
                // Its memory may be used again by now.
                loader.synchronize().unwrap();
                drop(loader.zeroed::<u32>(LEN).unwrap());
            }
            if let Some(before) = before {
                assert_eq!(take_races(), []);
                assert_eq!(live(), before);
            }
        }
        if common::software() {
            schedule::stop();
        }
    });
}
