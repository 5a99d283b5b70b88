//! Memory of other interfaces.
#![allow(unsafe_code, reason = "calls the driver, with handles that the caller vouches for")]

use super::refusals;
use crate::brand::Brand;
use crate::call::{answer, later, name};
use crate::context::Context;
use crate::driver::capture_mode::release_relaxed;
use crate::error::{Error, RangeUnit, Result, is_sticky};
use crate::memory::array::MipmappedArray;
use crate::memory::array_shape::{ArrayFlags, ArrayShape, described, has_levels};
use crate::memory::texel::Texel;
use crate::memory::{DeviceBuffer, Element, size_for};
use crate::owned::Keep;
use crate::stack::PushedGuard;
use ffi::{
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1_handle as Handle,
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC_v1_handle_win32 as Win32,
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC, CUdeviceptr, CUexternalMemory,
    CUexternalMemoryHandleType, CUresult,
};
use static_assertions::assert_impl_all;
use std::ffi::c_void;
#[cfg(unix)]
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::sync::Arc;
use std::{fmt, ptr};

/// A handle by which another interface exports memory: [`PushedGuard::import_external_memory`].
///
/// A file descriptor belongs to the driver once it was imported. Handles of Windows stay the program's.
#[derive(Debug)]
#[non_exhaustive]
#[doc(alias = "CUexternalMemoryHandleType")]
pub enum MemoryHandle {
    /// `VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT`: a file descriptor that only the driver understands.
    #[cfg(unix)]
    OpaqueFd(OwnedFd),
    /// A file descriptor of a DMA-BUF, which several drivers understand.
    #[cfg(unix)]
    DmaBufFd(OwnedFd),
    /// A handle of Windows.
    OpaqueWin32(*mut c_void),
    /// A handle of Windows that all processes share.
    OpaqueWin32Kmt(*mut c_void),
    /// A heap of Direct3D 12.
    D3d12Heap(*mut c_void),
    /// A committed resource of Direct3D 12.
    D3d12Resource(*mut c_void),
    /// A resource of Direct3D 11.
    D3d11Resource(*mut c_void),
    /// A resource of Direct3D 11 that all processes share.
    D3d11ResourceKmt(*mut c_void),
}

impl MemoryHandle {
    /// Returns the kind and the handle, as the driver takes them.
    fn raw(&self) -> (CUexternalMemoryHandleType, Handle) {
        let win32 = |handle| Handle { win32: Win32 { handle, name: ptr::null() } };
        // The rest is zeros, not what lies there.
        #[cfg(unix)]
        let file = |fd: &OwnedFd| {
            let mut handle = win32(ptr::null_mut());
            handle.fd = fd.as_raw_fd();
            handle
        };
        match *self {
            #[cfg(unix)]
            Self::OpaqueFd(ref fd) => (ffi::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, file(fd)),
            #[cfg(unix)]
            Self::DmaBufFd(ref fd) => (ffi::CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD, file(fd)),
            Self::OpaqueWin32(handle) => {
                (ffi::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32, win32(handle))
            }
            Self::OpaqueWin32Kmt(handle) => {
                (ffi::CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT, win32(handle))
            }
            Self::D3d12Heap(handle) => {
                (ffi::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP, win32(handle))
            }
            Self::D3d12Resource(handle) => {
                (ffi::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE, win32(handle))
            }
            Self::D3d11Resource(handle) => {
                (ffi::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE, win32(handle))
            }
            Self::D3d11ResourceKmt(handle) => {
                (ffi::CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT, win32(handle))
            }
        }
    }

    /// Leaves a file descriptor to the driver.
    #[inline]
    fn leave(self) {
        #[cfg(unix)]
        if let Self::OpaqueFd(fd) | Self::DmaBufFd(fd) = self {
            let _of_the_driver = fd.into_raw_fd();
        }
    }
}

