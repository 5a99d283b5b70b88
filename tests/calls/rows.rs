//! Every public operation, beside the calls that it takes by hand.

use super::table::Table;
use crate::common::kernels::STORE;
use cuscope::{
    CacheConfig, Context, ContextFlags, ContextStack, Device, EventFlags, LaunchConfig, Limit,
    MemoryPool, Ownership, PushedGuard, ReleaseWith, SharedMemoryConfig, SmSplitFlags, StreamFlags,
    current_context, ffi,
};

const UPLOAD: &str = "cuMemcpyHtoDAsync_v2";
const DOWNLOAD: &str = "cuMemcpyDtoHAsync_v2";
const COPY: &str = "cuMemcpyDtoDAsync_v2";
const FILL: &str = "cuMemsetD32Async";
const ZERO: &str = "cuMemsetD8Async";
const LAUNCH: &str = "cuLaunchKernel";
const WAIT: &str = "cuStreamSynchronize";
const GET: &str = "cuMemPoolGetAttribute";
const SET: &str = "cuMemPoolSetAttribute";

pub(crate) fn devices(t: &mut Table) {
    t.heading("Devices");
    t.row("init", &["cuInit"], cuscope::init).unwrap();
    t.row("driver_version", &["cuDriverGetVersion"], cuscope::driver_version).unwrap();
    let device = t.row("Device::get", &["cuDeviceGet"], || Device::get(0)).unwrap();
    t.row("Device::count", &["cuDeviceGetCount"], Device::count).unwrap();
    t.row("Device::name", &["cuDeviceGetName"], || device.name()).unwrap();
    t.row("Device::pci_bus_id", &["cuDeviceGetPCIBusId"], || device.pci_bus_id()).unwrap();
    t.row("Device::uuid", &["cuDeviceGetUuid_v2"], || device.uuid()).unwrap();
    t.row("Device::total_memory", &["cuDeviceTotalMem_v2"], || device.total_memory()).unwrap();
    let warp = ffi::CU_DEVICE_ATTRIBUTE_WARP_SIZE;
    t.row("Device::attribute", &["cuDeviceGetAttribute"], || device.attribute(warp)).unwrap();
    t.row("Device::supports_exec_affinity", &["cuDeviceGetExecAffinitySupport"], || {
        device.supports_exec_affinity()
    })
    .unwrap();
    t.row("Device::primary_context_state", &["cuDevicePrimaryCtxGetState"], || {
        device.primary_context_state()
    })
    .unwrap();
    t.row("Device::set_primary_context_flags", &["cuDevicePrimaryCtxSetFlags_v2"], || {
        device.set_primary_context_flags(ContextFlags::default())
    })
    .unwrap();
    // SAFETY: nothing of it is in use.
    t.row("Device::reset_primary_context", &["cuDevicePrimaryCtxReset_v2"], || unsafe {
        device.reset_primary_context()
    })
    .unwrap();
    t.row("Device::sm_resource", &["cuDeviceGetDevResource"], || device.sm_resource()).unwrap();
}

