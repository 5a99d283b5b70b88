//! Buffers that grow, and virtual memory by hand.
#![allow(unsafe_code, reason = "imports memory")]

use super::table::Table;
use crate::exporter;
use cuscope::virtual_memory::{MappedAccess, Multicast, PhysicalMemory, Reservation};
use cuscope::{Device, EventFlags, PushedGuard};

const GRANULARITY: &str = "cuMemGetAllocationGranularity";
const RESERVE: &str = "cuMemAddressReserve";
const CREATE: &str = "cuMemCreate";
const MAP: &str = "cuMemMap";
const ALLOW: &str = "cuMemSetAccess";
const UNMAP: &str = "cuMemUnmap";
const RELEASE: &str = "cuMemRelease";

pub(crate) fn virtual_memory(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Virtual memory");
    let device = gpu.device();
    let granularity = || PhysicalMemory::granularity(device);
    let bytes = t.row("PhysicalMemory::granularity", &[GRANULARITY], granularity).unwrap();
    let row = "PushedGuard::alloc_growable";
    let mut x =
        t.row(row, &[GRANULARITY, RESERVE], || gpu.alloc_growable::<u8>(8 * bytes)).unwrap();
    let grown = [CREATE, MAP, ALLOW];
    t.row("GrowableBuffer::grow, with more memory", &grown, || x.grow(3 * bytes)).unwrap();
    t.row("GrowableBuffer::grow, with what it has", &[], || x.grow(2 * bytes)).unwrap();
    x.grow(4 * bytes).unwrap();
    let other = *Device::all().unwrap().last().unwrap();
    if other != device {
        let row = "GrowableBuffer::set_access";
        t.row(row, &[ALLOW], || x.set_access(other, MappedAccess::Read)).unwrap();
        x.set_access(other, MappedAccess::None).unwrap();
    }
    let short = "GrowableBuffer::truncate, of a piece of memory";
    t.row(short, &[UNMAP, RELEASE], || x.truncate(3 * bytes)).unwrap();
    t.row("GrowableBuffer::truncate, within one", &[], || x.truncate(2 * bytes)).unwrap();
    let ends = [UNMAP, RELEASE, "cuMemAddressFree"];
    t.row("drop of a GrowableBuffer", &ends, || drop(x));
    let mut addresses =
        t.row("Reservation::new", &[RESERVE], || Reservation::new(4 * bytes)).unwrap();
    let create = || PhysicalMemory::create(device, bytes);
    let memory = t.row("PhysicalMemory::create", &[CREATE], create).unwrap();
    t.row("Reservation::map", &[MAP], || addresses.map(0, memory)).unwrap();
    let all = MappedAccess::ReadWrite;
    t.row("Reservation::set_access", &[ALLOW], || addresses.set_access(0, bytes, device, all))
        .unwrap();
    t.row("Reservation::access", &["cuMemGetAccess"], || addresses.access(0, device)).unwrap();
    let memory = t.row("Reservation::unmap", &[UNMAP], || addresses.unmap(0)).unwrap();
    t.row("drop of a PhysicalMemory", &[RELEASE], || drop(memory));
    t.row("drop of a Reservation", &["cuMemAddressFree"], || drop(addresses));
    if Multicast::is_supported(device).unwrap() {
        multicast(t, device);
    }
    if exporter::is_there() {
        let y = gpu.alloc::<u32>(16).unwrap();
        let row = "PushedGuard::export_buffer";
        t.row(row, &["cuIpcGetMemHandle"], || gpu.export_buffer(&y)).unwrap();
        let handle = exporter::exported();
        // SAFETY: 1. and 2. The other process keeps it. 3. Nothing writes it. 4. Dropped below.
        let import = || unsafe { gpu.import_buffer::<u32>(&handle) };
        let row = "PushedGuard::import_buffer";
        let (open, asked) = ("cuIpcOpenMemHandle_v2", "cuPointerGetAttribute");
        let why = "asks whether the memory is there";
        let x = t.unlike(row, &[open], &[open, asked, asked], why, import).unwrap();
        let flags = EventFlags::INTERPROCESS | EventFlags::DISABLE_TIMING;
        let event = gpu.event_with(flags).unwrap();
        let row = "PushedGuard::export_event";
        t.row(row, &["cuIpcGetEventHandle"], || gpu.export_event(&event)).unwrap();
        let handle = exporter::exported_event();
        // SAFETY: 1. and 2. The other process keeps it.
        let import = || unsafe { gpu.import_event(&handle) };
        t.row("PushedGuard::import_event", &["cuIpcOpenEventHandle"], import).unwrap();
        t.row("DeviceBuffer of another process, dropped", &["cuIpcCloseMemHandle"], || drop(x));
    }
    #[cfg(all(unix, not(miri)))]
    {
        use cuscope::MemoryPool;
        use cuscope::ipc::ImportedPool;
        use std::os::fd::AsFd;
        let create = || PhysicalMemory::create_shareable(device, bytes);
        let memory = t.row("PhysicalMemory::create_shareable", &[CREATE], create).unwrap();
        let export = ["cuMemExportToShareableHandle"];
        let sent = t.row("PhysicalMemory::export", &export, || memory.export()).unwrap();
        let told = "cuMemGetAllocationPropertiesFromHandle";
        let calls = ["cuDeviceGet", "cuMemImportFromShareableHandle", told, "cuDeviceGet"];
        // SAFETY: 1. of that size. 2. Nothing uses it.
        let import = || unsafe { PhysicalMemory::import(sent.as_fd(), bytes) };
        drop(t.row("PhysicalMemory::import", &calls, import).unwrap());
        #[cfg(target_os = "linux")]
        external(t, gpu, sent, bytes);
        let y = gpu.alloc::<u32>(1 << 20).unwrap();
        let calls = ["cuMemGetHandleForAddressRange"];
        // Not every device has it, which the driver answers.
        drop(t.row("PushedGuard::export_dma_buf", &calls, || gpu.export_dma_buf(&y)));
        let create = || MemoryPool::create_shareable(device);
        let pool = t.row("MemoryPool::create_shareable", &["cuMemPoolCreate"], create).unwrap();
        let export = ["cuMemPoolExportToShareableHandle"];
        let sent = t.row("MemoryPool::export", &export, || pool.export()).unwrap();
        let calls = ["cuDeviceGet", "cuMemPoolImportFromShareableHandle"];
        // SAFETY: 1. exported above. 2. Imported once.
        let import = || unsafe { ImportedPool::import(sent.as_fd()) };
        let imported = t.row("ImportedPool::import", &calls, import).unwrap();
        let y = gpu.on(&gpu.stream().unwrap()).alloc_from::<u32>(&pool, 16).unwrap();
        let row = "PushedGuard::export_pooled";
        let export = || gpu.export_pooled(&y);
        let handle = t.row(row, &["cuMemPoolExportPointer"], export).unwrap();
        // SAFETY: 1. exported above. 2. Dropped before it. 3. Nothing uses it meanwhile. 4. Once.
        let import = || unsafe { gpu.import_pooled::<u32>(&imported, &handle) };
        let row = "PushedGuard::import_pooled";
        let (open, asked) = ("cuMemPoolImportPointer", "cuPointerGetAttribute");
        let why = "asks whether the memory is there";
        let x = t.unlike(row, &[open, asked], &[open, asked, asked, asked], why, import).unwrap();
        t.row("DeviceBuffer of another process's pool, dropped", &["cuMemFree_v2"], || drop(x));
        t.row("ImportedPool, dropped", &["cuMemPoolDestroy"], || drop(imported));
    }
}

