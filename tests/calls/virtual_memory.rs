//! Buffers that grow, and virtual memory by hand.
#![allow(unsafe_code, reason = "imports memory")]

use super::table::Table;
use crate::exporter;
use cuscope::ipc::ImportedPool;
use cuscope::virtual_memory::{MappedAccess, PhysicalMemory, Reservation};
use cuscope::{Device, EventFlags, MemoryPool, PushedGuard};

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
