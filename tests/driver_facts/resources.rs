//! The multiprocessors of devices and contexts, and how they are divided: F125 to F127.

use crate::green_contexts::{SM, all, count, describe, has_green_contexts, split, told};
use crate::raw::*;
use cuscope::ffi::*;
use std::ptr::{null, null_mut};

/// F125
#[test]
fn devices_and_contexts_have_multiprocessors() {
    let device = device();
    has_green_contexts!();
    let whole = told(&all());
    let has: i32 = made!(cuDeviceGetAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
    assert_eq!(i32::try_from(whole[0]), Ok(has));
    assert_eq!(whole[1..], [8, 8]);

    let context = create_context();
    let mut resource = all_zeros();
    ok!(newer cuCtxGetDevResource(context, &raw mut resource, SM));
    assert_eq!(told(&resource), whole);
    // Null is no context here, though one is current.
    let code = newer!(cuCtxGetDevResource(null_mut(), &raw mut resource, SM));
    assert_eq!(code, INVALID_CONTEXT);
    assert_eq!(newer!(cuCtxGetDevResource(context, null_mut(), SM)), INVALID_VALUE);
    assert_eq!(newer!(cuDeviceGetDevResource(device, null_mut(), SM)), INVALID_VALUE);
    assert_eq!(newer!(cuDeviceGetDevResource(99, null_mut(), SM)), INVALID_DEVICE);
    for kind in [0, 7].map(CUdevResourceType) {
        let codes = [
            newer!(cuDeviceGetDevResource(device, &raw mut resource, kind)),
            newer!(cuCtxGetDevResource(context, &raw mut resource, kind)),
            newer!(cuCtxGetDevResource(null_mut(), &raw mut resource, kind)),
        ];
        assert_eq!(codes, [INVALID_RESOURCE_TYPE; 3]);
    }
    ok!(cuCtxDestroy_v2(context));
}

/// F126
#[test]
fn multiprocessors_are_split_in_eights_or_pairs() {
    device();
    has_green_contexts!();
    let whole = all();
    let have = count(&whole);
    for (flags, least, size) in [
        (0, 0, 8),
        (0, 1, 8),
        (0, 8, 8),
        (0, 9, 16),
        (0, 33, 40),
        (0, have, have),
        (1, 0, 2),
        (1, 7, 8),
        (1, 17, 18),
        (2, 16, 16),
    ] {
        let mut groups = 0;
        let (input, most) = (&raw const whole, &raw mut groups);
        ok!(newer cuDevSmResourceSplitByCount(null_mut(), most, input, null_mut(), flags, least));
        assert!(groups > 0 && groups * size <= have, "{flags} {least}: {groups} groups");
        let (parts, rest) = split::<128>(&whole, flags, least).unwrap();
        assert_eq!(parts.len(), groups as usize);
        assert!(parts.iter().all(|part| told(part) == [size, 0, 0]), "{flags} {least}");
        match have - groups * size {
            0 => assert_eq!(rest.r#type, CU_DEV_RESOURCE_TYPE_INVALID),
            over => assert_eq!(told(&rest), [over, 0, 0]),
        }
    }
    let (parts, rest) = split::<2>(&whole, 0, 16).unwrap();
    assert_eq!((parts.len(), count(&rest)), (2, have - 32));
}

/// F126
#[test]
fn resources_that_cannot_be_split_are_refused() {
    device();
    has_green_contexts!();
    let whole = all();
    let have = count(&whole);
    assert_eq!(split::<1>(&whole, 0, have + 1).err(), Some(INVALID_RESOURCE_CONFIGURATION));
    assert_eq!(split::<1>(&whole, 3, 16).err(), Some(INVALID_VALUE));
    assert_eq!(split::<0>(&whole, 0, 16).err(), Some(INVALID_VALUE));
    let mut groups = 1;
    let codes = [
        newer!(cuDevSmResourceSplitByCount(null_mut(), null_mut(), &whole, null_mut(), 0, 16)),
        newer!(cuDevSmResourceSplitByCount(null_mut(), &raw mut groups, null(), null_mut(), 0, 16)),
    ];
    assert_eq!(codes, [INVALID_VALUE; 2]);
    let mut other = whole;
    other.r#type = CUdevResourceType(0);
    assert_eq!(split::<1>(&other, 3, 999).err(), Some(INVALID_RESOURCE_TYPE));
    // A resource that was changed; one that the driver did not write; a part; the rest of a split.
    let mut changed = whole;
    changed.anonymous.sm.smCount = 64;
    let mut forged: CUdevResource = all_zeros();
    forged.r#type = SM;
    forged.anonymous.sm.smCount = 64;
    let (parts, rest) = split::<1>(&whole, 0, 32).unwrap();
    for input in [changed, forged, parts[0], rest] {
        assert_eq!(split::<1>(&input, 0, 16).err(), Some(INVALID_RESOURCE_CONFIGURATION));
    }
}

/// F127
#[test]
fn only_what_the_driver_wrote_is_described() {
    device();
    has_green_contexts!();
    let mut whole = all();
    let mut desc = null_mut();
    let codes = [
        newer!(cuDevResourceGenerateDesc(null_mut(), &raw mut whole, 1)),
        newer!(cuDevResourceGenerateDesc(&raw mut desc, null_mut(), 1)),
    ];
    assert_eq!(codes, [INVALID_VALUE; 2]);
    let mut changed = whole;
    changed.anonymous.sm.smCount = 16;
    let code = newer!(cuDevResourceGenerateDesc(&raw mut desc, &raw mut changed, 1));
    assert_eq!(code, INVALID_RESOURCE_CONFIGURATION);
    changed.r#type = CUdevResourceType(0);
    let code = newer!(cuDevResourceGenerateDesc(&raw mut desc, &raw mut changed, 1));
    assert_eq!(code, INVALID_RESOURCE_TYPE);
    let (mut parts, _) = split::<1>(&whole, 0, 16).unwrap();
    assert_ne!(describe(&mut parts), describe(&mut parts));
}
