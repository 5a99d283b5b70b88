//! Copies of rows and of planes of rows, fills of rows, and memory for them (F258, F259).
#![allow(unsafe_code, reason = "exported functions; copies through the caller's host pointers")]

use super::copy::{Place, Transfer, wait_as};
use super::set::Pattern;
use super::space::Kind;
use super::storage::Storage;
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::graph::{Fill, Work};
use crate::stream::{self, Target};
use crate::{capture, peer, plan, stack};
use core::ffi::{c_uchar, c_uint, c_ushort, c_void};
use cuscope_sys::*;

/// Rows start at multiples of this.
const PITCH: usize = 512;

const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// What is copied: bytes of a row, rows, planes.
#[derive(Clone, Copy)]
struct Extent {
    width: usize,
    height: usize,
    depth: usize,
}

/// An end of a copy, as the caller describes it.
struct Asked {
    kind: CUmemorytype,
    host: *const c_void,
    memory: CUdeviceptr,
    /// Where it begins: bytes, rows, planes.
    from: [usize; 3],
    /// Bytes from row to row, and rows from plane to plane; 0 for as many as are copied.
    pitch: usize,
    rows: usize,
}

/// An end of a copy: where its first row is, and the bytes from row to row and from plane to plane.
#[derive(Clone, Copy)]
struct End {
    start: Place,
    pitch: usize,
    plane: usize,
}

/// An address behind another.
fn behind(place: Place, bytes: usize) -> Place {
    match place {
        Place::Known(address) => Place::Known(address + bytes as u64),
        Place::Pageable(address) => Place::Pageable(address + bytes),
    }
}

impl Asked {
    /// The end, which has to have room for the extent.
    fn end(&self, extent: Extent) -> Answer<End> {
        let [x, y, z] = self.from;
        let row = x.checked_add(extent.width).ok_or(INVALID)?;
        let rows = y.checked_add(extent.height).ok_or(INVALID)?;
        let pitch = if self.pitch == 0 { row } else { self.pitch };
        let height = if self.rows == 0 { rows } else { self.rows };
        if row > pitch || rows > height {
            return Err(INVALID);
        }
        let plane = pitch.checked_mul(height).ok_or(INVALID)?;
        let offset = |x: usize, y: usize, z: usize| {
            let before = z.checked_mul(plane)?.checked_add(y.checked_mul(pitch)?)?;
            before.checked_add(x)
        };
        let first = offset(x, y, z).ok_or(INVALID)?;
        let last = offset(0, extent.height - 1, extent.depth - 1);
        let bytes = last.and_then(|last| last.checked_add(extent.width)).ok_or(INVALID)?;
        let address = match self.kind {
            CU_MEMORYTYPE_HOST => self.host.expose_provenance() as u64,
            CU_MEMORYTYPE_DEVICE | CU_MEMORYTYPE_UNIFIED => self.memory,
            CU_MEMORYTYPE_ARRAY if self.memory == 0 && self.host.is_null() => return Err(INVALID),
            _ => return Err(INVALID),
        };
        if address == 0 {
            return Err(INVALID);
        }
        let start = address.checked_add(first as u64).ok_or(INVALID)?;
        let start = match state().space.find(start, 1) {
            Ok(known) if known.holds(start, bytes) => Place::Known(start),
            Ok(_) => return Err(INVALID),
            Err(_) if self.kind == CU_MEMORYTYPE_DEVICE => return Err(INVALID),
            Err(_) => Place::Pageable(start as usize),
        };
        Ok(End { start, pitch, plane })
    }
}

impl End {
    /// Whether the program sees it too, so that a copy which is not asynchronous waits.
    fn is_host(&self) -> bool {
        match self.start {
            Place::Pageable(_) => true,
            Place::Known(address) => {
                state().space.find(address, 1).is_ok_and(|one| one.kind.is_host())
            }
        }
    }

    fn is_pageable(&self) -> bool {
        matches!(self.start, Place::Pageable(_))
    }

    fn row(&self, y: usize, z: usize) -> Place {
        behind(self.start, z * self.plane + y * self.pitch)
    }
}

/// Copies, a row at a time by way of memory of its own.
fn run(to: End, from: End, extent: Extent) -> Answer {
    plan::slow_copy();
    let staged = Storage::device(extent.width).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
    for z in 0..extent.depth {
        for y in 0..extent.height {
            Transfer::new(to.row(y, z), from.row(y, z), extent.width).run_through(&staged)?;
        }
    }
    Ok(())
}

/// Copies in a stream; what is not asynchronous waits where the host is involved.
fn copy(target: &Target, to: &Asked, from: &Asked, extent: Extent, later: bool) -> Answer {
    let captured = capture::takes(target)?;
    if extent.width == 0 || extent.height == 0 || extent.depth == 0 {
        return Ok(());
    }
    let (to, from) = (to.end(extent)?, from.end(extent)?);
    if captured {
        if extent.height * extent.depth > 1 {
            return Err(CUDA_ERROR_NOT_SUPPORTED);
        }
        let row = Transfer::new(to.start, from.start, extent.width);
        return capture::add(target, Work::Copy(row));
    }
    let pageable = to.is_pageable() || from.is_pageable();
    let wait = pageable || !later && (to.is_host() || from.is_host());
    let bytes = extent.width.saturating_mul(extent.height).saturating_mul(extent.depth);
    let work = move || run(to, from, extent);
    let ticket = target.submit_sized(if wait { 0 } else { bytes }, work)?;
    wait_as(pageable, wait, &ticket)
}

