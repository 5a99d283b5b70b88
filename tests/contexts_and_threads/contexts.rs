//! Contexts: creation and ownership, and the state that a guard reports and sets.
#![allow(unsafe_code, reason = "plays foreign code, with raw handles")]

use crate::common::foreign;
use crate::common::gpu::{kernel, new_context};
use crate::{common, fresh, skip};
use cuscope::{
    Context, ContextFlags, ContextStack, Device, Error, Result, StreamFlags,
    context::{ContextKind, SmSplitFlags},
    current_context,
    diagnostics::CoreDumps,
    driver_version, ffi,
    foreign::{Ownership, ReleaseWith},
    settings::{CacheConfig, Limit, SharedMemoryConfig},
    virtual_memory::Reservation,
};
use std::collections::HashSet;

fn device() -> Device {
    Device::get(0).unwrap()
}

/// Whether the driver is as new as a function asks.
fn has<T>(result: Result<T>) -> Option<T> {
    match result {
        Err(Error::NeedsDriver { call, .. }) => {
            eprintln!("SKIPPED a part: {} has no {call}", driver_version().unwrap());
            None
        }
        result => Some(result.unwrap()),
    }
}

#[test]
fn a_context_has_the_flags_that_it_was_created_with() {
    let all = [
        ContextFlags::empty(),
        ContextFlags::SCHED_SPIN,
        ContextFlags::SCHED_YIELD | ContextFlags::LMEM_RESIZE_TO_MAX,
        ContextFlags::SCHED_BLOCKING_SYNC | ContextFlags::SYNC_MEMOPS,
        ContextFlags::MAP_HOST,
    ];
    let mut stack = ContextStack::current_thread().unwrap();
    for flags in all {
        let context = Context::create(device(), flags).unwrap();
        let gpu = stack.push(&context).unwrap();
        assert_eq!(gpu.flags().unwrap() - ContextFlags::MAP_HOST, flags - ContextFlags::MAP_HOST);
    }
}

#[test]
fn flags_are_set_on_a_context_that_exists() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let flags = ContextFlags::SCHED_SPIN | ContextFlags::SYNC_MEMOPS;
    if has(gpu.set_flags(flags)).is_none() {
        return;
    }
    assert!(gpu.flags().unwrap().contains(flags));
    let contradictory = ContextFlags::SCHED_SPIN | ContextFlags::SCHED_BLOCKING_SYNC;
    let error = gpu.set_flags(contradictory).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { call: "cuCtxSetFlags", .. }), "{error}");
    let error = gpu.set_flags(ContextFlags::from_bits_retain(1 << 20)).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { call: "cuCtxSetFlags", .. }), "{error}");
}

#[test]
fn contexts_tell_what_they_are() {
    let (a, b) = (new_context(), new_context());
    assert_eq!((a.kind(), a.device()), (ContextKind::Created, device()));
    assert_eq!(a, a.clone());
    assert_ne!(a, b);
    assert_ne!(a.id().unwrap(), b.id().unwrap());
    assert_eq!(HashSet::from([a.clone(), b.clone(), a.clone()]).len(), 2);
    assert!(a.api_version().unwrap() >= 3010);
    let id = a.id().unwrap();
    assert_eq!(a.to_string(), format!("created context {id} of device 0"));
    let debug = format!("{a:?}");
    assert!(
        debug.contains("kind: Created, device: 0") && debug.contains(&format!("id: {id}")),
        "{debug}"
    );
    let primary = Context::primary(device()).unwrap();
    assert_eq!(primary.kind(), ContextKind::Primary);
    assert!(primary.to_string().starts_with("primary context "));
}

