//! An operation makes the driver calls of hand-written C, and no others: counted by the software
//! driver. Where the design asks for a check, that is one `cuCtxGetCurrent`; on a thread that has not
//! its stack, what frees, unloads or waits does so between two exchanges of the capture mode.
#![allow(unsafe_code, reason = "launches kernels")]

mod code;
mod graphics;
mod graphs;
mod launches;
mod libraries;
mod memory;
mod nodes;
mod ordered;
mod peers;
mod pitched;
mod rows;
mod runtimes;
mod streams;
mod table;
mod textures;
mod virtual_memory;
mod work;

use crate::common::gpu::{kernel, new_context};
use crate::common::kernels::{STORE, SUM12};
use crate::{common, fresh, skip, skip_under_miri};
use cuscope::{
    Context, ContextFlags, ContextStack, Device, LaunchConfig, Library, MemoryPool, Ptx,
    detached::Branded, jit::JitOptions,
};
use cuscope_softdriver::control::record;
use table::Table;

/// Runs an operation and compares the driver calls that it makes.
macro_rules! assert_calls {
    ($operation:expr, [$($call:expr),*]) => {{
        let (value, calls) = record(|| $operation);
        let expected: &[&str] = &[$($call),*];
        assert_eq!(calls, expected, "{}", stringify!($operation));
        value
    }};
}

