//! Textures.
#![allow(unsafe_code, reason = "calls the driver")]
#![allow(non_snake_case, reason = "fields of cuda.h")]

use super::{Array, ArraySlice, MipmappedArray, Sampling, Surface, Texel};
use crate::brand::Brand;
use crate::call::same_context;
use crate::call::{answer, name};
use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::access::Access;
use crate::memory::object::Object;
use crate::memory::{DeviceBuffer, DeviceSlice, PitchedBuffer};
use crate::stack::PushedGuard;
use crate::sync::Arc;
use ffi::{
    CUDA_RESOURCE_DESC, CUDA_RESOURCE_DESC_v1_res, CUDA_RESOURCE_DESC_v1_res_array,
    CUDA_RESOURCE_DESC_v1_res_linear, CUDA_RESOURCE_DESC_v1_res_mipmap,
    CUDA_RESOURCE_DESC_v1_res_pitch2D, CUDA_RESOURCE_DESC_v1_res_reserved, CUarray, CUtexObject,
};
use static_assertions::assert_impl_all;
use std::fmt;
use std::ptr;

/// A texture: a way to read the texels of `M`, an [`Array`], a [`Surface`] of one, a [`MipmappedArray`], a [`DeviceBuffer`]
/// or a [`PitchedBuffer`]. It owns `M`, or borrows it if `M` is a reference.
///
/// [`PushedGuard::texture`] creates one. `&texture` is a kernel argument, and stands for a
/// [`TextureObject`](crate::kernel::TextureObject) in a signature. While a texture borrows its memory, nothing writes that.
/// To write memory that a texture owns, take it [back](Self::into_memory), or write it through
/// [`array_mut`](Texture::array_mut).
///
/// A texture caches what it reads. A kernel that writes the memory in the same launch makes its own fetches unspecified.
pub struct Texture<'ctx, M> {
    // Before the memory, which must live longer.
    pub(crate) object: Arc<Object>,
    pub(crate) memory: M,
    pub(crate) _brand: Brand<'ctx>,
}
assert_impl_all!(Texture<'static, Array<'static, f32>>: Send, Sync);

/// Memory that a [`Texture`] reads: an [`Array`], a [`Surface`] of one, a whole [`ArraySlice`] (such as a level), a
/// [`MipmappedArray`], a [`DeviceBuffer`], a [`DeviceSlice`] or a [`PitchedBuffer`], or a reference to one. Sealed.
#[diagnostic::on_unimplemented(
    message = "a texture cannot read `{Self}`",
    label = "expected an `Array`, a `MipmappedArray`, a `DeviceBuffer`, a `PitchedBuffer`, or a reference to one",
    note = "the elements are channels such as `f32` or `u8`, or arrays of two or four of them"
)]
pub trait TextureMemory<'ctx>: sealed::Memory {}

pub(crate) mod sealed {
    use super::*;

    /// The memory that the driver makes a texture of.
    #[derive(Clone, Copy)]
    pub enum Source {
        Array(CUarray),
        Mipmapped(ffi::CUmipmappedArray),
        Linear,
        /// A part of an array, which no texture reads.
        Part,
    }

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot implement `TextureMemory`, which is sealed",
        label = "only memory of texels does"
    )]
    pub trait Memory {
        #[doc(hidden)]
        type Texel: Texel;
        #[doc(hidden)]
        fn source(&self) -> Source;
        #[doc(hidden)]
        fn access(&self) -> Access<'_>;
    }
    #[diagnostic::do_not_recommend]
    impl<M: Memory> Memory for &M {
        type Texel = M::Texel;
        fn source(&self) -> Source {
            (**self).source()
        }
        fn access(&self) -> Access<'_> {
            (**self).access()
        }
    }

    macro_rules! memory {
        ($($memory:ty, |$this:ident| $source:expr;)*) => { $(
            #[diagnostic::do_not_recommend]
            impl<T: Texel> Memory for $memory {
                type Texel = T;
                fn source(&self) -> Source {
                    let $this = self;
                    $source
                }
                fn access(&self) -> Access<'_> {
                    self.used(false)
                }
            }
        )* };
    }
    memory! {
        Array<'_, T>, |this| Source::Array(this.raw());
        ArraySlice<'_, '_, T>, |this| {
            this.whole_array().map_or(Source::Part, |(array, _)| Source::Array(array))
        };
        MipmappedArray<'_, T>, |this| Source::Mipmapped(this.raw());
        DeviceBuffer<'_, T>, |_this| Source::Linear;
        DeviceSlice<'_, '_, T>, |_this| Source::Linear;
        PitchedBuffer<'_, T>, |_this| Source::Linear;
    }
}
use sealed::Source;

