//! Mipmapped arrays: levels, each half as large as the one before.
#![allow(unsafe_code, reason = "exported functions")]

use super::shape::{self, Shape};
use super::{Array, Within, make};
use crate::driver::driver as state;
use crate::entry::{self, Answer, driver};
use crate::external::ExternalMemory;
use crate::life::Life;
use crate::{device, stack, sticky};
use core::ffi::c_uint;
use cuscope_sys::*;
use std::sync::Arc;

/// A mipmapped array.
pub(crate) struct MipmappedArray {
    pub(crate) life: Arc<Life>,
    /// The handles of its levels.
    levels: Vec<usize>,
}

impl MipmappedArray {
    /// Its levels.
    pub(super) fn levels(&self) -> Answer<Vec<Arc<Array>>> {
        let of = |handle: &usize| state().arrays.get(*handle).ok_or(CUDA_ERROR_INVALID_HANDLE);
        self.levels.iter().map(of).collect()
    }

    /// Ends its levels.
    fn end(&self) -> Answer {
        let levels: Vec<_> =
            self.levels.iter().filter_map(|&level| state().arrays.remove(level)).collect();
        levels.iter().try_for_each(|level| level.end())
    }
}

/// The mipmapped array of a handle.
pub(super) fn find(handle: CUmipmappedArray) -> Answer<Arc<MipmappedArray>> {
    let array = state().mipmapped_arrays.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
    sticky::check_found(array.life.check())?;
    Ok(array)
}

/// The levels until all extents are 1.
fn most(first: &CUDA_ARRAY3D_DESCRIPTOR, shape: Shape) -> c_uint {
    let greatest = match shape {
        Shape::D3 => first.Width.max(first.Height).max(first.Depth),
        _ => first.Width.max(first.Height),
    };
    greatest.ilog2() + 1
}

/// Makes levels, in imported memory from an offset on or in memory of their own.
fn levels(
    life: &Arc<Life>,
    first: CUDA_ARRAY3D_DESCRIPTOR,
    shape: Shape,
    count: c_uint,
    mut within: Option<(&ExternalMemory, u64)>,
) -> Answer<CUmipmappedArray> {
    let count = count.clamp(1, most(&first, shape));
    let half = |extent: usize, level: u32| match extent {
        0 => 0,
        _ => (extent >> level).max(1),
    };
    let mut array = MipmappedArray { life: life.clone(), levels: Vec::new() };
    for level in 0..count {
        let depth = if shape == Shape::D3 { half(first.Depth, level) } else { first.Depth };
        let one = CUDA_ARRAY3D_DESCRIPTOR {
            Width: half(first.Width, level),
            Height: half(first.Height, level),
            Depth: depth,
            ..first
        };
        let within = match &mut within {
            None => Within::Own,
            Some((memory, offset)) => Within::Imported(memory, offset),
        };
        match make(life, one, true, within) {
            Ok(handle) => array.levels.push(handle.addr()),
            Err(code) => {
                let _ended = array.end();
                return Err(code);
            }
        }
    }
    let (handle, _) = state().mipmapped_arrays.insert(|_| array);
    Ok(std::ptr::without_provenance_mut(handle))
}

/// Joins arrays as the levels of one, which goes without them.
pub(crate) fn join_levels(life: &Arc<Life>, levels: Vec<usize>) -> usize {
    let array = MipmappedArray { life: life.clone(), levels };
    state().mipmapped_arrays.insert(|_| array).0
}

/// Maps levels into imported memory.
pub(crate) fn map_levels(
    memory: &ExternalMemory,
    offset: u64,
    first: CUDA_ARRAY3D_DESCRIPTOR,
    count: c_uint,
) -> Answer<CUmipmappedArray> {
    let life = memory.life();
    let shape = shape::check(&first, life.device, true)?;
    // Here more levels than there are do not stand for all of them (F465).
    if count == 0 || count > most(&first, shape) {
        return Err(CUDA_ERROR_INVALID_VALUE);
    }
    levels(&life, first, shape, count, Some((memory, offset)))
}

driver! {
    /// A mipmapped array: of no more levels than there are until all extents are 1 (F361).
    fn cuMipmappedArrayCreate(
        pHandle: *mut CUmipmappedArray,
        pMipmappedArrayDesc: *const CUDA_ARRAY3D_DESCRIPTOR,
        numMipmapLevels: c_uint,
    ) [needs_current, no_capture_in_context] {
        let life = stack::current_home()?;
        entry::wanted(pHandle)?;
        let first = entry::read(pMipmappedArrayDesc)?;
        let shape = shape::check(&first, life.device, true)?;
        entry::write(pHandle, levels(&life, first, shape, numMipmapLevels, None)?)
    }
    /// A level, by a handle that is the same each time.
    fn cuMipmappedArrayGetLevel(
        pLevelArray: *mut CUarray,
        hMipmappedArray: CUmipmappedArray,
        level: c_uint,
    ) {
        let array = find(hMipmappedArray)?;
        let level = array.levels.get(level as usize).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        entry::write(pLevelArray, std::ptr::without_provenance_mut(*level))
    }
    /// Destroys one with its levels.
    fn cuMipmappedArrayDestroy(hMipmappedArray: CUmipmappedArray) [no_capture] {
        find(hMipmappedArray)?;
        let removed = state().mipmapped_arrays.remove(hMipmappedArray.addr());
        removed.map_or(Err(CUDA_ERROR_INVALID_HANDLE), |array| array.end())
    }
    /// As for arrays.
    fn cuMipmappedArrayGetMemoryRequirements(
        memoryRequirements: *mut CUDA_ARRAY_MEMORY_REQUIREMENTS,
        mipmap: CUmipmappedArray,
        device: CUdevice,
    ) {
        entry::wanted(memoryRequirements)?;
        device::device(device)?;
        find(mipmap)?;
        Err(CUDA_ERROR_INVALID_VALUE)
    }
    /// As for arrays.
    fn cuMipmappedArrayGetSparseProperties(
        sparseProperties: *mut CUDA_ARRAY_SPARSE_PROPERTIES,
        mipmap: CUmipmappedArray,
    ) {
        entry::wanted(sparseProperties)?;
        find(mipmap)?;
        Err(CUDA_ERROR_INVALID_VALUE)
    }
}
