//! The state of a context: F68 to F70, F117 to F122, F137 to F139.

use crate::fresh;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Mutex;

/// A stream with a kernel in it that runs for a while.
pub(crate) fn busy_stream(module: CUmodule) -> CUstream {
    let stream = free_stream();
    assert_eq!(launch(kernel(module, c"spin"), stream, &[LONG_NANOSECONDS]), SUCCESS);
    stream
}

/// The flags of the current context.
pub(crate) fn context_flags() -> u32 {
    made!(cuCtxGetFlags())
}

/// The flags of the primary context as the device has them, and whether it is active.
pub(crate) fn primary_state(device: CUdevice) -> (u32, i32) {
    let (mut flags, mut active) = (77, 77);
    ok!(cuDevicePrimaryCtxGetState(device, &raw mut flags, &raw mut active));
    (flags, active)
}

/// A limit of the current context.
fn limit(limit: CUlimit) -> usize {
    made!(cuCtxGetLimit(limit))
}

/// F69
#[test]
fn some_limits_can_be_set_and_some_only_read() {
    let context = create_context();
    for settable in [0, 1, 2, 4, 5, 6].map(CUlimit) {
        let before = limit(settable);
        ok!(cuCtxSetLimit(settable, before));
        assert_eq!(limit(settable), before, "{settable:?}");
    }
    let mut value = 0;
    for unsupported in [3, 9].map(CUlimit) {
        each_gives!(UNSUPPORTED_LIMIT; {
            cuCtxGetLimit(&raw mut value, unsupported);
            cuCtxSetLimit(unsupported, 1);
        });
    }
    for fixed in [7, 8].map(CUlimit) {
        let before = limit(fixed);
        assert_eq!(code!(cuCtxSetLimit(fixed, before)), NOT_PERMITTED);
        assert_eq!(limit(fixed), before);
    }
    each_gives!(INVALID_VALUE; {
        cuCtxGetLimit(&raw mut value, CUlimit(99));
        cuCtxGetLimit(null_mut(), CUlimit(3));
        cuCtxSetLimit(CUlimit(99), 0);
    });
    assert_eq!(pop(), context);
    each_gives!(INVALID_CONTEXT; {
        cuCtxGetLimit(null_mut(), CUlimit(99));
        cuCtxSetLimit(CUlimit(99), 0);
    });
    ok!(cuCtxDestroy_v2(context));
}

/// F120
#[test]
fn a_limit_becomes_a_value_near_the_one_asked_for() {
    let context = create_context();
    let [stack, printf, heap, pending, fetch, persisting] = [0, 1, 2, 4, 5, 6].map(CUlimit);
    assert_eq!([stack, printf, heap].map(limit), [1024, 8_650_752, 8 << 20]);
    for (which, value, becomes) in [
        (stack, 0, 0),
        (stack, 1, 16),
        (stack, 15, 15),
        (stack, 17, 32),
        (stack, 1000, 1008),
        (stack, 1024, 1024),
        (printf, 0, 512 << 10),
        (printf, (1 << 20) + 1, (1 << 20) + 256),
        (printf, 1 << 33, 2 << 30),
        (heap, 0, 4 << 20),
        (heap, (8 << 20) + 1, (8 << 20) + (64 << 10)),
        (pending, 0, 32),
        (pending, 5000, 5000),
        (fetch, 33, 33),
        (fetch, 128, 128),
        (persisting, 0, 0),
    ] {
        ok!(cuCtxSetLimit(which, value));
        assert_eq!(limit(which), becomes, "{which:?} {value}");
    }
    let most: i32 =
        made!(cuDeviceGetAttribute(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 0));
    let most = usize::try_from(most).expect("a size");
    ok!(cuCtxSetLimit(persisting, 1));
    assert!((2..most).contains(&limit(persisting)));
    ok!(cuCtxSetLimit(persisting, most));
    for (which, value) in [(stack, 512 << 10), (fetch, 129), (persisting, most + 1)] {
        let before = limit(which);
        assert_eq!(code!(cuCtxSetLimit(which, value)), INVALID_VALUE, "{which:?}");
        assert_eq!(limit(which), before, "{which:?}");
    }
    // Each context has its own.
    let other = create_context();
    assert_eq!(limit(stack), 1024);
    assert_ne!(limit(persisting), most);
    ok!(cuCtxDestroy_v2(other));
    ok!(cuCtxDestroy_v2(context));
}

