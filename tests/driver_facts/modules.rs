//! Modules, their functions, and the images that they are loaded from: F265, F270 to F274, F281.

use crate::libraries::library;
use crate::raw::*;
use cuscope::ffi::*;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) const TEXT: &CStr = c".version 7.0
.target sm_52
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .entry first(.param .u32 n, .param .u64 p) { ret; }
.visible .entry second() { ret; }
.visible .entry third(.param .align 8 .b8 s[24], .param .u8 t) { ret; }
";
pub(crate) const BAD: &CStr = c".version 7.0
.target sm_52
.address_size 64
.visible .entry bad() { frob; ret; }
";
/// Text that is no image, and is long enough for all that is read of one (F113).
pub(crate) const GARBAGE: [u8; 256] = [b'g'; 256];
pub(crate) const NO_BINARY: CUresult = CUDA_ERROR_NO_BINARY_FOR_GPU;
/// These tests run one after another: what one captures refuses what another one loads (F141).
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A context, current, and the text loaded in it.
pub(crate) fn place() -> (Place, CUmodule) {
    let place = Place::new();
    ok!(cuCtxPushCurrent_v2(place.context));
    let module = made!(cuModuleLoadData(TEXT.as_ptr().cast()));
    (place, module)
}

pub(crate) fn text(name: *const c_char) -> String {
    // SAFETY: a name of the driver, which lives as long as what it is of.
    unsafe { CStr::from_ptr(name) }.to_str().unwrap().to_owned()
}

/// F270
#[test]
fn functions_and_kernels_are_counted_enumerated_and_named() {
    let _alone = alone();
    has!(cuModuleGetFunctionCount, cuModuleEnumerateFunctions, cuFuncGetName);
    has!(cuLibraryGetKernelCount, cuLibraryEnumerateKernels, cuKernelGetName);
    let (place, module) = place();
    let mut count = 9;
    ok!(newer cuModuleGetFunctionCount(&raw mut count, module));
    assert_eq!(count, 3);
    let mut functions = [null_mut(); 4];
    ok!(newer cuModuleEnumerateFunctions(functions.as_mut_ptr(), 2, module));
    assert!(!functions[1].is_null() && functions[2].is_null());
    ok!(newer cuModuleEnumerateFunctions(functions.as_mut_ptr(), 4, module));
    assert!(!functions[2].is_null() && functions[3].is_null());
    let names: Vec<_> =
        functions[..3].iter().map(|&f| text(made!(newer cuFuncGetName(f)))).collect();
    assert_eq!(names, ["first", "second", "third"]);
    assert_eq!(made!(cuModuleGetFunction(module, c"second".as_ptr())) as CUfunction, functions[1]);
    assert_eq!(made!(cuFuncGetModule(functions[1])) as CUmodule, module);
    assert_eq!(newer!(cuModuleGetFunctionCount(null_mut(), module)), INVALID_VALUE);
    assert_eq!(newer!(cuModuleGetFunctionCount(&raw mut count, null_mut())), INVALID_HANDLE);
    assert_eq!(newer!(cuModuleEnumerateFunctions(null_mut(), 0, module)), INVALID_VALUE);
    assert_eq!(newer!(cuFuncGetName(null_mut(), functions[0])), INVALID_VALUE);
    let mut name = null::<c_char>();
    assert_eq!(newer!(cuFuncGetName(&raw mut name, null_mut())), INVALID_VALUE);
    place.destroy();

    let library = library();
    ok!(newer cuLibraryGetKernelCount(&raw mut count, library));
    assert_eq!(count, 3);
    let mut kernels = [null_mut(); 4];
    ok!(newer cuLibraryEnumerateKernels(kernels.as_mut_ptr(), 4, library));
    let names: Vec<_> =
        kernels[..3].iter().map(|&k| text(made!(newer cuKernelGetName(k)))).collect();
    assert_eq!(names, ["third", "second", "first"]);
    assert_eq!(made!(cuLibraryGetKernel(library, c"first".as_ptr())) as CUkernel, kernels[2]);
    ok!(cuLibraryUnload(library));
}

/// F271
#[test]
fn a_function_that_was_asked_for_is_loaded() {
    let _alone = alone();
    has!(cuFuncIsLoaded, cuFuncLoad);
    let (place, module) = place();
    let function: CUfunction = made!(cuModuleGetFunction(module, c"first".as_ptr()));
    let loaded = || made!(newer cuFuncIsLoaded(function)) as CUfunctionLoadingState;
    assert_eq!(loaded(), CU_FUNCTION_LOADING_STATE_LOADED);
    for _ in 0..2 {
        ok!(newer cuFuncLoad(function));
    }
    assert_eq!(loaded(), CU_FUNCTION_LOADING_STATE_LOADED);
    let mut state = CU_FUNCTION_LOADING_STATE_LOADED;
    assert_eq!(newer!(cuFuncIsLoaded(null_mut(), function)), INVALID_VALUE);
    assert_eq!(newer!(cuFuncIsLoaded(&raw mut state, null_mut())), INVALID_HANDLE);
    assert_eq!(newer!(cuFuncLoad(null_mut())), INVALID_HANDLE);
    place.destroy();
}

