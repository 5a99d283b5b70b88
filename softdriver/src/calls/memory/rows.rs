//! Copies of rows and of planes of rows, fills of rows, and memory for them (F258, F259, F334 to F336).
#![allow(unsafe_code, reason = "exported functions")]

use crate::call::driver;
use crate::calls::memory::allocate::allocate;
use crate::calls::memory::copy::wait_as;
use crate::calls::stack;
use crate::control;
use crate::entry;
use crate::entry::Answer;
use crate::model::graph::node::{Fill, Work};
use crate::model::memory::reach;
use crate::model::memory::set::Pattern;
use crate::model::memory::space::SPACE;
use crate::model::stream::Target;
use crate::model::transfer::{Described, Transfer};
use crate::model::{capture, usable};
use core::ffi::{c_uchar, c_uint, c_ushort};
use cuscope_sys::*;

/// Rows start at multiples of this.
const PITCH: usize = 512;

const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// Copies in a stream, or has a capture do so; what is not asynchronous waits where the host is involved.
fn copy<T: Copy + Into<Described>>(target: &Target, params: *const T, later: bool) -> Answer {
    copy_described(target, entry::read(params)?.into(), later)
}

/// The same between contexts, which it names.
fn copy_peer(target: &Target, params: *const CUDA_MEMCPY3D_PEER, later: bool) -> Answer {
    let params = entry::read(params)?;
    control::note_peers(params.srcContext.addr(), params.dstContext.addr());
    copy_described(target, params.into(), later)
}

/// The same for a copy that was read.
pub(crate) fn copy_described(target: &Target, described: Described, later: bool) -> Answer {
    let captured = capture::takes(target)?;
    if described.is_nothing() {
        return Ok(());
    }
    let copy = Transfer::new(described, captured)?;
    if captured {
        return capture::add(target, Work::Copy(Box::new(copy)));
    }
    let pageable = copy.is_pageable();
    let wait = pageable || !later && copy.is_of_host();
    let bytes = if wait { 0 } else { copy.bytes() };
    let ticket = target.submit_sized(bytes, move || copy.run())?;
    wait_as(pageable, wait, &ticket)
}

/// Fills rows of `width` values. A capture takes any address, as for one row (F336).
fn fill(
    target: &Target,
    to: CUdeviceptr,
    pitch: usize,
    pattern: Pattern,
    width: usize,
    height: usize,
) -> Answer {
    let captured = capture::takes(target)?;
    if width == 0 || height == 0 {
        return Ok(());
    }
    let fill = Fill::rows(to, pattern, width, height, pitch)?;
    if captured {
        return capture::add(target, Work::Fill(fill));
    }
    let bytes = fill.span()?;
    let allocation = SPACE.find(to, bytes)?;
    if !reach::may(&target.life, &allocation) || allocation.read_only() {
        return Err(INVALID);
    }
    target.submit_sized(bytes, move || fill.run()).map(drop)
}