#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> TextureMemory<'ctx> for Surface<'ctx, Array<'ctx, T>> {}
#[diagnostic::do_not_recommend]
impl<T: Texel> sealed::Memory for Surface<'_, Array<'_, T>> {
    type Texel = T;
    fn source(&self) -> Source {
        sealed::Memory::source(&self.memory)
    }
    fn access(&self) -> Access<'_> {
        // A texture reads the array, not through the surface.
        sealed::Memory::access(&self.memory)
    }
}

#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> TextureMemory<'ctx> for Array<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> TextureMemory<'ctx> for ArraySlice<'_, 'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> TextureMemory<'ctx> for MipmappedArray<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> TextureMemory<'ctx> for DeviceBuffer<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> TextureMemory<'ctx> for DeviceSlice<'_, 'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, T: Texel> TextureMemory<'ctx> for PitchedBuffer<'ctx, T> {}
#[diagnostic::do_not_recommend]
impl<'ctx, M: TextureMemory<'ctx>> TextureMemory<'ctx> for &M {}

/// Returns the description of an array.
#[inline]
pub(super) fn of_array(array: CUarray) -> CUDA_RESOURCE_DESC {
    let mut resource = nothing();
    resource.res.array = CUDA_RESOURCE_DESC_v1_res_array { hArray: array };
    resource
}

/// Returns the description of an array that is null.
#[inline]
fn nothing() -> CUDA_RESOURCE_DESC {
    let reserved = CUDA_RESOURCE_DESC_v1_res_reserved { reserved: [0; 32] };
    let (resType, res) = (ffi::CU_RESOURCE_TYPE_ARRAY, CUDA_RESOURCE_DESC_v1_res { reserved });
    CUDA_RESOURCE_DESC { resType, res, flags: 0 }
}

/// Returns the description of what a texture reads.
fn resource<T: Texel>(source: Source, access: &Access<'_>) -> Result<CUDA_RESOURCE_DESC> {
    const CALL: &str = name!(cuTexObjectCreate);
    let (devPtr, format, numChannels) = (access.address, T::FORMAT, T::CHANNELS);
    let mut resource = nothing();
    match (source, access.grid) {
        (Source::Array(array), _) => resource = of_array(array),
        (Source::Mipmapped(hMipmappedArray), _) => {
            resource.resType = ffi::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
            resource.res.mipmap = CUDA_RESOURCE_DESC_v1_res_mipmap { hMipmappedArray };
        }
        (Source::Linear, None) => {
            resource.resType = ffi::CU_RESOURCE_TYPE_LINEAR;
            let sizeInBytes = access.bytes();
            resource.res.linear =
                CUDA_RESOURCE_DESC_v1_res_linear { devPtr, format, numChannels, sizeInBytes };
        }
        (Source::Linear, Some(grid)) => {
            if grid.extent.depth != 1 {
                let reason = format!(
                    "a texture reads one plane of rows, and the memory has {}: upload the planes to an `Array`",
                    grid.extent.depth
                );
                return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
            }
            resource.resType = ffi::CU_RESOURCE_TYPE_PITCH2D;
            let (width, height, pitchInBytes) = (grid.extent.width, grid.extent.height, grid.pitch);
            resource.res.pitch2D = CUDA_RESOURCE_DESC_v1_res_pitch2D {
                devPtr,
                format,
                numChannels,
                width,
                height,
                pitchInBytes,
            };
        }
        (Source::Part, _) => {
            let reason = "a texture reads all of an array, or all of a level: pass it whole";
            return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
        }
    }
    if access.len == 0 {
        let reason = "a texture reads at least one element: pass memory that is not empty";
        return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
    }
    Ok(resource)
}

/// Checks that texels which are filtered are read as floating-point numbers.
fn may_filter<T: Texel>(sampling: &Sampling) -> Result {
    let small = matches!(
        T::FORMAT,
        ffi::CU_AD_FORMAT_UNSIGNED_INT8
            | ffi::CU_AD_FORMAT_UNSIGNED_INT16
            | ffi::CU_AD_FORMAT_SIGNED_INT8
            | ffi::CU_AD_FORMAT_SIGNED_INT16
    );
    let large =
        matches!(T::FORMAT, ffi::CU_AD_FORMAT_UNSIGNED_INT32 | ffi::CU_AD_FORMAT_SIGNED_INT32);
    if sampling.filters() && (large || small && sampling.keeps_integers()) {
        let reason = "the manual allows no filter of integers: take `linear` out, or read 8 or 16 bits as numbers \
                      from 0 to 1";
        return Err(Error::InvalidArgument {
            call: name!(cuTexObjectCreate),
            reason: reason.into(),
        });
    }
    Ok(())
}

