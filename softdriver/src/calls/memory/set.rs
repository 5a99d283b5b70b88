//! The driver functions about [`set`](crate::model::memory::set).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::entry::Answer;
use crate::model::graph::node::{Fill, Work};
use crate::model::memory::reach;
use crate::model::memory::set::Pattern;
use crate::model::memory::space::SPACE;
use crate::model::stream::Target;
use crate::model::{capture, usable};
use crate::race;
use crate::race::Access;
use core::ffi::{c_uchar, c_uint, c_ushort};
use cuscope_sys::*;

/// Fills memory of the stream's device (F81), aligned to the value, without waiting. A capture takes
/// any address (F146).
fn fill(target: &Target, to: u64, pattern: Pattern, count: usize) -> Answer {
    let captured = capture::takes(target)?;
    if count == 0 {
        return Ok(());
    }
    let aligned = to.is_multiple_of(pattern.size as u64);
    if captured && aligned {
        return capture::add(target, Work::Fill(Fill::row(to, pattern, count)));
    }
    let len = count.checked_mul(pattern.size).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    let allocation = SPACE.find(to, len)?;
    if !reach::may(&target.life, &allocation) || allocation.read_only() || !aligned {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    let work = move || {
        race::touch(&allocation, allocation.offset(to), len, Access::Write);
        pattern.write(&allocation, to, count);
        Ok(())
    };
    target.submit_sized(len, work).map(drop)
}

driver! {
    /// Writes bytes, on the null stream of the current context (F33).
    fn cuMemsetD8_v2(dstDevice: CUdeviceptr, uc: c_uchar, N: usize) [needs_current] {
        fill(&usable::null()?, dstDevice, Pattern::new(uc.into(), 1)?, N)
    }
    /// Writes 16-bit values, on the null stream of the current context.
    fn cuMemsetD16_v2(dstDevice: CUdeviceptr, us: c_ushort, N: usize) [needs_current] {
        fill(&usable::null()?, dstDevice, Pattern::new(us.into(), 2)?, N)
    }
    /// Writes 32-bit values, on the null stream of the current context.
    fn cuMemsetD32_v2(dstDevice: CUdeviceptr, ui: c_uint, N: usize) [needs_current] {
        fill(&usable::null()?, dstDevice, Pattern::new(ui, 4)?, N)
    }
    /// Writes bytes, in the order of a stream.
    fn cuMemsetD8Async(dstDevice: CUdeviceptr, uc: c_uchar, N: usize, hStream: CUstream) [
        host_fn,
        zero_is_current(3),
    ] {
        fill(&usable::target(hStream)?, dstDevice, Pattern::new(uc.into(), 1)?, N)
    }
    /// Writes 16-bit values, in the order of a stream.
    fn cuMemsetD16Async(dstDevice: CUdeviceptr, us: c_ushort, N: usize, hStream: CUstream) [
        host_fn,
        zero_is_current(3),
    ] {
        fill(&usable::target(hStream)?, dstDevice, Pattern::new(us.into(), 2)?, N)
    }
    /// Writes 32-bit values, in the order of a stream.
    fn cuMemsetD32Async(dstDevice: CUdeviceptr, ui: c_uint, N: usize, hStream: CUstream) [
        host_fn,
        zero_is_current(3),
    ] {
        fill(&usable::target(hStream)?, dstDevice, Pattern::new(ui, 4)?, N)
    }
}
