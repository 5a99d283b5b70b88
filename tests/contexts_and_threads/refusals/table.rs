//! The reasons and their inputs.

use super::Input::{Call, Test};
use super::Row;
use crate::common::gpu::kernel;
use crate::common::kernels::STORE;
use cuscope::diagnostics::DriverLog;
use cuscope::external::{MemoryFlags, MemoryHandle, SemaphoreHandle};
use cuscope::function::Carveout;
use cuscope::launch::{LaunchSpec, Occupancy};
use cuscope::memory::{
    AccessPolicyWindow, AccessProperty, Advice, Attachment, Location, PoolAccess,
};
use cuscope::settings::Limit;
use cuscope::stream::MemSyncDomainMap;
use cuscope::tensor_map::TensorLayout;
use cuscope::texture::{ArrayFlags, ArrayShape, Sampling};
use cuscope::virtual_memory::{MappedAccess, Multicast, PhysicalMemory, Reservation};
use cuscope::{
    Context, ContextFlags, Device, EventFlags, Function, LaunchConfig, Library, MemoryPool, Ptx,
    PushedGuard, Result, StreamFlags, ffi,
};

/// A module with a variable.
const VARIABLES: &str =
    ".version 7.0 .target sm_52 .address_size 64 .visible .global .u32 counter;";

/// More than a device has.
const HUGE: usize = 1 << 50;

macro_rules! rows {
    ($($file:literal $function:literal { $($reason:literal => $says:tt $input:expr;)* })*) => {
        pub(super) const TABLE: &[Row] = &[$($(
            Row { place: ($file, $function), reason: $reason, says: &$says, input: $input },
        )*)*];
    };
}

/// Drops what a call returns.
fn none<T>(result: Result<T>) -> Result {
    result.map(drop)
}

