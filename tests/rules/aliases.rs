//! The names of the CUDA runtime and of cudarc under which the search of the documentation finds an item.

use crate::{files, read};
use std::collections::BTreeSet;

/// The file of an item, the beginning of its line, and its other names.
const ALIASES: &[(&str, &str, &[&str])] = &[
    ("src/core/driver/mod.rs", "pub fn driver_version", &["cudaDriverGetVersion"]),
    ("src/core/device.rs", "pub struct Device", &["cudaGetDeviceProperties", "CudaDevice"]),
    ("src/core/device.rs", "pub fn count", &["cudaGetDeviceCount"]),
    ("src/core/device.rs", "pub fn attribute", &["cudaDeviceGetAttribute"]),
    ("src/core/device.rs", "pub fn can_access_peer", &["cudaDeviceCanAccessPeer"]),
    ("src/core/context/mod.rs", "pub struct Context", &["CudaContext", "CudaDevice"]),
    ("src/core/context/primary.rs", "pub fn primary", &["cudaSetDevice"]),
    ("src/core/stack/token.rs", "pub struct ContextStack", &["cudaSetDevice", "bind_to_thread"]),
    ("src/core/stack/guard.rs", "pub fn synchronize", &["cudaDeviceSynchronize"]),
    (
        "src/core/error/mod.rs",
        "pub enum Error",
        &["cudaError_t", "cudaGetLastError", "cudaGetErrorString"],
    ),
    ("src/settings/limits.rs", "pub fn set_limit", &["cudaDeviceSetLimit"]),
    ("src/settings/limits.rs", "pub fn limit", &["cudaDeviceGetLimit"]),
    ("src/settings/peer_access.rs", "pub fn enable_peer_access", &["cudaDeviceEnablePeerAccess"]),
    ("src/memory/buffer.rs", "pub struct DeviceBuffer", &["cudaFree", "CudaSlice"]),
    ("src/memory/buffer.rs", "pub fn alloc", &["cudaMalloc"]),
    ("src/memory/slice.rs", "pub struct DeviceSlice", &["CudaView"]),
    ("src/memory/slice_mut.rs", "pub struct DeviceSliceMut", &["CudaViewMut"]),
    ("src/memory/info.rs", "pub fn memory_info", &["cudaMemGetInfo", "mem_get_info"]),
    ("src/memory/pinned.rs", "pub struct PinnedBuffer", &["cudaFreeHost", "PinnedHostSlice"]),
    ("src/memory/pinned.rs", "pub fn pinned", &["cudaMallocHost", "cudaHostAlloc", "alloc_pinned"]),
    ("src/memory/register.rs", "pub fn with_registered", &["cudaHostRegister"]),
    ("src/memory/managed.rs", "pub fn managed", &["cudaMallocManaged", "alloc_unified"]),
    ("src/memory/managed.rs", "pub fn advise", &["cudaMemAdvise"]),
    ("src/memory/pitched.rs", "pub fn alloc_pitched", &["cudaMallocPitch"]),
    ("src/memory/array.rs", "pub fn alloc_array", &["cudaMallocArray"]),
    ("src/memory/pointer.rs", "pub fn pointer_info", &["cudaPointerGetAttributes"]),
    ("src/memory/pool.rs", "pub struct MemoryPool", &["cudaMemPool_t"]),
    (
        "src/stream/mod.rs",
        "pub struct Stream",
        &["cudaStream_t", "CudaStream", "cudaStreamDestroy"],
    ),
    ("src/stream/mod.rs", "pub fn stream", &["cudaStreamCreate", "new_stream"]),
    ("src/stream/mod.rs", "pub fn stream_with_priority", &["cudaStreamCreateWithPriority"]),
    ("src/stream/mod.rs", "pub fn synchronize", &["cudaStreamSynchronize"]),
    ("src/stream/mod.rs", "pub fn query", &["cudaStreamQuery"]),
    ("src/stream/stream_ordered.rs", "pub fn alloc", &["cudaMallocAsync"]),
    (
        "src/stream/short.rs",
        "pub fn from_slice",
        &["clone_htod", "htod_copy", "htod_sync_copy", "memcpy_stod"],
    ),
    ("src/stream/short.rs", "pub fn zeroed", &["alloc_zeros"]),
    ("src/stream/short.rs", "pub fn to_vec", &["clone_dtoh", "dtoh_sync_copy", "memcpy_dtov"]),
    ("src/stream/sync_stream.rs", "pub fn upload", &["cudaMemcpy", "memcpy_htod"]),
    ("src/stream/sync_stream.rs", "pub fn download", &["cudaMemcpy", "memcpy_dtoh"]),
    ("src/stream/sync_stream.rs", "pub fn copy", &["cudaMemcpy", "memcpy_dtod"]),
    ("src/stream/sync_stream.rs", "pub fn copy_from_peer", &["cudaMemcpyPeer"]),
    ("src/stream/sync_stream.rs", "pub fn fill", &["cudaMemset"]),
    ("src/stream/sync_stream.rs", "pub fn zero", &["cudaMemset", "memset_zeros"]),
    ("src/stream/sync_stream.rs", "pub fn prefetch", &["cudaMemPrefetchAsync"]),
    ("src/stream/sync_stream.rs", "pub fn launch", &["cudaLaunchKernel", "launch_builder"]),
    (
        "src/stream/sync_stream.rs",
        "pub unsafe fn launch_unchecked",
        &["cudaLaunchKernel", "launch_builder"],
    ),
    ("src/stream/sync_stream.rs", "pub fn record", &["cudaEventRecord"]),
    ("src/stream/sync_stream.rs", "pub fn wait", &["cudaStreamWaitEvent"]),
    ("src/stream/host_function.rs", "pub fn host_function", &["cudaLaunchHostFunc"]),
    ("src/scope/verbs.rs", "pub fn upload", &["cudaMemcpyAsync"]),
    ("src/scope/verbs.rs", "pub fn download", &["cudaMemcpyAsync"]),
    ("src/scope/verbs.rs", "pub fn copy", &["cudaMemcpyAsync"]),
    ("src/scope/verbs.rs", "pub fn fill", &["cudaMemsetAsync"]),
    ("src/scope/verbs.rs", "pub fn launch", &["cudaLaunchKernel"]),
    ("src/scope/verbs.rs", "pub unsafe fn launch_unchecked", &["cudaLaunchKernel"]),
    ("src/scope/stream.rs", "pub fn record", &["cudaEventRecord"]),
    ("src/scope/stream.rs", "pub fn wait", &["cudaStreamWaitEvent"]),
    ("src/ordered/mod.rs", "pub struct OrderedStream", &["CudaStream"]),
    ("src/ordered/mod.rs", "pub fn synchronize", &["cudaStreamSynchronize"]),
    ("src/ordered/buffer.rs", "pub type OrderedBuffer", &["cudaFreeAsync", "CudaSlice"]),
    ("src/ordered/verbs.rs", "pub fn alloc", &["cudaMallocAsync"]),
    ("src/ordered/verbs.rs", "pub fn from_slice", &["clone_htod", "htod_copy", "memcpy_stod"]),
    ("src/ordered/verbs.rs", "pub fn zeroed", &["alloc_zeros"]),
    ("src/ordered/verbs.rs", "pub fn to_vec", &["clone_dtoh", "memcpy_dtov"]),
    ("src/ordered/verbs.rs", "pub fn copy", &["cudaMemcpyAsync", "memcpy_dtod"]),
    ("src/ordered/verbs.rs", "pub fn upload", &["cudaMemcpyAsync", "memcpy_htod"]),
    ("src/ordered/verbs.rs", "pub fn download", &["cudaMemcpyAsync", "memcpy_dtoh"]),
    ("src/ordered/verbs.rs", "pub fn fill", &["cudaMemsetAsync"]),
    ("src/ordered/verbs.rs", "pub fn launch", &["cudaLaunchKernel", "launch_builder"]),
    (
        "src/ordered/verbs.rs",
        "pub unsafe fn launch_unchecked",
        &["cudaLaunchKernel", "launch_builder"],
    ),
    ("src/ordered/verbs.rs", "pub fn host_function", &["cudaLaunchHostFunc"]),
    ("src/ordered/graphs.rs", "pub fn replay", &["cudaGraphLaunch"]),
    (
        "src/event.rs",
        "pub struct Event",
        &["cudaEvent_t", "CudaEvent", "cudaEventCreate", "cudaEventDestroy"],
    ),
    ("src/event.rs", "pub fn synchronize", &["cudaEventSynchronize"]),
    ("src/event.rs", "pub fn query", &["cudaEventQuery"]),
    ("src/event.rs", "pub fn elapsed_since", &["cudaEventElapsedTime", "elapsed_ms"]),
    ("src/graph/mod.rs", "pub struct Graph", &["cudaGraphExec_t", "CudaGraph"]),
    (
        "src/graph/capture.rs",
        "pub fn capture",
        &["cudaStreamBeginCapture", "cudaStreamEndCapture", "begin_capture"],
    ),
    ("src/graph/replay.rs", "pub fn replay", &["cudaGraphLaunch"]),
    ("src/graph/definition.rs", "pub fn instantiate", &["cudaGraphInstantiate"]),
    ("src/function/mod.rs", "pub struct Function", &["CudaFunction"]),
    ("src/kernel/checked.rs", "pub struct Kernel", &["CudaFunction"]),
    ("src/function/attributes.rs", "pub fn attribute", &["cudaFuncGetAttributes"]),
    ("src/function/attributes.rs", "pub fn set_attribute", &["cudaFuncSetAttribute"]),
    ("src/module/mod.rs", "pub struct Module", &["CudaModule"]),
    ("src/module/load.rs", "pub fn load", &["load_module"]),
    ("src/module/functions.rs", "pub fn function", &["get_func", "load_function"]),
    ("src/module/functions.rs", "pub fn kernel", &["get_func", "load_function"]),
    ("src/module/variables.rs", "pub fn variable", &["cudaGetSymbolAddress", "cudaMemcpyToSymbol"]),
    (
        "src/launch/extended.rs",
        "pub fn extended",
        &["cudaLaunchKernelEx", "cudaLaunchCooperativeKernel"],
    ),
    ("src/launch/occupancy.rs", "pub fn by_occupancy", &["cudaOccupancyMaxPotentialBlockSize"]),
    ("src/texture/texels.rs", "pub fn texture", &["cudaCreateTextureObject"]),
    ("src/texture/surface.rs", "pub fn surface", &["cudaCreateSurfaceObject"]),
    ("src/ipc/mod.rs", "pub fn export_buffer", &["cudaIpcGetMemHandle"]),
    ("src/ipc/mod.rs", "pub unsafe fn import_buffer", &["cudaIpcOpenMemHandle"]),
    (
        "src/diagnostics/profiling.rs",
        "pub fn profiling",
        &["cudaProfilerStart", "cudaProfilerStop"],
    ),
    (
        "src/launch/occupancy.rs",
        "pub fn occupancy",
        &["cudaOccupancyMaxActiveBlocksPerMultiprocessor"],
    ),
];

