//! Memory that belongs to a stream. By hand, code makes the same calls, and keeps the same blocks.

use super::rows::{COPY, DOWNLOAD, FILL, LAUNCH, UPLOAD, WAIT, ZERO};
use super::table::Table;
use crate::common::gpu::kernel;
use crate::common::kernels::STORE;
use cuscope::ordered::OrderedOptions;
use cuscope::{LaunchConfig, MemoryPool, OrderedStream, PushedGuard};
use cuscope_softdriver::control::record;

const ALLOC: &str = "cuMemAllocAsync";
const FREE: &str = "cuMemFreeAsync";
const RECORD: &str = "cuEventRecord";
const BEHIND: &str = "cuStreamWaitEvent";

/// A stream that keeps no blocks.
fn bare<'ctx>(gpu: &PushedGuard<'ctx>) -> OrderedStream {
    let options = OrderedOptions::new().keep(0).staging(0);
    gpu.ordered_stream_with(gpu.stream().unwrap(), &options).unwrap()
}

pub(crate) fn ordered(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Streams that own the order of their memory");
    create(t, gpu);
    let ordered = &bare(gpu);
    let mut x = t.row("OrderedStream::alloc", &[ALLOC], || ordered.alloc::<u32>(16)).unwrap();
    let mut y = ordered.zeroed::<u32>(16).unwrap();
    t.row("OrderedStream::alloc_pitched", &[ALLOC, FREE], || {
        ordered.alloc_pitched::<u32>((4, 2)).map(drop)
    })
    .unwrap();
    t.row("OrderedStream::zeroed", &[ALLOC, ZERO, FREE], || ordered.zeroed::<u32>(16).map(drop))
        .unwrap();
    t.row("OrderedStream::zero", &[ZERO], || ordered.zero(&mut x)).unwrap();
    t.row("OrderedStream::fill", &[FILL], || ordered.fill(&mut x, 1)).unwrap();
    t.row("OrderedStream::copy", &[COPY], || ordered.copy(&x, &mut y)).unwrap();
    let store = &kernel(gpu, STORE, "store");
    let one = LaunchConfig::new(1, 1);
    // SAFETY: the kernel is store(u32 *, u32) and writes one element.
    let launched = || unsafe { ordered.launch_unchecked(store, one, (&mut x, 1_u32)) };
    t.row("OrderedStream::launch_unchecked", &[LAUNCH], launched).unwrap();
    let module = gpu.load_guarded(STORE).unwrap();
    let guarded = module.kernel::<(&mut [u32], u32)>("store").unwrap();
    t.row("OrderedStream::launch, of a GuardedKernel", &[LAUNCH], || {
        ordered.launch(&guarded, one, (&mut x, 1))
    })
    .unwrap();
    let listed = module.function("store").unwrap();
    let mut list = t.row("GuardedFunction::arguments", &[], || listed.arguments());
    list.push(&mut x).unwrap().push(1_u32).unwrap();
    t.row("OrderedStream::launch, of a GuardedFunction", &[LAUNCH], || {
        ordered.launch(&listed, one, list)
    })
    .unwrap();
    t.row("OrderedStream::download", &[DOWNLOAD, WAIT], || ordered.download(&x, &mut [0; 16]))
        .unwrap();
    t.row("OrderedStream::to_vec", &[DOWNLOAD, WAIT], || ordered.to_vec(&x)).unwrap();
    drop(ordered.to_vec_later(&x).unwrap());
    let mut later = t
        .row("OrderedStream::to_vec_later", &[DOWNLOAD, RECORD], || ordered.to_vec_later(&x))
        .unwrap();
    t.row("PendingVec::try_get", &["cuEventQuery"], || later.try_get()).unwrap();
    let later = ordered.to_vec_later(&x).unwrap();
    t.row("PendingVec::wait", &["cuEventSynchronize"], || later.wait()).unwrap();
    t.row("OrderedStream::duplicate", &[ALLOC, COPY, FREE], || ordered.duplicate(&x).map(drop))
        .unwrap();
    t.row("OrderedStream::query", &["cuStreamQuery"], || ordered.query()).unwrap();
    t.row("OrderedStream::upload, without staging memory", &[UPLOAD, WAIT], || {
        ordered.upload(&[1; 16], &mut x)
    })
    .unwrap();
    let staged = gpu.ordered_stream().unwrap();
    let mut z = staged.alloc::<u32>(16).unwrap();
    t.row("OrderedStream::upload", &[UPLOAD], || staged.upload(&[1; 16], &mut z)).unwrap();
    t.row("OrderedBuffer, dropped", &[FREE], || drop(y));
    t.row("a step: OrderedStream::alloc, launch, dropped", &[ALLOC, LAUNCH, FREE], || {
        let mut x = ordered.alloc::<u32>(16).unwrap();
        // SAFETY: as above.
        unsafe { ordered.launch_unchecked(store, one, (&mut x, 1_u32)) }.unwrap();
    });
    drop(staged.alloc::<u32>(16).unwrap());
    t.row("a step with kept blocks: OrderedStream::alloc, launch, dropped", &[LAUNCH], || {
        let mut x = staged.alloc::<u32>(16).unwrap();
        // SAFETY: as above.
        unsafe { staged.launch_unchecked(store, one, (&mut x, 1_u32)) }.unwrap();
    });
    let event = gpu.event().unwrap();
    t.row("OrderedStream::record", &[RECORD], || ordered.record(&event)).unwrap();
    t.row("OrderedStream::wait", &[BEHIND], || ordered.wait(&event)).unwrap();
    t.row("OrderedStream::synchronize", &[WAIT], || ordered.synchronize()).unwrap();
    t.row("OrderedStream::host_function", &["cuLaunchHostFunc"], || ordered.host_function(|| ()))
        .unwrap();
    // SAFETY: 1. to 3. of `foreign`: there is no work.
    t.row("OrderedStream::foreign", &[], || unsafe { ordered.foreign((&mut x,), |_, _| ()) })
        .unwrap();
    streams(t, gpu, ordered);
    owned(t, gpu, ordered);
}

