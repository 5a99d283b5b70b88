//! Graphs: captured, replayed, looked at.

use super::rows::{COPY, FILL, LAUNCH, WAIT, ZERO};
use super::table::Table;
use crate::common::gpu::kernel;
use crate::common::kernels::STORE;
use cuscope::{LaunchConfig, PushedGuard};

pub(crate) fn graphs(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Graphs");
    let store = &kernel(gpu, STORE, "store");
    let (mut stream, mut side) = (gpu.stream().unwrap(), gpu.stream().unwrap());
    let (x, mut y) = (gpu.alloc::<u32>(16).unwrap(), gpu.alloc::<u32>(16).unwrap());
    // A function of a table that a capture fills must not be called while another one runs.
    let mut captured = Table::default();
    let mut graph = t
        .row(
            "PushedGuard::capture, empty",
            &["cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuGraphInstantiateWithFlags"],
            || gpu.capture(&mut stream, |_| Ok(())),
        )
        .unwrap();
    let number = gpu.stream_value(0_u32).unwrap();
    let (write, event) = (&["cuStreamBatchMemOp_v2"], gpu.event().unwrap());
    let _numbers = gpu
        .capture(&mut stream, |c| {
            let stream = c.stream();
            captured.row("CaptureStream::record", &["cuEventRecordWithFlags"], || {
                stream.record(&event)
            })?;
            captured.row("CaptureStream::wait", &["cuStreamWaitEvent"], || stream.wait(&event))?;
            captured.row("CaptureStream::value_operations", write, || {
                stream.value_operations(&[number.write(1)])
            })
        })
        .unwrap();
    let guarded = gpu.load_guarded(STORE).unwrap().kernel::<(&mut [u32], u32)>("store").unwrap();
    let both = gpu.capture(&mut stream, |c| {
        let (stream, mut y) = (c.stream(), c.hold(&mut y));
        captured.row("CaptureStream::copy", &[COPY], || stream.copy(&x, &mut y))?;
        captured.row("CaptureStream::fill", &[FILL], || stream.fill(&mut y, 1))?;
        captured.row("CaptureStream::zero", &[ZERO], || stream.zero(&mut y))?;
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        captured.row("CaptureStream::launch_unchecked", &[LAUNCH], || unsafe {
            stream.launch_unchecked(store, LaunchConfig::new(1, 1), (&mut y, 1_u32))
        })
    });
    let replayed = both.unwrap();
    let _ = gpu
        .capture(&mut stream, |c| {
            let (stream, mut y) = (c.stream(), c.hold(&mut y));
            captured.row("CaptureStream::launch, of a GuardedKernel", &[LAUNCH], || {
                stream.launch(&guarded, LaunchConfig::new(1, 1), (&mut y, 1_u32))
            })
        })
        .unwrap();
    let _ = gpu
        .capture(&mut stream, |c| {
            captured
                .row("Capture::scratch", &["cuMemAlloc_v2"], || c.scratch::<u32>(16).map(drop))?;
            let waits = ["cuEventCreate", "cuEventRecord", "cuStreamWaitEvent"];
            captured.row("Capture::fork", &waits, || c.fork(&mut side).map(drop))
        })
        .unwrap();
    t.append(captured);
    let ordered = gpu.on(&side).alloc::<u32>(16).unwrap();
    let _ = t
        .unlike(
            "PushedGuard::capture, on a stream with a buffer",
            &["cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuGraphInstantiateWithFlags"],
            &[
                "cuStreamCreate",
                "cuStreamCopyAttributes",
                "cuStreamBeginCapture_v2",
                "cuStreamEndCapture",
                "cuStreamDestroy_v2",
                "cuGraphInstantiateWithFlags",
            ],
            "captures a similar stream: this one would also capture the free of the buffer",
            || gpu.capture(&mut side, |_| Ok(())),
        )
        .unwrap();
    drop(ordered);
    t.row(
        "PushedGuard::recapture, same nodes",
        &[
            "cuStreamBeginCapture_v2",
            "cuStreamEndCapture",
            "cuGraphExecUpdate_v2",
            "cuGraphDestroy",
        ],
        || gpu.recapture(&mut graph, &mut stream, |_| Ok(())),
    )
    .unwrap();
    let (begin, end) = ("cuStreamBeginCapture_v2", "cuStreamEndCapture");
    let definition = t
        .row("PushedGuard::capture_definition, empty", &[begin, end], || {
            gpu.capture_definition(&mut stream, |_| Ok(()))
        })
        .unwrap();
    let _graph = t
        .row("GraphDefinition::into_graph", &["cuGraphInstantiateWithFlags"], || {
            definition.into_graph(gpu)
        })
        .unwrap();
    t.row("Graph::why_replaced, in place", &[], || graph.why_replaced()).unwrap();
    t.row("Graph::nodes", &["cuGraphGetNodes"], || replayed.nodes()).unwrap();
    t.row("Graph::edges", &["cuGraphGetEdges"], || replayed.edges()).unwrap();
    // By hand the number is asked for first, and then the nodes.
    let all: Vec<&str> =
        ["cuGraphGetNodes"; 2].into_iter().chain(["cuGraphNodeGetType"; 4]).collect();
    t.row("Graph::list_nodes, 4 nodes", &all, || replayed.list_nodes()).unwrap();
    let on = gpu.on(&stream);
    t.row("SyncStream::upload_graph", &["cuGraphUpload", WAIT], || on.upload_graph(&replayed))
        .unwrap();
    t.row("SyncStream::replay", &["cuGraphLaunch", WAIT], || on.replay(&replayed, (&x, &mut y)))
        .unwrap();
    gpu.scope(|s| {
        t.row("ScopedStream::replay_alone", &["cuGraphLaunch"], || {
            s.on(&stream).replay_alone(&mut graph, ())
        })
    })
    .unwrap();
    gpu.scope(|s| {
        let (stream, mut y) = (s.on(&stream), s.hold(&mut y));
        t.row("ScopedStream::replay", &["cuGraphLaunch"], || stream.replay(&replayed, (&x, &mut y)))
    })
    .unwrap();
    t.row("Graph, dropped", &["cuGraphExecDestroy", "cuGraphDestroy"], || drop(replayed));
}
