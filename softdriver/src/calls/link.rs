//! The driver functions about [`link`](crate::model::link).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::{self, Answer};
use crate::model::jit::Logs;
use crate::model::link::LINKS;
use crate::model::link::Link;
use crate::model::stack;
use core::ffi::{CStr, c_char, c_uint, c_void};
use cuscope_sys::*;
use std::sync::{Arc, Mutex};

fn find(handle: CUlinkState) -> Answer<Arc<Link>> {
    LINKS.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)
}

/// A name for messages.
fn name_of(name: *const c_char) -> String {
    entry::text(name).map(CStr::to_string_lossy).unwrap_or_default().into_owned()
}

driver! {
    /// Starts to link; needs a current context (F289).
    fn cuLinkCreate_v2(
        numOptions: c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
        stateOut: *mut CUlinkState,
    ) {
        let _current = stack::current_life()?;
        entry::wanted(stateOut)?;
        let logs = Logs::new(numOptions, options, optionValues)?;
        let (handle, _) = LINKS.insert(|_| Link { logs, inner: Mutex::default() });
        entry::write(stateOut, std::ptr::without_provenance_mut(handle))
    }
    /// Adds PTX, alone, in a fatbin or in a library; machine code that is in no library is
    /// NO_BINARY_FOR_GPU (F289).
    fn cuLinkAddData_v2(
        state: CUlinkState,
        type_: CUjitInputType,
        data: *mut c_void,
        size: usize,
        name: *const c_char,
        numOptions: c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
    ) {
        let link = find(state)?;
        if data.is_null() || size == 0 || type_ >= CU_JIT_INPUT_NVVM {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let logs = Logs::new(numOptions, options, optionValues)?;
        let bytes: Vec<u8> =
            (0..size).map(|i| entry::element(data.cast::<u8>(), i)).collect::<Answer<_>>()?;
        link.add(type_, &bytes, &name_of(name), logs.max_registers())
    }
    /// Adds a file.
    fn cuLinkAddFile_v2(
        state: CUlinkState,
        type_: CUjitInputType,
        path: *const c_char,
        numOptions: c_uint,
        options: *mut CUjit_option,
        optionValues: *mut *mut c_void,
    ) {
        let link = find(state)?;
        if type_ >= CU_JIT_INPUT_NVVM {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        let logs = Logs::new(numOptions, options, optionValues)?;
        let path = entry::path(path)?;
        let file = std::fs::read(&path);
        let file = file.map_err(|_| CUDA_ERROR_FILE_NOT_FOUND)?;
        link.add(type_, &file, &path.to_string_lossy(), logs.max_registers())
    }
    /// Ends a link. What it made lives until the state is destroyed.
    fn cuLinkComplete(state: CUlinkState, cubinOut: *mut *mut c_void, sizeOut: *mut usize) {
        let link = find(state)?;
        entry::wanted(cubinOut)?;
        let (address, size) = link.complete()?;
        entry::write_optional(sizeOut, size);
        entry::write(cubinOut, std::ptr::with_exposed_provenance_mut(address))
    }
    /// Destroys the state of a link.
    fn cuLinkDestroy(state: CUlinkState) {
        let removed = LINKS.remove(state.addr());
        removed.map(drop).ok_or(CUDA_ERROR_INVALID_HANDLE)
    }
}
