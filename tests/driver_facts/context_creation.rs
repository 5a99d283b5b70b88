//! How contexts are created, and what a new one has: F98, F114 to F116.

use crate::context_state::context_flags;
use crate::raw::*;
use cuscope::ffi::*;
use std::ptr::null_mut;

/// F114
#[test]
fn creation_looks_at_the_device_then_at_the_result_then_at_the_flags() {
    device();
    let mut context = null_mut();
    each_gives!(INVALID_DEVICE; {
        cuCtxCreate_v2(null_mut(), 7, 99);
        cuCtxCreate_v3(null_mut(), null_mut(), 1, 7, 99);
        cuDevicePrimaryCtxRetain(null_mut(), 99);
        cuDevicePrimaryCtxSetFlags_v2(99, 7);
    });
    each_gives!(INVALID_VALUE; {
        cuCtxCreate_v2(null_mut(), 0, 0);
        cuCtxCreate_v2(&raw mut context, 7, 0);
        cuCtxCreate_v3(&raw mut context, null_mut(), 0, 7, 0);
        cuDevicePrimaryCtxRetain(null_mut(), 0);
    });
    let mut number = 0;
    assert_eq!(code!(cuDevicePrimaryCtxGetState(99, &raw mut number, null_mut())), INVALID_VALUE);
    assert!(current().is_null());
}

/// An affinity to a number of multiprocessors.
fn affinity(count: u32) -> CUexecAffinityParam {
    let mut param: CUexecAffinityParam = all_zeros();
    param.param.smCount = CUexecAffinitySmCount { val: count };
    param
}

/// F115
#[test]
fn no_context_is_created_with_an_affinity() {
    let device = device();
    assert_eq!(made!(cuDeviceGetExecAffinitySupport(CU_EXEC_AFFINITY_TYPE_SM_COUNT, device)), 0);
    assert_eq!(made!(cuDeviceGetExecAffinitySupport(CUexecAffinityType(5), device)), 0);
    let (mut context, mut support) = (null_mut(), 0);
    for count in [0, 1, 16, 132, 1000] {
        let mut params = [affinity(count), affinity(count)];
        let params = params.as_mut_ptr();
        each_gives!(UNSUPPORTED_EXEC_AFFINITY; {
            cuCtxCreate_v3(&raw mut context, params, 1, 0, device);
            cuCtxCreate_v3(&raw mut context, params, 2, 7, device);
        });
    }
    each_gives!(INVALID_VALUE; {
        cuCtxCreate_v3(&raw mut context, null_mut(), 1, 0, device);
        cuDeviceGetExecAffinitySupport(null_mut(), CU_EXEC_AFFINITY_TYPE_SM_COUNT, 99);
    });
    let kind = CU_EXEC_AFFINITY_TYPE_SM_COUNT;
    assert_eq!(code!(cuDeviceGetExecAffinitySupport(&raw mut support, kind, 99)), INVALID_DEVICE);
    for count in [0, -1] {
        let context: CUcontext = made!(cuCtxCreate_v3(null_mut(), count, 4, device));
        assert_eq!((current(), context_flags()), (context, 4));
        ok!(cuCtxDestroy_v2(context));
    }
}

/// F116
#[test]
fn a_context_is_created_with_empty_parameters_or_none() {
    let device = device();
    has!(cuCtxCreate_v4);
    let mut params: CUctxCreateParams = all_zeros();
    for params in [null_mut(), &raw mut params] {
        let context: CUcontext = made!(newer cuCtxCreate_v4(params, 4, device));
        assert_eq!((current(), context_flags()), (context, 4));
        ok!(cuCtxDestroy_v2(context));
    }
    let mut context = null_mut();
    params.numExecAffinityParams = 1;
    assert_eq!(newer!(cuCtxCreate_v4(&raw mut context, &raw mut params, 0, device)), INVALID_VALUE);
    let mut affinity = affinity(16);
    params.execAffinityParams = &raw mut affinity;
    let refused = newer!(cuCtxCreate_v4(&raw mut context, &raw mut params, 7, device));
    assert_eq!(refused, UNSUPPORTED_EXEC_AFFINITY);
}

/// F98
#[test]
fn a_plain_context_has_all_multiprocessors_and_a_number_of_its_own() {
    let device = device();
    let all: i32 = made!(cuDeviceGetAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
    let mut numbers = Vec::new();
    for _ in 0..3 {
        let context = create_context();
        let has: CUexecAffinityParam = made!(cuCtxGetExecAffinity(CU_EXEC_AFFINITY_TYPE_SM_COUNT));
        // SAFETY: The union has one member.
        assert_eq!(i32::try_from(unsafe { has.param.smCount.val }), Ok(all));
        let mut unknown = has;
        let code = code!(cuCtxGetExecAffinity(&raw mut unknown, CUexecAffinityType(5)));
        assert_eq!(code, UNSUPPORTED_EXEC_AFFINITY);
        let mut number = 0;
        ok!(cuCtxGetId(context, &raw mut number));
        numbers.push(number);
        ok!(cuCtxDestroy_v2(context));
    }
    assert!(numbers.is_sorted() && numbers[0] > 0, "{numbers:?}");
    numbers.dedup();
    assert_eq!(numbers.len(), 3, "{numbers:?}");
}