/// F122
#[test]
fn another_stack_waits_for_all_work_and_other_limits_do_not() {
    let context = create_context();
    let module = load_kernels();
    let stream = free_stream();
    let gate = Gate::new(module, stream);
    ok!(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
    ok!(cuCtxSetLimit(CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 4096));
    ok!(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    assert_eq!(code!(cuStreamQuery(stream)), NOT_READY);
    gate.open();
    ok!(cuStreamSynchronize(stream));
    let stream = busy_stream(module);
    ok!(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    ok!(cuStreamQuery(stream));
    let stream = busy_stream(module);
    ok!(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1 << 20));
    ok!(cuStreamQuery(stream));
    ok!(cuCtxDestroy_v2(context));
}

/// F70
#[test]
fn a_cache_configuration_is_remembered() {
    let context = create_context();
    assert_eq!(made!(cuCtxGetCacheConfig()), CU_FUNC_CACHE_PREFER_NONE);
    for config in [1, 2, 3, 0, 2].map(CUfunc_cache) {
        ok!(cuCtxSetCacheConfig(config));
        assert_eq!(made!(cuCtxGetCacheConfig()), config);
    }
    each_gives!(INVALID_VALUE; {
        cuCtxSetCacheConfig(CUfunc_cache(4));
        cuCtxSetCacheConfig(CUfunc_cache(9));
        cuCtxGetCacheConfig(null_mut());
    });
    assert_eq!(made!(cuCtxGetCacheConfig()), CU_FUNC_CACHE_PREFER_L1);
    let other = create_context();
    assert_eq!(made!(cuCtxGetCacheConfig()), CU_FUNC_CACHE_PREFER_NONE);
    ok!(cuCtxDestroy_v2(other));
    ok!(cuCtxDestroy_v2(context));
}

/// F121
#[test]
fn banks_of_shared_memory_stay_four_bytes_wide() {
    let context = create_context();
    for config in [0, 1, 2].map(CUsharedconfig) {
        ok!(cuCtxSetSharedMemConfig(config));
        assert_eq!(made!(cuCtxGetSharedMemConfig()), CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
    }
    each_gives!(INVALID_VALUE; {
        cuCtxSetSharedMemConfig(CUsharedconfig(3));
        cuCtxGetSharedMemConfig(null_mut());
    });
    ok!(cuCtxResetPersistingL2Cache());
    assert_eq!(pop(), context);
    each_gives!(INVALID_CONTEXT; {
        cuCtxSetSharedMemConfig(CUsharedconfig(9));
        cuCtxGetSharedMemConfig(null_mut());
        cuCtxSetCacheConfig(CUfunc_cache(9));
        cuCtxGetCacheConfig(null_mut());
        cuCtxResetPersistingL2Cache();
    });
    ok!(cuCtxDestroy_v2(context));
}

/// The priority of a stream.
fn priority(stream: CUstream) -> i32 {
    let mut priority = 77;
    ok!(cuStreamGetPriority(stream, &raw mut priority));
    priority
}

/// F68
#[test]
fn a_stream_has_the_nearest_priority_and_no_unknown_flags() {
    let context = create_context();
    let mut stream = null_mut();
    each_gives!(INVALID_VALUE; {
        cuStreamCreate(&raw mut stream, 77);
        cuStreamCreateWithPriority(&raw mut stream, 77, 0);
        cuStreamCreateWithPriority(&raw mut stream, 2, 0);
        cuStreamCreateWithPriority(null_mut(), 0, 0);
    });
    for (asked, given) in [(0, 0), (-1, -1), (-5, -5), (-6, -5), (-100, -5), (1, 0), (100, 0)] {
        let stream = made!(cuStreamCreateWithPriority(1, asked));
        assert_eq!(priority(stream), given, "{asked}");
        ok!(cuStreamDestroy_v2(stream));
    }
    ok!(cuCtxDestroy_v2(context));
}

/// The number of a stream.
fn number(stream: CUstream) -> u64 {
    let mut number = 0;
    ok!(cuStreamGetId(stream, &raw mut number));
    number
}

/// F117
#[test]
fn priorities_have_a_range_and_streams_have_numbers() {
    let context = create_context();
    let (mut least, mut greatest) = (77, 77);
    ok!(cuCtxGetStreamPriorityRange(&raw mut least, null_mut()));
    ok!(cuCtxGetStreamPriorityRange(null_mut(), &raw mut greatest));
    ok!(cuCtxGetStreamPriorityRange(null_mut(), null_mut()));
    assert_eq!((least, greatest), (0, -5));
    let (legacy, per_thread) =
        (std::ptr::without_provenance_mut(1), std::ptr::without_provenance_mut(2));
    assert_eq!([null_mut(), legacy, per_thread].map(priority), [0; 3]);
    assert_eq!(number(null_mut()), number(legacy));
    let mut numbers = vec![number(null_mut()), number(per_thread)];
    for _ in 0..2 {
        // The second has the handle of the first (F105).
        let stream = free_stream();
        numbers.push(number(stream));
        ok!(cuStreamDestroy_v2(stream));
    }
    let other = create_context();
    numbers.extend([number(null_mut()), number(free_stream())]);
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 6, "{numbers:?}");
    ok!(cuCtxDestroy_v2(other));
    let stream = free_stream();
    each_gives!(INVALID_VALUE; {
        cuStreamGetPriority(stream, null_mut());
        cuStreamGetId(stream, null_mut());
    });
    assert_eq!(pop(), context);
    assert_eq!(priority(stream), 0);
    let (mut which, mut id, mut none) = (0, 0, null_mut());
    each_gives!(INVALID_CONTEXT; {
        cuCtxGetStreamPriorityRange(null_mut(), null_mut());
        cuStreamCreateWithPriority(&raw mut none, 0, 0);
        cuStreamGetPriority(null_mut(), &raw mut which);
        cuStreamGetId(null_mut(), &raw mut id);
    });
    ok!(cuCtxDestroy_v2(context));
}

/// F118
#[test]
fn the_flags_of_a_context_can_be_replaced() {
    device();
    has!(cuCtxSetFlags);
    assert_eq!(newer!(cuCtxSetFlags(0)), INVALID_CONTEXT);
    let context = create_context();
    for flags in [0x1, 0x2, 0x4, 0x10, 0x80, 0x84, 0] {
        ok!(newer cuCtxSetFlags(flags));
        assert_eq!(context_flags(), flags);
    }
    ok!(newer cuCtxSetFlags(4));
    for flags in [0x3, 0x7, 0x100, 0xffff] {
        assert_eq!(newer!(cuCtxSetFlags(flags)), INVALID_VALUE, "{flags:#x}");
    }
    assert_eq!(context_flags(), 4);
    // Neither dumps nor mapped host memory can be asked for any more.
    ok!(newer cuCtxSetFlags(0x28));
    assert_eq!(context_flags(), 0);
    ok!(cuCtxDestroy_v2(context));
}

/// F119
#[test]
fn the_flags_of_a_primary_context_are_set_by_the_device_or_in_it() {
    fresh!(the_flags_of_a_primary_context_are_set_by_the_device_or_in_it, {
        let device = device();
        assert_eq!(primary_state(device), (0, 0));
        for flags in [0x8, 0x9, 0x18, 0x3, 0x7, 0x100] {
            let code = code!(cuDevicePrimaryCtxSetFlags_v2(device, flags));
            assert_eq!(code, INVALID_VALUE, "{flags:#x}");
        }
        ok!(cuDevicePrimaryCtxSetFlags_v2(device, 4));
        assert_eq!(primary_state(device), (4, 0));
        let primary: CUcontext = made!(cuDevicePrimaryCtxRetain(device));
        assert_eq!(primary_state(device), (4, 1));
        ok!(cuCtxPushCurrent_v2(primary));
        assert_eq!(context_flags(), 4 | 8);
        for flags in [0, 1, 0x10] {
            ok!(cuDevicePrimaryCtxSetFlags_v2(device, flags));
            assert_eq!((context_flags(), primary_state(device)), (flags | 8, (flags, 1)));
        }
        ok!(cuDevicePrimaryCtxSetFlags_v2(device, 0x20));
        assert_eq!((context_flags(), primary_state(device)), (8, (0x20, 1)));
        if cuscope::ffi::cuCtxSetFlags().is_ok() {
            ok!(cuDevicePrimaryCtxSetFlags_v2(device, 2));
            for flags in [1, 4, 8, 0x10] {
                ok!(newer cuCtxSetFlags(flags));
                assert_eq!((context_flags(), primary_state(device)), (flags | 8, (2, 1)));
            }
        }
        assert_eq!(pop(), primary);
        ok!(cuDevicePrimaryCtxRelease_v2(device));
        assert_eq!(primary_state(device), (0, 0));
    });
}

/// F137
#[test]
fn before_init_the_result_is_looked_at_first_in_some_calls() {
    fresh!(before_init_the_result_is_looked_at_first_in_some_calls, {
        let (mut size, mut stream, mut cache) = (0, null_mut(), CU_FUNC_CACHE_PREFER_NONE);
        each_gives!(NOT_INITIALIZED; {
            cuCtxCreate_v3(null_mut(), null_mut(), 0, 0, 0);
            cuCtxGetLimit(&raw mut size, CUlimit(99));
            cuCtxGetLimit(null_mut(), CUlimit(0));
            cuCtxSetLimit(CUlimit(0), 0);
            cuCtxGetCacheConfig(&raw mut cache);
            cuCtxGetStreamPriorityRange(null_mut(), null_mut());
            cuCtxGetExecAffinity(null_mut(), CU_EXEC_AFFINITY_TYPE_SM_COUNT);
            cuCtxResetPersistingL2Cache();
            cuStreamCreateWithPriority(&raw mut stream, 0, 0);
        });
        each_gives!(INVALID_VALUE; {
            cuStreamCreateWithPriority(null_mut(), 0, 0);
            cuStreamGetPriority(null_mut(), null_mut());
            cuStreamGetId(null_mut(), null_mut());
        });
        has!(cuGreenCtxCreate, cuGreenCtxStreamCreate, cuGreenCtxGetId, cuCtxGetDevice_v2);
        assert_eq!(newer!(cuGreenCtxCreate(null_mut(), null_mut(), 0, 0)), NOT_INITIALIZED);
        assert_eq!(newer!(cuGreenCtxDestroy(null_mut())), NOT_INITIALIZED);
        assert_eq!(newer!(cuCtxSynchronize_v2(null_mut())), NOT_INITIALIZED);
        assert_eq!(newer!(cuCtxGetDevice_v2(null_mut(), null_mut())), INVALID_VALUE);
        assert_eq!(newer!(cuCtxFromGreenCtx(null_mut(), null_mut())), INVALID_VALUE);
        assert_eq!(newer!(cuGreenCtxGetId(null_mut(), null_mut())), INVALID_VALUE);
        let kind = CU_DEV_RESOURCE_TYPE_SM;
        assert_eq!(newer!(cuCtxGetDevResource(null_mut(), null_mut(), kind)), INVALID_VALUE);
        assert_eq!(newer!(cuStreamGetGreenCtx(null_mut(), null_mut())), INVALID_VALUE);
        assert_eq!(newer!(cuDevResourceGenerateDesc(null_mut(), null_mut(), 0)), INVALID_VALUE);
        let refused = newer!(cuGreenCtxStreamCreate(&raw mut stream, null_mut(), 1, 0));
        assert_eq!(refused, INVALID_CONTEXT);
        assert_eq!(newer!(cuGreenCtxRecordEvent(null_mut(), null_mut())), INVALID_CONTEXT);
    });
}

/// F138
#[test]
fn after_a_fault_contexts_tell_what_needs_no_device() {
    fresh!(after_a_fault_contexts_tell_what_needs_no_device, {
        let place = Place::new();
        ok!(cuCtxPushCurrent_v2(place.context));
        assert_eq!(launch(place.kernel(c"stop_here"), place.stream, &[]), SUCCESS);
        assert_eq!(code!(cuCtxSynchronize()), LAUNCH_FAILED);
        let (mut size, mut cache, mut stream) = (0, CU_FUNC_CACHE_PREFER_NONE, null_mut());
        let (mut number, mut id) = (0, 0);
        let mut context = null_mut();
        each_gives!(LAUNCH_FAILED; {
            cuCtxCreate_v3(&raw mut context, null_mut(), 0, 0, 0);
            cuCtxGetLimit(&raw mut size, CUlimit(0));
            cuCtxGetLimit(null_mut(), CUlimit(99));
            cuCtxSetLimit(CUlimit(0), 2048);
            cuCtxGetCacheConfig(&raw mut cache);
            cuCtxSetCacheConfig(CUfunc_cache(9));
            cuCtxGetStreamPriorityRange(null_mut(), null_mut());
            cuCtxGetExecAffinity(null_mut(), CU_EXEC_AFFINITY_TYPE_SM_COUNT);
            cuCtxResetPersistingL2Cache();
            cuStreamCreateWithPriority(&raw mut stream, 0, 0);
            cuStreamGetPriority(place.stream, &raw mut number);
            cuStreamGetId(place.stream, &raw mut id);
        });
        // Arguments that are wrong at first sight.
        each_gives!(INVALID_VALUE; {
            cuCtxCreate_v2(null_mut(), 0, 0);
            cuCtxCreate_v2(&raw mut context, 7, 0);
            cuStreamCreateWithPriority(null_mut(), 0, 0);
            cuStreamGetPriority(place.stream, null_mut());
        });
        assert_eq!(code!(cuCtxCreate_v2(&raw mut context, 0, 99)), INVALID_DEVICE);
        let kind = CU_EXEC_AFFINITY_TYPE_SM_COUNT;
        ok!(cuDeviceGetExecAffinitySupport(&raw mut number, kind, 0));
        if cuscope::ffi::cuCtxSynchronize_v2().is_ok() {
            assert_eq!(newer!(cuCtxSynchronize_v2(null_mut())), LAUNCH_FAILED);
            assert_eq!(newer!(cuCtxRecordEvent(place.context, place.event)), LAUNCH_FAILED);
            assert_eq!(newer!(cuCtxRecordEvent(null_mut(), place.event)), INVALID_CONTEXT);
            ok!(newer cuCtxSetFlags(0));
            ok!(newer cuCtxGetDevice_v2(&raw mut number, place.context));
        }
        assert_eq!(pop(), place.context);
        each_gives!(INVALID_CONTEXT; {
            cuCtxGetLimit(&raw mut size, CUlimit(0));
            cuCtxSetCacheConfig(CUfunc_cache(9));
            cuCtxResetPersistingL2Cache();
            cuStreamGetPriority(null_mut(), &raw mut number);
        });
    });
}

/// The codes that `ask` was given.
static ANSWERS: Mutex<Vec<CUresult>> = Mutex::new(Vec::new());

/// Asks in a host function; the argument is a stream.
unsafe extern "C" fn ask(stream: *mut c_void) {
    let (mut number, mut id, mut size) = (0, 0, 0);
    let answers = vec![
        code!(cuStreamGetPriority(stream.cast(), &raw mut number)),
        code!(cuStreamGetId(stream.cast(), &raw mut id)),
        code!(cuStreamGetPriority(null_mut(), &raw mut number)),
        code!(cuStreamGetId(null_mut(), &raw mut id)),
        code!(cuCtxGetLimit(&raw mut size, CUlimit(0))),
        code!(cuCtxSetCacheConfig(CUfunc_cache(0))),
        code!(cuCtxGetStreamPriorityRange(null_mut(), null_mut())),
    ];
    *ANSWERS.lock().expect("nothing panics with it") = answers;
}

/// F139
#[test]
fn a_host_function_may_ask_a_stream_for_its_priority_and_number() {
    let context = create_context();
    let stream = free_stream();
    ok!(cuLaunchHostFunc(stream, Some(ask), stream.cast()));
    ok!(cuStreamSynchronize(stream));
    let [yes, no] = [SUCCESS, NOT_PERMITTED];
    assert_eq!(*ANSWERS.lock().unwrap(), [yes, yes, no, no, no, no, no]);
    ok!(cuCtxDestroy_v2(context));
}
