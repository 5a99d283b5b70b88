//! Two devices: F80 to F86, F256. Without a second one they say so.

use crate::fresh;
use crate::raw::*;
use cuscope::ffi::{
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED as ALREADY_ENABLED,
    CUDA_ERROR_PEER_ACCESS_NOT_ENABLED as NOT_ENABLED,
};
use std::ffi::c_void;

/// A place on the second device: a context with memory.
pub(crate) struct Other {
    pub(crate) context: CUcontext,
    pub(crate) memory: CUdeviceptr,
    pub(crate) stream: CUstream,
}

impl Other {
    /// None with one device only.
    pub(crate) fn new() -> Option<Self> {
        let _first = device();
        let count: i32 = made!(cuDeviceGetCount());
        if count < 2 {
            return None;
        }
        let second = made!(cuDeviceGet(1));
        let context = made!(cuCtxCreate_v2(0, second));
        let memory = made!(cuMemAlloc_v2(Place::BYTES));
        ok!(cuMemsetD8_v2(memory, 0, Place::BYTES));
        ok!(cuCtxSynchronize());
        let other = Self { context, memory, stream: made!(cuStreamCreate(0)) };
        assert_eq!(pop(), context);
        Some(other)
    }

    /// The first 32 bits of its memory.
    pub(crate) fn value(&self) -> u32 {
        within(self.context, || {
            let mut value = 0_u32;
            ok!(cuMemcpyDtoH_v2((&raw mut value).cast(), self.memory, size_of::<u32>()));
            value
        })
    }
}

/// The two places, or leaves the test.
macro_rules! two_devices {
    () => {{
        let Some(other) = $crate::peers::Other::new() else { crate::skip!("needs two devices") };
        (Place::new(), other)
    }};
}
pub(crate) use two_devices;

fn pointer(value: &u32) -> *const c_void {
    (&raw const *value).cast()
}

/// F80
#[test]
fn copies_reach_the_other_device_without_peer_access() {
    fresh!(copies_reach_the_other_device_without_peer_access, {
        let (a, b) = two_devices!();
        let wait = || ok!(cuCtxSynchronize());
        ok!(cuCtxPushCurrent_v2(a.context));
        let mut next = 0x100_u32;
        let mut check = |copy: &dyn Fn()| {
            next += 1;
            ok!(cuMemcpyHtoD_v2(a.memory, pointer(&next), 4));
            wait();
            copy();
            wait();
            within(b.context, wait);
            assert_eq!(b.value(), next);
        };
        check(&|| ok!(cuMemcpyDtoD_v2(b.memory, a.memory, 4)));
        check(&|| ok!(cuMemcpyDtoDAsync_v2(b.memory, a.memory, 4, a.stream)));
        check(&|| ok!(cuMemcpy(b.memory, a.memory, 4)));
        check(&|| ok!(cuMemcpyPeer(b.memory, b.context, a.memory, a.context, 4)));
        check(&|| {
            ok!(cuMemcpyPeerAsync(b.memory, b.context, a.memory, a.context, 4, a.stream));
        });
        let value = 0x55_u32;
        ok!(cuMemcpyHtoD_v2(b.memory, pointer(&value), 4));
        wait();
        assert_eq!(b.value(), value);
        assert_eq!(pop(), a.context);
    });
}

/// F81
#[test]
fn the_other_devices_memory_is_not_filled_without_peer_access() {
    fresh!(the_other_devices_memory_is_not_filled_without_peer_access, {
        let (a, b) = two_devices!();
        within(a.context, || {
            assert_eq!(code!(cuMemsetD8_v2(b.memory, 7, 4)), INVALID_VALUE);
            assert_eq!(code!(cuMemsetD32Async(b.memory, 7, 1, a.stream)), INVALID_VALUE);
            ok!(cuCtxSynchronize());
        });
        assert_eq!(b.value(), 0);
    });
}

/// F82
#[test]
fn streams_wait_for_the_other_devices_events_and_memory_is_freed_from_anywhere() {
    fresh!(streams_wait_for_the_other_devices_events_and_memory_is_freed_from_anywhere, {
        let (a, b) = two_devices!();
        assert_eq!(launch(a.kernel(c"spin"), a.stream, &[LONG_NANOSECONDS]), SUCCESS);
        ok!(cuEventRecord(a.event, a.stream));
        ok!(cuStreamWaitEvent(b.stream, a.event, 0));
        ok!(cuStreamSynchronize(b.stream));
        ok!(cuEventQuery(a.event));
        within(a.context, || ok!(cuMemFree_v2(b.memory)));
    });
}

/// F83
#[test]
fn peer_access_is_enabled_once_and_disabled_once() {
    fresh!(peer_access_is_enabled_once_and_disabled_once, {
        let (a, b) = two_devices!();
        within(a.context, || {
            assert_eq!(code!(cuCtxDisablePeerAccess(b.context)), NOT_ENABLED);
            assert_eq!(code!(cuCtxEnablePeerAccess(b.context, 1)), INVALID_VALUE);
            ok!(cuCtxEnablePeerAccess(b.context, 0));
            assert_eq!(code!(cuCtxEnablePeerAccess(b.context, 0)), ALREADY_ENABLED);
            ok!(cuCtxDisablePeerAccess(b.context));
            assert_eq!(code!(cuCtxDisablePeerAccess(b.context)), NOT_ENABLED);
        });
    });
}

/// F84
#[test]
fn a_kernel_stores_to_the_other_device_with_peer_access() {
    fresh!(a_kernel_stores_to_the_other_device_with_peer_access, {
        let (a, b) = two_devices!();
        within(a.context, || ok!(cuCtxEnablePeerAccess(b.context, 0)));
        assert_eq!(launch(a.kernel(c"store_value"), a.stream, &[b.memory, 42]), SUCCESS);
        ok!(cuStreamSynchronize(a.stream));
        assert_eq!(b.value(), 42);
        within(a.context, || {
            ok!(cuMemsetD8_v2(b.memory, 7, 4));
            ok!(cuCtxSynchronize());
        });
        assert_eq!(b.value(), 0x0707_0707);
    });
}

