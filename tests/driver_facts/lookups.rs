//! Functions by name, and what is told of devices: F250 to F255.

use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::ptr::{null, null_mut};

/// The answer to the look-up of a name: code, address, status.
fn look_up(name: &CStr, version: c_int, flags: u64) -> (CUresult, usize, c_uint) {
    let mut address: *mut c_void = std::ptr::without_provenance_mut(77);
    let mut status = CUdriverProcAddressQueryResult(77);
    let (out, told) = (&raw mut address, &raw mut status);
    let code = code!(cuGetProcAddress_v2(name.as_ptr(), out, version, flags, told));
    (code, address.expose_provenance(), status.0)
}

/// Returns the pointer that is found.
fn found(name: &CStr, version: c_int, flags: u64) -> *const c_void {
    let (code, address, status) = look_up(name, version, flags);
    assert_eq!((code, status), (SUCCESS, 0), "{name:?}");
    assert!(address > 77, "{name:?}");
    std::ptr::with_exposed_provenance(address)
}

/// F250
#[test]
fn a_name_has_the_form_that_a_version_gives_it() {
    let _initialised = device();
    let newest = 13_000;
    // Forms, each since a version, and a name with a suffix is none.
    let forms: Vec<_> = [2000, 3020, 11_040].map(|since| found(c"cuCtxCreate", since, 0)).into();
    assert!(forms[0] != forms[1] && forms[1] != forms[2] && forms[0] != forms[2]);
    assert_eq!(found(c"cuCtxCreate", 3010, 0), forms[0]);
    assert_eq!(found(c"cuMemAlloc", -1, 0), found(c"cuMemAlloc", newest, 0));
    assert_eq!(look_up(c"cuMemAlloc", 1999, 0), (SUCCESS, 0, 2));
    for unknown in [c"cuMemAlloc_v2", c"cuMemcpy_ptds", c"cuNoSuchCall", c"", c"cuinit"] {
        assert_eq!(look_up(unknown, newest, 0), (SUCCESS, 0, 1), "{unknown:?}");
    }
    // The default stream of each thread; most names have no form for it.
    let per_thread = found(c"cuMemcpy", newest, 2);
    assert_ne!(per_thread, found(c"cuMemcpy", newest, 0));
    assert_eq!(per_thread, found(c"cuMemcpy", newest, 3));
    assert_eq!(found(c"cuMemcpy", newest, 0), found(c"cuMemcpy", newest, 1));
    assert_eq!(found(c"cuMemAlloc", newest, 0), found(c"cuMemAlloc", newest, 2));
    assert_eq!(look_up(c"cuMemcpy", 6050, 2), (SUCCESS, 0, 2));
    // Refused: other flags, and versions after the driver's own.
    assert_eq!(look_up(c"cuMemcpy", newest, 4), (INVALID_VALUE, 77, 77));
    assert_eq!(look_up(c"cuMemcpy", newest + 1000, 0), (INVALID_VALUE, 77, 77));
    // The status may be unwanted. The older look-up has an error instead.
    let mut address = null_mut();
    ok!(cuGetProcAddress_v2(c"cuNoSuch".as_ptr(), &raw mut address, newest, 0, null_mut()));
    assert!(address.is_null());
    type Older = unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64) -> CUresult;
    // SAFETY: the function of the name, whose type in version 11.3 this is.
    let older: Older = unsafe { transmute(found(c"cuGetProcAddress", 11_030, 0)) };
    let mut ask = |name: &CStr| {
        let out = &raw mut address;
        // SAFETY: a string, and a variable that outlives the call.
        let code = unsafe { older(name.as_ptr(), out, newest, 0) };
        (code, address.cast_const())
    };
    assert_eq!(ask(c"cuMemAlloc"), (SUCCESS, found(c"cuMemAlloc", newest, 0)));
    assert_eq!(ask(c"cuMemAlloc_v2").0, NOT_FOUND);
    // The pointer that is found is the function.
    // SAFETY: as above.
    let version: unsafe extern "C" fn(*mut c_int) -> CUresult =
        unsafe { transmute(found(c"cuDriverGetVersion", newest, 0)) };
    let mut number = 0;
    // SAFETY: a variable that outlives the call.
    assert_eq!(unsafe { version(&raw mut number) }, SUCCESS);
    assert!(number >= newest);
}

/// F251
#[test]
fn a_table_of_an_unknown_identity_is_null() {
    let mut table: *const c_void = std::ptr::without_provenance(77);
    let identity = CUuuid { bytes: [0x5a; 16] };
    assert_eq!(code!(cuGetExportTable(&raw mut table, &raw const identity)), INVALID_VALUE);
    assert!(table.is_null());
    assert_eq!(code!(cuGetExportTable(null_mut(), &raw const identity)), INVALID_VALUE);
    assert_eq!(code!(cuGetExportTable(&raw mut table, null())), INVALID_VALUE);
}

