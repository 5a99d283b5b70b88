//! Mappings of registered objects.
#![allow(unsafe_code, reason = "calls the driver, and owns arrays that it lends")]

use super::{GraphicsBuffer, GraphicsImage};
use crate::brand::Brand;
use crate::call::{answer, name, same_context};
use crate::error::{Error, Result};
use crate::memory::array::MipmappedArray;
use crate::memory::array_shape::{ArrayFlags, ArrayShape, described};
use crate::memory::texel::Texel;
use crate::memory::{Allocation, DeviceBuffer, Element};
use crate::ordered::{Ordered, OrderedBuffer, OrderedStream};
use crate::owned::{GraphicsMapping, Keep};
use crate::stream::SyncStream;
use ffi::CUarray;
use std::marker::PhantomData;
use std::ptr;

const MAP: &str = name!(cuGraphicsMapResources);

impl<'ctx> SyncStream<'_, 'ctx> {
    /// Maps a registered buffer, and waits until what OpenGL did with it is done.
    ///
    /// The buffer is of the [kind](DeviceBuffer::kind) [`Foreign`](crate::memory::BufferKind::Foreign), and has as many
    /// elements as OpenGL's buffer has room for. Its drop unmaps it, once no graph has it: OpenGL may then use it.
    ///
    /// # Errors
    /// `CUDA_ERROR_ALREADY_MAPPED` while it is mapped ([F475](crate::driver_facts#F475));
    /// `CUDA_ERROR_INVALID_GRAPHICS_CONTEXT` if no context of OpenGL is current on the thread
    /// ([F477](crate::driver_facts#F477)); [`InvalidArgument`](Error::InvalidArgument) if the size is not a whole number of
    /// elements; [`OtherContext`](Error::OtherContext); `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` while other code captures;
    /// a sticky error ([F60](crate::driver_facts#F60)).
    #[doc(alias = "cuGraphicsMapResources")]
    #[doc(alias = "cuGraphicsUnmapResources")]
    #[doc(alias = "cuGraphicsResourceGetMappedPointer")]
    pub fn map_buffer<T: Element>(
        &self,
        buffer: &GraphicsBuffer<'ctx>,
    ) -> Result<DeviceBuffer<'ctx, T>> {
        same_context(MAP, buffer.context() == self.context())?;
        let mapping = GraphicsMapping::new(&buffer.inner, &self.stream().inner)?;
        self.complete(Ok(()))?;
        mapped(mapping)
    }

    /// Maps all levels of a registered image, and waits until what OpenGL did with it is done.
    ///
    /// The drop of the array unmaps the image, once no graph has it: OpenGL may then use it.
    ///
    /// # Errors
    /// [`InvalidArgument`](Error::InvalidArgument) if the image has another shape, or other texels; otherwise those of
    /// [`map_buffer`](Self::map_buffer).
    #[doc(alias = "cuGraphicsMapResources")]
    #[doc(alias = "cuGraphicsUnmapResources")]
    #[doc(alias = "cuGraphicsResourceGetMappedMipmappedArray")]
    #[doc(alias = "cuGraphicsSubResourceGetMappedArray")]
    pub fn map_image<T: Texel>(
        &self,
        image: &GraphicsImage<'ctx, T>,
    ) -> Result<MipmappedArray<'ctx, T>> {
        same_context(MAP, image.context() == self.context())?;
        let mapping = GraphicsMapping::new(&image.inner, &self.stream().inner)?;
        self.complete(Ok(()))?;
        let (resource, mut raw) = (mapping.resource().raw(), ptr::null_mut());
        // SAFETY: the resource is alive, and mapped; writes one handle to `raw`, which is valid for it.
        unsafe { answer!(cuGraphicsResourceGetMappedMipmappedArray(&raw mut raw, resource)) }
            .check()?;
        let mut first = ptr::null_mut();
        // SAFETY: the array is alive while the resource is mapped; writes one handle to `first`, which is valid for it.
        unsafe { answer!(cuMipmappedArrayGetLevel(&raw mut first, raw, 0)) }.check()?;
        // SAFETY: 1. The array is alive while the resource is mapped.
        unsafe { is_of::<T>(first, image.shape) }?;
        let keep = Keep::new(mapping);
        // SAFETY: 1. A handle of this context that lives as long as `keep`, with these levels, as the caller of
        // `register_gl_image` promised, of this shape and for these elements.
        unsafe {
            MipmappedArray::lent(raw, self.context(), image.shape, image.levels, image.flags, keep)
        }
    }
}

