//! Notifications of devices, what devices do for others, and multicast objects: F493 to F496, F498.

use crate::raw::captures::{GLOBAL, begin, end};
use crate::raw::*;
use crate::{dangling, fresh};
use cuscope::ffi::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

unsafe extern "C" fn told(
    _: *mut CUasyncNotificationInfo,
    _: *mut c_void,
    _: CUasyncCallbackHandle,
) {
}

/// The answer to a registration, and the handle.
fn register(device: CUdevice, function: CUasyncCallback) -> (CUresult, CUasyncCallbackHandle) {
    let mut handle = null_mut();
    let out = &raw mut handle;
    (newer!(cuDeviceRegisterAsyncNotification(device, function, null_mut(), out)), handle)
}

fn unregister(device: CUdevice, handle: CUasyncCallbackHandle) -> CUresult {
    newer!(cuDeviceUnregisterAsyncNotification(device, handle))
}

/// The state that a host function finds.
struct Inside<R> {
    ask: fn() -> R,
    found: Option<R>,
}

/// The answers in a host function of a stream.
fn in_host_function<R>(stream: CUstream, ask: fn() -> R) -> R {
    unsafe extern "C" fn run<R>(data: *mut c_void) {
        // SAFETY: what the launch below passes, and lets nothing else use.
        let inside = unsafe { &mut *data.cast::<Inside<R>>() };
        inside.found = Some((inside.ask)());
    }
    let mut inside = Inside { ask, found: None };
    ok!(cuLaunchHostFunc(stream, Some(run::<R>), (&raw mut inside).cast()));
    ok!(cuStreamSynchronize(stream));
    inside.found.expect("it ran")
}

/// F493
#[test]
fn functions_are_registered_for_a_device() {
    fresh!(functions_are_registered_for_a_device, {
        has!(cuDeviceRegisterAsyncNotification, cuDeviceUnregisterAsyncNotification);
        let device = device();
        let (first, second) = (register(device, Some(told)), register(device, Some(told)));
        assert_eq!((first.0, second.0), (SUCCESS, SUCCESS));
        assert_ne!(first.1, second.1);
        assert_eq!(unregister(99, first.1), INVALID_DEVICE);
        assert_eq!([unregister(device, first.1), unregister(device, second.1)], [SUCCESS; 2]);
        assert_eq!(unregister(device, null_mut()), INVALID_VALUE);
        let refused = [register(device, None), register(99, Some(told)), register(99, None)];
        assert_eq!(refused.map(|one| one.0), [INVALID_VALUE, INVALID_DEVICE, INVALID_VALUE]);
        assert!(refused.iter().all(|one| one.1.is_null()));

        // In a capture, which goes on, and in a host function.
        let a = place();
        let both = || {
            let (code, handle) = register(0, Some(told));
            (code, unregister(0, handle))
        };
        begin(a.stream, GLOBAL);
        assert_eq!(both(), (SUCCESS, SUCCESS));
        ok!(cuGraphDestroy(end(a.stream)));
        assert_eq!(in_host_function(a.stream, both), (SUCCESS, SUCCESS));
        pop();
        a.destroy();
    });
}

/// F493
#[test]
fn no_function_is_registered_before_init() {
    fresh!(no_function_is_registered_before_init, {
        has!(cuDeviceRegisterAsyncNotification);
        assert_eq!(register(0, Some(told)), (NOT_INITIALIZED, null_mut()));
    });
}

/// F494
#[test]
fn a_registration_ends_once() {
    dangling!(a_registration_ends_once, {
        has!(cuDeviceRegisterAsyncNotification, cuDeviceUnregisterAsyncNotification);
        die_quietly(60);
        let device = device();
        let (code, handle) = register(device, Some(told));
        assert_eq!((code, unregister(device, handle)), (SUCCESS, SUCCESS));
        assert_eq!(unregister(device, handle), INVALID_VALUE);
    });
}

/// F494
#[test]
fn a_registration_needs_a_place_for_its_handle() {
    dangling!(a_registration_needs_a_place_for_its_handle, {
        has!(cuDeviceRegisterAsyncNotification);
        die_quietly(60);
        let null = null_mut();
        let code =
            newer!(cuDeviceRegisterAsyncNotification(device(), Some(told), null_mut(), null));
        assert_eq!(code, INVALID_VALUE);
    });
}

/// The answers for atomic operations on host memory.
fn host(operations: &[u32], count: u32, device: CUdevice) -> (CUresult, [u32; 16]) {
    let operations: Vec<_> = operations.iter().map(|&one| CUatomicOperation(one)).collect();
    let mut found = [77; 16];
    let (out, list) = (found.as_mut_ptr(), operations.as_ptr());
    (newer!(cuDeviceGetHostAtomicCapabilities(out, list, count, device)), found)
}

/// The code for atomic operations between devices.
fn between(operations: &[u32], from: CUdevice, to: CUdevice) -> CUresult {
    let all: Vec<_> = operations.iter().map(|&one| CUatomicOperation(one)).collect();
    let (mut found, count) = ([77; 16], all.len() as u32);
    newer!(cuDeviceGetP2PAtomicCapabilities(found.as_mut_ptr(), all.as_ptr(), count, from, to))
}