/// Returns whether an import that gives this code leaves the descriptor to the program
/// ([F461](crate::driver_facts#F461)): one that was refused before
/// the driver took it.
#[inline]
pub(super) fn leaves_descriptor(code: CUresult) -> bool {
    let refused = matches!(
        code,
        ffi::CUDA_ERROR_INVALID_VALUE
            | ffi::CUDA_ERROR_NOT_SUPPORTED
            | ffi::CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
    );
    refused || is_sticky(code)
}

ffi::flags! {
    /// How another interface allocated memory.
    #[derive(Default)]
    pub struct MemoryFlags: u32 {
        /// The memory was allocated for one buffer or image alone (`VkMemoryDedicatedAllocateInfo`). Resources of Direct3D
        /// always are.
        const DEDICATED = ffi::CUDA_EXTERNAL_MEMORY_DEDICATED;
    }
}

/// Memory of another interface: [`PushedGuard::import_external_memory`].
///
/// It has no address: [`PushedGuard::map_external_buffer`] and [`PushedGuard::map_external_mipmapped_array`] map parts of
/// it. Mappings keep the import alive, and the other interface may free its own handle to the memory at any time.
pub struct ExternalMemory<'ctx> {
    pub(crate) inner: Arc<MemoryInner>,
    pub(crate) _brand: Brand<'ctx>,
}
assert_impl_all!(ExternalMemory<'static>: Send, Sync);

/// The owner of imported memory, which the mappings share.
pub(crate) struct MemoryInner {
    raw: CUexternalMemory,
    bytes: u64,
    context: Context,
}
// SAFETY: imported memory is not tied to a thread, and the handle is never changed.
unsafe impl Send for MemoryInner {}
// SAFETY: as for `Send`; the driver orders concurrent calls on it.
unsafe impl Sync for MemoryInner {}

impl Drop for MemoryInner {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this is the only owner of the handle, which was imported and not destroyed. All mappings were freed
        // before, as they own this (`external-kept`). Its context is alive, and need not be current (F463).
        release_relaxed(unsafe { later!(cuDestroyExternalMemory(self.raw)) }, || MemoryInner {
            context: self.context.clone(),
            ..*self
        });
    }
}

/// A mapping as a buffer.
struct Mapped {
    address: CUdeviceptr,
    _memory: Arc<MemoryInner>,
}

impl Drop for Mapped {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this is the only owner of the mapping, which was made and not freed, and nothing uses it
        // (`idle-outside`). Its context is alive, and need not be current (F463).
        release_relaxed(unsafe { later!(cuMemFree_v2(self.address)) }, || Mapped {
            address: self.address,
            _memory: self._memory.clone(),
        });
    }
}

