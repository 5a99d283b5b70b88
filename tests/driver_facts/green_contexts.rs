//! Green contexts: F97, F123, F124, F127 to F136.

use crate::raw::*;
use crate::{dangling, fresh};
use cuscope::ffi::*;
use std::ptr::{null_mut, without_provenance_mut};

pub(crate) const SM: CUdevResourceType = CU_DEV_RESOURCE_TYPE_SM;

/// Leaves the test if the driver has no green contexts that all these tests can work with.
macro_rules! has_green_contexts {
    () => {
        has!(cuGreenCtxCreate, cuGreenCtxStreamCreate, cuGreenCtxGetId);
    };
}
pub(crate) use has_green_contexts;

/// Returns three numbers of multiprocessors: their count, the least part, and how many belong together.
pub(crate) fn told(resource: &CUdevResource) -> [u32; 3] {
    assert_eq!(resource.r#type, SM);
    // SAFETY: Every member of the union is numbers.
    let sm = unsafe { resource.anonymous.sm };
    [sm.smCount, sm.minSmPartitionSize, sm.smCoscheduledAlignment]
}

/// How many multiprocessors.
pub(crate) fn count(resource: &CUdevResource) -> u32 {
    told(resource)[0]
}

/// All of the device.
pub(crate) fn all() -> CUdevResource {
    let device = device();
    let mut resource = all_zeros();
    ok!(newer cuDeviceGetDevResource(device, &raw mut resource, SM));
    resource
}

/// The answer to a split into at most `N` groups, with the groups made and the rest.
pub(crate) fn split<const N: usize>(
    input: &CUdevResource,
    flags: u32,
    least: u32,
) -> Result<(Vec<CUdevResource>, CUdevResource), CUresult> {
    let mut parts: [CUdevResource; N] = all_zeros();
    let (mut rest, mut groups) = (all_zeros(), u32::try_from(N).expect("few"));
    let code = newer!(cuDevSmResourceSplitByCount(
        parts.as_mut_ptr(),
        &raw mut groups,
        input,
        &raw mut rest,
        flags,
        least
    ));
    if code != SUCCESS {
        return Err(code);
    }
    Ok((parts[..groups as usize].to_vec(), rest))
}

/// The description of resources.
pub(crate) fn describe(resources: &mut [CUdevResource]) -> CUdevResourceDesc {
    let length = u32::try_from(resources.len()).expect("few");
    made!(newer cuDevResourceGenerateDesc(resources.as_mut_ptr(), length))
}

/// A green context with 16 multiprocessors.
pub(crate) fn create_green() -> CUgreenCtx {
    let (mut parts, _) = split::<1>(&all(), 0, 16).unwrap();
    made!(newer cuGreenCtxCreate(describe(&mut parts), device(), 1))
}

/// The context of a green context.
pub(crate) fn derived(green: CUgreenCtx) -> CUcontext {
    made!(newer cuCtxFromGreenCtx(green))
}

/// A stream in a green context.
fn green_stream(green: CUgreenCtx) -> CUstream {
    made!(newer cuGreenCtxStreamCreate(green, 1, 0))
}

/// The resource of a green context.
pub(crate) fn resource_of(green: CUgreenCtx) -> CUdevResource {
    let mut resource = all_zeros();
    ok!(newer cuGreenCtxGetDevResource(green, &raw mut resource, SM));
    resource
}

/// Whether the primary context is active.
fn active() -> bool {
    let (mut flags, mut active) = (0, 0);
    ok!(cuDevicePrimaryCtxGetState(device(), &raw mut flags, &raw mut active));
    active != 0
}

/// F127, F128
#[test]
fn a_green_context_gets_what_was_described() {
    fresh!(a_green_context_gets_what_was_described, {
        let device = device();
        has_green_contexts!();
        let whole = all();
        let have = count(&whole);
        let (parts, rest) = split::<3>(&whole, 0, 16).unwrap();
        let (pair, _) = split::<1>(&whole, 1, 16).unwrap();
        let (eight, _) = split::<2>(&whole, 0, 8).unwrap();
        let over = have - 48;
        for (resources, gets) in [
            (&mut [whole][..], [have, 8, 8]),
            (&mut [parts[0]], [16, 8, 8]),
            (&mut [parts[0], parts[1]], [32, 8, 8]),
            (&mut [rest], [over, 2, 2]),
            (&mut [parts[2], rest], [over + 16, 2, 2]),
            (&mut [pair[0]], [16, 2, 2]),
            (&mut [whole, whole], [have, 8, 8]),
            (&mut [parts[0], parts[0]], [32, 8, 8]),
            (&mut [parts[0], eight[1]], [24, 8, 8]),
            (&mut [parts[0], whole], [have, 8, 8]),
        ] {
            let green = made!(newer cuGreenCtxCreate(describe(resources), device, 1));
            assert_eq!(told(&resource_of(green)), gets);
            ok!(newer cuGreenCtxDestroy(green));
        }
        // Without a description it gets all; of what a green context has, there are parts too.
        let green = made!(newer cuGreenCtxCreate(null_mut(), device, 1));
        assert_eq!(count(&resource_of(green)), have);
        ok!(newer cuGreenCtxDestroy(green));
        let green = create_green();
        let (parts, _) = split::<2>(&resource_of(green), 0, 8).unwrap();
        assert_eq!(parts.len(), 2);
        ok!(newer cuGreenCtxDestroy(green));
    });
}

/// F128
#[test]
fn a_green_context_must_have_a_default_stream() {
    fresh!(a_green_context_must_have_a_default_stream, {
        let device = device();
        has_green_contexts!();
        let (mut parts, _) = split::<1>(&all(), 0, 16).unwrap();
        let desc = describe(&mut parts);
        let mut green = null_mut();
        for flags in [0, 2, 3] {
            let code = newer!(cuGreenCtxCreate(&raw mut green, desc, device, flags));
            assert_eq!(code, INVALID_VALUE);
        }
        assert_eq!(newer!(cuGreenCtxCreate(null_mut(), desc, 99, 0)), INVALID_VALUE);
        assert_eq!(newer!(cuGreenCtxCreate(&raw mut green, desc, 99, 0)), INVALID_DEVICE);
        assert!(!active());
        // A description serves more than once, and multiprocessors belong to nobody alone.
        let [a, b] = [desc; 2].map(|desc| made!(newer cuGreenCtxCreate(desc, device, 1)));
        assert_ne!(a, b);
        ok!(newer cuGreenCtxDestroy(a));
        ok!(newer cuGreenCtxDestroy(b));
    });
}

/// F97, F129
#[test]
fn a_green_context_is_a_context_too() {
    fresh!(a_green_context_is_a_context_too, {
        device();
        has_green_contexts!();
        let green = create_green();
        assert!(current().is_null());
        // Its handle is that of a context once that was asked for, and not before.
        assert_eq!(code!(cuCtxPushCurrent_v2(green.cast())), INVALID_CONTEXT);
        let context = derived(green);
        assert_eq!(context, derived(green));
        assert_eq!(context, green.cast());
        let (mut number, mut id, mut version) = (0, 0, 0);
        ok!(newer cuGreenCtxGetId(green, &raw mut number));
        ok!(cuCtxGetId(context, &raw mut id));
        assert_eq!(id, number);
        ok!(cuCtxGetApiVersion(context, &raw mut version));
        assert_eq!(version, 3020);
        within(context, || {
            assert_eq!(current(), context);
            assert_eq!(made!(cuCtxGetDevice()), 0);
            let stream = green_stream(green);
            let [mut of_stream, mut of_null] = [null_mut(); 2];
            ok!(newer cuStreamGetGreenCtx(stream, &raw mut of_stream));
            ok!(newer cuStreamGetGreenCtx(null_mut(), &raw mut of_null));
            assert_eq!((of_stream, of_null), (green, green));
        });
        // It can be destroyed as a green context only, and no other context passes for one.
        let plain = create_context_unpushed();
        assert_eq!(code!(cuCtxDestroy_v2(context)), INVALID_CONTEXT);
        let mut other = null_mut();
        for no_green in [plain.cast(), null_mut()] {
            let codes = [
                newer!(cuGreenCtxGetId(no_green, &raw mut id)),
                newer!(cuCtxFromGreenCtx(&raw mut other, no_green)),
                newer!(cuGreenCtxDestroy(no_green)),
                newer!(cuGreenCtxRecordEvent(no_green, null_mut())),
            ];
            assert_eq!(codes, [INVALID_CONTEXT; 4]);
        }
        ok!(newer cuGreenCtxDestroy(green));
        ok!(cuCtxDestroy_v2(plain));
    });
}

/// A primary context, retained, and a green one on the same device.
struct World {
    primary: CUcontext,
    green: CUgreenCtx,
    derived: CUcontext,
}

impl World {
    fn new() -> Self {
        let green = create_green();
        let primary = made!(cuDevicePrimaryCtxRetain(device()));
        Self { primary, green, derived: derived(green) }
    }
}

/// F130
#[test]
fn objects_made_in_a_green_context_belong_to_the_primary_one() {
    fresh!(objects_made_in_a_green_context_belong_to_the_primary_one, {
        device();
        has_green_contexts!();
        let World { primary, green, derived } = World::new();
        let make = || {
            let memory: CUdeviceptr = made!(cuMemAlloc_v2(4096));
            (memory, load_kernels(), made!(cuEventCreate(0)))
        };
        let (memory, module, event): (_, _, CUevent) = within(derived, make);
        let (of_primary, its_module, _event): (_, _, CUevent) = within(primary, make);
        let mut owner: CUcontext = null_mut();
        let out = (&raw mut owner).cast();
        ok!(cuPointerGetAttribute(out, CU_POINTER_ATTRIBUTE_CONTEXT, memory));
        assert_eq!(owner, primary);
        // Kernels and events of one work on streams of the other.
        let stream = green_stream(green);
        let other: CUstream = within(primary, || made!(cuStreamCreate(1)));
        for (module, stream, memory) in [
            (module, other, of_primary),
            (its_module, stream, memory),
            (module, stream, of_primary),
        ] {
            let store = kernel(module, c"store_value");
            assert_eq!(launch(store, stream, &[memory, 42]), SUCCESS);
            ok!(cuEventRecord(event, stream));
            ok!(cuEventSynchronize(event));
        }
        // An ordinary context is another world.
        let plain = Place::new();
        assert_eq!(launch(plain.kernel(c"nothing"), stream, &[]), INVALID_HANDLE);
        assert_eq!(code!(cuEventRecord(plain.event, stream)), INVALID_HANDLE);
        plain.destroy();
        // All of it outlives the green context.
        ok!(newer cuGreenCtxDestroy(green));
        within(primary, || {
            ok!(cuMemsetD8_v2(memory, 1, 4096));
            assert_eq!(launch(kernel(module, c"nothing"), other, &[]), SUCCESS);
            ok!(cuEventRecord(event, other));
            ok!(cuEventDestroy_v2(event));
            ok!(cuModuleUnload(module));
            ok!(cuMemFree_v2(memory));
        });
    });
}

/// F131
#[test]
fn the_primary_context_waits_for_green_ones_and_not_the_other_way() {
    fresh!(the_primary_context_waits_for_green_ones_and_not_the_other_way, {
        device();
        has_green_contexts!();
        has!(cuCtxSynchronize_v2, cuCtxRecordEvent);
        let World { primary, green, derived } = World::new();
        let second = create_green();
        ok!(cuCtxPushCurrent_v2(primary));
        let module = load_kernels();
        let (stream, other) = (green_stream(green), made!(cuStreamCreate(1)));
        let events: [CUevent; 2] = std::array::from_fn(|_| made!(cuEventCreate(0)));

        let gate = Gate::new(module, stream);
        ok!(newer cuCtxRecordEvent(primary, events[0]));
        ok!(newer cuGreenCtxRecordEvent(green, events[1]));
        ok!(newer cuCtxSynchronize_v2(self::derived(second)));
        assert_eq!(events.map(|event| code!(cuEventQuery(event))), [NOT_READY; 2]);
        gate.open();
        ok!(cuCtxSynchronize());
        ok!(cuStreamQuery(stream));
        ok!(cuEventSynchronize(events[0]));
        ok!(cuEventSynchronize(events[1]));

        let gate = Gate::new(module, other);
        ok!(newer cuCtxSynchronize_v2(derived));
        assert_eq!(code!(cuStreamQuery(other)), NOT_READY);
        gate.open();
        ok!(cuCtxSynchronize());
    });
}

/// F124, F131
#[test]
fn a_wait_of_the_primary_context_holds_green_ones_too() {
    fresh!(a_wait_of_the_primary_context_holds_green_ones_too, {
        device();
        has_green_contexts!();
        has!(cuCtxWaitEvent);
        let World { primary, green, .. } = World::new();
        ok!(cuCtxPushCurrent_v2(primary));
        let module = load_kernels();
        let (stream, other, busy) =
            (green_stream(green), made!(cuStreamCreate(1)), made!(cuStreamCreate(1)));
        let event: CUevent = made!(cuEventCreate(0));
        let memory: CUdeviceptr = made!(cuMemAlloc_v2(128));
        for of_green in [false, true] {
            let gate = Gate::new(module, busy);
            ok!(cuEventRecord(event, busy));
            match of_green {
                false => ok!(newer cuCtxWaitEvent(primary, event)),
                true => ok!(newer cuGreenCtxWaitEvent(green, event)),
            }
            ok!(cuMemsetD8Async(memory, 1, 64, stream));
            ok!(cuMemsetD8Async(memory + 64, 1, 64, other));
            std::thread::sleep(std::time::Duration::from_millis(50));
            assert_eq!(code!(cuStreamQuery(stream)), NOT_READY);
            match of_green {
                false => assert_eq!(code!(cuStreamQuery(other)), NOT_READY),
                true => ok!(cuStreamSynchronize(other)),
            }
            gate.open();
            ok!(cuCtxSynchronize());
        }
    });
}

/// F123, F124
#[test]
fn a_green_context_with_a_capture_in_it_records_and_waits_for_no_event() {
    fresh!(a_green_context_with_a_capture_in_it_records_and_waits_for_no_event, {
        device();
        has_green_contexts!();
        has!(cuGreenCtxRecordEvent, cuGreenCtxWaitEvent);
        let World { primary, green, .. } = World::new();
        ok!(cuCtxPushCurrent_v2(primary));
        let stream = green_stream(green);
        let (event, mut graph): (CUevent, _) = (made!(cuEventCreate(0)), null_mut());
        for waits in [false, true] {
            ok!(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
            let code = match waits {
                false => newer!(cuGreenCtxRecordEvent(green, event)),
                true => newer!(cuGreenCtxWaitEvent(green, event)),
            };
            assert_eq!(code, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
            let end = code!(cuStreamEndCapture(stream, &raw mut graph));
            assert_eq!(end, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        }
    });
}

/// F132
#[test]
fn a_green_context_has_the_state_of_the_primary_one() {
    fresh!(a_green_context_has_the_state_of_the_primary_one, {
        let device = device();
        has_green_contexts!();
        ok!(cuDevicePrimaryCtxSetFlags_v2(device, 4));
        let World { primary, green, derived } = World::new();
        let flags = || -> u32 { made!(cuCtxGetFlags()) };
        let state = || {
            let stack: usize = made!(cuCtxGetLimit(CU_LIMIT_STACK_SIZE));
            (flags(), stack, made!(cuCtxGetCacheConfig()))
        };
        assert_eq!(within(derived, state), (4 | 8, 1024, CU_FUNC_CACHE_PREFER_NONE));
        within(derived, || {
            ok!(newer cuCtxSetFlags(1));
            ok!(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
            ok!(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_EQUAL));
        });
        let set = (1 | 8, 4096, CU_FUNC_CACHE_PREFER_EQUAL);
        assert_eq!(within(primary, state), set);
        let second = create_green();
        assert_eq!(within(self::derived(second), state), set);
        ok!(newer cuGreenCtxDestroy(second));
        within(primary, || ok!(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048)));
        assert_eq!(within(derived, state).1, 2048);
        // Of an affinity it says nothing.
        within(derived, || {
            let mut affinity = all_zeros();
            let kind = CU_EXEC_AFFINITY_TYPE_SM_COUNT;
            assert_eq!(code!(cuCtxGetExecAffinity(&raw mut affinity, kind)), INVALID_CONTEXT);
        });
        ok!(newer cuGreenCtxDestroy(green));
        // The end of the primary context is the end of its settings.
        ok!(cuDevicePrimaryCtxRelease_v2(device));
        let primary = made!(cuDevicePrimaryCtxRetain(device));
        assert_eq!(within(primary, state), (8, 1024, CU_FUNC_CACHE_PREFER_NONE));
    });
}

/// F133
#[test]
fn no_stream_of_a_green_context_is_in_order_with_the_default_one() {
    fresh!(no_stream_of_a_green_context_is_in_order_with_the_default_one, {
        device();
        has_green_contexts!();
        let World { primary, derived, .. } = World::new();
        let made = |context| {
            within(context, || {
                let memory: CUdeviceptr = made!(cuMemAlloc_v2(128));
                let stream: CUstream = made!(cuStreamCreate(0));
                let module = load_kernels();
                // Loaded on both streams, so that nothing waits for that later.
                assert_eq!(launch(kernel(module, c"nothing"), stream, &[]), SUCCESS);
                ok!(cuMemsetD8Async(memory, 1, 64, null_mut()));
                ok!(cuMemsetD8Async(memory + 64, 1, 64, stream));
                ok!(cuCtxSynchronize());
                (memory, stream, module)
            })
        };
        let (theirs, others, _) = made(primary);
        let (memory, stream, module) = made(derived);
        within(derived, || {
            let gate = Gate::new(module, null_mut());
            ok!(cuMemsetD8Async(memory, 1, 64, stream));
            ok!(cuStreamSynchronize(stream));
            within(primary, || {
                ok!(cuMemsetD8Async(theirs, 1, 64, null_mut()));
                ok!(cuStreamSynchronize(null_mut()));
                ok!(cuMemsetD8Async(theirs, 1, 64, others));
                ok!(cuStreamSynchronize(others));
            });
            assert_eq!(code!(cuStreamQuery(null_mut())), NOT_READY);
            gate.open();
            ok!(cuCtxSynchronize());
            // There is no default stream of the thread.
            let per_thread = without_provenance_mut(2);
            let (mut context, mut number) = (null_mut(), 0);
            each_gives!(INVALID_HANDLE; {
                cuStreamQuery(per_thread);
                cuStreamGetCtx(per_thread, &raw mut context);
                cuStreamGetPriority(per_thread, &raw mut number);
                cuMemsetD8Async(memory, 1, 64, per_thread);
            });
        });
    });
}

/// F134
#[test]
fn the_end_of_a_green_context_waits_for_nothing_and_takes_its_streams() {
    fresh!(the_end_of_a_green_context_waits_for_nothing_and_takes_its_streams, {
        device();
        has_green_contexts!();
        let World { primary, green, .. } = World::new();
        ok!(cuCtxPushCurrent_v2(primary));
        let stream = green_stream(green);
        let event: CUevent = made!(cuEventCreate(0));
        let gate = Gate::new(load_kernels(), stream);
        ok!(cuEventRecord(event, stream));
        ok!(newer cuGreenCtxDestroy(green));
        assert_eq!(code!(cuEventQuery(event)), NOT_READY);
        gate.open();
        ok!(cuCtxSynchronize());
        ok!(cuEventQuery(event));
        each_gives!(CONTEXT_IS_DESTROYED; {
            cuStreamQuery(stream);
            cuStreamSynchronize(stream);
            cuStreamDestroy_v2(stream);
        });
    });
}

/// F134
#[test]
fn a_green_context_that_is_over_gives_context_is_destroyed() {
    dangling!(a_green_context_that_is_over_gives_context_is_destroyed, {
        device();
        has_green_contexts!();
        let World { primary, green, derived } = World::new();
        ok!(cuCtxPushCurrent_v2(primary));
        ok!(cuCtxPushCurrent_v2(derived));
        ok!(newer cuGreenCtxDestroy(green));
        // The entry stays.
        assert_eq!(current(), derived);
        let (mut address, mut id, mut context, mut stream) = (0, 0, null_mut(), null_mut());
        each_gives!(CONTEXT_IS_DESTROYED; {
            cuCtxSynchronize();
            cuMemAlloc_v2(&raw mut address, 64);
        });
        let codes = [
            newer!(cuGreenCtxDestroy(green)),
            newer!(cuGreenCtxGetId(green, &raw mut id)),
            newer!(cuCtxFromGreenCtx(&raw mut context, green)),
            newer!(cuGreenCtxStreamCreate(&raw mut stream, green, 1, 0)),
        ];
        assert_eq!(codes, [CONTEXT_IS_DESTROYED; 4]);
        assert_eq!(pop(), derived);
        assert_eq!(pop(), primary);
    });
}

/// F135
#[test]
fn a_green_context_retains_the_primary_one() {
    fresh!(a_green_context_retains_the_primary_one, {
        let device = device();
        has_green_contexts!();
        assert!(!active());
        let green = create_green();
        assert!(active());
        ok!(newer cuGreenCtxDestroy(green));
        assert!(!active());
        // The retain of the program ends first.
        let World { green, .. } = World::new();
        ok!(cuDevicePrimaryCtxRelease_v2(device));
        assert!(active());
        assert_eq!(code!(cuDevicePrimaryCtxReset_v2(device)), NOT_PERMITTED);
        ok!(newer cuGreenCtxDestroy(green));
        assert!(!active());
    });
}

/// F135
#[test]
fn the_retain_of_a_green_context_can_be_released_and_is_missing_then() {
    fresh!(the_retain_of_a_green_context_can_be_released_and_is_missing_then, {
        let device = device();
        has_green_contexts!();
        let World { green, derived, .. } = World::new();
        ok!(cuDevicePrimaryCtxRelease_v2(device));
        assert_eq!(code!(cuDevicePrimaryCtxRelease_v2(device)), NOT_PERMITTED);
        assert_eq!(code!(cuDevicePrimaryCtxRelease_v2(device)), INVALID_CONTEXT);
        assert!(active());
        within(derived, || ok!(cuCtxSynchronize()));
        ok!(newer cuGreenCtxDestroy(green));
        assert!(active());
        assert_eq!(code!(cuDevicePrimaryCtxRelease_v2(device)), INVALID_CONTEXT);
    });
}

/// F136
#[test]
fn a_stream_of_a_green_context_is_non_blocking() {
    fresh!(a_stream_of_a_green_context_is_non_blocking, {
        device();
        has_green_contexts!();
        has!(cuStreamGetCtx_v2);
        let World { primary, green, derived } = World::new();
        let mut stream = null_mut();
        for flags in [0, 2, 3, 77] {
            let code = newer!(cuGreenCtxStreamCreate(&raw mut stream, green, flags, 0));
            assert_eq!(code, INVALID_VALUE);
        }
        assert_eq!(newer!(cuGreenCtxStreamCreate(null_mut(), green, 1, 0)), INVALID_VALUE);
        for (asked, given) in [(0, 0), (-1, -1), (-100, -5), (100, 0)] {
            // No context is current.
            let stream: CUstream = made!(newer cuGreenCtxStreamCreate(green, 1, asked));
            let (mut priority, mut flags, mut context) = (77, 77, null_mut());
            ok!(cuStreamGetPriority(stream, &raw mut priority));
            ok!(cuStreamGetFlags(stream, &raw mut flags));
            ok!(cuStreamGetCtx(stream, &raw mut context));
            assert_eq!((priority, flags, context), (given, 1, derived));
        }
        // Of two contexts, it tells the primary one and the green one.
        let stream = green_stream(green);
        let (mut context, mut its_green) = (null_mut(), null_mut());
        ok!(newer cuStreamGetCtx_v2(stream, &raw mut context, &raw mut its_green));
        assert_eq!((context, its_green), (primary, green));
        let plain = Place::new();
        ok!(newer cuStreamGetCtx_v2(plain.stream, &raw mut context, &raw mut its_green));
        assert_eq!((context, its_green), (plain.context, null_mut()));
        ok!(newer cuStreamGetCtx_v2(stream, null_mut(), &raw mut its_green));
        let code = newer!(cuStreamGetCtx_v2(stream, null_mut(), null_mut()));
        assert_eq!(code, INVALID_VALUE);
        plain.destroy();
    });
}