/// Launches a kernel with one argument too few.
fn launch(gpu: &PushedGuard<'_>, config: LaunchConfig) -> Result {
    let (stream, store) = (gpu.stream()?, kernel(gpu, STORE, "store"));
    let mut out = gpu.alloc::<u32>(1)?;
    // SAFETY: the kernel is store(u32 *, u32); the driver refuses the launch.
    unsafe { gpu.on(&stream).launch_unchecked(&store, config, (&mut out, 1_u32)) }
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

/// Imports what is no memory.
fn import(gpu: &PushedGuard<'_>, bytes: u64) -> Result {
    let file = std::fs::File::open("/dev/null").expect("a file");
    // SAFETY: 1. and 2. The driver refuses it.
    none(unsafe {
        gpu.import_external_memory(MemoryHandle::OpaqueFd(file.into()), bytes, MemoryFlags::empty())
    })
}

fn unit() -> Result<usize> {
    PhysicalMemory::granularity(Device::get(0)?)
}

const LACKING: &str = "memory_and_kernels/lacking.rs";
const GRAPHICS_FACTS: &str = "driver_facts/graphics.rs";
const GRAPHICS: &str = "memory_and_kernels/graphics.rs";
const CAPTURES: &str = "scopes_and_graphs/graph/captures.rs";

rows! {
    "core/context/affinity.rs" "create_with_affinity" {
        "`CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY` without the multi-process service" => ["EXEC_AFF"] Test("contexts_and_threads/contexts.rs");
    }
    "core/context/create.rs" "create" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["OUT_OF_MEMORY"] Test("contexts_and_threads/leaks.rs"); }
    "core/context/primary.rs" "primary" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["OUT_OF_MEMORY"] Test("contexts_and_threads/leaks.rs"); }
    "core/context/current.rs" "id" { "`CUDA_ERROR_CONTEXT_IS_DESTROYED`" => ["CONTEXT_IS_DESTROYED"] Test("driver_facts/stack.rs"); }
    "core/context/mod.rs" "id" { "code outside this crate destroyed" => ["CONTEXT_IS_DESTROYED"] Test("driver_facts/stack.rs"); }
    "core/context/mod.rs" "api_version" { "code outside this crate destroyed" => ["INVALID_CONTEXT"] Test("driver_facts/stack.rs"); }
    "core/context/mod.rs" "is_current" { "in the child of a fork" => ["CUDA_ERROR_NOT_INITIALIZED"] Test("contexts_and_threads/endings.rs"); }
    "core/context/mod.rs" "try_destroy" { "In a host function that is `CUDA_ERROR_NOT_PERMITTED`, and the context is released later" => ["try_destroy"] Test("contexts_and_threads/contexts.rs"); }
    "core/context/green.rs" "split_by_count" {
        "more multiprocessors than there are" => ["groups of at least 100000", "request fewer"] Call(|gpu| none(gpu.device().sm_resource()?.split_by_count(1, 100_000, Default::default())));
        "unknown flags" => ["cuDevSmResourceSplitByCount"] Test("driver_facts/green_contexts.rs");
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
    "core/call/mod.rs" "called" { "That includes `CUDA_ERROR_NOT_READY`, with which a query reports that work is not complete" => ["cuStreamQuery(stream)), NOT_READY"] Test("driver_facts/context_state.rs"); }
    "core/driver/mod.rs" "init" {
        "on a machine without a GPU" => ["CUDA_ERROR_NO_DEVICE", "CUDA_VISIBLE_DEVICES"] Test("contexts_and_threads/bad_input.rs");
        "in the child of a fork" => ["CUDA_ERROR_NOT_INITIALIZED"] Test("contexts_and_threads/endings.rs");
    }
    "diagnostics/core_dumps.rs" "user_trigger" { "`CUDA_ERROR_INVALID_VALUE`" => ["settings of the process"] Call(|gpu| none(gpu.core_dumps().user_trigger())); }
    "diagnostics/core_dumps.rs" "set_pipe" { "once the trigger is enabled and a context exists" => ["set_pipe"] Test("contexts_and_threads/diagnostics.rs"); }
    "diagnostics/driver_log.rs" "write_to" { "the file cannot be written" => ["/nowhere/at/all", "cannot be written"] Call(|_| DriverLog::now()?.write_to("/nowhere/at/all")); }
    "diagnostics/over_budget.rs" "on_over_budget" { "`CUDA_ERROR_NOT_PERMITTED`" => ["NOT_PERMITTED"] Test("driver_facts/notifications.rs"); }
    "event.rs" "event_with" { "unknown flag bits" => ["0xf000"] Call(|gpu| none(gpu.event_with(EventFlags::from_bits_retain(0xf000)))); }
    "event.rs" "elapsed_since" {
        "one is not complete" => ["cuStreamQuery(stream)), NOT_READY"] Test("driver_facts/context_state.rs");
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
        "buffer that does not begin with a page" => ["DMA_BUF"] Test("driver_facts/dma_buf.rs");
        "managed memory" => ["managed"] Test("driver_facts/dma_buf.rs");
        "there is no `dma-buf`, as in the software driver" => ["DMA_BUF_SUPPORTED is 0"] Call(|gpu| none(gpu.export_dma_buf(&gpu.alloc::<u8>(2 << 20)?)));
    }
    "external/memory.rs" "import_external_memory" {
        "handle that is none of this kind" => ["the handle is none of memory"] Call(|gpu| import(gpu, 4096));
        "0 bytes" => ["the size is 0"] Call(|gpu| import(gpu, 0));
        "while other code captures" => ["CAPTURE_UNSUPPORTED"] Test("driver_facts/external.rs");
        "kinds that the system does not have" => ["no handles of memory of this kind"] Call(|gpu| {
            // SAFETY: 1. and 2. The driver refuses it.
            none(unsafe { gpu.import_external_memory(MemoryHandle::OpaqueWin32(std::ptr::without_provenance_mut(8)), 4096, MemoryFlags::empty()) })
        });
    }
    "external/semaphore.rs" "import_external_semaphore" { "kinds that the system does not have" => ["no handles of semaphores of this kind"] Call(|gpu| {
        // SAFETY: 1. and 2. The driver refuses it.
        none(unsafe { gpu.import_external_semaphore(SemaphoreHandle::OpaqueWin32(std::ptr::null_mut())) })
    }); }
    "foreign/dlpack.rs" "buffer_from_dlpack" { "host memory that is not page-locked" => ["page-locked"] Test("memory_and_kernels/dlpack.rs"); }
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
    "graph/open.rs" "copy" { "something spoiled the capture" => ["CAPTURE_INVALIDATED"] Test(CAPTURES); }
    "graph/open.rs" "finish" { "the capture was invalidated" => ["CAPTURE_INVALIDATED"] Test(CAPTURES); }
    "graph/open.rs" "launch_unchecked" { "invalid extents" => ["cuLaunchKernel"] Test("contexts_and_threads/bad_input.rs"); }
    "memory/pages.rs" "pinned_pages" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["pinned_pages"] Test("calls_and_costs/failures/operations/work.rs"); }
    "module/guarded.rs" "function" {
        "there is no such kernel" => ["cuModuleGetFunction"] Call(|gpu| none(gpu.load_guarded(STORE)?.function("nothing")));
    }
    "module/guarded.rs" "kernel" { "there is no such kernel" => ["cuModuleGetFunction"] Test("contexts_and_threads/bad_input.rs"); }
    "tensor_map.rs" "encode" {
        "packed numbers on a device that has none" => ["cuTensorMapEncodeTiled"] Test("driver_facts/tensor_maps.rs");
    }
    "graph/add.rs" "value_operations" { "operation that the device does not have" => ["Until::Nor"] Test("scopes_and_graphs/stream_values.rs"); }
    "graph/alloc.rs" "alloc" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less"] Call(|gpu| none(gpu.build_graph(|g| none(g.alloc::<u8>(&[], HUGE))))); }
    "graph/capture.rs" "capture" { "the capture was invalidated" => ["CAPTURE_INVALIDATED"] Test(CAPTURES); }
    "graph/conditional.rs" "switch_node" { "no graphs" => ["at least 1 graph"] Call(|gpu| none(gpu.build_graph(|g| {
        let condition = g.condition(0)?;
        none(g.switch_node(&[], condition, 0, |_, _| Ok(())))
    }))); }
    "graph/semaphores.rs" "signal_semaphores" { "something spoiled the capture" => ["CAPTURE_INVALIDATED"] Test(CAPTURES); }
    "graph/stream.rs" "copy" { "something spoiled the capture" => ["CAPTURE_INVALIDATED"] Test(CAPTURES); }
    "graph/stream.rs" "record" { "something spoiled the capture" => ["CAPTURE_INVALIDATED"] Test(CAPTURES); }
    "graph/stream.rs" "wait" { "something spoiled the capture" => ["CAPTURE_INVALIDATED"] Test(CAPTURES); }
    "graph/stream.rs" "value_operations" { "something spoiled the capture" => ["CAPTURE_INVALIDATED"] Test(CAPTURES); }
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
        "definition has nodes that allocate" => ["allocate"] Test("scopes_and_graphs/graph/definitions.rs");
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
        "grid that does not consist of the node's clusters" => ["whole clusters"] Test("memory_and_kernels/launch_attributes.rs");
    }
    "graph/set.rs" "set_signals" { "another number of semaphores than the node has" => ["set_signals"] Test("memory_and_kernels/external.rs"); }
    "graph/set.rs" "set_value_operations" { "operations of another number or other kinds" => ["2 operations were passed"] Call(|gpu| {
        let value = gpu.stream_value(0_u32)?;
        let (mut graph, node) = gpu.build_graph(|g| g.value_operations(&[], &[value.write(1)]))?;
        graph.set_value_operations(node, &[value.write(1), value.write(2)])
    }); }
    "graphics/map.rs" "map_buffer" {
        "while it is mapped" => ["ALREADY_MAPPED"] Test(GRAPHICS);
        "no context of OpenGL is current on the thread" => ["INVALID_GRAPHICS_CONTEXT"] Test(GRAPHICS);
        "while other code captures" => ["register("] Test(GRAPHICS_FACTS);
    }
    "graphics/mod.rs" "gl_devices" {
        "there is none" => ["INVALID_GRAPHICS_CONTEXT"] Test(GRAPHICS);
        "no device of CUDA draws" => ["cuGLGetDevices"] Test(GRAPHICS_FACTS);
    }
    "graphics/mod.rs" "register_gl_buffer" {
        "the name 0" => ["register("] Test(GRAPHICS_FACTS);
        "name of no buffer" => ["register(9999, 0).0, INVALID_HANDLE"] Test(GRAPHICS_FACTS);
        "buffer that `glBufferData` has not given memory" => ["CUDA_ERROR_OUT_OF_MEMORY"] Test(GRAPHICS_FACTS);
        "in a program without a context of OpenGL" => ["INVALID_GRAPHICS_CONTEXT"] Test(GRAPHICS);
        "while other code captures" => ["register("] Test(GRAPHICS_FACTS);
    }
    "graphics/mod.rs" "register_gl_image" {
        "target or a format that is not shared" => ["register_image(1, 7, 0).0, INVALID_VALUE"] Test(GRAPHICS_FACTS);
        "the name 0" => ["register_image(9999, TEXTURE_2D, 0).0, INVALID_HANDLE"] Test(GRAPHICS_FACTS);
        "`GATHER` with layers or planes" => ["GATHER"] Test(GRAPHICS);
        "name of no image" => ["register_image(9999, TEXTURE_2D, 0).0, INVALID_HANDLE"] Test(GRAPHICS_FACTS);
    }
    "ipc/mod.rs" "export_buffer" { "no memory goes to other processes" => ["cuIpcGetMemHandle", "create_shareable"] Test(LACKING); }
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
        "machine code of another architecture" => ["NO_BINARY_FOR_GPU"] Test("driver_facts/images.rs");
        "code that was not compiled for linking" => ["NO_BINARY_FOR_GPU"] Test("driver_facts/images.rs");
    }
    "jit/link.rs" "add_object" { "it contains no device code" => ["add_object"] Test("memory_and_kernels/modules.rs"); }
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
    "memory/managed.rs" "managed" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["OUT_OF_MEMORY"] Test("driver_facts/unified.rs"); }
    "memory/managed.rs" "advise" {
        "memory that is not managed" => ["PushedGuard::managed"] Call(|gpu| gpu.advise(&gpu.alloc::<u32>(4)?, Advice::ReadMostly(true)));
        "[`Location`] that the advice does not take: a NUMA node among `AccessedBy`" => ["NUMA node 0"] Call(|gpu| gpu.advise(&gpu.managed::<u32>(4)?, Advice::AccessedBy(Location::HostNuma(0))));
    }
    "memory/managed.rs" "range_info" {
        "memory that is not managed" => ["PushedGuard::managed"] Call(|gpu| none(gpu.range_info(&gpu.alloc::<u32>(4)?)));
        "none" => ["the memory is empty"] Call(|gpu| none(gpu.range_info(&gpu.managed::<u32>(0)?)));
    }
    "memory/pinned.rs" "pinned" { "one of more than the host has" => ["OUT_OF_MEMORY"] Test("memory_and_kernels/memory.rs"); }
    "memory/pinned.rs" "device_address" { "code outside this crate ended the context" => ["device_address"] Test("memory_and_kernels/memory.rs"); }
    "memory/pitched.rs" "alloc_pitched" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less"] Call(|gpu| none(gpu.alloc_pitched::<u8>((1 << 20, 1 << 30)))); }
    "memory/pool.rs" "create" { "there are no pools at the place, as for [`Location::HostNumaCurrent`]" => ["Location::HostNuma`"] Call(|_| none(MemoryPool::create(Location::HostNumaCurrent))); }
    "memory/pool.rs" "create_with_limit" { "the place has less" => ["bytes were requested"] Call(|gpu| none(MemoryPool::create_with_limit(gpu.device(), HUGE))); }
    "memory/pool.rs" "create_shareable" { "the device shares no pools by file descriptors" => ["by file descriptors"] Test(LACKING); }
    "memory/pool.rs" "set_access" {
        "[`PoolAccess::None`] and the pool's own device" => ["device 0 has access to its own pool"] Call(|gpu| MemoryPool::create(gpu.device())?.set_access(gpu.device(), PoolAccess::None));
        "device that cannot access the pool's device" => ["can_access_peer"] Test(LACKING);
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
        "machine code of another architecture" => ["NO_BINARY_FOR_GPU"] Test("driver_facts/images.rs");
    }
    "module/load.rs" "load_with" { "option that the driver does not support" => ["load_with"] Test("memory_and_kernels/modules.rs"); }
    "module/variables.rs" "variable" {
        "there is no such variable" => ["no variable `count`", "`counter`"] Call(|gpu| none(gpu.load_ptx(VARIABLES)?.variable::<u32>("count")));
        "the name of a kernel" => ["`store` is a kernel"] Call(|gpu| none(gpu.load_ptx(STORE)?.variable::<u32>("store")));
    }
    "ordered/later.rs" "wait" { "the host does not have as much memory" => ["OUT_OF_MEMORY"] Test("ordered_streams/ordered.rs"); }
    "ordered/verbs.rs" "alloc" { "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less"] Call(|gpu| none(gpu.ordered_stream()?.alloc::<u8>(HUGE))); }
    "ordered/verbs.rs" "to_vec" { "the host does not have as much memory" => ["OUT_OF_MEMORY"] Test("ordered_streams/ordered.rs"); }
    "scope/parts.rs" "chunks" { "more parts than the host has memory for" => ["chunks"] Test("scopes_and_graphs/scope.rs"); }
    "scope/scratch.rs" "scratch" {
        "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less"] Call(|gpu| { let stream = gpu.stream()?; gpu.scope(|s| none(s.on(&stream).scratch::<u8>(HUGE))) });
        "the device has no pools: hold a buffer of `alloc` there" => ["no pools of memory"] Test(LACKING);
    }
    "scope/stream.rs" "value_operations" { "operation that the device does not have (some have no numbers of 64 bits, or no `Until::Nor`)" => ["Until::Nor"] Test("scopes_and_graphs/stream_values.rs"); }
    "settings/affinity.rs" "exec_affinity" { "green context" => ["exec_affinity"] Test("contexts_and_threads/contexts.rs"); }
    "settings/cache.rs" "reset_persisting_l2_cache" { "the device does not support it" => ["reset_persisting_l2_cache"] Test("contexts_and_threads/contexts.rs"); }
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
        "device that cannot access the other one" => ["Device::can_access_peer"] Test(LACKING);
        "`CUDA_ERROR_TOO_MANY_PEERS`" => ["cuCtxEnablePeerAccess"] Test("driver_facts/peers.rs");
    }
    "settings/rdma.rs" "flush_rdma_writes" { "`CUDA_ERROR_NOT_SUPPORTED`" => ["flush_rdma_writes"] Test("calls_and_costs/failures/operations/work.rs"); }
    "stream/attributes.rs" "set_access_policy_window" { "more bytes than the device's windows have" => ["window has 268435456 bytes", "134217728"] Call(|gpu| {
        let memory = gpu.alloc::<u8>(1 << 28)?;
        gpu.stream()?.set_access_policy_window(Some(AccessPolicyWindow::new(&memory, 1.0, AccessProperty::Normal, AccessProperty::Normal)?))
    }); }
    "stream/attributes.rs" "set_mem_sync_domain_map" { "number that the device does not have" => ["domains 0 and 9", "has 4"] Call(|gpu| gpu.stream()?.set_mem_sync_domain_map(MemSyncDomainMap { default: 0, remote: 9 })); }
    "stream/mod.rs" "stream_with" { "unknown flag bits" => ["0x4c"] Call(|gpu| none(gpu.stream_with(StreamFlags::from_bits_retain(77)))); }
    "stream/short.rs" "to_vec" { "the host does not have as much memory" => ["OUT_OF_MEMORY"] Test("ordered_streams/ordered.rs"); }
    "stream/stream_ordered.rs" "alloc" {
        "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less"] Call(|gpu| { let stream = gpu.stream()?; none(gpu.on(&stream).alloc::<u8>(HUGE)) });
        "the device has no pools" => ["no pools of memory"] Test(LACKING);
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
        "devices without multicast objects" => ["no multicast objects"] Test(LACKING);
        "no devices" => ["there are no devices"] Call(|_| none(Multicast::granularity(&[], 1)));
        "no bytes" => ["the size is 0"] Call(|_| none(Multicast::granularity(&Device::all()?, 0)));
    }
    "virtual_memory/multicast.rs" "create" {
        "no devices" => ["there are no devices"] Call(|_| none(Multicast::create(&[], 2 << 20)));
        "device that is listed twice" => ["device 0 is listed twice"] Call(|gpu| none(Multicast::create(&[gpu.device(), gpu.device()], 2 << 20)));
        "size that is 0" => ["the size is 0"] Call(|_| none(Multicast::create(&Device::all()?, 0)));
        "no multiple of the `granularity`" => ["1000 bytes, and no multiple"] Call(|_| none(Multicast::create(&Device::all()?, 1000)));
        "`CUDA_ERROR_NOT_SUPPORTED`" => ["no multicast objects"] Test(LACKING);
    }
    "virtual_memory/multicast.rs" "bind" {
        "offset" => ["the offset is 4096 bytes"] Call(|gpu| Multicast::create(&Device::all()?, 4 * unit()?)?.bind(4096, PhysicalMemory::create(gpu.device(), unit()?)?));
        "size that is no multiple of the `granularity`" => ["cuMulticastBindMem"] Test("memory_and_kernels/multicast.rs");
        "`CUDA_ERROR_OUT_OF_MEMORY`" => ["cuMulticastBindMem"] Test("memory_and_kernels/multicast.rs");
    }
    "virtual_memory/physical.rs" "create" {
        "size that is 0" => ["the size is 0"] Call(|gpu| none(PhysicalMemory::create(gpu.device(), 0)));
        "no multiple of the `granularity`" => ["1000 bytes", "2097152"] Call(|gpu| none(PhysicalMemory::create(gpu.device(), 1000)));
        "`CUDA_ERROR_OUT_OF_MEMORY`" => ["request less"] Call(|gpu| none(PhysicalMemory::create(gpu.device(), HUGE)));
    }
    "virtual_memory/physical.rs" "create_shareable" { "the device shares no memory by file descriptors" => ["by file descriptors"] Test(LACKING); }
    "virtual_memory/reservation.rs" "new" {
        "size that is 0" => ["the size is 0"] Call(|_| none(Reservation::new(0)));
        "no multiple of the granularity" => ["1000 bytes", "2097152"] Call(|_| none(Reservation::new(1000)));
        "there are not as many addresses" => ["reserve fewer"] Call(|_| none(Reservation::new(1 << 60)));
    }
    "virtual_memory/reservation.rs" "map" { "one that is no multiple of the `granularity`" => ["the offset is 4096 bytes", "2097152"] Call(|gpu| Reservation::new(4 * unit()?)?.map(4096, PhysicalMemory::create(gpu.device(), unit()?)?)); }
    "virtual_memory/reservation.rs" "set_access" { "another range" => ["nothing is mapped from byte 0"] Call(|gpu| Reservation::new(4 * unit()?)?.set_access(0, unit()?, gpu.device(), MappedAccess::Read)); }
}