/// # Memory of other interfaces
impl<'ctx> PushedGuard<'ctx> {
    /// Imports memory that another interface, such as Vulkan, exported.
    ///
    /// A file descriptor belongs to the driver then. If there is an error, it is closed, unless the driver does not tell
    /// whether it has closed it ([F461](crate::driver_facts#F461)).
    ///
    /// # Errors
    /// `CUDA_ERROR_UNKNOWN` for a handle that is none of this kind; `CUDA_ERROR_INVALID_VALUE` for 0 bytes;
    /// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` while other code captures; `CUDA_ERROR_NOT_SUPPORTED` for kinds that the system does not have; [`NotCurrent`](Error::NotCurrent).
    ///
    /// # Safety
    /// 1. `bytes` is the size with which the other interface allocated the memory, and `flags` say how. The driver compares
    ///    neither with the memory ([F462](crate::driver_facts#F462)).
    /// 2. A handle of Windows is one that the other interface exported, of this kind, and it is open.
    #[doc(alias = "cuImportExternalMemory")]
    #[doc(alias = "cuDestroyExternalMemory")]
    #[inline]
    pub unsafe fn import_external_memory(
        &self,
        handle: MemoryHandle,
        bytes: u64,
        flags: MemoryFlags,
    ) -> Result<ExternalMemory<'ctx>> {
        self.enter(name!(cuImportExternalMemory))?;
        let (kind, sent) = handle.raw();
        let asked = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            r#type: kind,
            handle: sent,
            size: bytes,
            flags: flags.bits(),
            reserved: [0; 16],
        };
        let mut raw = ptr::null_mut();
        // SAFETY: writes a handle to `raw` and reads `asked`, which are valid for it. A descriptor is open, a handle of
        // Windows too (2), and the size is right (1). Acts on the current context, which `enter` found to be the guard's.
        let answer = unsafe { answer!(cuImportExternalMemory(&raw mut raw, &raw const asked)) };
        if !leaves_descriptor(answer.code) {
            // It belongs to the driver, which has closed what is no memory (F461).
            handle.leave();
        }
        answer.explain(|code| refusals::memory(bytes, code))?;
        let inner = Arc::new(MemoryInner { raw, bytes, context: self.context().clone() });
        Ok(ExternalMemory { inner, _brand: Brand::new() })
    }

    /// Checks that a mapping of so many bytes lies in the memory, and that the memory belongs to this context.
    #[inline]
    fn enter_mapping(
        &self,
        call: &'static str,
        memory: &ExternalMemory<'ctx>,
        offset: u64,
        bytes: u64,
    ) -> Result {
        self.enter(call)?;
        if memory.context() != self.context() {
            return Err(Error::OtherContext { call });
        }
        let end = offset.saturating_add(bytes);
        if end > memory.inner.bytes {
            let (end, len) = (end as usize, memory.inner.bytes as usize);
            return Err(Error::InvalidRange { call, end, len, unit: RangeUnit::Bytes });
        }
        Ok(())
    }

    /// Maps a part of imported memory as a buffer: `len` elements, `offset` bytes from the start.
    ///
    /// The buffer is of the [kind](DeviceBuffer::kind) [`Foreign`](crate::memory::BufferKind::Foreign), and holds what the
    /// other interface wrote. It keeps the import alive, and its drop unmaps it, once no graph has it. That waits for the
    /// work of the context, as the drop of every buffer.
    ///
    /// # Errors
    /// [`InvalidRange`](Error::InvalidRange) for a part that ends past the memory;
    /// [`InvalidArgument`](Error::InvalidArgument) for an offset at which the elements are not aligned;
    /// [`OtherContext`](Error::OtherContext); [`NotCurrent`](Error::NotCurrent); a driver error.
    ///
    /// # Safety
    /// 1. While an operation of this crate uses the buffer, the other interface and its other users do not write the
    ///    memory, nor read it if the operation writes it. Both sides order their work, such as by an
    ///    [`ExternalSemaphore`](super::ExternalSemaphore) or by waits of the host.
    /// 2. No other buffer or array of this crate has any part of the memory at the same time, in whatever import.
    #[doc(alias = "cuExternalMemoryGetMappedBuffer")]
    pub unsafe fn map_external_buffer<T: Element>(
        &self,
        memory: &ExternalMemory<'ctx>,
        offset: u64,
        len: usize,
    ) -> Result<DeviceBuffer<'ctx, T>> {
        const CALL: &str = name!(cuExternalMemoryGetMappedBuffer);
        let size = size_for::<T>(CALL, len)? as u64;
        self.enter_mapping(CALL, memory, offset, size)?;
        if size == 0 {
            return Ok(DeviceBuffer::empty(self.context(), len));
        }
        let asked = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, flags: 0, reserved: [0; 16] };
        let (raw, mut address) = (memory.inner.raw, 0);
        // SAFETY: writes an address to `address` and reads `asked`, which are valid for it. The import is alive, and holds
        // the part. Acts on the current context, which is the import's.
        unsafe {
            answer!(cuExternalMemoryGetMappedBuffer(&raw mut address, raw, &raw const asked))
        }
        .check()?;
        let mapped = Mapped { address, _memory: memory.inner.clone() };
        // SAFETY: 1. Mapped until `mapped` is dropped, in this context. 2. The caller's obligations 1 and 2. 3. It is freed
        // on any thread, with its context current.
        unsafe { self.buffer_from_raw(address, len, mapped) }
    }

    /// Maps a part of imported memory as a mipmapped array, `offset` bytes from the start: an image of the other interface.
    ///
    /// It holds what the other interface wrote, keeps the import alive, and its drop destroys the mapping.
    ///
    /// # Errors
    /// The errors of [`alloc_mipmapped_array`](Self::alloc_mipmapped_array); [`InvalidRange`](Error::InvalidRange) for an
    /// offset past the memory; [`OtherContext`](Error::OtherContext).
    ///
    /// # Safety
    /// 1. and 2. of [`map_external_buffer`](Self::map_external_buffer).
    /// 3. The other interface created the image with this shape, these levels and a format of the same channels, optimally
    ///    tiled, and bound it to the memory at this offset. If `flags` contain [`SURFACE`](ArrayFlags::SURFACE), it was
    ///    created for storage. The driver does not compare any of that.
    #[doc(alias = "cuExternalMemoryGetMappedMipmappedArray")]
    pub unsafe fn map_external_mipmapped_array<T: Texel>(
        &self,
        memory: &ExternalMemory<'ctx>,
        offset: u64,
        shape: ArrayShape,
        levels: u32,
        flags: ArrayFlags,
    ) -> Result<MipmappedArray<'ctx, T>> {
        const CALL: &str = name!(cuExternalMemoryGetMappedMipmappedArray);
        // The driver does not survive a mapping without levels (F470).
        has_levels(CALL, shape, levels)?;
        self.enter_mapping(CALL, memory, offset, 1)?;
        let asked = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
            offset,
            arrayDesc: described::<T>(shape, flags),
            numLevels: levels,
            reserved: [0; 16],
        };
        let (raw, mut array) = (memory.inner.raw, ptr::null_mut());
        // SAFETY: writes a handle to `array` and reads `asked`, which are valid for it. The import is alive, and holds such
        // an image there (3). Acts on the current context, which is the import's.
        unsafe {
            answer!(cuExternalMemoryGetMappedMipmappedArray(&raw mut array, raw, &raw const asked))
        }
        .check()?;
        let keep = Some(Keep::new(memory.inner.clone()));
        // SAFETY: 1. A new handle of this context, with these levels of this shape, for these elements. `keep` owns the
        // memory.
        unsafe { MipmappedArray::own(array, self.context(), shape, levels, flags, keep) }
    }
}

