//! Arrays: texels that copies reach by their coordinates, and kernels by textures and surfaces (F360 to F365).
//!
//! The texels lie row by row in an allocation of the address space, whose address the program is never told.

pub(crate) mod mipmap;
pub(crate) mod shape;
pub(crate) mod texture;

use crate::entry::Answer;
use crate::model::external::memory::ExternalMemory;
use crate::model::life::Life;
use crate::model::memory::allocation::{Allocation, Kind};
use crate::model::memory::space::SPACE;
use crate::model::memory::storage::Storage;
use crate::registry::Registry;
use crate::sticky;
use cuscope_ptx::run::{Channel, Image};
use cuscope_sys::*;
use std::sync::Arc;
use std::sync::LazyLock;

/// Arrays, the levels of mipmapped ones included.
pub(crate) static ARRAYS: LazyLock<Registry<Array>> = LazyLock::new(|| Registry::new(0x4d));

/// An array.
pub(crate) struct Array {
    pub(crate) life: Arc<Life>,
    /// As it was asked for.
    pub(crate) descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    /// Whether it is a level of a mipmapped array, and ends with that.
    pub(crate) is_level: bool,
    /// Its texels.
    pub(crate) image: Image,
}

impl Array {
    /// The bytes of a row, the rows of a plane, and the planes, layers or faces.
    pub(crate) fn extent(&self) -> [usize; 3] {
        let [_, height, depth] = self.image.size.map(|size| size as usize);
        [self.image.pitch as usize, height, depth * self.image.layers as usize]
    }

    /// Ends an array of an object of graphics for all new uses, and gives its memory for the rest.
    pub(crate) fn retire(&self) -> Answer<Arc<Allocation>> {
        let allocation = SPACE.exactly(self.image.base, Kind::Array)?;
        SPACE.retire(&allocation)?;
        Ok(allocation)
    }

    /// Ends what was taken out of the registry, once all work of the context is finished.
    pub(crate) fn end(&self) -> Answer {
        let allocation = self.retire()?;
        self.life.synchronize()?;
        SPACE.take(&allocation);
        Ok(())
    }
}

/// The array of a handle: 400 for what is none, 709 if its context was destroyed.
pub(crate) fn find(handle: CUarray) -> Answer<Arc<Array>> {
    let array = ARRAYS.get(handle.addr()).ok_or(CUDA_ERROR_INVALID_HANDLE)?;
    sticky::check_found(array.life.check())?;
    Ok(array)
}

/// The channel of a format; INVALID_VALUE for one that no array here has.
pub(crate) fn channel(format: CUarray_format) -> Answer<Channel> {
    Ok(match format {
        CU_AD_FORMAT_UNSIGNED_INT8 => Channel::U8,
        CU_AD_FORMAT_UNSIGNED_INT16 => Channel::U16,
        CU_AD_FORMAT_UNSIGNED_INT32 => Channel::U32,
        CU_AD_FORMAT_SIGNED_INT8 => Channel::S8,
        CU_AD_FORMAT_SIGNED_INT16 => Channel::S16,
        CU_AD_FORMAT_SIGNED_INT32 => Channel::S32,
        CU_AD_FORMAT_HALF => Channel::F16,
        CU_AD_FORMAT_FLOAT => Channel::F32,
        _ => return Err(CUDA_ERROR_INVALID_VALUE),
    })
}

/// The memory of a new array.
pub(crate) enum Within<'a> {
    /// Its own.
    Own,
    /// Imported memory, from an offset on, which moves behind the array.
    Imported(&'a ExternalMemory, &'a mut u64),
    /// That of an object of graphics, from an offset on.
    Object(&'a Arc<Storage>, usize),
}

/// The bytes of a row of an array, and of all its rows; OUT_OF_MEMORY if there are too many.
pub(crate) fn bytes(descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> Answer<(usize, usize)> {
    let none = CUDA_ERROR_OUT_OF_MEMORY;
    let texel = descriptor.NumChannels as usize * channel(descriptor.Format)?.bytes();
    let pitch = descriptor.Width.checked_mul(texel).ok_or(none)?;
    let rows = descriptor.Height.max(1).checked_mul(descriptor.Depth.max(1)).ok_or(none)?;
    Ok((pitch, pitch.checked_mul(rows).ok_or(none)?))
}

/// Makes an array of a shape that was checked.
pub(crate) fn make(
    life: &Arc<Life>,
    descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    is_level: bool,
    within: Within<'_>,
) -> Answer<CUarray> {
    let channel = channel(descriptor.Format)?;
    let channels = descriptor.NumChannels as usize;
    let [width, height, depth] =
        [descriptor.Width, descriptor.Height.max(1), descriptor.Depth.max(1)];
    let layered = descriptor.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP) != 0;
    let (depth, layers) = if layered { (1, depth) } else { (depth, 1) };
    let (pitch, bytes) = bytes(&descriptor)?;
    let base = match within {
        Within::Own => SPACE.allocate(life, bytes, Kind::Array)?,
        Within::Object(memory, offset) => SPACE.lend(life, Kind::Array, memory, offset, bytes)?,
        Within::Imported(memory, offset) => {
            let base = memory.map(Kind::Array, *offset, bytes as u64)?;
            *offset += bytes as u64;
            base
        }
    };
    let image = Image {
        base,
        channel,
        channels,
        size: [width, height, depth].map(|size| size as u32),
        layers: layers as u32,
        pitch: pitch as u64,
    };
    let array = Array { life: life.clone(), descriptor, is_level, image };
    let (handle, _) = ARRAYS.insert(|_| array);
    Ok(std::ptr::without_provenance_mut(handle))
}
