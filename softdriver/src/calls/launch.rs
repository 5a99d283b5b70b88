//! The driver functions about [`launch`](crate::model::launch).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::launch_attributes::read_attributes;
use crate::entry;
use crate::entry::Answer;
use crate::host_function;
use crate::model::function::Function;
use crate::model::graph::node::Work;
use crate::model::launch::{HostCall, Launch, check_shape};
use crate::model::launch_attributes::{Attributes, Place};
use crate::model::stream::Target;
use crate::model::{capture, function, library, usable};
use core::ffi::{c_uint, c_void};
use cuscope_sys::*;
use std::ptr;
use std::sync::Arc;

/// A launch as one of the calls for it has it.
pub(super) struct Asked {
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) shared: c_uint,
    pub(super) params: *mut *mut c_void,
    pub(super) extra: *mut *mut c_void,
}

/// A launch of a function [in the context](in_context) of a stream.
pub(super) fn prepare(
    (f, function): (CUfunction, Arc<Function>),
    target: &Target,
    asked: &Asked,
    attributes: &Attributes,
) -> Answer<Launch> {
    let &Asked { grid, block, shared, params, extra } = asked;
    // A bad shape spoils a capture, bad parameters do not (F146).
    attributes
        .check_cooperative(&function, grid, block, shared as usize)
        .and_then(|()| check_shape(&function, grid, block, shared as usize))
        .and_then(|()| attributes.check_cluster(&function, grid))
        .inspect_err(|_| capture::spoil(target))?;
    function.load();
    Ok(Launch::new(f, function, grid, block, shared, params, extra)?.given(attributes))
}

/// The function of a handle, or what the kernel of a library is in the context of a stream; 400 for what is of
/// another one.
pub(super) fn in_context(f: CUfunction, target: &Target) -> Answer<(CUfunction, Arc<Function>)> {
    let kern = library::is_kernel(f.cast());
    let f = if kern { library::function_in(f.cast(), &target.life.home())? } else { f };
    let function = function::function(f)?;
    let shared = target.life.shares(&function.module.life);
    if shared { Ok((f, function)) } else { Err(CUDA_ERROR_INVALID_HANDLE) }
}

/// Enqueues a kernel.
pub(super) fn launch(
    f: CUfunction,
    stream: CUstream,
    asked: &Asked,
    attributes: impl FnOnce(Place<'_>) -> Answer<Attributes>,
) -> Answer {
    if !library::is_kernel(f.cast()) {
        let _known = function::function(f)?;
    }
    let target = usable::target(stream)?;
    let function = in_context(f, &target)?;
    let captured = capture::takes(&target)?;
    let attributes = attributes(Place { target: &target, captured })?;
    let launch = prepare(function, &target, asked, &attributes)?;
    let launch = match capture::takes(&target)? {
        true => launch.with_attributes(attributes.values.captured(&target))?,
        false => launch,
    };
    // The blocks start when what is before them is finished, and trigger by their end.
    attributes.started().map_or(Ok(()), |event| capture::record_in(&target, event))?;
    capture::enqueue(&target, Work::Kernel(launch))?;
    attributes.triggered().map_or(Ok(()), |event| capture::record_in(&target, event))
}

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
        launch(f, config.hStream, &asked, |place| read_attributes(&config, Some(place)))
    }
    /// Enqueues a function of the host, in which driver calls are refused (F23).
    fn cuLaunchHostFunc(hStream: CUstream, func: CUhostFn, userData: *mut c_void) [
        null(1) = CUDA_ERROR_INVALID_VALUE,
        host_fn,
        zero_is_current(0),
    ] {
        let target = usable::target(hStream)?;
        capture::enqueue(&target, Work::Host(HostCall::new(func, userData)?))
    }
}
