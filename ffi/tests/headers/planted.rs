//! The checks themselves: errors planted in copies of the sources are found, by name.

use crate::c::check;
use crate::declarations::{Declarations, sources};
use crate::header::headers;
use crate::{ages, unknown};
use std::path::Path;

/// Mistakes to plant: the declaration, its replacement, and the message that the check must give.
const PLANTED: &[(&str, &str, &str)] = &[
    // functions
    (
        "fn cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize)",
        "fn cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: c_uint)",
        "fn cuMemAlloc_v2",
    ),
    (
        "fn cuEventRecord(hEvent: CUevent, hStream: CUstream)",
        "fn cuEventRecord(hStream: CUstream, hEvent: CUevent)",
        "fn cuEventRecord",
    ),
    (
        "fn cuCtxGetCurrent(pctx: *mut CUcontext)",
        "fn cuCtxGetCurrent(pctx: *mut CUstream)",
        "fn cuCtxGetCurrent",
    ),
    (
        "fn cuModuleLoad(module: *mut CUmodule, fname: *const c_char)",
        "fn cuModuleLoad(module: *mut CUmodule, fname: *mut c_char)",
        "fn cuModuleLoad",
    ),
    (
        "fn cuEventCreate(phEvent: *mut CUevent, Flags: c_uint)",
        "fn cuEventCreate(phEvent: *mut CUevent)",
        "fn cuEventCreate",
    ),
    (
        "fn cuEventQuery(hEvent: CUevent) -> CUresult",
        "fn cuEventQuery(hEvent: CUevent) -> c_int",
        "fn cuEventQuery",
    ),
    (
        "fn cuStreamQuery(hStream: CUstream)",
        "fn cuStreamQuery(hStream: *mut CUstream)",
        "fn cuStreamQuery",
    ),
    ("fn cuInit(Flags: c_uint)", "fn cuInit(Flags: c_int)", "fn cuInit"),
    (
        "fn cuEventElapsedTime(pMilliseconds: *mut c_float",
        "fn cuEventElapsedTime(pMilliseconds: *mut c_double",
        "fn cuEventElapsedTime",
    ),
    (
        "image: c_uint, target: c_uint, Flags: c_uint",
        "image: *mut c_void, target: c_uint, Flags: c_uint",
        "fn cuGraphicsGLRegisterImage",
    ),
    (
        "fn(c_uint, c_uint, *mut *mut c_void) -> c_uint>) -> CUresult;\n    /// Creates",
        "fn(c_uint, c_uint, *mut c_void) -> c_uint>) -> CUresult;\n    /// Creates",
        "fn cuVDPAUGetDevice",
    ),
    // structs and unions
    ("pub pArray: [CUarray; 3]", "pub pArray: [CUarray; 4]", "size of CUeglFrame_v1"),
    ("    pub x: usize,\n    ", "    pub x: c_uint,\n    ", "type of CUoffset3D_v1.x"),
    ("pub bytes: [c_char; 16]", "pub bytes: [c_char; 15]", "size of CUuuid"),
    ("pub data: [c_uchar; 64]", "pub data: [c_uchar; 32]", "size of CUmemFabricHandle_v1"),
    (
        "pub reserved: [cuuint64_t; 8]",
        "pub reserved: [cuuint64_t; 9]",
        "size of CUcheckpointUnlockArgs",
    ),
    ("pub hitRatio: c_float", "pub hitRatio: c_uint", "type of CUaccessPolicyWindow_v1.hitRatio"),
    (
        "pub accessDescs: *const CUmemAccessDesc",
        "pub accessDescs: *mut CUmemAccessDesc",
        "type of CUDA_MEM_ALLOC_NODE_PARAMS_v1.accessDescs",
    ),
    (
        "pub union CUlaunchAttributeValue {",
        "pub struct CUlaunchAttributeValue {",
        "size of CUlaunchAttributeValue",
    ),
    ("#[repr(C, align(128))]", "#[repr(C)]", "size of CUtensorMap"),
    ("pub oldUuid: CUuuid", "pub formerUuid: CUuuid", "CUcheckpointGpuPair has no oldUuid"),
    (
        "    pub bytesOverBudget: c_ulonglong",
        "    pub bytesOverBudget: c_uint",
        "type of CUasyncNotificationInfo.info.overBudget.bytesOverBudget",
    ),
    // constants, enumerations, aliases, handles
    ("CUDA_ERROR_NOT_READY = 600", "CUDA_ERROR_NOT_READY = 601", "value of CUDA_ERROR_NOT_READY"),
    ("pub enum CUlimit: c_uint", "pub enum CUlimit: c_int", "enum CUlimit"),
    (
        "pub enum CUshared_carveout: c_int",
        "pub enum CUshared_carveout: u8",
        "enum CUshared_carveout",
    ),
    (
        "const CU_EVENT_INTERPROCESS = 0x4",
        "const CU_EVENT_INTERPROCESS = 0x8",
        "value of CU_EVENT_INTERPROCESS",
    ),
    (
        "pub const CU_DEVICE_INVALID: CUdevice = -2",
        "pub const CU_DEVICE_INVALID: CUdevice = 2",
        "value of CU_DEVICE_INVALID",
    ),
    ("pub type cuuint32_t = u32", "pub type cuuint32_t = u64", "alias cuuint32_t"),
    ("pub type CUdeviceptr_v2 = u64", "pub type CUdeviceptr_v2 = i64", "alias CUdeviceptr_v2"),
    ("CUmodule -> CUmod_st", "CUmodule -> CUfunc_st", "handle CUmodule"),
    (
        "pub type CUhostFn = Option<unsafe extern \"C\" fn(userData: *mut c_void)>",
        "pub type CUhostFn = Option<unsafe extern \"C\" fn(userData: *const c_void)>",
        "alias CUhostFn",
    ),
];