/// Returns why the driver does not make a texture of memory.
#[cold]
fn why_refused(device: Device, access: &Access<'_>) -> Option<String> {
    let limit = |attribute| u64::try_from(device.attribute(attribute).ok()?).ok();
    if access.is_array() {
        return None;
    }
    let beyond = |what: &str, number: u64, attribute| {
        let most = limit(attribute)?;
        (number > most).then(|| {
            format!(
                "the memory has {number} {what}, and a texture of the device takes at most {most}"
            )
        })
    };
    let alignment = limit(ffi::CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)?;
    if access.address % alignment != 0 {
        return Some(format!(
            "the memory begins at {:#x}, and a texture of the device at a multiple of {alignment} bytes: copy it \
             to a buffer of its own, or take a slice that begins at such a multiple",
            access.address
        ));
    }
    let Some(grid) = access.grid else {
        return beyond(
            "elements",
            access.len as u64,
            ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH,
        );
    };
    let (width, height, pitch) =
        (grid.extent.width as u64, grid.extent.height as u64, grid.pitch as u64);
    beyond("columns", width, ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH)
        .or_else(|| {
            beyond("rows", height, ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT)
        })
        .or_else(|| {
            beyond(
                "bytes between rows",
                pitch,
                ffi::CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH,
            )
        })
}

/// # Textures and surfaces
impl<'ctx> PushedGuard<'ctx> {
    /// Creates a texture of memory, which it owns, or borrows if you pass a reference.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a filter on texels that are read as integers, for a part of an array, for several
    /// planes of a [`PitchedBuffer`], and for empty memory; [`OtherContext`](Error::OtherContext);
    /// `CUDA_ERROR_INVALID_VALUE` for a slice or rows whose address the device does not want for textures
    /// (`CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT`), and for more elements than it has attributes for;
    /// [`NotCurrent`](Error::NotCurrent).
    #[doc(alias = "cuTexObjectCreate")]
    #[doc(alias = "cudaCreateTextureObject")]
    pub fn texture<M: TextureMemory<'ctx>>(
        &self,
        memory: M,
        sampling: Sampling,
    ) -> Result<Texture<'ctx, M>> {
        const CALL: &str = name!(cuTexObjectCreate);
        may_filter::<M::Texel>(&sampling)?;
        let access = memory.access();
        let resource = resource::<M::Texel>(memory.source(), &access)?;
        same_context(CALL, access.is_of(self.context().key()))?;
        self.enter(CALL)?;
        let (mut raw, how) = (0, sampling.described());
        let (resource, how) = (&raw const resource, &raw const how);
        // SAFETY: writes one number to `raw`, which is valid for it; acts on the current context, which `enter` found to
        // be the guard's, and the memory's. The memory is alive.
        unsafe { answer!(cuTexObjectCreate(&raw mut raw, resource, how, ptr::null())) }
            .explain(|_| why_refused(self.device(), &access))?;
        let object = Arc::new(Object::texture(raw, self.context().clone()));
        Ok(Texture { object, memory, _brand: Brand::new() })
    }
}

impl<M> Texture<'_, M> {
    /// Returns what the texture reads.
    #[must_use]
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Destroys the texture, and gives its memory back.
    #[must_use]
    pub fn into_memory(self) -> M {
        self.memory
    }

    /// Returns the object, for calls of [`ffi`] and for kernels of other code. It is valid while this value lives. Do not
    /// destroy it.
    #[must_use]
    pub fn raw(&self) -> CUtexObject {
        self.object.raw()
    }
}

impl<'ctx, T: Texel> Texture<'ctx, Array<'ctx, T>> {
    /// Returns the array for writing, for copies to it and for surfaces of it.
    #[must_use]
    pub fn array_mut(&mut self) -> super::ArraySliceMut<'_, 'ctx, T> {
        self.memory.as_slice_mut()
    }
}

impl<'ctx, M: TextureMemory<'ctx>> Texture<'ctx, M> {
    /// Returns the access of a launch.
    #[inline]
    pub(crate) fn used(&self) -> Access<'_> {
        self.memory.access().through(&self.object)
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        self.object.context()
    }
}

impl<M: fmt::Debug> fmt::Debug for Texture<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Texture").field(&self.memory).finish()
    }
}
