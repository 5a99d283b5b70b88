//! How a copy is made.

use bitflags::bitflags;

bitflags! {
    /// How the driver makes a copy, such as one of [`SyncStream::copy_with`](crate::SyncStream::copy_with).
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct CopyFlags: u32 {
        /// So that it overlaps with kernels, if possible: by an engine for copies instead of the multiprocessors. A hint,
        /// which changes no result.
        const PREFER_OVERLAP_WITH_COMPUTE = ffi::CUmemcpyFlags::CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE.bits();
    }
}