#[test]
fn the_current_context_can_be_looked_at_without_a_stack() {
    let (a, b) = (new_context(), new_context());
    assert!(current_context().unwrap().is_none());
    assert!(!a.is_current().unwrap());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut gpu = stack.push(&a).unwrap();
    assert!(a.is_current().unwrap() && !b.is_current().unwrap());
    let current = current_context().unwrap().unwrap();
    assert!(current.is(&a) && !current.is(&b));
    assert_eq!(current.raw(), a.raw());
    assert_eq!(current.device().unwrap(), device());
    assert_eq!(current.id().unwrap(), a.id().unwrap());
    assert_eq!(current.flags().unwrap(), gpu.flags().unwrap());
    let inner = gpu.push(&b).unwrap();
    let call = "cuCtxGetFlags";
    assert_eq!(current.flags().unwrap_err(), Error::NotCurrent { call }, "another one is current");
    inner.pop().unwrap();
    current.flags().unwrap();
}

#[test]
fn a_context_is_synchronized_without_being_current() {
    let context = new_context();
    has(context.synchronize());
    assert!(!context.is_current().unwrap());
}

#[test]
fn the_primary_context_has_a_state_that_can_be_asked_and_set() {
    fresh!(the_primary_context_has_a_state_that_can_be_asked_and_set, {
        let device = device();
        let before = device.primary_context_state().unwrap();
        assert!(!before.active && before.flags.is_empty());
        device.set_primary_context_flags(ContextFlags::SCHED_YIELD).unwrap();
        let primary = Context::primary(device).unwrap();
        let state = device.primary_context_state().unwrap();
        assert!(state.active && state.flags.contains(ContextFlags::SCHED_YIELD));
        {
            let mut stack = ContextStack::current_thread().unwrap();
            let gpu = stack.push(&primary).unwrap();
            assert!(gpu.flags().unwrap().contains(ContextFlags::SCHED_YIELD));
            device.set_primary_context_flags(ContextFlags::SCHED_SPIN).unwrap();
            assert!(gpu.flags().unwrap().contains(ContextFlags::SCHED_SPIN), "at once");
        }
        let twice = ContextFlags::SCHED_SPIN | ContextFlags::SCHED_YIELD;
        let error = device.set_primary_context_flags(twice).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
        // SAFETY: nothing of it is in use, and this process has no other code that uses it.
        unsafe { device.reset_primary_context() }.unwrap();
        assert!(!device.primary_context_state().unwrap().active);
        let again = Context::primary(device).unwrap();
        assert_eq!(primary, again, "the same handle lives again (F18)");
        let mut stack = ContextStack::current_thread().unwrap();
        stack.push(&primary).unwrap().synchronize().unwrap();
        drop(stack);
        again.try_destroy().unwrap().unwrap();
        primary.try_destroy().unwrap().unwrap();
        assert!(!device.primary_context_state().unwrap().active);
    });
}

#[test]
fn a_context_goes_to_foreign_code_and_comes_back() {
    let context = new_context();
    let clone = context.clone();
    let context = context.into_raw().expect_err("the clone holds it");
    drop(clone);
    let raw = context.into_raw().expect("nothing else holds it");
    assert_eq!(raw.release, ReleaseWith::Destroy);
    // SAFETY: alive, and this code's to destroy since `into_raw`.
    let context = unsafe { Context::from_raw(raw.raw, Ownership::TakeOver) }.unwrap();
    assert_eq!((context.kind(), context.raw()), (ContextKind::Created, raw.raw));
    assert_eq!(context.device(), device());
    let mut stack = ContextStack::current_thread().unwrap();
    stack.push(&context).unwrap().synchronize().unwrap();
    context.try_destroy().unwrap().unwrap();
}