/// The aliases in a source, each with its item. Names of the driver are left out.
fn aliases(source: &str) -> Vec<(&str, &str)> {
    let (mut found, mut above) = (Vec::new(), Vec::new());
    for line in source.lines().map(str::trim) {
        let alias =
            line.strip_prefix("#[doc(alias = \"").and_then(|rest| rest.strip_suffix("\")]"));
        if let Some(alias) = alias {
            above.push(alias);
        } else if !line.starts_with(['#', '/']) {
            let item = line.split(['<', '(', '{', ';', '=', ':']).next().unwrap_or_default().trim();
            found.extend(above.drain(..).map(|alias| (item, alias)));
        }
    }
    found.retain(|(_, alias)| {
        let is_function =
            alias.strip_prefix("cu").is_some_and(|rest| rest.starts_with(char::is_uppercase));
        !is_function && !alias.starts_with("CU")
    });
    found
}

#[test]
fn the_names_of_the_runtime_and_of_cudarc_are_found() {
    let rows = ALIASES.iter().flat_map(|(path, item, names)| {
        names.iter().map(move |name| (path.to_string(), item.to_string(), name.to_string()))
    });
    let rows: BTreeSet<_> = rows.collect();
    let mut there = BTreeSet::new();
    for path in files("src", "rs") {
        let path = path.to_str().unwrap();
        for (item, alias) in aliases(&read(path)) {
            there.insert((path.to_owned(), item.to_owned(), alias.to_owned()));
        }
    }
    let lost: Vec<_> = rows.difference(&there).collect();
    let unknown: Vec<_> = there.difference(&rows).collect();
    assert!(lost.is_empty() && unknown.is_empty(), "not there: {lost:#?}\nno row: {unknown:#?}");
}

#[test]
fn an_alias_belongs_to_the_item_below_it() {
    let source = "/// A.\n#[doc(alias = \"cuA\")]\n#[doc(alias = \"cudaA\")]\n#[inline]\npub fn a<T>() {}\n\
                  #[doc(alias = \"B\")]\npub struct C;\npub fn d() {}\n";
    assert_eq!(aliases(source), [("pub fn a", "cudaA"), ("pub struct C", "B")]);
}