pub(crate) fn contexts(t: &mut Table) {
    let device = Device::get(0).unwrap();
    let flags = ContextFlags::default();
    t.heading("Contexts");
    let pop = "cuCtxPopCurrent_v2";
    let context = t
        .row("Context::create", &["cuCtxCreate_v2", pop], || Context::create(device, flags))
        .unwrap();
    let params = ffi::CUctxCreateParams {
        execAffinityParams: std::ptr::null_mut(),
        numExecAffinityParams: 0,
        cigParams: std::ptr::null_mut(),
    };
    // SAFETY: the pointers are null.
    t.row("Context::create_with_params", &["cuCtxCreate_v4", pop], || unsafe {
        Context::create_with_params(device, flags, params)
    })
    .unwrap();
    // No device has it but under the multi-process service.
    let refused = t.row("Context::create_with_affinity, refused", &["cuCtxCreate_v3"], || {
        Context::create_with_affinity(device, flags, 1)
    });
    assert!(refused.is_err());
    t.row("Context::id", &["cuCtxGetId"], || context.id()).unwrap();
    t.row("Context::api_version", &["cuCtxGetApiVersion"], || context.api_version()).unwrap();
    t.row("Context::is_current", &["cuCtxGetCurrent"], || context.is_current()).unwrap();
    t.row("Context::synchronize", &["cuCtxSynchronize_v2"], || context.synchronize()).unwrap();
    t.row("Context::clone", &[], || drop(context.clone()));
    t.row("Context::try_destroy", &["cuCtxDestroy_v2"], || context.try_destroy()).unwrap().unwrap();
    let primary = t
        .row("Context::primary", &["cuDevicePrimaryCtxRetain"], || Context::primary(device))
        .unwrap();
    t.row("Context, dropped (primary)", &["cuDevicePrimaryCtxRelease_v2"], || drop(primary));
    let resource = device.sm_resource().unwrap();
    let split = t
        .row("SmResource::split_by_count", &["cuDevSmResourceSplitByCount"], || {
            resource.split_by_count(1, 8, SmSplitFlags::empty())
        })
        .unwrap();
    let green = t
        .row(
            "Context::create_green",
            &["cuDevResourceGenerateDesc", "cuGreenCtxCreate", "cuCtxFromGreenCtx"],
            || Context::create_green(&split.groups),
        )
        .unwrap();
    t.row("Context::sm_resource", &["cuCtxGetDevResource"], || green.sm_resource()).unwrap();
    let raw = green.into_raw().unwrap();
    let ReleaseWith::DestroyGreen(raw) = raw.release else { panic!("{raw:?}") };
    // SAFETY: alive, and this code's to destroy.
    let green = t
        .row(
            "Context::from_raw_green, which asks for the device",
            &["cuCtxFromGreenCtx", "cuCtxPushCurrent_v2", "cuCtxGetDevice", pop],
            || unsafe { Context::from_raw_green(raw) },
        )
        .unwrap();
    t.row("Context, dropped (green)", &["cuGreenCtxDestroy"], || drop(green));
    let owner = Context::create(device, flags).unwrap();
    // SAFETY: alive until `owner` is dropped, below.
    let borrowed = unsafe { Context::from_raw(owner.raw(), Ownership::Borrow) }.unwrap();
    t.row("Context, dropped (borrowed)", &[], || drop(borrowed));
    t.row("Context, dropped (created)", &["cuCtxDestroy_v2"], || drop(owner));
}

pub(crate) fn stack(t: &mut Table, a: &Context, b: &Context) {
    let (push, pop) = ("cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2");
    t.heading("The stack");
    let mut stack =
        t.row("ContextStack::current_thread", &[], ContextStack::current_thread).unwrap();
    let mut gpu = t.row("ContextStack::push", &[push], || stack.push(a)).unwrap();
    let inner = t.row("PushedGuard::push", &[push], || gpu.push(b)).unwrap();
    t.row("PushedGuard::pop", &[pop], || inner.pop()).unwrap();
    let inner = gpu.push(b).unwrap();
    t.row("PushedGuard, dropped", &[pop], || drop(inner));
    t.row("ContextStack::reentrant", &[], || ContextStack::reentrant(|_| Ok(()))).unwrap();
    ContextStack::reentrant(|stack| t.row("NestedStack::push", &[push], || stack.push(b))?.pop())
        .unwrap();
    let current = t.row("current_context", &["cuCtxGetCurrent"], current_context).unwrap().unwrap();
    t.row("CurrentContext::device", &["cuCtxGetDevice"], || current.device()).unwrap();
    t.row("CurrentContext::flags", &["cuCtxGetFlags"], || current.flags()).unwrap();
    t.row("CurrentContext::id", &["cuCtxGetId"], || current.id()).unwrap();
    state(t, &gpu);
}