#[test]
fn a_borrowed_context_is_not_ended() {
    let owner = new_context();
    // SAFETY: `owner` lives until the end of the test.
    let borrowed = unsafe { Context::from_raw(owner.raw(), Ownership::Borrow) }.unwrap();
    assert!(borrowed.to_string().starts_with("borrowed context "), "{borrowed}");
    assert_eq!((borrowed.kind(), &borrowed), (ContextKind::Borrowed, &owner));
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&borrowed).unwrap();
    let stream = gpu.stream().unwrap();
    assert!(stream.query().unwrap());
    drop(stream);
    gpu.pop().unwrap();
    borrowed.try_destroy().expect("nothing holds it").unwrap();
    stack.push(&owner).unwrap().synchronize().unwrap();
    // SAFETY: as above.
    let borrowed = unsafe { Context::from_raw(owner.raw(), Ownership::Borrow) }.unwrap();
    assert!(borrowed.to_string().starts_with("borrowed context "), "{borrowed}");
    assert_eq!(borrowed.into_raw().unwrap().release, ReleaseWith::Nothing);
    owner.try_destroy().unwrap().unwrap();
}

#[test]
fn a_foreign_primary_context_is_retained_or_taken_over() {
    let device = Device::all().unwrap().pop().unwrap(); // the first one's is used by other tests
    let raw = Context::primary(device).unwrap().into_raw().unwrap();
    assert_eq!(raw.release, ReleaseWith::ReleasePrimary(device));
    // SAFETY: alive: the retain of `raw` is not given back yet.
    let retained = unsafe { Context::from_raw(raw.raw, Ownership::RetainPrimary) }.unwrap();
    assert_eq!((retained.kind(), retained.device()), (ContextKind::Primary, device));
    drop(retained);
    // SAFETY: alive, and the retain was this code's to give back since `into_raw`.
    let taken = unsafe { Context::from_raw(raw.raw, Ownership::TakeOver) }.unwrap();
    assert_eq!(taken.kind(), ContextKind::Primary, "released, not destroyed");
    taken.try_destroy().unwrap().unwrap();

    let other = new_context();
    // SAFETY: alive.
    let error = unsafe { Context::from_raw(other.raw(), Ownership::RetainPrimary) }.unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
    other.try_destroy().unwrap().unwrap();
}

#[test]
fn a_null_handle_is_no_context() {
    for ownership in [Ownership::TakeOver, Ownership::Borrow, Ownership::RetainPrimary] {
        // SAFETY: null is allowed.
        let error = unsafe { Context::from_raw(std::ptr::null_mut(), ownership) }.unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
    }
}

#[test]
fn a_context_is_created_as_the_drivers_parameters_say() {
    let params = || ffi::CUctxCreateParams {
        execAffinityParams: std::ptr::null_mut(),
        numExecAffinityParams: 0,
        cigParams: std::ptr::null_mut(),
    };
    // SAFETY: the pointers are null.
    let created =
        unsafe { Context::create_with_params(device(), ContextFlags::SCHED_SPIN, params()) };
    let Some(context) = has(created) else { return };
    assert!(current_context().unwrap().is_none());
    let mut stack = ContextStack::current_thread().unwrap();
    assert!(stack.push(&context).unwrap().flags().unwrap().contains(ContextFlags::SCHED_SPIN));
}

#[test]
fn affinity_is_told_and_refused_where_it_is_not_supported() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let count = device().attribute(ffi::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT).unwrap();
    assert_eq!(gpu.exec_affinity().unwrap(), count.unsigned_abs(), "F98");
    let bound = Context::create_with_affinity(device(), ContextFlags::default(), 8);
    if device().supports_exec_affinity().unwrap() {
        let bound = bound.unwrap();
        gpu.pop().unwrap();
        assert!(stack.push(&bound).unwrap().exec_affinity().unwrap() >= 8);
    } else {
        let error = bound.unwrap_err();
        assert_eq!(error.code(), Some(ffi::CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY), "{error}");
    }
}

