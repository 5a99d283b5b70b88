//! Operations of runtimes: owned guards, memory by its address, pools of page-locked memory, captures that are values.

use super::rows::{COPY, DOWNLOAD, FILL, LAUNCH, UPLOAD, ZERO};
use super::table::Table;
use crate::common::gpu::kernel;
use crate::common::kernels::STORE;
use cuscope::tensor_map::{TensorKind, TensorLayout};
use cuscope::{LaunchConfig, PushedGuard, ffi};
use std::ptr::slice_from_raw_parts_mut;

pub(crate) fn runtimes(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("For runtimes");
    let (push, pop) = ("cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2");
    let owned = t.row("Context::push_owned", &[push], || gpu.context().push_owned()).unwrap();
    t.row("OwnedGuard::pop", &[pop], || owned.pop()).unwrap();
    let mut owned = gpu.context().push_owned().unwrap();
    t.row("OwnedGuard::with", &[], || owned.with(|_| Ok(()))).unwrap();
    t.row("OwnedGuard, dropped", &[pop], || drop(owned));

    let stream = gpu.stream().unwrap();
    let on = gpu.on(&stream);
    let (mut x, mut y) = (gpu.alloc::<u32>(16).unwrap(), gpu.alloc::<u32>(16).unwrap());
    let pages = t.row("PushedGuard::pinned_pages", &["cuMemHostAlloc"], || gpu.pinned_pages(128));
    let (first, second) =
        t.row("PinnedPages::split_at", &[], || pages.unwrap().split_at(64)).unwrap();
    let at = first.as_non_null().cast::<u32>().as_ptr();
    let host = slice_from_raw_parts_mut(at, 16);
    // SAFETY: 1. and 2. Nothing else uses the memory until the stream is synchronized below, as for the next ones.
    t.row("SyncStream::download_unscoped", &[DOWNLOAD], || unsafe {
        on.download_unscoped(&x, host)
    })
    .unwrap();
    // SAFETY: as above.
    t.row("SyncStream::upload_unscoped", &[UPLOAD], || unsafe { on.upload_unscoped(host, &mut x) })
        .unwrap();
    // SAFETY: as above.
    t.row("SyncStream::copy_unscoped", &[COPY], || unsafe { on.copy_unscoped(&x, &mut y) })
        .unwrap();
    // SAFETY: 1. and 2. The buffer lives longer, and nothing else uses it.
    let range = t.row("PushedGuard::device_range", &[], || unsafe {
        gpu.device_range::<u32>(x.address(), 4)
    });
    let store = kernel(gpu, STORE, "store");
    let info = "cuFuncGetParamInfo";
    let list = t.row("Function::arguments, the first time", &[info; 3], || store.arguments());
    drop::<cuscope::kernel::ArgumentList<'_, '_>>(list.unwrap());
    let mut list = t.row("Function::arguments, again", &[], || store.arguments()).unwrap();
    list.push(range.unwrap()).unwrap().push(1_u32).unwrap();
    let one = LaunchConfig::new(1, 1);
    // SAFETY: the kernel is store(u32 *, u32), and nothing else uses the memory until the stream is synchronized.
    t.row("ArgumentList of addresses, launched", &[LAUNCH], || unsafe {
        on.launch_unscoped(&store, one, list)
    })
    .unwrap();
    let (mut address, mut value) = (x.address(), 2_u32);
    let mut pointers = [(&raw mut address).cast(), (&raw mut value).cast()];
    // SAFETY: as above.
    t.row("SyncStream::launch_raw", &[LAUNCH], || unsafe {
        on.launch_raw(&store, one, &mut pointers)
    })
    .unwrap();
    let event = gpu.event().unwrap();
    // SAFETY: 1. The stream lives, and nothing captures it.
    t.row("Event::record_in", &["cuEventRecord"], || unsafe { event.record_in(stream.raw()) })
        .unwrap();
    // SAFETY: as above.
    t.row("Event::wait_in", &["cuStreamWaitEvent"], || unsafe { event.wait_in(stream.raw()) })
        .unwrap();
    stream.synchronize().unwrap();
    drop(first);
    t.row("PinnedPages, dropped", &["cuMemFreeHost"], || drop(second));
    let layout = TensorLayout::tiled(&[32, 32], &[32, 8]);
    t.row("TensorLayout::encode", &["cuTensorMapEncodeTiled"], || {
        layout.encode(gpu, TensorKind::F32, x.address())
    })
    .unwrap();

    let begin = "cuStreamBeginCapture_v2";
    let own = ["cuStreamCreate", "cuStreamCopyAttributes", begin];
    let why = "the capture has a stream of its own";
    let open = t
        .unlike("PushedGuard::open_capture", &[begin], &own, why, || gpu.open_capture(&stream))
        .unwrap();
    let capture = open.on(gpu).unwrap();
    t.row("OpenCaptureStream::fill", &[FILL], || capture.fill(&mut x, 1)).unwrap();
    t.row("OpenCaptureStream::zero", &[ZERO], || capture.zero(&mut x)).unwrap();
    t.row("OpenCaptureStream::copy", &[COPY], || capture.copy(&x, &mut y)).unwrap();
    // SAFETY: the kernel is store(u32 *, u32), as below. The graph is not replayed.
    t.row("OpenCaptureStream::launch_unchecked", &[LAUNCH], || unsafe {
        capture.launch_unchecked(&store, one, (&mut x, 1_u32))
    })
    .unwrap();
    let guarded = gpu.load_guarded(STORE).unwrap().kernel::<(&mut [u32], u32)>("store").unwrap();
    t.row("OpenCaptureStream::launch, of a GuardedKernel", &[LAUNCH], || {
        capture.launch(&guarded, one, (&mut x, 1_u32))
    })
    .unwrap();
    // SAFETY: as above.
    t.row("OpenCaptureStream::launch_raw", &[LAUNCH], || unsafe {
        capture.launch_raw(&store, one, &mut pointers)
    })
    .unwrap();
    let made = ["cuStreamEndCapture", "cuGraphInstantiateWithFlags"];
    let ended = [made[0], made[1], "cuStreamDestroy_v2"];
    let graph = t.unlike("OpenCapture::finish", &made, &ended, why, || open.finish(gpu)).unwrap();
    // SAFETY: 1. Nothing else uses the memory until the stream is synchronized.
    t.row("SyncStream::replay_unscoped", &["cuGraphLaunch"], || unsafe {
        on.replay_unscoped(&graph, (&mut x, &mut y))
    })
    .unwrap();
    stream.synchronize().unwrap();
    drop(graph);
    let mut raw = std::ptr::null_mut();
    // SAFETY: writes one handle.
    assert_eq!(unsafe { ffi::cuGraphCreate(&raw mut raw, 0) }, ffi::CUDA_SUCCESS);
    // SAFETY: 1. to 4. Nothing else has the graph, which has no nodes.
    let graph = t.row("PushedGuard::graph_from_raw", &["cuGraphInstantiateWithFlags"], || unsafe {
        gpu.graph_from_raw(raw, ())
    });
    drop(graph.unwrap());
}
