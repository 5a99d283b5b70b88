//! PTX: the software driver compiles it or says why not, in bounded time and memory, and what it loaded can be unloaded.
#![no_main]

use cuscope_sys::{
    CUDA_SUCCESS, CUcontext, cuCtxCreate_v2, cuCtxPopCurrent_v2, cuCtxPushCurrent_v2, cuInit, cuModuleLoadData,
    cuModuleUnload,
};
use cuscope_softdriver as _;
use libfuzzer_sys::fuzz_target;
use std::ffi::CString;
use std::ptr::null_mut;
use std::sync::OnceLock;

/// The context that everything is loaded in.
fn context() -> CUcontext {
    static CONTEXT: OnceLock<usize> = OnceLock::new();
    let made = CONTEXT.get_or_init(|| {
        let mut context = null_mut();
        // SAFETY: both write what they are given, and the device is there.
        let codes = unsafe { [cuInit(0), cuCtxCreate_v2(&raw mut context, 0, 0)] };
        assert_eq!(codes, [CUDA_SUCCESS; 2]);
        context.expose_provenance()
    });
    std::ptr::with_exposed_provenance_mut(*made)
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = CString::new(bytes) else { return };
    let (mut module, mut popped) = (null_mut(), null_mut());
    // SAFETY: the text ends in a NUL, and lives; the module is used only if it was loaded.
    unsafe {
        assert_eq!(cuCtxPushCurrent_v2(context()), CUDA_SUCCESS);
        if cuModuleLoadData(&raw mut module, text.as_ptr().cast()) == CUDA_SUCCESS {
            assert_eq!(cuModuleUnload(module), CUDA_SUCCESS);
        }
        assert_eq!(cuCtxPopCurrent_v2(&raw mut popped), CUDA_SUCCESS);
    }
});
