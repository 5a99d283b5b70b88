//! Physical memory.
#![allow(unsafe_code, reason = "calls the driver")]

use super::{location, refusals};
use crate::call::{answer, later};
use crate::device::Device;
use crate::driver::capture_mode::release_relaxed;
use crate::error::Result;
#[cfg(unix)]
use crate::error::wrong_descriptor;
use crate::sync::Arc;
use ffi::{CUmemAllocationHandleType, CUmemAllocationProp, CUmemGenericAllocationHandle};
use static_assertions::assert_impl_all;
use std::{fmt, ptr};

#[cfg(unix)]
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// Physical memory of a device, which has no address until [`Reservation::map`](super::Reservation::map) gives it one.
///
/// It belongs to no context. A clone is the same memory: one is mapped, and another one bound to a
/// [`Multicast`](super::Multicast) object. Dropping the last one gives the memory back to the device, unless another process
/// has it too.
#[derive(Clone)]
pub struct PhysicalMemory(Arc<Handle>);
assert_impl_all!(PhysicalMemory: Send, Sync);

/// The owner of a handle.
struct Handle {
    raw: CUmemGenericAllocationHandle,
    bytes: usize,
    device: Device,
}

/// Returns the properties of memory of a device.
#[inline]
fn properties(device: Device, handles: CUmemAllocationHandleType) -> CUmemAllocationProp {
    CUmemAllocationProp {
        r#type: ffi::CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: handles,
        location: location(device),
        win32HandleMetaData: ptr::null_mut(),
        allocFlags: ffi::CUmemAllocationProp_v1_allocFlags {
            compressionType: 0,
            gpuDirectRDMACapable: 0,
            usage: 0,
            reserved: [0; 4],
        },
    }
}

impl PhysicalMemory {
    /// Returns the number of bytes that sizes of physical memory and offsets of mappings are multiples of: 2 MiB on most
    /// devices.
    ///
    /// # Errors
    /// A driver error, for a device without virtual memory.
    #[doc(alias = "cuMemGetAllocationGranularity")]
    #[inline]
    pub fn granularity(device: Device) -> Result<usize> {
        let properties = properties(device, ffi::CU_MEM_HANDLE_TYPE_NONE);
        let (mut bytes, least) = (0, ffi::CU_MEM_ALLOC_GRANULARITY_MINIMUM);
        // SAFETY: writes a size to `bytes` and reads `properties`, which are valid for it.
        unsafe {
            answer!(cuMemGetAllocationGranularity(&raw mut bytes, &raw const properties, least))
        }
        .explain(|_| refusals::no_virtual_memory(device))?;
        Ok(bytes)
    }

    /// Takes physical memory from a device. Its contents are unspecified bytes.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a size that is 0 or no multiple of the [`granularity`](Self::granularity);
    /// `CUDA_ERROR_OUT_OF_MEMORY`.
    #[doc(alias = "cuMemCreate")]
    #[inline]
    pub fn create(device: Device, bytes: usize) -> Result<PhysicalMemory> {
        PhysicalMemory::create_for(device, bytes, ffi::CU_MEM_HANDLE_TYPE_NONE)
    }