fn create(t: &mut Table, gpu: &PushedGuard<'_>) {
    let pool = MemoryPool::create(gpu.device()).unwrap();
    let options = OrderedOptions::new().pool(&pool).staging(0);
    let events = vec!["cuEventCreate"; 16];
    let (stream, looks) = (gpu.stream().unwrap(), "looks at the current context for each");
    let here: Vec<_> = events.iter().flat_map(|&event| ["cuCtxGetCurrent", event]).collect();
    let kept = t
        .unlike(
            "PushedGuard::ordered_stream_with, without staging memory",
            &events,
            &here,
            looks,
            || gpu.ordered_stream_with(stream, &options),
        )
        .unwrap();
    let mut by_hand = [&["cuStreamCreate"], &events[..]].concat();
    by_hand.extend(["cuMemHostRegister_v2", "cuMemHostGetDevicePointer_v2"]);
    by_hand.extend(["cuEventCreate"; 4]);
    let here: Vec<_> = by_hand.iter().flat_map(|&call| ["cuCtxGetCurrent", call]).collect();
    let ordered = t
        .unlike("PushedGuard::ordered_stream", &by_hand, &here, looks, || gpu.ordered_stream())
        .unwrap();
    let (context, pushes) = (gpu.context(), "is pushed, and looks at the current context for each");
    let pushed =
        [&["cuCtxGetCurrent", "cuCtxPushCurrent_v2"], &here[..], &["cuCtxPopCurrent_v2"]].concat();
    t.unlike("Context::ordered_stream", &by_hand, &pushed, pushes, || context.ordered_stream())
        .unwrap();
    let with = || context.ordered_stream_with(&OrderedOptions::new());
    t.unlike("Context::ordered_stream_with", &by_hand, &pushed, pushes, with).unwrap();
    let mut ends = vec!["cuStreamDestroy_v2"];
    ends.extend(["cuEventDestroy_v2"; 20]);
    let (_, calls) = record(|| drop(ordered));
    assert!(!calls.contains(&WAIT), "nothing was uploaded: {calls:?}");
    drop(kept.alloc::<u8>(1000).unwrap());
    t.row("OrderedStream::trim", &[FREE], || kept.trim(0));
    drop(kept.alloc::<u8>(1000).unwrap());
    t.row("OrderedStream::keep", &[FREE], || kept.keep(0));
    t.row("OrderedStream::alloc, from a pool", &["cuMemAllocFromPoolAsync", FREE], || {
        kept.alloc::<u8>(1000).map(drop)
    })
    .unwrap();
}

