//! Every public operation, beside the calls that it takes by hand: devices, contexts and the stack here, the
//! others in files beside this one.

use super::table::Table;
use cuscope::{
    Context, ContextFlags, ContextStack, Device, PushedGuard,
    context::SmSplitFlags,
    current_context, ffi,
    foreign::{Ownership, ReleaseWith},
    settings::{CacheConfig, Limit, SharedMemoryConfig},
};

pub(super) const UPLOAD: &str = "cuMemcpyHtoDAsync_v2";
pub(super) const DOWNLOAD: &str = "cuMemcpyDtoHAsync_v2";
pub(super) const COPY: &str = "cuMemcpyDtoDAsync_v2";
pub(super) const FILL: &str = "cuMemsetD32Async";
pub(super) const ZERO: &str = "cuMemsetD8Async";
pub(super) const LAUNCH: &str = "cuLaunchKernel";
pub(super) const LAUNCH_EX: &str = "cuLaunchKernelEx";
pub(super) const WAIT: &str = "cuStreamSynchronize";
pub(super) const GET: &str = "cuMemPoolGetAttribute";
pub(super) const SET: &str = "cuMemPoolSetAttribute";

pub(crate) fn devices(t: &mut Table) {
    t.heading("Devices");
    t.row("init", &["cuInit"], cuscope::init).unwrap();
    t.row("driver_version", &["cuDriverGetVersion"], cuscope::driver_version).unwrap();
    let device = t.row("Device::get", &["cuDeviceGet"], || Device::get(0)).unwrap();
    t.row("Device::count", &["cuDeviceGetCount"], Device::count).unwrap();
    t.row("Device::name", &["cuDeviceGetName"], || device.name()).unwrap();
    let address =
        t.row("Device::pci_bus_id", &["cuDeviceGetPCIBusId"], || device.pci_bus_id()).unwrap();
    t.row("Device::by_pci_bus_id", &["cuDeviceGetByPCIBusId"], || Device::by_pci_bus_id(&*address))
        .unwrap();
    // Only Windows has such numbers.
    let _luid = t.row("Device::luid", &["cuDeviceGetLuid"], || device.luid());
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
            "Context::from_raw_green, with a query of the device",
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
    let (mode, why) =
        (["cuThreadExchangeStreamCaptureMode"], "sets the thread's mode while it has its stack");
    let take = ContextStack::current_thread;
    let mut stack = t.unlike("ContextStack::current_thread", &[], &mode, why, take).unwrap();
    let mut gpu = t.row("ContextStack::push", &[push], || stack.push(a)).unwrap();
    let inner = t.row("PushedGuard::push", &[push], || gpu.push(b)).unwrap();
    t.row("PushedGuard::pop", &[pop], || inner.pop()).unwrap();
    let inner = gpu.push(b).unwrap();
    t.row("PushedGuard, dropped", &[pop], || drop(inner));
    t.row("ContextStack::reentrant", &[], || ContextStack::reentrant(|_| Ok(()))).unwrap();
    t.row("Context::with", &[push, pop], || b.with(|_| Ok(()))).unwrap();
    ContextStack::reentrant(|stack| t.row("NestedStack::push", &[push], || stack.push(b))?.pop())
        .unwrap();
    let current = t.row("current_context", &["cuCtxGetCurrent"], current_context).unwrap().unwrap();
    t.row("CurrentContext::device", &["cuCtxGetDevice"], || current.device()).unwrap();
    t.row("CurrentContext::flags", &["cuCtxGetFlags"], || current.flags()).unwrap();
    t.row("CurrentContext::id", &["cuCtxGetId"], || current.id()).unwrap();
    state(t, &gpu);
    drop(gpu);
    t.unlike("ContextStack, dropped", &[], &mode, why, || drop(stack));
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