/// Copies rows.
fn copy_2d(target: &Target, params: *const CUDA_MEMCPY2D, later: bool) -> Answer {
    let params = entry::read(params)?;
    let extent = Extent { width: params.WidthInBytes, height: params.Height, depth: 1 };
    let from = Asked {
        kind: params.srcMemoryType,
        host: params.srcHost,
        memory: params.srcDevice,
        from: [params.srcXInBytes, params.srcY, 0],
        pitch: params.srcPitch,
        rows: 0,
    };
    let to = Asked {
        kind: params.dstMemoryType,
        host: params.dstHost,
        memory: params.dstDevice,
        from: [params.dstXInBytes, params.dstY, 0],
        pitch: params.dstPitch,
        rows: 0,
    };
    copy(target, &to, &from, extent, later)
}

/// Copies planes of rows: the parameters of both structures have the same names.
macro_rules! copy_3d {
    ($target:expr, $params:expr, $later:expr) => {{
        let params = entry::read($params)?;
        let (width, height, depth) = (params.WidthInBytes, params.Height, params.Depth);
        let from = Asked {
            kind: params.srcMemoryType,
            host: params.srcHost,
            memory: params.srcDevice,
            from: [params.srcXInBytes, params.srcY, params.srcZ],
            pitch: params.srcPitch,
            rows: params.srcHeight,
        };
        let to = Asked {
            kind: params.dstMemoryType,
            host: params.dstHost,
            memory: params.dstDevice,
            from: [params.dstXInBytes, params.dstY, params.dstZ],
            pitch: params.dstPitch,
            rows: params.dstHeight,
        };
        copy($target, &to, &from, Extent { width, height, depth }, $later)
    }};
}

/// Fills rows of `width` values. Of one row the pitch does not count.
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
    let row = width.checked_mul(pattern.size).ok_or(INVALID)?;
    let size = pattern.size as u64;
    if height > 1 && (pitch < row || !pitch.is_multiple_of(pattern.size)) {
        return Err(INVALID);
    }
    let fill = Fill::rows(to, pattern, width, height, pitch);
    if !to.is_multiple_of(size) {
        return Err(INVALID);
    }
    let before = if height > 1 { pitch.checked_mul(height - 1).ok_or(INVALID)? } else { 0 };
    let bytes = before.checked_add(row).ok_or(INVALID)?;
    let allocation = state().space.find(to, bytes)?;
    if !peer::may(&target.life, &allocation) {
        return Err(INVALID);
    }
    if captured {
        return capture::add(target, Work::Fill(fill));
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
    ) {
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
        entry::write(dptr, state().space.allocate(&life, bytes, Kind::Device)?)
    }
    /// Copies rows.
    fn cuMemcpy2D_v2(pCopy: *const CUDA_MEMCPY2D) {
        copy_2d(&stream::null()?, pCopy, false)
    }
    /// The same.
    fn cuMemcpy2DUnaligned_v2(pCopy: *const CUDA_MEMCPY2D) {
        copy_2d(&stream::null()?, pCopy, false)
    }
    /// Copies rows, in the order of a stream.
    fn cuMemcpy2DAsync_v2(pCopy: *const CUDA_MEMCPY2D, hStream: CUstream) {
        copy_2d(&stream::target(hStream)?, pCopy, true)
    }
    /// Copies planes of rows.
    fn cuMemcpy3D_v2(pCopy: *const CUDA_MEMCPY3D) {
        copy_3d!(&stream::null()?, pCopy, false)
    }
    /// Copies planes of rows, in the order of a stream.
    fn cuMemcpy3DAsync_v2(pCopy: *const CUDA_MEMCPY3D, hStream: CUstream) {
        copy_3d!(&stream::target(hStream)?, pCopy, true)
    }
    /// Copies planes of rows between contexts, whose addresses say all there is to say.
    fn cuMemcpy3DPeer(pCopy: *const CUDA_MEMCPY3D_PEER) {
        copy_3d!(&stream::null()?, pCopy, false)
    }
    /// The same, in the order of a stream.
    fn cuMemcpy3DPeerAsync(pCopy: *const CUDA_MEMCPY3D_PEER, hStream: CUstream) {
        copy_3d!(&stream::target(hStream)?, pCopy, true)
    }
    /// Fills rows of bytes.
    fn cuMemsetD2D8_v2(dstDevice: CUdeviceptr, dstPitch: usize, uc: c_uchar, Width: usize, Height: usize) {
        fill(&stream::null()?, dstDevice, dstPitch, Pattern::new(uc.into(), 1)?, Width, Height)
    }
    /// Fills rows of 16-bit values.
    fn cuMemsetD2D16_v2(dstDevice: CUdeviceptr, dstPitch: usize, us: c_ushort, Width: usize, Height: usize) {
        fill(&stream::null()?, dstDevice, dstPitch, Pattern::new(us.into(), 2)?, Width, Height)
    }
    /// Fills rows of 32-bit values.
    fn cuMemsetD2D32_v2(dstDevice: CUdeviceptr, dstPitch: usize, ui: c_uint, Width: usize, Height: usize) {
        fill(&stream::null()?, dstDevice, dstPitch, Pattern::new(ui, 4)?, Width, Height)
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
        fill(&stream::target(hStream)?, dstDevice, dstPitch, pattern, Width, Height)
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
        fill(&stream::target(hStream)?, dstDevice, dstPitch, pattern, Width, Height)
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
        fill(&stream::target(hStream)?, dstDevice, dstPitch, pattern, Width, Height)
    }
}