/// As [`PLANTED`], for the names and versions.
const MISNAMED: &[(&str, &str, &str)] = &[
    ("fn cuMemcpyDtoD_v2(", "fn cuMemcpyDtoE_v2(", "cuMemcpyDtoE_v2"),
    ("fn cuMemsetD8_v2(", "fn cuMemsetE8_v2(", "cuMemsetE8_v2"),
    ("CUDA_ERROR_NO_DEVICE =", "CUDA_ERROR_NO_DEVISE =", "CUDA_ERROR_NO_DEVISE"),
    ("pub struct CUlaunchConfig {", "pub struct CUlaunchConfiguration {", "CUlaunchConfiguration"),
];
const MISDATED: &[(&str, &str, &str)] = &[
    ("12000 fn cuGetProcAddress_v2(", "11030 fn cuGetProcAddress_v2(", "cuGetProcAddress_v2"),
    ("12040 fn cuGreenCtxCreate(", "12050 fn cuGreenCtxCreate(", "cuGreenCtxCreate"),
    ("4000 fn cuCtxGetCurrent(", "4010 fn cuCtxGetCurrent(", "cuCtxGetCurrent"),
];

/// The sources with every error of `list` in them.
fn planted(list: &[(&str, &str, &str)]) -> Declarations {
    let mut sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    for (right, wrong, _) in list {
        let text = sources.values_mut().find(|text| text.contains(right));
        let text = text.unwrap_or_else(|| panic!("no longer declared so: {right}"));
        *text = text.replacen(right, wrong, 1);
    }
    Declarations::read(sources.values()).unwrap()
}

#[test]
fn planted_errors_are_found_by_name() {
    let Some(headers) = headers() else { return };
    let newest = headers.last().unwrap();
    for one in PLANTED {
        let outcome = check(&planted(&[*one]), newest, "planted.c");
        assert!(outcome.wrong.contains(one.2), "{}: {:?}", one.2, outcome.wrong);
    }
}

#[test]
fn planted_names_and_versions_are_found() {
    let Some(headers) = headers() else { return };
    let found = unknown(&planted(MISNAMED), headers.last().unwrap());
    for (_, _, name) in MISNAMED {
        assert!(found.iter().any(|it| it == name), "{name}: {found:?}");
    }
    let found = ages(&planted(MISDATED), headers);
    for (_, _, name) in MISDATED {
        assert!(found.iter().any(|it| it.starts_with(name)), "{name}: {found:?}");
    }
}
