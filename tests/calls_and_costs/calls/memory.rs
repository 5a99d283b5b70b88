//! Memory of the device, of pools and of the host.

use super::rows::{DOWNLOAD, GET, SET, UPLOAD, WAIT, ZERO};
use super::table::Table;
use crate::common::gpu::kernel;
use crate::common::kernels::SPIN;
use crate::common::longer;
use cuscope::foreign::dlpack::{DLManagedTensorVersioned, Tensor};
use cuscope::memory::{Advice, Attachment, CopyFlags, Location, PoolAccess};
use cuscope::tensor_map::TensorLayout;
use cuscope::{Device, LaunchConfig, MemoryPool, PushedGuard, ffi};
use std::time::Duration;

pub(crate) fn memory(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Memory");
    let stream = gpu.stream().unwrap();
    let on = gpu.on(&stream);
    let buffer = t.row("PushedGuard::alloc", &["cuMemAlloc_v2"], || gpu.alloc::<u32>(16)).unwrap();
    t.row("DeviceBuffer, dropped", &["cuMemFree_v2"], || drop(buffer));
    let buffer = t
        .row("SyncStream::alloc", &["cuMemAllocAsync", "cuStreamQuery"], || on.alloc::<u32>(16))
        .unwrap();
    t.row("DeviceBuffer, dropped (from a stream)", &["cuMemFreeAsync"], || drop(buffer));
    let (busy, spin) = (gpu.stream().unwrap(), kernel(gpu, SPIN, "spin"));
    let time = longer(Duration::from_millis(50)).as_nanos() as u64;
    // SAFETY: the kernel is spin(u64), and uses no memory.
    unsafe { gpu.on(&busy).launch_unscoped(&spin, LaunchConfig::new(1, 1), (time,)) }.unwrap();
    let apart = ["cuStreamCreate", "cuMemAllocAsync", WAIT, "cuStreamDestroy_v2", "cuMemFreeAsync"];
    let buffer = t.unlike(
        "SyncStream::alloc, busy",
        &["cuMemAllocAsync", WAIT],
        &[&["cuMemAllocAsync", "cuStreamQuery"], &apart[..]].concat(),
        "on another stream, not to wait for the work in this one",
        || gpu.on(&busy).alloc::<u32>(16),
    );
    drop(buffer.unwrap());
    busy.synchronize().unwrap();
    // SAFETY: not used, and freed in the order of its stream.
    let buffer = t.row("SyncStream::alloc_unscoped", &["cuMemAllocAsync"], || unsafe {
        on.alloc_unscoped::<u32>(16)
    });
    drop(buffer.unwrap());
    t.row("SyncStream::from_slice", &["cuMemAllocAsync", UPLOAD, WAIT], || {
        on.from_slice(&[1_u32; 16])
    })
    .unwrap();
    let zeros = t
        .row("SyncStream::zeroed", &["cuMemAllocAsync", ZERO, WAIT], || on.zeroed::<u32>(16))
        .unwrap();
    t.row("SyncStream::to_vec", &[DOWNLOAD, WAIT], || on.to_vec(&zeros)).unwrap();

    let pinned = gpu.pinned::<u32>(16).unwrap();
    let address = pinned.device_address(gpu).unwrap();
    t.row("PushedGuard::pointer_info", &["cuPointerGetAttributes", "cuDeviceGet"], || {
        gpu.pointer_info(address)
    })
    .unwrap();
    let (attribute, known) = ("cuPointerGetAttribute", "asks whether the memory is there");
    // SAFETY: 1. to 3. The memory outlives the buffer, and nothing else uses it.
    let theirs = t.unlike("PushedGuard::buffer_from_raw", &[], &[attribute; 2], known, || unsafe {
        gpu.buffer_from_raw::<u32>(address, 16, ())
    });
    t.row("DeviceBuffer of other code, dropped", &[], || drop(theirs.unwrap()));
    let (out, asks) = (gpu.alloc::<u32>(16).unwrap(), "asks whether the memory is managed");
    let tensor = t.unlike("DeviceBuffer::into_dlpack", &[], &[attribute], asks, || {
        out.into_dlpack::<DLManagedTensorVersioned>(&[16])
    });
    drop(tensor.unwrap());
    let tensor: Tensor =
        t.row("PinnedBuffer::into_dlpack", &[], || pinned.into_dlpack(&[16])).unwrap();
    let map = "cuMemHostGetDevicePointer_v2";
    let on_host = "PushedGuard::buffer_from_dlpack, in host memory";
    let calls = [map, attribute, attribute];
    // SAFETY: 1. and 2. It is the memory above, which nothing else uses.
    let theirs = t.unlike(on_host, &[map], &calls, known, || unsafe {
        gpu.buffer_from_dlpack::<u32, _>(tensor)
    });
    drop(theirs.unwrap());

    managed(t, gpu);
    batches(t, gpu);
    tensor_maps(t, gpu);

    let device = gpu.device();
    let pool =
        t.row("MemoryPool::create", &["cuMemPoolCreate"], || MemoryPool::create(device)).unwrap();
    t.row("MemoryPool::create_with_limit", &["cuMemPoolCreate", "cuMemPoolDestroy"], || {
        MemoryPool::create_with_limit(device, 64 << 20).map(drop)
    })
    .unwrap();
    let first = t
        .row("MemoryPool::default_of", &["cuDeviceGetDefaultMemPool"], || {
            MemoryPool::default_of(device)
        })
        .unwrap();
    t.row("MemoryPool::make_current", &["cuDeviceSetMemPool"], || first.make_current()).unwrap();
    t.row("MemoryPool::is_current", &["cuDeviceGetMemPool"], || first.is_current()).unwrap();
    let threshold =
        t.row("MemoryPool::release_threshold", &[GET], || pool.release_threshold()).unwrap();
    t.row("MemoryPool::set_release_threshold", &[SET], || pool.set_release_threshold(threshold))
        .unwrap();
    let reuse = t.row("MemoryPool::reuse", &[GET; 3], || pool.reuse()).unwrap();
    t.row("MemoryPool::set_reuse", &[SET; 3], || pool.set_reuse(reuse)).unwrap();
    t.row("MemoryPool::usage", &[GET; 4], || pool.usage()).unwrap();
    t.row("MemoryPool::reset_high_marks", &[SET; 2], || pool.reset_high_marks()).unwrap();
    let from = "cuMemAllocFromPoolAsync";
    let buffer = t
        .row("SyncStream::alloc_from", &[from, "cuStreamQuery"], || on.alloc_from::<u32>(&pool, 16))
        .unwrap();
    // SAFETY: not used, and freed in the order of its stream.
    drop(t.row("SyncStream::alloc_from_unscoped", &[from], || unsafe {
        on.alloc_from_unscoped::<u32>(&pool, 16)
    }));
    t.row("MemoryPool::access", &["cuMemPoolGetAccess"], || pool.access(device)).unwrap();
    t.row("MemoryPool::set_access", &["cuMemPoolSetAccess"], || {
        pool.set_access(device, PoolAccess::ReadWrite)
    })
    .unwrap();
    t.row("MemoryPool::trim_to", &["cuMemPoolTrimTo"], || pool.trim_to(0)).unwrap();
    drop(buffer);
    t.row("MemoryPool, dropped", &["cuMemPoolDestroy"], || drop(pool));
    host_pools(t, gpu);

    let (register, unregister) = ("cuMemHostRegister_v2", "cuMemHostUnregister");
    let (both, why) = ([register, "cuMemHostGetDevicePointer_v2"], "stored for `Scope::map`");
    let pinned =
        t.unlike("PushedGuard::pinned", &both[..1], &both, why, || gpu.pinned::<u32>(16)).unwrap();
    t.row("PinnedBuffer::device_address", &["cuMemHostGetDevicePointer_v2"], || {
        pinned.device_address(gpu)
    })
    .unwrap();
    t.row("PinnedBuffer, dropped", &[unregister], || drop(pinned));
    t.unlike("PushedGuard::pinned_from", &both[..1], &both, why, || gpu.pinned_from(&[1_u32; 16]))
        .unwrap();
    let mut data = vec![0_u8; 8192];
    t.row("PushedGuard::with_registered", &[register, unregister], || {
        gpu.with_registered(&mut data, |_| Ok(()))
    })
    .unwrap();
    // SAFETY: dropped below.
    let registered =
        t.row("PushedGuard::register", &[register], || unsafe { gpu.register(&mut data) }).unwrap();
    t.row("Registered::device_address", &["cuMemHostGetDevicePointer_v2"], || {
        registered.device_address(gpu)
    })
    .unwrap();
    t.row("Registered, dropped", &[unregister], || drop(registered));
}

