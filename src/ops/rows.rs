//! Copies of rows and of planes of rows, between ends of one extent.
#![allow(unsafe_code, reason = "calls the driver")]

use super::zeros;
use crate::call::{Answer, answer, name};
use crate::memory::access::Access;
use crate::memory::grid::{Extent, Grid};
use ffi::{
    CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER, CUarray, CUcontext, CUdeviceptr,
    CUmemorytype, CUstream,
};
use std::ffi::c_void;
use std::ptr;

/// One end of a copy.
pub(super) struct End<'a> {
    kind: CUmemorytype,
    device: CUdeviceptr,
    host: *mut c_void,
    array: CUarray,
    /// Where it begins in the array: bytes of a row, rows and planes.
    at: [usize; 3],
    /// Packed rows, without one.
    grid: Option<&'a Grid>,
}

impl<'a> End<'a> {
    pub(super) fn device(access: &Access<'a>) -> Self {
        let (kind, device, grid) = (ffi::CU_MEMORYTYPE_DEVICE, access.address, access.grid);
        let end =
            End { kind, device, host: ptr::null_mut(), array: ptr::null_mut(), at: [0; 3], grid };
        match grid {
            Some(grid) if access.is_array() => {
                let (kind, array) = (ffi::CU_MEMORYTYPE_ARRAY, grid.raw_array());
                End { kind, device: 0, array, at: grid.place(device), ..end }
            }
            _ => end,
        }
    }

    /// Creates an end of packed rows on the host.
    pub(super) fn host(host: *const c_void) -> Self {
        let (kind, array, at) = (ffi::CU_MEMORYTYPE_HOST, ptr::null_mut(), [0; 3]);
        End { kind, device: 0, host: host.cast_mut(), array, at, grid: None }
    }

    /// Returns the array and the place in it, if it is one.
    pub(super) fn array(&self) -> Option<(CUarray, [usize; 3])> {
        (!self.array.is_null()).then_some((self.array, self.at))
    }

    /// Returns the address of memory of a device that is no array.
    pub(super) fn address(&self) -> CUdeviceptr {
        self.device
    }

    /// Returns the bytes from row to row, and the rows from plane to plane. Zeros stand for packed rows
    /// ([F258](crate::driver_facts#F258)).
    pub(super) fn layout(&self) -> (usize, usize) {
        match self.grid {
            Some(grid) if self.array.is_null() => (grid.pitch, grid.rows),
            _ => (0, 0),
        }
    }
}

/// Returns the parameters of a copy. `grid` has its extent, if an end has rows. `one` is the access of an end.
pub(super) fn params(
    from: &End<'_>,
    to: &End<'_>,
    grid: Option<&Grid>,
    one: &Access<'_>,
) -> CUDA_MEMCPY3D {
    let mut params: CUDA_MEMCPY3D = zeros();
    (params.WidthInBytes, params.Height, params.Depth) = match grid {
        Some(&Grid { extent: Extent { width, height, depth }, .. }) => {
            (width * one.element(), height, depth)
        }
        None => (one.bytes(), 1, 1),
    };
    (params.srcMemoryType, params.dstMemoryType) = (from.kind, to.kind);
    (params.srcDevice, params.dstDevice) = (from.device, to.device);
    (params.srcHost, params.dstHost) = (from.host, to.host);
    (params.srcArray, params.dstArray) = (from.array, to.array);
    [params.srcXInBytes, params.srcY, params.srcZ] = from.at;
    [params.dstXInBytes, params.dstY, params.dstZ] = to.at;
    (params.srcPitch, params.srcHeight) = from.layout();
    (params.dstPitch, params.dstHeight) = to.layout();
    params
}

/// Returns the name of the driver function that copies memory of this grid: arrays have places in planes.
#[inline]
pub(super) fn call_for(grid: &Grid) -> &'static str {
    match grid.extent.depth {
        1 if grid.array.is_none() => name!(cuMemcpy2DAsync_v2),
        _ => name!(cuMemcpy3DAsync_v2),
    }
}

/// Enqueues a copy with one call. No context need be current ([F34](crate::driver_facts#F34)).
///
/// # Safety
/// 1. The parameters are those of [`params`], for ends that have room for the copy and do not overlap.
/// 2. The stream is alive, and so is the memory of both ends. Until the stream is past the copy, nobody frees that,
///    writes the source or uses the destination.
#[inline(never)]
pub(super) unsafe fn enqueue(params: &CUDA_MEMCPY3D, stream: CUstream) -> Answer {
    let arrays = !(params.srcArray.is_null() && params.dstArray.is_null());
    if params.Depth > 1 || arrays {
        // SAFETY: the caller's obligations 1 and 2.
        return unsafe { answer!(cuMemcpy3DAsync_v2(params, stream)) };
    }
    let rows = CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: params.srcMemoryType,
        srcHost: params.srcHost,
        srcDevice: params.srcDevice,
        srcArray: ptr::null_mut(),
        srcPitch: params.srcPitch,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: params.dstMemoryType,
        dstHost: params.dstHost,
        dstDevice: params.dstDevice,
        dstArray: ptr::null_mut(),
        dstPitch: params.dstPitch,
        WidthInBytes: params.WidthInBytes,
        Height: params.Height,
    };
    // SAFETY: the same copy, in the form for one plane; the caller's obligations 1 and 2.
    unsafe { answer!(cuMemcpy2DAsync_v2(&raw const rows, stream)) }
}

/// Enqueues a copy from memory of the first context to memory of the second one, with one call. No context need be
/// current ([F342](crate::driver_facts#F342)).
///
/// # Safety
/// 1. The parameters are those of [`params`], for ends on devices that have room for the copy and do not overlap, and the
///    contexts are those of the ends, alive.
/// 2. The stream is alive, and so is the memory of both ends. Until the stream is past the copy, nobody frees that,
///    writes the source or uses the destination.
#[inline(never)]
pub(super) unsafe fn enqueue_peer(
    params: &CUDA_MEMCPY3D,
    [from, to]: [CUcontext; 2],
    stream: CUstream,
) -> Answer {
    let &CUDA_MEMCPY3D { WidthInBytes, Height, Depth, .. } = params;
    // The layout of packed rows in numbers, for which zeros stand in other copies.
    let or = |layout, packed| if layout == 0 { packed } else { layout };
    let mut peer: CUDA_MEMCPY3D_PEER = zeros();
    (peer.WidthInBytes, peer.Height, peer.Depth) = (WidthInBytes, Height, Depth);
    (peer.srcMemoryType, peer.dstMemoryType) = (params.srcMemoryType, params.dstMemoryType);
    (peer.srcDevice, peer.dstDevice) = (params.srcDevice, params.dstDevice);
    (peer.srcContext, peer.dstContext) = (from, to);
    (peer.srcPitch, peer.srcHeight) =
        (or(params.srcPitch, WidthInBytes), or(params.srcHeight, Height));
    (peer.dstPitch, peer.dstHeight) =
        (or(params.dstPitch, WidthInBytes), or(params.dstHeight, Height));
    // SAFETY: the caller's obligations 1 and 2.
    unsafe { answer!(cuMemcpy3DPeerAsync(&raw const peer, stream)) }
}
