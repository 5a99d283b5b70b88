//! The reasons and their inputs: those that the documentation names, and more that the messages tell apart.

use super::Input::{Alone, Call, Fails, Test};
use super::{Refused, Row};
use crate::common::gpu::{hold, kernel};
use crate::common::kernels::STORE;
use cuscope::context::{SmSplitFlags, current_context};
use cuscope::diagnostics::{CoreDumps, DriverLog, on_over_budget};
use cuscope::external::{MemoryFlags, MemoryHandle, SemaphoreHandle};
use cuscope::foreign::Ownership;
use cuscope::foreign::dlpack::{DLDevice, DLElement, DLManagedTensor, DLTensor, Tensor};
use cuscope::function::Carveout;
use cuscope::graphics::{GlDevices, Usage, gl_devices};
use cuscope::jit::JitOptions;
use cuscope::launch::{LaunchSpec, Occupancy};
use cuscope::memory::{
    AccessPolicyWindow, AccessProperty, Advice, Attachment, Location, PoolAccess,
};
use cuscope::settings::{Limit, RdmaScope};
use cuscope::stream::MemSyncDomainMap;
use cuscope::stream::Until;
use cuscope::tensor_map::{Swizzle, TensorKind, TensorLayout};
use cuscope::texture::{ArrayFlags, ArrayShape, Sampling};
use cuscope::virtual_memory::{MappedAccess, Multicast, PhysicalMemory, Reservation};
use cuscope::{
    Context, ContextFlags, Cubin, Device, EventFlags, Function, LaunchConfig, Library, MemoryPool,
    Ptx, PushedGuard, Result, StreamFlags, ffi,
};
use cuscope_softdriver::faults::{Fault, Which, with_fault};
use std::ptr::{NonNull, null_mut};
use std::sync::mpsc::channel;

/// A module with a variable.
const VARIABLES: &str =
    ".version 7.0 .target sm_52 .address_size 64 .visible .global .u32 counter;";

/// A kernel for small blocks.
pub(super) const FEW_THREADS: &str =
    ".version 7.0 .target sm_52 .address_size 64 .visible .entry few() .maxntid 32 { ret; }";

/// A kernel with shared memory of its own, 1024 bytes.
const SHARED: &str = ".version 7.0 .target sm_52 .address_size 64 .visible .entry shared() { .shared .b8 own[1024]; ret; }";

/// More than a device has.
const HUGE: usize = 1 << 50;

macro_rules! rows {
    ($name:ident: $($file:literal $function:literal { $($reason:literal => $says:tt $input:expr;)* })*) => {
        pub(super) const $name: &[Row] = &[$($(
            Row { place: ($file, $function), reason: $reason, says: &$says, input: $input },
        )*)*];
    };
}

pub(super) use rows;

/// Drops what a call returns.
pub(super) fn none<T>(result: Result<T>) -> Result {
    result.map(drop)
}

/// Launches a kernel in a way that the driver refuses.
fn launch<'ctx>(gpu: &PushedGuard<'ctx>, config: impl LaunchSpec<'ctx>) -> Result {
    let (stream, store) = (gpu.stream()?, kernel(gpu, STORE, "store"));
    let mut out = gpu.alloc::<u32>(1)?;
    // SAFETY: the kernel is store(u32 *, u32); the driver refuses the launch.
    unsafe { gpu.on(&stream).launch_unchecked(&store, config, (&mut out, 1_u32)) }
}

/// Launches a kernel that has shared memory with so many bytes more.
fn own_shared(gpu: &PushedGuard<'_>, bytes: u32) -> Result {
    let (stream, shared) = (gpu.stream()?, kernel(gpu, SHARED, "shared"));
    let config = LaunchConfig::new(1, 1).with_shared_bytes(bytes);
    // SAFETY: the kernel has no parameters and does nothing.
    unsafe { gpu.on(&stream).launch_unchecked(&shared, config, ()) }
}

fn store<'ctx>(gpu: &PushedGuard<'ctx>) -> Result<Function<'ctx>> {
    gpu.load_ptx(STORE)?.function("store")
}

fn occupancy<R>(
    gpu: &PushedGuard<'_>,
    ask: impl FnOnce(&Occupancy<'_, '_>) -> Result<R>,
) -> Result {
    none(ask(&gpu.occupancy(&store(gpu)?)))
}

/// Builds a graph with a kernel node for each configuration.
fn node<'ctx>(gpu: &PushedGuard<'ctx>, config: impl LaunchSpec<'ctx>) -> Result {
    let store = kernel(gpu, STORE, "store");
    let mut out = gpu.alloc::<u32>(1)?;
    none(gpu.build_graph(|g| {
        let out = g.hold(&mut out);
        // SAFETY: the kernel is store(u32 *, u32); the driver refuses the node.
        none(unsafe { g.kernel_unchecked(&[], &store, config, (&out, 1_u32)) })
    }))
}

fn tensor(gpu: &PushedGuard<'_>, layout: TensorLayout) -> Result {
    let x = gpu.alloc::<f32>(1 << 16)?;
    none(gpu.tensor_map(&layout, &x))
}

/// Encodes a map of numbers of 4 bytes, wherever they are.
fn encode(gpu: &PushedGuard<'_>, layout: &TensorLayout) -> Result {
    none(layout.encode(gpu, TensorKind::F32, 1 << 20))
}

/// Allocates an array without its memory: a device has none so large.
pub(super) fn array(gpu: &PushedGuard<'_>, shape: ArrayShape, flags: ArrayFlags) -> Result {
    none(gpu.alloc_array::<f32>(shape, flags))
}

/// Imports what is no memory.
pub(super) fn import(gpu: &PushedGuard<'_>, bytes: u64) -> Result {
    let file = std::fs::File::open("/dev/null").expect("a file");
    // SAFETY: 1. and 2. The driver refuses it.
    none(unsafe {
        gpu.import_external_memory(MemoryHandle::OpaqueFd(file.into()), bytes, MemoryFlags::empty())
    })
}

/// Maps memory of two units at the beginning of four, and of one at their end.
fn mapped(
    gpu: &PushedGuard<'_>,
    refused: impl FnOnce(&mut Reservation, usize) -> Result,
) -> Result {
    let unit = unit()?;
    let mut addresses = Reservation::new(4 * unit)?;
    addresses.map(0, PhysicalMemory::create(gpu.device(), 2 * unit)?)?;
    addresses.map(3 * unit, PhysicalMemory::create(gpu.device(), unit)?)?;
    refused(&mut addresses, unit)
}

pub(super) fn unit() -> Result<usize> {
    PhysicalMemory::granularity(Device::get(0)?)
}

/// Devices that give no memory and no pools to other processes.
const NOTHING_SHARED: &str = "IPC_EVENT_SUPPORTED=0,HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED=0,MEMPOOL_SUPPORTED_HANDLE_TYPES=0";

/// Devices that lack nothing. A host function that cuscope gives to the driver keeps the contexts of a process after a fault,
/// which other tests of this process pretend.
pub(super) const ALL: &str = "";

/// Devices that do not reach each other.
const APART: &str = "1:P2P_ATTRIBUTE_ACCESS_SUPPORTED=0";

const NOT_COOPERATIVE: &str = "COOPERATIVE_LAUNCH=0";
pub(super) const NO_NOR: &str = "CAN_USE_STREAM_WAIT_VALUE_NOR=0";
const NO_POOLS: &str = "MEMORY_POOLS_SUPPORTED=0";
const NO_MULTICAST: &str = "1:MULTICAST_SUPPORTED=0";
pub(super) const OUT_OF_MEMORY: ffi::CUresult = ffi::CUDA_ERROR_OUT_OF_MEMORY;

/// A context that code outside the crate destroyed.
pub(super) fn destroyed() -> Result<Context> {
    let mut raw = null_mut();
    // SAFETY: writes one context to `raw`, which is valid for it; there is a device 0.
    unsafe { cuscope::call!(cuCtxCreate_v2(&raw mut raw, 0, 0)) }?;
    // SAFETY: 1. to 3. The context is alive, and nothing of it is used but its number. The software driver follows no
    // handle of a context that is gone.
    let context = unsafe { Context::from_raw(raw, Ownership::Borrow) }?;
    // SAFETY: 1. The context is alive. 2. It is this function's.
    unsafe { cuscope::call!(cuCtxDestroy_v2(raw)) }?;
    Ok(context)
}

/// A context with some of the multiprocessors.
fn green(device: Device) -> Result<Context> {
    Context::create_green(
        &device.sm_resource()?.split_by_count(1, 8, SmSplitFlags::empty())?.groups,
    )
}

/// Captures what the closure adds after the capture was spoilt.
macro_rules! spoiled {
    ($gpu:ident, |$c:ident| $add:expr) => {{
        let mut stream = $gpu.stream()?;
        none($gpu.capture(&mut stream, |$c| {
            $gpu.synchronize().expect_err("it spoils the capture");
            $add
        }))
    }};
}

/// Takes a tensor in memory that the host allocated.
pub(super) fn of_the_host(gpu: &PushedGuard<'_>) -> Result {
    let (mut shape, mut data) = ([4_i64], [1.0_f32; 4]);
    let device = DLDevice { device_type: 3, device_id: 0 };
    let dl_tensor = DLTensor {
        data: data.as_mut_ptr().cast(),
        device,
        ndim: 1,
        dtype: <f32 as DLElement>::TYPE,
        shape: shape.as_mut_ptr(),
        strides: null_mut(),
        byte_offset: 0,
    };
    let mut tensor = DLManagedTensor { dl_tensor, manager_ctx: null_mut(), deleter: None };
    // SAFETY: 1. and 2. A tensor that nobody else has, which is there until this returns. It is refused, so that nothing has it
    // for longer.
    let tensor = unsafe { Tensor::from_raw(NonNull::from(&mut tensor)) };
    // SAFETY: 1. and 2. The memory is what the tensor says; the driver refuses it.
    none(unsafe { gpu.buffer_from_dlpack::<f32, _>(tensor) })
}

/// Registers a buffer of OpenGL, which there is not.
fn gl_buffer(gpu: &PushedGuard<'_>, name: u32) -> Result {
    // SAFETY: 1. to 4. The driver refuses it.
    none(unsafe { gpu.register_gl_buffer(name, Usage::ReadWrite) })
}

