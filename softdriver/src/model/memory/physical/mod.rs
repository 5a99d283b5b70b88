//! Physical memory, and the ranges of the program's addresses that stand behind reserved ranges.
//!
//! Where the system has files in memory, physical memory is one, and a mapping is a mapping of it: two mappings, in one
//! process or in two, share its bytes.

#[cfg(any(not(target_os = "linux"), miri))]
pub(crate) mod elsewhere;
#[cfg(all(target_os = "linux", not(miri)))]
pub(crate) mod linux;

#[cfg(any(not(target_os = "linux"), miri))]
use elsewhere as system;
#[cfg(all(target_os = "linux", not(miri)))]
use linux as system;

use crate::entry::Answer;
use crate::model::device;
use crate::model::memory::space::SPACE;
use cuscope_sys::*;
use std::ffi::c_int;
pub(crate) use system::Region;

/// Physical memory. It lives while a handle or a mapping has it.
pub(crate) struct Physical {
    /// The ordinal of its device.
    pub(crate) device: usize,
    pub(crate) size: usize,
    /// The kinds of handles for other processes that it was created for.
    pub(crate) handle_types: CUmemAllocationHandleType,
    /// Whether this process took it from the memory of the device.
    counted: bool,
    bytes: system::Bytes,
}

impl Physical {
    /// Whether other processes can have it too.
    pub(crate) const IS_SHARED: bool = cfg!(all(target_os = "linux", not(miri)));

    /// Takes physical memory from a device.
    pub(crate) fn new(
        device: usize,
        size: usize,
        handle_types: CUmemAllocationHandleType,
    ) -> Answer<Self> {
        let space = &*SPACE;
        space.reserve(device, size)?;
        let bytes = system::Bytes::new(device::all()[device].number, size).inspect_err(|_| {
            space.give_back(device, size);
        })?;
        Ok(Self { device, size, handle_types, counted: true, bytes })
    }

    /// A file descriptor for it, which belongs to the caller.
    pub(crate) fn export(&self) -> Answer<c_int> {
        if self.handle_types != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR {
            return Err(CUDA_ERROR_INVALID_VALUE);
        }
        self.bytes.export()
    }

    /// The memory of a file descriptor, which stays the caller's.
    pub(crate) fn import(descriptor: c_int) -> Answer<Self> {
        let (bytes, number, size) = system::Bytes::import(descriptor)?;
        let device = device::numbered(number)?.ordinal;
        // It is not exported again.
        let handle_types = CU_MEM_HANDLE_TYPE_NONE;
        Ok(Self { device, size, handle_types, counted: false, bytes })
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        if self.counted {
            SPACE.give_back(self.device, self.size);
        }
    }
}