#[test]
fn a_green_context_has_multiprocessors_of_its_own_and_is_pushed_as_any_other() {
    let Some(all) = has(device().sm_resource()) else { return };
    let count = device().attribute(ffi::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT).unwrap();
    assert_eq!(all.count(), count.unsigned_abs());
    let split = all.split_by_count(2, 16, SmSplitFlags::empty()).unwrap();
    assert_eq!(split.groups.len(), 2);
    assert!(split.groups.iter().all(|group| group.count() >= 16));
    let rest = split.remainder.map_or(0, |rest| rest.count());
    assert_eq!(split.groups.iter().map(|g| g.count()).sum::<u32>() + rest, all.count());

    let (green, plain) = (Context::create_green(&split.groups[..1]).unwrap(), new_context());
    assert_eq!((green.kind(), green.device()), (ContextKind::Green, device()));
    assert!(green.to_string().starts_with("green context "), "{green}");
    assert_eq!(green.sm_resource().unwrap().count(), split.groups[0].count());
    assert_eq!(plain.sm_resource().unwrap().count(), all.count());
    assert!(green.raw_green().is_some() && plain.raw_green().is_none());
    assert!(current_context().unwrap().is_none());

    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&plain).unwrap();
    let gpu = outer.push(&green).unwrap();
    assert!(green.is_current().unwrap());
    let stream = gpu.stream().unwrap();
    let store = kernel(&gpu, common::kernels::STORE, "store");
    let mut buffer = gpu.alloc::<u32>(4).unwrap();
    let on = gpu.on(&stream);
    on.fill(&mut buffer, 5).unwrap();
    // SAFETY: the kernel is store(u32 *, u32) and writes one element.
    unsafe { on.launch_unchecked(&store, cuscope::LaunchConfig::new(1, 1), (&mut buffer, 9_u32)) }
        .unwrap();
    let mut host = [0; 4];
    on.download(&buffer, &mut host).unwrap();
    assert_eq!(host, [9, 5, 5, 5]);
    drop((stream, store, buffer));
    gpu.pop().unwrap();
    outer.synchronize().unwrap();
    drop(outer);
    green.try_destroy().expect("nothing holds it").unwrap();
}

#[test]
fn a_part_of_all_multiprocessors_leaves_none() {
    let Some(all) = has(device().sm_resource()) else { return };
    // In the smallest steps.
    let flags = SmSplitFlags::IGNORE_SM_COSCHEDULING;
    let Ok(split) = all.split_by_count(1, all.count(), flags) else {
        skip!("the device separates other numbers")
    };
    assert_eq!((split.groups.len(), split.groups[0].count()), (1, all.count()));
    assert!(split.remainder.is_none());
}

#[test]
fn contexts_have_hashes_of_their_own() {
    use std::hash::{BuildHasher, RandomState};
    let (hashes, contexts) = (RandomState::new(), [(); 4].map(|()| new_context()));
    let of = |context: &Context| hashes.hash_one(context);
    assert_eq!(of(&contexts[0]), of(&contexts[0].clone()));
    // That all are the same by chance does not happen.
    assert!(contexts.iter().any(|context| of(context) != of(&contexts[0])));
}

#[test]
fn green_contexts_of_nonsense_are_refused() {
    let Some(all) = has(device().sm_resource()) else { return };
    let refused = |result: Result<Context>| {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
    };
    refused(Context::create_green(&[]));
    if let [_, second, ..] = Device::all().unwrap()[..] {
        refused(Context::create_green(&[all, second.sm_resource().unwrap()]));
    }
    let error = all.split_by_count(0, 8, SmSplitFlags::empty()).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
    let too_many = all.split_by_count(1, all.count() + 1, SmSplitFlags::empty()).unwrap_err();
    assert!(too_many.code().is_some(), "{too_many}");
    // A wish for too many groups is a wish for as many as there are.
    let split = all.split_by_count(u32::MAX, 16, SmSplitFlags::empty()).unwrap();
    assert!(!split.groups.is_empty() && split.groups.len() < 100);
}