/// Registers an image of three dimensions, which there is not.
fn gl_image(gpu: &PushedGuard<'_>, name: u32, flags: ArrayFlags) -> Result {
    let shape = ArrayShape::D3 { width: 8, height: 8, depth: 8 };
    // SAFETY: 1. to 5. The driver refuses it.
    none(unsafe { gpu.register_gl_image::<f32>(name, 7, shape, 1, flags, Usage::ReadWrite) })
}

/// Machine code.
const CUBIN: &[u8] = include_bytes!("../../code/thrice.cubin");

fn link(gpu: &PushedGuard<'_>) -> Result {
    // SAFETY: 1. A compiler wrote it.
    none(unsafe { gpu.linker(&JitOptions::new())?.add_code(&Cubin::new(CUBIN)?, "it") })
}

const GRAPHICS_FACTS: &str = "driver_facts/graphics.rs";
const GRAPHICS: &str = "memory_and_kernels/graphics.rs";
const OPENGL: &str = "OpenGL";
const EXTERNAL: &str = "memory_and_kernels/external.rs";
const SEMAPHORES: &str = "semaphores of another interface";

const DMA_BUF: &str = "cuMemGetHandleForAddressRange";
const PLAIN: &str = "cuLaunchKernel";
const EXTENDED: &str = "cuLaunchKernelEx";
/// What a message says of a launch of which no reason is known.
const LAUNCH_IN_GENERAL: &str =
    "check that every dimension of the grid and the block is at least 1";
const GL_BUFFER: &str = "cuGraphicsGLRegisterBuffer";
const GL_IMAGE: &str = "cuGraphicsGLRegisterImage";
pub(super) const INVALID_VALUE: ffi::CUresult = ffi::CUDA_ERROR_INVALID_VALUE;
const NO_BINARY: ffi::CUresult = ffi::CUDA_ERROR_NO_BINARY_FOR_GPU;
const CAPTURES: ffi::CUresult = ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;

