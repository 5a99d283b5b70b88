//! The driver functions about [`set`](crate::model::memory::set).
#![allow(unsafe_code, reason = "exported functions")]

use crate::entry::driver;
use crate::model::memory::set::{Pattern, fill};
use crate::model::stream;
use core::ffi::{c_uchar, c_uint, c_ushort};
use cuscope_sys::*;

driver! {
    /// Writes bytes, on the null stream of the current context (F33).
    fn cuMemsetD8_v2(dstDevice: CUdeviceptr, uc: c_uchar, N: usize) [needs_current] {
        fill(&stream::null()?, dstDevice, Pattern::new(uc.into(), 1)?, N)
    }
    /// Writes 16-bit values, on the null stream of the current context.
    fn cuMemsetD16_v2(dstDevice: CUdeviceptr, us: c_ushort, N: usize) [needs_current] {
        fill(&stream::null()?, dstDevice, Pattern::new(us.into(), 2)?, N)
    }
    /// Writes 32-bit values, on the null stream of the current context.
    fn cuMemsetD32_v2(dstDevice: CUdeviceptr, ui: c_uint, N: usize) [needs_current] {
        fill(&stream::null()?, dstDevice, Pattern::new(ui, 4)?, N)
    }
    /// Writes bytes, in the order of a stream.
    fn cuMemsetD8Async(dstDevice: CUdeviceptr, uc: c_uchar, N: usize, hStream: CUstream) [
        host_fn,
        zero_is_current(3),
    ] {
        fill(&stream::target(hStream)?, dstDevice, Pattern::new(uc.into(), 1)?, N)
    }
    /// Writes 16-bit values, in the order of a stream.
    fn cuMemsetD16Async(dstDevice: CUdeviceptr, us: c_ushort, N: usize, hStream: CUstream) [
        host_fn,
        zero_is_current(3),
    ] {
        fill(&stream::target(hStream)?, dstDevice, Pattern::new(us.into(), 2)?, N)
    }
    /// Writes 32-bit values, in the order of a stream.
    fn cuMemsetD32Async(dstDevice: CUdeviceptr, ui: c_uint, N: usize, hStream: CUstream) [
        host_fn,
        zero_is_current(3),
    ] {
        fill(&stream::target(hStream)?, dstDevice, Pattern::new(ui, 4)?, N)
    }
}