/// F84, F85
#[test]
fn a_fault_on_one_device_is_the_end_of_the_other() {
    fresh!(a_fault_on_one_device_is_the_end_of_the_other, {
        let (a, b) = two_devices!();
        assert_eq!(launch(a.kernel(c"store_value"), a.stream, &[b.memory, 42]), SUCCESS);
        assert_eq!(code!(cuStreamSynchronize(a.stream)), ILLEGAL_ADDRESS);
        ok!(cuCtxPushCurrent_v2(b.context));
        let mut memory = 0;
        each_gives!(ILLEGAL_ADDRESS; {
            cuCtxSynchronize();
            cuStreamQuery(b.stream);
            cuMemAlloc_v2(&raw mut memory, 64);
            cuMemFree_v2(b.memory);
            cuMemsetD8_v2(b.memory, 0, 4);
        });
        let mut context = std::ptr::null_mut();
        assert_eq!(code!(cuCtxCreate_v2(&raw mut context, 0, 1)), ILLEGAL_ADDRESS);
    });
}

/// F86
#[test]
fn pushes_and_pops_alternate_between_devices() {
    fresh!(pushes_and_pops_alternate_between_devices, {
        let (a, b) = two_devices!();
        for _ in 0..1000 {
            ok!(cuCtxPushCurrent_v2(a.context));
            ok!(cuCtxPushCurrent_v2(b.context));
            let on_top: CUdevice = made!(cuCtxGetDevice());
            assert_eq!(on_top, 1);
            assert_eq!((pop(), pop()), (b.context, a.context));
        }
    });
}

/// F256
#[test]
fn access_is_from_a_devices_kernels_to_one_context() {
    fresh!(access_is_from_a_devices_kernels_to_one_context, {
        let (a, b) = two_devices!();
        let other = Place::new();
        let beside = Other::new().expect("there are two");
        ok!(cuCtxPushCurrent_v2(a.context));
        let mut base = 0;
        let range = |base| code!(cuMemGetAddressRange_v2(base, std::ptr::null_mut(), b.memory));
        assert_eq!(range(&raw mut base), NOT_FOUND);
        assert_eq!(code!(cuStreamWriteValue32_v2(a.stream, b.memory, 1, 0)), INVALID_VALUE);
        let on_same = code!(cuCtxEnablePeerAccess(other.context, 0));
        assert_eq!(on_same, cuscope::ffi::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        let of_null = code!(cuCtxEnablePeerAccess(std::ptr::null_mut(), 0));
        assert_eq!(of_null, INVALID_CONTEXT);
        ok!(cuCtxEnablePeerAccess(b.context, 0));
        ok!(cuStreamWriteValue32_v2(a.stream, b.memory, 1, 0));
        // Kernels of every context of the device have it, but of calls only those in that context.
        let store = other.kernel(c"store_value");
        assert_eq!(launch(store, other.stream, &[b.memory + 4, 7]), SUCCESS);
        ok!(cuStreamSynchronize(other.stream));
        let fill = |memory| code!(cuMemsetD8_v2(memory, 1, 4));
        assert_eq!(within(other.context, || fill(b.memory)), INVALID_VALUE);
        assert_eq!(within(b.context, || fill(a.memory)), INVALID_VALUE);
        assert_eq!(fill(beside.memory), INVALID_VALUE);
        // It is there for what is allocated later, but for what is a pool's, and ends with the context.
        let (later, pooled) = within(b.context, || {
            let both = (made!(cuMemAlloc_v2(64)), made!(cuMemAllocAsync(64, b.stream)));
            ok!(cuStreamSynchronize(b.stream));
            both
        });
        assert_eq!((fill(later), fill(pooled)), (SUCCESS, INVALID_VALUE));
        ok!(cuCtxSynchronize());
        ok!(cuCtxDestroy_v2(b.context));
        assert_eq!(code!(cuCtxDisablePeerAccess(b.context)), CONTEXT_IS_DESTROYED);
        assert_eq!(pop(), a.context);
    });
}

/// F256
#[test]
fn devices_tell_of_the_link_between_them() {
    let own = device();
    let mut value = -7;
    let can = |value, peer| code!(cuDeviceCanAccessPeer(value, own, peer));
    assert_eq!((can(&raw mut value, own), value), (SUCCESS, 0));
    assert_eq!(can(&raw mut value, 99), INVALID_DEVICE);
    assert_eq!(can(std::ptr::null_mut(), 99), INVALID_VALUE);
    let link = |value, attribute, peer| {
        let attribute = cuscope::ffi::CUdevice_P2PAttribute(attribute);
        code!(cuDeviceGetP2PAttribute(value, attribute, own, peer))
    };
    assert_eq!(link(&raw mut value, 2, own), INVALID_DEVICE);
    assert_eq!(link(std::ptr::null_mut(), 2, own), INVALID_VALUE);
    let count: i32 = made!(cuDeviceGetCount());
    if count < 2 {
        crate::skip!("needs two devices");
    }
    assert_eq!((can(&raw mut value, 1), value), (SUCCESS, 1));
    for (attribute, is) in [(1, 0), (2, 1), (3, 1), (4, 1), (5, 0)] {
        assert_eq!((link(&raw mut value, attribute, 1), value), (SUCCESS, is), "{attribute}");
    }
    for unknown in [0, 6] {
        assert_eq!(link(&raw mut value, unknown, 1), INVALID_VALUE);
    }
}