/// F272, F274
#[test]
fn attributes_of_functions_need_no_current_context() {
    let _alone = alone();
    has!(cuModuleGetFunctionCount, cuFuncGetName, cuFuncIsLoaded, cuFuncLoad);
    let (place, module) = place();
    let function: CUfunction = made!(cuModuleGetFunction(module, c"first".as_ptr()));
    pop();
    let _: u32 = made!(newer cuModuleGetFunctionCount(module));
    let _: *const c_char = made!(newer cuFuncGetName(function));
    let _: CUmodule = made!(cuFuncGetModule(function));
    let _: CUfunctionLoadingState = made!(newer cuFuncIsLoaded(function));
    ok!(newer cuFuncLoad(function));
    ok!(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024));
    ok!(cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_L1));
    ok!(cuFuncSetSharedMemConfig(function, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
    let mode: CUmoduleLoadingMode = made!(cuModuleGetLoadingMode());
    assert!([CU_MODULE_LAZY_LOADING, CU_MODULE_EAGER_LOADING].contains(&mode));
    place.destroy();
}

/// F273
#[test]
fn the_attributes_of_a_function_have_ranges() {
    let _alone = alone();
    let (place, module) = place();
    let function: CUfunction = made!(cuModuleGetFunction(module, c"second".as_ptr()));
    let get = |attribute| made!(cuFuncGetAttribute(attribute, function)) as i32;
    let set = |attribute, value| code!(cuFuncSetAttribute(function, attribute, value));
    let carveout = CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
    assert_eq!(get(carveout), -1);
    for (asked, code) in
        [(-2, INVALID_VALUE), (-1, SUCCESS), (0, SUCCESS), (100, SUCCESS), (101, INVALID_VALUE)]
    {
        assert_eq!(set(carveout, asked), code, "{asked}");
    }
    for fixed in (0..=7).chain([10, 16, 17, 18, 99]).map(CUfunction_attribute) {
        assert_eq!(set(fixed, 1), INVALID_VALUE, "{fixed:?}");
    }
    for free in (11..=15).map(CUfunction_attribute) {
        assert_eq!((get(free), set(free, 1), get(free)), (0, SUCCESS, 1), "{free:?}");
    }
    let scheduling = CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE;
    assert_eq!((set(scheduling, 3), set(scheduling, -1)), (INVALID_VALUE, INVALID_VALUE));
    for (config, code) in [(0, SUCCESS), (3, SUCCESS), (4, INVALID_VALUE)] {
        assert_eq!(code!(cuFuncSetCacheConfig(function, CUfunc_cache(config))), code);
    }
    for (config, code) in [(0, SUCCESS), (2, SUCCESS), (3, INVALID_VALUE)] {
        assert_eq!(code!(cuFuncSetSharedMemConfig(function, CUsharedconfig(config))), code);
    }
    each_gives!(INVALID_HANDLE; {
        cuFuncSetAttribute(null_mut(), carveout, 1);
        cuFuncSetCacheConfig(null_mut(), CU_FUNC_CACHE_PREFER_L1);
        cuFuncSetSharedMemConfig(null_mut(), CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE);
    });
    within(place.context, || ok!(cuCtxSynchronize()));
    place.destroy();
}

/// An entry of a fatbin with PTX.
fn fatbin() -> Vec<u64> {
    let code = TEXT.to_bytes_with_nul();
    let padded = code.len().next_multiple_of(8);
    let mut bytes = Vec::new();
    bytes.extend([0xba55_ed50_u32, 0x10_0001].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend((72 + padded as u64).to_le_bytes());
    bytes.extend([0x0101_0001_u32, 72].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend((padded as u64).to_le_bytes());
    bytes.extend([0_u32, 64, 7, 52, 0, 0].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend([0x11_u64, 0, 0, 0].into_iter().flat_map(u64::to_le_bytes));
    bytes.extend(code);
    bytes.resize(16 + 72 + padded + 128, 0);
    let words = bytes.chunks(8).map(|word| {
        let mut full = [0; 8];
        full[..word.len()].copy_from_slice(word);
        u64::from_ne_bytes(full)
    });
    words.collect()
}

/// F281
#[test]
fn each_way_of_loading_takes_each_image() {
    let _alone = alone();
    let (place, _) = place();
    let fatbin = fatbin();
    for image in [TEXT.as_ptr().cast::<c_void>(), fatbin.as_ptr().cast()] {
        let module: CUmodule = made!(cuModuleLoadFatBinary(image));
        ok!(cuModuleUnload(module));
        let module: CUmodule = made!(cuModuleLoadData(image));
        let _: CUfunction = made!(cuModuleGetFunction(module, c"first".as_ptr()));
    }
    let mut module = null_mut();
    each_gives!(INVALID_VALUE; {
        cuModuleLoadFatBinary(&raw mut module, null());
        cuModuleLoadFatBinary(null_mut(), fatbin.as_ptr().cast());
    });
    assert_eq!(
        code!(cuModuleLoadFatBinary(&raw mut module, GARBAGE.as_ptr().cast())),
        INVALID_IMAGE
    );
    place.destroy();
}

/// F265
#[test]
fn compressed_code_in_a_fatbin_loads() {
    let _alone = alone();
    let (place, _) = place();
    let images = [
        include_bytes!("../code/signatures.lz4.fatbin").as_slice(),
        include_bytes!("../code/signatures.zstd.fatbin"),
    ];
    for image in images {
        let image = [image, &[0; 128]].concat();
        let module: CUmodule = made!(cuModuleLoadData(image.as_ptr().cast()));
        let _: CUfunction = made!(cuModuleGetFunction(module, c"saxpy".as_ptr()));
        ok!(cuModuleUnload(module));
    }
    place.destroy();
}

/// F281
#[test]
fn machine_code_of_another_architecture_does_not_load() {
    let _alone = alone();
    let (place, _) = place();
    let mut cubin = include_bytes!("../code/signatures.cubin").to_vec();
    // The architecture, in the flags of the header: 9.0 becomes 8.0.
    cubin[49] = 80;
    cubin.resize(cubin.len() + 128, 0);
    let mut module = null_mut();
    assert_eq!(code!(cuModuleLoadData(&raw mut module, cubin.as_ptr().cast())), NO_BINARY);
    place.destroy();
}