/// Multicast objects, which the software driver alone is asked for.
fn multicast(t: &mut Table, device: Device) {
    let devices = [device, *Device::all().unwrap().last().unwrap()];
    let asked = "cuMulticastGetGranularity";
    let granularity = || Multicast::granularity(&devices, 1);
    let bytes = t.row("Multicast::granularity", &[asked], granularity).unwrap();
    let add = "cuMulticastAddDevice";
    let create = || Multicast::create(&devices, bytes);
    let made = ["cuMulticastCreate", add, add];
    let mut object = t.row("Multicast::create, for two devices", &made, create).unwrap();
    let mut addresses = Reservation::new(2 * bytes).unwrap();
    let memory = PhysicalMemory::create(device, bytes).unwrap();
    let bind = "cuMulticastBindMem";
    t.row("Multicast::bind", &[bind], || object.bind(0, memory)).unwrap();
    let unbind = "cuMulticastUnbind";
    let memory = t.row("Multicast::unbind", &[unbind], || object.unbind(device, 0)).unwrap();
    addresses.map(0, memory).unwrap();
    let mapped = || object.bind_mapped(0, &addresses, 0);
    t.row("Multicast::bind_mapped", &["cuMulticastBindAddr"], mapped).unwrap();
    let map = || addresses.map_multicast(bytes, object);
    t.row("Reservation::map_multicast", &[MAP], map).unwrap();
    let unmap = || addresses.unmap_multicast(bytes);
    let object = t.row("Reservation::unmap_multicast", &[UNMAP], unmap).unwrap();
    t.row("drop of a Multicast object", &[unbind, RELEASE], || drop(object));
}