fn state(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("State of the pushed context");
    t.row("PushedGuard::synchronize", &["cuCtxSynchronize"], || gpu.synchronize()).unwrap();
    let flags = t.row("PushedGuard::flags", &["cuCtxGetFlags"], || gpu.flags()).unwrap();
    t.row("PushedGuard::set_flags", &["cuCtxSetFlags"], || gpu.set_flags(flags)).unwrap();
    let size =
        t.row("PushedGuard::limit", &["cuCtxGetLimit"], || gpu.limit(Limit::StackSize)).unwrap();
    t.row("PushedGuard::set_limit", &["cuCtxSetLimit"], || gpu.set_limit(Limit::StackSize, size))
        .unwrap();
    t.row("PushedGuard::cache_config", &["cuCtxGetCacheConfig"], || gpu.cache_config()).unwrap();
    t.row("PushedGuard::set_cache_config", &["cuCtxSetCacheConfig"], || {
        gpu.set_cache_config(CacheConfig::PreferL1)
    })
    .unwrap();
    t.row("PushedGuard::shared_memory_config", &["cuCtxGetSharedMemConfig"], || {
        gpu.shared_memory_config()
    })
    .unwrap();
    t.row("PushedGuard::set_shared_memory_config", &["cuCtxSetSharedMemConfig"], || {
        gpu.set_shared_memory_config(SharedMemoryConfig::DefaultBankSize)
    })
    .unwrap();
    t.row("PushedGuard::reset_persisting_l2_cache", &["cuCtxResetPersistingL2Cache"], || {
        gpu.reset_persisting_l2_cache()
    })
    .unwrap();
    t.row("PushedGuard::stream_priority_range", &["cuCtxGetStreamPriorityRange"], || {
        gpu.stream_priority_range()
    })
    .unwrap();
    t.row("PushedGuard::exec_affinity", &["cuCtxGetExecAffinity"], || gpu.exec_affinity()).unwrap();
    t.row("PushedGuard::memory_info", &["cuMemGetInfo_v2"], || gpu.memory_info()).unwrap();
}

pub(crate) fn streams(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Streams and events");
    let stream = t.row("PushedGuard::stream", &["cuStreamCreate"], || gpu.stream()).unwrap();
    t.row("PushedGuard::stream_with", &["cuStreamCreate", "cuStreamDestroy_v2"], || {
        gpu.stream_with(StreamFlags::empty()).map(drop)
    })
    .unwrap();
    let urgent = t
        .row("PushedGuard::stream_with_priority", &["cuStreamCreateWithPriority"], || {
            gpu.stream_with_priority(StreamFlags::NON_BLOCKING, -1)
        })
        .unwrap();
    t.row("Stream::priority", &["cuStreamGetPriority"], || urgent.priority()).unwrap();
    t.row("Stream::flags", &["cuStreamGetFlags"], || stream.flags()).unwrap();
    t.row("Stream::query", &["cuStreamQuery"], || stream.query()).unwrap();
    t.row("Stream::synchronize", &[WAIT], || stream.synchronize()).unwrap();
    t.row("Stream::finished", &["cuStreamAddCallback"], || stream.finished().map(drop)).unwrap();
    stream.synchronize().unwrap();
    t.row("Stream, dropped", &["cuStreamDestroy_v2"], || drop(urgent));
    let first = t.row("PushedGuard::event", &["cuEventCreate"], || gpu.event()).unwrap();
    let last = t
        .row("PushedGuard::event_with", &["cuEventCreate"], || gpu.event_with(EventFlags::empty()))
        .unwrap();
    let on = gpu.on(&stream);
    t.row("OnStream::record", &["cuEventRecord"], || on.record(&first)).unwrap();
    t.row("OnStream::wait", &["cuStreamWaitEvent"], || on.wait(&first)).unwrap();
    on.record(&last).unwrap();
    t.row("Event::synchronize", &["cuEventSynchronize"], || last.synchronize()).unwrap();
    t.row("Event::query", &["cuEventQuery"], || last.query()).unwrap();
    t.row("Event::elapsed_since", &["cuEventElapsedTime"], || last.elapsed_since(&first)).unwrap();
    t.row("PushedGuard::record_event", &["cuCtxRecordEvent"], || gpu.record_event(&last)).unwrap();
    t.row("PushedGuard::wait_event", &["cuCtxWaitEvent"], || gpu.wait_event(&last)).unwrap();
    t.row("Event, dropped", &["cuEventDestroy_v2"], || drop(last));
    t.row("OnStream::host_function", &["cuLaunchHostFunc", WAIT], || on.host_function(|| ()))
        .unwrap();
}