#[test]
fn a_green_context_goes_to_foreign_code_and_comes_back() {
    let Some(all) = has(device().sm_resource()) else { return };
    let split = all.split_by_count(1, 16, SmSplitFlags::empty()).unwrap();
    let raw = Context::create_green(&split.groups).unwrap().into_raw().unwrap();
    let ReleaseWith::DestroyGreen(green) = raw.release else { panic!("{raw:?}") };
    // SAFETY: alive, and this code's to destroy since `into_raw`.
    let context = unsafe { Context::from_raw_green(green) }.unwrap();
    assert_eq!((context.kind(), context.raw()), (ContextKind::Green, raw.raw));
    context.try_destroy().unwrap().unwrap();
}

#[test]
fn limits_are_asked_for_and_set() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let settable = [
        (Limit::StackSize, 4096),
        (Limit::PrintfFifoSize, 1 << 20),
        (Limit::MallocHeapSize, 16 << 20),
        (Limit::DeviceRuntimePendingLaunchCount, 4096),
        (Limit::MaxL2FetchGranularity, 64),
    ];
    for (limit, value) in settable {
        assert!(gpu.limit(limit).unwrap() > 0, "{limit:?}");
        gpu.set_limit(limit, value).unwrap();
        assert!(gpu.limit(limit).unwrap() >= value, "{limit:?}");
    }
    gpu.set_limit(Limit::PersistingL2CacheSize, gpu.limit(Limit::PersistingL2CacheSize).unwrap())
        .unwrap();
    gpu.reset_persisting_l2_cache().unwrap();
    let unsupported = Some(ffi::CUDA_ERROR_UNSUPPORTED_LIMIT);
    assert_eq!(gpu.limit(Limit::DeviceRuntimeSyncDepth).unwrap_err().code(), unsupported, "F69");
    let refused = gpu.set_limit(Limit::SharedMemorySize, 1).unwrap_err();
    assert_eq!(refused.code(), Some(ffi::CUDA_ERROR_NOT_PERMITTED), "F69");
}

#[test]
fn limits_are_the_contexts_own() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    let before = outer.limit(Limit::StackSize).unwrap();
    let inner = outer.push(&b).unwrap();
    inner.set_limit(Limit::StackSize, 16 << 10).unwrap();
    inner.pop().unwrap();
    assert_eq!(outer.limit(Limit::StackSize).unwrap(), before);
}

#[test]
fn cache_and_bank_configurations_are_remembered() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    assert_eq!(gpu.cache_config().unwrap(), CacheConfig::PreferNone);
    for config in [
        CacheConfig::PreferShared,
        CacheConfig::PreferL1,
        CacheConfig::PreferEqual,
        CacheConfig::PreferNone,
    ] {
        gpu.set_cache_config(config).unwrap();
        assert_eq!(gpu.cache_config().unwrap(), config, "F70");
    }
    for config in [SharedMemoryConfig::EightByteBankSize, SharedMemoryConfig::DefaultBankSize] {
        gpu.set_shared_memory_config(config).unwrap();
    }
    // Which one a device has, whatever was set.
    let width = gpu.shared_memory_config().unwrap();
    assert_eq!(
        width,
        SharedMemoryConfig::FourByteBankSize,
        "F121: no device since 2014 has others"
    );
}

#[test]
fn streams_have_priorities_in_the_contexts_range() {
    let context = new_context();
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&context).unwrap();
    let range = gpu.stream_priority_range().unwrap();
    assert!(range.greatest < range.least && range.numbers().contains(&0), "{range:?}");
    assert_eq!(gpu.stream().unwrap().priority().unwrap(), range.least);
    let flags = StreamFlags::NON_BLOCKING;
    for (asked, got) in
        [(range.greatest, range.greatest), (-1, -1), (-100, range.greatest), (100, range.least)]
    {
        let stream = gpu.stream_with_priority(flags, asked).unwrap();
        assert_eq!(stream.priority().unwrap(), got, "F68");
        assert_eq!(stream.flags().unwrap(), flags);
    }
}

