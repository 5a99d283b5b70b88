//! Captures that are values, and graphs of other code.
#![allow(unsafe_code, reason = "captures launches, and takes graphs over")]

use crate::common::gpu::{kernel, new_context, read, with_gpu, with_stream};
use crate::common::kernels::STORE;
use cuscope::graph::OpenCapture;
use cuscope::{
    Context, Detached, DeviceBuffer, Error, Function, Graph, LaunchConfig, Result, Stream, ffi,
};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

const ONE: fn() -> LaunchConfig = || LaunchConfig::new(1, 1);

/// A server that gets its work in messages, each on a stack of its own.
#[test]
fn a_capture_begins_in_one_message_and_ends_in_another() {
    enum Message {
        Begin,
        Fill(u32),
        Store(u32),
        End,
    }
    struct Server {
        context: Context,
        stream: Detached<Stream<'static>>,
        store: Detached<Function<'static>>,
        x: Detached<DeviceBuffer<'static, u32>>,
        open: Option<OpenCapture>,
        graph: Option<Detached<Graph<'static>>>,
    }
    impl Server {
        fn receive(&mut self, message: Message) -> Result {
            let Server { context, stream, store, x, open, graph } = self;
            let capturing = "a capture is open";
            context.with(|gpu| {
                match message {
                    Message::Begin => *open = Some(gpu.open_capture(gpu.bind(stream)?)?),
                    Message::Fill(value) => {
                        let capture = open.as_ref().expect(capturing).on(gpu)?;
                        capture.fill(gpu.bind_mut(x)?, value)?;
                    }
                    Message::Store(value) => {
                        let capture = open.as_ref().expect(capturing).on(gpu)?;
                        // SAFETY: the kernel is store(u32 *, u32): one element.
                        unsafe {
                            capture.launch_unchecked(
                                gpu.bind(store)?,
                                ONE(),
                                (gpu.bind_mut(x)?, value),
                            )
                        }?;
                    }
                    Message::End => {
                        *graph = Some(open.take().expect(capturing).finish(gpu)?.detach());
                    }
                }
                Ok(())
            })
        }
    }
    let context = new_context();
    let (stream, store, x) = context
        .with(|gpu| {
            let store = gpu.load_ptx(STORE)?.function("store")?;
            Ok((gpu.stream()?.detach(), store.detach(), gpu.alloc(4)?.detach()))
        })
        .unwrap();
    let (send, messages) = mpsc::channel();
    let server = Server { context, stream, store, x, open: None, graph: None };
    let server = thread::spawn(move || {
        let mut server = server;
        for message in messages {
            server.receive(message).unwrap();
        }
        server
    });
    for message in [Message::Begin, Message::Fill(3), Message::Store(8), Message::End] {
        send.send(message).unwrap();
    }
    drop(send);
    let Server { context, stream, store, mut x, graph, .. } = server.join().unwrap();
    let graph = graph.expect("it was captured");
    drop(store); // the graph keeps the kernel's module
    context
        .with(|gpu| {
            let (graph, on) = (gpu.bind(&graph)?, gpu.on(gpu.bind(&stream)?));
            on.zero(gpu.bind_mut(&mut x)?)?;
            assert_eq!((graph.nodes()?, graph.buffers()), (2, 1));
            on.replay(graph, gpu.bind_mut(&mut x)?)?;
            assert_eq!(on.to_vec(gpu.bind(&x)?)?, [8, 3, 3, 3]);
            // A replay passes the buffers, as that of any graph.
            let refused = on.replay(graph, ()).unwrap_err();
            assert!(matches!(refused, Error::GraphBuffers { captured: 1, named: 0, .. }));
            Ok(())
        })
        .unwrap();
}

