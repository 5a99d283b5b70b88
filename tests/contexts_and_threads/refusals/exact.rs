//! What messages say at a limit and on both sides of it, and what they leave out: inputs that the driver refuses for another
//! reason than the one that lies near.
#![allow(unsafe_code, reason = "makes calls that the driver refuses")]

use super::Input::{Alone, Call, Fails};
use super::Row;
use super::table::{
    ALL, INVALID_VALUE, NO_NOR, OUT_OF_MEMORY, array, import, none, of_the_host, rows, unit,
};
use crate::common::gpu::kernel;
use crate::common::kernels::STORE;
use cuscope::external::SemaphoreHandle;
use cuscope::ipc::{EventHandle, MemoryHandle};
use cuscope::memory::{AccessPolicyWindow, AccessProperty, Advice, Location, PoolAccess};
use cuscope::stream::{StreamValue, Until, ValueOperation};
use cuscope::texture::{ArrayFlags, ArrayShape, Sampling};
use cuscope::virtual_memory::{MappedAccess, PhysicalMemory, Reservation};
use cuscope::{Context, ContextFlags, Device, LaunchConfig, MemoryPool, PushedGuard, Result, ffi};
use cuscope_softdriver::faults::{Fault, Which, with_fault};

const NOT_SUPPORTED: ffi::CUresult = ffi::CUDA_ERROR_NOT_SUPPORTED;
const UNKNOWN: ffi::CUresult = ffi::CUDA_ERROR_UNKNOWN;
const INVALID_HANDLE: ffi::CUresult = ffi::CUDA_ERROR_INVALID_HANDLE;
const INVALID_CONTEXT: ffi::CUresult = ffi::CUDA_ERROR_INVALID_CONTEXT;
const MAP_FAILED: ffi::CUresult = ffi::CUDA_ERROR_MAP_FAILED;
const CAPTURES: ffi::CUresult = ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;

const CREATE_POOL: &str = "cuMemPoolCreate";
const CREATE_ARRAY: &str = "cuArray3DCreate_v2";
const CREATE_TEXTURE: &str = "cuTexObjectCreate";
const OPEN_MEMORY: &str = "cuIpcOpenMemHandle_v2";
const OPEN_EVENT: &str = "cuIpcOpenEventHandle";
const IMPORT_SEMAPHORE: &str = "cuImportExternalSemaphore";
const RESET: &str = "cuCtxResetPersistingL2Cache";
const SET_ACCESS: &str = "cuMemSetAccess";
const OPERATIONS: &str = "cuStreamBatchMemOp_v2";

const SAME_PROCESS: &[&str] = &["exported by this process"];
const NO_MEMORY_HANDLE: &[&str] = &["no handle of `export_buffer`", "has dropped the buffer"];
const NO_EVENT_HANDLE: &[&str] = &["no handle of `export_event`", "has dropped the event"];
const NO_SEMAPHORE: &[&str] = &["the handle is none of a semaphore"];

const NO_WIDE: &str = "CAN_USE_64_BIT_STREAM_MEM_OPS=0";
const NO_PERSISTING: &str = "MAX_PERSISTING_L2_CACHE_SIZE=0";
const NO_VIRTUAL_MEMORY: &str = "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED=0";
/// A device that does not use managed memory while the host does, beside one that does.
const ONE_WAITS: &str = "1:CONCURRENT_MANAGED_ACCESS=0";

/// Makes a call whose driver function fails.
fn failing(function: &'static str, code: ffi::CUresult, call: impl FnOnce() -> Result) -> Result {
    with_fault(Fault { which: Which::Named(function), code, performed: false }, call).0
}

/// Makes a call that finds no memory.
fn no_memory(gpu: &PushedGuard<'_>) -> Result {
    failing("cuMemAlloc_v2", OUT_OF_MEMORY, || none(gpu.alloc::<u32>(4)))
}

