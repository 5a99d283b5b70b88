//! Mipmapped arrays: levels, each half as large as the one before.

use crate::entry::Answer;
use crate::model::array::ARRAYS;
use crate::model::array::shape::Shape;
use crate::model::array::{Array, Within, make};
use crate::model::external::memory::ExternalMemory;
use crate::model::life::Life;
use crate::registry::Registry;
use crate::sticky;
use core::ffi::c_uint;
use cuscope_sys::*;
use std::sync::Arc;
use std::sync::LazyLock;

/// Mipmapped arrays.
pub(crate) static MIPMAPPED_ARRAYS: LazyLock<Registry<MipmappedArray>> =
    LazyLock::new(|| Registry::new(0x4e));

/// A mipmapped array.
pub(crate) struct MipmappedArray {
    pub(crate) life: Arc<Life>,
    /// The handles of its levels.
    pub(crate) levels: Vec<usize>,
}

impl MipmappedArray {
    /// Its levels.
    pub(crate) fn levels(&self) -> Answer<Vec<Arc<Array>>> {
        let of = |handle: &usize| ARRAYS.get(*handle).ok_or(CUDA_ERROR_INVALID_HANDLE);
        self.levels.iter().map(of).collect()
    }

    /// Ends its levels.
    pub(crate) fn end(&self) -> Answer {
        let levels: Vec<_> = self.levels.iter().filter_map(|&level| ARRAYS.remove(level)).collect();
        levels.iter().try_for_each(|level| level.end())
    }
}

/// The mipmapped array of a handle.
pub(crate) fn find(handle: CUmipmappedArray) -> Answer<Arc<MipmappedArray>> {
    let array = MIPMAPPED_ARRAYS.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
    sticky::check_found(array.life.check())?;
    Ok(array)
}

/// The levels until all extents are 1.
pub(crate) fn most(first: &CUDA_ARRAY3D_DESCRIPTOR, shape: Shape) -> c_uint {
    let greatest = match shape {
        Shape::D3 => first.Width.max(first.Height).max(first.Depth),
        _ => first.Width.max(first.Height),
    };
    greatest.ilog2() + 1
}

/// Makes levels, in imported memory from an offset on or in memory of their own.
pub(crate) fn levels(
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
    let (handle, _) = MIPMAPPED_ARRAYS.insert(|_| array);
    Ok(std::ptr::without_provenance_mut(handle))
}

/// Joins arrays as the levels of one, which goes without them.
pub(crate) fn join_levels(life: &Arc<Life>, levels: Vec<usize>) -> usize {
    let array = MipmappedArray { life: life.clone(), levels };
    MIPMAPPED_ARRAYS.insert(|_| array).0
}