/// The graph has a share of its memory, as one that a closure captured.
#[test]
fn the_graph_keeps_what_it_uses() {
    with_stream(|gpu, stream| {
        let capture = gpu.open_capture(&stream).unwrap();
        let (x, mut y) = (gpu.alloc::<u32>(4).unwrap(), gpu.alloc::<u32>(4).unwrap());
        let on = capture.on(gpu).unwrap();
        on.copy(&x, &mut y).unwrap();
        let (capture_text, on_text) = (format!("{capture:?}"), format!("{on:?}"));
        assert!(capture_text.starts_with("OpenCapture("), "{capture_text}");
        assert!(on_text.starts_with("OpenCaptureStream("), "{on_text}");
        let graph = capture.finish(gpu).unwrap();
        drop((x, y));
        assert_eq!(graph.buffers(), 2);
        let other = gpu.alloc::<u32>(4).unwrap();
        let mut to = gpu.alloc::<u32>(4).unwrap();
        let refused = gpu.on(&stream).replay(&graph, (&other, &mut to)).unwrap_err();
        assert!(matches!(refused, Error::GraphBuffers { .. }), "the memory is another: {refused}");
    });
}

#[test]
fn memory_by_its_address_is_not_passed_to_replays() {
    with_stream(|gpu, stream| {
        let store = kernel(gpu, STORE, "store");
        let page = gpu.on(&stream).zeroed::<u32>(8).unwrap();
        let capture = gpu.open_capture(&stream).unwrap();
        let on = capture.on(gpu).unwrap();
        // SAFETY: 1. and 2. Parts of the page, which outlives the graph, and which nothing uses during a replay.
        let mut part = unsafe { gpu.device_range::<u32>(page.address(), 2) }.unwrap();
        on.fill(&mut part, 6).unwrap();
        let (mut address, mut value) = (page.address() + 8, 7_u32);
        let mut pointers: [*mut c_void; 2] = [(&raw mut address).cast(), (&raw mut value).cast()];
        // SAFETY: 1. to 3. The kernel is store(u32 *, u32): one element of the page.
        unsafe { on.launch_raw(&store, ONE(), &mut pointers) }.unwrap();
        (address, value) = (0, 0); // the values were read
        let _ = (address, value);
        let graph = capture.finish(gpu).unwrap();
        assert_eq!((graph.buffers(), graph.nodes().unwrap()), (0, 2));
        assert_eq!(read(gpu, &page), [0; 8], "nothing ran yet");
        gpu.on(&stream).replay(&graph, ()).unwrap();
        assert_eq!(read(gpu, &page), [6, 6, 7, 0, 0, 0, 0, 0]);
    });
}

#[test]
fn the_streams_of_the_program_work_on_meanwhile() {
    with_stream(|gpu, stream| {
        let mut x = gpu.alloc::<u32>(4).unwrap();
        let capture = gpu.open_capture(&stream).unwrap();
        assert_ne!(capture.raw(), stream.raw());
        assert_eq!(capture.context(), gpu.context());
        gpu.on(&stream).fill(&mut x, 2).unwrap();
        assert_eq!(read(gpu, &x), [2; 4]);
        drop(gpu.on(&stream).alloc::<u32>(4).unwrap());
        capture.on(gpu).unwrap().zero(&mut x).unwrap();
        let graph = capture.finish(gpu).unwrap();
        assert_eq!(read(gpu, &x), [2; 4], "the capture ran nothing");
        gpu.on(&stream).replay(&graph, &mut x).unwrap();
        assert_eq!(read(gpu, &x), [0; 4]);
    });
}

#[test]
fn a_capture_that_is_dropped_makes_no_graph_and_leaves_nothing() {
    let context = new_context();
    context
        .with(|gpu| {
            let (stream, mut x) = (gpu.stream()?, gpu.alloc::<u32>(4)?);
            let capture = gpu.open_capture(&stream)?;
            capture.on(gpu)?.fill(&mut x, 1)?;
            drop(x);
            thread::spawn(move || drop(capture)).join().unwrap();
            gpu.synchronize()
        })
        .unwrap();
    context.try_destroy().expect("nothing is left").unwrap();
}