/// Has a pool keep 32 MiB that no buffer uses.
fn unused(gpu: &PushedGuard<'_>, pool: &MemoryPool) -> Result {
    pool.set_release_threshold(u64::MAX)?;
    let stream = gpu.stream()?;
    drop(gpu.on(&stream).alloc_from::<u32>(pool, 4)?);
    stream.synchronize()
}

fn import_memory(gpu: &PushedGuard<'_>) -> Result {
    let handle = MemoryHandle::from_bytes([1; MemoryHandle::SIZE]);
    // SAFETY: 1. to 4. The driver refuses it.
    none(unsafe { gpu.import_buffer::<u8>(&handle) })
}

fn import_event(gpu: &PushedGuard<'_>) -> Result {
    // SAFETY: 1. and 2. The driver refuses it.
    none(unsafe { gpu.import_event(&EventHandle::from_bytes([1; EventHandle::SIZE])) })
}

fn import_semaphore(gpu: &PushedGuard<'_>) -> Result {
    let handle = SemaphoreHandle::OpaqueWin32(std::ptr::null_mut());
    // SAFETY: 1. and 2. The driver refuses it.
    none(unsafe { gpu.import_external_semaphore(handle) })
}

/// Enqueues operations on two numbers.
fn operations(
    gpu: &PushedGuard<'_>,
    all: impl for<'v> FnOnce(&'v StreamValue<u32>, &'v StreamValue<u64>) -> [ValueOperation<'v>; 2],
) -> Result {
    let stream = gpu.stream()?;
    let (small, large) = (gpu.stream_value(0_u32)?, gpu.stream_value(0_u64)?);
    gpu.scope(|s| s.on(&stream).value_operations(&all(&small, &large)))
}

/// Maps memory of a unit each at the first three places of four.
fn three(refused: impl FnOnce(&mut Reservation, usize) -> Result) -> Result {
    let unit = unit()?;
    let mut addresses = Reservation::new(4 * unit)?;
    for place in 0..3 {
        addresses.map(place * unit, PhysicalMemory::create(Device::get(0)?, unit)?)?;
    }
    refused(&mut addresses, unit)
}

