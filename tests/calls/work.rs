//! Work on streams, that is waited for or belongs to a scope.

use super::rows::{COPY, DOWNLOAD, FILL, LAUNCH, UPLOAD, WAIT, ZERO};
use super::table::Table;
use crate::common::gpu::kernel;
use crate::common::kernels::STORE;
use cuscope::{Function, LaunchConfig, PushedGuard};

pub(crate) fn work(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Copies and launches");
    let stream = gpu.stream().unwrap();
    let on = gpu.on(&stream);
    let store = kernel(gpu, STORE, "store");
    let (mut x, mut y) = (gpu.alloc::<u32>(16).unwrap(), gpu.alloc::<u32>(16).unwrap());
    let (data, mut back) = ([7; 16], [0; 16]);
    t.row("OnStream::upload", &[UPLOAD, WAIT], || on.upload(&data, &mut x)).unwrap();
    t.row("OnStream::download", &[DOWNLOAD, WAIT], || on.download(&x, &mut back)).unwrap();
    t.row("OnStream::copy", &[COPY, WAIT], || on.copy(&x, &mut y)).unwrap();
    t.row("OnStream::fill", &[FILL, WAIT], || on.fill(&mut x, 1)).unwrap();
    // SAFETY: waited for below, before anything else uses it.
    t.row("OnStream::fill_unscoped", &[FILL], || unsafe { on.fill_unscoped(&mut x, 1) }).unwrap();
    t.row("OnStream::zero", &[ZERO, WAIT], || on.zero(&mut x)).unwrap();
    let one = LaunchConfig::new(1, 1);
    // SAFETY: the kernel is store(u32 *, u32) and writes one element.
    t.row("OnStream::launch", &[LAUNCH, WAIT], || unsafe {
        on.launch(&store, one, (&mut x, 1_u32))
    })
    .unwrap();
    // SAFETY: as above, and the stream is synchronized before anything else uses the buffer.
    t.row("OnStream::launch_unscoped", &[LAUNCH], || unsafe {
        on.launch_unscoped(&store, one, (&mut x, 1_u32))
    })
    .unwrap();
    stream.synchronize().unwrap();
    scopes(t, gpu, &store);
    default_stream(t, gpu, &store);
}

fn scopes<'ctx>(t: &mut Table, gpu: &PushedGuard<'ctx>, store: &Function<'ctx>) {
    t.heading("In a scope");
    let stream = gpu.stream().unwrap();
    let (mut x, y) = (gpu.alloc::<u32>(16).unwrap(), gpu.alloc::<u32>(16).unwrap());
    let (data, mut staged, mut back) = ([7; 16], [0; 16], [0; 16]);
    let event = gpu.event().unwrap();
    t.row("PushedGuard::scope, with nothing on a queue", &[], || gpu.scope(|_| Ok(()))).unwrap();
    t.row("PushedGuard::scope, with one upload", &[UPLOAD, WAIT], || {
        gpu.scope(|s| s.on(&stream).upload(&data, &mut s.hold(&mut x)))
    })
    .unwrap();
    let mut pinned = gpu.pinned::<u32>(16).unwrap();
    gpu.scope(|s| {
        let (q, mut x, mut staged) = (s.on(&stream), s.hold(&mut x), s.stage(&mut staged));
        t.row("Queue::upload", &[UPLOAD], || q.upload(&data, &mut x))?;
        t.row("Queue::upload_staged", &[UPLOAD], || q.upload_staged(&staged, &mut x))?;
        t.row("Staged::access", &[WAIT], || staged.access().map(drop))?;
        t.row("Queue::download_staged", &[DOWNLOAD], || q.download_staged(&x, &mut staged))?;
        t.row("Queue::copy", &[COPY], || q.copy(&y, &mut x))?;
        t.row("Queue::fill", &[FILL], || q.fill(&mut x, 1))?;
        t.row("Queue::zero", &[ZERO], || q.zero(&mut x))?;
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        t.row("Queue::launch", &[LAUNCH], || unsafe {
            q.launch(store, LaunchConfig::new(1, 1), (&mut x, 1_u32))
        })?;
        t.row("Queue::download", &[DOWNLOAD], || q.download(&x, &mut back))?;
        t.row("Queue::record", &["cuEventRecord"], || q.record(&event))?;
        t.row("Queue::wait", &["cuStreamWaitEvent"], || q.wait(&event))?;
        t.row("Queue::query", &["cuStreamQuery"], || q.query())?;
        t.row("Queue::synchronize", &[WAIT], || q.synchronize())?;
        t.row("Queue::host_function", &["cuLaunchHostFunc"], || q.host_function(|| ()))?;
        let get = ["cuMemHostGetDevicePointer_v2"];
        let why = "asked when it is registered";
        let mut mapped = t.unlike("Scope::map", &get, &[], why, || s.map(&mut pinned));
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        unsafe { q.launch(store, LaunchConfig::new(1, 1), (&mut mapped, 1_u32)) }?;
        t.row("Mapped::access", &[WAIT], || mapped.access().map(drop))?;
        t.row("Scope::scratch", &["cuMemAlloc_v2"], || s.scratch::<u32>(16).map(drop))
    })
    .unwrap();
}

/// On either default stream: `tests/calls.rs` holds the calls of both to be the same.
fn default_stream<'ctx>(t: &mut Table, gpu: &PushedGuard<'ctx>, store: &Function<'ctx>) {
    t.heading("On a default stream");
    let on = gpu.on_legacy_default();
    let (mut x, mut y) = (gpu.alloc::<u32>(16).unwrap(), gpu.alloc::<u32>(16).unwrap());
    let (data, mut back, event) = ([7; 16], [0; 16], gpu.event().unwrap());
    t.row("OnDefaultStream::upload", &[UPLOAD, WAIT], || on.upload(&data, &mut x)).unwrap();
    t.row("OnDefaultStream::download", &[DOWNLOAD, WAIT], || on.download(&x, &mut back)).unwrap();
    t.row("OnDefaultStream::copy", &[COPY, WAIT], || on.copy(&x, &mut y)).unwrap();
    t.row("OnDefaultStream::fill", &[FILL, WAIT], || on.fill(&mut x, 1)).unwrap();
    t.row("OnDefaultStream::zero", &[ZERO, WAIT], || on.zero(&mut x)).unwrap();
    // SAFETY: the kernel is store(u32 *, u32) and writes one element.
    t.row("OnDefaultStream::launch", &[LAUNCH, WAIT], || unsafe {
        on.launch(store, LaunchConfig::new(1, 1), (&mut x, 1_u32))
    })
    .unwrap();
    t.row("OnDefaultStream::host_function", &["cuLaunchHostFunc", WAIT], || {
        on.host_function(|| ())
    })
    .unwrap();
    t.row("OnDefaultStream::record", &["cuEventRecord"], || on.record(&event)).unwrap();
    t.row("OnDefaultStream::wait", &["cuStreamWaitEvent"], || on.wait(&event)).unwrap();
    t.row("OnDefaultStream::query", &["cuStreamQuery"], || on.query()).unwrap();
    t.row("OnDefaultStream::synchronize", &[WAIT], || on.synchronize()).unwrap();
}