#[test]
fn operations_make_the_calls_of_hand_written_c() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    let device = Device::get(0).unwrap();
    let flags = ContextFlags::default();
    let context = assert_calls!(
        Context::create(device, flags).unwrap(),
        ["cuCtxCreate_v2", "cuCtxPopCurrent_v2"]
    );
    let primary = assert_calls!(Context::primary(device).unwrap(), ["cuDevicePrimaryCtxRetain"]);
    assert_calls!(drop(primary), ["cuDevicePrimaryCtxRelease_v2"]);
    assert_calls!(drop(context.clone()), []);

    let mut stack = assert_calls!(
        ContextStack::current_thread().unwrap(),
        ["cuCtxGetCurrent", "cuThreadExchangeStreamCaptureMode"]
    );

    // push + pop: the two of C.
    let gpu = assert_calls!(stack.push(&context).unwrap(), ["cuCtxPushCurrent_v2"]);
    assert_calls!(gpu.pop().unwrap(), ["cuCtxPopCurrent_v2"]);

    let gpu = stack.push(&context).unwrap();
    let stream = assert_calls!(gpu.stream().unwrap(), ["cuCtxGetCurrent", "cuStreamCreate"]);
    let event = assert_calls!(gpu.event().unwrap(), ["cuCtxGetCurrent", "cuEventCreate"]);
    let mut buffer =
        assert_calls!(gpu.alloc::<u32>(16).unwrap(), ["cuCtxGetCurrent", "cuMemAlloc_v2"]);
    assert_calls!(
        drop(gpu.alloc::<u32>(16).unwrap()),
        ["cuCtxGetCurrent", "cuMemAlloc_v2", "cuMemFree_v2"]
    );
    let module =
        assert_calls!(gpu.load_ptx(STORE).unwrap(), ["cuCtxGetCurrent", "cuModuleLoadDataEx"]);
    let store = assert_calls!(module.function("store").unwrap(), ["cuModuleGetFunction"]);
    let sum12 = kernel(&gpu, SUM12, "sum12");
    assert_calls!(store.clone(), []);

    // On a stream: one call each; those that wait, wait.
    let on = gpu.on(&stream);
    let one = LaunchConfig::new(1, 1);
    assert_calls!(
        // SAFETY: the kernel is store(u32 *, u32), and the stream is synchronized below before
        // anything else uses the buffer.
        unsafe { on.launch_unscoped(&store, one, (&mut buffer, 7_u32)) }.unwrap(),
        ["cuLaunchKernel"]
    );
    let many = one.extended().cooperative().cluster(1).priority(-1).programmatic_serialization();
    assert_calls!(
        // SAFETY: as above.
        unsafe { on.launch_unscoped(&store, many, (&mut buffer, 7_u32)) }.unwrap(),
        ["cuLaunchKernelEx"]
    );
    let occupancy = gpu.occupancy(&store);
    assert_calls!(
        occupancy.active_blocks(32, 0).unwrap(),
        ["cuCtxGetCurrent", "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"]
    );
    // Once for each handle, it may have as much shared memory as there is.
    assert_calls!(
        occupancy.block_size_with(|threads| threads, None).unwrap(),
        [
            "cuCtxGetCurrent",
            "cuFuncGetAttribute",
            "cuFuncGetAttribute",
            "cuDeviceGetAttribute",
            "cuFuncSetAttribute",
            "cuOccupancyMaxPotentialBlockSizeWithFlags"
        ]
    );
    assert_calls!(
        occupancy.block_size_with(|threads| threads, None).unwrap(),
        ["cuCtxGetCurrent", "cuOccupancyMaxPotentialBlockSizeWithFlags"]
    );
    let (profiling, calls) = record(|| gpu.profiling().unwrap());
    assert_eq!(calls, ["cuCtxGetCurrent", "cuProfilerStart"]);
    let (_, calls) = record(|| drop(profiling));
    assert_eq!(calls, ["cuCtxGetCurrent", "cuProfilerStop"]);
    #[rustfmt::skip]
    let args = (&mut buffer, 1_u32, 2_u32, 3_u32, 4_u32, 5_u32, 6_u32, 7_u32, 8_u32, 9_u32, 10_u32, 11_u32);
    assert_calls!(
        // SAFETY: as above, for sum12(u32 *, 11 x u32).
        unsafe { on.launch_unscoped(&sum12, one, args) }.unwrap(),
        ["cuLaunchKernel"]
    );
    assert_calls!(
        // SAFETY: as above.
        unsafe { on.fill_unscoped(&mut buffer, 3) }.unwrap(),
        ["cuMemsetD32Async"]
    );
    assert_calls!(on.record(&event).unwrap(), ["cuEventRecord"]);
    assert_calls!(on.wait(&event).unwrap(), ["cuStreamWaitEvent"]);
    assert_calls!(stream.query().unwrap(), ["cuStreamQuery"]);
    assert_calls!(event.query().unwrap(), ["cuEventQuery"]);
    let (_, calls) = record(|| stream.synchronize().unwrap());
    assert_eq!(calls, ["cuStreamSynchronize"]);
    let mut host = [0; 16];
    let (_, calls) = record(|| on.download(&buffer, &mut host).unwrap());
    assert_eq!(calls, ["cuMemcpyDtoHAsync_v2", "cuStreamSynchronize"]);
    assert_eq!(host, [3; 16]);
    let (_, calls) = record(|| on.upload(&host, &mut buffer).unwrap());
    assert_eq!(calls, ["cuMemcpyHtoDAsync_v2", "cuStreamSynchronize"]);

    let (_, calls) = record(|| on.host_function(|| ()).unwrap());
    assert_eq!(calls, ["cuLaunchHostFunc", "cuStreamSynchronize"]);
    assert_calls!(drop(stream.finished().unwrap()), ["cuStreamAddCallback"]);

    // Handles change hands without the driver.
    let detached = assert_calls!((stream, event).detach(), []);
    let (stream, event) = assert_calls!(gpu.attach(detached).unwrap(), []);
    assert_calls!(drop(stream), ["cuStreamDestroy_v2"]);
    assert_calls!(drop(event), ["cuEventDestroy_v2"]);
    let (_, calls) = record(|| drop(buffer));
    assert_eq!(calls, ["cuMemFree_v2"]);
    let (_, calls) = record(|| drop((module, store)));
    assert_eq!(calls, ["cuModuleUnload"]);
    drop(sum12);
    drop(gpu);
    assert_calls!(drop(stack), ["cuThreadExchangeStreamCaptureMode"]);
    assert_calls!(drop(context), ["cuCtxDestroy_v2"]);
}

/// There, nothing has lifted the bans of captures.
#[test]
fn a_thread_without_its_stack_changes_its_mode_around_waits_and_releases() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    const EXCHANGE: &str = "cuThreadExchangeStreamCaptureMode";
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let (stream, buffer) = (gpu.stream().unwrap(), gpu.alloc::<u8>(4).unwrap());
    std::thread::scope(|s| {
        s.spawn(|| {
            assert_calls!(
                stream.synchronize().unwrap(),
                [EXCHANGE, "cuStreamSynchronize", EXCHANGE]
            );
            assert_calls!(drop(buffer), [EXCHANGE, "cuMemFree_v2", EXCHANGE]);
        });
    });
}

