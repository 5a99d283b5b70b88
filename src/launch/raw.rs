//! Launches in the driver's form.
#![allow(unsafe_code, reason = "calls the driver")]

use super::spec::sealed::Spec;
use crate::args::sealed::Operands;
use crate::call::{Answer, answer};
use crate::error::Result;
use crate::function::Function;
use crate::launch::LaunchConfig;
use crate::ops::enqueue;
use ffi::{CUlaunchConfig, CUresult, CUstream};
use std::ptr;

/// A launch, ready for the driver.
pub enum Prepared<'a> {
    /// Extents alone: `cuLaunchKernel`.
    Plain(LaunchConfig),
    /// With attributes: `cuLaunchKernelEx`.
    Extended(&'a CUlaunchConfig),
}

/// Launches a kernel with one call. `refused` converts an error code of the driver to an error.
///
/// # Safety
/// 1. The stream is alive, and so is the memory among the arguments until the stream is past the kernel;
///    nobody frees it, writes what the kernel reads, or uses what it writes.
/// 2. The arguments are those of the kernel, and it keeps the contract of
///    [`SyncStream::launch`](crate::SyncStream::launch), as the attributes extend it.
#[inline]
pub(crate) unsafe fn launch(
    stream: &CUstream,
    function: &Function<'_>,
    spec: &impl Spec,
    args: impl Operands,
    refused: impl FnOnce(&'static str, CUresult) -> Result,
) -> Result {
    spec.prepared(stream, |prepared| {
        let answer = args.with_pointers(|parameters| {
            // Null, not an empty list: a kernel that has parameters then returns an error (F93).
            let parameters =
                if parameters.is_empty() { ptr::null_mut() } else { parameters.as_mut_ptr() };
            match prepared {
                // SAFETY: 1. The kernel is loaded (`function` keeps its module, and an unload waits for
                // it, F50); no context needs to be current (F30). 2. `parameters` points to one value for
                // each argument, which the driver reads before it returns; the rest is the caller's
                // obligations 1 and 2. 3. The driver checks the extents (F61).
                Prepared::Plain(LaunchConfig { grid, block, shared_bytes }) => unsafe {
                    answer!(cuLaunchKernel(
                        function.raw(),
                        grid.x,
                        grid.y,
                        grid.z,
                        block.x,
                        block.y,
                        block.z,
                        shared_bytes,
                        *stream,
                        parameters,
                        ptr::null_mut(),
                    ))
                },
                // SAFETY: 1. to 3. as above. 4. The configuration has an array of as many attributes as it
                // says, each with the field of its kind set; the events among them are alive, and the
                // driver keeps none of the array.
                Prepared::Extended(config) => unsafe {
                    answer!(cuLaunchKernelEx(config, function.raw(), parameters, ptr::null_mut()))
                },
            }
        });
        match answer {
            Answer { code: ffi::CUDA_SUCCESS, .. } => Ok(()),
            Answer { call, code } => refused(call, code),
        }
    })
}

/// Returns the error of a launch on a stream of the context with this [key](crate::Context::key). The driver
/// refuses a function of another context ([F32](crate::driver_facts#F32)), also in a capture
/// ([F146](crate::driver_facts#F146)), just as it refuses an invalid handle.
#[cold]
#[inline(never)]
pub(crate) fn refused(
    call: &'static str,
    code: CUresult,
    function: &Function<'_>,
    key: &usize,
) -> Result {
    enqueue::refused(Answer::new(call, code), function.key() == *key)
}