rows! {
    TABLE:
    "core/context/affinity.rs" "create_with_affinity" {
        "`CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY` without the multi-process service" => ["multi-process service"] Call(|gpu| none(Context::create_with_affinity(gpu.device(), ContextFlags::default(), 8)));
    }
    "core/context/create.rs" "create" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less memory", "0.5 GiB"] Fails("cuCtxCreate_v2", OUT_OF_MEMORY, |gpu| none(Context::create(gpu.device(), ContextFlags::default()))); }
    "core/context/primary.rs" "primary" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less memory", "0.5 GiB"] Fails("cuDevicePrimaryCtxRetain", OUT_OF_MEMORY, |gpu| none(Context::primary(gpu.device()))); }
    "core/context/current.rs" "id" { "`CUDA_ERROR_CONTEXT_IS_DESTROYED`" => ["code outside this crate destroyed"] Fails("cuCtxGetId", ffi::CUDA_ERROR_CONTEXT_IS_DESTROYED, |_| none(current_context()?.expect("one is current").id())); }
    "core/context/mod.rs" "id" { "code outside this crate destroyed" => ["code outside this crate destroyed"] Call(|_| none(destroyed()?.id())); }
    "core/context/mod.rs" "api_version" { "code outside this crate destroyed" => ["code outside this crate destroyed"] Call(|_| none(destroyed()?.api_version())); }
    "core/context/mod.rs" "is_current" { "in the child of a fork" => ["only the parent"] Fails("cuCtxGetCurrent", ffi::CUDA_ERROR_NOT_INITIALIZED, |gpu| none(gpu.context().is_current())); }
    "core/context/mod.rs" "try_destroy" { "In a host function that is `CUDA_ERROR_NOT_PERMITTED`, and the context is released later" => ["do not call the driver from a host function"] Alone(ALL, |gpu| {
        let (stream, other) = (gpu.stream()?, Context::create(gpu.device(), ContextFlags::default())?);
        let (send, receive) = channel();
        gpu.on(&stream).host_function(move || send.send(other.try_destroy().expect("nothing holds it")).expect("it is received"))?;
        receive.recv().expect("it was sent")
    }); }
    "core/context/green.rs" "split_by_count" {
        "more multiprocessors than there are" => ["groups of at least 100000", "request fewer"] Call(|gpu| none(gpu.device().sm_resource()?.split_by_count(1, 100_000, Default::default())));
        "a part" => ["is not split again"] Call(|gpu| {
            let part = gpu.device().sm_resource()?.split_by_count(1, 8, SmSplitFlags::empty())?.groups[0];
            none(part.split_by_count(1, 2, SmSplitFlags::empty()))
        });
        "both flags" => ["one of `SmSplitFlags`"] Call(|gpu| none(gpu.device().sm_resource()?.split_by_count(1, 8, SmSplitFlags::all())));
    }
    "core/context/primary.rs" "set_primary_context_flags" {
        "[`ContextFlags::MAP_HOST`], which is always on" => ["MAP_HOST", "leave it out"] Call(|gpu| gpu.device().set_primary_context_flags(ContextFlags::MAP_HOST));
    }
    "core/device.rs" "get" { "there is no such device" => ["there is no device 99", "has 2"] Call(|_| none(Device::get(99))); }
    "core/device.rs" "luid" { "on other systems" => ["does not support"] Call(|gpu| none(gpu.device().luid())); }
    "core/device.rs" "attribute" { "attribute that the driver does not know" => ["does not know the attribute 1", "13.0"] Call(|gpu| none(gpu.device().attribute(ffi::CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED))); }
    "core/device.rs" "p2p_attribute" {
        "device and itself" => ["device 0 has no link with itself"] Call(|gpu| none(gpu.device().p2p_attribute(gpu.device(), ffi::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED)));
        "attribute that the driver does not know" => ["does not know the attribute 77"] Call(|gpu| none(gpu.device().p2p_attribute(Device::get(1)?, ffi::CUdevice_P2PAttribute(77))));
    }
    "core/device.rs" "host_atomic_capabilities" {
        "no operations" => ["there are no operations"] Call(|gpu| none(gpu.device().host_atomic_capabilities(&[])));
        "one that the driver does not know" => ["does not know one of the operations"] Call(|gpu| none(gpu.device().host_atomic_capabilities(&[ffi::CUatomicOperation(999)])));
    }
    "core/device.rs" "p2p_atomic_capabilities" {
        "device and itself" => ["no link with itself"] Call(|gpu| none(gpu.device().p2p_atomic_capabilities(gpu.device(), &[ffi::CU_ATOMIC_OPERATION_INTEGER_ADD])));
    }
    "core/device.rs" "by_pci_bus_id" {
        "CUDA has no device there" => ["is at \"00ff:00:00.0\""] Call(|_| none(Device::by_pci_bus_id("00ff:00:00.0")));
        "text that is no such address" => ["no PCI address"] Call(|_| none(Device::by_pci_bus_id("nowhere")));
    }
    "core/call/mod.rs" "called" { "That includes `CUDA_ERROR_NOT_READY`, with which a query reports that work is not complete" => ["wait until the work is complete"] Call(|gpu| {
        let stream = gpu.stream()?;
        let _gate = hold(&stream);
        // SAFETY: 1. and 2. The stream is alive, and a query changes nothing.
        unsafe { cuscope::call!(cuStreamQuery(stream.raw())) }
    }); }
    "core/driver/mod.rs" "init" {
        "on a machine without a GPU" => ["CUDA_ERROR_NO_DEVICE", "CUDA_VISIBLE_DEVICES"] Test("contexts_and_threads/bad_input.rs", "a process without devices");
        "in the child of a fork" => ["only the parent can use it"] Test("contexts_and_threads/endings.rs", "a fork");
    }
    "diagnostics/core_dumps.rs" "user_trigger" { "`CUDA_ERROR_INVALID_VALUE`" => ["settings of the process"] Call(|gpu| none(gpu.core_dumps().user_trigger())); }
    "diagnostics/core_dumps.rs" "set_pipe" { "once the trigger is enabled and a context exists" => ["before the first context is created"] Fails("cuCoredumpSetAttributeGlobal", ffi::CUDA_ERROR_NOT_SUPPORTED, |_| CoreDumps::process().set_pipe("pipe")); }
    "diagnostics/driver_log.rs" "write_to" { "the file cannot be written" => ["/nowhere/at/all", "cannot be written"] Call(|_| DriverLog::now()?.write_to("/nowhere/at/all")); }
    "diagnostics/over_budget.rs" "on_over_budget" { "`CUDA_ERROR_NOT_PERMITTED`" => ["NOT_PERMITTED", "host function"] Fails("cuDeviceRegisterAsyncNotification", ffi::CUDA_ERROR_NOT_PERMITTED, |gpu| none(on_over_budget(gpu.device(), |_| ()))); }
    "event.rs" "event_with" {
        "unknown flag bits" => ["0xf000"] Call(|gpu| none(gpu.event_with(EventFlags::from_bits_retain(0xf000))));
        "`INTERPROCESS` without `DISABLE_TIMING`" => ["add `EventFlags::DISABLE_TIMING`"] Call(|gpu| none(gpu.event_with(EventFlags::INTERPROCESS)));
    }
    "event.rs" "elapsed_since" {
        "one is not complete" => ["the later event is not complete"] Call(|gpu| {
            let (stream, begin, end) = (gpu.stream()?, gpu.event()?, gpu.event()?);
            gpu.on(&stream).record(&begin)?;
            let _gate = hold(&stream);
            gpu.on(&stream).record(&end)?;
            none(end.elapsed_since(&begin))
        });
        "one was not recorded" => ["not recorded yet"] Call(|gpu| none(gpu.event()?.elapsed_since(&gpu.event()?)));
        "takes no time stamps" => ["DISABLE_TIMING"] Call(|gpu| {
            let (stream, one, two) = (gpu.stream()?, gpu.event()?, gpu.event_with(EventFlags::DISABLE_TIMING)?);
            gpu.on(&stream).record(&one)?;
            gpu.on(&stream).record(&two)?;
            stream.synchronize()?;
            none(two.elapsed_since(&one))
        });
        "they belong to different contexts" => ["different contexts"] Call(|gpu| {
            let other = Context::primary(Device::get(0)?)?.event()?;
            none(gpu.event()?.elapsed_since(&other))
        });
    }
    "event.rs" "record_event" { "during a capture" => ["of the context is being captured"] Call(|gpu| { let (mut stream, event) = (gpu.stream()?, gpu.event()?); none(gpu.capture(&mut stream, |_| gpu.record_event(&event))) }); }
    "event.rs" "wait_event" { "during a capture" => ["of the context is being captured"] Call(|gpu| { let (mut stream, event) = (gpu.stream()?, gpu.event()?); none(gpu.capture(&mut stream, |_| gpu.wait_event(&event))) }); }
    "external/dma_buf.rs" "export_dma_buf" {
        "buffer that does not begin with a page" => ["no multiple of a page"] Fails(DMA_BUF, INVALID_VALUE, |gpu| {
            let _before = gpu.alloc::<u8>(512)?;
            none(gpu.export_dma_buf(&gpu.alloc::<u8>(4096)?))
        });
        "managed memory" => ["the memory is managed"] Fails(DMA_BUF, INVALID_VALUE, |gpu| none(gpu.export_dma_buf(&gpu.managed::<u8>(2 << 20)?)));
        "there is no `dma-buf`, as in the software driver" => ["DMA_BUF_SUPPORTED is 0"] Call(|gpu| none(gpu.export_dma_buf(&gpu.alloc::<u8>(2 << 20)?)));
    }
    "external/memory.rs" "import_external_memory" {
        "handle that is none of this kind" => ["the handle is none of memory"] Call(|gpu| import(gpu, 4096));
        "0 bytes" => ["the size is 0"] Call(|gpu| import(gpu, 0));
        "while other code captures" => ["import before"] Fails("cuImportExternalMemory", CAPTURES, |gpu| import(gpu, 4096));
        "kinds that the system does not have" => ["no handles of memory of this kind"] Call(|gpu| {
            // SAFETY: 1. and 2. The driver refuses it.
            none(unsafe { gpu.import_external_memory(MemoryHandle::OpaqueWin32(std::ptr::without_provenance_mut(8)), 4096, MemoryFlags::empty()) })
        });
    }
    "external/semaphore.rs" "import_external_semaphore" { "kinds that the system does not have" => ["no handles of semaphores of this kind"] Call(|gpu| {
        // SAFETY: 1. and 2. The driver refuses it.
        none(unsafe { gpu.import_external_semaphore(SemaphoreHandle::OpaqueWin32(std::ptr::null_mut())) })
    }); }
    "foreign/dlpack.rs" "buffer_from_dlpack" { "host memory that is not page-locked" => ["not page-locked", "upload it"] Call(of_the_host); }
    "function/attributes.rs" "attribute" { "attribute that the driver does not know" => ["does not know the attribute", "function"] Call(|gpu| none(store(gpu)?.attribute(ffi::CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE))); }
    "function/attributes.rs" "set_attribute" {
        "attribute that cannot be set" => ["cannot be set"] Call(|gpu| store(gpu)?.set_attribute(ffi::CU_FUNC_ATTRIBUTE_NUM_REGS, 7));
        "not to this value" => ["the value 9 of attribute"] Call(|gpu| store(gpu)?.set_attribute(ffi::CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 9));
    }
    "function/attributes.rs" "set_carveout" { "more than 100 percent" => ["101 percent"] Call(|gpu| store(gpu)?.set_carveout(Carveout::Percent(101))); }
    "graph/add.rs" "kernel_unchecked" {
        "invalid extents" => ["1025 threads"] Call(|gpu| node(gpu, LaunchConfig::new(1, 1025)));
        "attributes that nodes do not have, such as preferred clusters" => ["preferred_cluster"] Call(|gpu| node(gpu, LaunchConfig::new(4, 1).extended().cluster(2).preferred_cluster(4)));
        "clusters that the grid does not consist of" => ["3 blocks in x", "multiple of 2"] Call(|gpu| node(gpu, LaunchConfig::new(3, 1).extended().cluster(2)));
    }
    "graph/add.rs" "kernel" {
        "invalid extents" => ["1025 threads"] Call(|gpu| node(gpu, LaunchConfig::new(1, 1025)));
        "attributes that nodes do not have, such as preferred clusters" => ["preferred_cluster"] Call(|gpu| {
            node(gpu, LaunchConfig::new(4, 1).extended().cluster(2).preferred_cluster(4))
        });
        "clusters that the grid does not consist of" => ["multiple of 2"] Call(|gpu| {
            node(gpu, LaunchConfig::new(3, 1).extended().cluster(2))
        });
    }
    "event.rs" "record_in" {
        "stream of another context" => ["another context than the event"] Call(|gpu| {
            let other = Context::primary(Device::get(0)?)?.event()?;
            // SAFETY: 1. The stream is alive.
            unsafe { other.record_in(gpu.stream()?.raw()) }
        });
    }
    "graph/open.rs" "copy" { "something spoiled the capture" => ["spoilt the capture"] Call(|gpu| {
        let (stream, x, mut y) = (gpu.stream()?, gpu.alloc::<u32>(4)?, gpu.alloc::<u32>(4)?);
        let capture = gpu.open_capture(&stream)?;
        gpu.synchronize().expect_err("it spoils the capture");
        capture.on(gpu)?.copy(&x, &mut y)
    }); }
    "graph/open.rs" "finish" { "the capture was invalidated" => ["spoilt the capture"] Call(|gpu| {
        let capture = gpu.open_capture(&gpu.stream()?)?;
        gpu.synchronize().expect_err("it spoils the capture");
        none(capture.finish(gpu))
    }); }
    "graph/open.rs" "launch_unchecked" { "invalid extents" => ["1025 threads"] Call(|gpu| {
        let (store, mut out) = (kernel(gpu, STORE, "store"), gpu.alloc::<u32>(1)?);
        let capture = gpu.open_capture(&gpu.stream()?)?;
        // SAFETY: the kernel is store(u32 *, u32); the driver refuses the launch.
        unsafe { capture.on(gpu)?.launch_unchecked(&store, LaunchConfig::new(1, 1025), (&mut out, 1_u32)) }
    }); }
    "memory/pages.rs" "pinned_pages" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["the host does not have as much memory"] Call(|gpu| none(gpu.pinned_pages(HUGE))); }
    "module/guarded.rs" "function" {
        "there is no such kernel" => ["cuModuleGetFunction"] Call(|gpu| none(gpu.load_guarded(STORE)?.function("nothing")));
    }
    "module/guarded.rs" "kernel" { "there is no such kernel" => ["no kernel `stor`", "`store`"] Call(|gpu| none(gpu.load_guarded(STORE)?.kernel::<(&mut [u32], u32)>("stor"))); }
    "tensor_map.rs" "encode" {
        "packed numbers on a device that has none" => ["packed numbers", "10.0", "9.0"] Call(|gpu| {
            none(TensorLayout::tiled(&[128, 8], &[128, 8]).strides(&[64]).encode(gpu, TensorKind::U4Packed8, 1 << 20))
        });
    }
    "graph/add.rs" "value_operations" { "operation that the device does not have" => ["operation 0 waits with `Until::Nor`"] Alone(NO_NOR, |gpu| {
        let value = gpu.stream_value(0_u32)?;
        none(gpu.build_graph(|g| g.value_operations(&[], &[value.wait(Until::Nor(1))])))
    }); }
    "graph/alloc.rs" "alloc" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less"] Call(|gpu| none(gpu.build_graph(|g| none(g.alloc::<u8>(&[], HUGE))))); }
    "graph/capture.rs" "capture" { "the capture was invalidated" => ["spoilt the capture"] Call(|gpu| spoiled!(gpu, |_c| Ok(()))); }
    "graph/conditional.rs" "switch_node" { "no graphs" => ["at least 1 graph"] Call(|gpu| none(gpu.build_graph(|g| {
        let condition = g.condition(0)?;
        none(g.switch_node(&[], condition, 0, |_, _| Ok(())))
    }))); }
    "graph/semaphores.rs" "signal_semaphores" { "something spoiled the capture" => ["spoilt the capture"] Test(EXTERNAL, SEMAPHORES); }
    "graph/stream.rs" "copy" { "something spoiled the capture" => ["spoilt the capture"] Call(|gpu| {
        let (x, mut y) = (gpu.alloc::<u32>(4)?, gpu.alloc::<u32>(4)?);
        spoiled!(gpu, |c| c.stream().copy(&x, &mut c.hold(&mut y)))
    }); }
    "graph/stream.rs" "record" { "something spoiled the capture" => ["spoilt the capture"] Call(|gpu| { let event = gpu.event()?; spoiled!(gpu, |c| c.stream().record(&event)) }); }
    "graph/stream.rs" "wait" { "something spoiled the capture" => ["spoilt the capture"] Call(|gpu| { let event = gpu.event()?; spoiled!(gpu, |c| c.stream().wait(&event)) }); }
    "graph/stream.rs" "value_operations" { "something spoiled the capture" => ["spoilt the capture"] Call(|gpu| { let value = gpu.stream_value(0_u32)?; spoiled!(gpu, |c| c.stream().value_operations(&[value.write(1)])) }); }
    "graph/stream.rs" "launch_unchecked" { "invalid extents" => ["1025 threads"] Call(|gpu| {
        let store = kernel(gpu, STORE, "store");
        let (mut stream, mut out) = (gpu.stream()?, gpu.alloc::<u32>(1)?);
        none(gpu.capture(&mut stream, |c| {
            let out = c.hold(&mut out);
            // SAFETY: the kernel is store(u32 *, u32); the driver refuses the launch.
            unsafe { c.stream().launch_unchecked(&store, LaunchConfig::new(1, 1025), (&out, 1_u32)) }
        }))
    }); }
    "graph/set.rs" "set_child" {
        "graph with other nodes or edges: the node then stays as it was" => ["other nodes or edges"] Call(|gpu| {
            let (one, _) = gpu.build_graph(|g| g.empty(&[]))?;
            let (two, _) = gpu.build_graph(|g| { g.empty(&[])?; g.empty(&[]) })?;
            let (mut graph, node) = gpu.build_graph(|g| g.child(&[], &one, ()))?;
            graph.set_child(node, &two, ())
        });
        "definition has nodes that allocate" => ["CUDA_ERROR_NOT_SUPPORTED", "nodes that allocate or free memory"] Call(|gpu| {
            let (one, _) = gpu.build_graph(|g| g.empty(&[]))?;
            let (mut definition, node) = gpu.define_graph(|g| {
                none(g.alloc::<u32>(&[], 4))?;
                g.child(&[], &one, ())
            })?;
            definition.set_child(node, &one, ())
        });
    }
    "graph/set.rs" "set_copy" { "copy of rows in the place of another shape" => ["copy of one row alone"] Call(|gpu| {
        let (x, mut y) = (gpu.alloc_pitched::<u32>((8, 8))?, gpu.alloc_pitched::<u32>((8, 8))?);
        let (mut graph, node) = gpu.build_graph(|g| g.copy(&[], &x, &mut g.hold(&mut y)))?;
        graph.set_copy(node, &x.part(..4, ..2, ..)?, &mut y.part_mut(..4, ..2, ..)?)
    }); }
    "graph/set.rs" "set_enabled" { "node of another kind" => ["of the kind Empty", "only kernels, copies and fills"] Call(|gpu| {
        let (mut graph, node) = gpu.build_graph(|g| g.empty(&[]))?;
        graph.set_enabled(node, false)
    }); }
    "graph/set.rs" "set_kernel_unchecked" {
        "invalid extents" => ["1025 threads"] Call(|gpu| {
            let (store, mut out) = (kernel(gpu, STORE, "store"), gpu.alloc::<u32>(1)?);
            let (mut graph, node) = gpu.build_graph(|g| {
                let mut out = g.hold(&mut out);
                // SAFETY: the kernel is store(u32 *, u32), and writes one element.
                unsafe { g.kernel_unchecked(&[], &store, LaunchConfig::new(1, 1), (&mut out, 1_u32)) }
            })?;
            // SAFETY: as above; the driver refuses the change.
            unsafe { gpu.set_kernel_unchecked(&mut graph, node, &store, LaunchConfig::new(1, 1025), (&mut out, 1_u32)) }
        });
        "grid that does not consist of the node's clusters" => ["whole clusters"] Call(|gpu| {
            let (store, mut out) = (kernel(gpu, STORE, "store"), gpu.alloc::<u32>(1)?);
            let (mut graph, node) = gpu.build_graph(|g| {
                let mut out = g.hold(&mut out);
                let clusters = LaunchConfig::new(4, 1).extended().cluster(2);
                // SAFETY: the kernel is store(u32 *, u32), and writes one element.
                unsafe { g.kernel_unchecked(&[], &store, clusters, (&mut out, 1_u32)) }
            })?;
            // SAFETY: as above; the driver refuses the change.
            unsafe { gpu.set_kernel_unchecked(&mut graph, node, &store, LaunchConfig::new(3, 1), (&mut out, 1_u32)) }
        });
    }
    "graph/set.rs" "set_signals" { "another number of semaphores than the node has" => ["2 semaphores were passed"] Test(EXTERNAL, SEMAPHORES); }
    "graph/set.rs" "set_value_operations" { "operations of another number or other kinds" => ["2 operations were passed"] Call(|gpu| {
        let value = gpu.stream_value(0_u32)?;
        let (mut graph, node) = gpu.build_graph(|g| g.value_operations(&[], &[value.write(1)]))?;
        graph.set_value_operations(node, &[value.write(1), value.write(2)])
    }); }
    "graphics/map.rs" "map_buffer" {
        "while it is mapped" => ["ALREADY_MAPPED"] Test(GRAPHICS, OPENGL);
        "no context of OpenGL is current on the thread" => ["INVALID_GRAPHICS_CONTEXT"] Test(GRAPHICS, OPENGL);
        "while other code captures" => ["register("] Test(GRAPHICS_FACTS, OPENGL);
    }
    "graphics/mod.rs" "gl_devices" {
        "there is none" => ["no context of OpenGL is current"] Call(|_| none(gl_devices(GlDevices::CurrentFrame)));
        "no device of CUDA draws" => ["no device of CUDA draws"] Fails("cuGLGetDevices_v2", ffi::CUDA_ERROR_NO_DEVICE, |_| none(gl_devices(GlDevices::All)));
    }
    "graphics/mod.rs" "register_gl_buffer" {
        "the name 0" => ["0 names no buffer"] Fails(GL_BUFFER, INVALID_VALUE, |gpu| gl_buffer(gpu, 0));
        "name of no buffer" => ["9999 names no buffer"] Fails(GL_BUFFER, ffi::CUDA_ERROR_INVALID_HANDLE, |gpu| gl_buffer(gpu, 9999));
        "buffer that `glBufferData` has not given memory" => ["the buffer 1 has no memory in OpenGL"] Fails(GL_BUFFER, OUT_OF_MEMORY, |gpu| gl_buffer(gpu, 1));
        "in a program without a context of OpenGL" => ["no context of OpenGL is current"] Call(|gpu| {
            // SAFETY: 1. to 3. There is no OpenGL, and the driver refuses it.
            none(unsafe { gpu.register_gl_buffer(1, Usage::ReadWrite) })
        });
        "while other code captures" => ["end the capture first"] Fails(GL_BUFFER, CAPTURES, |gpu| gl_buffer(gpu, 1));
    }
    "graphics/mod.rs" "register_gl_image" {
        "target or a format that is not shared" => ["images of the target 0x7"] Fails(GL_IMAGE, INVALID_VALUE, |gpu| gl_image(gpu, 1, ArrayFlags::empty()));
        "the name 0" => ["0 names no image"] Fails(GL_IMAGE, INVALID_VALUE, |gpu| gl_image(gpu, 0, ArrayFlags::empty()));
        "`GATHER` with layers or planes" => ["of two dimensions alone"] Fails(GL_IMAGE, INVALID_VALUE, |gpu| gl_image(gpu, 1, ArrayFlags::GATHER));
        "name of no image" => ["9999 names no image"] Fails(GL_IMAGE, ffi::CUDA_ERROR_INVALID_HANDLE, |gpu| gl_image(gpu, 9999, ArrayFlags::GATHER));
    }
    "ipc/mod.rs" "export_buffer" { "no memory goes to other processes" => ["create_shareable"] Alone(NOTHING_SHARED, |gpu| none(gpu.export_buffer(&gpu.alloc::<u32>(4)?))); }
    "ipc/pool.rs" "export_pooled" {
        "memory of another pool" => ["create_shareable"] Call(|gpu| {
            let stream = gpu.stream()?;
            none(gpu.export_pooled(&gpu.on(&stream).alloc::<u32>(4)?))
        });
        "before the pool was exported" => ["`export` first"] Call(|gpu| {
            let (stream, pool) = (gpu.stream()?, MemoryPool::create_shareable(gpu.device())?);
            none(gpu.export_pooled(&gpu.on(&stream).alloc_from::<u32>(&pool, 4)?))
        });
    }
    "jit/link.rs" "add_code" {
        "machine code of another architecture" => ["for another device", "sm_90"] Fails("cuLinkAddData_v2", NO_BINARY, link);
        "code that was not compiled for linking" => ["not compiled for linking", "-rdc=true"] Fails("cuLinkAddData_v2", NO_BINARY, link);
    }
    "jit/link.rs" "add_object" { "it contains no device code" => ["no device code for linking"] Call(|gpu| {
        // SAFETY: what is no ELF file is refused by its first bytes.
        none(unsafe { gpu.linker(&JitOptions::new())?.add_object(&[b'?'; 256], "it") })
    }); }
    "launch/occupancy.rs" "active_blocks" { "block without threads" => ["0 in x"] Call(|gpu| occupancy(gpu, |asked| asked.active_blocks(0, 0))); }
    "launch/occupancy.rs" "available_shared_bytes" { "more blocks than fit without shared memory" => ["and not 1000"] Call(|gpu| occupancy(gpu, |asked| asked.available_shared_bytes(1000, 1024))); }
    "launch/occupancy.rs" "max_cluster_size" { "extents of 0" => ["0 in x"] Call(|gpu| none(gpu.occupancy(&store(gpu)?).max_cluster_size(&LaunchConfig::new(0, 1).extended()))); }
    "launch/occupancy.rs" "active_clusters" {
        "clusters that do not divide the grid" => ["multiple of 2"] Call(|gpu| none(gpu.occupancy(&store(gpu)?).active_clusters(&LaunchConfig::new(3, 1).extended().cluster(2))));
        "are too large" => ["32 blocks", "8 are possible"] Call(|gpu| none(gpu.occupancy(&store(gpu)?).active_clusters(&LaunchConfig::new(32, 1).extended().cluster(32))));
    }
    "library/kernel.rs" "kernel" { "there is no such kernel" => ["no kernel `stor`", "`store`"] Call(|_| none(Library::load(&Ptx::new(STORE)?)?.kernel("stor"))); }
    "library/variable.rs" "managed" {
        "there is no such variable" => ["no variable `x`"] Call(|_| none(Library::load(&Ptx::new(STORE)?)?.managed("x")));
        "it is not managed" => ["`counter` is not managed"] Call(|_| none(Library::load(&Ptx::new(VARIABLES)?)?.managed("counter")));
    }
    "library/variable.rs" "unified_function" {
        "there is no such function" => ["no unified function `f`"] Call(|_| none(Library::load(&Ptx::new(STORE)?)?.unified_function("f")));
        "the device has none" => ["UNIFIED_FUNCTION_POINTERS"] Call(|_| none(Library::load(&Ptx::new(STORE)?)?.unified_function("f")));
    }
    "memory/array.rs" "alloc_array" {
        "extents beyond the device's attributes for textures or surfaces of that shape" => ["1000000 columns", "at most 131072"] Call(|gpu| none(gpu.alloc_array::<f32>(ArrayShape::D2 { width: 1_000_000, height: 2 }, ArrayFlags::empty())));
        "`GATHER` with another shape than `D2`" => ["two dimensions alone"] Call(|gpu| none(gpu.alloc_array::<f32>(ArrayShape::D1 { width: 2 }, ArrayFlags::GATHER)));
        "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less"] Call(|gpu| none(gpu.alloc_array::<[f32; 4]>(ArrayShape::D2 { width: 100_000, height: 60_000 }, ArrayFlags::empty())));
    }
    "memory/buffer.rs" "alloc" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["1125899906842624 bytes were requested", "17179869184 in all"] Call(|gpu| none(gpu.alloc::<u8>(HUGE))); }
    "memory/growable.rs" "alloc_growable" { "there are not as many addresses" => ["reserve fewer"] Call(|gpu| none(gpu.alloc_growable::<u8>(1 << 60))); }
    "memory/growable.rs" "grow" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less"] Call(|gpu| gpu.alloc_growable::<u8>(1 << 40)?.grow(1 << 40)); }
    "memory/managed.rs" "managed" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["1125899906842624 bytes were requested", "17179869184 in all"] Call(|gpu| none(gpu.managed::<u8>(HUGE))); }
    "memory/managed.rs" "advise" {
        "memory that is not managed" => ["PushedGuard::managed"] Call(|gpu| gpu.advise(&gpu.alloc::<u32>(4)?, Advice::ReadMostly(true)));
        "[`Location`] that the advice does not take: a NUMA node among `AccessedBy`" => ["NUMA node 0"] Call(|gpu| gpu.advise(&gpu.managed::<u32>(4)?, Advice::AccessedBy(Location::HostNuma(0))));
    }
    "memory/managed.rs" "range_info" {
        "memory that is not managed" => ["PushedGuard::managed"] Call(|gpu| none(gpu.range_info(&gpu.alloc::<u32>(4)?)));
        "none" => ["the memory is empty"] Call(|gpu| none(gpu.range_info(&gpu.managed::<u32>(0)?)));
    }
    "memory/pinned.rs" "pinned" { "one of more than the host has" => ["the host does not have as much memory"] Call(|gpu| none(gpu.pinned::<u8>(HUGE))); }
    "memory/pinned.rs" "device_address" { "code outside this crate ended the context" => ["code outside this crate", "no longer page-locked"] Fails("cuMemHostGetDevicePointer_v2", INVALID_VALUE, |gpu| none(gpu.pinned::<u32>(4)?.device_address(gpu))); }
    "memory/pitched.rs" "alloc_pitched" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less"] Call(|gpu| none(gpu.alloc_pitched::<u8>((1 << 20, 1 << 30)))); }
    "memory/pool.rs" "create" { "there are no pools at the place, as for [`Location::HostNumaCurrent`]" => ["Location::HostNuma`"] Call(|_| none(MemoryPool::create(Location::HostNumaCurrent))); }
    "memory/pool.rs" "default_of" { "there are no pools at the place" => ["no NUMA node 9"] Call(|_| none(MemoryPool::default_of(Location::HostNuma(9)))); }
    "memory/pool.rs" "create_with_limit" { "the place has less" => ["bytes were requested"] Call(|gpu| none(MemoryPool::create_with_limit(gpu.device(), HUGE))); }
    "memory/pool.rs" "create_shareable" { "the device shares no pools by file descriptors" => ["by file descriptors"] Alone(NOTHING_SHARED, |gpu| none(MemoryPool::create_shareable(gpu.device()))); }
    "memory/pool.rs" "set_access" {
        "[`PoolAccess::None`] and the pool's own device" => ["device 0 has access to its own pool"] Call(|gpu| MemoryPool::create(gpu.device())?.set_access(gpu.device(), PoolAccess::None));
        "device that cannot access the pool's device" => ["can_access_peer"] Alone(APART, |gpu| {
            MemoryPool::create(gpu.device())?.set_access(Device::get(1)?, PoolAccess::ReadWrite)
        });
    }
    "memory/register.rs" "with_registered" { "a part of it is page-locked" => ["all of it in one call"] Call(|gpu| {
        let mut memory = vec![0_u8; 1 << 16];
        let (start, len) = (memory.as_mut_ptr(), memory.len());
        gpu.with_registered(&mut memory, |_| {
            // SAFETY: the same memory, of which nothing is read or written.
            let same = unsafe { std::slice::from_raw_parts_mut(start, len) };
            gpu.with_registered(same, |_| Ok(()))
        })
    }); }
    "module/functions.rs" "function" {
        "there is no such kernel" => ["no kernel `stor`", "`store`"] Call(|gpu| none(gpu.load_ptx(STORE)?.function("stor")));
        "empty name" => ["the name is empty", "`store`"] Call(|gpu| none(gpu.load_ptx(STORE)?.function("")));
    }
    "module/load.rs" "load" {
        "`Error::Load` with the compiler's log and the line of PTX that it names: `CUDA_ERROR_INVALID_PTX`" => ["sm_100", "sm_90"] Call(|gpu| none(gpu.load_ptx(STORE.replace("7.0", "8.7").replace("sm_52", "sm_100"))));
        "`CUDA_ERROR_UNSUPPORTED_PTX_VERSION`" => ["`.version 99.0`", "up to 9.0"] Call(|gpu| none(gpu.load_ptx(STORE.replace(".version 7.0", ".version 99.0"))));
        "machine code of another architecture" => ["no machine code for the device", "sm_90"] Fails("cuModuleLoadDataEx", NO_BINARY, |gpu| none(gpu.load(&Cubin::new(CUBIN)?)));
    }
    "module/load.rs" "load_with" { "option that the driver does not support" => ["`target` is 7"] Call(|gpu| none(gpu.load_with(&Ptx::new(STORE)?, &JitOptions::new().target(ffi::CUjit_target(7))))); }
    "module/variables.rs" "variable" {
        "there is no such variable" => ["no variable `count`", "`counter`"] Call(|gpu| none(gpu.load_ptx(VARIABLES)?.variable::<u32>("count")));
        "the name of a kernel" => ["`store` is a kernel"] Call(|gpu| none(gpu.load_ptx(STORE)?.variable::<u32>("store")));
    }
    "ordered/later.rs" "wait" { "the host does not have as much memory" => ["OUT_OF_MEMORY"] Test("ordered_streams/ordered.rs", "more memory of the device than the host has"); }
    "ordered/verbs.rs" "alloc" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less"] Call(|gpu| none(gpu.ordered_stream()?.alloc::<u8>(HUGE))); }
    "ordered/verbs.rs" "to_vec" { "the host does not have as much memory" => ["OUT_OF_MEMORY"] Test("ordered_streams/ordered.rs", "more memory of the device than the host has"); }
    "scope/parts.rs" "chunks" { "more parts than the host has memory for" => ["the host does not have as much memory"] Call(|gpu| {
        let mut x = gpu.alloc::<[u8; 0]>(HUGE)?; // no byte
        gpu.scope(|s| none(s.hold(&mut x).chunks(1)))
    }); }
    "scope/scratch.rs" "scratch" {
        "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less"] Call(|gpu| { let stream = gpu.stream()?; gpu.scope(|s| none(s.on(&stream).scratch::<u8>(HUGE))) });
        "the device has no pools: hold a buffer of `alloc` there" => ["no pools of memory"] Alone(NO_POOLS, |gpu| { let stream = gpu.stream()?; gpu.scope(|s| none(s.on(&stream).scratch::<u8>(4))) });
    }
    "scope/stream.rs" "value_operations" { "operation that the device does not have (some have no numbers of 64 bits, or no `Until::Nor`)" => ["operation 1 waits with `Until::Nor`"] Alone(NO_NOR, |gpu| {
        let (stream, value) = (gpu.stream()?, gpu.stream_value(0_u32)?);
        gpu.scope(|s| s.on(&stream).value_operations(&[value.write(1), value.wait(Until::Nor(1))]))
    }); }
    "settings/affinity.rs" "exec_affinity" { "green context" => ["green context has no affinity", "sm_resource"] Call(|gpu| green(gpu.device())?.with(|gpu| none(gpu.exec_affinity()))); }
    "settings/cache.rs" "reset_persisting_l2_cache" { "the device does not support it" => ["does not support the operation"] Fails("cuCtxResetPersistingL2Cache", ffi::CUDA_ERROR_NOT_SUPPORTED, |gpu| gpu.reset_persisting_l2_cache()); }
    "settings/limits.rs" "limit" {
        "limit that the device does not have" => ["has no `Limit::DeviceRuntimeSyncDepth`"] Call(|gpu| none(gpu.limit(Limit::DeviceRuntimeSyncDepth)));
        "limit that the driver does not know" => ["does not know `Limit::PerBlockMemorySize`"] Call(|gpu| none(gpu.limit(Limit::PerBlockMemorySize)));
    }
    "settings/limits.rs" "set_limit" {
        "limit that cannot be set" => ["cannot be set"] Call(|gpu| gpu.set_limit(Limit::SharedMemorySize, 1));
        "value out of range" => ["pass a smaller value"] Call(|gpu| gpu.set_limit(Limit::StackSize, 1 << 40));
    }
    "settings/peer_access.rs" "disable_peer_access" { "it has no access" => ["enable_peer_access"] Call(|gpu| gpu.disable_peer_access(&Context::primary(Device::get(1)?)?)); }
    "settings/peer_access.rs" "enable_peer_access" {
        "it has access" => ["enable it once"] Call(|gpu| {
            let other = Context::create(Device::get(1)?, ContextFlags::default())?;
            gpu.enable_peer_access(&other)?;
            gpu.enable_peer_access(&other)
        });
        "context of the same device" => ["belong to one device"] Call(|gpu| gpu.enable_peer_access(&Context::create(gpu.device(), ContextFlags::default())?));
        "device that cannot access the other one" => ["Device::can_access_peer"] Alone(APART, |gpu| gpu.enable_peer_access(&Context::create(Device::get(1)?, ContextFlags::default())?));
        "`CUDA_ERROR_TOO_MANY_PEERS`" => ["disable_peer_access"] Fails("cuCtxEnablePeerAccess", ffi::CUDA_ERROR_TOO_MANY_PEERS, |gpu| gpu.enable_peer_access(&Context::create(Device::get(1)?, ContextFlags::default())?));
    }
    "settings/rdma.rs" "flush_rdma_writes" { "`CUDA_ERROR_NOT_SUPPORTED`" => ["the host cannot flush such writes"] Fails("cuFlushGPUDirectRDMAWrites", ffi::CUDA_ERROR_NOT_SUPPORTED, |gpu| gpu.flush_rdma_writes(RdmaScope::Owner)); }
    "stream/attributes.rs" "set_access_policy_window" { "more bytes than the device's windows have" => ["window has 268435456 bytes", "134217728"] Call(|gpu| {
        let memory = gpu.alloc::<u8>(1 << 28)?;
        gpu.stream()?.set_access_policy_window(Some(AccessPolicyWindow::new(&memory, 1.0, AccessProperty::Normal, AccessProperty::Normal)?))
    }); }
    "stream/attributes.rs" "set_mem_sync_domain_map" { "number that the device does not have" => ["domains 0 and 9", "has 4"] Call(|gpu| gpu.stream()?.set_mem_sync_domain_map(MemSyncDomainMap { default: 0, remote: 9 })); }
    "stream/mod.rs" "stream_with" { "unknown flag bits" => ["0x4c"] Call(|gpu| none(gpu.stream_with(StreamFlags::from_bits_retain(77)))); }
    "stream/short.rs" "to_vec" { "the host does not have as much memory" => ["the host does not have as much memory"] Call(|gpu| {
        let stream = gpu.stream()?;
        // SAFETY: 1. and 2. Nothing is read: the host has no place for it.
        none(gpu.on(&stream).to_vec(&unsafe { gpu.device_range::<u8>(0x1000, 1 << 60) }?))
    }); }
    "stream/stream_ordered.rs" "alloc" {
        "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less"] Call(|gpu| { let stream = gpu.stream()?; none(gpu.on(&stream).alloc::<u8>(HUGE)) });
        "the device has no pools" => ["no pools of memory"] Alone(NO_POOLS, |gpu| { let stream = gpu.stream()?; none(gpu.on(&stream).alloc::<u8>(4)) });
    }
    "stream/stream_ordered.rs" "alloc_pinned_from" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["bytes of the host were requested"] Call(|gpu| {
        let (stream, pool) = (gpu.stream()?, MemoryPool::create(Location::Host)?);
        none(gpu.on(&stream).alloc_pinned_from::<u8>(&pool, HUGE))
    }); }
    "stream/sync_stream.rs" "attach" { "memory that is not managed" => ["PushedGuard::managed"] Call(|gpu| { let stream = gpu.stream()?;
        // SAFETY: the driver refuses it.
        unsafe { gpu.on(&stream).attach(&mut gpu.alloc::<u32>(4)?, Attachment::Single) }
    }); }
    "stream/sync_stream.rs" "discard" { "memory that is not managed" => ["PushedGuard::managed"] Call(|gpu| { let stream = gpu.stream()?; gpu.on(&stream).discard(&mut gpu.alloc::<u32>(4)?) }); }
    "stream/sync_stream.rs" "prefetch" {
        "memory that is not managed" => ["PushedGuard::managed"] Call(|gpu| { let stream = gpu.stream()?; gpu.on(&stream).prefetch(&gpu.alloc::<u32>(4)?, Location::Host) });
        "NUMA node that does not exist" => ["NUMA node 999"] Call(|gpu| { let stream = gpu.stream()?; gpu.on(&stream).prefetch(&gpu.managed::<u32>(4)?, Location::HostNuma(999)) });
    }
    "stream/sync_stream.rs" "launch_unchecked" {
        "extents of 0, unless the grid is empty" => ["0 in y"] Call(|gpu| launch(gpu, LaunchConfig::new((1, 0), 1)));
        "over the device's limits" => ["70000 blocks in y", "65535"] Call(|gpu| launch(gpu, LaunchConfig::new((1, 70_000), 1)));
        "more shared memory than a block has on the device" => ["232448"] Call(|gpu| launch(gpu, LaunchConfig::new(1, 1).with_shared_bytes(1 << 20)));
        "no arguments to a kernel that has parameters" => ["2 parameters", "0 arguments"] Call(|gpu| {
            let (stream, store) = (gpu.stream()?, store(gpu)?);
            // SAFETY: the driver refuses the launch.
            unsafe { gpu.on(&stream).launch_unchecked(&store, LaunchConfig::new(1, 1), ()) }
        });
    }
    "tensor_map.rs" "tensor_map" {
        "boxes" => ["the edge of the box of dimension 1 is 257", "256"] Call(|gpu| tensor(gpu, TensorLayout::tiled(&[64, 512], &[32, 257])));
        "steps that the accelerator does not have" => ["the step of dimension 1 is 9"] Call(|gpu| tensor(gpu, TensorLayout::tiled(&[64, 512], &[32, 2]).element_steps(&[1, 9])));
    }
    "texture/texels.rs" "texture" {
        "slice or rows whose address the device does not want for textures (`CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT`)" => ["multiple of 512 bytes"] Call(|gpu| {
            let memory = gpu.alloc::<f32>(1024)?;
            none(gpu.texture(memory.slice(1..)?, Sampling::default()))
        });
        "more elements than it has attributes for" => ["elements, and a texture", "268435456"] Call(|gpu| none(gpu.texture(&gpu.alloc::<f32>((1 << 28) + 1)?, Sampling::default())));
    }
    "virtual_memory/multicast.rs" "granularity" {
        "devices without multicast objects" => ["device 1 has no multicast objects"] Alone(NO_MULTICAST, |_| none(Multicast::granularity(&Device::all()?, 1)));
        "no devices" => ["there are no devices"] Call(|_| none(Multicast::granularity(&[], 1)));
        "no bytes" => ["the size is 0"] Call(|_| none(Multicast::granularity(&Device::all()?, 0)));
    }
    "virtual_memory/multicast.rs" "create" {
        "no devices" => ["there are no devices"] Call(|_| none(Multicast::create(&[], 2 << 20)));
        "device that is listed twice" => ["device 0 is listed twice"] Call(|gpu| none(Multicast::create(&[gpu.device(), gpu.device()], 2 << 20)));
        "size that is 0" => ["the size is 0"] Call(|_| none(Multicast::create(&Device::all()?, 0)));
        "no multiple of the `granularity`" => ["1000 bytes, and no multiple"] Call(|_| none(Multicast::create(&Device::all()?, 1000)));
        "`CUDA_ERROR_NOT_SUPPORTED`" => ["device 1 has no multicast objects"] Alone(NO_MULTICAST, |_| none(Multicast::create(&Device::all()?, 2 << 20)));
    }
    "virtual_memory/multicast.rs" "bind" {
        "offset" => ["the offset is 4096 bytes"] Call(|gpu| Multicast::create(&Device::all()?, 4 * unit()?)?.bind(4096, PhysicalMemory::create(gpu.device(), unit()?)?));
        "size that is no multiple of the `granularity`" => ["cuMulticastBindMem"] Test("memory_and_kernels/multicast.rs", "devices whose memory has smaller pieces than their multicast objects");
        "`CUDA_ERROR_OUT_OF_MEMORY`" => ["2097152 bytes were requested"] Fails("cuMulticastBindMem", OUT_OF_MEMORY, |gpu| Multicast::create(&Device::all()?, unit()?)?.bind(0, PhysicalMemory::create(gpu.device(), unit()?)?));
    }
    "virtual_memory/physical.rs" "create" {
        "size that is 0" => ["the size is 0"] Call(|gpu| none(PhysicalMemory::create(gpu.device(), 0)));
        "no multiple of the `granularity`" => ["1000 bytes", "2097152"] Call(|gpu| none(PhysicalMemory::create(gpu.device(), 1000)));
        "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less"] Call(|gpu| none(PhysicalMemory::create(gpu.device(), HUGE)));
    }
    "virtual_memory/physical.rs" "create_shareable" { "the device shares no memory by file descriptors" => ["by file descriptors"] Alone(NOTHING_SHARED, |gpu| none(PhysicalMemory::create_shareable(gpu.device(), unit()?))); }
    "virtual_memory/reservation.rs" "new" {
        "size that is 0" => ["the size is 0"] Call(|_| none(Reservation::new(0)));
        "no multiple of the granularity" => ["1000 bytes", "2097152"] Call(|_| none(Reservation::new(1000)));
        "there are not as many addresses" => ["reserve fewer"] Call(|_| none(Reservation::new(1 << 60)));
    }
    "virtual_memory/reservation.rs" "map" { "one that is no multiple of the `granularity`" => ["the offset is 4096 bytes", "2097152"] Call(|gpu| Reservation::new(4 * unit()?)?.map(4096, PhysicalMemory::create(gpu.device(), unit()?)?)); }
    "virtual_memory/reservation.rs" "set_access" { "another range" => ["nothing is mapped from byte 0"] Call(|gpu| Reservation::new(4 * unit()?)?.set_access(0, unit()?, gpu.device(), MappedAccess::Read)); }
}