impl ExternalMemory<'_> {
    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.inner.context
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.inner.bytes
    }

    /// Returns the handle, for calls of [`ffi`]. It is valid while this value lives. Do not destroy it.
    #[must_use]
    pub fn raw(&self) -> CUexternalMemory {
        self.inner.raw
    }
}

impl fmt::Debug for ExternalMemory<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExternalMemory({} bytes, {:?})", self.size_bytes(), self.context())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_handle_has_the_number_of_the_driver() {
        let handle = ptr::without_provenance_mut(8);
        let handles = [
            MemoryHandle::OpaqueWin32(handle),
            MemoryHandle::OpaqueWin32Kmt(handle),
            MemoryHandle::D3d12Heap(handle),
            MemoryHandle::D3d12Resource(handle),
            MemoryHandle::D3d11Resource(handle),
            MemoryHandle::D3d11ResourceKmt(handle),
        ];
        assert_eq!(handles.map(|handle| handle.raw().0.0), [2, 3, 4, 5, 6, 7]);
    }

    #[cfg(unix)]
    #[test]
    fn each_descriptor_has_the_number_of_the_driver() {
        let file = || OwnedFd::from(std::fs::File::open("/dev/null").unwrap());
        let handles = [MemoryHandle::OpaqueFd(file()), MemoryHandle::DmaBufFd(file())];
        assert_eq!(handles.map(|handle| handle.raw().0.0), [1, 9]);
    }
}