/// F252
#[test]
fn a_device_has_its_attributes() {
    let device = device();
    let attribute = |number| {
        let mut value = -777;
        let code = code!(cuDeviceGetAttribute(&raw mut value, CUdevice_attribute(number), device));
        (code, value)
    };
    for none in [0, 1_000_000] {
        assert_eq!(attribute(none), (INVALID_VALUE, -777));
    }
    for number in 1..=147 {
        assert_eq!(attribute(number).0, SUCCESS, "{number}");
    }
    // An attribute that no two devices of a kind differ in.
    if !crate::common::software() && attribute(75) != (SUCCESS, 9) {
        crate::skip!("the values are those of an H200");
    }
    for (number, value) in [
        (1, 1024),
        (4, 64),
        (11, i32::MAX),
        (14, 512),
        (16, 132),
        (21, 131_072),
        (30, 512),
        (51, 32),
        (69, 268_435_456),
        (72, 2_097_120),
        (76, 0),
        (81, 233_472),
        (97, 232_448),
        (106, 32),
        (109, 134_217_728),
        (111, 1024),
        (120, 1),
        (126, 4),
        (131, -1),
    ] {
        assert_eq!(attribute(number), (SUCCESS, value), "{number}");
    }
    // An H100 has another L2 cache.
    if !crate::common::software()
        && !cuscope::Device::get(0).unwrap().name().unwrap().contains("H200")
    {
        crate::skip!("the L2 cache is that of an H200");
    }
    assert_eq!(attribute(108), (SUCCESS, 39_321_600));
}

/// F253
#[test]
fn a_device_tells_its_capability_in_the_old_way_and_has_no_luid() {
    type Capability = unsafe extern "C" fn(*mut c_int, *mut c_int, CUdevice) -> CUresult;
    let device = device();
    // SAFETY: the function of the name has this type.
    let capability: Capability =
        unsafe { transmute(found(c"cuDeviceComputeCapability", 13_000, 0)) };
    let (mut major, mut minor) = (-1, -1);
    // SAFETY: variables that outlive the calls, or null, which is looked for.
    let mut ask = |null: bool, device| unsafe {
        capability(if null { null_mut() } else { &raw mut major }, &raw mut minor, device)
    };
    assert_eq!(
        [ask(true, 99), ask(false, 99), ask(false, device)],
        [INVALID_VALUE, INVALID_DEVICE, SUCCESS]
    );
    let of = |which| made!(cuDeviceGetAttribute(which, device));
    assert_eq!(major, of(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
    assert_eq!(minor, of(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    let (mut luid, mut mask) = ([0; 8], 77);
    let (to, node) = (luid.as_mut_ptr(), &raw mut mask);
    assert_eq!(code!(cuDeviceGetLuid(to, node, device)), CUDA_ERROR_NOT_SUPPORTED);
    assert_eq!(code!(cuDeviceGetLuid(to, node, 99)), INVALID_DEVICE);
    each_gives!(INVALID_VALUE; {
        cuDeviceGetLuid(null_mut(), node, 99);
        cuDeviceGetLuid(to, null_mut(), 99);
    });
    assert_eq!(mask, 77);
}

/// F254
#[test]
fn a_device_is_found_by_its_pci_address() {
    let device = device();
    let mut text = [0; 32];
    ok!(cuDeviceGetPCIBusId(text.as_mut_ptr(), 32, device));
    let bytes = text.map(|byte| byte as u8);
    let address = CStr::from_bytes_until_nul(&bytes).unwrap().to_str().unwrap().to_owned();
    assert_eq!(address.len(), 12);
    assert_eq!(code!(cuDeviceGetPCIBusId(text.as_mut_ptr(), 12, device)), INVALID_VALUE);
    ok!(cuDeviceGetPCIBusId(text.as_mut_ptr(), 13, device));
    let by = |text: &str| {
        let text = std::ffi::CString::new(text).unwrap();
        let mut found = -7;
        let code = code!(cuDeviceGetByPCIBusId(&raw mut found, text.as_ptr()));
        (code, found)
    };
    let (whole, function) = address.rsplit_once('.').unwrap();
    let (_domain, slot) = address.split_once(':').unwrap();
    let lower = address.to_lowercase();
    for form in [&address, &lower, whole, slot, &format!(" {address}"), &format!("0000{address}")] {
        assert_eq!(by(form), (SUCCESS, device), "{form:?}");
    }
    for bad in
        ["", "junk", &format!("{address}junk"), slot.strip_suffix(&format!(".{function}")).unwrap()]
    {
        assert_eq!(by(bad), (INVALID_VALUE, -7), "{bad:?}");
    }
    for other in [format!("{whole}.1"), "fe:1f.0".to_owned()] {
        assert_eq!(by(&other), (INVALID_DEVICE, -7), "{other:?}");
    }
    assert_eq!(code!(cuDeviceGetByPCIBusId(null_mut(), text.as_ptr())), INVALID_VALUE);
    assert_eq!(code!(cuDeviceGetByPCIBusId(&mut 0, null())), INVALID_VALUE);
}

/// F255
#[test]
fn a_linear_texture_is_as_wide_as_its_elements_let_it() {
    let device = device();
    let widest = |format, channels| {
        let mut width = 777_usize;
        let out = &raw mut width;
        let code = code!(cuDeviceGetTexture1DLinearMaxWidth(out, format, channels, device));
        (code, width)
    };
    for (format, channels, bits) in [
        (CU_AD_FORMAT_UNSIGNED_INT8, 4, 30),
        (CU_AD_FORMAT_HALF, 2, 30),
        (CU_AD_FORMAT_SIGNED_INT16, 4, 29),
        (CU_AD_FORMAT_FLOAT, 1, 30),
        (CU_AD_FORMAT_FLOAT, 2, 29),
        (CU_AD_FORMAT_UNSIGNED_INT32, 4, 28),
    ] {
        assert_eq!(widest(format, channels), (SUCCESS, 1 << bits), "{format:?} {channels}");
    }
    for (format, channels) in [
        (CU_AD_FORMAT_FLOAT, 0),
        (CU_AD_FORMAT_FLOAT, 3),
        (CU_AD_FORMAT_FLOAT, 5),
        (CUarray_format(0), 1),
        (CUarray_format(99), 1),
    ] {
        assert_eq!(widest(format, channels), (INVALID_VALUE, 777), "{format:?} {channels}");
    }
}
