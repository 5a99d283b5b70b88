//! Launches with attributes, occupancy, and what is seen of a program: profiling, core dumps, the driver's log.

use super::rows::LAUNCH_EX;
use super::table::Table;
use crate::common::gpu::kernel;
use crate::common::kernels::STORE;
use cuscope::{
    Function, LaunchConfig, PushedGuard,
    diagnostics::{CoreDumps, DriverLog, on_driver_log, on_over_budget},
};

pub(crate) fn launches(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Launches with attributes, and occupancy");
    let stream = gpu.stream().unwrap();
    let on = gpu.on(&stream);
    let store = kernel(gpu, STORE, "store");
    let mut x = gpu.alloc::<u32>(16).unwrap();
    let one = LaunchConfig::new(1, 1);
    // SAFETY: the kernel is store(u32 *, u32) and writes one element; nothing else uses the buffer until the
    // stream is synchronized below.
    t.row("LaunchConfig::extended, launched", &[LAUNCH_EX], || unsafe {
        on.launch_unscoped(&store, one.extended().priority(-1), (&mut x, 1_u32))
    })
    .unwrap();
    // SAFETY: as above.
    t.row("ExtendedLaunch::cooperative, launched", &[LAUNCH_EX], || unsafe {
        on.launch_unscoped(&store, one.extended().cooperative(), (&mut x, 1_u32))
    })
    .unwrap();
    stream.synchronize().unwrap();
    occupancy(t, gpu, &store);
}

fn occupancy<'ctx>(t: &mut Table, gpu: &PushedGuard<'ctx>, store: &Function<'ctx>) {
    let size = "cuOccupancyMaxPotentialBlockSizeWithFlags";
    let occupancy = gpu.occupancy(store);
    let launch = LaunchConfig::new(2, 32).extended();
    let _config = t
        .row("LaunchConfig::by_occupancy", &[size], || {
            LaunchConfig::by_occupancy(gpu, store, 2048, 0)
        })
        .unwrap();
    t.row(
        "Occupancy::active_blocks",
        &["cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"],
        || occupancy.active_blocks(32, 0),
    )
    .unwrap();
    t.row("Occupancy::block_size", &[size], || occupancy.block_size(0, None)).unwrap();
    // The first time, the handle asks how much shared memory it may have, and raises that.
    occupancy.block_size_with(|threads| threads, None).unwrap();
    t.row("Occupancy::block_size_with", &[size], || {
        occupancy.block_size_with(|threads| threads, None)
    })
    .unwrap();
    let shared = "cuOccupancyAvailableDynamicSMemPerBlock";
    t.row("Occupancy::available_shared_bytes", &[shared], || {
        occupancy.available_shared_bytes(2, 64)
    })
    .unwrap();
    t.row("Occupancy::max_cluster_size", &["cuOccupancyMaxPotentialClusterSize"], || {
        occupancy.max_cluster_size(&launch)
    })
    .unwrap();
    t.row("Occupancy::active_clusters", &["cuOccupancyMaxActiveClusters"], || {
        occupancy.active_clusters(&launch.cluster(2))
    })
    .unwrap();
}

pub(crate) fn diagnostics(t: &mut Table, gpu: &PushedGuard<'_>) {
    t.heading("Profiling, core dumps and the driver's log");
    let stop = "cuProfilerStop";
    let profiling =
        t.row("PushedGuard::profiling", &["cuProfilerStart"], || gpu.profiling()).unwrap();
    t.row("Profiling::stop", &[stop], || profiling.stop()).unwrap();
    let profiling = gpu.profiling().unwrap();
    t.row("Profiling, dropped", &[stop], || drop(profiling));

    let (all, dumps) = (CoreDumps::process(), gpu.core_dumps());
    let (get, set) = ("cuCoredumpGetAttribute", "cuCoredumpSetAttribute");
    let on = t.row("CoreDumps::enabled", &[get], || dumps.enabled()).unwrap();
    t.row("CoreDumps::set_enabled", &[set], || dumps.set_enabled(on)).unwrap();
    let (get, set) = ("cuCoredumpGetAttributeGlobal", "cuCoredumpSetAttributeGlobal");
    let on = t.row("CoreDumps::enabled, for the process", &[get], || all.enabled()).unwrap();
    t.row("CoreDumps::set_enabled, for the process", &[set], || all.set_enabled(on)).unwrap();

    let hook =
        t.row("on_driver_log", &["cuLogsRegisterCallback"], || on_driver_log(|_, _| ())).unwrap();
    t.row("DriverLogHook, dropped", &["cuLogsUnregisterCallback"], || drop(hook));
    let register = "cuDeviceRegisterAsyncNotification";
    let device = gpu.device();
    let hook = t.row("on_over_budget", &[register], || on_over_budget(device, |_| ())).unwrap();
    let unregister = "cuDeviceUnregisterAsyncNotification";
    t.row("OverBudgetHook, dropped", &[unregister], || drop(hook));
    let current = "cuLogsCurrent";
    let mut log = t.row("DriverLog::now", &[current], DriverLog::now).unwrap();
    t.row("DriverLog::read", &["cuLogsDumpToMemory"], || log.read()).unwrap();
    let file = crate::common::temporary("cost");
    t.row("DriverLog::write_to", &["cuLogsDumpToFile"], || log.write_to(&file)).unwrap();
    std::fs::remove_file(file).unwrap();
    let (dump, why) =
        ([current, "cuLogsDumpToMemory"], "finds the end of the log, to continue from there");
    let mut all = DriverLog::all();
    t.unlike("DriverLog::read, all messages", &dump[1..], &dump, why, || all.read()).unwrap();
}