rows! {
    EXACT:
    "external/memory.rs" "import_external_memory" { "memory of some size" => ["INVALID_VALUE", "!the size is 0"] Fails("cuImportExternalMemory", INVALID_VALUE, |gpu| import(gpu, 4096)); }
    "external/semaphore.rs" "import_external_semaphore" {
        "while other code captures" => ["import before"] Fails(IMPORT_SEMAPHORE, CAPTURES, import_semaphore);
        "no semaphore" => NO_SEMAPHORE Fails(IMPORT_SEMAPHORE, INVALID_VALUE, import_semaphore);
        "no semaphore, by another code" => NO_SEMAPHORE Fails(IMPORT_SEMAPHORE, UNKNOWN, import_semaphore);
    }
    "foreign/dlpack.rs" "buffer_from_dlpack" { "an address of the host, by another code" => ["CUDA_ERROR_UNKNOWN", "!not page-locked"] Fails("cuMemHostGetDevicePointer_v2", UNKNOWN, of_the_host); }
    "foreign/memory.rs" "buffer_from_raw" { "the driver does not tell what an address is" => ["CUDA_ERROR_UNKNOWN", "cuPointerGetAttribute"] Fails("cuPointerGetAttribute", UNKNOWN, |gpu| {
        let memory = gpu.alloc::<u32>(4)?;
        // SAFETY: 1. to 3. It is refused.
        none(unsafe { gpu.buffer_from_raw::<u32>(memory.address(), 4, ()) })
    }); }
    "ipc/mod.rs" "export_buffer" {
        "managed memory" => ["the memory is managed"] Fails("cuIpcGetMemHandle", INVALID_VALUE, |gpu| none(gpu.export_buffer(&gpu.managed::<u32>(4)?)));
        "memory that is not managed" => ["INVALID_VALUE", "!managed"] Fails("cuIpcGetMemHandle", INVALID_VALUE, |gpu| none(gpu.export_buffer(&gpu.alloc::<u32>(4)?)));
    }
    "ipc/mod.rs" "import_buffer" {
        "what this process exported" => SAME_PROCESS Fails(OPEN_MEMORY, INVALID_CONTEXT, import_memory);
        "memory that is open" => ["open in another context"] Fails(OPEN_MEMORY, INVALID_HANDLE, import_memory);
        "no handle" => NO_MEMORY_HANDLE Fails(OPEN_MEMORY, INVALID_VALUE, import_memory);
        "memory that is gone" => NO_MEMORY_HANDLE Fails(OPEN_MEMORY, MAP_FAILED, import_memory);
    }
    "ipc/mod.rs" "export_event" {
        "an event of this process alone" => ["EventFlags::INTERPROCESS"] Fails("cuIpcGetEventHandle", INVALID_HANDLE, |gpu| none(gpu.export_event(&gpu.event()?)));
        "another code" => ["CUDA_ERROR_UNKNOWN", "!INTERPROCESS"] Fails("cuIpcGetEventHandle", UNKNOWN, |gpu| none(gpu.export_event(&gpu.event()?)));
    }
    "ipc/mod.rs" "import_event" {
        "what this process exported" => SAME_PROCESS Fails(OPEN_EVENT, INVALID_CONTEXT, import_event);
        "no handle" => NO_EVENT_HANDLE Fails(OPEN_EVENT, INVALID_VALUE, import_event);
        "no handle of an event" => NO_EVENT_HANDLE Fails(OPEN_EVENT, INVALID_HANDLE, import_event);
        "an event that is gone" => NO_EVENT_HANDLE Fails(OPEN_EVENT, MAP_FAILED, import_event);
    }
    "memory/array.rs" "alloc_array" {
        "as many columns as there may be" => ["INVALID_VALUE", "!takes at most"] Fails(CREATE_ARRAY, INVALID_VALUE, |gpu| array(gpu, ArrayShape::D2 { width: 131_072, height: 65_536 }, ArrayFlags::empty()));
        "a flag that there is not" => ["bits 0x40000000"] Fails(CREATE_ARRAY, INVALID_VALUE, |gpu| array(gpu, ArrayShape::D1 { width: 2 }, ArrayFlags::from_bits_retain(1 << 30)));
        "no memory for a volume" => ["120 bytes were requested"] Fails(CREATE_ARRAY, OUT_OF_MEMORY, |gpu| array(gpu, ArrayShape::D3 { width: 2, height: 3, depth: 5 }, ArrayFlags::empty()));
    }
    "memory/buffer.rs" "alloc" {
        "another code than that of memory" => ["INVALID_VALUE", "!bytes were requested"] Fails("cuMemAlloc_v2", INVALID_VALUE, |gpu| none(gpu.alloc::<u32>(4)));
        "nobody keeps memory" => ["16 bytes were requested", "of the device's 17179869184 are free, maybe not in one piece; free device memory", "!and 0 of"] Alone(ALL, |gpu| {
            MemoryPool::default_of(gpu.device())?.trim_to(0)?;
            no_memory(gpu)
        });
        "as much as the device has" => ["17179869184 bytes were requested", "free device memory", "!in all"] Fails("cuMemAlloc_v2", OUT_OF_MEMORY, |gpu| none(gpu.alloc::<u8>(1 << 34)));
        "a device that is not the first" => ["of the device's 17179869184 are free"] Call(|_| Context::create(Device::get(1)?, ContextFlags::default())?.with(|gpu| no_memory(gpu)));
        "memory that the default pool keeps" => ["its pools keep 33554432 bytes that no buffer uses", "MemoryPool::trim_to"] Alone(ALL, |gpu| {
            let pool = MemoryPool::default_of(gpu.device())?;
            unused(gpu, &pool)?;
            let result = no_memory(gpu);
            pool.trim_to(0)?;
            result
        });
        "memory that the default pool and the current one keep" => ["its pools keep 67108864 bytes that no buffer uses"] Alone(ALL, |gpu| {
            let (pool, current) = (MemoryPool::default_of(gpu.device())?, MemoryPool::create(gpu.device())?);
            current.make_current()?;
            unused(gpu, &current)?;
            unused(gpu, &pool)?;
            let result = no_memory(gpu);
            pool.trim_to(0)?;
            pool.make_current()?;
            result
        });
        "memory that a stream had kept" => ["no error"] Alone(ALL, |gpu| {
            let ordered = gpu.ordered_stream()?;
            drop(ordered.alloc::<u8>(1 << 20)?);
            // The second call of the thread, behind the question which context is current.
            let fault = Fault { which: Which::Nth(1), code: OUT_OF_MEMORY, performed: false };
            let (result, failed) = with_fault(fault, || none(gpu.alloc::<u32>(4)));
            assert_eq!(failed, ["cuMemAlloc_v2"]);
            result
        });
    }
    "memory/managed.rs" "advise" {
        "a device that does not wait for the host" => ["INVALID_VALUE", "!cannot use managed memory"] Fails("cuMemAdvise_v2", INVALID_VALUE, |gpu| gpu.advise(&gpu.managed::<u32>(4)?, Advice::AccessedBy(Location::Device(gpu.device()))));
        "a device that waits for the host, by another code" => ["device 1 cannot use managed memory while the host does"] Alone(ONE_WAITS, |gpu| {
            let (memory, advice) = (gpu.managed::<u32>(4)?, Advice::AccessedBy(Location::Device(Device::get(1)?)));
            failing("cuMemAdvise_v2", INVALID_VALUE, || gpu.advise(&memory, advice))
        });
    }
    "memory/pinned.rs" "pinned" { "what the driver does not register" => ["INVALID_VALUE", "cuMemHostRegister_v2"] Fails("cuMemHostRegister_v2", INVALID_VALUE, |gpu| none(gpu.pinned::<u32>(4))); }
    "memory/pool.rs" "create" {
        "the host, by a code that is not that of memory" => ["INVALID_VALUE", "!the host has not"] Fails(CREATE_POOL, INVALID_VALUE, |_| none(MemoryPool::create(Location::Host)));
        "a device, by a code that it has no reason for" => ["CUDA_ERROR_UNKNOWN", "!by file descriptors"] Fails(CREATE_POOL, UNKNOWN, |gpu| none(MemoryPool::create(gpu.device())));
    }
    "memory/pool.rs" "create_with_limit" {
        "the host has less" => ["the host has not 4096 bytes"] Fails(CREATE_POOL, OUT_OF_MEMORY, |_| none(MemoryPool::create_with_limit(Location::Host, 4096)));
        "a NUMA node has less" => ["the host has not 4096 bytes", "!no NUMA node"] Fails(CREATE_POOL, OUT_OF_MEMORY, |_| none(MemoryPool::create_with_limit(Location::HostNuma(0), 4096)));
    }
    "memory/pool.rs" "set_access" { "a device that reaches the pool's" => ["INVALID_VALUE", "!cannot access"] Fails("cuMemPoolSetAccess", INVALID_VALUE, |gpu| MemoryPool::create(gpu.device())?.set_access(Device::get(1)?, PoolAccess::ReadWrite)); }
    "settings/affinity.rs" "exec_affinity" { "a context that is not green" => ["INVALID_CONTEXT", "!green"] Fails("cuCtxGetExecAffinity", INVALID_CONTEXT, |gpu| none(gpu.exec_affinity())); }
    "settings/cache.rs" "reset_persisting_l2_cache" {
        "a device without it" => ["nothing persists in the L2 cache"] Alone(NO_PERSISTING, |gpu| gpu.reset_persisting_l2_cache());
        "a device with it" => ["NOT_SUPPORTED", "!nothing persists"] Fails(RESET, NOT_SUPPORTED, |gpu| gpu.reset_persisting_l2_cache());
        "a device without it, by another code" => ["CUDA_ERROR_UNKNOWN", "!nothing persists"] Alone(NO_PERSISTING, |gpu| failing(RESET, UNKNOWN, || gpu.reset_persisting_l2_cache()));
    }
    "stream/attributes.rs" "set_access_policy_window" { "as many bytes as there may be" => ["INVALID_VALUE", "!the window has"] Fails("cuStreamSetAttribute", INVALID_VALUE, |gpu| {
        let memory = gpu.alloc::<u8>(1 << 27)?;
        gpu.stream()?.set_access_policy_window(Some(AccessPolicyWindow::new(&memory, 1.0, AccessProperty::Normal, AccessProperty::Normal)?))
    }); }
    "stream/done.rs" "finished" { "what the driver does not take" => ["INVALID_VALUE", "cuStreamAddCallback"] Alone(ALL, |gpu| failing("cuStreamAddCallback", INVALID_VALUE, || none(gpu.stream()?.finished()))); }
    "stream/host_function.rs" "host_function" { "what the driver does not take" => ["INVALID_VALUE", "cuLaunchHostFunc"] Alone(ALL, |gpu| failing("cuLaunchHostFunc", INVALID_VALUE, || gpu.on(&gpu.stream()?).host_function(|| ()))); }
    "stream/stream_ordered.rs" "alloc_from" { "no memory for a pool of the device" => ["16 bytes were requested, and", "the pool has 0 bytes, of which buffers use 0", "!of the host"] Fails("cuMemAllocFromPoolAsync", OUT_OF_MEMORY, |gpu| {
        let (stream, pool) = (gpu.stream()?, MemoryPool::create(gpu.device())?);
        none(gpu.on(&stream).alloc_from::<u32>(&pool, 4))
    }); }
    "scope/verbs.rs" "value_operations" {
        "what the device has" => ["NOT_SUPPORTED", "!operation 0", "!operation 1"] Fails(OPERATIONS, NOT_SUPPORTED, |gpu| operations(gpu, |small, large| [small.write(1), large.wait(Until::Nor(1))]));
        "a write of 64 bits" => ["operation 1 is on a number of 64 bits"] Alone(NO_WIDE, |gpu| operations(gpu, |small, large| [small.write(1), large.write(1)]));
        "a wait for 64 bits" => ["operation 1 is on a number of 64 bits"] Alone(NO_WIDE, |gpu| operations(gpu, |small, large| [small.wait(Until::AtLeast(0)), large.wait(Until::AtLeast(0))]));
        "a barrier" => ["operation 1 is on a number of 64 bits"] Alone(NO_WIDE, |gpu| operations(gpu, |_, large| [ValueOperation::barrier(), large.write(1)]));
        "64 bits, by another code" => ["INVALID_VALUE", "!64 bits"] Alone(NO_WIDE, |gpu| failing(OPERATIONS, INVALID_VALUE, || operations(gpu, |small, large| [small.write(1), large.write(1)])));
        "the second wait" => ["operation 1 waits with `Until::Nor`"] Alone(NO_NOR, |gpu| operations(gpu, |small, _| [small.wait(Until::AtLeast(0)), small.wait(Until::Nor(1))]));
        "a wait for other bits of 64" => ["operation 1 waits with `Until::Nor`"] Alone(NO_NOR, |gpu| operations(gpu, |_, large| [large.write(0), large.wait(Until::Nor(1))]));
    }
    "stream/sync_stream.rs" "fill" { "a wait that tells of a fault, behind several calls" => ["LAUNCH_FAILED", "cuStreamSynchronize"] Alone(ALL, |gpu| {
        let (stream, mut planes) = (gpu.stream()?, gpu.alloc_pitched::<u32>((4, 3, 2))?);
        failing("cuStreamSynchronize", ffi::CUDA_ERROR_LAUNCH_FAILED, || gpu.on(&stream).fill(&mut planes.part_mut(.., ..2, ..)?, 1))
    }); }
    "stream/unscoped.rs" "launch_raw" { "a pointer too many" => ["2 parameters", "3 arguments"] Fails("cuLaunchKernel", INVALID_VALUE, |gpu| {
        let (stream, store) = (gpu.stream()?, kernel(gpu, STORE, "store"));
        let mut nothing = 0_u64;
        // SAFETY: 1. to 3. The driver refuses the launch.
        unsafe { gpu.on(&stream).launch_raw(&store, LaunchConfig::new(1, 1), &mut [(&raw mut nothing).cast(); 3]) }
    }); }
    "texture/texels.rs" "texture" {
        "an array" => ["INVALID_VALUE", "!the memory"] Fails(CREATE_TEXTURE, INVALID_VALUE, |gpu| {
            let array = gpu.alloc_array::<[f32; 4]>(ArrayShape::D2 { width: 131_072, height: 2 }, ArrayFlags::empty())?;
            none(gpu.texture(array, Sampling::default()))
        });
        "as many rows as there may be" => ["INVALID_VALUE", "!rows"] Fails(CREATE_TEXTURE, INVALID_VALUE, |gpu| none(gpu.texture(&gpu.alloc_pitched::<f32>((8, 65_000))?, Sampling::default())));
        "few bytes between rows" => ["INVALID_VALUE", "!bytes between rows"] Fails(CREATE_TEXTURE, INVALID_VALUE, |gpu| none(gpu.texture(&gpu.alloc_pitched::<[f32; 4]>((65_536, 2))?, Sampling::default())));
    }
    "virtual_memory/physical.rs" "create" {
        "by a code that is for memory of other processes" => ["NOT_SUPPORTED", "!by file descriptors"] Fails("cuMemCreate", NOT_SUPPORTED, |gpu| none(PhysicalMemory::create(gpu.device(), unit()?)));
        "a device without virtual memory" => ["device 0 has no virtual memory"] Alone(NO_VIRTUAL_MEMORY, |gpu| none(PhysicalMemory::create(gpu.device(), 2 << 20)));
    }
    "virtual_memory/physical.rs" "create_shareable" { "by a code that is for something else" => ["CUDA_ERROR_UNKNOWN", "!by file descriptors"] Fails("cuMemCreate", UNKNOWN, |gpu| none(PhysicalMemory::create_shareable(gpu.device(), unit()?))); }
    "virtual_memory/physical.rs" "granularity" { "a device without virtual memory" => ["device 0 has no virtual memory"] Alone(NO_VIRTUAL_MEMORY, |gpu| none(PhysicalMemory::granularity(gpu.device()))); }
    "virtual_memory/reservation.rs" "map" { "the beginning" => ["INVALID_VALUE", "!the offset"] Fails("cuMemMap", INVALID_VALUE, |gpu| Reservation::new(unit()?)?.map(0, PhysicalMemory::create(gpu.device(), unit()?)?)); }
    "virtual_memory/reservation.rs" "set_access" {
        "a whole mapping between others" => ["INVALID_VALUE", "!whole mappings", "!nothing is mapped", "!cannot access"] Fails(SET_ACCESS, INVALID_VALUE, |gpu| three(|addresses, unit| addresses.set_access(unit, unit, gpu.device(), MappedAccess::Read)));
        "the second half of a mapping" => ["from byte 2097152 to 4194304 is no whole mappings", "from 0 to 4194304"] Call(|gpu| {
            let mut addresses = Reservation::new(2 * unit()?)?;
            addresses.map(0, PhysicalMemory::create(gpu.device(), 2 * unit()?)?)?;
            addresses.set_access(unit()?, unit()?, gpu.device(), MappedAccess::Read)
        });
    }
    "virtual_memory/reservation.rs" "access" { "where nothing is mapped" => ["nothing is mapped at byte 6291456, and 6291456 bytes are mapped in all"] Call(|gpu| three(|addresses, unit| none(addresses.access(3 * unit, gpu.device())))); }
}
