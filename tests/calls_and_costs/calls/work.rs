//! Work on streams, that is waited for or belongs to a scope.

use super::rows::{COPY, DOWNLOAD, FILL, LAUNCH, UPLOAD, WAIT, ZERO};
use super::table::Table;
use crate::common::gpu::kernel;
use crate::common::kernels::STORE;
use cuscope::stream::Until;
use cuscope::{Function, LaunchConfig, PushedGuard};

pub(crate) fn work(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Copies and launches");
    let stream = gpu.stream().unwrap();
    let on = gpu.on(&stream);
    let store = kernel(gpu, STORE, "store");
    let (mut x, mut y) = (gpu.alloc::<u32>(16).unwrap(), gpu.alloc::<u32>(16).unwrap());
    let (data, mut back) = ([7; 16], [0; 16]);
    t.row("SyncStream::upload", &[UPLOAD, WAIT], || on.upload(&data, &mut x)).unwrap();
    t.row("SyncStream::download", &[DOWNLOAD, WAIT], || on.download(&x, &mut back)).unwrap();
    t.row("SyncStream::copy", &[COPY, WAIT], || on.copy(&x, &mut y)).unwrap();
    t.row("SyncStream::fill", &[FILL, WAIT], || on.fill(&mut x, 1)).unwrap();
    // SAFETY: waited for below, before anything else uses it.
    t.row("SyncStream::fill_unscoped", &[FILL], || unsafe { on.fill_unscoped(&mut x, 1) }).unwrap();
    t.row("SyncStream::zero", &[ZERO, WAIT], || on.zero(&mut x)).unwrap();
    let one = LaunchConfig::new(1, 1);
    // SAFETY: the kernel is store(u32 *, u32) and writes one element.
    t.row("SyncStream::launch_unchecked", &[LAUNCH, WAIT], || unsafe {
        on.launch_unchecked(&store, one, (&mut x, 1_u32))
    })
    .unwrap();
    let guarded = gpu.load_guarded(STORE).unwrap().kernel::<(&mut [u32], u32)>("store").unwrap();
    t.row("SyncStream::launch, of a GuardedKernel", &[LAUNCH, WAIT], || {
        on.launch(&guarded, one, (&mut x, 1))
    })
    .unwrap();
    // SAFETY: as above, and the stream is synchronized before anything else uses the buffer.
    t.row("SyncStream::launch_unscoped", &[LAUNCH], || unsafe {
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
    let (both, why) =
        (["cuMemHostRegister_v2", "cuMemHostGetDevicePointer_v2"], "stored for its operations");
    let value = t
        .unlike("PushedGuard::stream_value", &both[..1], &both, why, || gpu.stream_value(0_u32))
        .unwrap();
    t.row("PushedGuard::scope, with no work", &[], || gpu.scope(|_| Ok(()))).unwrap();
    t.row("PushedGuard::scope, with one upload", &[UPLOAD, WAIT], || {
        gpu.scope(|s| s.on(&stream).upload(&data, &mut s.hold(&mut x)))
    })
    .unwrap();
    let mut pinned = gpu.pinned::<u32>(16).unwrap();
    gpu.scope(|s| {
        let (stream, mut x, mut staged) = (s.on(&stream), s.hold(&mut x), s.stage(&mut staged));
        t.row("ScopedStream::upload", &[UPLOAD], || stream.upload(&data, &mut x))?;
        t.row("ScopedStream::upload_staged", &[UPLOAD], || stream.upload_staged(&staged, &mut x))?;
        t.row("ScopedHostSlice::access", &[WAIT], || staged.access().map(drop))?;
        t.row("ScopedStream::download_staged", &[DOWNLOAD], || {
            stream.download_staged(&x, &mut staged)
        })?;
        t.row("ScopedStream::copy", &[COPY], || stream.copy(&y, &mut x))?;
        t.row("ScopedStream::fill", &[FILL], || stream.fill(&mut x, 1))?;
        t.row("ScopedStream::zero", &[ZERO], || stream.zero(&mut x))?;
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        t.row("ScopedStream::launch_unchecked", &[LAUNCH], || unsafe {
            stream.launch_unchecked(store, LaunchConfig::new(1, 1), (&mut x, 1_u32))
        })?;
        let guarded = gpu.load_guarded(STORE)?.kernel::<(&mut [u32], u32)>("store")?;
        t.row("ScopedStream::launch, of a GuardedKernel", &[LAUNCH], || {
            stream.launch(&guarded, LaunchConfig::new(1, 1), (&mut x, 1))
        })?;
        t.row("ScopedStream::download", &[DOWNLOAD], || stream.download(&x, &mut back))?;
        t.row("ScopedStream::record", &["cuEventRecord"], || stream.record(&event))?;
        t.row("ScopedStream::wait", &["cuStreamWaitEvent"], || stream.wait(&event))?;
        t.row("ScopedStream::query", &["cuStreamQuery"], || stream.query())?;
        t.row("ScopedStream::synchronize", &[WAIT], || stream.synchronize())?;
        let both = [value.write(1), value.wait(Until::Equal(1))];
        t.row("ScopedStream::value_operations", &["cuStreamBatchMemOp_v2"], || {
            stream.value_operations(&both)
        })?;
        t.row("ScopedStream::host_function", &["cuLaunchHostFunc"], || {
            stream.host_function(|| ())
        })?;
        let get = ["cuMemHostGetDevicePointer_v2"];
        let why = "called by the registration";
        let mut mapped = t.unlike("Scope::map", &get, &[], why, || s.map(&mut pinned));
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        unsafe { stream.launch_unchecked(store, LaunchConfig::new(1, 1), (&mut mapped, 1_u32)) }?;
        t.row("ScopedPinned::access", &[WAIT], || mapped.access().map(drop))?;
        let mut scratch =
            t.row("ScopedStream::scratch", &["cuMemAllocAsync"], || stream.scratch::<u32>(16))?;
        stream.fill(&mut scratch, 1)?;
        t.row("ScopedBuffer, dropped (scratch)", &["cuMemFreeAsync"], || drop(scratch));
        let step = ["cuMemAllocAsync", LAUNCH, "cuMemFreeAsync"];
        t.row("ScopedStream::scratch, with a launch and the drop", &step, || {
            let mut scratch = stream.scratch::<u32>(16)?;
            // SAFETY: the kernel is store(u32 *, u32) and writes one element.
            unsafe {
                stream.launch_unchecked(store, LaunchConfig::new(1, 1), (&mut scratch, 1_u32))
            }
        })
    })
    .unwrap();
}

/// On either default stream: `tests/calls_and_costs/calls.rs` holds the calls of both to be the same.
fn default_stream<'ctx>(t: &mut Table, gpu: &PushedGuard<'ctx>, store: &Function<'ctx>) {
    t.heading("On a default stream");
    let on = gpu.on_legacy_default();
    let (mut x, mut y) = (gpu.alloc::<u32>(16).unwrap(), gpu.alloc::<u32>(16).unwrap());
    let (data, mut back, event) = ([7; 16], [0; 16], gpu.event().unwrap());
    t.row("SyncDefaultStream::upload", &[UPLOAD, WAIT], || on.upload(&data, &mut x)).unwrap();
    t.row("SyncDefaultStream::download", &[DOWNLOAD, WAIT], || on.download(&x, &mut back)).unwrap();
    t.row("SyncDefaultStream::copy", &[COPY, WAIT], || on.copy(&x, &mut y)).unwrap();
    t.row("SyncDefaultStream::fill", &[FILL, WAIT], || on.fill(&mut x, 1)).unwrap();
    t.row("SyncDefaultStream::zero", &[ZERO, WAIT], || on.zero(&mut x)).unwrap();
    // SAFETY: the kernel is store(u32 *, u32) and writes one element.
    t.row("SyncDefaultStream::launch_unchecked", &[LAUNCH, WAIT], || unsafe {
        on.launch_unchecked(store, LaunchConfig::new(1, 1), (&mut x, 1_u32))
    })
    .unwrap();
    t.row("SyncDefaultStream::host_function", &["cuLaunchHostFunc", WAIT], || {
        on.host_function(|| ())
    })
    .unwrap();
    t.row("SyncDefaultStream::record", &["cuEventRecord"], || on.record(&event)).unwrap();
    t.row("SyncDefaultStream::wait", &["cuStreamWaitEvent"], || on.wait(&event)).unwrap();
    t.row("SyncDefaultStream::query", &["cuStreamQuery"], || on.query()).unwrap();
    t.row("SyncDefaultStream::synchronize", &[WAIT], || on.synchronize()).unwrap();
}