    /// Takes physical memory that other processes can [`import`](Self::import).
    ///
    /// # Errors
    /// The errors of [`create`](Self::create); `CUDA_ERROR_NOT_SUPPORTED` if the device shares no memory by file
    /// descriptors.
    #[cfg(unix)]
    #[doc(alias = "cuMemCreate")]
    #[inline]
    pub fn create_shareable(device: Device, bytes: usize) -> Result<PhysicalMemory> {
        PhysicalMemory::create_for(device, bytes, ffi::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    }

    #[inline]
    fn create_for(
        device: Device,
        bytes: usize,
        handles: CUmemAllocationHandleType,
    ) -> Result<PhysicalMemory> {
        let (properties, mut raw) = (properties(device, handles), 0);
        let shared = handles != ffi::CU_MEM_HANDLE_TYPE_NONE;
        // SAFETY: writes a handle to `raw` and reads `properties`, which are valid for it; the flags must be 0.
        unsafe { answer!(cuMemCreate(&raw mut raw, bytes, &raw const properties, 0)) }
            .explain(|code| refusals::create(device, bytes, shared, code))?;
        Ok(PhysicalMemory(Arc::new(Handle { raw, bytes, device })))
    }

    /// Returns a file descriptor by which another process can [`import`](Self::import) the memory. Send it over a
    /// socket, or let a child process inherit it. The memory lives as long as a process has it or a descriptor is open.
    ///
    /// # Errors
    /// A driver error for memory that was not [created for it](Self::create_shareable).
    #[cfg(unix)]
    #[doc(alias = "cuMemExportToShareableHandle")]
    #[inline]
    pub fn export(&self) -> Result<OwnedFd> {
        let (mut descriptor, kind) = (-1, ffi::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
        let out = (&raw mut descriptor).cast();
        // SAFETY: the memory is alive; a handle of this kind is a `c_int`, for which `out` is valid. The flags must
        // be 0.
        unsafe { answer!(cuMemExportToShareableHandle(out, self.raw(), kind, 0)) }
            .explain(|_| Some(refusals::NOT_CREATED_SHARED.to_owned()))?;
        // SAFETY: the manual of cuMemExportToShareableHandle: it creates the descriptor, which is closed by its owner.
        Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
    }

    /// Imports the memory of another process, or of this one. The descriptor may be closed afterwards.
    ///
    /// # Errors
    /// A driver error, for what is no descriptor of physical memory.
    ///
    /// # Safety
    /// 1. `bytes` is the size with which the memory was created, and it is memory of a device of this process.
    /// 2. While an operation of this process uses the memory, no other process writes it, nor reads it if the operation
    ///    writes it. Both sides order their work, such as by an event or by a message after a wait. The same holds
    ///    between two imports of the same memory in one process.
    #[cfg(unix)]
    #[doc(alias = "cuMemImportFromShareableHandle")]
    #[doc(alias = "cuMemGetAllocationPropertiesFromHandle")]
    #[inline]
    pub unsafe fn import(descriptor: BorrowedFd<'_>, bytes: usize) -> Result<PhysicalMemory> {
        // For the time until the driver has told which it is.
        let device = Device::get(0)?;
        let (mut raw, kind) = (0, ffi::CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
        // The driver takes a descriptor as a pointer.
        let sent = ptr::without_provenance_mut(descriptor.as_raw_fd() as usize);
        // SAFETY: writes a handle to `raw`, which is valid for it. The descriptor is open, and looked at only.
        unsafe { answer!(cuMemImportFromShareableHandle(&raw mut raw, sent, kind)) }.explain(
            |_| {
                let wanted = "physical memory that `PhysicalMemory::export` returned";
                Some(wrong_descriptor(descriptor, wanted))
            },
        )?;
        let mut memory = Handle { raw, bytes, device };
        let mut told = properties(device, kind);
        // SAFETY: the memory is alive, and `told` is valid for its properties.
        unsafe { answer!(cuMemGetAllocationPropertiesFromHandle(&raw mut told, raw)) }.check()?;
        // SAFETY: the memory is a device's (1), and the driver has written its ordinal.
        let ordinal = unsafe { told.location.anonymous.id };
        memory.device = Device::get(ordinal.unsigned_abs())?;
        Ok(PhysicalMemory(Arc::new(memory)))
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.0.bytes
    }

    /// Returns the device.
    #[must_use]
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// Returns the driver's handle, for calls of [`ffi`]. It is valid while this value lives. Do not release it.
    #[must_use]
    pub fn raw(&self) -> CUmemGenericAllocationHandle {
        self.0.raw
    }
}

impl Drop for Handle {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this is the only owner of the handle, which was created or imported and not released. A mapping keeps
        // the memory (the manual of cuMemRelease).
        release_relaxed(unsafe { later!(cuMemRelease(self.raw)) }, || Handle { ..*self });
    }
}

impl fmt::Debug for PhysicalMemory {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PhysicalMemory({} bytes of {:?})", self.size_bytes(), self.device())
    }
}