/// Memory in several streams.
fn streams<'ctx>(t: &mut Table, gpu: &PushedGuard<'ctx>, ordered: &OrderedStream) {
    let other = bare(gpu);
    let x = ordered.zeroed::<u32>(16).unwrap();
    let x = t.row("OrderedStream::hand_over", &[RECORD, BEHIND], || other.hand_over(x)).unwrap();
    let x = t.row("OrderedBuffer::share", &[], || x.share());
    let mut y = ordered.alloc::<u32>(16).unwrap();
    t.row("SharedBuffer, first read of another stream", &[RECORD, BEHIND, COPY], || {
        ordered.copy(&x, &mut y)
    })
    .unwrap();
    t.row("SharedBuffer, later reads", &[COPY], || ordered.copy(&x, &mut y)).unwrap();
    let x = t.row("SharedBuffer::try_unwrap", &[RECORD, BEHIND], || x.try_unwrap()).unwrap();
    let x = x.share();
    ordered.copy(&x, &mut y).unwrap();
    t.row("SharedBuffer, dropped", &[RECORD, BEHIND, FREE], || drop(x));
    let idle = t.row("OrderedStream::into_idle", &[WAIT], || y.into_idle(gpu)).unwrap();
    let y = t.row("OrderedStream::adopt", &[], || ordered.adopt(idle)).unwrap();
    let mut y = y;
    let mut stream = gpu.stream().unwrap();
    let graph = gpu
        .capture(&mut stream, |c| {
            c.stream().fill(&mut t.row("Capture::hold_ordered", &[], || c.hold_ordered(&mut y)), 1)
        })
        .unwrap();
    t.row("OrderedStream::replay", &["cuGraphLaunch"], || ordered.replay(&graph, &mut y)).unwrap();
    t.row("Graph::is_idle", &["cuStreamQuery"], || graph.is_idle()).unwrap();
    ordered.replay(&graph, &mut y).unwrap();
    t.row("Graph::wait_idle", &[WAIT], || graph.wait_idle()).unwrap();
    ordered.replay(&graph, &mut y).unwrap();
    let ends = [WAIT, "cuGraphExecDestroy", "cuGraphDestroy"];
    t.row("Graph, dropped (after OrderedStream::replay)", &ends, || drop(graph));
    let calls = ["cuEventCreate", RECORD, BEHIND, FILL, WAIT, WAIT, "cuEventDestroy_v2"];
    t.row("Scope::hold_ordered, with a fill in another stream", &calls, || {
        gpu.scope(|s| s.on(&stream).fill(&mut s.hold_ordered(&mut y)?, 1))
    })
    .unwrap();
}

/// Host memory that moves into operations.
fn owned<'ctx>(t: &mut Table, gpu: &PushedGuard<'ctx>, ordered: &OrderedStream) {
    let mut x = ordered.zeroed::<u32>(16).unwrap();
    let (up, down) = (gpu.pinned::<u32>(16).unwrap(), gpu.pinned::<u32>(16).unwrap());
    let up = t
        .row("OrderedStream::upload_owned", &[UPLOAD, RECORD], || ordered.upload_owned(up, &mut x));
    let down = t.row("OrderedStream::download_owned", &[DOWNLOAD, RECORD], || {
        ordered.download_owned(&x, down)
    });
    let mut down = down.unwrap();
    t.row("Pending::wait", &["cuEventSynchronize"], || up.unwrap().wait()).unwrap();
    ordered.synchronize().unwrap();
    t.row("Pending::try_get", &["cuEventQuery"], || down.try_get()).unwrap().unwrap();
}