/// Copies in batches.
fn batches(t: &mut Table, gpu: &PushedGuard<'_>) {
    let (stream, batch) = (gpu.stream().unwrap(), "cuMemcpyBatchAsync");
    let (from, mut to) = (gpu.alloc::<u32>(8).unwrap(), gpu.alloc::<u32>(8).unwrap());
    t.row("SyncStream::copy_batch", &[batch, WAIT], || {
        gpu.on(&stream).copy_batch([(&from, &mut to)])
    })
    .unwrap();
    gpu.scope(|s| {
        let (scoped, mut to) = (s.on(&stream), s.hold(&mut to));
        t.row("ScopedStream::copy_batch", &[batch], || scoped.copy_batch([(&from, &mut to)]))
    })
    .unwrap();
    let ordered = gpu.ordered_stream().unwrap();
    let (a, mut b) = (ordered.zeroed::<u32>(4).unwrap(), ordered.zeroed::<u32>(4).unwrap());
    t.row("OrderedStream::copy_batch", &[batch], || ordered.copy_batch([(&a, &mut b)])).unwrap();
    let (from, mut to) =
        (gpu.alloc_pitched::<u32>((2, 2)).unwrap(), gpu.alloc_pitched::<u32>((2, 2)).unwrap());
    let boxes = "cuMemcpy3DBatchAsync";
    t.row("SyncStream::copy_batch, of rows", &[boxes, WAIT], || {
        gpu.on(&stream).copy_batch([(&from, &mut to)])
    })
    .unwrap();
    let flags = CopyFlags::PREFER_OVERLAP_WITH_COMPUTE;
    t.row("SyncStream::copy_with, of rows", &["cuMemcpy3DWithAttributesAsync", WAIT], || {
        gpu.on(&stream).copy_with(&from, &mut to, flags)
    })
    .unwrap();
    let one = "cuMemcpyWithAttributesAsync";
    t.row("OrderedStream::copy_with", &[one], || ordered.copy_with(&a, &mut b, flags)).unwrap();
    let (from, mut to) = (gpu.alloc::<u32>(4).unwrap(), gpu.alloc::<u32>(4).unwrap());
    gpu.scope(|s| {
        let (scoped, mut to) = (s.on(&stream), s.hold(&mut to));
        t.row("ScopedStream::copy_with", &[one], || scoped.copy_with(&from, &mut to, flags))
    })
    .unwrap();
}