#[test]
fn a_context_is_recorded_and_waits_as_a_whole() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let mut outer = stack.push(&a).unwrap();
    let spin = kernel(&outer, common::kernels::SPIN, "spin");
    let (stream, started, done) =
        (outer.stream().unwrap(), outer.event().unwrap(), outer.event().unwrap());
    let one = cuscope::LaunchConfig::new(1, 1);
    // SAFETY: the kernel is spin(u64) and uses no memory.
    unsafe { outer.on(&stream).launch_unscoped(&spin, one, (50_000_000_u64,)) }.unwrap();
    if has(outer.record_event(&done)).is_none() {
        return;
    }
    let inner = outer.push(&b).unwrap();
    inner.wait_event(&done).unwrap();
    let (other, behind) = (inner.stream().unwrap(), inner.event().unwrap());
    inner.on(&other).record(&behind).unwrap();
    behind.synchronize().unwrap();
    assert!(done.query().unwrap(), "the other context did not wait");
    inner.pop().unwrap();
    outer.record_event(&started).unwrap();
    assert!(started.query().is_ok());
}

#[test]
fn state_is_asked_for_under_the_right_context_only() {
    let (a, b) = (new_context(), new_context());
    let mut stack = ContextStack::current_thread().unwrap();
    let gpu = stack.push(&a).unwrap();
    foreign::push(b.raw());
    let refused = [
        gpu.flags().map(drop),
        gpu.limit(Limit::StackSize).map(drop),
        gpu.set_limit(Limit::StackSize, 1024),
        gpu.cache_config().map(drop),
        gpu.set_cache_config(CacheConfig::PreferL1),
        gpu.shared_memory_config().map(drop),
        gpu.set_shared_memory_config(SharedMemoryConfig::DefaultBankSize),
        gpu.stream_priority_range().map(drop),
        gpu.exec_affinity().map(drop),
        gpu.reset_persisting_l2_cache(),
        gpu.memory_info().map(drop),
        gpu.synchronize(),
        gpu.stream_with_priority(StreamFlags::NON_BLOCKING, 0).map(drop),
    ];
    for result in refused {
        assert!(matches!(result, Err(Error::NotCurrent { .. })), "{result:?}");
    }
    assert_eq!(foreign::pop(), b.raw());
    gpu.flags().unwrap();
}

#[test]
fn a_device_is_found_by_its_pci_address() {
    for device in Device::all().unwrap() {
        let address = device.pci_bus_id().unwrap();
        assert_eq!(Device::by_pci_bus_id(address.as_str()).unwrap(), device);
        // Without the function, as some tools write it.
        let (short, _) = address.rsplit_once('.').unwrap();
        assert_eq!(Device::by_pci_bus_id(short).unwrap(), device);
    }
    let code = |text: &str| Device::by_pci_bus_id(text).unwrap_err().code();
    assert_eq!(code("ffff:ff:1f.7"), Some(ffi::CUDA_ERROR_INVALID_DEVICE));
    assert_eq!(code("a bus"), Some(ffi::CUDA_ERROR_INVALID_VALUE));
    assert_eq!(code("0000:00\0"), None);
}

/// Functions that may be the first of a process that call the driver: they initialise it.
macro_rules! first_calls {
    ($($test:ident: $call:expr;)*) => { $(
        #[test]
        fn $test() {
            fresh!($test, {
                let result: Result = $call;
                if let Err(error) = result {
                    assert_ne!(error.code(), Some(ffi::CUDA_ERROR_NOT_INITIALIZED), "{error}");
                }
            });
        }
    )* };
}
first_calls! {
    the_current_context_may_be_asked_for_first: current_context().map(drop);
    a_device_may_be_looked_up_first: Device::by_pci_bus_id("0000:00:00").map(drop);
    addresses_may_be_reserved_first: Reservation::new(1 << 30).map(drop);
    core_dumps_may_be_looked_at_first: CoreDumps::process().enabled().map(drop);
    core_dumps_may_be_set_first: CoreDumps::process().set_host(true);
}