#[test]
fn a_guard_costs_its_nested_push_nothing_more() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    let device = Device::get(0).unwrap();
    let (a, b) = (Context::primary(device).unwrap(), Context::primary(device).unwrap());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    assert_calls!(
        outer.push(&b).unwrap().pop().unwrap(),
        ["cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2"]
    );
    assert_calls!(ContextStack::reentrant(|_| Ok(())).unwrap(), ["cuCtxGetCurrent"]);
}

#[test]
fn memory_of_pools_and_of_the_host_makes_the_calls_of_hand_written_c() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let stream = gpu.stream().unwrap();
    let on = gpu.on(&stream);
    let waiting = |call| [call, "cuStreamSynchronize"];

    let (mut buffer, calls) = record(|| on.alloc::<u32>(16).unwrap());
    assert_eq!(calls, ["cuMemAllocAsync", "cuStreamQuery"]);
    assert_calls!(
        // SAFETY: not used, and freed in the order of its stream.
        std::mem::forget(unsafe { on.alloc_unscoped::<u32>(16) }.unwrap()),
        ["cuMemAllocAsync"]
    );
    let (_, calls) = record(|| on.fill(&mut buffer, 1).unwrap());
    assert_eq!(calls, waiting("cuMemsetD32Async"));
    let (_, calls) = record(|| drop(buffer));
    assert_eq!(calls, ["cuMemFreeAsync"]);

    // The short ways: no call more than the long ones, and one wait less.
    let (buffer, calls) = record(|| on.from_slice(&[1_u32; 16]).unwrap());
    assert_eq!(calls, [&["cuMemAllocAsync"], &waiting("cuMemcpyHtoDAsync_v2")[..]].concat());
    let (_zeros, calls) = record(|| on.zeroed::<u32>(16).unwrap());
    assert_eq!(calls, [&["cuMemAllocAsync"], &waiting("cuMemsetD8Async")[..]].concat());
    let (_, calls) = record(|| on.to_vec(&buffer).unwrap());
    assert_eq!(calls, waiting("cuMemcpyDtoHAsync_v2"));

    let pool = assert_calls!(MemoryPool::create(gpu.device()).unwrap(), ["cuMemPoolCreate"]);
    let (in_pool, calls) = record(|| on.alloc_from::<u32>(&pool, 16).unwrap());
    assert_eq!(calls, ["cuMemAllocFromPoolAsync", "cuStreamQuery"]);
    assert_calls!(pool.trim_to(0).unwrap(), ["cuMemPoolTrimTo"]);
    assert_calls!(drop(pool), []);
    let (_, calls) = record(|| drop(in_pool));
    assert_eq!(calls, ["cuMemFreeAsync", "cuMemPoolDestroy"]);

    let pinned = assert_calls!(
        gpu.pinned::<u32>(16).unwrap(),
        [
            "cuCtxGetCurrent",
            "cuMemHostRegister_v2",
            "cuCtxGetCurrent",
            "cuMemHostGetDevicePointer_v2"
        ]
    );
    let (_, calls) = record(|| on.upload(&pinned, &mut on.alloc(16).unwrap()).unwrap());
    let upload = waiting("cuMemcpyHtoDAsync_v2");
    assert_eq!(calls[2..4], upload, "as from any slice");
    let (_, calls) = record(|| drop(pinned));
    assert_eq!(calls, ["cuMemHostUnregister"]);
    let (_, calls) = record(|| gpu.with_registered(&mut [0_u8; 64], |_| Ok(())).unwrap());
    assert_eq!(calls, ["cuCtxGetCurrent", "cuMemHostRegister_v2", "cuMemHostUnregister"]);
}

/// On a default stream each operation looks which context is current, once.
#[test]
fn default_streams_and_attributes_make_the_calls_of_hand_written_c() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let (mut x, event) = (gpu.alloc::<u32>(16).unwrap(), gpu.event().unwrap());
    let looking = |call| ["cuCtxGetCurrent", call, "cuStreamSynchronize"];
    for on in [gpu.on_legacy_default(), gpu.on_per_thread_default()] {
        let (_, calls) = record(|| on.upload(&[0; 16], &mut x).unwrap());
        assert_eq!(calls, looking("cuMemcpyHtoDAsync_v2"));
        let (_, calls) = record(|| on.fill(&mut x.slice_mut(1..3).unwrap(), 1).unwrap());
        assert_eq!(calls, looking("cuMemsetD32Async"));
        assert_calls!(on.record(&event).unwrap(), ["cuCtxGetCurrent", "cuEventRecord"]);
        assert_calls!(on.query().unwrap(), ["cuCtxGetCurrent", "cuStreamQuery"]);
    }
    let (a, b) = (gpu.stream().unwrap(), gpu.stream().unwrap());
    assert_calls!(a.id().unwrap(), ["cuStreamGetId"]);
    assert_calls!(a.device(), []);
    assert_calls!(a.sync_policy().unwrap(), ["cuStreamGetAttribute"]);
    assert_calls!(a.set_priority(-1).unwrap(), ["cuStreamSetAttribute"]);
    assert_calls!(b.copy_attributes(&a).unwrap(), ["cuStreamCopyAttributes"]);
}