// Inputs that the messages tell apart from those above, although the documentation does not.
rows! {
    MORE:
    "core/context/primary.rs" "set_primary_context_flags" { "other flags" => ["check the arguments"] Fails("cuDevicePrimaryCtxSetFlags_v2", INVALID_VALUE, |gpu| gpu.device().set_primary_context_flags(ContextFlags::SCHED_SPIN)); }
    "core/context/green.rs" "split_by_count" {
        "as many multiprocessors as there are, which are not the reason" => ["is not split again"] Fails("cuDevSmResourceSplitByCount", ffi::CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, |gpu| none(gpu.device().sm_resource()?.split_by_count(1, 132, SmSplitFlags::empty())));
        "a part, in more groups than there can be" => ["is not split again"] Call(|gpu| {
            let part = gpu.device().sm_resource()?.split_by_count(1, 8, SmSplitFlags::empty())?.groups[0];
            none(part.split_by_count(100, 2, SmSplitFlags::empty()))
        });
    }
    "event.rs" "event_with" {
        "an event of this process" => ["check the arguments"] Fails("cuEventCreate", INVALID_VALUE, |gpu| none(gpu.event_with(EventFlags::BLOCKING_SYNC)));
        "an event of other processes without time stamps" => ["check the arguments"] Fails("cuEventCreate", INVALID_VALUE, |gpu| none(gpu.event_with(EventFlags::INTERPROCESS | EventFlags::DISABLE_TIMING)));
    }
    "jit/link.rs" "add_code" { "a failure without a reason" => ["CUDA_ERROR_UNKNOWN"] Fails("cuLinkAddData_v2", ffi::CUDA_ERROR_UNKNOWN, link); }
    "launch/occupancy.rs" "available_shared_bytes" { "no blocks" => ["there are 0 blocks"] Call(|gpu| occupancy(gpu, |asked| asked.available_shared_bytes(0, 32))); }
    "stream/sync_stream.rs" "launch_unchecked" {
        "more threads than a block has, by the code for resources" => ["2000 threads in x", "1024"] Fails("cuLaunchKernel", ffi::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, |gpu| launch(gpu, LaunchConfig::new(1, 2000)));
        "more threads than the kernel takes" => ["64 threads, and this kernel takes at most 32"] Call(|gpu| {
            let (stream, few) = (gpu.stream()?, kernel(gpu, FEW_THREADS, "few"));
            // SAFETY: the kernel has no parameters and does nothing; the driver refuses the launch.
            unsafe { gpu.on(&stream).launch_unchecked(&few, LaunchConfig::new(1, 64), ()) }
        });
        "a window of more bytes than the device's have" => ["window has 268435456 bytes", "134217728"] Call(|gpu| {
            let memory = gpu.alloc::<u8>(1 << 28)?;
            let window = AccessPolicyWindow::new(&memory, 1.0, AccessProperty::Normal, AccessProperty::Normal)?;
            launch(gpu, LaunchConfig::new(1, 1).extended().access_policy_window(window))
        });
        "extents and shared memory at their limits, which are not the reason" => [LAUNCH_IN_GENERAL] Fails(PLAIN, INVALID_VALUE, |gpu| launch(gpu, LaunchConfig::new((1, 65_535, 65_535), (1, 1024)).with_shared_bytes(232_448)));
        "blocks in x, which may be more than in y and z" => [LAUNCH_IN_GENERAL] Fails(PLAIN, INVALID_VALUE, |gpu| launch(gpu, LaunchConfig::new(70_000, (1024, 1, 1))));
        "threads in y" => ["2000 threads in y", "at most 1024"] Call(|gpu| launch(gpu, LaunchConfig::new(1, (1, 2000))));
        "more threads than a block has, in extents that are small enough" => ["the block of 64 x 32 x 1 has 2048 threads, and the device takes at most 1024"] Call(|gpu| launch(gpu, LaunchConfig::new(1, (64, 32))));
        "shared memory of a kernel that has some of its own" => ["requests 231425 bytes", "the kernel has 1024 bytes of its own", "at most 232448", "request at most 231424"] Call(|gpu| own_shared(gpu, 231_425));
        "shared memory at its limit, which is not the reason" => [LAUNCH_IN_GENERAL] Fails(PLAIN, INVALID_VALUE, |gpu| own_shared(gpu, 231_424));
        "a window as large as the device's, which is not the reason" => [LAUNCH_IN_GENERAL] Fails(EXTENDED, INVALID_VALUE, |gpu| {
            let memory = gpu.alloc::<u8>(1 << 27)?;
            let window = AccessPolicyWindow::new(&memory, 1.0, AccessProperty::Normal, AccessProperty::Normal)?;
            launch(gpu, LaunchConfig::new(1, 1).extended().access_policy_window(window))
        });
        "clusters of as many blocks as are possible everywhere, which are not the reason" => ["the grid must consist of whole clusters"] Fails(EXTENDED, ffi::CUDA_ERROR_INVALID_CLUSTER_SIZE, |gpu| launch(gpu, LaunchConfig::new(8, 1).extended().cluster(8)));
        "a cooperative launch of which the driver says no more" => ["launch at most as many blocks as"] Fails(EXTENDED, ffi::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, |gpu| launch(gpu, LaunchConfig::new(1, 0).extended().cooperative()));
        "a cooperative launch of a device that has them" => ["create the events of a launch with `DISABLE_TIMING`"] Fails(EXTENDED, ffi::CUDA_ERROR_NOT_SUPPORTED, |gpu| launch(gpu, LaunchConfig::new(1, 1).extended().cooperative()));
        "another launch of a device without cooperative ones" => ["create the events of a launch with `DISABLE_TIMING`"] Alone(NOT_COOPERATIVE, |gpu| {
            let event = gpu.event()?;
            launch(gpu, LaunchConfig::new(1, 1).extended().launch_completion_event(&event))
        });
        "clusters without blocks" => ["the cluster is 2 x 0 x 1 blocks, with 0 in y"] Call(|gpu| launch(gpu, LaunchConfig::new(4, 1).extended().cluster((2, 0))));
        "preferred clusters that do not divide the grid" => ["6 blocks in x, and the preferred cluster 4"] Call(|gpu| launch(gpu, LaunchConfig::new(6, 1).extended().cluster(2).preferred_cluster(4)));
        "preferred clusters that clusters do not divide" => ["the preferred cluster has 3 blocks in x", "no multiple of the 2"] Call(|gpu| launch(gpu, LaunchConfig::new(6, 1).extended().cluster(2).preferred_cluster(3)));
    }
    "memory/array.rs" "alloc_array" {
        "rows of layers" => ["1048576 elements in a row"] Call(|gpu| array(gpu, ArrayShape::Layered1 { width: 1 << 20, layers: 2 }, ArrayFlags::empty()));
        "layers" => ["1048576 layers"] Call(|gpu| array(gpu, ArrayShape::Layered2 { width: 2, height: 2, layers: 1 << 20 }, ArrayFlags::SURFACE));
        "faces" => ["1048576 columns and rows in a face"] Call(|gpu| array(gpu, ArrayShape::Cubemap { width: 1 << 20 }, ArrayFlags::SURFACE));
        "cubes" => ["6291456 faces"] Call(|gpu| array(gpu, ArrayShape::LayeredCubemap { width: 2, cubes: 1 << 20 }, ArrayFlags::empty()));
        "flags that are none" => ["no flag of arrays has the bits 0x40000000"] Call(|gpu| array(gpu, ArrayShape::D1 { width: 8 }, ArrayFlags::from_bits_retain(1 << 30)));
        "columns of few planes" => ["100000 columns", "at most 16384"] Call(|gpu| array(gpu, ArrayShape::D3 { width: 100_000, height: 2, depth: 2 }, ArrayFlags::empty()));
        "planes" => ["100000 planes", "at most 32768"] Call(|gpu| array(gpu, ArrayShape::D3 { width: 2, height: 2, depth: 100_000 }, ArrayFlags::empty()));
        "columns of many planes" => ["10000 columns", "at most 8192"] Call(|gpu| array(gpu, ArrayShape::D3 { width: 10_000, height: 2, depth: 20_000 }, ArrayFlags::empty()));
        "texels that are gathered" => ["100000 columns", "at most 32768"] Call(|gpu| array(gpu, ArrayShape::D2 { width: 100_000, height: 2 }, ArrayFlags::GATHER));
    }
    "memory/array.rs" "alloc_mipmapped_array" { "levels" => ["1048576 elements"] Call(|gpu| none(gpu.alloc_mipmapped_array::<f32>(ArrayShape::D1 { width: 1 << 20 }, 1, ArrayFlags::empty()))); }
    "memory/managed.rs" "advise" {
        "page-locked memory" => ["not managed, but page-locked"] Call(|gpu| {
            let memory = gpu.pinned::<u32>(4)?;
            // SAFETY: 1. and 2. The buffer lives until this returns, and nothing else uses it; the driver refuses the call.
            gpu.advise(&unsafe { gpu.device_range::<u32>(memory.device_address(gpu)?, 4) }?, Advice::ReadMostly(true))
        });
        "no memory of the driver" => ["the memory is not managed: allocate it"] Call(|gpu| {
            // SAFETY: 1. and 2. The driver refuses the call, so that nothing is used.
            gpu.advise(&unsafe { gpu.device_range::<u32>(0x1000, 4) }?, Advice::ReadMostly(true))
        });
        "the NUMA node of the thread" => ["the call takes no NUMA node"] Fails("cuMemAdvise_v2", INVALID_VALUE, |gpu| gpu.advise(&gpu.managed::<u32>(4)?, Advice::AccessedBy(Location::HostNumaCurrent)));
        "a device that waits for the host" => ["device 0 cannot use managed memory while the host does"] Fails("cuMemAdvise_v2", ffi::CUDA_ERROR_INVALID_DEVICE, |gpu| gpu.advise(&gpu.managed::<u32>(4)?, Advice::AccessedBy(Location::Device(gpu.device()))));
    }
    "memory/pool.rs" "create" { "a NUMA node that does not exist" => ["no NUMA node 9"] Call(|_| none(MemoryPool::create(Location::HostNuma(9)))); }
    "memory/pool.rs" "create_with_limit" { "memory that an ordered stream keeps" => ["ordered streams keep", "OrderedStream::trim"] Alone(ALL, |gpu| {
        let ordered = gpu.ordered_stream()?;
        drop(ordered.alloc::<u8>(1 << 20)?);
        // In a process of its own, as whoever runs out of memory takes what all streams keep.
        let fault = Fault { which: Which::Named("cuMemPoolCreate"), code: OUT_OF_MEMORY, performed: false };
        with_fault(fault, || none(MemoryPool::create_with_limit(gpu.device(), 1 << 20))).0
    }); }
    "settings/limits.rs" "set_limit" { "limit that the device does not have" => ["has no `Limit::DeviceRuntimeSyncDepth`"] Call(|gpu| gpu.set_limit(Limit::DeviceRuntimeSyncDepth, 1)); }
    "tensor_map.rs" "encode" {
        "strides of more than 40 bits" => ["the stride of dimension 1 is 1099511627776 bytes"] Call(|gpu| encode(gpu, &TensorLayout::tiled(&[64, 2], &[32, 1]).strides(&[1 << 40])));
        "integers that are no number" => ["integers have no NaN"] Call(|gpu| none(TensorLayout::tiled(&[64, 2], &[32, 1]).nan_beyond().encode(gpu, TensorKind::U32, 1 << 20)));
        "rows that 32 bytes do not hold" => ["64 bytes, and `Swizzle::Bytes32` shuffles rows of at most 32"] Call(|gpu| encode(gpu, &TensorLayout::tiled(&[64, 8], &[16, 8]).swizzle(Swizzle::Bytes32)));
        "rows that 64 bytes do not hold" => ["128 bytes, and `Swizzle::Bytes64` shuffles rows of at most 64"] Call(|gpu| encode(gpu, &TensorLayout::tiled(&[64, 8], &[32, 8]).swizzle(Swizzle::Bytes64)));
        "boxes that shared memory does not hold" => ["a box has 262144 bytes", "at most 232448"] Call(|gpu| encode(gpu, &TensorLayout::tiled(&[256, 256], &[256, 256])));
        "corners in lines" => ["the lower corner of dimension 0 is 40000", "from -32768 to 32767"] Call(|gpu| encode(gpu, &TensorLayout::im2col(&[16, 32, 32], &[40_000], &[0], 16, 64)));
        "corners in volumes" => ["the lower corner of dimension 0 is 17", "from -16 to 15"] Call(|gpu| encode(gpu, &TensorLayout::im2col(&[16, 8, 8, 8, 2], &[17, 0, 0], &[0; 3], 16, 64)));
        "corners that leave no pixel" => ["between the corners 5 and 0 of dimension 1 no pixel of the 4 is left"] Call(|gpu| encode(gpu, &TensorLayout::im2col(&[16, 4, 4, 2], &[5, 0], &[0, 0], 16, 64)));
        "channels" => ["272 channels are copied at once"] Call(|gpu| encode(gpu, &TensorLayout::im2col(&[512, 32, 32, 2], &[0, 0], &[0, 0], 272, 64)));
        "wide images that are not shuffled" => ["the wide form of im2col swizzles"] Call(|gpu| encode(gpu, &TensorLayout::im2col_wide(&[16, 32, 32, 2], 0, 0, 16, Some(64))));
    }
    "texture/texels.rs" "texture" {
        "columns" => ["200000 columns, and a texture"] Call(|gpu| none(gpu.texture(&gpu.alloc_pitched::<f32>((200_000, 2))?, Sampling::default())));
        "rows" => ["70000 rows, and a texture"] Call(|gpu| none(gpu.texture(&gpu.alloc_pitched::<f32>((8, 70_000))?, Sampling::default())));
        "bytes between rows" => ["2097152 bytes between rows, and a texture"] Call(|gpu| none(gpu.texture(&gpu.alloc_pitched::<[f32; 4]>((131_072, 2))?, Sampling::default())));
    }
    "virtual_memory/physical.rs" "create" { "memory of a device whose context is not current" => ["2097152 bytes were requested; free device memory"] Fails("cuMemCreate", OUT_OF_MEMORY, |_| none(PhysicalMemory::create(Device::get(1)?, unit()?))); }
    "virtual_memory/reservation.rs" "set_access" {
        "no bytes" => ["the range has 0 bytes"] Call(|gpu| mapped(gpu, |addresses, _| addresses.set_access(0, 0, gpu.device(), MappedAccess::Read)));
        "a hole" => ["nothing is mapped from byte 4194304 to 6291456"] Call(|gpu| mapped(gpu, |addresses, unit| addresses.set_access(0, 4 * unit, gpu.device(), MappedAccess::Read)));
        "a part" => ["from byte 0 to 2097152 is no whole mappings", "from 0 to 4194304"] Call(|gpu| mapped(gpu, |addresses, unit| addresses.set_access(0, unit, gpu.device(), MappedAccess::Read)));
        "a device that does not reach it" => ["device 1 cannot access memory of device 0"] Alone(APART, |gpu| mapped(gpu, |addresses, unit| addresses.set_access(0, 2 * unit, Device::get(1)?, MappedAccess::Read)));
    }
}