/// F495
#[test]
fn links_have_atomic_operations() {
    has!(cuDeviceGetHostAtomicCapabilities, cuDeviceGetP2PAtomicCapabilities);
    let device = device();
    let all: Vec<u32> = (0..13).collect();
    let (code, found) = host(&all, 13, device);
    assert_eq!((code, &found[13..]), (SUCCESS, &[77; 3][..]));
    let (mut native, attribute) = (77, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED);
    ok!(cuDeviceGetAttribute(&raw mut native, attribute, device));
    if native == 0 {
        assert_eq!(found[..13], [0; 13]);
    }
    for unknown in [13, 99] {
        let (code, found) = host(&[unknown], 1, device);
        assert_eq!((code, found[0]), (INVALID_VALUE, 0));
    }
    assert_eq!(host(&[0, 99], 2, device).0, INVALID_VALUE);
    assert_eq!(host(&[0], 0, device).0, INVALID_VALUE);
    assert_eq!(host(&[0], 1, 99).0, INVALID_DEVICE);
    let (mut one, add) = (77, CU_ATOMIC_OPERATION_INTEGER_ADD);
    let (out, operations) = (&raw mut one, &raw const add);
    let nulls = [
        newer!(cuDeviceGetHostAtomicCapabilities(null_mut(), operations, 1, device)),
        newer!(cuDeviceGetHostAtomicCapabilities(out, null(), 1, device)),
        newer!(cuDeviceGetP2PAtomicCapabilities(null_mut(), operations, 1, device, device)),
        newer!(cuDeviceGetP2PAtomicCapabilities(out, null(), 1, device, device)),
    ];
    assert_eq!(nulls, [INVALID_VALUE; 4]);
    // A device has no link to itself.
    for operation in 0..15 {
        assert_eq!(between(&[operation], device, device), INVALID_DEVICE);
    }
    assert_eq!(between(&[], device, device), INVALID_VALUE);
    assert_eq!([between(&[0], 99, device), between(&[0], device, 99)], [INVALID_DEVICE; 2]);
    let a = place();
    let ask = || (host(&[0], 1, 0).0, between(&[0], 0, 0));
    assert_eq!(in_host_function(a.stream, ask), (NOT_PERMITTED, NOT_PERMITTED));
    pop();
    a.destroy();
}

/// The granularity of multicast objects, for so many devices.
fn granularity(devices: u32, option: u32) -> (CUresult, usize) {
    let prop =
        CUmulticastObjectProp { numDevices: devices, size: 2 << 20, handleTypes: 0, flags: 0 };
    let (mut found, option) = (77, CUmulticastGranularity_flags(option));
    let (out, asked) = (&raw mut found, &raw const prop);
    (newer!(cuMulticastGetGranularity(out, asked, option)), found)
}

/// F496
#[test]
fn multicast_objects_have_a_granularity_where_there_are_any() {
    has!(cuMulticastGetGranularity);
    let (device, mut supported) = (device(), 77);
    let attribute = CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED;
    ok!(cuDeviceGetAttribute(&raw mut supported, attribute, device));
    if supported == 0 {
        for (devices, option) in [(2, 0), (2, 1), (1, 0), (0, 0), (99, 0), (2, 99)] {
            assert_eq!(granularity(devices, option), (NOT_SUPPORTED, 77));
        }
        let minimum = CU_MULTICAST_GRANULARITY_MINIMUM;
        let null = newer!(cuMulticastGetGranularity(null_mut(), null(), minimum));
        assert_eq!(null, NOT_SUPPORTED);
    } else {
        let (code, bytes) = granularity(2, 0);
        assert!(code == SUCCESS && bytes.is_power_of_two(), "{code:?} {bytes}");
    }
    let a = place();
    assert_eq!(in_host_function(a.stream, || granularity(2, 0).0), NOT_PERMITTED);
    pop();
    a.destroy();
}

/// F498
#[test]
fn writes_of_other_hardware_are_waited_for() {
    fresh!(writes_of_other_hardware_are_waited_for, {
        let flush = |target, scope| {
            let target = CUflushGPUDirectRDMAWritesTarget(target);
            code!(cuFlushGPUDirectRDMAWrites(target, CUflushGPUDirectRDMAWritesScope(scope)))
        };
        let a = place();
        assert_eq!([flush(0, 100), flush(0, 200)], [SUCCESS; 2]);
        assert_eq!([flush(0, 0), flush(0, 150), flush(1, 100)], [INVALID_VALUE; 3]);
        begin(a.stream, GLOBAL);
        assert_eq!(flush(0, 100), SUCCESS);
        ok!(cuGraphDestroy(end(a.stream)));
        let inside = || {
            let target = CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX;
            code!(cuFlushGPUDirectRDMAWrites(target, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER))
        };
        assert_eq!(in_host_function(a.stream, inside), NOT_PERMITTED);
        pop();
        assert_eq!(flush(0, 100), INVALID_CONTEXT);
        a.destroy();
    });
}
