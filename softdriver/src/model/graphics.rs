//! Resources of graphics (F471, F473 to F482). The objects are those of [`gl`](crate::gl).

use crate::entry::Answer;
use crate::gl::{Image, Inner};
use crate::model::array;
use crate::model::array::ARRAYS;
use crate::model::array::Within;
use crate::model::array::mipmap::MIPMAPPED_ARRAYS;
use crate::model::array::mipmap::join_levels;
use crate::model::life::Life;
use crate::model::memory::allocation::{Allocation, Kind};
use crate::model::memory::space::SPACE;
use crate::registry::Registry;
use crate::sync;
use core::ffi::c_uint;
use cuscope_sys::*;
use std::ptr;
use std::sync::LazyLock;
use std::sync::{Arc, Mutex};

pub(crate) const INVALID: CUresult = CUDA_ERROR_INVALID_VALUE;

/// Held while several resources are mapped or unmapped at once.
pub(crate) static SEVERAL: Mutex<()> = Mutex::new(());

/// Registered resources of graphics.
pub(crate) static RESOURCES: LazyLock<Registry<Resource>> = LazyLock::new(|| Registry::new(0x63));

/// A registered object.
pub(crate) struct Resource {
    pub(crate) life: Arc<Life>,
    pub(crate) object: Arc<Inner>,
    /// The flags of its arrays.
    pub(crate) flags: c_uint,
    /// An image of EGL is mapped as long as it is registered.
    pub(crate) egl: bool,
    pub(crate) mapping: Mutex<Option<Mapping>>,
}

/// A resource that is mapped.
pub(crate) enum Mapping {
    Buffer(Arc<Allocation>),
    Image(Arrays),
    /// It was not unmapped, and never will be (F477).
    Stuck,
}

/// The handles of what is lent of an image.
#[derive(Default)]
pub(crate) struct Arrays {
    /// Of each layer and level, those of a layer after each other.
    single: Vec<usize>,
    /// Of each level with all its layers, and of all levels as one, once that was asked for.
    levels: Option<(Vec<usize>, usize)>,
}

impl Resource {
    /// Whether its context goes on.
    pub(crate) fn alive(&self) -> bool {
        self.life.alive()
    }

    /// Whether it maps the object, and that is not to be used elsewhere.
    pub(crate) fn maps(&self, object: &Inner) -> bool {
        let same = ptr::eq(&*self.object, object) && !self.egl && self.alive();
        same && matches!(*sync::lock(&self.mapping), Some(Mapping::Buffer(_) | Mapping::Image(_)))
    }

    /// Maps it.
    pub(crate) fn map(&self) -> Answer<Mapping> {
        let parts = self.object.parts();
        let Some(image) = self.object.as_image() else {
            let space = &*SPACE;
            let (memory, bytes) = (&parts[0], parts[0].len());
            let base = space.lend(&self.life, Kind::Graphics, memory, 0, bytes)?;
            return Ok(Mapping::Buffer(space.exactly(base, Kind::Graphics)?));
        };
        let make = |index: usize| {
            let (layer, level) = (index / image.levels, index % image.levels);
            let within = Within::Object(&parts[level], layer * image.layer_bytes(level)?);
            let level = image.level(level, self.flags);
            array::make(&self.life, level, true, within).map(|array| array.addr())
        };
        let single = (0..image.layers * image.levels).map(make).collect::<Answer<_>>()?;
        Ok(Mapping::Image(Arrays { single, levels: None }))
    }

    /// Its arrays.
    fn arrays<R>(&self, f: impl FnOnce(&Image, &mut Arrays) -> Answer<R>) -> Answer<R> {
        match (&mut *sync::lock(&self.mapping), self.object.as_image()) {
            (None | Some(Mapping::Stuck), _) => Err(CUDA_ERROR_NOT_MAPPED),
            (Some(Mapping::Image(arrays)), Some(image)) => f(image, arrays),
            _ => Err(CUDA_ERROR_NOT_MAPPED_AS_ARRAY),
        }
    }

    /// The array of a layer and a level.
    pub(crate) fn array(&self, layer: c_uint, level: c_uint) -> Answer<CUarray> {
        let (layer, level) = (layer as usize, level as usize);
        self.arrays(|image, arrays| {
            if layer >= image.layers || level >= image.levels {
                return Err(INVALID);
            }
            let array = arrays.single.get(layer * image.levels + level).ok_or(INVALID)?;
            Ok(ptr::without_provenance_mut(*array))
        })
    }

    /// All levels, each with all layers.
    pub(crate) fn levels(&self) -> Answer<CUmipmappedArray> {
        if self.egl {
            return Err(CUDA_ERROR_UNKNOWN);
        }
        self.arrays(|image, arrays| {
            if let Some((_, all)) = arrays.levels {
                return Ok(ptr::without_provenance_mut(all));
            }
            let make = |(level, memory)| {
                let level = image.layers_of(level, self.flags);
                let array = array::make(&self.life, level, true, Within::Object(memory, 0))?;
                Ok(array.addr())
            };
            let levels: Vec<usize> =
                self.object.parts().iter().enumerate().map(make).collect::<Answer<_>>()?;
            let all = join_levels(&self.life, levels.clone());
            arrays.levels = Some((levels, all));
            Ok(ptr::without_provenance_mut(all))
        })
    }

    /// Ends its mapping for all new uses, and gives the memory for the rest.
    pub(crate) fn end_mapping(&self) -> Answer<Vec<Arc<Allocation>>> {
        sync::lock(&self.mapping).take().map_or(Ok(Vec::new()), Mapping::retire)
    }
}

impl Mapping {
    /// Ends it for all new uses, and gives the memory for the rest.
    fn retire(self) -> Answer<Vec<Arc<Allocation>>> {
        match self {
            Self::Buffer(allocation) => {
                SPACE.retire(&allocation)?;
                Ok(vec![allocation])
            }
            Self::Stuck => Ok(Vec::new()),
            Self::Image(Arrays { single, levels }) => {
                let (levels, all) = levels.unzip();
                drop(all.and_then(|all| MIPMAPPED_ARRAYS.remove(all)));
                let arrays = single.into_iter().chain(levels.into_iter().flatten());
                let arrays = arrays.filter_map(|array| ARRAYS.remove(array));
                arrays.map(|array| array.retire()).collect()
            }
        }
    }
}