pub(crate) fn memory(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Memory");
    let stream = gpu.stream().unwrap();
    let on = gpu.on(&stream);
    let buffer = t.row("PushedGuard::alloc", &["cuMemAlloc_v2"], || gpu.alloc::<u32>(16)).unwrap();
    t.row("DeviceBuffer, dropped", &["cuMemFree_v2"], || drop(buffer));
    let buffer =
        t.row("OnStream::alloc", &["cuMemAllocAsync", WAIT], || on.alloc::<u32>(16)).unwrap();
    t.row("DeviceBuffer, dropped (of a stream)", &["cuMemFreeAsync"], || drop(buffer));
    // SAFETY: not used, and freed in the order of its stream.
    let buffer = t.row("OnStream::alloc_unscoped", &["cuMemAllocAsync"], || unsafe {
        on.alloc_unscoped::<u32>(16)
    });
    drop(buffer.unwrap());
    t.row("OnStream::from_slice", &["cuMemAllocAsync", UPLOAD, WAIT], || {
        on.from_slice(&[1_u32; 16])
    })
    .unwrap();
    let zeros = t
        .row("OnStream::zeroed", &["cuMemAllocAsync", ZERO, WAIT], || on.zeroed::<u32>(16))
        .unwrap();
    t.row("OnStream::to_vec", &[DOWNLOAD, WAIT], || on.to_vec(&zeros)).unwrap();

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
    let buffer =
        t.row("OnStream::alloc_from", &[from, WAIT], || on.alloc_from::<u32>(&pool, 16)).unwrap();
    // SAFETY: not used, and freed in the order of its stream.
    drop(t.row("OnStream::alloc_from_unscoped", &[from], || unsafe {
        on.alloc_from_unscoped::<u32>(&pool, 16)
    }));
    t.row("MemoryPool::trim_to", &["cuMemPoolTrimTo"], || pool.trim_to(0)).unwrap();
    drop(buffer);
    t.row("MemoryPool, dropped", &["cuMemPoolDestroy"], || drop(pool));

    let (register, unregister) = ("cuMemHostRegister_v2", "cuMemHostUnregister");
    let pinned = t.row("PushedGuard::pinned", &[register], || gpu.pinned::<u32>(16)).unwrap();
    t.row("PinnedBuffer::device_address", &["cuMemHostGetDevicePointer_v2"], || {
        pinned.device_address(gpu)
    })
    .unwrap();
    t.row("PinnedBuffer, dropped", &[unregister], || drop(pinned));
    t.row("PushedGuard::pinned_from", &[register], || gpu.pinned_from(&[1_u32; 16])).unwrap();
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

pub(crate) fn work(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Modules, copies and launches");
    let stream = gpu.stream().unwrap();
    let on = gpu.on(&stream);
    let module =
        t.row("PushedGuard::load_ptx", &["cuModuleLoadDataEx"], || gpu.load_ptx(STORE)).unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/kernels/saxpy.ptx");
    drop(
        t.row("PushedGuard::load_ptx_file", &["cuModuleLoadDataEx"], || gpu.load_ptx_file(file))
            .unwrap(),
    );
    let store =
        t.row("Module::function", &["cuModuleGetFunction"], || module.function("store")).unwrap();
    t.row("Function::attribute", &["cuFuncGetAttribute"], || {
        store.attribute(ffi::CU_FUNC_ATTRIBUTE_NUM_REGS)
    })
    .unwrap();
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
    graphs(t, gpu, &store);
    t.heading("Modules, at their end");
    t.row("Module, dropped with its functions", &["cuModuleUnload"], || drop((module, store)));
}

fn scopes<'ctx>(t: &mut Table, gpu: &PushedGuard<'ctx>, store: &cuscope::Function<'ctx>) {
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
        t.row("Scope::scratch", &["cuMemAlloc_v2"], || s.scratch::<u32>(16).map(drop))
    })
    .unwrap();
}