#[test]
fn an_operation_that_fails_makes_the_capture_fail() {
    with_stream(|gpu, stream| {
        let capture = gpu.open_capture(&stream).unwrap();
        let on = capture.on(gpu).unwrap();
        let (x, mut y) = (gpu.alloc::<u32>(4).unwrap(), gpu.alloc::<u32>(3).unwrap());
        let failed = on.copy(&x, &mut y).unwrap_err();
        assert!(matches!(failed, Error::LengthMismatch { .. }));
        assert_eq!(capture.finish(gpu).unwrap_err(), failed);

        let capture = gpu.open_capture(&stream).unwrap();
        let on = capture.on(gpu).unwrap();
        let store = kernel(gpu, STORE, "store");
        let mut pinned = gpu.pinned::<u32>(1).unwrap();
        // SAFETY: the kernel is store(u32 *, u32): one element.
        let failed =
            unsafe { on.launch_unchecked(&store, ONE(), (&mut pinned, 1_u32)) }.unwrap_err();
        assert!(failed.to_string().contains("a graph cannot use host memory"), "{failed}");
        let event = gpu.event().unwrap();
        let records = ONE().extended().programmatic_event(&event, true);
        // SAFETY: as above.
        let events = unsafe { on.launch_unchecked(&store, records, (&mut y, 1_u32)) }.unwrap_err();
        assert!(events.to_string().contains("cannot record events"), "{events}");
        assert_eq!(capture.finish(gpu).unwrap_err(), failed, "the first one");
    });
}

#[test]
fn a_guard_of_another_context_is_refused() {
    let (a, b) = (new_context(), new_context());
    let capture = a.with(|gpu| gpu.open_capture(&gpu.stream()?)).unwrap();
    b.with(|gpu| {
        assert!(matches!(capture.on(gpu).unwrap_err(), Error::OtherContext { .. }));
        let mut status = ffi::CU_STREAM_CAPTURE_STATUS_NONE;
        // SAFETY: 1. and 2. The stream is alive, and `status` is valid for one value.
        unsafe { cuscope::call!(cuStreamIsCapturing(capture.raw(), &raw mut status)) }?;
        assert_eq!(status, ffi::CU_STREAM_CAPTURE_STATUS_ACTIVE, "it is the one that captures");
        let refused = capture.finish(gpu).unwrap_err();
        assert_eq!(refused, Error::OtherContext { call: "cuStreamEndCapture" });
        Ok(())
    })
    .unwrap();
    a.try_destroy().expect("the capture is over").unwrap();
}

/// Drops a flag of its own.
struct Told(Arc<AtomicBool>);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_graph_of_other_code_is_taken_over_with_what_it_uses() {
    with_gpu(|gpu| {
        let stream = gpu.stream().unwrap();
        let x = gpu.on(&stream).zeroed::<u32>(4).unwrap();
        let dropped = Arc::new(AtomicBool::new(false));
        let mut raw = std::ptr::null_mut();
        let mode = ffi::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: a capture of other code, on a stream that lives, as in the next two calls.
        unsafe { cuscope::call!(cuStreamBeginCapture_v2(stream.raw(), mode)) }.unwrap();
        // SAFETY: as above.
        unsafe { cuscope::call!(cuMemsetD32Async(x.address(), 9, 4, stream.raw())) }.unwrap();
        // SAFETY: as above.
        unsafe { cuscope::call!(cuStreamEndCapture(stream.raw(), &raw mut raw)) }.unwrap();
        // SAFETY: 1. to 4. Nothing else has the graph, the buffer lives longer, and the flag drops anywhere.
        let graph = unsafe { gpu.graph_from_raw(raw, Told(dropped.clone())) }.unwrap();
        gpu.on(&stream).replay(&graph, ()).unwrap();
        assert_eq!(read(gpu, &x), [9; 4]);
        assert!(!dropped.load(Ordering::Relaxed));
        drop(graph);
        assert!(dropped.load(Ordering::Relaxed));

        let dropped = Arc::new(AtomicBool::new(false));
        // SAFETY: 1. Null.
        let none = unsafe { gpu.graph_from_raw(std::ptr::null_mut(), Told(dropped.clone())) };
        assert!(matches!(none.unwrap_err(), Error::InvalidArgument { .. }));
        assert!(dropped.load(Ordering::Relaxed), "with the error");
    });
}
