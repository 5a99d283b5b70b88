//! Effects of foreign code on the stack and on the primary context: F87 to F89.

use crate::context_state::primary_state;
use crate::dangling;
use crate::raw::*;
use std::ptr::null_mut;

/// F87
#[test]
fn a_pop_behind_a_foreign_set_current_pops_what_was_set() {
    let (a, b) = (create_context_unpushed(), create_context_unpushed());
    ok!(cuCtxPushCurrent_v2(a));
    ok!(cuCtxSetCurrent(b));
    assert_eq!(pop(), b);
    assert!(current().is_null());
    ok!(cuCtxDestroy_v2(a));
    ok!(cuCtxDestroy_v2(b));
}

/// F88
#[test]
fn a_pop_behind_a_foreign_set_current_to_null_takes_somebody_elses_entry() {
    let (a, b) = (create_context_unpushed(), create_context_unpushed());
    ok!(cuCtxPushCurrent_v2(b));
    ok!(cuCtxPushCurrent_v2(a));
    ok!(cuCtxSetCurrent(null_mut()));
    assert_eq!(pop(), b);
    assert!(current().is_null());
    ok!(cuCtxDestroy_v2(a));
    ok!(cuCtxDestroy_v2(b));
}

/// F89
#[test]
fn a_reset_of_the_primary_context_ends_all_that_belongs_to_it() {
    dangling!(a_reset_of_the_primary_context_ends_all_that_belongs_to_it, {
        let device = device();
        let primary: CUcontext = made!(cuDevicePrimaryCtxRetain(device));
        ok!(cuCtxPushCurrent_v2(primary));
        let (stream, event) = (free_stream(), made!(cuEventCreate(0)));
        let memory: CUdeviceptr = made!(cuMemAlloc_v2(4096));
        ok!(cuDevicePrimaryCtxReset_v2(device));
        assert_eq!(primary_state(device), (0, 0));
        let mut address = 0;
        each_gives!(CONTEXT_IS_DESTROYED; {
            cuMemAlloc_v2(&raw mut address, 64);
            cuCtxSynchronize();
            cuStreamQuery(stream);
            cuEventQuery(event);
            cuMemFree_v2(memory);
        });
        assert_eq!(current(), primary);
        // The retain still counts.
        let again: CUcontext = made!(cuDevicePrimaryCtxRetain(device));
        assert_eq!(again, primary);
        ok!(cuCtxSynchronize());
        ok!(cuDevicePrimaryCtxRelease_v2(device));
        assert_eq!(primary_state(device), (0, 1));
        ok!(cuDevicePrimaryCtxRelease_v2(device));
        assert_eq!(primary_state(device), (0, 0));
        assert_eq!(code!(cuDevicePrimaryCtxRelease_v2(device)), INVALID_CONTEXT);
    });
}