#[test]
fn code_is_loaded_with_the_calls_of_hand_written_c() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let ptx = Ptx::new(include_str!("../code/signatures.ptx")).unwrap();
    let module = assert_calls!(gpu.load(&ptx).unwrap(), ["cuCtxGetCurrent", "cuModuleLoadDataEx"]);
    let counter =
        assert_calls!(module.variable::<u32>("counter").unwrap(), ["cuModuleGetGlobal_v2"]);
    assert_calls!(drop(counter), []);
    // One question for each parameter, and one past the last, once; then a launch is a launch.
    let kernel = assert_calls!(
        module.kernel::<(&mut [i32],)>("count").unwrap(),
        ["cuModuleGetFunction", "cuFuncGetParamInfo", "cuFuncGetParamInfo"]
    );
    let stream = gpu.stream().unwrap();
    let mut out = gpu.on(&stream).zeroed(1).unwrap();
    let one = LaunchConfig::new(1, 1);
    assert_calls!(
        // SAFETY: the kernel is count(int *), and the stream is synchronized by the next drop.
        unsafe { gpu.on(&stream).launch_unscoped(&kernel, one, (&mut out,)) }.unwrap(),
        ["cuLaunchKernel"]
    );
    stream.synchronize().unwrap();
    // A look at what was loaded, since loading succeeds whatever it is (F284).
    let library =
        assert_calls!(Library::load(&ptx).unwrap(), ["cuLibraryLoadData", "cuLibraryGetKernel"]);
    let kernel = assert_calls!(library.kernel("count").unwrap(), ["cuLibraryGetKernel"]);
    assert_calls!(kernel.function(&gpu).unwrap(), ["cuCtxGetCurrent", "cuKernelGetFunction"]);
    drop(kernel);
    let (_, calls) = record(|| library.try_unload().unwrap().unwrap());
    assert_eq!(calls, ["cuLibraryUnload"]);
    let linker = assert_calls!(
        gpu.linker(&JitOptions::new()).unwrap(),
        ["cuCtxGetCurrent", "cuLinkCreate_v2"]
    );
    let linker = assert_calls!(linker.add(&ptx, "it").unwrap(), ["cuLinkAddData_v2"]);
    assert_calls!(linker.finish().unwrap(), ["cuLinkComplete", "cuLinkDestroy"]);
}

/// `docs/cost.md` tells what every public operation costs in calls; `UPDATE_COST=1` writes it.
#[test]
fn the_page_tells_what_every_operation_costs() {
    if !common::software() {
        skip!("only the software driver counts its calls");
    }
    skip_under_miri!("it makes every operation of the crate, to count the calls");
    fresh!(the_page_tells_what_every_operation_costs, {
        let mut table = Table::default();
        rows::devices(&mut table);
        rows::contexts(&mut table);
        let device = Device::get(0).unwrap();
        let create = || Context::create(device, ContextFlags::default()).unwrap();
        let (a, b) = (create(), create());
        rows::stack(&mut table, &a, &b);
        peers::peers(&mut table, &a, &b);
        let mut stack = ContextStack::current_thread().unwrap();
        let gpu = stack.push(&a).unwrap();
        streams::streams(&mut table, &gpu);
        memory::memory(&mut table, &gpu);
        pitched::pitched(&mut table, &gpu);
        virtual_memory::virtual_memory(&mut table, &gpu);
        graphics::graphics(&mut table, &gpu);
        textures::textures(&mut table, &gpu);
        code::code(&mut table, &gpu);
        libraries::libraries(&mut table, &gpu);
        work::work(&mut table, &gpu);
        launches::launches(&mut table, &gpu);
        graphs::graphs(&mut table, &gpu);
        nodes::nodes(&mut table, &gpu);
        ordered::ordered(&mut table, &gpu);
        runtimes::runtimes(&mut table, &gpu);
        launches::diagnostics(&mut table, &gpu);
        table.is_in_the_docs();
    });
}