fn graphs<'ctx>(t: &mut Table, gpu: &PushedGuard<'ctx>, store: &cuscope::Function<'ctx>) {
    t.heading("Graphs");
    let (mut stream, mut side) = (gpu.stream().unwrap(), gpu.stream().unwrap());
    let (x, mut y) = (gpu.alloc::<u32>(16).unwrap(), gpu.alloc::<u32>(16).unwrap());
    // A function of a table that a capture fills must not be called while another one runs.
    let mut captured = Table::default();
    let mut graph = t
        .row(
            "PushedGuard::capture, of nothing",
            &["cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuGraphInstantiateWithFlags"],
            || gpu.capture(&mut stream, |_| Ok(())),
        )
        .unwrap();
    let both = gpu.capture(&mut stream, |c| {
        let (q, mut y) = (c.queue(), c.hold(&mut y));
        captured.row("CaptureQueue::copy", &[COPY], || q.copy(&x, &mut y))?;
        captured.row("CaptureQueue::fill", &[FILL], || q.fill(&mut y, 1))?;
        captured.row("CaptureQueue::zero", &[ZERO], || q.zero(&mut y))?;
        // SAFETY: the kernel is store(u32 *, u32) and writes one element.
        captured.row("CaptureQueue::launch", &[LAUNCH], || unsafe {
            q.launch(store, LaunchConfig::new(1, 1), (&mut y, 1_u32))
        })
    });
    let replayed = both.unwrap();
    let _ = gpu
        .capture(&mut stream, |c| {
            captured
                .row("Capture::scratch", &["cuMemAlloc_v2"], || c.scratch::<u32>(16).map(drop))?;
            let waits = ["cuEventCreate", "cuEventRecord", "cuStreamWaitEvent"];
            captured.row("Capture::fork", &waits, || c.fork(&mut side).map(drop))
        })
        .unwrap();
    t.append(captured);
    t.row(
        "PushedGuard::recapture, as before",
        &[
            "cuStreamBeginCapture_v2",
            "cuStreamEndCapture",
            "cuGraphExecUpdate_v2",
            "cuGraphDestroy",
        ],
        || gpu.recapture(&mut graph, &mut stream, |_| Ok(())),
    )
    .unwrap();
    t.row("Graph::nodes", &["cuGraphGetNodes"], || replayed.nodes()).unwrap();
    t.row("Graph::edges", &["cuGraphGetEdges"], || replayed.edges()).unwrap();
    let on = gpu.on(&stream);
    t.row("OnStream::upload_graph", &["cuGraphUpload", WAIT], || on.upload_graph(&replayed))
        .unwrap();
    t.row("OnStream::replay", &["cuGraphLaunch", WAIT], || on.replay(&replayed, (&x, &mut y)))
        .unwrap();
    gpu.scope(|s| {
        let (q, mut y) = (s.on(&stream), s.hold(&mut y));
        t.row("Queue::replay", &["cuGraphLaunch"], || q.replay(&replayed, (&x, &mut y)))
    })
    .unwrap();
    t.row("Graph, dropped", &["cuGraphExecDestroy", "cuGraphDestroy"], || drop(replayed));
}