driver! {
    /// Allocates rows that start at multiples of 512 bytes, for elements of 4, 8 or 16 bytes.
    fn cuMemAllocPitch_v2(
        dptr: *mut CUdeviceptr,
        pPitch: *mut usize,
        WidthInBytes: usize,
        Height: usize,
        ElementSizeBytes: c_uint,
    ) [needs_current] {
        let life = stack::current_home()?;
        entry::write_optional(pPitch, 0);
        entry::wanted(dptr)?;
        entry::wanted(pPitch)?;
        let element = matches!(ElementSizeBytes, 4 | 8 | 16);
        if WidthInBytes == 0 || Height == 0 || !element {
            return Err(INVALID);
        }
        let pitch = WidthInBytes.checked_next_multiple_of(PITCH).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let bytes = pitch.checked_mul(Height).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        entry::write(pPitch, pitch)?;
        entry::write(dptr, allocate(&life, bytes)?)
    }
    /// Copies rows.
    fn cuMemcpy2D_v2(pCopy: *const CUDA_MEMCPY2D) [needs_current] {
        copy(&usable::null()?, pCopy, false)
    }
    /// The same.
    fn cuMemcpy2DUnaligned_v2(pCopy: *const CUDA_MEMCPY2D) [needs_current] {
        copy(&usable::null()?, pCopy, false)
    }
    /// Copies rows, in the order of a stream.
    fn cuMemcpy2DAsync_v2(pCopy: *const CUDA_MEMCPY2D, hStream: CUstream) [zero_is_current(1)] {
        copy(&usable::target(hStream)?, pCopy, true)
    }
    /// Copies planes of rows.
    fn cuMemcpy3D_v2(pCopy: *const CUDA_MEMCPY3D) [needs_current] {
        copy(&usable::null()?, pCopy, false)
    }
    /// Copies planes of rows, in the order of a stream.
    fn cuMemcpy3DAsync_v2(pCopy: *const CUDA_MEMCPY3D, hStream: CUstream) [zero_is_current(1)] {
        copy(&usable::target(hStream)?, pCopy, true)
    }
    /// Copies planes of rows between contexts, whose addresses say all there is to say.
    fn cuMemcpy3DPeer(pCopy: *const CUDA_MEMCPY3D_PEER) [needs_current] {
        copy_peer(&usable::null()?, pCopy, false)
    }
    /// The same, in the order of a stream that is not captured (F334).
    fn cuMemcpy3DPeerAsync(pCopy: *const CUDA_MEMCPY3D_PEER, hStream: CUstream) [
        zero_is_current(1),
    ] {
        let target = usable::target(hStream)?;
        crate::calls::capture::refuse(&target)?;
        copy_peer(&target, pCopy, true)
    }
    /// Fills rows of bytes.
    fn cuMemsetD2D8_v2(dstDevice: CUdeviceptr, dstPitch: usize, uc: c_uchar, Width: usize, Height: usize) [
        needs_current,
    ] {
        fill(&usable::null()?, dstDevice, dstPitch, Pattern::new(uc.into(), 1)?, Width, Height)
    }
    /// Fills rows of 16-bit values.
    fn cuMemsetD2D16_v2(dstDevice: CUdeviceptr, dstPitch: usize, us: c_ushort, Width: usize, Height: usize) [
        needs_current,
    ] {
        fill(&usable::null()?, dstDevice, dstPitch, Pattern::new(us.into(), 2)?, Width, Height)
    }
    /// Fills rows of 32-bit values.
    fn cuMemsetD2D32_v2(dstDevice: CUdeviceptr, dstPitch: usize, ui: c_uint, Width: usize, Height: usize) [
        needs_current,
    ] {
        fill(&usable::null()?, dstDevice, dstPitch, Pattern::new(ui, 4)?, Width, Height)
    }
    /// Fills rows of bytes, in the order of a stream.
    fn cuMemsetD2D8Async(
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        uc: c_uchar,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) {
        let pattern = Pattern::new(uc.into(), 1)?;
        fill(&usable::target(hStream)?, dstDevice, dstPitch, pattern, Width, Height)
    }
    /// Fills rows of 16-bit values, in the order of a stream.
    fn cuMemsetD2D16Async(
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        us: c_ushort,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) {
        let pattern = Pattern::new(us.into(), 2)?;
        fill(&usable::target(hStream)?, dstDevice, dstPitch, pattern, Width, Height)
    }
    /// Fills rows of 32-bit values, in the order of a stream.
    fn cuMemsetD2D32Async(
        dstDevice: CUdeviceptr,
        dstPitch: usize,
        ui: c_uint,
        Width: usize,
        Height: usize,
        hStream: CUstream,
    ) {
        let pattern = Pattern::new(ui, 4)?;
        fill(&usable::target(hStream)?, dstDevice, dstPitch, pattern, Width, Height)
    }
}
