//! Launches as CUDA 3 had them: the shape and the arguments are set of a function, then it is launched (F528 to
//! F530).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::launch;
use crate::calls::launch::Asked;
use crate::entry::Answer;
use crate::model::function::{Former, function};
use crate::model::launch::{BUFFER_POINTER, BUFFER_SIZE, END};
use crate::model::launch_attributes::Attributes;
use crate::{entry, sync};
use core::ffi::{c_int, c_uint, c_void};
use cuscope_sys::*;
use std::ptr;

/// The most bytes that the parameters of a kernel have.
const MOST: usize = 32_764;

/// Extents of a shape; 0 and less are INVALID_VALUE.
fn extents<const N: usize>(given: [c_int; N]) -> Answer<[c_uint; N]> {
    let extents = given.map(|extent| c_uint::try_from(extent).unwrap_or(0));
    if extents.contains(&0) { Err(CUDA_ERROR_INVALID_VALUE) } else { Ok(extents) }
}

/// Changes what is set of a function.
fn set(handle: CUfunction, change: impl FnOnce(&mut Former) -> Answer) -> Answer {
    change(&mut sync::lock(&function(handle)?.former))
}

/// Puts bytes among the arguments; beyond what any kernel has they are INVALID_VALUE.
fn put(
    handle: CUfunction,
    offset: c_int,
    bytes: impl FnOnce() -> Answer<Vec<u8>>,
    count: usize,
) -> Answer {
    set(handle, |former| {
        let offset = usize::try_from(offset).map_err(|_| CUDA_ERROR_INVALID_VALUE)?;
        let end = offset.checked_add(count).filter(|&end| end <= MOST);
        let end = end.ok_or(CUDA_ERROR_INVALID_VALUE)?;
        let bytes = bytes()?;
        if former.arguments.len() < end {
            former.arguments.resize(end, 0);
        }
        former.arguments[offset..end].copy_from_slice(&bytes);
        Ok(())
    })
}

/// Launches a grid of a function with what is set of it.
fn launch(handle: CUfunction, grid: [c_int; 2], stream: CUstream) -> Answer {
    let former = sync::lock(&function(handle)?.former).clone();
    let [width, height] = extents(grid)?;
    let mut arguments = former.arguments;
    arguments.resize(former.size, 0);
    let size = former.size;
    let mut extra: [*mut c_void; 5] = [
        ptr::without_provenance_mut(BUFFER_POINTER),
        arguments.as_mut_ptr().cast(),
        ptr::without_provenance_mut(BUFFER_SIZE),
        (&raw const size).cast_mut().cast(),
        ptr::without_provenance_mut(END),
    ];
    let asked = Asked {
        grid: [width, height, 1],
        block: former.block,
        shared: former.shared,
        params: ptr::null_mut(),
        extra: extra.as_mut_ptr(),
    };
    launch::launch(handle, stream, &asked, |_| Ok(Attributes::default()))
}

driver! {
    /// Sets the threads of the blocks; whether the kernel takes them shows at the launch (F528).
    fn cuFuncSetBlockShape(hfunc: CUfunction, x: c_int, y: c_int, z: c_int) {
        set(hfunc, |former| {
            former.block = extents([x, y, z])?;
            Ok(())
        })
    }
    /// Sets the dynamic shared memory; whether the kernel may have it shows at the launch (F528).
    fn cuFuncSetSharedSize(hfunc: CUfunction, bytes: c_uint) {
        set(hfunc, |former| {
            former.shared = bytes;
            Ok(())
        })
    }
    /// Sets how many bytes of arguments there are (F529).
    fn cuParamSetSize(hfunc: CUfunction, numbytes: c_uint) {
        set(hfunc, |former| {
            let size = usize::try_from(numbytes).ok().filter(|&size| size <= MOST);
            former.size = size.ok_or(CUDA_ERROR_INVALID_VALUE)?;
            Ok(())
        })
    }
    /// Puts an integer among the arguments (F529).
    fn cuParamSeti(hfunc: CUfunction, offset: c_int, value: c_uint) {
        put(hfunc, offset, || Ok(value.to_ne_bytes().to_vec()), size_of_val(&value))
    }
    /// Puts a float among the arguments (F529).
    fn cuParamSetf(hfunc: CUfunction, offset: c_int, value: f32) {
        put(hfunc, offset, || Ok(value.to_ne_bytes().to_vec()), size_of_val(&value))
    }
    /// Puts bytes among the arguments (F529).
    fn cuParamSetv(hfunc: CUfunction, offset: c_int, ptr: *mut c_void, numbytes: c_uint) {
        let count = numbytes as usize;
        let bytes = || (0..count).map(|i| entry::element(ptr.cast::<u8>(), i)).collect();
        put(hfunc, offset, bytes, count)
    }
    /// Launches one block in the default stream (F530).
    fn cuLaunch(f: CUfunction) [needs_current] {
        launch(f, [1, 1], ptr::null_mut())
    }
    /// Launches a grid in the default stream (F530).
    fn cuLaunchGrid(f: CUfunction, grid_width: c_int, grid_height: c_int) [needs_current] {
        launch(f, [grid_width, grid_height], ptr::null_mut())
    }
    /// The same in a stream (F530).
    fn cuLaunchGridAsync(
        f: CUfunction,
        grid_width: c_int,
        grid_height: c_int,
        hStream: CUstream,
    ) [zero_is_current(3)] {
        launch(f, [grid_width, grid_height], hStream)
    }
}
