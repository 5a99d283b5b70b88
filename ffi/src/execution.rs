//! Execution: kernels and host functions.

use crate::{CUfunction, CUhostFn, CUresult, CUstream};
use core::ffi::{c_int, c_uint, c_void};

enumeration! {
    /// What `cuFuncGetAttribute` tells of a kernel.
    pub enum CUfunction_attribute: c_uint {
        /// Threads in a block, at most, for this kernel on its device.
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
        /// Statically declared shared memory of a block, in bytes.
        CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
        /// Constant memory of the user, in bytes.
        CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
        /// Local memory of a thread, in bytes.
        CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
        /// Registers of a thread.
        CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
        /// The architecture that the PTX was written for: 10 x major + minor.
        CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
        /// The architecture of the machine code: 10 x major + minor.
        CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
        /// Dynamic shared memory that a launch may ask for, in bytes.
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    }
}

/// Hands the functions of this group to the macro `$with`.
#[macro_export]
#[doc(hidden)]
macro_rules! execution_functions { ($with:path) => { $with! {
    /// One attribute of a kernel.
    fn cuFuncGetAttribute(pi: *mut c_int, attrib: CUfunction_attribute, hfunc: CUfunction) -> CUresult;
    /// Enqueues a kernel. `kernelParams` points to one pointer for each parameter.
    fn cuLaunchKernel(f: CUfunction, gridDimX: c_uint, gridDimY: c_uint, gridDimZ: c_uint, blockDimX: c_uint, blockDimY: c_uint, blockDimZ: c_uint, sharedMemBytes: c_uint, hStream: CUstream, kernelParams: *mut *mut c_void, extra: *mut *mut c_void) -> CUresult;
    /// Enqueues a function of the host, which must not call the driver.
    fn cuLaunchHostFunc(hStream: CUstream, func: CUhostFn, userData: *mut c_void) -> CUresult;
} } }
execution_functions!(declare);
