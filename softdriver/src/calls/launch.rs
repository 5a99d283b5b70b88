//! The driver functions about [`launch`](crate::model::launch).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::launch_attributes::read_attributes;
use crate::entry;
use crate::host_function;
use crate::model::graph::node::Work;
use crate::model::launch::{Asked, HostCall, launch};
use crate::model::launch_attributes::Attributes;
use crate::model::{capture, function, library, stream};
use core::ffi::{c_uint, c_void};
use cuscope_sys::*;
use std::ptr;

driver! {
    /// Enqueues a kernel on a stream of its context (F30–F32); the parameters are read before it
    /// returns.
    fn cuLaunchKernel(
        f: CUfunction,
        gridDimX: c_uint,
        gridDimY: c_uint,
        gridDimZ: c_uint,
        blockDimX: c_uint,
        blockDimY: c_uint,
        blockDimZ: c_uint,
        sharedMemBytes: c_uint,
        hStream: CUstream,
        kernelParams: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) [launch, zero_is_current(8)] {
        let grid = [gridDimX, gridDimY, gridDimZ];
        let block = [blockDimX, blockDimY, blockDimZ];
        let asked = Asked { grid, block, shared: sharedMemBytes, params: kernelParams, extra };
        launch(f, hStream, &asked, |_| Ok(Attributes::default()))
    }
    /// The same, with blocks that may wait for each other (F317).
    fn cuLaunchCooperativeKernel(
        f: CUfunction,
        gridDimX: c_uint,
        gridDimY: c_uint,
        gridDimZ: c_uint,
        blockDimX: c_uint,
        blockDimY: c_uint,
        blockDimZ: c_uint,
        sharedMemBytes: c_uint,
        hStream: CUstream,
        kernelParams: *mut *mut c_void,
    ) [launch, zero_is_current(8)] {
        let grid = [gridDimX, gridDimY, gridDimZ];
        let block = [blockDimX, blockDimY, blockDimZ];
        let (params, extra) = (kernelParams, ptr::null_mut());
        let asked = Asked { grid, block, shared: sharedMemBytes, params, extra };
        launch(f, hStream, &asked, |_| Ok(Attributes::cooperative()))
    }
    /// Enqueues a kernel with attributes (F197, F315 to F319).
    fn cuLaunchKernelEx(
        config: *const CUlaunchConfig,
        f: CUfunction,
        kernelParams: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) [
        null(0) = CUDA_ERROR_INVALID_VALUE,
        // The body refuses it, after a look at the arguments.
        host_fn,
        launch,
        after_fault_if_zero(&[0]),
    ] {
        let config = entry::read(config)?;
        if !library::is_kernel(f.cast()) {
            let _known = function::function(f)?;
        }
        host_function::refuse()?;
        let grid = [config.gridDimX, config.gridDimY, config.gridDimZ];
        let block = [config.blockDimX, config.blockDimY, config.blockDimZ];
        let asked = Asked { grid, block, shared: config.sharedMemBytes, params: kernelParams, extra };
        launch(f, config.hStream, &asked, |target| read_attributes(&config, Some(target)))
    }
    /// Enqueues a function of the host, in which driver calls are refused (F23).
    fn cuLaunchHostFunc(hStream: CUstream, func: CUhostFn, userData: *mut c_void) [
        null(1) = CUDA_ERROR_INVALID_VALUE,
        host_fn,
        zero_is_current(0),
    ] {
        let target = stream::target(hStream)?;
        capture::enqueue(&target, Work::Host(HostCall::new(func, userData)?))
    }
}