impl OrderedStream {
    /// Maps a registered buffer for the work of this stream, behind what OpenGL did with it. Does not wait for the device.
    ///
    /// The buffer belongs to the stream. Its drop unmaps it in the order of the stream, and does not wait either: what
    /// OpenGL does next comes behind all work on it.
    ///
    /// # Errors
    /// The errors of [`SyncStream::map_buffer`].
    #[doc(alias = "cuGraphicsMapResources")]
    #[doc(alias = "cuGraphicsUnmapResources")]
    pub fn map_buffer<T: Element>(&self, buffer: &GraphicsBuffer<'_>) -> Result<OrderedBuffer<T>> {
        same_context(MAP, buffer.context() == self.context())?;
        let mut mapped = mapped(GraphicsMapping::new(&buffer.inner, self.home.stream())?)?;
        // Memory that is mapped always changes hands.
        mapped.inner.adopt(&self.home);
        Ok(Ordered(mapped))
    }
}

/// Returns the memory of a mapped buffer.
fn mapped<'ctx, T: Element>(mapping: GraphicsMapping) -> Result<DeviceBuffer<'ctx, T>> {
    const CALL: &str = name!(cuGraphicsResourceGetMappedPointer_v2);
    let (resource, mut address, mut bytes) = (mapping.resource().raw(), 0, 0);
    // SAFETY: the resource is alive, and mapped; writes an address and a number, for which both places are valid.
    unsafe {
        answer!(cuGraphicsResourceGetMappedPointer_v2(&raw mut address, &raw mut bytes, resource))
    }
    .check()?;
    let size = size_of::<T>();
    if size == 0 || bytes % size != 0 || address as usize % align_of::<T>() != 0 {
        let reason = format!(
            "the buffer's size, {bytes} bytes, is not a whole number of elements, {size} bytes each: map it as elements of \
             which it holds some, or as bytes"
        );
        return Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
    }
    let inner = Allocation::mapped(address, mapping);
    Ok(DeviceBuffer { inner, len: bytes / size, _brand: Brand::new(), data: PhantomData })
}

/// Checks that an array of graphics has this shape and texels `T`.
///
/// # Safety
/// 1. The array is alive.
unsafe fn is_of<T: Texel>(array: CUarray, shape: ArrayShape) -> Result {
    const CALL: &str = name!(cuArray3DGetDescriptor_v2);
    let asked = described::<T>(shape, ArrayFlags::empty());
    let mut has = asked;
    // SAFETY: the array is alive (1); writes a description to `has`, which is valid for it.
    unsafe { answer!(cuArray3DGetDescriptor_v2(&raw mut has, array)) }.check()?;
    // The driver says no depth for the six faces of a cube (F479).
    let cube = matches!(shape, ArrayShape::Cubemap { .. });
    let same_shape = (has.Width, has.Height) == (asked.Width, asked.Height)
        && (cube || has.Depth == asked.Depth)
        && has.Flags & SHAPES == asked.Flags & SHAPES;
    let refused =
        |reason: &'static str| Err(Error::InvalidArgument { call: CALL, reason: reason.into() });
    if !same_shape {
        return refused(
            "the image has another shape: register it with the extents of its first level",
        );
    }
    if (has.Format, has.NumChannels) != (asked.Format, asked.NumChannels) {
        return refused(
            "the image has texels of another type: register it with the one of its format",
        );
    }
    Ok(())
}

/// The flags that say a shape.
const SHAPES: u32 = ffi::CUDA_ARRAY3D_LAYERED | ffi::CUDA_ARRAY3D_CUBEMAP;