/// What cuscope refuses before it asks the driver: inputs, and the numbers that the messages say.
pub(super) const NUMBERS: &[(Refused, &[&str])] = &[
    (
        |gpu| none(gpu.device().attribute(ffi::CUdevice_attribute(9999))),
        &["device attribute", "9999"],
    ),
    (
        |gpu| none(store(gpu)?.attribute(ffi::CUfunction_attribute(9999))),
        &["function attribute", "9999"],
    ),
    (|gpu| none(gpu.load_ptx(STORE)?.function("st\0re")), &["NUL byte, at byte 2"]),
    (|_| none(Ptx::new("a\0b")), &["NUL byte, at byte 1"]),
    (
        // SAFETY: 1. to 3. It is refused.
        |gpu| none(unsafe { Context::from_raw(gpu.context().raw(), Ownership::RetainPrimary) }),
        &["cuDevicePrimaryCtxRetain", "not the primary context"],
    ),
    (|gpu| none(gpu.alloc::<u32>(usize::MAX)), &["18446744073709551615 elements of 4 bytes"]),
    (
        |_| none(LaunchConfig::for_num_elems(1 << 60)),
        &["2^31 - 1 blocks", "1152921504606846976 threads"],
    ),
    (
        |gpu| {
            let (stream, value) = (gpu.stream()?, gpu.stream_value(0_u32)?);
            let all: Vec<_> = (0..256).map(|n| value.write(n)).collect();
            gpu.scope(|s| s.on(&stream).value_operations(&all))
        },
        &["at most 255 operations", "and not 256"],
    ),
    (
        |gpu| {
            none(
                gpu.alloc_array::<f32>(ArrayShape::D2 { width: 8, height: 0 }, ArrayFlags::empty()),
            )
        },
        &["8 x 0 x 1"],
    ),
    (
        |gpu| {
            let shape = ArrayShape::D2 { width: 8, height: 0 };
            none(gpu.alloc_mipmapped_array::<f32>(shape, 1, ArrayFlags::empty()))
        },
        &["8 x 0 x 1"],
    ),
    (
        |gpu| none(gpu.texture(&gpu.alloc::<u32>(4)?, Sampling::default().linear())),
        &["cuTexObjectCreate", "no filter of integers"],
    ),
    (
        |gpu| none(Context::create(gpu.device(), ContextFlags::from_bits_retain(1 << 30))),
        &["unknown bits, 0x40000000"],
    ),
    (
        |gpu| {
            let both = ContextFlags::SCHED_SPIN | ContextFlags::SCHED_YIELD;
            none(Context::create(gpu.device(), both))
        },
        &["several SCHED_ flags, 0x3"],
    ),
    (|gpu| none(gpu.alloc_growable::<u32>(0)), &["capacity of 0 elements"]),
    (|gpu| none(gpu.alloc_pitched::<u8>((usize::MAX, 2, 0))), &["cuMemAllocPitch_v2"]),
    (
        |gpu| none(AccessPolicyWindow::persisting(&gpu.alloc::<u32>(4)?, 1.5)),
        &["hit ratio", "is 1.5", "from 0 to 1"],
    ),
    (
        |gpu| {
            let (mut addresses, memory) =
                (Reservation::new(2 * unit()?)?, || PhysicalMemory::create(gpu.device(), unit()?));
            addresses.map(0, memory()?)?;
            addresses.map(0, memory()?)
        },
        &["from byte 0 to byte 2097152", "another offset than 0"],
    ),
    (|_| none(Reservation::new(unit()?)?.unmap(4096)), &["at this offset, 4096"]),
    (
        |gpu| {
            let mut object = Multicast::create(&Device::all()?, 2 * unit()?)?;
            let memory = || PhysicalMemory::create(gpu.device(), unit()?);
            object.bind(unit()?, memory()?)?;
            object.bind(unit()?, memory()?)
        },
        &["from byte 2097152 to byte 4194304"],
    ),
    (
        |gpu| none(Multicast::create(&Device::all()?, unit()?)?.unbind(gpu.device(), 7)),
        &["at this offset, 7"],
    ),
    (
        // SAFETY: 1. to 3. It is refused.
        |gpu| none(unsafe { gpu.buffer_from_raw::<u32>(0x1001, 4, ()) }),
        &["0x1001", "to 4 bytes"],
    ),
    (
        // SAFETY: 1. to 3. It is refused.
        |gpu| none(unsafe { gpu.buffer_from_raw::<u32>(0x1000, 4, ()) }),
        &["16 bytes from address 0x1000"],
    ),
    (
        // SAFETY: 1. and 2. It is refused.
        |gpu| none(unsafe { gpu.device_range::<u32>(0x1002, 4) }),
        &["0x1002", "to 4 bytes"],
    ),
    (
        // SAFETY: 1. and 2. It is refused.
        |gpu| none(unsafe { gpu.device_rows::<u32>(0x1000, 8, (4, 4)) }),
        &["4 elements of 4 bytes", "the pitch, 8 bytes"],
    ),
    (
        |gpu| {
            let (stream, memory) = (gpu.stream()?, gpu.alloc::<f32>(64)?);
            let shape = ArrayShape::D2 { width: 2, height: 2 };
            let mut array = gpu.alloc_array::<[f32; 4]>(shape, ArrayFlags::empty())?;
            // SAFETY: 1. and 2. The copy is refused, so that nothing is used.
            let rows = unsafe { gpu.device_rows::<[f32; 4]>(memory.address(), 36, (2, 2)) }?;
            gpu.on(&stream).copy_batch([(&rows, &mut array)])
        },
        &["the 36 bytes from row to row", "of the array, 16 bytes"],
    ),
    (
        |gpu| {
            let wide = TensorLayout::im2col_wide(&[16, 32, 32, 2], 0, 0, 16, Some(64));
            encode(gpu, &wide.element_steps(&[1]))
        },
        &["has 4 dimensions", "1 steps were passed: pass 4"],
    ),
    (|_| CoreDumps::process().set_file("x".repeat(1024)), &["has 1024 bytes, and may have 1023"]),
    (
        |gpu| {
            none(gpu.build_graph(|g| {
                let condition = g.condition(0)?;
                none(g.switch_node(&[], condition, 65_537, |_, _| Ok(())))
            }))
        },
        &["at most 65,536 graphs, and 65537"],
    ),
    (
        |gpu| {
            let mut x = gpu.alloc::<u32>(4)?;
            let (mut graph, node) = gpu.build_graph(|g| g.fill(&[], &mut g.hold(&mut x), 1_u32))?;
            graph.set_fill(node, 1_u8)
        },
        &["another size, 4 bytes, and the value has 1"],
    ),
];