#[cfg(all(target_os = "linux", not(miri)))]
fn external(t: &mut Table, gpu: &PushedGuard<'_>, sent: std::os::fd::OwnedFd, bytes: usize) {
    use cuscope::external::{MemoryFlags, MemoryHandle, SemaphoreHandle};
    use cuscope::texture::{ArrayFlags, ArrayShape};
    use std::os::fd::{FromRawFd, OwnedFd};
    let (handle, flags) = (MemoryHandle::OpaqueFd(sent), MemoryFlags::empty());
    // SAFETY: 1. Of that size.
    let import = || unsafe { gpu.import_external_memory(handle, bytes as u64, flags) };
    let row = "PushedGuard::import_external_memory";
    let memory = t.row(row, &["cuImportExternalMemory"], import).unwrap();
    // SAFETY: 1. and 2. Nothing else uses it.
    let map = || unsafe { gpu.map_external_buffer::<u32>(&memory, 0, 16) };
    let (by_hand, asked) = ("cuExternalMemoryGetMappedBuffer", "cuPointerGetAttribute");
    let why = "asks whether the memory is there";
    let row = "PushedGuard::map_external_buffer";
    let x = t.unlike(row, &[by_hand], &[by_hand, asked, asked], why, map).unwrap();
    t.row("DeviceBuffer of imported memory, dropped", &["cuMemFree_v2"], || drop(x));
    let (shape, none) = (ArrayShape::D1 { width: 64 }, ArrayFlags::empty());
    // SAFETY: 1. to 3. Nothing else uses it.
    let map = || unsafe { gpu.map_external_mipmapped_array::<u32>(&memory, 0, shape, 1, none) };
    let by_hand = ["cuExternalMemoryGetMappedMipmappedArray", "cuMipmappedArrayGetLevel"];
    let row = "PushedGuard::map_external_mipmapped_array, one level";
    drop(t.row(row, &by_hand, map).unwrap());
    t.row("ExternalMemory, dropped", &["cuDestroyExternalMemory"], || drop(memory));
    // SAFETY: makes a descriptor.
    let descriptor = unsafe { libc::eventfd(1, libc::EFD_CLOEXEC) };
    assert!(descriptor >= 0);
    // SAFETY: new, and of nobody else.
    let handle = SemaphoreHandle::OpaqueFd(unsafe { OwnedFd::from_raw_fd(descriptor) });
    // SAFETY: 1. and 2. A binary semaphore. The wait comes after a signal.
    let import = || unsafe { gpu.import_external_semaphore(handle) };
    let row = "PushedGuard::import_external_semaphore";
    let semaphore = t.row(row, &["cuImportExternalSemaphore"], import).unwrap();
    let stream = gpu.stream().unwrap();
    let (all, waits) = ([(&semaphore, 0)], "cuWaitExternalSemaphoresAsync");
    let (signals, done) = ("cuSignalExternalSemaphoresAsync", "cuStreamSynchronize");
    let on = gpu.on(&stream);
    t.row("SyncStream::wait_semaphores", &[waits, done], || on.wait_semaphores(&all)).unwrap();
    let row = "SyncStream::signal_semaphores";
    t.row(row, &[signals, done], || on.signal_semaphores(&all)).unwrap();
    gpu.scope(|s| {
        let run = s.on(&stream);
        t.row("ScopedStream::wait_semaphores", &[waits], || run.wait_semaphores(&all))?;
        t.row("ScopedStream::signal_semaphores", &[signals], || run.signal_semaphores(&all))
    })
    .unwrap();
    let ordered = gpu.ordered_stream().unwrap();
    let row = "OrderedStream::wait_semaphores";
    t.row(row, &[waits], || ordered.wait_semaphores(&all)).unwrap();
    let row = "OrderedStream::signal_semaphores";
    t.row(row, &[signals], || ordered.signal_semaphores(&all)).unwrap();
    ordered.synchronize().unwrap();
    let mut captured = gpu.stream().unwrap();
    let recorded = gpu.capture(&mut captured, |c| {
        let run = c.stream();
        t.row("CaptureStream::wait_semaphores", &[waits], || run.wait_semaphores(&all))?;
        t.row("CaptureStream::signal_semaphores", &[signals], || run.signal_semaphores(&all))
    });
    let (mut graph, (wait, signal)) = gpu
        .build_graph(|g| {
            let by_hand = ["cuGraphAddExternalSemaphoresWaitNode"];
            let wait = || g.wait_semaphores(&[], &all);
            let wait = t.row("GraphBuilder::wait_semaphores", &by_hand, wait)?;
            let by_hand = ["cuGraphAddExternalSemaphoresSignalNode"];
            let signal = || g.signal_semaphores(&[wait.id()], &all);
            Ok((wait, t.row("GraphBuilder::signal_semaphores", &by_hand, signal)?))
        })
        .unwrap();
    let by_hand = ["cuGraphExecExternalSemaphoresWaitNodeSetParams"];
    t.row("Graph::set_waits", &by_hand, || graph.set_waits(wait, &all)).unwrap();
    let by_hand = ["cuGraphExecExternalSemaphoresSignalNodeSetParams"];
    t.row("Graph::set_signals", &by_hand, || graph.set_signals(signal, &all)).unwrap();
    let (mut definition, (wait, signal)) = gpu
        .define_graph(|g| {
            let wait = g.wait_semaphores(&[], &all)?;
            Ok((wait, g.signal_semaphores(&[wait.id()], &all)?))
        })
        .unwrap();
    let by_hand = ["cuGraphExternalSemaphoresWaitNodeSetParams"];
    t.row("GraphDefinition::set_waits", &by_hand, || definition.set_waits(wait, &all)).unwrap();
    let by_hand = ["cuGraphExternalSemaphoresSignalNodeSetParams"];
    t.row("GraphDefinition::set_signals", &by_hand, || definition.set_signals(signal, &all))
        .unwrap();
    drop((recorded.unwrap(), graph, definition));
    let destroy = ["cuDestroyExternalSemaphore"];
    let (here, why) = ([done, destroy[0]], "waits for the ordered streams that use it");
    t.unlike("ExternalSemaphore, dropped", &destroy, &here, why, || drop(semaphore));
}