/// Tensor maps.
fn tensor_maps(t: &mut Table, gpu: &PushedGuard<'_>) {
    let x = gpu.alloc::<f32>(1024).unwrap();
    let layout = TensorLayout::tiled(&[32, 32], &[32, 8]);
    t.row("PushedGuard::tensor_map", &["cuTensorMapEncodeTiled"], || {
        gpu.tensor_map(&layout, &x).map(drop)
    })
    .unwrap();
}

/// Managed memory.
fn managed(t: &mut Table, gpu: &PushedGuard<'_>) {
    let stream = gpu.stream().unwrap();
    let (on, here) = (gpu.on(&stream), Location::from(gpu.device()));
    let mut x = t
        .unlike(
            "PushedGuard::managed",
            &["cuMemAllocManaged"],
            &["cuDeviceGetAttribute", "cuMemAllocManaged"],
            "asks whether the host may use the memory at the same time",
            || gpu.managed::<u32>(16),
        )
        .unwrap();
    let range = "cuMemGetAddressRange_v2";
    let lent = [range, "cuPointerGetAttributes", "cuDeviceGet", "cuDeviceGetAttribute"];
    let why = "asks whether a fault was reported, and what the memory is";
    t.unlike("PushedGuard::host_slice", &[], &lent, why, || gpu.host_slice(&x).map(drop)).unwrap();
    t.unlike("PushedGuard::host_slice_mut", &[], &lent, why, || {
        gpu.host_slice_mut(&mut x).map(drop)
    })
    .unwrap();
    // SAFETY: 1. Not to one stream alone.
    t.row("SyncStream::attach", &["cuStreamAttachMemAsync", WAIT], || unsafe {
        on.attach(&mut x, Attachment::Global)
    })
    .unwrap();
    t.row("SyncStream::prefetch", &["cuMemPrefetchAsync_v2", WAIT], || on.prefetch(&x, here))
        .unwrap();
    t.row("PushedGuard::advise", &["cuMemAdvise_v2"], || gpu.advise(&x, Advice::ReadMostly(true)))
        .unwrap();
    t.row("PushedGuard::range_info", &["cuDeviceGetCount", "cuMemRangeGetAttributes"], || {
        gpu.range_info(&x)
    })
    .unwrap();
    t.row("SyncStream::discard", &["cuMemDiscardBatchAsync", WAIT], || on.discard(&mut x)).unwrap();
    gpu.scope(|s| {
        let (scoped, held) = (s.on(&stream), s.hold(&mut x));
        t.row("ScopedStream::prefetch", &["cuMemPrefetchAsync_v2"], || scoped.prefetch(&held, here))
    })
    .unwrap();
    let ordered = gpu.ordered_stream().unwrap();
    let x = ordered.adopt(x).unwrap();
    t.row("OrderedStream::prefetch", &["cuMemPrefetchAsync_v2"], || ordered.prefetch(&x, here))
        .unwrap();
}

/// Pools of the host, where there are such.
fn host_pools(t: &mut Table, gpu: &PushedGuard<'_>) {
    let has = ffi::CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED;
    if gpu.device().attribute(has).unwrap_or(0) == 0 {
        return;
    }
    let stream = gpu.stream().unwrap();
    let mut calls = vec!["cuMemPoolCreate", "cuDeviceGetCount"];
    let devices = Device::all().unwrap().len();
    calls.extend(vec!["cuDeviceGet"; devices]);
    calls.extend(vec!["cuMemPoolSetAccess"; devices]);
    let create = || MemoryPool::create(Location::Host);
    let why = "gives each device access";
    let row = "MemoryPool::create, of the host";
    let pool = t.unlike(row, &["cuMemPoolCreate"], &calls, why, create).unwrap();
    let row = "SyncStream::alloc_pinned_from";
    let calls = ["cuMemAllocFromPoolAsync", "cuStreamQuery"];
    let alloc = || gpu.on(&stream).alloc_pinned_from::<u32>(&pool, 16);
    let pinned = t.row(row, &calls, alloc).unwrap();
    let row = "PinnedBuffer of a pool, dropped";
    t.row(row, &["cuMemFreeAsync"], || drop(pinned));
}
